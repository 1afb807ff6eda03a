"""How much work one reward stands for: minutes, rewards and people."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import ceil
from typing import Literal

from rejudge.design.duration import Duration, estimate
from rejudge.design.plan import Plan
from rejudge.study import Payment, Study

_MUCH_LONGER = 1.25  # from here on the longest batch is worth a word


@dataclass(frozen=True, slots=True)
class Workload:
    """What is paid for: so many rewards, each for so many minutes."""

    unit: Literal["batch", "participant"]  # a voucher is given once, for all batches of a person
    rewards: int  # how many are paid in all
    rewards_per_participant: int
    participants: int
    minutes: Decimal  # of work for one reward
    minutes_are: Literal["stated", "estimated"]
    calibration_minutes: Decimal  # before the first batch, paid on their own; 0 for a voucher
    duration: Duration
    notes: tuple[str, ...]

    @property
    def hours(self) -> Fraction:
        """The time of somebody who does all batches one person may do."""
        batches = Fraction(self.minutes) * self.rewards_per_participant
        return (batches + Fraction(self.calibration_minutes)) / 60


def workload(study: Study, plan: Plan) -> Workload:
    """The work of a plan, from the minutes that the study states or from those we estimate."""
    payment = study.spec.payment
    duration = estimate(study, plan)
    spent = _spent(payment, plan, duration)
    batches = max(1, min(plan.batches_per_participant, len(plan.main)))
    is_voucher = payment is not None and payment.kind == "voucher"
    whole = spent.first + spent.later * (batches - 1) + spent.calibration
    return Workload(
        unit="participant" if is_voucher else "batch",
        rewards=plan.people if is_voucher else plan.places,
        rewards_per_participant=1 if is_voucher else batches,
        participants=plan.people,
        minutes=_minutes(whole if is_voucher else spent.first, is_stated=spent.is_stated),
        minutes_are="stated" if spent.is_stated else "estimated",
        calibration_minutes=Decimal(0 if is_voucher else ceil(spent.calibration)),
        duration=duration,
        notes=_notes(spent, duration, batches if is_voucher else 1),
    )


@dataclass(frozen=True, slots=True)
class _Spent:
    """Exact minutes of one participant."""

    first: Fraction  # the first batch, with the pages before it
    later: Fraction  # each further batch
    calibration: Fraction
    is_stated: bool


def _spent(payment: Payment | None, plan: Plan, duration: Duration) -> _Spent:
    if payment is None or payment.minutes is None:
        later = Fraction(duration.parts.reading + duration.parts.deciding)
        calibration = Fraction(duration.calibration or 0)
        return _Spent(Fraction(duration.minutes), later, calibration, is_stated=False)
    each = Fraction(str(payment.minutes))
    usual = statistics.median_low([len(batch.tasks) for batch in plan.main] or [1]) or 1
    extra = sum(len(batch.tasks) for batch in plan.batches if batch.is_calibration)
    return _Spent(each, each, each * extra / usual, is_stated=True)


def _minutes(exact: Fraction, *, is_stated: bool) -> Decimal:
    """Stated minutes as they are; an estimate is no finer than a whole minute, and rounded up."""
    decimal = Decimal(exact.numerator) / Decimal(exact.denominator)
    return decimal if is_stated and Fraction(decimal) == exact else Decimal(ceil(exact))


def _notes(spent: _Spent, duration: Duration, batches: int) -> tuple[str, ...]:
    notes = []
    if not spent.is_stated:
        notes.append(
            f"Minutes are estimated ({duration.minutes:.1f} per batch, rounded up), for "
            "`payment.minutes` is not given. Try a few people and state what they needed."
        )
        if duration.longest > _MUCH_LONGER * duration.minutes:
            notes.append(f"The longest batch takes about {duration.longest:.0f} minutes.")
    elif spent.calibration:
        notes.append("The calibration is counted with as many minutes per task as a batch.")
    if batches > 1:
        notes.append(f"A voucher is given once, for all {batches} batches of a participant.")
    return tuple(notes)
