"""Cohen's kappa for two people, and Fleiss' kappa for a fixed number of people."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from rejudge.english import join_notes
from rejudge.errors import require_known
from rejudge.stats.agreement.alpha import (
    NO_VARIATION,
    ONE_ITEM,
    Agreement,
    alpha_interval,
    observed,
    percents,
    resampled_interval,
)
from rejudge.stats.agreement.disagreement import NO_PAIRS
from rejudge.stats.agreement.resampling import (
    Crossing,
    Pairs,
    cross_units,
    pair_of,
    pair_participants,
)
from rejudge.stats.arrays import Codes, CountTable, Numbers
from rejudge.stats.estimate import Interval, t_half_width

Weights: TypeAlias = Literal["none", "linear", "quadratic"]

# Shared units from which a pair counts in the mean. Kappa of few units is too low on average: by
# .65 of .65 with 1 unit, .16 with 2, .06 with 5, .02 with 10 and .01 with 20 (two values equally
# often; with five values and for kappas of .2 to .8 it is .03 or less from 10 on; 20,000 draws
# each). Where one value is given 9 times in 10 it still is .11 with 10 units and .05 with 30.
FEWEST_SHARED = 10
LEAST_HELD = 0.5  # of all pairs of judgments, by pairs of participants that count in the mean

_TINY = 1e-12  # zero but for rounding
_NO_UNITS = "Undefined: the two judged no unit in common."
_ONE_VALUE = "Undefined: both always gave the same value, so chance agreement is complete."
_NO_ERROR = "No interval: the standard error is 0, as with complete agreement."
_FEW_SHARED = (
    "Undefined: participants who share {} units or more account for {:.0f} % of all pairs of "
    "judgments, and kappas of fewer units are too low to be averaged. Pooled kappa and "
    "Krippendorff's alpha use all judgments."
)
_UNEQUAL = (
    "Undefined: units have different numbers of judgments, and Fleiss' kappa needs the same number "
    "for each. Krippendorff's alpha does not."
)


@dataclass(frozen=True, slots=True)
class Kappa:
    """Agreement of two people beyond chance. If undefined it is None; `note` says why."""

    value: float | None
    n: int  # units both judged
    interval: Interval | None = None
    standard_error: float | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class PairKappa:
    """Kappa of two participants, by their codes."""

    first: int
    second: int
    kappa: Kappa


@dataclass(frozen=True, slots=True)
class Kappas:
    """Cohen's kappa of all pairs who share units, and as `value` the unweighted mean over those who
    share enough of them."""

    value: float | None
    n: int  # units judged by two or more participants
    pairs: tuple[PairKappa, ...]
    interval: Interval | None = None
    note: str = ""
    held: float | None = None  # of all pairs of judgments, by the pairs that count in the mean

    @property
    def is_of_crowd(self) -> bool:
        """Whether too few share enough units for a mean; `pooled_kappa` takes its place."""
        return self.held is not None and self.held < LEAST_HELD


def cohen_kappa(
    first: Numbers | Codes,
    second: Numbers | Codes,
    *,
    weights: Weights = "none",
    values: Numbers | None = None,
    level: float = 0.95,
) -> Kappa:
    """Cohen's kappa (1960), or weighted kappa (1968), of two people's judgments of the same units.

    Weights depend on the distance of values, so 1, 2 and 10 are not treated as 1, 2 and 3; with
    `values` given, the judgments are places in it. The interval is the normal one with the large
    sample standard error of Fleiss, Cohen & Everitt (1969), cut at −1 and 1; it holds for these
    two people and other units.
    """
    require_known(weights, get_args(Weights), option="weights")
    pairs = pair_of(_on_scale(first, values), _on_scale(second, values))
    if not len(first):
        return Kappa(None, 0, note=_NO_UNITS)
    counts = pairs.weights(np.ones(len(first)))
    return _kappas_of_pairs(pairs, counts, weights, level)[0]


def kappa_of_counts(
    counts: Numbers | Codes,
    *,
    values: Numbers,
    weights: Weights = "none",
    level: float = 0.95,
) -> Kappa:
    """The same from a square table: how many units the first gave value i and the second value j.

    `values` are in rising order.
    """
    x, y = np.nonzero(counts)
    if not len(x):
        return Kappa(None, 0, note=_NO_UNITS)
    alone, cells = np.zeros(1, dtype=np.int64), np.arange(len(x))
    pairs = Pairs(alone, alone + 1, values, np.zeros_like(cells), x, y, cells, cells)
    return _kappas_of_pairs(pairs, counts[x, y].astype(np.float64), weights, level)[0]


def cohen_kappas(
    unit: Codes,
    participant: Codes,
    value: Numbers | Codes,
    *,
    rng: np.random.Generator,
    weights: Weights = "none",
    values: Numbers | None = None,
    item: Codes | None = None,
    level: float = 0.95,
    replicates: int = 1000,
) -> Kappas:
    """Cohen's kappa of every two participants who share units, and the mean of these (Light 1971).

    The mean is over pairs who share ten units or more, or half of all units where these are fewer
    than twenty. A kappa of one unit is 0 or undefined, whatever people think; in a crowd, where
    most pairs meet once, the mean over all pairs would be about 0. Pairs that do not count or whose
    kappa is undefined are left out and counted in the note; where those left hold less than half of
    all pairs of judgments the mean is undefined, and `pooled_kappa` takes its place. The interval
    resamples units and holds for these participants; with the `item` of each judgment, where
    several units belong to one item, it is that of t over items.
    """
    require_known(weights, get_args(Weights), option="weights")
    crossing = cross_units(unit, participant, _on_scale(value, values), item=item)
    if crossing.repeats:
        return Kappas(None, crossing.n, (), note=repeat_note(crossing.repeats))
    if not crossing.n:
        return Kappas(None, 0, (), note=NO_PAIRS)
    pairs = pair_participants(crossing)
    units = crossing.units.astype(np.float64)
    found = _kappas_of_pairs(pairs, pairs.weights(units), weights, level)
    named = tuple(
        PairKappa(int(crossing.people[a]), int(crossing.people[b]), kappa)
        for a, b, kappa in zip(pairs.first, pairs.second, found, strict=True)
    )
    counted = with_enough_units(pairs, crossing)
    held = float(counted.weights(units).sum() / pairs.weights(units).sum())
    if held < LEAST_HELD:
        few = _FEW_SHARED.format(_fewest_units(crossing.n), 100 * held)
        return Kappas(None, crossing.n, named, note=few, held=held)
    mean = mean_kappa(counted, units, weights)
    if np.isnan(mean):
        none = "Undefined: kappa is undefined for every pair."
        return Kappas(None, crossing.n, named, note=none, held=held)
    if crossing.by_item is not None:
        interval, reason = _over_items(counted, crossing, weights, mean=mean, level=level)
    else:
        interval, reason = resampled_interval(
            crossing.units,
            lambda draws: _means_with_errors(counted, draws, weights),
            rng=rng,
            level=level,
            replicates=replicates,
        )
    kappas, _ = pair_kappas(counted, counted.weights(units), weights)
    undefined = int(np.isnan(kappas).sum())
    note = _left_out_note(
        len(pairs.first), len(kappas), undefined, enough=_fewest_units(crossing.n)
    )
    return Kappas(mean, crossing.n, named, interval, join_notes(note, reason), held)


def with_enough_units(pairs: Pairs, crossing: Crossing) -> Pairs:
    """The pairs who share enough units for their kappas to be averaged."""
    shared = np.bincount(pairs.pair, pairs.weights(crossing.units.astype(np.float64)))
    return pairs.among(shared >= _fewest_units(crossing.n))


def _fewest_units(units: int) -> int:
    return max(2, min(FEWEST_SHARED, math.ceil(units / 2)))


def _left_out_note(pairs: int, counted: int, undefined: int, *, enough: int) -> str:
    few = pairs - counted
    share = "shares" if few == 1 else "share"
    have = "has" if undefined == 1 else "have"
    return join_notes(
        f"{few} of {pairs} pairs {share} fewer than {enough} units; left out." if few else "",
        f"{undefined} of {counted} pairs {have} no kappa; left out." if undefined else "",
    )


def fleiss_kappa(
    table: CountTable, *, rng: np.random.Generator, level: float = 0.95, replicates: int = 2000
) -> Agreement:
    """Agreement beyond chance of a fixed number of people per unit (Fleiss 1971).

    They need not be the same people. The interval resamples units, for these participants.
    """
    found = fleiss_of_table(table)
    if found.value is None:
        return found
    interval, note = alpha_interval(table, "nominal", rng=rng, level=level, replicates=replicates)
    return replace(found, interval=fleiss_interval(interval, table.judgments), note=note)


def fleiss_of_table(table: CountTable) -> Agreement:
    """Fleiss' kappa without an interval."""
    if not table.n:
        return Agreement(None, 0, 0, note=NO_PAIRS)
    if table.single or len(np.unique(table.patterns.sum(axis=1))) > 1:
        return Agreement(None, table.n, table.judgments, note=_UNEQUAL)
    value = float(fleiss_kappas(table, observed(table))[0])
    if np.isnan(value):
        return Agreement(None, table.n, table.judgments, note=NO_VARIATION)
    return Agreement(value, table.n, table.judgments)


