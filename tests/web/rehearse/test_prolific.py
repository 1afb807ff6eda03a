"""Studies rehearsed against a fake Prolific over HTTP: every batch at exactly its size."""

from __future__ import annotations

import random
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from property_settings import examples
from rejudge.prolific.fake import BEHAVIOURS, Behaviour
from rejudge.web.rehearse.prolific import PlatformRehearsal, PlatformRehearser
from small_site import START, study_of

PAID = "payment: {currency: GBP, minutes: 10, hourly: 12}"


def rehearse(
    path: Any, batches: int, people: int, behaviours: list[Behaviour], follows: str
) -> PlatformRehearsal:
    rehearser = PlatformRehearser(
        *study_of(batches, people, more=PAID),
        str(path / "rehearsal.db"),
        start=START,
        seed=len(behaviours),
    )
    try:
        return rehearser.run(behaviours, follows=follows)
    finally:
        rehearser.close()


@pytest.mark.parametrize("follows", ["polling", "notifications"])
def test_every_story_ends_with_each_batch_at_its_size_and_a_ledger_that_adds_up(tmp_path, follows):
    behaviours = [*BEHAVIOURS, *["normal"] * 8]
    found = rehearse(tmp_path, 4, 2, behaviours, follows)
    assert found.broken == ()
    assert found.is_complete
    assert found.adds_up
    assert found.approved >= 8


@pytest.mark.slow
@pytest.mark.parametrize("follows", ["polling", "notifications"])
def test_two_hundred_people_with_returns_and_time_outs_fill_every_batch_exactly(tmp_path, follows):
    rng = random.Random(7)  # noqa: S311 - a script
    behaviours = rng.choices(BEHAVIOURS, weights=[8] + [1] * (len(BEHAVIOURS) - 1), k=200)
    found = rehearse(tmp_path, 30, 5, behaviours, follows)
    assert found.broken == ()
    assert found.is_complete
    assert found.adds_up
    assert len(found.people) >= 200
    counts = found.visits.counts()
    # the four cases: nobody handed in there without data here, but who found no task left
    without = [each for each in found.visits.visits if each.quadrant == "only submission"]
    assert {each.code for each in without} <= {"full"}
    assert counts["both"] + counts["only data"] >= 150  # who timed out there may be complete here


@pytest.mark.slow
@given(
    st.lists(st.sampled_from(BEHAVIOURS), max_size=8),
    st.sampled_from(["polling", "notifications"]),
    st.integers(1, 3),
)
@settings(max_examples=examples(6))
def test_no_script_breaks_a_guarantee(behaviours, follows, places):
    with TemporaryDirectory() as folder:
        found = rehearse(Path(folder), 2, places, behaviours, follows)
    assert found.broken == ()
    assert found.is_complete
    assert found.adds_up
