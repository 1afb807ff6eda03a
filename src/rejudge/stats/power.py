"""How likely a study finds an effect of a given size, and how large it must be to find it.

An effect is given as what it is, `CohenF`, `EtaSquared`, `CohenD` or `CohenDz`, and a size as
`per_group` or as `total`: eta² taken for f, or a group's size for the total, has spoilt published
power analyses. The formulas hold for independent values. Judgments that share items and
participants carry less information than their number says: simulate such a study instead. Power
at the effect one has just observed says nothing that its p value does not.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from rejudge.errors import DataError
from rejudge.stats.effects import noncentral_t_cdf

_MOST = 10_000_000.0  # values per group: a study larger than that is none
_AS_NORMAL = 1e9  # degrees of freedom at which t is normal to nine digits


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
class Power:
    """The chance that a test at `alpha` finds the effect. Undefined is None; see `note`."""

    value: float | None
    n: int  # in all; for pairs, the pairs
    alpha: float
    noncentrality: float | None = None
    df: tuple[float, float] | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class SampleSize:
    """The smallest study of equal groups that reaches the power."""

    per_group: int | None  # for pairs, the pairs
    total: int | None
    power: float | None  # reached with whole groups
    total_unrounded: float | None = None  # where the power is met exactly
    note: str = ""


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
        return Power(None, size, alpha, note=_too_small(groups))
    df = (groups - 1, size - groups)
    return Power(_f_power(f, groups, size, alpha), size, alpha, f * f * size, df)


def anova_sample_size(
    effect: GroupEffect, *, groups: int, power: float = 0.8, alpha: float = 0.05
) -> SampleSize:
    """How many values a one-way ANOVA of equal groups needs."""
    f = effect_f(effect, groups)
    found = _solved(lambda n: _f_power(f, groups, n * groups, alpha), power, least=1 + 1 / groups)
    return _sized(found, groups, lambda n: _f_power(f, groups, n * groups, alpha))


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
    if size <= 2:  # noqa: PLR2004 - two values leave no degree of freedom
        return Power(None, size, alpha, note=_too_small(2))
    noncentrality, df = d * math.sqrt(size / 4), size - 2
    return Power(t_power(noncentrality, df, alpha), size, alpha, noncentrality, (1, df))


def t_test_sample_size(
    effect: GroupEffect, *, power: float = 0.8, alpha: float = 0.05
) -> SampleSize:
    """How many values each of two independent groups needs."""
    d = 2 * effect_f(effect, 2)

    def reached(n: float) -> float:
        return t_power(d * math.sqrt(n / 2), 2 * n - 2, alpha)

    return _sized(_solved(reached, power, least=1.5), 2, reached)


def paired_t_power(effect: CohenDz, *, pairs: int, alpha: float = 0.05) -> Power:
    """Power of the two-sided paired t test."""
    if pairs < 2:  # noqa: PLR2004 - one pair leaves no degree of freedom
        return Power(None, pairs, alpha, note="Undefined: it needs two or more pairs.")
    noncentrality, df = abs(effect.value) * math.sqrt(pairs), pairs - 1
    return Power(t_power(noncentrality, df, alpha), pairs, alpha, noncentrality, (1, df))


def paired_t_sample_size(effect: CohenDz, *, power: float = 0.8, alpha: float = 0.05) -> SampleSize:
    """How many pairs the two-sided paired t test needs."""

    def reached(n: float) -> float:
        return t_power(abs(effect.value) * math.sqrt(n), n - 1, alpha)

    return _sized(_solved(reached, power, least=1.5), 1, reached)


def smallest_detectable(
    standard_error: float,
    df: float | None,
    *,
    power: float = 0.8,
    alpha: float = 0.05,
    critical: float | None = None,
) -> float | None:
    """The smallest true difference that a two-sided t test finds with this power.

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
    found = _solved(lambda ratio: _t_beyond(beyond, freedom, ratio), power, least=1e-9)
    return None if found is None else found * standard_error


def effect_f(effect: GroupEffect, groups: int) -> float:
    """Cohen's f of an effect; a d, which compares two, is 2f and needs two groups."""
    if groups < 2:  # noqa: PLR2004 - a comparison needs two
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
    if groups != 2:  # noqa: PLR2004 - d compares two
        raise DataError(
            f"Cohen's d compares two groups, and there are {groups}. Give a CohenF or EtaSquared."
        )
    return abs(value) / 2


def t_power(noncentrality: float, df: float, alpha: float) -> float:
    """Chance that |t| exceeds its two-sided critical value."""
    from scipy.special import stdtrit

    return _t_beyond(float(stdtrit(df, 1 - alpha / 2)), df, noncentrality)


def _t_beyond(critical: float, df: float, noncentrality: float) -> float:
    above = 1 - noncentral_t_cdf(critical, df, noncentrality)
    return above + noncentral_t_cdf(-critical, df, noncentrality)


def _f_power(f: float, groups: int, total: float, alpha: float) -> float:
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


def _too_small(groups: int) -> str:
    return f"Undefined: {groups} groups need more than {groups} values in all."


def _solved(reached: Callable[[float], float], power: float, *, least: float) -> float | None:
    """The size at which the power is met; None where no study would be large enough."""
    from scipy.optimize import brentq

    if not 0 < power < 1:
        raise DataError(f"Power is a chance between 0 and 1, got {power}.")
    if reached(least) >= power:
        return least
    high = 2 * least
    while reached(high) < power:
        high *= 2
        if high > _MOST:
            return None
    return float(brentq(lambda n: reached(n) - power, least, high, xtol=1e-10))


def _sized(per_group: float | None, groups: int, reached: Callable[[float], float]) -> SampleSize:
    if per_group is None:
        return SampleSize(None, None, None, note="Undefined: no study is large enough for it.")
    whole = max(2, math.ceil(per_group - 1e-9))
    return SampleSize(whole, whole * groups, reached(whole), per_group * groups)
