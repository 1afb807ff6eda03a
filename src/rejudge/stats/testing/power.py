"""Power and sample size, and how wide an interval would be in a larger or smaller study.

An effect is given with its type, `CohenF`, `EtaSquared`, `CohenD` or `CohenDz`, and a size as
`per_group` or as `total`: mistaking eta² for f, or a group's size for the total, has spoilt
published power analyses. The formulas hold for independent values. Judgments that share items and
participants carry less information than their number suggests: simulate such a study instead. Power
at the observed effect adds nothing to its p value.

A cluster-robust interval narrows with more participants only as far as participants contribute to
its width: the contribution of items remains when more people judge the same items, and vice versa.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

from rejudge.errors import DataError, Problem
from rejudge.stats.clusters import ClusterPart, ClusterSums
from rejudge.stats.estimate import Estimate, t_interval
from rejudge.stats.reasons import Reason, Why, WithReasons
from rejudge.stats.roots import find_root
from rejudge.stats.testing.effects import noncentral_t_cdf

_MOST = 10_000_000.0  # values per group: a study larger than that is none
_AS_NORMAL = 1e9  # degrees of freedom at which t is normal to nine digits
_NO_INTERVAL = Why.NO_BOUND("value", cause="the study itself has no interval")
_ONE_CLUSTER = Why.NEEDS(least="two", what="items and two participants")
_UNKNOWN = Why.NO_BOUND("value", cause="the result would depend on a single item or participant")


@dataclass(frozen=True, slots=True)
class CohenF:
    """Spread of the group means over the spread within groups: √(η² / (1 − η²))."""

    value: float


@dataclass(frozen=True, slots=True)
class EtaSquared:
    """Share of variance between groups, from 0 to below 1."""

    value: float


@dataclass(frozen=True, slots=True)
class CohenD:
    """Difference of two independent means over their common SD."""

    value: float


@dataclass(frozen=True, slots=True)
class CohenDz:
    """Mean difference of pairs over the SD of the differences."""

    value: float


GroupEffect: TypeAlias = CohenF | EtaSquared | CohenD


@dataclass(frozen=True, slots=True)
class Power(WithReasons):
    """The probability that a test at `alpha` detects the effect. None if undefined."""

    value: float | None
    n: int  # in all; for pairs, the pairs
    alpha: float
    noncentrality: float | None = None
    df: tuple[float, float] | None = None
    reasons: tuple[Reason, ...] = ()


@dataclass(frozen=True, slots=True)
class SampleSize(WithReasons):
    """The smallest study of equal groups that reaches the power."""

    per_group: int | None  # for pairs, the pairs
    total: int | None
    power: float | None  # reached with whole groups
    total_unrounded: float | None = None  # where the power is met exactly
    reasons: tuple[Reason, ...] = ()


def anova_power(
    effect: GroupEffect,
    *,
    groups: int,
    per_group: int | None = None,
    total: int | None = None,
    alpha: float = 0.05,
) -> Power:
    """Power of a one-way ANOVA with equal groups: noncentral F with λ = f² · N (Cohen 1988)."""
    f = effect_f(effect, groups)
    size = _total(groups, per_group, total)
    if size <= groups:
        return Power(None, size, alpha, reasons=(_too_small(groups),))
    df = (groups - 1, size - groups)
    return Power(_f_power(f, groups, size, alpha), size, alpha, f * f * size, df)


def anova_sample_size(
    effect: GroupEffect, *, groups: int, power: float = 0.8, alpha: float = 0.05
) -> SampleSize:
    """How many values a one-way ANOVA of equal groups needs."""
    f = effect_f(effect, groups)
    found = _solve_size(
        lambda n: _f_power(f, groups, n * groups, alpha), power, least=1 + 1 / groups
    )
    return _sample_size(found, groups, lambda n: _f_power(f, groups, n * groups, alpha))


def t_test_power(
    effect: GroupEffect,
    *,
    per_group: int | None = None,
    total: int | None = None,
    alpha: float = 0.05,
) -> Power:
    """Power of the two-sided t test of two equal independent groups: noncentral t."""
    d = 2 * effect_f(effect, 2)
    size = _total(2, per_group, total)
    if size <= 2:
        return Power(None, size, alpha, reasons=(_too_small(2),))
    noncentrality, df = d * math.sqrt(size / 4), size - 2
    return Power(t_power(noncentrality, df, alpha), size, alpha, noncentrality, (1, df))


def t_test_sample_size(
    effect: GroupEffect, *, power: float = 0.8, alpha: float = 0.05
) -> SampleSize:
    """How many values each of two independent groups needs."""
    d = 2 * effect_f(effect, 2)

    def reached(n: float) -> float:
        return t_power(d * math.sqrt(n / 2), 2 * n - 2, alpha)

    return _sample_size(_solve_size(reached, power, least=1.5), 2, reached)


def paired_t_power(effect: CohenDz, *, pairs: int, alpha: float = 0.05) -> Power:
    """Power of the two-sided paired t test."""
    if pairs < 2:
        return Power(None, pairs, alpha, reasons=(Why.NEEDS(least="two", what="pairs"),))
    noncentrality, df = abs(effect.value) * math.sqrt(pairs), pairs - 1
    return Power(t_power(noncentrality, df, alpha), pairs, alpha, noncentrality, (1, df))


def paired_t_sample_size(effect: CohenDz, *, power: float = 0.8, alpha: float = 0.05) -> SampleSize:
    """How many pairs the two-sided paired t test needs."""

    def reached(n: float) -> float:
        return t_power(abs(effect.value) * math.sqrt(n), n - 1, alpha)

    return _sample_size(_solve_size(reached, power, least=1.5), 1, reached)


def smallest_detectable(
    standard_error: float,
    df: float | None,
    *,
    power: float = 0.8,
    alpha: float = 0.05,
    critical: float | None = None,
) -> float | None:
    """The smallest true difference that a two-sided t test detects with this power.

    The difference δ at which P(|T| > t) = power, T noncentral t with noncentrality
    δ / standard error: the minimum detectable effect, exact where Bloom (1995) adds two quantiles.
    The standard error is taken as known; `df` None means the normal distribution. A test with a
    critical value of its own, such as Tukey's q/√2, gives it as `critical`. None where no
    difference is large enough. It does not use the difference that was observed.
    """
    if not 0 < power < 1 or not 0 < alpha < 1:
        raise DataError(f"Power and alpha lie between 0 and 1, got {power} and {alpha}.")
    if not standard_error > 0 or (df is not None and not df > 0):
        raise DataError(f"It needs a positive error and df, got {standard_error} and {df}.")
    from scipy.special import stdtrit

    freedom = _AS_NORMAL if df is None else df
    beyond = float(stdtrit(freedom, 1 - alpha / 2)) if critical is None else critical
    found = _solve_size(lambda ratio: _t_beyond(beyond, freedom, ratio), power, least=1e-9)
    return None if found is None else found * standard_error


def effect_f(effect: GroupEffect, groups: int) -> float:
    """Cohen's f of an effect; a d, which compares two, is 2f and needs two groups."""
    if groups < 2:
        raise DataError(f"A comparison of groups needs two or more, got {groups}.")
    value = effect.value
    if isinstance(effect, EtaSquared):
        if not 0 <= value < 1:
            raise DataError(f"Eta² is a share of variance, 0 ≤ η² < 1, got {value}.")
        return math.sqrt(value / (1 - value))
    if not math.isfinite(value):
        raise DataError(f"An effect must be a finite number, got {value}.")
    if isinstance(effect, CohenF):
        if value < 0:
            raise DataError(f"Cohen's f cannot be negative, got {value}.")
        return value
    if groups != 2:
        raise DataError(
            f"Cohen's d compares two groups, and there are {groups}. Give a CohenF or EtaSquared."
        )
    return abs(value) / 2


