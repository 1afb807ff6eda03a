"""A gate after calibration: everybody judges the shared items, and an owner opens the rest."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from rejudge.collect.assignment import FINISHED, PastAssignment
from rejudge.design import Plan
from rejudge.study import Study


@dataclass(frozen=True, slots=True)
class CalibrationGate:
    """Whether people may go on after calibration, and who decided that last."""

    is_open: bool
    at: datetime | None = None  # None: nobody has decided anything yet
    who: str = ""
    reason: str = ""


def has_gate(study: Study, plan: Plan) -> bool:
    """Whether people wait after calibration until an owner opens the rest."""
    is_wanted = study.spec.site.hold_after_calibration
    return is_wanted and any(batch.is_calibration for batch in plan.batches)


def is_at_gate(plan: Plan, past: Collection[PastAssignment]) -> bool:
    """Whether somebody is through with calibration and has had nothing else."""
    shared = {batch.id for batch in plan.batches if batch.is_calibration}
    done = {each.batch for each in past if each.status in FINISHED}
    return bool(shared) and shared <= done and {each.batch for each in past} <= shared
