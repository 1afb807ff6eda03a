"""Whether a printed mean or SD can come from so many ratings at all.

Ratings lie on a grid, so their sum does too, and a mean of n of them is a multiple of step / n:
GRIM (Brown & Heathers 2017). Their sum of squares is whole as well, and even or odd as the sum is:
GRIMMER (Anaya 2016; Allard 2018). Only what is impossible is called so: a mean that passes may
still be wrong.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

_MANY = 20_000  # sums that round to the printed mean: with so many, any mean and SD is possible
_SLACK = 1e-9  # of a step; what is printed is decimal, what computes is binary


@dataclass(frozen=True, slots=True)
class Ratings:
    """How many ratings there are, and the grid they lie on."""

    n: int
    low: float  # the lowest point of the scale
    step: float  # between neighbouring points
    points: int | None = None  # of the scale; None: unknown


@dataclass(frozen=True, slots=True)
class Grim:
    """Whether a mean can be, and the means next to it that can."""

    is_possible: bool
    below: float  # the nearest possible mean that is not above the printed one
    above: float
    could_fail: bool  # False: n is so large that every mean of so many decimals is possible


@dataclass(frozen=True, slots=True)
class Grimmer:
    """Whether an SD can belong to a mean, and the SDs (n − 1) next to it that can."""

    is_possible: bool
    below: float | None = None  # None: none is
    above: float | None = None
    could_fail: bool = True


def grim(mean: float, half_unit: float, ratings: Ratings) -> Grim:
    """Whether n ratings can have a mean that rounds to the printed one, whichever way halves go."""
    steps = (mean - ratings.low) / ratings.step * ratings.n  # the sum above the least, in steps
    below, above = math.floor(steps + _SLACK), math.ceil(steps - _SLACK)

    def as_mean(total: int) -> float:
        return ratings.low + total * ratings.step / ratings.n

    return Grim(
        bool(_totals(mean, half_unit, ratings)),
        as_mean(below),
        as_mean(above),
        could_fail=ratings.step / ratings.n > 2 * half_unit,
    )


def grimmer(
    mean: float, sd: float, ratings: Ratings, *, mean_half_unit: float, sd_half_unit: float
) -> Grimmer:
    """Whether n ratings with this mean can have this SD, by n − 1 or by n.

    Three conditions, each necessary: the sum of squares is a whole number of squared steps, it is
    even or odd as the sum is, and it lies between the least and the most that this sum allows.
    """
    totals = _totals(mean, mean_half_unit, ratings)
    if len(totals) > _MANY or ratings.n < 2:  # noqa: PLR2004 - one rating has no SD
        return Grimmer(True, could_fail=False)
    near: list[float] = []
    for total in totals:
        for divisor in (ratings.n - 1, ratings.n):
            low, high = (
                divisor * (max(0.0, each) / ratings.step) ** 2 + total * total / ratings.n
                for each in (sd - sd_half_unit, sd + sd_half_unit)
            )
            if _has_square_sum(low, high, total, ratings):
                return Grimmer(True)
        near += _neighbours(sd, total, ratings)
    return Grimmer(
        False,
        max((each for each in near if each <= sd), default=None),
        min((each for each in near if each > sd), default=None),
    )


def _totals(mean: float, half_unit: float, ratings: Ratings) -> range:
    """Sums above the least, in steps, of which the mean rounds to the printed one."""
    low, high = (
        (mean + side * half_unit - ratings.low) / ratings.step * ratings.n for side in (-1, 1)
    )
    most = None if ratings.points is None else (ratings.points - 1) * ratings.n
    first, last = max(0, math.ceil(low - _SLACK)), math.floor(high + _SLACK)
    return range(first, (last if most is None else min(last, most)) + 1)


def _has_square_sum(low: float, high: float, total: int, ratings: Ratings) -> bool:
    least, most = _square_sums(total, ratings)
    slack = _SLACK * max(1.0, high)
    first = max(least, math.ceil(low - slack))
    last = math.floor(high + slack) if most is None else min(most, math.floor(high + slack))
    first += (first - total) % 2  # k² is even or odd as k is
    return first <= last


def _square_sums(total: int, ratings: Ratings) -> tuple[int, int | None]:
    """The least sum of squares, all ratings alike, and the most, all at the ends of the scale."""
    base, over = divmod(total, ratings.n)
    least = (ratings.n - over) * base**2 + over * (base + 1) ** 2
    if ratings.points is None:
        return least, None
    top = ratings.points - 1
    full, rest = divmod(total, top)
    return least, full * top**2 + rest**2


def _neighbours(sd: float, total: int, ratings: Ratings) -> list[float]:
    """The SDs with n − 1 just below and above, for one sum."""
    least, most = _square_sums(total, ratings)
    squares = (ratings.n - 1) * (sd / ratings.step) ** 2 + total * total / ratings.n
    below = math.floor(squares)
    below -= (below - total) % 2
    return [
        ratings.step * math.sqrt(max(0.0, each - total * total / ratings.n) / (ratings.n - 1))
        for each in (below, below + 2)
        if each >= least and (most is None or each <= most)
    ]