def t_power(noncentrality: float, df: float, alpha: float) -> float:
    """Chance that |t| exceeds its two-sided critical value."""
    _refuse_alpha(alpha)
    from scipy.special import stdtrit

    return _t_beyond(float(stdtrit(df, 1 - alpha / 2)), df, noncentrality)


def _t_beyond(critical: float, df: float, noncentrality: float) -> float:
    above = 1 - noncentral_t_cdf(critical, df, noncentrality)
    return above + noncentral_t_cdf(-critical, df, noncentrality)


def _refuse_alpha(alpha: float) -> None:
    if not 0 < alpha < 1:
        raise DataError(Problem(f"alpha is {alpha}.", "Give a number between 0 and 1."))


def _f_power(f: float, groups: int, total: float, alpha: float) -> float:
    _refuse_alpha(alpha)
    from scipy.special import fdtri, ncfdtr

    df = groups - 1, total - groups
    critical = float(fdtri(*df, 1 - alpha))
    return 1 - float(ncfdtr(*df, f * f * total, critical))


def _total(groups: int, per_group: int | None, total: int | None) -> int:
    if (per_group is None) == (total is None):
        raise DataError(
            "Give the size once: per_group (values in each group) or total (values in all groups)."
        )
    return total if total is not None else (per_group or 0) * groups


