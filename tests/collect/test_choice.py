"""Which batch somebody gets."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judged_study import small_study
from rejudge.collect import Past, Room, choose_batch, free_seat, has_place, may_resume
from rejudge.design import Batch, Plan, Task

TASK = Task("t", "i0", ("ash", "beech"))


def plan(*, cap=1, calibration=False, conflicts=None):
    batches = [Batch(name, (TASK,), 2) for name in ("b1", "b2", "b3")]
    if calibration:
        batches.insert(0, Batch("first", (TASK,), 6, is_calibration=True))
    return Plan(
        study=small_study().design_fingerprint,
        seed=1,
        order="listed",
        batches_per_participant=cap,
        batches=tuple(batches),
        texts={},
        segments={},
        conflicts=conflicts or {},
    )


def rooms(*standing: tuple[int, int]) -> list[Room]:
    """Two places each; done and held by batch."""
    return [Room(f"b{n}", 2, done, held) for n, (done, held) in enumerate(standing, start=1)]


def test_among_equals_the_first_of_the_plan_goes_first():
    assert choose_batch(plan(), rooms((0, 0), (0, 0), (0, 0)), []) == "b1"


def test_the_batch_nearest_to_completion_goes_first():
    assert choose_batch(plan(), rooms((0, 0), (0, 0), (1, 0)), []) == "b3"


def test_beginnings_do_not_count_as_completion():
    assert choose_batch(plan(), rooms((0, 0), (0, 1), (0, 0)), []) == "b1"


def test_a_batch_without_a_free_place_is_not_given():
    assert choose_batch(plan(), rooms((1, 1), (2, 0), (0, 1)), []) == "b3"
    assert choose_batch(plan(), rooms((1, 1), (2, 0), (0, 2)), []) is None


def test_nobody_gets_a_batch_twice_even_if_it_expired():
    past = [Past("b1", "expired")]
    assert choose_batch(plan(), rooms((1, 0), (0, 0), (0, 0)), past) == "b2"


@pytest.mark.parametrize("status", ["submitted", "accepted", "excluded", "returned", "surplus"])
def test_nobody_gets_more_than_the_plan_allows(status):
    past = [Past("b1", status)]
    assert choose_batch(plan(), rooms((0, 0), (0, 0), (0, 0)), past) is None
    assert choose_batch(plan(cap=2), rooms((0, 0), (0, 0), (0, 0)), past) == "b2"


def test_nobody_gets_a_batch_that_shares_an_input_with_one_they_had():
    shared = plan(cap=3, conflicts={"b1": ("b2",), "b2": ("b1",)})
    past = [Past("b1", "submitted")]
    assert choose_batch(shared, rooms((1, 0), (1, 0), (0, 0)), past) == "b3"


def test_calibration_comes_first_and_counts_towards_nothing():
    everything = [Room("first", 0, 9, 9), *rooms((0, 0), (0, 0), (0, 0))]
    assert choose_batch(plan(calibration=True), everything, []) == "first"
    past = [Past("first", "submitted")]
    assert choose_batch(plan(calibration=True), everything, past) == "b1"


@pytest.mark.parametrize(
    ("room", "others", "has", "may"),
    [
        (Room("b1", 2, 1, 0), [], True, True),
        (Room("b1", 2, 1, 1), [], False, False),
        (Room("b1", 2, 1, 0), [Past("b2", "submitted")], False, False),  # one is all they may do
        (Room("b1", 2, 1, 0), [Past("b2", "excluded")], True, True),
        (Room("b1", 2, 1, 0), [Past("first", "accepted")], True, True),
        (Room("b1", 2, 1, 0), [Past("first", "held")], True, False),
        (Room("first", 0, 9, 9), [Past("b1", "submitted")], True, True),
        (Room("first", 0, 9, 9), [Past("b1", "held")], True, False),
    ],
)
def test_late_work_takes_a_place_where_there_is_one_for_it(room, others, has, may):
    assert has_place(plan(calibration=True), room, others) == has
    assert may_resume(plan(calibration=True), room, others) == may


def test_the_lowest_free_seat_is_taken():
    taken = [(0, "submitted"), (1, "expired"), (2, "held")]
    assert free_seat(taken) == 1
    assert free_seat([]) == 0


@given(st.lists(st.tuples(st.integers(0, 5), st.sampled_from(["held", "accepted", "returned"]))))
def test_a_free_seat_is_not_taken_and_none_below_it_is_free(taken):
    seat = free_seat(taken)
    busy = {number for number, status in taken if status != "returned"}
    assert seat not in busy
    assert busy >= set(range(seat))
