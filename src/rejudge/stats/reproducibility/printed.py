"""What follows from printed figures, and whether they are possible.

A printed number represents all numbers that round to it. `p_range` and similar functions return the
range that follows, so only what lies outside it is called wrong. `attainable` does the same for any
figure. `implied_error`, `difference_variance` and `cohen_d_with_error` estimate how uncertain a
difference is when only printed scores are known.

Ratings lie on a grid, so the mean of n of them is a multiple of step / n: GRIM (Brown & Heathers
2017). Their sum of squares is a whole number as well, and even or odd as the sum is: GRIMMER (Anaya
2016; Allard 2018). Only impossible values are reported; a mean that passes may still be wrong.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Literal, TypeAlias

import numpy as np

from rejudge.errors import DataError, Problem
from rejudge.stats.arrays import Numbers
from rejudge.stats.estimate import Effect, Interval, t_interval
from rejudge.stats.testing.classical import standard_error
from rejudge.stats.testing.effects import NO_VARIATION, TOO_FEW, Summary, pooled_sd
from rejudge.stats.testing.ranks import EXACT_UP_TO, pearson, permutations, t_approximation

TestStatistic: TypeAlias = Literal["t", "F", "chi2", "z", "r"]

_CERTAIN = 1.0  # the level of a range that follows from rounding alone
_CLOSE = 1e-9
_ROUNDING = 1e-9
_STEPS = (-1.0, -0.5, 0.0, 0.5, 1.0)  # in half units
_MOST_SWEEPS = 20
_GAIN = 1e-12
_MANY = 20_000  # sums that round to the printed mean: with so many, any mean and SD is possible
_SLACK = 1e-9  # of a step; what is printed is decimal, what computes is binary


def p_from_statistic(name: TestStatistic, value: float, df: Sequence[float] = ()) -> float:
    """The p value of a test statistic: two-sided for t, z and r, upper tail for F and χ².

    Degrees of freedom: one for t and χ², two for F, none for z, n − 2 for r.
    """
    from scipy.special import chdtrc, fdtrc, ndtr, stdtr

    _require_df(name, df)
    if name == "t":
        return min(1.0, 2 * float(stdtr(df[0], -abs(value))))
    if name == "z":
        return min(1.0, 2 * float(ndtr(-abs(value))))
    if name == "r":
        return t_approximation(max(-1.0, min(1.0, value)), round(df[0]) + 2)
    if value < 0:
        raise DataError(f"{name} cannot be negative, got {value:g}.")
    return float(fdtrc(df[0], df[1], value) if name == "F" else chdtrc(df[0], value))


def p_range(
    name: TestStatistic, value: float, half_unit: float, df: Sequence[float] = ()
) -> Interval:
    """The p values of all statistics that round to the printed one."""
    far = abs(value) + half_unit
    near = max(0.0, abs(value) - half_unit)
    if name == "r":
        far = min(1.0, far)
    return Interval(p_from_statistic(name, far, df), p_from_statistic(name, near, df), _CERTAIN)


def spearman_p_range(rho: float, half_unit: float, n: int) -> Interval | None:
    """The exact two-sided p values of all rank correlations of n values that round to rho.

    Counts all orders, without ties; None for more than nine values or where no rho fits.
    """
    if not 2 < n <= EXACT_UP_TO:
        return None
    reached = [(each, p) for each, p in _rho_chances(n) if abs(each - rho) <= half_unit + _CLOSE]
    if not reached:
        return None
    return Interval(min(p for _, p in reached), max(p for _, p in reached), _CERTAIN)


def pearson_range(
    x: Numbers, y: Numbers, *, x_half_unit: float = 0.0, y_half_unit: float = 0.0
) -> Interval | None:
    """Where the correlation may lie, given that each value was rounded; None where it is undefined.

    r is the cosine of the angle between the centred lists. Rounding moves a list of n by at most
    √n half units, and so turns it by at most asin(√n · half unit / length).
    """
    one, two = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    r = pearson(one, two).value
    if r is None:
        return None
    turn = 0.0
    for values, half in ((one, x_half_unit), (two, y_half_unit)):
        length = float(np.linalg.norm(values - values.mean()))
        turn += math.asin(min(1.0, half * math.sqrt(len(values)) / length))
    angle = math.acos(r)
    low, high = min(math.pi, angle + turn), max(0.0, angle - turn)
    return Interval(math.cos(low), math.cos(high), _CERTAIN)


def t_range(
    first: Summary,
    second: Summary,
    *,
    mean_half_unit: float,
    sd_half_unit: float,
    equal_variances: bool = True,
) -> Interval | None:
    """The t statistics of all means and SDs that round to the printed ones.

    None where both SDs may be 0: any t is possible then.
    """
    corners = _corners(first, second, sd_half_unit)
    if any(one.sd == two.sd == 0 for one, two in corners):
        return None
    return _ratio_range(
        first.mean - second.mean,
        2 * mean_half_unit,
        [standard_error(*pair, equal_variances=equal_variances)[0] for pair in corners],
    )


def cohen_d_range(
    first: Summary, second: Summary, *, mean_half_unit: float, sd_half_unit: float
) -> Interval | None:
    """Cohen's d, with the pooled SD, of all means and SDs that round to the printed ones."""
    return _ratio_range(
        first.mean - second.mean,
        2 * mean_half_unit,
        [pooled_sd(*pair) for pair in _corners(first, second, sd_half_unit)],
    )