def _too_small(groups: int) -> Reason:
    return Why.NEEDS(least=groups + 1, what="values in all")


def _solve_size(reached: Callable[[float], float], power: float, *, least: float) -> float | None:
    """The size at which the power is met; None where no study would be large enough."""
    if not 0 < power < 1:
        raise DataError(f"Power is a chance between 0 and 1, got {power}.")
    if reached(least) >= power:
        return least
    high = 2 * least
    while reached(high) < power:
        high *= 2
        if high > _MOST:
            return None
    return find_root(lambda n: reached(n) - power, least, high, xtol=1e-10)


def _sample_size(
    per_group: float | None, groups: int, reached: Callable[[float], float]
) -> SampleSize:
    if per_group is None:
        return SampleSize(
            None,
            None,
            None,
            reasons=(Why.NO_BOUND("value", cause="no study is large enough for it"),),
        )
    whole = max(2, math.ceil(per_group - 1e-9))
    return SampleSize(whole, whole * groups, reached(whole), per_group * groups)


@dataclass(frozen=True, slots=True)
class VarianceShares:
    """Variance of an estimate by where it comes from; None where the table cannot tell."""

    items: float | None
    participants: float | None
    rest: float | None


def with_participants(estimate: Estimate, participants: int, *, level: float = 0.95) -> Estimate:
    """The error with so many participants on the same items, each judging as much as now.

    Each judgment is taken as the sum of an effect of its item, one of its participant, and its own.
    With k times the participants, the cluster sums of `clustered` are expected to become

        V(cell) / k,   (V(participants) − V(cell)) / k + V(cell) / k,
        (V(items) − V(cell)) · (Σ nᵢ² − n/k) / (Σ nᵢ² − n) + V(cell) / k

    where item i has nᵢ of the n cells: pairs of different people who judged one item, which is all
    that V(items) − V(cell) holds, become more frequent. What residuals lose, 1 − 1/f of a factor f,
    is divided by k for participants, and (df + 1) is multiplied by k. Then the interval is made as
    by `clustered`.
    """
    bare = Estimate(estimate.value, items=estimate.items, participants=participants)
    if estimate.sums is None:
        return replace(bare, reasons=(_NO_INTERVAL,))
    made_of, k = estimate.sums, _times(participants, estimate.participants)
    reason = _not_larger(made_of.by_item, made_of, k, ("item", "participant"))
    if reason:
        return replace(bare, reasons=(reason,))
    larger = ClusterSums(
        by_item=_enlarge_clusters(made_of.by_item, made_of, k),
        by_participant=_add_clusters(made_of.by_participant, k),
        by_cell=made_of.by_cell / k,
        cells=round(made_of.cells * k),
    )
    return _resize(bare, larger, level)


def with_items(estimate: Estimate, items: int, *, level: float = 0.95) -> Estimate:
    """The error with so many items, each judged by as many of the same people as now.

    Each participant then judges more; see `with_participants`, with the roles exchanged.
    """
    bare = Estimate(estimate.value, items=items, participants=estimate.participants)
    if estimate.sums is None:
        return replace(bare, reasons=(_NO_INTERVAL,))
    made_of, k = estimate.sums, _times(items, estimate.items)
    reason = _not_larger(made_of.by_participant, made_of, k, ("participant", "item"))
    if reason:
        return replace(bare, reasons=(reason,))
    larger = ClusterSums(
        by_item=_add_clusters(made_of.by_item, k),
        by_participant=_enlarge_clusters(made_of.by_participant, made_of, k),
        by_cell=made_of.by_cell / k,
        cells=round(made_of.cells * k),
    )
    return _resize(bare, larger, level)


