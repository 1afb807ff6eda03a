"""The gate after calibration: who stands at it, and which studies have one."""

from __future__ import annotations

import pytest

from judged_study import drawn, small_study
from rejudge.collect.assignment import FINISHED, STATUSES, PastAssignment
from rejudge.collect.calibration_gate import CalibrationGate, has_gate, is_at_gate

CALIBRATION = {"calibration": 1}
PLAN = drawn(small_study(design=CALIBRATION))
SHARED = next(batch.id for batch in PLAN.batches if batch.is_calibration)
OWN = next(batch.id for batch in PLAN.batches if not batch.is_calibration)


@pytest.mark.parametrize(
    ("holds", "design", "expected"),
    [(True, CALIBRATION, True), (False, CALIBRATION, False), (True, {}, False)],
)
def test_a_gate_needs_calibration_and_the_wish_for_one(holds, design, expected):
    study = small_study(design=design, site={"hold_after_calibration": holds})
    assert has_gate(study, drawn(study)) is expected


@pytest.mark.parametrize("status", STATUSES)
def test_somebody_stands_at_the_gate_once_calibration_is_handed_in(status):
    assert is_at_gate(PLAN, [PastAssignment(SHARED, status)]) == (status in FINISHED)


def test_nobody_stands_there_before_or_after():
    assert not is_at_gate(PLAN, [])
    assert not is_at_gate(PLAN, [PastAssignment(SHARED, "submitted"), PastAssignment(OWN, "held")])
    assert not is_at_gate(drawn(small_study()), [])


def test_a_new_gate_is_nobodys_decision():
    gate = CalibrationGate(is_open=False)
    assert (gate.at, gate.who, gate.reason) == (None, "", "")
