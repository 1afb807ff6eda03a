"""Whether people say the same when they judge the same thing again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rejudge.stats.agreement import (
    Agreement,
    PercentAgreement,
    krippendorff_alpha,
    percent_agreement,
)
from rejudge.stats.alpha import Level
from rejudge.stats.clusters import Codes, Interval, Numbers
from rejudge.stats.counting import count_table
from rejudge.stats.crossing import Pairs, pair_of
from rejudge.stats.kappa import Kappa, Weights, cohen_kappa, mean_kappa
from rejudge.stats.participants import Correlated, Method, pair_correlations
from rejudge.stats.resampling import joined, percentiles, unit_draws

_FEWEST = 3  # units for a correlation
_NAMES = "Undefined: nominal values have no order."
_CONSTANT = "Undefined: one of the passes has one value only."


@dataclass(frozen=True, slots=True)
class Passes:
    """Row numbers of first and second judgments of the same unit by the same participant."""

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    later: int  # third and further judgments, left out


@dataclass(frozen=True, slots=True)
class SelfConsistency:
    """How far the second pass agrees with the first, by the coefficients used between people."""

    n: int  # units judged twice
    percent: PercentAgreement
    alpha: Agreement
    kappa: Kappa  # unweighted for nominal values, with quadratic weights for all others
    correlation: Correlated
    mean_change: float | None  # second minus first; None for nominal values


def passes(unit: Codes, participant: Codes, attempt: Codes) -> Passes:
    """Find who judged what twice; the order of passes goes by `attempt`."""
    order = np.lexsort((attempt, unit, participant))
    same = (unit[order][1:] == unit[order][:-1]) & (
        participant[order][1:] == participant[order][:-1]
    )
    again = np.concatenate([[False], same])[: len(order)]
    third = again & np.concatenate([[False], again[:-1]])[: len(order)]
    second = np.flatnonzero(again & ~third)
    return Passes(order[second - 1], order[second], int(np.count_nonzero(third)))


def self_consistency(
    first: Numbers,
    second: Numbers,
    *,
    measured: Level,
    rng: np.random.Generator,
    method: Method = "spearman",
    level: float = 0.95,
    replicates: int = 1000,
) -> SelfConsistency:
    """Compare what was said in the first pass with what was said of the same units in the second.

    Give the rows of one participant, found by `passes`. All intervals resample units: they speak
    for this participant and other units.
    """
    n = len(first)
    table = count_table(np.tile(np.arange(n), 2), np.concatenate([first, second]))
    is_named = measured == "nominal"
    resample = _Resample(pair_of(first, second), n, rng, replicates, level)
    return SelfConsistency(
        n,
        percent=percent_agreement(table, level=level),
        alpha=krippendorff_alpha(table, measured, rng=rng, level=level, replicates=replicates),
        kappa=_kappa(first, second, "none" if is_named else "quadratic", resample),
        correlation=Correlated(method, None, n, note=_NAMES)
        if is_named
        else _correlation(resample, method),
        mean_change=float(np.mean(second - first)) if n and not is_named else None,
    )


@dataclass(frozen=True, slots=True)
class _Resample:
    """How units are drawn anew for the statistics of one pair of passes."""

    pairs: Pairs
    n: int
    rng: np.random.Generator
    replicates: int
    level: float

    def interval(self, statistic: Callable[[Numbers], float]) -> tuple[Interval | None, str]:
        """The interval of a statistic of how often each unit was drawn."""
        each = np.ones(self.n, dtype=np.int64)
        drawn = np.array(
            [
                statistic(row)
                for block in unit_draws(each, self.rng, self.replicates)
                for row in block
            ]
        )
        defined = drawn[~np.isnan(drawn)]
        if self.n < 2 or not len(defined):  # noqa: PLR2004 - nothing to be resampled with
            return None, "No interval: it needs at least two units."
        undefined = len(drawn) - len(defined)
        note = f"{undefined} of {self.replicates} resamples were undefined; left out."
        interval, reason = percentiles(defined, level=self.level)
        return interval, joined(reason, note if undefined else "")


def _kappa(first: Numbers, second: Numbers, weights: Weights, resample: _Resample) -> Kappa:
    found = cohen_kappa(first, second, weights=weights, level=resample.level)
    if found.value is None:
        return found
    interval, note = resample.interval(lambda units: mean_kappa(resample.pairs, units, weights))
    return Kappa(found.value, found.n, interval, found.standard_error, note)


def _correlation(resample: _Resample, method: Method) -> Correlated:
    n, pairs = resample.n, resample.pairs
    if n < _FEWEST:
        return Correlated(method, None, n, note=f"Undefined: fewer than {_FEWEST} units.")

    def statistic(units: Numbers) -> float:
        return float(pair_correlations(pairs, pairs.weights(units), method)[0])

    value = statistic(np.ones(n))
    if np.isnan(value):
        return Correlated(method, None, n, note=_CONSTANT)
    interval, note = resample.interval(statistic)
    return Correlated(method, value, n, interval, note)