def _not_larger(
    same: ClusterPart, made_of: ClusterSums, k: float, names: tuple[str, str]
) -> Reason | None:
    """Why the error of another study is unknown in which clusters of one kind stay the same."""
    kept, added = names
    if same.pairs == made_of.cells and k != 1:
        return Why.NOT_SEPARABLE(
            what=f"the variance between {kept}s",
            other="the rest",
            cause=f"each {kept} has one {added}",
        )
    if made_of.cells * k < same.clusters:
        return Why.NO_BOUND("value", cause=f"so few judgments would not cover all {kept}s")
    return None


def variance_shares(estimate: Estimate) -> VarianceShares:
    """How much of an estimate's variance comes from items, from participants, and from the rest.

    By the same sums, so that a share can be negative, which means about none; it is then given
    as 0. Where every item (or participant) has one judgment, its share is unknown: None.
    """
    made_of = estimate.sums
    if made_of is None:
        return VarianceShares(None, None, None)
    items, people = (
        None
        if part.pairs == made_of.cells
        else max(0.0, (part.squares - made_of.by_cell) * _more_pairs(part, made_of, math.inf))
        for part in (made_of.by_item, made_of.by_participant)
    )
    squares = made_of.by_item.squares, made_of.by_participant.squares
    whole = max(sum(squares) - made_of.by_cell, *squares)
    return VarianceShares(items, people, max(0.0, whole - (items or 0.0) - (people or 0.0)))


def _times(wanted: int, now: int) -> float:
    if wanted < 1:
        raise DataError(f"A study needs at least one item and one participant, got {wanted}.")
    return wanted / now


def _enlarge_clusters(part: ClusterPart, made_of: ClusterSums, k: float) -> ClusterPart:
    """The same clusters, each with k times the cells."""
    shared = (part.squares - made_of.by_cell) * _more_pairs(part, made_of, k)
    return replace(part, squares=shared + made_of.by_cell / k)


def _add_clusters(part: ClusterPart, k: float) -> ClusterPart:
    """K times the clusters, each as it is."""
    seen = 1 - (1 - 1 / part.factor) / k
    return replace(
        part,
        squares=part.squares / k,
        factor=1 / seen if seen > 0 else math.inf,
        df=(part.df + 1) * k - 1,
        clusters=round(part.clusters * k),
    )


def _more_pairs(part: ClusterPart, made_of: ClusterSums, k: float) -> float:
    """By how much the mean product of two cells of one cluster counts for more."""
    if part.pairs == made_of.cells:
        return 1.0
    return (part.pairs - made_of.cells / k) / (part.pairs - made_of.cells)


def _resize(bare: Estimate, made_of: ClusterSums, level: float) -> Estimate:
    if min(bare.items, bare.participants) < 2:
        return replace(bare, reasons=(_ONE_CLUSTER,))
    if not made_of.is_known:
        return replace(bare, reasons=(_UNKNOWN,))
    error, value = math.sqrt(made_of.variance), bare.value or 0.0
    return replace(
        bare,
        interval=t_interval(value, error, made_of.df, level),
        standard_error=error,
        df=made_of.df,
    )


def critical_effect(sizes: tuple[int, int], *, alpha: float = 0.05) -> CohenD:
    """The smallest d that a study with groups of these sizes could have called significant.

    t(1 − alpha/2; n₁ + n₂ − 2) · √(1/n₁ + 1/n₂): a bound from a study one repeats (Lakens 2018).
    """
    from scipy.special import stdtrit

    if min(sizes) < 2:
        raise DataError(f"Each group of the earlier study has two or more values, got {sizes}.")
    critical = float(stdtrit(sum(sizes) - 2, 1 - alpha / 2))
    return CohenD(critical * math.sqrt(1 / sizes[0] + 1 / sizes[1]))
