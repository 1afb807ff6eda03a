"""What people earned per hour in truth, against what they were promised."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from rejudge.design.money import rounded_down, rounded_up
from rejudge.design.pay import Quote

MOST_PLAUSIBLE = 5  # times the promised pay: all work done in a fifth of the expected time


@dataclass(frozen=True, slots=True)
class Stint:
    """The work of one participant that is paid: so many batches in so many minutes."""

    batches: int
    minutes: float
    is_calibrated: bool = False  # the calibration is paid on top, once


@dataclass(frozen=True, slots=True)
class Earned:
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


def earned(quote: Quote, stints: Sequence[Stint]) -> Earned | None:
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
        owed = rounded_up(Fraction(quote.reward) * (Fraction(promised) / rate - 1), quote.currency)
    return Earned(quote.currency, rounded_down(rate, quote.currency), promised, owed, len(paid))


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