def fleiss_interval(interval: Interval | None, judgments: int) -> Interval | None:
    """Fleiss' limits from those of nominal alpha: 1 − κ = (1 − α) · n/(n − 1) of n judgments."""
    if interval is None:
        return None
    factor = judgments / (judgments - 1)
    low, high = (1 - (1 - limit) * factor for limit in (interval.low, interval.high))
    return Interval(max(-1.0, low), high, interval.level)


def fleiss_kappas(table: CountTable, weights: Numbers) -> Numbers:
    """(P − P_e)/(1 − P_e) of each row of weights, P_e = Σ_v p_v²; NaN where all is one value."""
    marginals = weights @ table.patterns
    shares = marginals / marginals.sum(axis=1, keepdims=True)
    chance = (shares**2).sum(axis=1)
    agreed = percents(table, weights)[:, 0] / 100
    found = np.full(len(weights), np.nan)
    varies = np.count_nonzero(marginals, axis=1) > 1
    found[varies] = (agreed[varies] - chance[varies]) / (1 - chance[varies])
    return found


def mean_kappa(
    pairs: Pairs, units: Numbers, weights: Weights, among: NDArray[np.bool_] | None = None
) -> float:
    """The mean of the kappas that are defined, of all pairs or of those `among` them; or NaN."""
    kappas, _ = pair_kappas(pairs, pairs.weights(units), weights)
    kept = kappas if among is None else kappas[among]
    kept = kept[~np.isnan(kept)]
    return float(kept.mean()) if len(kept) else float("nan")


