"""The likelihood of a cumulative link model with random offsets, by Laplace's approximation.

A judgment falls into category j when a logistic error puts it between two thresholds:
P(y ≤ j) = F(α_j − η), η = fixed effects + Σ_k σ_k u_k, u ~ N(0, 1). The integral over u is taken as
that of a normal curve with the height and the curvature of the integrand at its top û:

    log L ≈ Σ log P(y_i) − ½ ûᵀû − ½ log |H|,    H = I + σ Zᵀ W Z σ

With A = F(upper − η) and B = F(lower − η), F logistic, all that is needed of log P is short:
∂/∂η = A + B − 1 and w = −∂²/∂η² = A(1 − A) + B(1 − B), for log P = log F(upper − η)
+ log F(η − lower) + log(1 − exp(lower − upper)). The slope of log L is exact, H's share included.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from rejudge.stats.clusters import Codes, Numbers
from rejudge.stats.mixed_exact import positive_inverse

_STEPS = 200
_SHRINKS = 0.3  # a step on an old H must be that much shorter than the one before
_LEVEL = 1e-12
_AT_REST = 1e-9
_TINY = 1e-8
_ENDLESS = 700.0  # log odds; exp() of more is no number
_NARROWEST = 1e-100  # two thresholds that have met, but for the logarithm of their distance


@dataclass(frozen=True, slots=True)
class Judged:
    """Ordinal judgments by column: category 0 … J−1, fixed effects, levels of each grouping. The
    grouping with the most levels comes first; its block of H is diagonal."""

    category: Codes
    categories: int
    columns: Numbers
    groups: tuple[Codes, ...]
    levels: tuple[int, ...]

    @property
    def starts(self) -> tuple[int, ...]:
        """Where each grouping's offsets start in u."""
        return tuple(np.cumsum((0, *self.levels[:-1])).tolist())


@dataclass(frozen=True, slots=True)
class Parameters:
    """Thresholds, fixed effects and standard deviations of the groupings."""

    thresholds: Numbers
    effects: Numbers
    deviations: Numbers


@dataclass(frozen=True, slots=True)
class _Rows:
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


def _rows(judged: Judged, given: Parameters, offsets: Numbers) -> _Rows:
    place = judged.columns @ given.effects + _spread(judged, given, offsets)
    edges = np.concatenate([[-np.inf], given.thresholds, [np.inf]])
    gaps = np.concatenate([[np.inf], np.diff(given.thresholds), [np.inf]])
    gaps = np.maximum(gaps, _NARROWEST)
    below_upper = _logistic(edges[judged.category + 1] - place)
    above_lower = _logistic(place - edges[judged.category])
    between = np.log(-np.expm1(-gaps)) @ np.bincount(judged.category, minlength=len(gaps))
    log_chance = np.log(below_upper).sum() + np.log(above_lower).sum() + between
    return _Rows(below_upper, 1 - above_lower, gaps[judged.category], float(log_chance))


def _logistic(x: Numbers) -> Numbers:
    """F; kept above 0, so that its logarithm is finite."""
    return np.asarray(1 / (1 + np.exp(-np.maximum(x, -_ENDLESS))))


def _spread(judged: Judged, given: Parameters, offsets: Numbers) -> Numbers:
    """Z σ u: what the offsets add to each judgment."""
    parts = zip(judged.groups, judged.starts, given.deviations.tolist(), strict=True)
    added = [deviation * offsets[codes + start] for codes, start, deviation in parts]
    return np.asarray(np.sum(added, axis=0))


def _gathered(judged: Judged, given: Parameters, rows: Numbers) -> Numbers:
    """σ Zᵀ rows."""
    parts = zip(judged.groups, judged.levels, given.deviations.tolist(), strict=True)
    return np.concatenate([s * _sums(codes, rows, count) for codes, count, s in parts])


# ── the matrix H ─────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class _Curvature:
    """H in blocks: the first grouping's diagonal, its meeting with the others, and the inverse of
    what the others have left when the first is solved for."""

    diagonal: Numbers
    meeting: Numbers  # first × others
    inverse: Numbers  # others × others
    log_determinant: float

    def solve(self, right: Numbers) -> Numbers:
        first = len(self.diagonal)
        rest = self.inverse @ (right[first:] - self.meeting.T @ (right[:first] / self.diagonal))
        return np.concatenate([(right[:first] - self.meeting @ rest) / self.diagonal, rest])


