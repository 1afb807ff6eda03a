"""The likelihood of a cumulative link model with random offsets, by Laplace's approximation.

A judgment falls into category j when a logistic error puts it between two thresholds:
P(y ≤ j) = F(α_j − η), η = fixed effects + Σ_k σ_k u_k, u ~ N(0, 1). The integral over u is
approximated by a normal curve with the height and curvature of the integrand at its mode û:

    log L ≈ Σ log P(y_i) − ½ ûᵀû − ½ log |H|,    H = I + σ Zᵀ W Z σ

With A = F(upper − η) and B = F(lower − η), F logistic, the derivatives of log P are short:
∂/∂η = A + B − 1 and w = −∂²/∂η² = A(1 − A) + B(1 − B), for log P = log F(upper − η)
+ log F(η − lower) + log(1 − exp(lower − upper)). The slope of log L is exact, including the
contribution of H.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rejudge.stats.arrays import Codes, Numbers
from rejudge.stats.mixed.ordinal_offsets import Curvature, Offsets, offsets_of

_STEPS = 200
_SHRINKS = 0.3  # a step on an old H must be that much shorter than the one before
_LEVEL = 1e-12
_AT_REST = 1e-9
_ENDLESS = 700.0  # log odds; exp() of more overflows
_NARROWEST = 1e-100  # two thresholds that have met, but for the logarithm of their distance


@dataclass(frozen=True, slots=True)
class OrdinalJudgments:
    """Ordinal judgments by column: category 0 … J−1, fixed effects and offsets."""

    category: Codes
    categories: int
    columns: Numbers
    offsets: Offsets

    @classmethod
    def of(
        cls, category: Codes, categories: int, columns: Numbers, groups: Sequence[Codes]
    ) -> OrdinalJudgments:
        """The judgments in the order that their offsets need."""
        offsets = offsets_of(groups)
        ordered = np.ascontiguousarray(columns[offsets.order])
        return cls(category[offsets.order], categories, ordered, offsets)


@dataclass(frozen=True, slots=True)
class OrdinalParameters:
    """Thresholds, fixed effects and standard deviations of the groupings."""

    thresholds: Numbers
    effects: Numbers
    deviations: Numbers


@dataclass(frozen=True, slots=True)
class Contributions:
    """What each judgment contributes at given parameters and offsets."""

    below_upper: Numbers  # A
    below_lower: Numbers  # B
    gap: Numbers  # upper − lower
    log_chance: float  # their sum

    @property
    def slope(self) -> Numbers:
        return self.below_upper + self.below_lower - 1

    @property
    def upper_weight(self) -> Numbers:
        return self.below_upper * (1 - self.below_upper)

    @property
    def lower_weight(self) -> Numbers:
        return self.below_lower * (1 - self.below_lower)

    @property
    def weight(self) -> Numbers:
        return self.upper_weight + self.lower_weight

    @property
    def closeness(self) -> Numbers:
        """1 / (exp(gap) − 1): how log P falls as the thresholds around it meet."""
        return np.asarray(1 / np.expm1(np.minimum(self.gap, _ENDLESS)))


@dataclass(frozen=True, slots=True)
class OffsetStart:
    """Offsets û by grouping, and H, from which a search nearby starts."""

    offsets: tuple[Numbers, ...]
    curve: Curvature


@dataclass(frozen=True, slots=True)
class LaplaceEvaluation:
    """log L at some parameters, its slope by each of them, and where the search for û ended."""

    value: float
    slope: OrdinalParameters
    variance_slope: Numbers  # by the square of each deviation; it tells also where that is 0
    end: OffsetStart
    rows: Contributions


def evaluate_laplace(
    judged: OrdinalJudgments, given: OrdinalParameters, start: OffsetStart | None = None
) -> LaplaceEvaluation:
    """log L and its slope; the search for the mode û starts where an earlier evaluation ended."""
    offsets, rows = _find_mode(judged, given, start or _from_zero(judged, given))
    curve = Curvature(judged.offsets, given.deviations**2, rows.weight)
    value = rows.log_chance - (_squares(offsets) + curve.log_determinant) / 2
    slope, variance_slope = _slope(judged, given, rows, curve)
    return LaplaceEvaluation(value, slope, variance_slope, OffsetStart(tuple(offsets), curve), rows)


def _rows(
    judged: OrdinalJudgments, given: OrdinalParameters, offsets: Sequence[Numbers]
) -> Contributions:
    place = judged.columns @ given.effects + judged.offsets.by_judgment(
        *judged.offsets.from_grouping(
            [s * part for s, part in zip(given.deviations.tolist(), offsets, strict=True)]
        )
    )
    edges = np.concatenate([[-np.inf], given.thresholds, [np.inf]])
    gaps = np.concatenate([[np.inf], np.diff(given.thresholds), [np.inf]])
    gaps = np.maximum(gaps, _NARROWEST)
    below_upper = _logistic(edges[judged.category + 1] - place)
    above_lower = _logistic(place - edges[judged.category])
    between = np.log(-np.expm1(-gaps)) @ np.bincount(judged.category, minlength=len(gaps))
    log_chance = np.log(below_upper * above_lower).sum() + between
    return Contributions(below_upper, 1 - above_lower, gaps[judged.category], float(log_chance))


def _logistic(x: Numbers) -> Numbers:
    """F; kept above 0, so that its logarithm is finite."""
    return np.asarray(1 / (1 + np.exp(-np.maximum(x, -_ENDLESS))))


def _squares(offsets: Sequence[Numbers]) -> float:
    return math.fsum(float(part @ part) for part in offsets)


# ── the top ──────────────────────────────────────────────────────────────────────────────────────


def _from_zero(judged: OrdinalJudgments, given: OrdinalParameters) -> OffsetStart:
    zero, stacked = judged.offsets.by_level(np.zeros(len(judged.category)))
    offsets = tuple(judged.offsets.by_grouping(zero, stacked))
    weight = _rows(judged, given, offsets).weight
    return OffsetStart(offsets, Curvature(judged.offsets, given.deviations**2, weight))


def _find_mode(
    judged: OrdinalJudgments, given: OrdinalParameters, start: OffsetStart
) -> tuple[list[Numbers], Contributions]:
    """Newton's steps to û, the mode of a concave function.

    H costs far more than a step, so an old one serves as long as steps still shrink well.
    """
    offsets, curve = list(start.offsets), start.curve
    rows = _rows(judged, given, offsets)
    height, last, is_fresh = _height(rows, offsets), math.inf, False
    for _ in range(_STEPS):
        step = _newton_step(judged, given, curve, (offsets, rows))
        reached = [a + b for a, b in zip(offsets, step, strict=True)]
        tried = _rows(judged, given, reached)
        size = max(float(np.abs(part).max()) for part in step)
        is_good = _height(tried, reached) >= height - _LEVEL * abs(height)
        if is_fresh and not is_good:
            reached, tried = _halve_step(judged, given, offsets, step)
        elif not is_good or size > _SHRINKS * last:
            curve = Curvature(judged.offsets, given.deviations**2, rows.weight)
            is_fresh, last = True, math.inf
            continue
        offsets, rows, last, is_fresh = reached, tried, size, False
        height = _height(rows, offsets)
        if size < _AT_REST:
            break
    return offsets, rows


def _newton_step(
    judged: OrdinalJudgments,
    given: OrdinalParameters,
    curve: Curvature,
    at: tuple[Sequence[Numbers], Contributions],
) -> list[Numbers]:
    """H⁻¹ missing, for H⁻¹ = I − σ Zᵀ (W − W Z C Zᵀ W) Z σ: what σ Zᵀ slope misses of u."""
    offsets, rows = at
    place, deviations = judged.offsets, given.deviations.tolist()
    felt = place.by_grouping(*place.by_level(rows.slope))
    missing = [s * f - u for s, f, u in zip(deviations, felt, offsets, strict=True)]
    old = np.sqrt(curve.ratios).tolist()
    scaled = [s * part for s, part in zip(old, missing, strict=True)]
    weighted = curve.weight * place.by_judgment(*place.from_grouping(scaled))
    weighted -= curve.weight * place.by_judgment(*_solve(curve, place, weighted))
    taken = place.by_grouping(*place.by_level(weighted))
    return [part - s * lost for s, part, lost in zip(old, missing, taken, strict=True)]


def _solve(curve: Curvature, place: Offsets, rows: Numbers) -> tuple[Numbers, Numbers]:
    """C Zᵀ rows."""
    own, stacked = place.by_level(rows)
    found, rest = curve.solve(own[:, None], stacked[:, None])
    return found[:, 0], rest[:, 0]


def _height(rows: Contributions, offsets: Sequence[Numbers]) -> float:
    return rows.log_chance - _squares(offsets) / 2


def _halve_step(
    judged: OrdinalJudgments,
    given: OrdinalParameters,
    offsets: Sequence[Numbers],
    step: Sequence[Numbers],
) -> tuple[list[Numbers], Contributions]:
    """The step, cut in halves until it leads up."""
    height, share = _height(_rows(judged, given, offsets), offsets), 1.0
    for _ in range(30):
        share /= 2
        reached = [u + share * part for u, part in zip(offsets, step, strict=True)]
        tried = _rows(judged, given, reached)
        if _height(tried, reached) >= height:
            break
    return reached, tried


# ── the slope ────────────────────────────────────────────────────────────────────────────────────


def _slope(
    judged: OrdinalJudgments, given: OrdinalParameters, rows: Contributions, curve: Curvature
) -> tuple[OrdinalParameters, Numbers]:
    """∂ log L: directly, through the weights in H, and through û, which moves with everything."""
    place = judged.offsets
    leverage, traces = curve.leverage()
    upper, lower = rows.upper_weight, rows.lower_weight
    upper_bend = upper * (1 - 2 * rows.below_upper)  # ∂ w / ∂ upper threshold
    lower_bend = lower * (1 - 2 * rows.below_lower)
    pull = -leverage * (upper_bend + lower_bend)
    moved = place.by_judgment(*_solve(curve, place, pull))
    by_place = rows.slope - (pull - rows.weight * moved) / 2
    close = rows.closeness
    by_upper = 1 - rows.below_upper + close - (leverage * upper_bend + moved * upper) / 2
    by_lower = -rows.below_lower - close - (leverage * lower_bend + moved * lower) / 2
    edges = judged.categories + 1
    thresholds = np.bincount(judged.category + 1, by_upper, edges)
    thresholds += np.bincount(judged.category, by_lower, edges)
    felt = place.by_grouping(*place.by_level(rows.slope))
    doubled = place.by_grouping(*place.by_level(2 * by_place - rows.slope))
    gained = [float(a @ b) for a, b in zip(felt, doubled, strict=True)]
    variance_slope = (np.array(gained) - traces) / 2
    slope = OrdinalParameters(
        np.asarray(thresholds[1:-1]),
        judged.columns.T @ by_place,
        2 * given.deviations * variance_slope,
    )
    return slope, variance_slope
