"""Links that name a batch: signed, and followed only where the plan allows it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.collect import Occupancy, PastAssignment, named_batch, read_batch, sign_batch
from small_site import study_of

SECRET = b"x" * 32
NAMES = st.text(max_size=30)


@given(NAMES, NAMES)
def test_what_was_signed_is_read_and_nothing_else(batch, other):
    signed = sign_batch(SECRET, "study", batch)
    assert read_batch(SECRET, "study", signed) == batch
    assert read_batch(b"y" * 32, "study", signed) is None
    assert read_batch(SECRET, "another", signed) is None
    if other != batch:
        assert read_batch(SECRET, "study", other + signed[len(batch) :]) is None


@pytest.mark.parametrize("text", ["", ".", "b1", "b1.", "\ud800.x", "b1." + "A" * 22])
def test_what_nobody_signed_names_no_batch(text):
    assert read_batch(SECRET, "study", text) is None


@pytest.fixture
def plan():
    return study_of(batches=3, people=2)[1]


def free(batch: str, *, done: int = 0, held: int = 0) -> Occupancy:
    return Occupancy(batch, places=2, done=done, held=held)


def test_exactly_the_named_batch_is_given(plan):
    first, second, _ = (each.id for each in plan.main)
    assert named_batch(plan, second, free(second), ()) == second
    assert named_batch(plan, first, free(first, held=1), ()) == first


def test_a_full_finished_or_unknown_batch_gives_nothing(plan):
    first = plan.main[0].id
    assert named_batch(plan, first, free(first, done=2), ()) is None
    assert named_batch(plan, first, free(first, done=1, held=1), ()) is None
    assert named_batch(plan, "gone", None, ()) is None


def test_nobody_gets_a_batch_twice_one_that_overlaps_or_more_than_their_share(plan):
    first, second, third = (each.id for each in plan.main)
    had = [PastAssignment(first, "submitted")]
    assert named_batch(plan, second, free(second), had) is None  # one batch each
    several = replace(plan, batches_per_participant=3, conflicts={first: (third,)})
    assert named_batch(several, second, free(second), had) == second
    assert named_batch(several, first, free(first), had) is None
    assert named_batch(several, third, free(third), had) is None
    expired = [PastAssignment(first, "expired")]
    assert named_batch(plan, second, free(second), expired) == second


def test_calibration_comes_first_and_is_never_named(plan):
    first, second, _ = plan.batches
    shared = replace(plan, batches=(replace(first, is_calibration=True), *plan.batches[1:]))
    assert named_batch(shared, second.id, free(second.id), ()) == first.id
    done = [PastAssignment(first.id, "submitted")]
    assert named_batch(shared, second.id, free(second.id), done) == second.id
    assert named_batch(shared, first.id, free(first.id), ()) is None
