"""Cohen's kappa for two people, and Fleiss' kappa for a fixed number of people."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from rejudge.errors import require_known
from rejudge.stats.agreement.alpha import (
    NO_VARIATION,
    ONE_ITEM,
    alpha_interval,
    observed,
    percents,
    resampled_interval,
)
from rejudge.stats.agreement.disagreement import NO_PAIRS
from rejudge.stats.agreement.resampling import (
    Crossing,
    Pairs,
    Reasons,
    cross_units,
    over_units,
    pair_of,
    pair_participants,
    repeats_of,
)
from rejudge.stats.arrays import Codes, CountTable, Numbers
from rejudge.stats.estimate import Contrast, Estimate, Interval, t_half_width
from rejudge.stats.reasons import Why

Weights: TypeAlias = Literal["none", "linear", "quadratic"]

# Shared units from which a pair counts in the mean. Kappa of few units is too low on average: by
# .65 of .65 with 1 unit, .16 with 2, .06 with 5, .02 with 10 and .01 with 20 (two values equally
# often; with five values and for kappas of .2 to .8 it is .03 or less from 10 on; 20,000 draws
# each). Where one value is given 9 times in 10 it still is .11 with 10 units and .05 with 30.
FEWEST_SHARED = 10
LEAST_HELD = 0.5  # of all pairs of judgments, by pairs of participants that count in the mean

_TINY = 1e-12  # zero but for rounding
_NO_UNITS = Why.NOTHING_IN_COMMON(whose="people")
_ONE_VALUE = Why.ONE_VALUE(who="both people")
_NO_ERROR = Why.NO_BOUND(cause="the standard error is 0, as with complete agreement")
_UNEQUAL = Why.UNEQUAL(
    advice=", and Fleiss' kappa needs the same number for each. Krippendorff's alpha does not"
)


@dataclass(frozen=True, slots=True)
class Kappas(Estimate):
    """Cohen's kappa of all pairs who share units, and as `value` the unweighted mean over those who
    share enough of them."""

    pairs: tuple[Contrast, ...] = ()  # kappas of two participants, by their codes
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
) -> Estimate:
    """Cohen's kappa (1960), or weighted kappa (1968), of two people's judgments of the same units.

    Weights depend on the distance of values, so 1, 2 and 10 are not treated as 1, 2 and 3; with
    `values` given, the judgments are places in it. The interval is the normal one with the large
    sample standard error of Fleiss, Cohen & Everitt (1969), cut at −1 and 1; it holds for these
    two people and other units.
    """
    require_known(weights, get_args(Weights), option="weights")
    pairs = pair_of(_on_scale(first, values), _on_scale(second, values))
    if not len(first):
        return over_units(None, reasons=(_NO_UNITS,))
    counts = pairs.weights(np.ones(len(first)))
    return _kappas_of_pairs(pairs, counts, weights, level)[0]


def kappa_of_counts(
    counts: Numbers | Codes,
    *,
    values: Numbers,
    weights: Weights = "none",
    level: float = 0.95,
) -> Estimate:
    """The same from a square table: how many units the first gave value i and the second value j.

    `values` are in rising order.
    """
    x, y = np.nonzero(counts)
    if not len(x):
        return over_units(None, reasons=(_NO_UNITS,))
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
    blank = Kappas(None, crossing.n, counted="units", judgments=crossing.judgments)
    if crossing.repeats:
        return replace(blank, reasons=(repeats_of(crossing.repeats),))
    if not crossing.n:
        return replace(blank, reasons=(NO_PAIRS,))
    pairs = pair_participants(crossing)
    units = crossing.units.astype(np.float64)
    found = _kappas_of_pairs(pairs, pairs.weights(units), weights, level)
    named = tuple(
        Contrast.of(kappa, first=int(crossing.people[a]), second=int(crossing.people[b]))
        for a, b, kappa in zip(pairs.first, pairs.second, found, strict=True)
    )
    counted = with_enough_units(pairs, crossing)
    held = float(counted.weights(units).sum() / pairs.weights(units).sum())
    blank = replace(blank, pairs=named, held=held)
    if held < LEAST_HELD:
        enough = _fewest_units(crossing.n)
        few = Why.FEW_PAIRS_OF_PEOPLE(enough=enough, percent=100 * held)
        return replace(blank, reasons=(few,))
    mean = mean_kappa(counted, units, weights)
    if np.isnan(mean):
        none = Why.NO_BOUND("value", cause="kappa is undefined for every pair")
        return replace(blank, reasons=(none,))
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
    lost = _left_out(len(pairs.first), len(kappas), undefined, enough=_fewest_units(crossing.n))
    return replace(blank, value=mean, interval=interval, reasons=(*lost, *reason))


def with_enough_units(pairs: Pairs, crossing: Crossing) -> Pairs:
    """The pairs who share enough units for their kappas to be averaged."""
    shared = np.bincount(pairs.pair, pairs.weights(crossing.units.astype(np.float64)))
    return pairs.among(shared >= _fewest_units(crossing.n))


def _fewest_units(units: int) -> int:
    return max(2, min(FEWEST_SHARED, math.ceil(units / 2)))


def _left_out(pairs: int, counted: int, undefined: int, *, enough: int) -> Reasons:
    found = []
    if counted < pairs:
        what = f"pairs of participants share fewer than {enough} units"
        found.append(Why.LEFT_OUT(n=pairs - counted, total=pairs, what=what))
    if undefined:
        what = "pairs of participants have no kappa"
        found.append(Why.LEFT_OUT(n=undefined, total=counted, what=what))
    return tuple(found)


def fleiss_kappa(
    table: CountTable, *, rng: np.random.Generator, level: float = 0.95, replicates: int = 2000
) -> Estimate:
    """Agreement beyond chance of a fixed number of people per unit (Fleiss 1971).

    They need not be the same people. The interval resamples units, for these participants.
    """
    found = fleiss_of_table(table)
    if found.value is None:
        return found
    interval, reasons = alpha_interval(
        table, "nominal", rng=rng, level=level, replicates=replicates
    )
    return replace(found, interval=fleiss_interval(interval, table.judgments), reasons=reasons)


def fleiss_of_table(table: CountTable) -> Estimate:
    """Fleiss' kappa without an interval."""
    if not table.n:
        return over_units(None, reasons=(NO_PAIRS,))
    if table.single or len(np.unique(table.patterns.sum(axis=1))) > 1:
        return over_units(None, table.n, table.judgments, reasons=(_UNEQUAL,))
    value = float(fleiss_kappas(table, observed(table))[0])
    if np.isnan(value):
        return over_units(None, table.n, table.judgments, reasons=(NO_VARIATION,))
    return over_units(value, table.n, table.judgments)


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
) -> tuple[Interval | None, Reasons]:
    """The interval of the mean where units belong to items, whose pulls add up."""
    assert crossing.by_item is not None  # noqa: S101 - requested by the caller
    _, pull = _mean_with_pulls(pairs, crossing.units.astype(np.float64), weights)
    by_item = crossing.by_item @ pull
    n = len(by_item)
    if n < 2:
        return None, (ONE_ITEM,)
    error = (float(by_item @ by_item) * n / (n - 1)) ** 0.5
    if error <= _TINY:
        return None, (_NO_ERROR,)
    reach = t_half_width(error, n - 1, level)
    return Interval(max(-1.0, mean - reach), min(1.0, mean + reach), level), ()


def _on_scale(judged: Numbers | Codes, values: Numbers | None) -> Numbers:
    return np.asarray(judged if values is None else values[judged])


def _kappas_of_pairs(
    pairs: Pairs, counts: Numbers, weights: Weights, level: float
) -> list[Estimate]:
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
) -> Estimate:
    if np.isnan(kappa):
        return over_units(None, n, 2 * n, reasons=(_ONE_VALUE,))
    if error <= _TINY:
        return over_units(kappa, n, 2 * n, reasons=(_NO_ERROR,))
    low, high = max(-1.0, kappa - reach * error), min(1.0, kappa + reach * error)
    found = over_units(kappa, n, 2 * n, Interval(low, high, level))
    return replace(found, standard_error=error)


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
