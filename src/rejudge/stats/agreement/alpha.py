"""Percent agreement and Krippendorff's alpha, computed from counts.

The input is a table of units by values that counts how often each value was given. Units with the
same counts are interchangeable, so each kind of unit is stored once with its frequency. Resampling
units is then exactly a multinomial draw over kinds of unit, and costs the same for a thousand units
or ten million.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from rejudge.errors import require_known
from rejudge.stats.agreement.disagreement import (
    NO_PAIRS,
    Level,
    alphas,
    alphas_leaving_one_out,
    alphas_with_errors,
    alphas_with_influence,
)
from rejudge.stats.agreement.resampling import (
    CELLS,
    NO_WIDTH,
    CoefficientWithError,
    Reasons,
    interval_from_error,
    left_out,
    over_units,
    studentised_interval,
    unit_draws,
)
from rejudge.stats.arrays import CountTable, Numbers
from rejudge.stats.estimate import Estimate, Interval, t_half_width
from rejudge.stats.reasons import Why

if TYPE_CHECKING:
    from scipy.sparse import csr_array


NO_VARIATION = Why.ONE_VALUE(who="everybody")
_MOST_LEFT_OUT = 200_000_000  # items × kinds × values: beyond, no item is left out one by one
MANY_KINDS = 3_000  # of unit: from here on intervals need no resamples
OF_ERROR = Why.ANOTHER_METHOD(
    what="the interval comes from the standard error over units, because so many units differ"
)
ONE_UNIT = Why.NEEDS("interval", least="two", what="units judged by two or more participants")
ONE_ITEM = Why.NEEDS("interval", least="two", what="items with such units")
NOT_WITHOUT = Why.LEAVE_ONE_OUT(what="units")

# From rows of weights (how many units of each kind) to a coefficient and its error, one per row.
Statistic: TypeAlias = Callable[[Numbers], tuple[Numbers, Numbers]]


@dataclass(frozen=True, slots=True)
class PercentAgreement(Estimate):
    """Percent agreement: its mean over units is `value`, its mean over pairs is `per_pair`."""

    per_pair: float | None = None
    pairs: int = 0  # pairs of judgments of one unit


def percent_agreement(table: CountTable, *, level: float = 0.95) -> PercentAgreement:
    """How often two people who judged the same unit agree, in percent, averaged over units.

    Where units have different numbers of judgments, the mean over pairs of judgments, `per_pair`,
    differs from it, and the note says so. The intervals are of Student's t over units on the scale
    of log odds, for these participants; they cover better than resamples do (decision 8).
    """
    if not table.n:
        return PercentAgreement(None, counted="units", judgments=0, reasons=(NO_PAIRS,))
    parts = _percent_parts(table)
    value, interval, reasons = _share(table, *parts[0], level=level)
    per_pair = 100 * float(table.units @ parts[1][0]) / float(table.units @ parts[1][1])
    size = table.patterns.sum(axis=1)
    differ = len(np.unique(size)) > 1
    return PercentAgreement(
        value,
        table.n,
        interval=interval,
        counted="units",
        judgments=table.judgments,
        reasons=(*((Why.PER_PAIR(percent=per_pair),) if differ else ()), *reasons),
        per_pair=per_pair,
        pairs=int(table.units @ (size * (size - 1))) // 2,
    )


def krippendorff_alpha(
    table: CountTable,
    measured: Level,
    *,
    rng: np.random.Generator,
    level: float = 0.95,
    replicates: int = 2000,
) -> Estimate:
    """Agreement beyond chance: 1 is perfect, 0 is what chance gives (Krippendorff 2011).

    The interval resamples units and so holds for these participants and other items; each
    resample is divided by its own standard error (`resampling.studentised`), since percentiles
    cover too little with few units. (The resampling of pairs within units that some programs offer
    covers far less than it claims.) Where units belong to items, one item is left out at a time.
    """
    require_known(measured, get_args(Level), option="measured")
    value, reason = _alpha(table, measured)
    if value is None:
        return over_units(None, table.n, table.judgments, reasons=reason)
    interval, reasons = alpha_interval(table, measured, rng=rng, level=level, replicates=replicates)
    return over_units(value, table.n, table.judgments, interval, reasons=reasons)


def alpha_jackknife(table: CountTable, measured: Level, *, level: float = 0.95) -> Estimate:
    """Krippendorff's alpha with a jackknife interval over units, which needs no random numbers.

    Variance (n−1)/n · Σ_u (α₋ᵤ − their mean)² over the n units, Student's t on n−1 degrees of
    freedom (Efron 1982); for these participants. Units of one kind are computed once. Where units
    belong to items, one item is left out at a time.
    """
    require_known(measured, get_args(Level), option="measured")
    value, reason = _alpha(table, measured)
    if value is None:
        return over_units(None, table.n, table.judgments, reasons=reason)
    interval, reasons = _left_out_interval(table, measured, value, level)
    return over_units(value, table.n, table.judgments, interval, reasons=reasons)


@dataclass(frozen=True, slots=True)
class LeaveOneOutAlphas:
    """Alpha without each unit, or without each item; NaN where it is undefined."""

    value: Numbers
    often: Numbers  # how many units each value represents

    @property
    def n(self) -> float:
        """Units or items."""
        return float(self.often.sum())

    def variance(self, transform: Callable[[Numbers], Numbers] | None = None) -> float:
        """The jackknife variance of alpha, or of transformed alpha."""
        value = self.value if transform is None else transform(self.value)
        off = value - float(self.often @ value) / self.n
        return (self.n - 1) / self.n * float(self.often @ off**2)


def alphas_without(table: CountTable, measured: Level) -> LeaveOneOutAlphas:
    """Alpha without one unit of each kind, or without each item if units belong to items."""
    if table.by_item is not None:
        without = _alphas_without_items(table, table.by_item, measured)
        return LeaveOneOutAlphas(without, np.ones(len(without)))
    often = table.units.astype(np.float64)
    if measured == "ordinal" and len(often) ** 2 * len(table.values) > _MOST_LEFT_OUT:
        value, influence = alphas_with_influence(table, observed(table), measured)
        return LeaveOneOutAlphas(np.asarray(value - influence[0]), often)
    return LeaveOneOutAlphas(alphas_leaving_one_out(table, measured), often)


def _left_out_interval(
    table: CountTable, measured: Level, value: float, level: float
) -> tuple[Interval | None, Reasons]:
    without = alphas_without(table, measured)
    if without.n < 2:
        return None, (ONE_UNIT if table.by_item is None else ONE_ITEM,)
    if np.isnan(without.value).any():
        return None, (NOT_WITHOUT.using(what="units" if table.by_item is None else "items"),)
    error = without.variance() ** 0.5
    if error <= 1e-12:
        return None, (NO_WIDTH,)
    reach = t_half_width(error, without.n - 1, level)
    return Interval(max(-1.0, value - reach), min(1.0, value + reach), level), ()


def _alphas_without_items(table: CountTable, by_item: csr_array, measured: Level) -> Numbers:
    """Alpha without the units of each item, in blocks of items.

    Of very many items and kinds of unit it is alpha minus the influence of the item's units, which
    differs by too little to be seen and takes seconds instead of hours.
    """
    items, kinds = by_item.shape
    if items * kinds * len(table.values) > _MOST_LEFT_OUT:
        value, influence = alphas_with_influence(table, observed(table), measured)
        return np.asarray(value - by_item @ influence[0])
    block = max(1, CELLS // max(kinds, 1))
    return np.concatenate(
        [
            alphas(table, table.units - by_item[start : start + block].toarray(), measured)
            for start in range(0, items, block)
        ]
    )


def percents(table: CountTable, weights: Numbers) -> Numbers:
    """Percent agreement over units and over pairs, one row per row of weights."""
    parts = _percent_parts(table)
    return np.column_stack([100 * (weights @ above) / (weights @ below) for above, below in parts])


def observed(table: CountTable) -> Numbers:
    """The weights of the observed units."""
    return table.units[np.newaxis, :].astype(np.float64)


def alpha_interval(
    table: CountTable,
    measured: Level,
    *,
    rng: np.random.Generator,
    level: float,
    replicates: int,
) -> tuple[Interval | None, Reasons]:
    """The interval of alpha from resampled units, or why there is none; and what was left out.

    Where units belong to items they resemble each other, and one item is left out at a time.
    """
    if table.by_item is not None:
        value = float(alphas(table, observed(table), measured)[0])
        return _left_out_interval(table, measured, value, level)
    statistic: Statistic = lambda units: alphas_with_errors(table, units, measured)  # noqa: E731
    return resampled_interval(table.units, statistic, rng=rng, level=level, replicates=replicates)


def resampled_interval(
    units: NDArray[np.int64],
    statistic: Statistic,
    *,
    rng: np.random.Generator,
    level: float,
    replicates: int,
) -> tuple[Interval | None, Reasons]:
    """The interval of a coefficient from resampled units of several kinds, or why there is none.

    Of very many kinds of unit (a slider judged by a crowd) the standard error of the whole is
    enough: what resamples would show beyond it is too small to be seen, and takes minutes.
    """
    if units.sum() < 2:
        return None, (ONE_UNIT,)
    whole = CoefficientWithError(*statistic(units[np.newaxis, :].astype(np.float64)))
    if len(units) > MANY_KINDS:
        interval, reason = interval_from_error(whole, level=level)
        return interval, reason or (OF_ERROR,)
    blocks = [statistic(draw) for draw in unit_draws(units, rng, replicates)]
    value, error = (np.concatenate(part) for part in zip(*blocks, strict=True))
    defined = ~np.isnan(value)
    undefined = replicates - int(defined.sum())
    lost = left_out(undefined, replicates)
    if not defined.any():
        return None, (*lost, ONE_UNIT)
    drawn = CoefficientWithError(value[defined], error[defined])
    interval, reason = studentised_interval(whole, drawn, level=level)
    return interval, (*lost, *reason)


def _share(
    table: CountTable, above: Numbers, below: Numbers, *, level: float
) -> tuple[float, Interval | None, Reasons]:
    """A ratio Σ above / Σ below over units of several kinds, in percent, with its interval.

    Its standard error is that of Σ (above − ratio·below) / Σ below over units, or over items if
    they belong to items, taken to log odds by the delta method; Student's t with one degree of
    freedom fewer than units or items.
    """
    from scipy.special import expit, logit, stdtrit

    total = float(table.units @ below)
    ratio = float(table.units @ above) / total
    off = above - ratio * below
    if table.by_item is None:
        n, squares = table.n, float(table.units @ off**2)
    else:
        n, squares = table.by_item.shape[0], float(np.sum((table.by_item @ off) ** 2))
    if n < 2:
        return 100 * ratio, None, (ONE_UNIT if table.by_item is None else ONE_ITEM,)
    error = (squares * n / (n - 1)) ** 0.5 / total
    if error <= 1e-12:
        return 100 * ratio, None, (NO_WIDTH,)
    reach = float(stdtrit(n - 1, (1 + level) / 2)) * error / (ratio * (1 - ratio))
    low, high = 100 * expit(logit(ratio) + np.array([-reach, reach]))
    return 100 * ratio, Interval(float(low), float(high), level), ()


def _percent_parts(table: CountTable) -> tuple[tuple[Numbers, Numbers], tuple[Numbers, Numbers]]:
    size = table.patterns.sum(axis=1)
    pairs = (size * (size - 1)).astype(np.float64)
    same = (table.patterns * (table.patterns - 1)).sum(axis=1).astype(np.float64)
    return (same / pairs, np.ones(len(size))), (same, pairs)


def _alpha(table: CountTable, measured: Level) -> tuple[float | None, Reasons]:
    if not table.n:
        return None, (NO_PAIRS,)
    value = float(alphas(table, observed(table), measured)[0])
    return (None, (NO_VARIATION,)) if np.isnan(value) else (value, ())
