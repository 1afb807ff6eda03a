"""What participants earned per hour, from the batches they finished and the time they took."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from rejudge.collect.assignment import FINISHED, Status
from rejudge.design import Earnings, Plan, Quote, Stint, earned


class Worker(Protocol):
    """As much of a participant as decides about pay."""

    @property
    def statuses(self) -> Mapping[str, Status]:
        """The state of each batch they have or had."""

    @property
    def wall_minutes(self) -> float:
        """From arrival to the last sign of them, as platforms count time."""


def earned_by_clock(quote: Quote, plan: Plan, people: Sequence[Worker]) -> Earnings | None:
    """The hourly pay, by the clock, of those who finished; None where nobody did."""
    finished = [person for person in people if has_finished(person)]
    return earned(quote, [stint(person, plan, person.wall_minutes) for person in finished])


def has_finished(person: Worker) -> bool:
    """Whether somebody has finished everything they began."""
    statuses = list(person.statuses.values())
    return any(status in FINISHED for status in statuses) and "held" not in statuses


def stint(person: Worker, plan: Plan, minutes: float) -> Stint:
    """The work that somebody is paid for."""
    finished = [batch for batch, status in person.statuses.items() if status in FINISHED]
    own = [batch for batch in finished if not plan.batch[batch].is_calibration]
    return Stint(len(own), minutes, is_calibrated=len(own) < len(finished))