def _require_df(name: TestStatistic, df: Sequence[float]) -> None:
    wanted = {"t": 1, "F": 2, "chi2": 1, "z": 0, "r": 1}[name]
    if len(df) != wanted or any(each <= 0 for each in df):
        raise DataError(f"{name} has {wanted} degrees of freedom above 0, got {list(df)}.")


def _corners(first: Summary, second: Summary, half: float) -> list[tuple[Summary, Summary]]:
    return [
        (
            Summary(first.mean, max(0.0, first.sd + one * half), first.n),
            Summary(second.mean, max(0.0, second.sd + two * half), second.n),
        )
        for one, two in product((-1, 1), repeat=2)
    ]


def _ratio_range(value: float, reach: float, spreads: list[float]) -> Interval | None:
    if min(spreads) <= 0:
        return None
    found = [(value + side) / spread for side in (-reach, reach) for spread in spreads]
    return Interval(min(found), max(found), _CERTAIN)


@cache
def _rho_chances(n: int) -> tuple[tuple[float, float], ...]:
    """Every rank correlation that n values without ties can have, with its exact two-sided p."""
    ranks = np.arange(n, dtype=np.float64)
    centred = ranks - ranks.mean()
    rhos = (ranks[permutations(n)] @ centred) / float(centred @ centred)
    values, counts = np.unique(np.round(rhos, 12), return_counts=True)
    far = np.abs(values)
    return tuple(
        (float(rho), float(counts[far >= abs(rho) - _CLOSE].sum()) / len(rhos)) for rho in values
    )


def win_sd(score: float) -> float:
    """The SD of wins (1) and losses (−1) whose mean is this: √(1 − score²), as if none was a tie.

    Where pairs of systems differ in how often the first wins, it is rather too large.
    """
    if abs(score) > 1 + _ROUNDING:
        raise DataError(
            Problem(
                f"A mean of wins (1) and losses (−1) lies between −1 and 1, not at {score:g}.",
                "Bring the score onto that scale first.",
            )
        )
    return math.sqrt(max(0.0, 1 - score**2))


def implied_error(interval: Interval) -> float:
    """The standard error implied by an interval that is symmetric and normal.

    One that was made with Student's t on few degrees of freedom gives too large an error.
    """
    from scipy.special import ndtri

    return (interval.high - interval.low) / 2 / float(ndtri((1 + interval.level) / 2))