def _means_with_errors(pairs: Pairs, draws: Numbers, weights: Weights) -> tuple[Numbers, Numbers]:
    """Mean kappa of each row of weights and its standard error over units; NaN where undefined.

    A unit pulls the kappa of every pair who judged it; its pulls add up before they are squared.
    """
    found = np.array([_mean_with_error(pairs, units, weights) for units in draws])
    return found[:, 0], found[:, 1]


def _mean_with_error(pairs: Pairs, units: Numbers, weights: Weights) -> tuple[float, float]:
    mean, pull = _mean_with_pulls(pairs, units, weights)
    n = float(units.sum())
    return mean, float(units @ pull**2 * n / max(n - 1, 1.0)) ** 0.5


def _mean_with_pulls(pairs: Pairs, units: Numbers, weights: Weights) -> tuple[float, Numbers]:
    """The mean kappa, and how far a unit of each kind pulls it; NaN where undefined."""
    kappas, influence = pair_kappas(pairs, pairs.weights(units), weights)
    defined = ~np.isnan(kappas)
    if not defined.any():
        return float("nan"), np.full(len(units), np.nan)
    known = np.where(defined[pairs.pair], influence, 0.0)
    pull = np.bincount(pairs.kind, known[pairs.cell], len(units)) / np.count_nonzero(defined)
    return float(kappas[defined].mean()), pull


