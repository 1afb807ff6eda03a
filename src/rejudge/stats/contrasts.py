"""Two groups, or two scores of each thing: the classical t tests.

They stand here so that published analyses can be repeated. All of them take the values, or the
pairs, as independent. Judgments are seldom that: several concern one item, several come from one
participant, and tests that overlook it err several times as often as they say. Use `clustered`
estimates or a mixed model for judgments; use these for one value per item, or to repeat a paper.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from rejudge.errors import DataError
from rejudge.stats.alternative import Alternative, one_sided
from rejudge.stats.clusters import Interval, Numbers
from rejudge.stats.effects import (
    NO_VARIATION,
    TOO_FEW,
    TOO_FEW_PAIRS,
    Effect,
    Summary,
    cohen_d_from_summary,
    cohen_dz,
    pooled_sd,
)


@dataclass(frozen=True, slots=True)
class Contrast:
    """A difference, first minus second, and its test. Undefined is None, and `note` says why."""

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
    if min(n) < 2:  # noqa: PLR2004 - one value has no spread; the other group's is not borrowed
        return replace(shell, note=TOO_FEW)
    if not (first.varies or second.varies):
        return replace(shell, note=NO_VARIATION)
    error, df = standard_error(first, second, equal_variances=equal_variances)
    effect = cohen_d_from_summary(first, second, level=level)
    return _tested(first.mean - second.mean, error, df, replace(shell, effect=effect), level=level)


def paired_t_test(
    first: Numbers,
    second: Numbers,
    *,
    alternative: Alternative = "two-sided",
    level: float = 0.95,
) -> Contrast:
    """Mean difference of pairs: the same item scored for two systems, say.

    Assumes independent pairs with near-normal mean differences. Not where several pairs share an
    item or a participant: average them first, or use a mixed model.
    """
    require_pairs(first, second)
    change = Summary.of_changes(first, second)
    n, method = (change.n, change.n), "paired t"
    value = change.mean if change.n else None
    shell = Contrast(value, n, method, alternative=alternative)
    if change.n < 2:  # noqa: PLR2004 - one difference has no spread
        return replace(shell, note=TOO_FEW_PAIRS)
    if not change.varies:
        return replace(shell, note=NO_VARIATION)
    effect = cohen_dz(first, second, level=level)
    error = change.sd / math.sqrt(change.n)
    return _tested(change.mean, error, change.n - 1, replace(shell, effect=effect), level=level)


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


def _tested(
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
