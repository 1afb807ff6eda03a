"""Classical tests: t tests, one-way analysis of variance, Kruskal–Wallis, Levene.

They are here so that published analyses can be repeated. All assume independent values or pairs.
Judgments are rarely independent: several concern one item, several come from one participant, and
tests that ignore this have several times their nominal false-positive rate. For judgments use
`clustered` estimates or a mixed model; use these for one value per item, or to repeat a paper.

One-sided tests need a direction that was fixed before the data were collected. A one-sided p is
half the two-sided p where the difference points in the expected direction, so choosing the
direction after seeing the data doubles the false-positive rate.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, get_args

import numpy as np

from rejudge.errors import DataError, require_known
from rejudge.stats.arrays import Codes, Numbers, is_negligible, refuse_missing, scale_of
from rejudge.stats.estimate import Interval
from rejudge.stats.testing.effect_sizes import (
    NO_VARIATION,
    TOO_FEW,
    TOO_FEW_PAIRS,
    Effect,
    Summary,
    cohen_d_from_summary,
    cohen_dz,
    eta_squared,
    omega_squared,
    pooled_sd,
    sums_of_squares,
)

Alternative: TypeAlias = Literal["two-sided", "greater", "less"]
_NEEDS_SPREAD = (
    "Undefined: with unequal variances every group needs two or more values that are not all equal."
)


@dataclass(frozen=True, slots=True)
class Contrast:
    """A difference, first minus second, and its test. None if undefined; `note` says why."""

    value: float | None
    n: tuple[int, int]  # values of each group; a pair counts in both
    method: str
    statistic: float | None = None
    df: float | None = None
    p: float | None = None  # two-sided, or as `alternative` says
    interval: Interval | None = None  # of the difference
    effect: Effect | None = None
    note: str = ""
    standard_error: float | None = None  # of the difference, where the statistic is t
    alternative: Alternative = "two-sided"  # greater: that the first is higher


def t_test(
    first: Numbers,
    second: Numbers,
    *,
    equal_variances: bool = True,
    alternative: Alternative = "two-sided",
    level: float = 0.95,
) -> Contrast:
    """Difference of two independent means: Student's pooled t, or Welch's (1947) without.

    Assumes independent values, near-normal means, and for the pooled test one common variance. Not
    for judgments that share items or participants, nor for two scores of the same things. With a
    one-sided `alternative` only p changes; the interval stays two-sided.
    """
    return t_test_from_summary(
        Summary.of(np.asarray(first)),
        Summary.of(np.asarray(second)),
        equal_variances=equal_variances,
        alternative=alternative,
        level=level,
    )


def t_test_from_summary(
    first: Summary,
    second: Summary,
    *,
    equal_variances: bool = True,
    alternative: Alternative = "two-sided",
    level: float = 0.95,
) -> Contrast:
    """The same test from what a paper prints: means, SDs and numbers of values.

    Printed means are rounded; with two decimals the statistic can move in its second digit.
    """
    method = "Student's t" if equal_variances else "Welch's t"
    n = (first.n, second.n)
    value = first.mean - second.mean if min(n) else None
    shell = Contrast(value, n, method, alternative=alternative)
    if min(n) < 2:
        return replace(shell, note=TOO_FEW)
    if not (first.varies or second.varies):
        return replace(shell, note=NO_VARIATION)
    error, df = standard_error(first, second, equal_variances=equal_variances)
    effect = cohen_d_from_summary(first, second, level=level)
    return _test(first.mean - second.mean, error, df, replace(shell, effect=effect), level=level)


def paired_t_test(
    first: Numbers,
    second: Numbers,
    *,
    alternative: Alternative = "two-sided",
    level: float = 0.95,
) -> Contrast:
    """Mean difference of pairs, for example the same item scored for two systems.

    Assumes independent pairs with near-normal mean differences. Not where several pairs share an
    item or a participant: average them first, or use a mixed model.
    """
    require_pairs(first, second)
    change = Summary.of_changes(first, second)
    n, method = (change.n, change.n), "paired t"
    value = change.mean if change.n else None
    shell = Contrast(value, n, method, alternative=alternative)
    if change.n < 2:
        return replace(shell, note=TOO_FEW_PAIRS)
    if not change.varies:
        return replace(shell, note=NO_VARIATION)
    effect = cohen_dz(first, second, level=level)
    error = change.sd / math.sqrt(change.n)
    return _test(change.mean, error, change.n - 1, replace(shell, effect=effect), level=level)


def standard_error(
    first: Summary, second: Summary, *, equal_variances: bool
) -> tuple[float, float]:
    """Of the difference of two means, with its degrees of freedom."""
    if equal_variances:
        return (
            pooled_sd(first, second) * math.sqrt(1 / first.n + 1 / second.n),
            first.n + second.n - 2,
        )
    parts = first.sd**2 / first.n, second.sd**2 / second.n
    total = sum(parts)
    df = total**2 / (parts[0] ** 2 / (first.n - 1) + parts[1] ** 2 / (second.n - 1))
    return math.sqrt(total), df


def require_pairs(first: Numbers, second: Numbers) -> None:
    """Two lists are pairs only if they are of one length."""
    if len(first) != len(second):
        raise DataError(
            f"A paired test needs as many values on either side, got {len(first)} and "
            f"{len(second)}. Leave out what has no partner first."
        )


def _test(
    difference: float, error: float, df: float, contrast: Contrast, *, level: float
) -> Contrast:
    from scipy.special import stdtr, stdtrit

    t = difference / error
    reach = float(stdtrit(df, (1 + level) / 2)) * error
    p = min(1.0, 2 * float(stdtr(df, -abs(t))))
    return replace(
        contrast,
        value=difference,
        statistic=t,
        df=df,
        p=one_sided(p, difference, contrast.alternative),
        interval=Interval(difference - reach, difference + reach, level),
        standard_error=error,
    )


def one_sided(p: float | None, difference: float | None, alternative: Alternative) -> float | None:
    """The p of a test by t or z against a difference above 0 (`greater`) or below it (`less`).

    Exact from its two-sided p and the sign of the difference, since t and z are symmetric.
    """
    require_known(alternative, get_args(Alternative), option="alternative")
    if p is None or difference is None or alternative == "two-sided":
        return p
    points_there = difference > 0 if alternative == "greater" else difference < 0
    return p / 2 if points_there else 1 - p / 2


@dataclass(frozen=True, slots=True)
class Anova:
    """A test that all group means are equal. None if undefined; `note` says why."""

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
    """A test of several groups by ranks or by distances. None if undefined; see `note`."""

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

    It treats the values as independent draws, normal within groups. Do not use it where several
    judgments share an item or a participant: it then has far too many false positives; use a
    mixed model. Nor for preference scores in which each win is another's loss: those sum to zero
    within items, and 12 % are then significant at 5 %; use Friedman's or a repeated-measures test.
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
    """Test of equal variances: ANOVA of the distances from each group's median.

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
    """Rank test that several groups have the same location: H corrected for ties, with χ².

    For independent values; of shared items or participants use Friedman's test. The effect is
    η²_H = (H − k + 1) / (n − k) (Tomczak & Tomczak 2014).
    """
    from scipy.special import chdtrc

    numbers = np.asarray(value, dtype=np.float64)
    refuse_missing(numbers)
    n, k, method = len(numbers), len(np.unique(group)), "Kruskal–Wallis"
    if k < 2 or n <= k:
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
        if len(members) < 2 or is_negligible(float(np.ptp(members)), scale_of(members)):
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
