"""Reliability: generalizability theory, and whether people repeat their own judgments.

Generalizability theory (Cronbach, Gleser, Nanda & Rajaratnam 1972; Brennan 2001). A G study splits
the variance of single judgments by facet: systems, items, participants and their combinations. A
D study reports how reliably systems (or outputs) can be distinguished with given numbers of items
and participants. `self_consistency` compares the first and second judgment of the same unit by the
same person.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations, product
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from rejudge.errors import DataError, require_known
from rejudge.stats.agreement.alpha import (
    PercentAgreement,
    krippendorff_alpha,
    percent_agreement,
)
from rejudge.stats.agreement.disagreement import Level
from rejudge.stats.agreement.kappa import Weights, cohen_kappa, mean_kappa
from rejudge.stats.agreement.resampling import (
    Pairs,
    Reasons,
    left_out,
    pair_of,
    percentiles,
    unit_draws,
)
from rejudge.stats.arrays import Codes, Numbers, count_table, number_codes, refuse_missing
from rejudge.stats.correlations import Method, pair_correlations
from rejudge.stats.estimate import Estimate, Interval
from rejudge.stats.reasons import Reason, Why, WithReasons

_MOST_FACETS = 3
_MOST_GAPS = 2  # times as many codes as scores
_NOTHING = 1e-12  # of the variance: zero but for rounding

_UNKNOWN = Why.NO_BOUND(
    "value", cause="the variance components cannot all be separated in this design"
)
_CONSTANT = Why.SAME(what="scores")
_FEW_LEVELS = 10
_FEWEST = 3  # units for a correlation


@dataclass(frozen=True, slots=True)
class VariancePart:
    """The variance that a facet, or a combination of facets, adds to a judgment."""

    facets: tuple[str, ...]  # all of them: their combination together with what is left
    variance: float | None  # None where it cannot be separated from others
    share: float | None = None  # of the variance of a single judgment
    note: str = ""  # it is written to files as it is


@dataclass(frozen=True, slots=True)
class GStudy(WithReasons):
    """The variance of single judgments, by facet."""

    facets: tuple[str, ...]
    levels: tuple[int, ...]  # of each facet
    parts: tuple[VariancePart, ...]
    n: int
    reasons: tuple[Reason, ...] = ()

    def variance(self, *facets: str) -> float | None:
        """Of a facet, or of a combination, in any order."""
        return next(part.variance for part in self.parts if set(part.facets) == set(facets))


@dataclass(frozen=True, slots=True)
class Reliability(WithReasons):
    """How reliably means over the other facets distinguish the levels of a facet."""

    of: str
    sizes: dict[str, int]  # levels of the other facets
    judgments: int  # of each level
    relative: float | None  # Eρ²: of their order
    absolute: float | None  # Φ: of their means as they are
    reasons: tuple[Reason, ...] = ()


def g_study(value: Numbers, facets: Mapping[str, Codes]) -> GStudy:
    """Split the variance of judgments by two or three crossed facets.

    From the mean squared difference of all pairs of judgments that share certain facets and no
    others: judgments that share A have the covariance of all effects within A (Koch 1968). In a
    complete table these are the estimates from mean squares. Nothing needs to be balanced, but
    where no two judgments share a set of facets alone, what depends on it is None.
    """
    refuse_missing(value)
    names = tuple(facets)
    if not 2 <= len(names) <= _MOST_FACETS:
        raise DataError(f"A G study needs two or three facets, got {len(names)}.")
    codes = [number_codes(each)[1] for each in facets.values()]
    levels = tuple(int(each.max()) + 1 if len(each) else 0 for each in codes)
    if not len(value) or float(np.ptp(value)) == 0:
        return GStudy(names, levels, (), len(value), (_CONSTANT,))
    shared = _covariances(value - float(value.mean()), codes)
    found = {subset: _variance(subset, shared) for subset in _subsets(len(names)) if subset}
    scale = _NOTHING * float(np.var(value))
    whole = sum(max(0.0, variance) for variance in found.values() if variance is not None)
    parts = tuple(
        _part(tuple(names[place] for place in subset), variance, whole=whole, nothing=scale)
        for subset, variance in found.items()
    )
    return GStudy(names, levels, parts, len(value))


def reliability(
    study: GStudy, of: str, sizes: Mapping[str, int], *, judgments: int | None = None
) -> Reliability:
    """Reliability of means of `of` over so many levels of each of the other facets, crossed.

        Eρ² = σ²(of) / (σ²(of) + σ²(δ))        Φ = σ²(of) / (σ²(of) + σ²(Δ))

    σ²(δ) sums the parts in which `of` is combined with others, each divided by how many levels of
    these are averaged; σ²(Δ) adds the parts without `of`, which shift all means alike if everybody
    judges the same, and do not if not. `judgments` is how many each level of `of` has where not
    everybody judges everything: parts that combine the other facets are divided by it instead.
    """
    others = tuple(name for name in study.facets if name != of)
    if of not in study.facets or set(sizes) != set(others) or min(sizes.values()) < 1:
        raise DataError(
            f"Reliability is of one of {', '.join(study.facets)}, "
            "with a size of 1 or more for each of the others."
        )
    wanted = {name: int(sizes[name]) for name in others}
    crossed = int(np.prod(list(wanted.values())))
    judgments = crossed if judgments is None else min(crossed, judgments)
    variances = [part.variance for part in study.parts]
    if not variances or None in variances:
        return Reliability(of, wanted, judgments, None, None, study.reasons or (_UNKNOWN,))
    true = relative = absolute = 0.0
    for part in study.parts:
        averaged = [wanted[name] for name in part.facets if name != of]
        is_whole = len(averaged) == len(others)
        variance = (part.variance or 0.0) / (judgments if is_whole else float(np.prod(averaged)))
        if part.facets == (of,):
            true = variance
        elif of in part.facets:
            relative += variance
        absolute += variance if part.facets != (of,) else 0.0
    few = study.levels[study.facets.index(of)]
    reasons = (Why.FEW_LEVELS(n=few, what=of),) if few < _FEW_LEVELS else ()
    return Reliability(
        of, wanted, judgments, _ratio(true, relative), _ratio(true, absolute), reasons
    )


def reliability_curve(
    study: GStudy, of: str, sizes: Mapping[str, Sequence[int]]
) -> tuple[Reliability, ...]:
    """A D study: the reliability for every combination of the sizes given for each facet."""
    names = tuple(sizes)
    return tuple(
        reliability(study, of, dict(zip(names, each, strict=True)))
        for each in product(*sizes.values())
    )


def _subsets(count: int) -> list[tuple[int, ...]]:
    places = range(count)
    return list(chain.from_iterable(combinations(places, size) for size in range(count + 1)))


def _covariances(value: Numbers, codes: Sequence[Codes]) -> dict[tuple[int, ...], float | None]:
    """The covariance of judgments that share a set of facets and no others, of each set; of all
    facets, the variance of a judgment. None where no two judgments do."""
    count = len(codes)
    at_least = {subset: _pairs(value, codes, subset) for subset in _subsets(count)}
    whole = tuple(range(count))
    exactly = {
        subset: sum(
            (-1) ** (len(other) - len(subset)) * at_least[other]
            for other in at_least
            if set(subset) <= set(other)
        )
        for subset in at_least
        if subset != whole
    }
    apart, pairs = exactly[()]
    if pairs <= 0:
        return dict.fromkeys(at_least)
    total = float(apart / pairs)
    found: dict[tuple[int, ...], float | None] = {
        subset: total - float(half / n) if n > 0 else None for subset, (half, n) in exactly.items()
    }
    return found | {(): 0.0, whole: total}


def _pairs(value: Numbers, codes: Sequence[Codes], subset: tuple[int, ...]) -> Numbers:
    """Half the squared differences of all ordered pairs that share these facets, and how many."""
    key, height = np.zeros(len(value), dtype=np.int64), 1
    for place in subset:
        levels = int(codes[place].max()) + 1
        key, height = key * levels + codes[place], height * levels
        if height > _MOST_GAPS * len(value):  # sorted only where counting would need much memory
            key = number_codes(key)[1]
            height = int(key.max()) + 1
    sizes = np.bincount(key).astype(np.float64)
    sums, squares = np.bincount(key, value), np.bincount(key, value**2)
    return np.array([float(sizes @ squares - sums @ sums), float(sizes @ sizes)])


def _variance(
    subset: tuple[int, ...], shared: Mapping[tuple[int, ...], float | None]
) -> float | None:
    """Of the effect of exactly these facets, from covariances by inclusion and exclusion."""
    inside = [each for each in shared if set(each) <= set(subset)]
    known = [shared[each] for each in inside]
    if None in known:
        return None
    return float(sum((-1) ** (len(subset) - len(each)) * (shared[each] or 0.0) for each in inside))


def _part(
    facets: tuple[str, ...], variance: float | None, *, whole: float, nothing: float
) -> VariancePart:
    if variance is None:
        reason = Why.NOT_SEPARABLE(
            what="its variance",
            other="others",
            cause=f"no two judgments share only {' and '.join(facets)}",
        )
        return VariancePart(facets, None, note=str(reason))
    kept = variance if variance > nothing else 0.0
    share = kept / whole if whole > 0 else None
    return VariancePart(facets, kept, share, str(Why.BELOW_ZERO()) if variance < -nothing else "")


def _ratio(true: float, error: float) -> float | None:
    return true / (true + error) if true + error > 0 else None


@dataclass(frozen=True, slots=True)
class Passes:
    """Row numbers of first and second judgments of the same unit by the same participant."""

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    later: int  # third and further judgments, left out


@dataclass(frozen=True, slots=True)
class SelfConsistency:
    """Agreement of the second pass with the first, by the coefficients used between people."""

    n: int  # units judged twice
    percent: PercentAgreement
    alpha: Estimate
    kappa: Estimate  # unweighted for nominal values, with quadratic weights for all others
    correlation: Estimate
    mean_change: float | None  # second minus first; None for nominal values


def find_passes(unit: Codes, participant: Codes, attempt: Codes) -> Passes:
    """Find units that were judged twice by the same person; `attempt` gives the order."""
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
    """Compare the first judgments of units with the second judgments of the same units.

    Give the rows of one participant, found by `passes`. All intervals resample units: they hold
    for this participant and other units.
    """
    require_known(measured, get_args(Level), option="measured")
    n = len(first)
    table = count_table(np.tile(np.arange(n), 2), np.concatenate([first, second]))
    is_named = measured == "nominal"
    resample = _Resample(pair_of(first, second), n, rng, replicates, level)
    return SelfConsistency(
        n,
        percent=percent_agreement(table, level=level),
        alpha=krippendorff_alpha(table, measured, rng=rng, level=level, replicates=replicates),
        kappa=_kappa(first, second, "none" if is_named else "quadratic", resample),
        correlation=Estimate(None, n, counted="units", reasons=(Why.NO_ORDER(),))
        if is_named
        else _correlation(resample, method),
        mean_change=float(np.mean(second - first)) if n and not is_named else None,
    )


@dataclass(frozen=True, slots=True)
class _Resample:
    """How units are resampled for the statistics of one pair of passes."""

    pairs: Pairs
    n: int
    rng: np.random.Generator
    replicates: int
    level: float

    def interval(self, statistic: Callable[[Numbers], float]) -> tuple[Interval | None, Reasons]:
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
        if self.n < 2 or not len(defined):
            return None, (Why.NEEDS("interval", least="two", what="units"),)
        undefined = len(drawn) - len(defined)
        interval, reasons = percentiles(defined, level=self.level)
        return interval, (*reasons, *left_out(undefined, self.replicates))


def _kappa(first: Numbers, second: Numbers, weights: Weights, resample: _Resample) -> Estimate:
    found = cohen_kappa(first, second, weights=weights, level=resample.level)
    if found.value is None:
        return found
    interval, reasons = resample.interval(lambda units: mean_kappa(resample.pairs, units, weights))
    return replace(found, interval=interval, reasons=reasons)


def _correlation(resample: _Resample, method: Method) -> Estimate:
    n, pairs = resample.n, resample.pairs
    if n < _FEWEST:
        return Estimate(None, n, counted="units", reasons=(Why.NEEDS(least="three", what="units"),))

    def statistic(units: Numbers) -> float:
        return float(pair_correlations(pairs, pairs.weights(units), method)[0])

    value = statistic(np.ones(n))
    if np.isnan(value):
        return Estimate(None, n, counted="units", reasons=(Why.SAME(what="values of one pass"),))
    interval, reasons = resample.interval(statistic)
    return Estimate(value, n, interval=interval, counted="units", reasons=reasons)