def normal_interval(value: float, standard_error: float, *, level: float = 0.95) -> Interval:
    """The value plus and minus its standard error times the normal quantile."""
    from scipy.special import ndtri

    reach = float(ndtri((1 + level) / 2)) * standard_error
    return Interval(value - reach, value + reach, level)


def difference_variance(first: float, second: float, *, rivals: int | None = None) -> float:
    """The variance of the difference of two scores with these standard errors.

    Independent: s₁² + s₂². Where `rivals` systems were compared with each other, what one wins the
    others lose; equally often compared, their scores correlate by −1/(k − 1), and the variance is
    s₁² + s₂² + 2 s₁ s₂ / (k − 1).
    """
    if rivals is None:
        return first**2 + second**2
    if rivals < 2:
        raise DataError(f"Comparisons are between two systems or more, got {rivals}.")
    return first**2 + second**2 + 2 * first * second / (rivals - 1)


def cohen_d_with_error(
    first: Summary, second: Summary, *, error: float, df: float | None = None, level: float = 0.95
) -> Effect:
    """Cohen's d of two groups whose difference of means has this standard error.

    For values that share items or participants, where the exact interval is too narrow:
    d ± t(df) √((error / SD)² + d² / (2n)), the variance of `standardised_difference` for d. Without
    `df` the normal distribution replaces t.
    """
    n = first.n + second.n
    if min(first.n, second.n) < 2:
        return Effect(None, "d", n, reasons=(TOO_FEW,))
    if not (first.varies or second.varies):
        return Effect(None, "d", n, reasons=(NO_VARIATION,))
    sd = pooled_sd(first, second)
    d = (first.mean - second.mean) / sd
    spread = math.sqrt((error / sd) ** 2 + d**2 / (2 * n))
    if df is None:
        return Effect(d, "d", n, normal_interval(d, spread, level=level))
    return Effect(d, "d", n, t_interval(d, spread, df, level))


def attainable_range(
    figure: Callable[[Numbers], float | None], printed: Numbers, half_units: Numbers
) -> Interval | None:
    """Lowest and highest value found of a figure, over inputs that round to the printed ones.

    Inputs are moved one at a time, by up to half a unit of their last digit, as long as that helps.
    Both ends are attained by inputs that would be printed alike, so a published figure between them
    is possible; the true ends may lie a little farther out. None where the figure is undefined.
    """
    start = np.asarray(printed, dtype=np.float64)
    half = np.asarray(half_units, dtype=np.float64)
    if figure(start) is None:
        return None
    return Interval(-_highest(figure, start, half, -1.0), _highest(figure, start, half, 1.0), 1.0)


def _highest(
    figure: Callable[[Numbers], float | None], start: Numbers, half: Numbers, sign: float
) -> float:
    def worth(inputs: Numbers) -> float:
        value = figure(inputs)
        return -np.inf if value is None else sign * value

    best, most = start.copy(), worth(start)
    for _ in range(_MOST_SWEEPS):
        before = most
        for place in np.flatnonzero(half):
            for step in _STEPS:
                tried = best.copy()
                tried[place] = start[place] + step * half[place]
                reached = worth(tried)
                if reached > most + _GAIN:
                    best, most = tried, reached
        if most == before:
            break
    return float(most)


@dataclass(frozen=True, slots=True)
class Ratings:
    """How many ratings there are, and the grid they lie on."""

    n: int
    low: float  # the lowest point of the scale
    step: float  # between neighbouring points
    points: int | None = None  # of the scale; None: unknown


@dataclass(frozen=True, slots=True)
class Grim:
    """Whether a mean is possible, and the nearest possible means."""

    is_possible: bool
    below: float  # the nearest possible mean that is not above the printed one
    above: float
    could_fail: bool  # False: n is so large that every mean of so many decimals is possible


@dataclass(frozen=True, slots=True)
class Grimmer:
    """Whether an SD is possible for a mean, and the nearest possible SDs (n − 1)."""

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
    if len(totals) > _MANY or ratings.n < 2:
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
