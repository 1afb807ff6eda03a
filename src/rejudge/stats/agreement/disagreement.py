"""Observed and expected disagreement: the formulas behind Krippendorff's alpha.

They work on a table of counts and need only sums over kinds of unit. A resample is one matrix
product, and once judgments are counted their number does not matter. `disagreement_by_unit` reports
which units people disagree about most.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from rejudge.errors import require_known
from rejudge.stats.agreement.resampling import CELLS
from rejudge.stats.arrays import (
    Codes,
    CountTable,
    Numbers,
    count_cells,
    dense_codes,
    distinct,
    number_codes,
    round_off,
    scale_of,
)
from rejudge.stats.reasons import Reason, Why, WithReasons

Level: TypeAlias = Literal["nominal", "ordinal", "interval", "ratio"]

NO_PAIRS = Why.NO_PAIRS()
_CANCELLED = 1e-6  # of a sum of squares: what is left has lost too many digits


def alphas(table: CountTable, weights: Numbers, measured: Level) -> Numbers:
    """One alpha per row of weights (how many units of each kind); NaN where undefined.

    alpha = 1 − (n−1) · Σ_u d_u / Σ_vk n_v n_k δ²_vk,  d_u = Σ_vk n_uv n_uk δ²_vk / (m_u − 1)
    """
    patterns = table.patterns.astype(np.float64)
    marginals = weights @ patterns
    places = _places(table, marginals, measured)
    if measured == "ordinal":
        disagreement = _ordinal_disagreement(patterns, weights, places)
    else:
        disagreement = weights @ _disagreements(patterns, places, measured)
    return _beyond_chance(disagreement, _spread(marginals, places, measured), marginals)


def alphas_with_errors(
    table: CountTable, weights: Numbers, measured: Level
) -> tuple[Numbers, Numbers]:
    """Alpha of each row of weights and its standard error over units; NaN where undefined.

    Variance n/(n−1) · Σ_u (I_u − Ī)² with the influence I_u of each unit (`alphas_with_influence`).
    """
    found, influence = alphas_with_influence(table, weights, measured)
    n = weights.sum(axis=1)
    squares = np.einsum("bu,bu,bu->b", weights, influence, influence)
    return found, np.sqrt(squares * n / np.maximum(n - 1, 1))


def alphas_with_influence(
    table: CountTable, weights: Numbers, measured: Level
) -> tuple[Numbers, Numbers]:
    """Alpha of each row of weights and the influence of a unit of each kind, minus its mean.

    The influence is the derivative of alpha by the weight of a unit (the infinitesimal jackknife,
    Efron 1982). Ordinal places move with it. NaN where alpha is undefined.
    """
    patterns = table.patterns.astype(np.float64)
    marginals = weights @ patterns
    places = _places(table, marginals, measured)
    spread = _spread(marginals, places, measured)
    slopes = _spread_slopes(marginals, places, measured)
    if measured == "ordinal":
        disagreement, pull, moved = _ordinal_influence(patterns, weights, places)
        slopes += by_marginals(_spread_moves(marginals, places))
    else:
        parts = _disagreements(patterns, places, measured)
        disagreement, pull, moved = weights @ parts, parts[np.newaxis, :], np.zeros(1)
    found = _beyond_chance(disagreement, spread, marginals)
    chance_spread = np.where(np.isnan(found), np.nan, spread)[:, np.newaxis]
    share = disagreement[:, np.newaxis] / chance_spread  # 1 − alpha is (n−1) times this
    rest = marginals.sum(axis=1, keepdims=True) - 1
    influence = (rest / chance_spread * (share * slopes - moved) - share) @ patterns.T
    influence -= rest / chance_spread * pull
    n = weights.sum(axis=1)
    # Multiplying all units by a factor moves alpha through n − 1 alone, so Σ_u I_u is −share. The
    # mean is taken off before squaring: the difference of two large sums would be rounding.
    influence += share / n[:, np.newaxis]
    return found, influence


def alphas_leaving_one_out(table: CountTable, measured: Level) -> Numbers:
    """Alpha without one unit of each kind; NaN where undefined.

    Ordinal distances depend on all judgments and are recomputed for each, in blocks of kinds.
    """
    if measured != "ordinal":
        patterns = table.patterns.astype(np.float64)
        places = _places(table, patterns, measured)
        parts = _disagreements(patterns, places, measured)
        marginals = _marginals(table) - patterns
        rest = float(table.units @ parts) - parts
        return _beyond_chance(rest, _spread(marginals, places, measured), marginals)
    kinds = len(table.units)
    block = max(1, CELLS // kinds)
    found = []
    for start in range(0, kinds, block):
        size = min(block, kinds - start)
        weights = np.tile(table.units.astype(np.float64), (size, 1))
        weights[np.arange(size), np.arange(start, start + size)] -= 1
        found.append(alphas(table, weights, measured))
    return np.concatenate(found)


def disagreement_by_kind(table: CountTable, measured: Level) -> Numbers:
    """d_u of each kind of unit."""
    return _disagreements(
        table.patterns.astype(np.float64), _places(table, _marginals(table), measured), measured
    )


def disagreement_by_chance(table: CountTable, measured: Level) -> float:
    """What Σ_u d_u is on average if all judgments are dealt out by chance."""
    marginals = _marginals(table)
    spread = _spread(marginals, _places(table, marginals, measured), measured)
    return float(spread[0]) / (float(marginals.sum()) - 1)


def distances(values: Numbers, marginals: Numbers, measured: Level) -> Numbers:
    """δ² of every two values, given how often each was said in all."""
    empty = np.zeros((0, len(values)), dtype=np.int64)
    table = CountTable(values, empty, empty[:, 0])
    places = _places(table, marginals[np.newaxis, :].astype(np.float64), measured)
    if measured == "nominal":
        return 1.0 - np.eye(len(values))
    if measured == "ratio":
        return _ratio_distances(places)
    return np.asarray((places.T - places) ** 2)


def _beyond_chance(disagreement: Numbers, spread: Numbers, marginals: Numbers) -> Numbers:
    """1 − (n−1) · disagreement / spread, where two or more values were given."""
    n = marginals.sum(axis=1)
    varies = (np.count_nonzero(marginals, axis=1) > 1) & (spread > 0)
    found = np.full(len(marginals), np.nan)
    found[varies] = 1 - (n[varies] - 1) * disagreement[varies] / spread[varies]
    return found


def _marginals(table: CountTable) -> Numbers:
    return (table.units @ table.patterns).astype(np.float64)[np.newaxis, :]


def _places(table: CountTable, marginals: Numbers, measured: Level) -> Numbers:
    """Where values lie: for ordinal ones c_v = Σ_{g ≤ v} n_g − n_v/2, one row per row of marginals.

    Distances do not depend on the zero, which is put where squares stay small and exact.
    """
    if measured == "ordinal":
        n = marginals.sum(axis=1, keepdims=True)
        return np.asarray(np.cumsum(marginals, axis=1) - marginals / 2 - n / 2)
    zero = table.values[0] if measured == "interval" else 0.0
    return np.asarray((table.values - zero)[np.newaxis, :])


def _spread(counts: Numbers, places: Numbers, measured: Level) -> Numbers:
    """Σ_vk n_v n_k δ²_vk of each row of counts, with δ² of nominal, ordinal or interval, and ratio
    values: 1 if they differ, the squared distance, and ((v − k)/(v + k))², 0 where both are 0."""
    size = counts.sum(axis=1)
    if measured == "nominal":
        return np.asarray(size**2 - (counts**2).sum(axis=1))
    if measured == "ratio":
        return np.asarray(((counts @ _ratio_distances(places)) * counts).sum(axis=1))
    moment = (counts * places).sum(axis=1)
    squares = size * (counts * places**2).sum(axis=1)
    found = 2 * (squares - moment**2)
    cancelled = found < _CANCELLED * squares
    if cancelled.any():  # the values lie far from the zero but close together
        rows = np.broadcast_to(places, counts.shape)[cancelled]
        few, total = counts[cancelled], size[cancelled]
        off = rows - (moment[cancelled] / np.maximum(total, 1))[:, np.newaxis]
        found[cancelled] = 2 * total * (few * off**2).sum(axis=1)
    return np.asarray(found)


def _ratio_distances(places: Numbers) -> Numbers:
    total = places.T + places
    return np.asarray(((places.T - places) / np.where(total == 0, 1.0, total)) ** 2)


def _disagreements(patterns: Numbers, places: Numbers, measured: Level) -> Numbers:
    return np.asarray(_spread(patterns, places, measured) / (patterns.sum(axis=1) - 1))


def _ordinal_disagreement(patterns: Numbers, weights: Numbers, places: Numbers) -> Numbers:
    """Σ_u d_u where each row of weights has places of its own."""
    size = patterns.sum(axis=1)
    squares = ((weights * (size / (size - 1))) @ patterns * places**2).sum(axis=1)
    moments = ((places @ patterns.T) ** 2 * weights) @ (1 / (size - 1))
    return np.asarray(np.maximum(0.0, 2 * (squares - moments)))


def _ordinal_influence(
    patterns: Numbers, weights: Numbers, places: Numbers
) -> tuple[Numbers, Numbers, Numbers]:
    """Σ_u d_u with places of its own in each row; each d_u; and how the sum moves with marginals
    because the places do."""
    size = patterns.sum(axis=1)
    alone = 1 / (size - 1)
    moments = places @ patterns.T
    scaled = patterns * (size * alone)[:, np.newaxis]
    pull = 2 * (places**2 @ scaled.T - moments**2 * alone)
    disagreement = np.maximum(0.0, np.einsum("bu,bu->b", weights, pull))
    moved = 4 * (weights @ scaled * places - (weights * moments * alone) @ patterns)
    return disagreement, pull, by_marginals(moved)


def _spread_slopes(counts: Numbers, places: Numbers, measured: Level) -> Numbers:
    """How the spread of each row moves with each of its counts, the places held."""
    size = counts.sum(axis=1, keepdims=True)
    if measured == "nominal":
        return np.asarray(2 * (size - counts))
    if measured == "ratio":
        return np.asarray(2 * counts @ _ratio_distances(places))
    moment = (counts * places).sum(axis=1, keepdims=True)
    squares = (counts * places**2).sum(axis=1, keepdims=True)
    return np.asarray(2 * (squares + size * places**2 - 2 * moment * places))


def _spread_moves(counts: Numbers, places: Numbers) -> Numbers:
    """How the spread of each row moves with each of its places."""
    moment = (counts * places).sum(axis=1, keepdims=True)
    return np.asarray(4 * counts * (counts.sum(axis=1, keepdims=True) * places - moment))


def by_marginals(slopes: Numbers) -> Numbers:
    """Slopes by places as slopes by the counts that the places are made of."""
    return np.asarray(
        slopes.sum(axis=1, keepdims=True) / 2 - np.cumsum(slopes, axis=1) + slopes / 2
    )


@dataclass(frozen=True, slots=True)
class Disagreement(WithReasons):
    """Units judged by two or more people, in order of their codes, and the disagreement on each.

    Ranks begin with 1 for the most disputed unit; units that disagree alike share the best rank.
    """

    unit: NDArray[np.int64]
    n: NDArray[np.int64]  # judgments of each unit
    contribution: Numbers  # d_u; alpha is 1 − Σ d_u / by_chance
    contribution_rank: NDArray[np.int64]
    by_chance: float | None
    span: Numbers | None  # largest minus smallest value; None for nominal values
    span_rank: NDArray[np.int64] | None
    variance: Numbers | None  # mean square about the unit's mean; None for nominal values
    variance_rank: NDArray[np.int64] | None
    reasons: tuple[Reason, ...] = ()


def disagreement_by_unit(unit: Codes, value: Numbers, measured: Level) -> Disagreement:
    """How far people disagree about each unit: its part in alpha, its range and its variance.

    d_u = Σ_vk n_uv n_uk δ²_vk / (m_u − 1) as in Krippendorff's alpha. The variance is divided by
    the number of judgments, for it describes them. Where units have different numbers of judgments,
    range and d_u grow with them.
    """
    require_known(measured, get_args(Level), option="measured")
    table, kept = _by_unit(unit, value)
    size = table.patterns.sum(axis=1)
    has_order = bool(table.n) and measured != "nominal"
    span = _span(table) if has_order else None
    variance = _variance(table, size) if has_order else None
    part = disagreement_by_kind(table, measured) if table.n else np.zeros(0)
    largest = scale_of(table.values) if measured == "interval" else 0.0
    return Disagreement(
        unit=kept,
        n=size,
        contribution=part,
        contribution_rank=_ranks(part, largest),
        by_chance=disagreement_by_chance(table, measured) if table.n else None,
        span=span,
        span_rank=None if span is None else _ranks(span**2, scale_of(table.values)),
        variance=variance,
        variance_rank=None if variance is None else _ranks(variance, scale_of(table.values)),
        reasons=_unequal(size) if table.n else (NO_PAIRS,),
    )


def _by_unit(unit: Codes, value: Numbers) -> tuple[CountTable, NDArray[np.int64]]:
    """A table with a row for each unit, however alike, and the units' codes."""
    values, code = distinct(value)
    codes, row = number_codes(unit)
    row, height = dense_codes(row)
    counts = count_cells(row, code, height=height, width=len(values))
    shared = counts.sum(axis=1) >= 2
    once = np.ones(int(shared.sum()), dtype=np.int64)
    return CountTable(values, counts[shared], once), codes[shared].astype(np.int64)


def _span(table: CountTable) -> Numbers:
    said = table.patterns > 0
    highest = table.values[said.shape[1] - 1 - said[:, ::-1].argmax(axis=1)]
    return np.asarray(highest - table.values[said.argmax(axis=1)])


def _variance(table: CountTable, size: NDArray[np.int64]) -> Numbers:
    mean = table.patterns @ table.values / size
    off = table.values - mean[:, np.newaxis]
    return np.asarray((table.patterns * off**2).sum(axis=1) / size)


def _ranks(disputed: Numbers, largest: float) -> NDArray[np.int64]:
    """1 for the largest; equal ones, but for rounding, share the best rank they could have.

    Squares of differences between values up to `largest` are rounded relative to both.
    """
    most = scale_of(disputed)
    rounded = round_off(disputed, max(most, math.sqrt(most) * largest))
    larger = np.sort(-rounded)
    return np.searchsorted(larger, -rounded, side="left").astype(np.int64) + 1


def _unequal(size: NDArray[np.int64]) -> tuple[Reason, ...]:
    if int(size.min()) == int(size.max()):
        return ()
    return (Why.UNEQUAL("", advice=": range and contribution grow with them"),)
