"""Do several groups have one mean, one spread, one middle? One-way tests of independent values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rejudge.stats.clusters import Codes, Numbers
from rejudge.stats.effects import (
    Effect,
    eta_squared,
    omega_squared,
    sums_of_squares,
)
from rejudge.stats.missing import refuse_missing
from rejudge.stats.negligible import is_negligible, scale_of

_NEEDS_SPREAD = (
    "Undefined: with unequal variances every group needs two or more values that are not all equal."
)


@dataclass(frozen=True, slots=True)
class Anova:
    """A test that all group means are equal. Undefined is None, and `note` says why."""

    statistic: float | None  # F
    df: tuple[float, float] | None  # between, within
    p: float | None
    n: int
    groups: int  # that have values
    method: str
    between: float  # sum of squares
    within: float  # 〃
    eta_squared: Effect
    omega_squared: Effect
    note: str = ""


@dataclass(frozen=True, slots=True)
class GroupTest:
    """A test of several groups by ranks or by distances. Undefined is None; see `note`."""

    statistic: float | None
    df: tuple[float, ...] | None
    p: float | None
    n: int
    groups: int  # that have values
    method: str
    effect: Effect | None = None
    note: str = ""


def one_way_anova(
    value: Numbers, group: Codes, *, equal_variances: bool = True, level: float = 0.95
) -> Anova:
    """F of the variance between groups over that within; Welch's F (1951) for unequal variances.

    It takes the values as independent draws, normal within groups. Do not use it where several
    judgments share an item or a participant: with clusters it calls far too much significant; use a
    mixed model. Nor for preference scores in which each win is another's loss: those sum to zero
    within items, and a test at 5 % then errs in 12 %; use Friedman's or a repeated-measures test.
    The shares of variance are those of the classical analysis in either case.
    """
    numbers = np.asarray(value, dtype=np.float64)
    squares = sums_of_squares(numbers, group)
    method = "one-way ANOVA" if equal_variances else "Welch's ANOVA"
    parts = (
        squares.between,
        squares.within,
        eta_squared(numbers, group, level=level),
        omega_squared(numbers, group, level=level),
    )
    reason = squares.reason()
    if not reason and not equal_variances:
        reason = _unequal_reason(numbers, group)
    if reason:
        return Anova(None, None, None, squares.n, squares.groups, method, *parts, note=reason)
    df: tuple[float, float]
    f, df = (squares.f, squares.df) if equal_variances else _welch(numbers, group)
    return Anova(f, df, _upper_tail(f, df), squares.n, squares.groups, method, *parts)


def levene(value: Numbers, group: Codes) -> GroupTest:
    """Do groups spread equally? ANOVA of the distances from each group's median.

    Levene's test in the form of Brown & Forsythe (1974), for independent values.
    """
    numbers = np.asarray(value, dtype=np.float64)
    distance = np.zeros(len(numbers))
    for code in np.unique(group):
        members = group == code
        distance[members] = np.abs(numbers[members] - np.median(numbers[members]))
    squares = sums_of_squares(distance, group, scale=scale_of(numbers))
    method = "Brown–Forsythe"
    reason = squares.reason()
    if reason:
        return GroupTest(None, None, None, squares.n, squares.groups, method, note=reason)
    p = _upper_tail(squares.f, squares.df)
    return GroupTest(squares.f, squares.df, p, squares.n, squares.groups, method)


def kruskal_wallis(value: Numbers, group: Codes) -> GroupTest:
    """Do several groups lie at one height, by ranks? H with the correction for ties, on χ².

    For independent values; of shared items or participants use Friedman's test. The effect is
    η²_H = (H − k + 1) / (n − k) (Tomczak & Tomczak 2014).
    """
    from scipy.special import chdtrc

    numbers = np.asarray(value, dtype=np.float64)
    refuse_missing(numbers)
    n, k, method = len(numbers), len(np.unique(group)), "Kruskal–Wallis"
    if k < 2 or n <= k:  # noqa: PLR2004 - a comparison needs two
        reason = "Undefined: it needs two or more groups, and more values than groups."
        return GroupTest(None, None, None, n, k, method, note=reason)
    _, place, counts = np.unique(numbers, return_inverse=True, return_counts=True)
    if len(counts) == 1:
        reason = "Undefined: all values are equal."
        return GroupTest(None, None, None, n, k, method, note=reason)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[place]
    squares = sums_of_squares(ranks, group)
    h = (n - 1) * squares.between / (squares.between + squares.within)
    effect = Effect((h - k + 1) / (n - k), "eta²H", n)
    return GroupTest(h, (k - 1,), float(chdtrc(k - 1, h)), n, k, method, effect)


def _unequal_reason(value: Numbers, group: Codes) -> str:
    for code in np.unique(group):
        members = value[group == code]
        if len(members) < 2 or is_negligible(float(np.ptp(members)), scale_of(members)):  # noqa: PLR2004
            return _NEEDS_SPREAD
    return ""


def _welch(value: Numbers, group: Codes) -> tuple[float, tuple[float, float]]:
    """Welch (1951): groups weigh n/s²; F* and its approximate degrees of freedom."""
    members = [value[group == code] for code in np.unique(group)]
    k = len(members)
    n = np.array([len(each) for each in members], dtype=np.float64)
    mean = np.array([each.mean() for each in members])
    weight = n / np.array([each.var(ddof=1) for each in members])
    share = weight / weight.sum()
    between = float(weight @ (mean - share @ mean) ** 2) / (k - 1)
    slack = float(((1 - share) ** 2 / (n - 1)).sum())
    f = between / (1 + 2 * (k - 2) / (k * k - 1) * slack)
    return f, (k - 1, (k * k - 1) / (3 * slack))


def _upper_tail(f: float, df: tuple[float, float]) -> float:
    from scipy.special import fdtrc

    return float(fdtrc(*df, f))