@dataclass(frozen=True, slots=True)
class Start:
    """Offsets û and H, from which a search nearby starts."""

    offsets: Numbers
    curve: _Curvature


@dataclass(frozen=True, slots=True)
class Look:
    """log L at some parameters, its slope by each of them, and where the search for û ended."""

    value: float
    slope: Parameters
    end: Start


def _curvature(judged: Judged, given: Parameters, weight: Numbers) -> _Curvature:
    first, m = judged.levels[0], sum(judged.levels[1:])
    deviations = given.deviations.tolist()
    lead = deviations[0]
    diagonal = 1 + lead**2 * _sums(judged.groups[0], weight, first)
    meeting, others = np.zeros((first, m)), np.eye(m)
    spans = _other_spans(judged)
    for a, (span, s) in enumerate(zip(spans, deviations[1:], strict=True), start=1):
        meeting[:, span] = lead * s * _cells(judged, (0, a), weight)
        for b, (across, r) in enumerate(zip(spans, deviations[1:], strict=True), start=1):
            others[span, across] += s * r * _cells(judged, (a, b), weight)
    left = others - (meeting / diagonal[:, None]).T @ meeting
    log_determinant, inverse = positive_inverse(left)
    log_determinant += float(np.log(diagonal).sum())
    return _Curvature(diagonal, meeting, inverse, log_determinant)


def _other_spans(judged: Judged) -> list[slice]:
    ends = np.cumsum((0, *judged.levels[1:])).tolist()
    return [slice(a, b) for a, b in pairwise(ends)]


def _cells(judged: Judged, pair: tuple[int, int], weight: Numbers) -> Numbers:
    """The weights of the judgments in each cell of two groupings."""
    one, other = pair
    height, width = judged.levels[one], judged.levels[other]
    if one == other:
        return np.diag(_sums(judged.groups[one], weight, height))
    place = judged.groups[one] * width + judged.groups[other]
    return _sums(place, weight, height * width).reshape(height, width)


def _leverage(judged: Judged, given: Parameters, curve: _Curvature) -> tuple[Numbers, Numbers]:
    """The diagonal of Z σ H⁻¹ σ Zᵀ, by judgment, and that of H⁻¹, by offset."""
    scaled = curve.meeting / curve.diagonal[:, None]
    meeting = -scaled @ curve.inverse
    first_diagonal = 1 / curve.diagonal - np.sum(meeting * scaled, axis=1)
    first, *rest = judged.groups
    lead, *deviations = given.deviations.tolist()
    total = lead**2 * first_diagonal[first]
    parts = [(codes + span.start, s) for codes, span, s in zip(
        rest, _other_spans(judged), deviations, strict=True
    )]  # fmt: skip
    for place, s in parts:
        total = total + 2 * lead * s * meeting[first, place]
        for across, r in parts:
            total = total + s * r * curve.inverse[place, across]
    return total, np.concatenate([first_diagonal, np.diag(curve.inverse)])


# ── the likelihood ───────────────────────────────────────────────────────────────────────────────


def look(judged: Judged, given: Parameters, start: Start | None = None) -> Look:
    """log L and its slope; the top û is searched from where an earlier look ended."""
    offsets, rows = _top(judged, given, start or _from_zero(judged, given))
    curve = _curvature(judged, given, rows.weight)
    value = rows.log_chance - (float(offsets @ offsets) + curve.log_determinant) / 2
    slope = _slope(judged, given, offsets, (rows, curve))
    return Look(value, slope, Start(offsets, curve))


def _from_zero(judged: Judged, given: Parameters) -> Start:
    offsets = np.zeros(sum(judged.levels))
    return Start(offsets, _curvature(judged, given, _rows(judged, given, offsets).weight))


