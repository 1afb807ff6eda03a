"""Participants with lists: everybody does their batches, in their order, calibration first."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from judged_study import drawn, small_study
from rejudge.collect.assignment import STATUSES, PastAssignment, next_on_list

PLAN = drawn(small_study())
CALIBRATED = drawn(small_study(design={"calibration": 1}))
OWN = ("b02", "b03")


def test_the_next_batch_is_the_first_that_somebody_has_not_had():
    assert next_on_list(PLAN, OWN, []) == "b02"
    assert next_on_list(PLAN, OWN, [PastAssignment("b02", "excluded")]) == "b03"
    both = [PastAssignment("b02", "submitted"), PastAssignment("b03", "expired")]
    assert next_on_list(PLAN, OWN, both) is None


def test_somebody_without_a_list_gets_nothing():
    assert next_on_list(PLAN, None, []) is None
    assert next_on_list(CALIBRATED, None, []) is None


def test_shared_items_come_first_also_for_an_empty_list():
    shared = next(batch.id for batch in CALIBRATED.batches if batch.is_calibration)
    assert next_on_list(CALIBRATED, OWN, []) == shared
    assert next_on_list(CALIBRATED, (), []) == shared
    assert next_on_list(CALIBRATED, (), [PastAssignment(shared, "held")]) is None


@given(st.permutations([batch.id for batch in PLAN.batches]), st.sampled_from(STATUSES))
def test_a_list_is_worked_through_once_in_its_order(own, status):
    past: list[PastAssignment] = []
    while (batch := next_on_list(PLAN, own, past)) is not None:
        past.append(PastAssignment(batch, status))
    assert [each.batch for each in past] == list(own)
