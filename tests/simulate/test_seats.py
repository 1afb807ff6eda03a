"""Who takes which place."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from judged_study import PAIRWISE, drawn, small_study
from rejudge.simulate import seats


def taken(**design: int | str):
    plan = drawn(small_study(PAIRWISE, design=design))
    return plan, seats(plan)


@given(people=st.integers(1, 4), batches=st.integers(1, 4))
def test_every_place_is_taken_once(people, batches):
    plan, found = taken(participants_per_batch=people, batches_per_participant=batches)
    places = Counter(seat.batch.id for own in found for seat in own)
    assert places == {batch.id: batch.participants for batch in plan.main}
    numbers = Counter((seat.batch.id, seat.number) for own in found for seat in own)
    assert set(numbers.values()) == {1}


@given(batches=st.integers(1, 4))
def test_nobody_gets_more_batches_than_the_plan_allows_or_one_twice(batches):
    _, found = taken(batches_per_participant=batches)
    for own in found:
        names = [seat.batch.id for seat in own]
        assert len(names) == len(set(names)) <= batches


def test_everybody_does_the_calibration_first():
    plan, found = taken(calibration=2, batches_per_participant=2)
    assert any(batch.is_calibration for batch in plan.batches)
    assert all(own[0].batch.is_calibration for own in found)
    assert not any(seat.batch.is_calibration for own in found for seat in own[1:])


def test_nobody_meets_an_input_in_two_batches():
    plan, found = taken(inputs="apart", batches_per_participant=3)
    assert plan.conflicts
    for own in found:
        names = {seat.batch.id for seat in own}
        assert all(names.isdisjoint(plan.conflicts.get(name, ())) for name in names)
