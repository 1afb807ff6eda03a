"""What printed figures must have been: p from a statistic, and how far rounding lets them go.

A printed number stands for all numbers that round to it. Each function here gives the range that
follows, so that only what lies outside need be called wrong.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from itertools import product
from typing import Literal, TypeAlias

import numpy as np

from rejudge.errors import DataError
from rejudge.stats.clusters import Interval, Numbers
from rejudge.stats.contrasts import standard_error
from rejudge.stats.correlation import EXACT_UP_TO, pearson, permutations, t_approximation
from rejudge.stats.effects import Summary, pooled_sd

TestStatistic: TypeAlias = Literal["t", "F", "chi2", "z", "r"]

_CERTAIN = 1.0  # the level of a range that follows from rounding alone
_CLOSE = 1e-9


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
    if not 2 < n <= EXACT_UP_TO:  # noqa: PLR2004 - two points lie on a line
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
