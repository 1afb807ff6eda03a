"""Correlation or agreement of every two participants, and of each with the others."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from rejudge.errors import require_known
from rejudge.stats.agreement.disagreement import NO_PAIRS
from rejudge.stats.agreement.kappa import pair_kappas
from rejudge.stats.agreement.resampling import (
    Pairs,
    cross_units,
    pair_participants,
    repeats_of,
)
from rejudge.stats.arrays import Codes, Numbers

Method: TypeAlias = Literal["pearson", "spearman", "kendall"]
Likeness: TypeAlias = Method | Literal["percent", "kappa"]


def pair_correlations(pairs: Pairs, counts: Numbers, method: Method) -> Numbers:
    """The correlation of each pair, given how many units lie in each cell; NaN where undefined."""
    xs, ys = _marginals(pairs, pairs.x, counts), _marginals(pairs, pairs.y, counts)
    varies = (np.count_nonzero(xs, axis=1) > 1) & (np.count_nonzero(ys, axis=1) > 1)
    if method == "kendall":
        found = _kendall(pairs, counts)
    elif method == "spearman":
        x, y = _mid_ranks(xs)[pairs.pair, pairs.x], _mid_ranks(ys)[pairs.pair, pairs.y]
        found = _pearson(pairs, counts, x, y)
    else:
        found = _pearson(pairs, counts, pairs.values[pairs.x], pairs.values[pairs.y])
    return np.where(varies, found, np.nan)


def _marginals(pairs: Pairs, code: Codes, counts: Numbers) -> Numbers:
    height, width = len(pairs.first), len(pairs.values)
    cells = np.bincount(pairs.pair * width + code, counts, height * width)
    return cells.reshape(height, width).astype(np.float64)


def _mid_ranks(marginals: Numbers) -> Numbers:
    return np.asarray(np.cumsum(marginals, axis=1) - marginals / 2)


def _pearson(pairs: Pairs, counts: Numbers, x: Numbers, y: Numbers) -> Numbers:
    pair, height = pairs.pair, len(pairs.first)
    n = np.bincount(pair, counts, height)
    n = np.where(n == 0, 1.0, n)
    dx = x - (np.bincount(pair, counts * x, height) / n)[pair]
    dy = y - (np.bincount(pair, counts * y, height) / n)[pair]
    together = np.bincount(pair, counts * dx * dy, height)
    apart = np.bincount(pair, counts * dx**2, height) * np.bincount(pair, counts * dy**2, height)
    found = together / np.sqrt(np.where(apart == 0, 1.0, apart))
    return np.asarray(np.clip(found, -1, 1))


def _kendall(pairs: Pairs, counts: Numbers) -> Numbers:
    """Tau-b of each pair. Cells lie sorted by pair."""
    from scipy.stats import kendalltau

    bounds = np.searchsorted(pairs.pair, np.arange(len(pairs.first) + 1))
    times = counts.astype(np.int64)
    found = []
    for start, end in pairwise(bounds.tolist()):
        x = np.repeat(pairs.x[start:end], times[start:end])
        y = np.repeat(pairs.y[start:end], times[start:end])
        constant = len(x) < 2 or np.ptp(x) == 0 or np.ptp(y) == 0
        found.append(np.nan if constant else kendalltau(x, y).statistic)
    return np.array(found, dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Company:
    """Pairs of participants who share units, and the mean of each over the others.

    In arrays what is undefined is NaN: a pair with fewer shared units than required, or of which
    one always said the same (for correlations), and the mean of somebody without a defined pair.
    """

    measure: Likeness
    people: Codes  # as they were given
    first: Codes  # of each pair: place in `people`
    second: Codes
    n: NDArray[np.int64]  # units that both judged
    value: Numbers  # of each pair
    mean: Numbers  # of each of `people`; each other counts once, however many units are shared
    others: NDArray[np.int64]  # with whom it is defined
    note: str = ""


def compare_participants(
    unit: Codes,
    participant: Codes,
    value: Numbers,
    *,
    measure: Likeness = "spearman",
    minimum: int = 3,
) -> Company:
    """Compare every two participants over the units both judged, at least `minimum` of them.

    Pearson's correlation, Spearman's on mid-ranks of the shared units, or Kendall's tau-b;
    `percent` is the percentage of shared units of which both said the same, `kappa` Cohen's.
    """
    require_known(measure, (*get_args(Method), "percent", "kappa"), option="measure")
    crossing = cross_units(unit, participant, value)
    people = crossing.people
    if crossing.repeats or not crossing.n:
        note = str(repeats_of(crossing.repeats) if crossing.repeats else NO_PAIRS)
        return _empty_company(measure, people, note)
    pairs, units = pair_participants(crossing), crossing.units.astype(np.float64)
    n = np.bincount(pairs.pair, weights=pairs.weights(units)).astype(np.int64)
    is_enough = n >= minimum
    some = pairs.among(is_enough)  # few of a crowd
    counts, found = some.weights(units), np.full(len(n), np.nan)
    if measure == "percent":
        found[is_enough] = _percent(some, counts)
    elif measure == "kappa":
        found[is_enough] = pair_kappas(some, counts, "none")[0]
    else:
        found[is_enough] = pair_correlations(some, counts, measure)
    mean, others = _means_over_others(pairs, found, len(people))
    return Company(measure, people, pairs.first, pairs.second, n, found, mean, others)


def _empty_company(measure: Likeness, people: Codes, note: str) -> Company:
    none = np.zeros(0, dtype=np.int64)
    mean, others = np.full(len(people), np.nan), np.zeros(len(people), dtype=np.int64)
    return Company(measure, people, none, none, none, np.zeros(0), mean, others, note)


def _percent(pairs: Pairs, counts: Numbers) -> Numbers:
    together = np.bincount(pairs.pair, counts)
    same = np.bincount(pairs.pair, np.where(pairs.x == pairs.y, counts, 0.0))
    return np.asarray(100 * same / together)


def _means_over_others(
    pairs: Pairs, found: Numbers, people: int
) -> tuple[Numbers, NDArray[np.int64]]:
    known = ~np.isnan(found)
    who = np.concatenate([pairs.first[known], pairs.second[known]])
    others = np.bincount(who, minlength=people)
    total = np.bincount(who, np.tile(found[known], 2), people)
    mean = np.full(people, np.nan)
    np.divide(total, others, out=mean, where=others > 0)
    return mean, others
