"""Fair pay: a reward that meets the highest of living wage, legal minimum and the study's own rate.

The rule is that of the ReproHum project. Money is counted in `Decimal` and rounded only where it is
paid: rewards always up, fees and taxes to the nearest unit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from fractions import Fraction
from math import ceil
from typing import Literal, TypeAlias

from rejudge.design.duration import Workload, workload
from rejudge.design.plan import Plan
from rejudge.design.wages import (
    Rates,
    Wage,
    WageKind,
    decimal_of,
    decimals,
    find_wage,
    known_rates,
    platform_fee,
    platform_floor,
    regions,
    round_down,
    round_to_currency,
    round_up,
)
from rejudge.errors import DesignError, Problem
from rejudge.study.conduct import Payment
from rejudge.study.model import Study

PayKind: TypeAlias = Literal["paid", "voucher", "credit", "unpaid", "unstated"]
FloorReason: TypeAlias = Literal["living wage", "minimum wage", "own rate", "platform minimum"]

_WITHOUT_FEE = ("link", "qualtrics", "spreadsheet")  # nobody takes a share of the rewards there


@dataclass(frozen=True, slots=True)
class HourlyFloor:
    """One reason why an hour must not bring less, in the currency of payment."""

    reason: FloorReason
    hourly: Decimal
    source: str
    wage: Wage | None = None  # the dated rate it comes from, where it is one


@dataclass(frozen=True, slots=True)
class Cost:
    """What a study costs, part by part."""

    rewards: Decimal
    calibration: Decimal
    fee: Decimal
    vat: Decimal

    @property
    def total(self) -> Decimal:
        """All parts together."""
        return self.rewards + self.calibration + self.fee + self.vat


@dataclass(frozen=True, slots=True)
class Quote:
    """What people get and what it costs; where no money is paid, the notes say why."""

    kind: PayKind
    work: Workload
    notes: tuple[str, ...]
    currency: str | None = None
    floors: tuple[HourlyFloor, ...] = ()
    reward: Decimal | None = None
    calibration_reward: Decimal | None = None  # on top, once per participant
    qualification_reward: Decimal | None = None  # of each person who does not pass
    effective_hourly: Decimal | None = None  # rounded down, so that it never promises too much
    is_below_floor: bool = False
    fee_percent: Decimal | None = None
    cost: Cost | None = None  # None where nobody is paid, or the platform's fee is not known

    @property
    def floor(self) -> HourlyFloor | None:
        """The highest of the floors, which decides."""
        return max(self.floors, key=lambda floor: floor.hourly, default=None)


def quote_price(study: Study, plan: Plan, *, on: date, rates: Rates | None = None) -> Quote:
    """What one reward must be on a day, and what all of them cost with fees.

    The day that the study states (`payment.date`) comes before the one that is given.
    """
    payment = study.spec.payment
    work = workload(study, plan)
    if payment is None or payment.kind in ("credit", "unpaid"):
        return _without_money(payment, work)
    on = payment.date or on
    known = rates or known_rates()
    platform = study.spec.recruitment.platform
    floors = _floors(payment, platform, on, known)
    highest = Fraction(max((floor.hourly for floor in floors), default=Decimal(0)))
    reward, calibration = _rewards(payment, work, highest)
    earned = Fraction(reward * work.rewards_per_participant + calibration)
    percent, fee_notes = _fee(payment, platform, known)
    return Quote(
        kind=payment.kind,
        work=work,
        notes=(
            *work.notes,
            *_wage_notes(floors, on),
            *_day_notes(payment, floors),
            *_calibration_notes(payment, work),
            *_qualification_notes(study, payment),
            *fee_notes,
        ),
        currency=payment.currency,
        floors=floors,
        reward=reward,
        calibration_reward=calibration or None,
        qualification_reward=_qualification_reward(study, payment, work, highest),
        effective_hourly=round_down(earned / work.hours, payment.currency),
        is_below_floor=earned < highest * work.hours,
        fee_percent=percent,
        cost=None if percent is None else _cost(payment, work, (reward, calibration), percent),
    )


def _without_money(payment: Payment | None, work: Workload) -> Quote:
    reasons = {
        "credit": "Participants get course credit, not money.",
        "unpaid": "Participants are not paid; the information letter should say so.",
        "unstated": "study.yaml says nothing about payment.",
    }
    kind: PayKind = "unstated" if payment is None else payment.kind
    return Quote(kind=kind, work=work, notes=(*work.notes, reasons[kind]))


def _floors(payment: Payment, platform: str, on: date, known: Rates) -> tuple[HourlyFloor, ...]:
    """Every reason for a least hourly rate; everything that is missing is reported at once."""
    floors: list[HourlyFloor] = []
    problems: list[Problem] = []
    asked: tuple[tuple[WageKind, str | None], ...] = (
        ("living", payment.living_wage),
        ("minimum", payment.minimum_wage),
    )
    for kind, region in asked:
        found = None if region is None else _wage_floor(payment, kind, (region, on), known)
        if isinstance(found, Problem):
            problems.append(found)
        elif found is not None:
            floors.append(found)
    if payment.hourly is not None:
        floors.append(HourlyFloor("own rate", decimal_of(payment.hourly), "payment.hourly"))
    if not floors and not problems and payment.reward is None:
        problems.append(_no_rule())
    if problems:
        raise DesignError(*problems)
    least = platform_floor(platform, payment.currency, rates=known)
    if least is not None:
        floors.append(HourlyFloor("platform minimum", least.minimum, least.source))
    return tuple(floors)


def _wage_floor(
    payment: Payment, kind: WageKind, where: tuple[str, date], known: Rates
) -> HourlyFloor | Problem:
    region, on = where
    wage = find_wage(region, kind, on, rates=known)
    if wage is None:
        return _unknown_wage(kind, region, on, known)
    if wage.currency == payment.currency:
        price = Decimal(1)
    elif wage.currency in payment.exchange:
        price = decimal_of(payment.exchange[wage.currency])
    else:
        return _no_exchange(wage, payment)
    source = f"{wage.currency} {wage.hourly} in {region} from {wage.valid_from}, {wage.source}"
    source += f" ({wage.note.removesuffix('.')})" if wage.note else ""
    reason: FloorReason = "living wage" if kind == "living" else "minimum wage"
    return HourlyFloor(reason, wage.hourly * price, source, wage)


def _rewards(payment: Payment, work: Workload, hourly: Fraction) -> tuple[Decimal, Decimal]:
    """The reward for one unit of work, and what is paid once for the calibration."""
    if payment.reward is not None:
        return _fixed_reward(payment.reward, payment.currency), Decimal(0)
    step = decimal_of(payment.round_up_to)
    each, calibration = (
        round_up(hourly * Fraction(minutes) / 60, payment.currency, multiple=step)
        for minutes in (work.minutes, work.calibration_minutes)
    )
    return each, calibration


def _qualification_reward(
    study: Study, payment: Payment, work: Workload, hourly: Fraction
) -> Decimal | None:
    """What those get who do not pass: as stated, or for the pages and all attempts by the hour."""
    asked = study.spec.qualification
    if asked is None:
        return None
    if asked.reward is not None:
        return _fixed_reward(asked.reward, payment.currency, field="qualification.reward")
    if not hourly:
        return None
    parts = work.duration.parts
    minutes = ceil(parts.once + (asked.attempts - 1) * parts.qualification)
    return round_up(hourly * minutes / 60, payment.currency)


def _qualification_notes(study: Study, payment: Payment) -> list[str]:
    asked = study.spec.qualification
    if asked is None:
        return []
    notes = ["People who do not pass the qualification are paid on top; how many is not known."]
    if payment.minutes is not None:
        notes.append("`payment.minutes` should include one attempt at the qualification.")
    return notes


def _fixed_reward(reward: float, currency: str, *, field: str = "payment.reward") -> Decimal:
    fixed = decimal_of(reward)
    if fixed != round_down(Fraction(fixed), currency):
        raise DesignError(
            Problem(
                f"{currency} {fixed} cannot be paid.",
                f"{currency} has {decimals(currency)} decimals.",
                file="study.yaml",
                field=field,
            )
        )
    return round_down(Fraction(fixed), currency)


def _fee(payment: Payment, platform: str, known: Rates) -> tuple[Decimal | None, tuple[str, ...]]:
    if payment.fee_percent is not None:
        return decimal_of(payment.fee_percent), ()
    if platform in _WITHOUT_FEE:
        return Decimal(0), ()
    fee = platform_fee(platform, rates=known)
    if fee is None:
        return None, (f"The fee of {platform} is not known; give `payment.fee_percent`.",)
    if fee.checked:
        return fee.percent, ()
    note = (
        f"The fee of {fee.percent:f} % is not verified ({fee.source}, as of {fee.as_of}). "
        f"{fee.note} Look it up and give `payment.fee_percent`."
    )
    return fee.percent, (note,)


def _cost(
    payment: Payment, work: Workload, rewards: tuple[Decimal, Decimal], percent: Decimal
) -> Cost:
    each, calibration = rewards
    paid, extra = each * work.rewards, calibration * work.participants
    fee = round_to_currency(Fraction(paid + extra) * Fraction(percent) / 100, payment.currency)
    vat = Fraction(fee) * Fraction(decimal_of(payment.vat_percent)) / 100
    return Cost(paid, extra, fee, round_to_currency(vat, payment.currency))


def _wage_notes(floors: tuple[HourlyFloor, ...], on: date) -> list[str]:
    notes = []
    for wage in (floor.wage for floor in floors if floor.wage is not None):
        name = f"The {wage.kind} wage of {wage.region} ({wage.currency} {wage.hourly})"
        if wage.due is not None and on >= wage.due:
            notes.append(
                f"{name} is from {wage.valid_from}; a newer one was due on {wage.due}. "
                "If there is one, give it as `payment.hourly`."
            )
        if not wage.checked:
            notes.append(f"{name} is not verified; look it up: {wage.source}.")
    return notes


def _day_notes(payment: Payment, floors: tuple[HourlyFloor, ...]) -> list[str]:
    if payment.date is None or not any(floor.wage for floor in floors):
        return []
    return [f"Wages are those of {payment.date} (payment.date)."]


def _calibration_notes(payment: Payment, work: Workload) -> list[str]:
    if payment.reward is None or not work.calibration_minutes:
        return []
    minutes = work.calibration_minutes
    return [f"The reward is fixed: {minutes} minutes of calibration are counted, but not paid."]


def _unknown_wage(kind: WageKind, region: str, on: date, known: Rates) -> Problem:
    return Problem(
        f"no {kind} wage is known for {region} on {on}.",
        f"The known regions are {', '.join(regions(kind, rates=known))}. Or give your own rate, "
        "such as `hourly: 15.00`.",
        file="study.yaml",
        field=f"payment.{kind}_wage",
    )


def _no_exchange(wage: Wage, payment: Payment) -> Problem:
    return Problem(
        f"the {wage.kind} wage of {wage.region} is in {wage.currency}, the payment in "
        f"{payment.currency}.",
        f"Say what 1 {wage.currency} costs in {payment.currency}, under `payment`: "
        f"`exchange: {{{wage.currency}: 1.00}}`, with the rate of the day instead of 1.00.",
        file="study.yaml",
        field="payment.exchange",
    )


def _no_rule() -> Problem:
    return Problem(
        "no hourly rate is given.",
        "Give one of `living_wage: GB`, `minimum_wage: NL`, `hourly: 15.00` or `reward: 2.00`.",
        file="study.yaml",
        field="payment",
    )


MOST_PLAUSIBLE = 5  # times the promised pay: all work done in a fifth of the expected time


@dataclass(frozen=True, slots=True)
class Stint:
    """The work of one participant that is paid: so many batches in so many minutes."""

    batches: int
    minutes: float
    is_calibrated: bool = False  # the calibration is paid on top, once


@dataclass(frozen=True, slots=True)
class Earnings:
    """What an hour brought in the middle, and what is owed where that is under the promise."""

    currency: str
    hourly: Decimal  # rounded down, so that it never claims too much
    promised: Decimal | None  # None: nothing was promised per hour
    top_up: Decimal | None  # for each reward, rounded up; None: the promise is kept
    people: int

    @property
    def is_plausible(self) -> bool:
        """Whether people can have worked so fast; far above the promise, the times are wrong."""
        return not self.promised or self.hourly <= MOST_PLAUSIBLE * self.promised


def promised_hourly(quote: Quote) -> Decimal | None:
    """What an hour is to bring: the highest floor, else the reward over the expected minutes."""
    return quote.effective_hourly if quote.floor is None else quote.floor.hourly


def hourly_earnings(quote: Quote, stints: Sequence[Stint]) -> Earnings | None:
    """The rate at which the middle participant was paid; None while nobody was.

    Platforms judge by the median time, so it is reward · 60 / median minutes where everybody did as
    much; elsewhere the median is that of minutes for one unit of money.
    """
    paid = [
        (amount, stint.minutes)
        for stint in stints
        if (amount := _amount(quote, stint)) and stint.minutes > 0
    ]
    if not paid or quote.currency is None or quote.reward is None:
        return None
    rate = 60 / _median(paid)
    promised = promised_hourly(quote)
    owed = None
    if promised is not None and rate < Fraction(promised):
        owed = round_up(Fraction(quote.reward) * (Fraction(promised) / rate - 1), quote.currency)
    return Earnings(quote.currency, round_down(rate, quote.currency), promised, owed, len(paid))


def _median(paid: Sequence[tuple[Fraction, float]]) -> Fraction:
    """The median of minutes for one unit of money: ordered as floats, for speed, then exact."""
    ordered = sorted(paid, key=lambda each: each[1] / float(each[0]))
    middle = ordered[(len(ordered) - 1) // 2 : len(ordered) // 2 + 1]
    return sum((Fraction(minutes) / amount for amount, minutes in middle), Fraction(0)) / len(
        middle
    )


def _amount(quote: Quote, stint: Stint) -> Fraction:
    if quote.reward is None or not stint.batches:
        return Fraction(0)
    rewards = 1 if quote.work.unit == "participant" else stint.batches
    extra = quote.calibration_reward if stint.is_calibrated else None
    return Fraction(quote.reward * rewards + (extra or 0))