def _over_items(
    pairs: Pairs, crossing: Crossing, weights: Weights, *, mean: float, level: float
) -> tuple[Interval | None, str]:
    """The interval of the mean where units belong to items, whose pulls add up."""
    assert crossing.by_item is not None  # noqa: S101 - requested by the caller
    _, pull = _mean_with_pulls(pairs, crossing.units.astype(np.float64), weights)
    by_item = crossing.by_item @ pull
    n = len(by_item)
    if n < 2:
        return None, ONE_ITEM
    error = (float(by_item @ by_item) * n / (n - 1)) ** 0.5
    if error <= _TINY:
        return None, _NO_ERROR
    reach = t_half_width(error, n - 1, level)
    return Interval(max(-1.0, mean - reach), min(1.0, mean + reach), level), ""


def repeat_note(repeats: int) -> str:
    """Why nothing is computed where somebody judged a unit twice."""
    return (
        f"Undefined: {repeats} judgments repeat one of the same unit by the same participant. "
        "Choose which of them count."
    )


def _on_scale(judged: Numbers | Codes, values: Numbers | None) -> Numbers:
    return np.asarray(judged if values is None else values[judged])


def _kappas_of_pairs(pairs: Pairs, counts: Numbers, weights: Weights, level: float) -> list[Kappa]:
    from scipy.special import ndtri

    reach = float(ndtri((1 + level) / 2))
    n = np.bincount(pairs.pair, weights=counts).astype(np.int64)
    kappas, influence = pair_kappas(pairs, counts, weights)
    errors = np.sqrt(np.bincount(pairs.pair, counts * influence**2))
    return [
        _kappa_with_interval(kappa, error, n=int(size), reach=reach, level=level)
        for kappa, error, size in zip(kappas.tolist(), errors.tolist(), n, strict=True)
    ]


def _kappa_with_interval(
    kappa: float, error: float, *, n: int, reach: float, level: float
) -> Kappa:
    if np.isnan(kappa):
        return Kappa(None, n, note=_ONE_VALUE)
    if error <= _TINY:
        return Kappa(kappa, n, note=_NO_ERROR)
    low, high = max(-1.0, kappa - reach * error), min(1.0, kappa + reach * error)
    return Kappa(kappa, n, Interval(low, high, level), error)


def pair_kappas(pairs: Pairs, counts: Numbers, weights: Weights) -> tuple[Numbers, Numbers]:
    """Kappa of each pair, and how far a unit pulls it that lies in each cell; NaN where undefined.

    κ = (p_o − p_e)/(1 − p_e) with agreement weighted by w = 1 − distance / largest distance, and
    pull = [w_ij − (w̄_i· + w̄_·j)(1 − κ) − (κ − p_e(1 − κ))] / (n (1 − p_e)); the sum of their
    squares over units is the variance of Fleiss, Cohen & Everitt (1969).
    """
    pair, x, y = pairs.pair, pairs.x, pairs.y
    height, width = len(pairs.first), len(pairs.values)
    credit = _credit(pairs.values, weights)
    n = np.bincount(pair, weights=counts, minlength=height)
    share = counts / np.where(n == 0, 1.0, n)[pair]
    rows = np.bincount(pair * width + x, share, height * width).reshape(height, width)
    columns = np.bincount(pair * width + y, share, height * width).reshape(height, width)
    by_row, by_column = columns @ credit.T, rows @ credit
    agreed = np.bincount(pair, share * credit[x, y], height)
    chance = (rows * by_row).sum(axis=1)
    defined = (n > 0) & (1 - chance > _TINY)
    beyond_chance = np.where(defined, 1 - chance, 1.0)
    kappa = np.where(defined, (agreed - chance) / beyond_chance, np.nan)
    off = credit[x, y] - (by_row[pair, x] + by_column[pair, y]) * (1 - kappa[pair])
    centred = off - (kappa - chance * (1 - kappa))[pair]
    return kappa, centred / (np.where(n == 0, 1.0, n) * beyond_chance)[pair]


def _credit(values: Numbers, weights: Weights) -> Numbers:
    """1 for the same value, 0 for the two that lie farthest apart."""
    apart = np.abs(values[:, np.newaxis] - values)
    if weights == "none":
        return np.asarray(apart == 0, dtype=np.float64)
    distance = apart if weights == "linear" else apart**2
    farthest = float(distance.max(initial=0.0))
    return np.asarray(1 - distance / (farthest if farthest > 0 else 1.0))