def _top(judged: Judged, given: Parameters, start: Start) -> tuple[Numbers, _Rows]:
    """Newton's steps to û on a curve that is concave.

    H costs far more than a step, so an old one serves as long as steps still shrink well.
    """
    offsets, curve = start.offsets, start.curve
    rows = _rows(judged, given, offsets)
    height, last, is_fresh = _height(rows, offsets), math.inf, False
    for _ in range(_STEPS):
        step = curve.solve(_gathered(judged, given, rows.slope) - offsets)
        tried = _rows(judged, given, offsets + step)
        size = float(np.abs(step).max())
        is_good = _height(tried, offsets + step) >= height - _LEVEL * abs(height)
        if is_fresh and not is_good:
            step, tried = _halved(judged, given, offsets, step)
        elif not is_good or size > _SHRINKS * last:
            curve, is_fresh, last = _curvature(judged, given, rows.weight), True, math.inf
            continue
        offsets, rows, last, is_fresh = offsets + step, tried, size, False
        height = _height(rows, offsets)
        if size < _AT_REST:
            break
    return offsets, rows


def _height(rows: _Rows, offsets: Numbers) -> float:
    return rows.log_chance - float(offsets @ offsets) / 2


def _halved(
    judged: Judged, given: Parameters, offsets: Numbers, step: Numbers
) -> tuple[Numbers, _Rows]:
    """The step, cut in halves until it leads up."""
    height = _height(_rows(judged, given, offsets), offsets)
    for _ in range(30):
        step = step / 2
        tried = _rows(judged, given, offsets + step)
        if _height(tried, offsets + step) >= height:
            break
    return step, tried


def _slope(
    judged: Judged, given: Parameters, offsets: Numbers, at: tuple[_Rows, _Curvature]
) -> Parameters:
    """∂ log L: directly, through the weights in H, and through û, which moves with everything."""
    rows, curve = at
    leverage, inverse_diagonal = _leverage(judged, given, curve)
    upper, lower = rows.upper_weight, rows.lower_weight
    upper_bend = upper * (1 - 2 * rows.below_upper)  # ∂ w / ∂ upper threshold
    lower_bend = lower * (1 - 2 * rows.below_lower)
    pull = -leverage * (upper_bend + lower_bend)
    shift = curve.solve(_gathered(judged, given, pull))
    moved = _spread(judged, given, shift)
    by_place = rows.slope - (pull - rows.weight * moved) / 2
    close = 1 / np.expm1(np.minimum(rows.gap, _ENDLESS))
    by_upper = 1 - rows.below_upper + close - (leverage * upper_bend + moved * upper) / 2
    by_lower = -rows.below_lower - close - (leverage * lower_bend + moved * lower) / 2
    edges = judged.categories + 1
    thresholds = _sums(judged.category + 1, by_upper, edges) + _sums(
        judged.category, by_lower, edges
    )
    return Parameters(
        thresholds[1:-1],
        judged.columns.T @ by_place,
        _deviation_slopes(judged, given, (offsets, shift, inverse_diagonal), (by_place, rows)),
    )


def _deviation_slopes(
    judged: Judged,
    given: Parameters,
    by_offset: tuple[Numbers, Numbers, Numbers],
    by_row: tuple[Numbers, _Rows],
) -> Numbers:
    offsets, shift, inverse_diagonal = by_offset
    by_place, rows = by_row
    slopes = []
    for k, codes in enumerate(judged.groups):
        here = slice(judged.starts[k], judged.starts[k] + judged.levels[k])
        felt = _sums(codes, rows.slope, judged.levels[k])
        share = float(np.sum(1 - inverse_diagonal[here])) / max(float(given.deviations[k]), _TINY)
        direct = float(by_place @ offsets[here][codes])
        slopes.append(direct - share - float(shift[here] @ felt) / 2)
    return np.array(slopes)


def _sums(codes: Codes, rows: Numbers, count: int) -> Numbers:
    """What the rows of each code add up to."""
    return np.asarray(np.bincount(codes, rows, count), dtype=np.float64)


def in_order(groups: Sequence[Codes]) -> list[int]:
    """The groupings by number of levels, the largest first."""
    counts = [int(codes.max()) for codes in groups]
    return sorted(range(len(groups)), key=lambda k: -counts[k])
