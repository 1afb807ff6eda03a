"""Maximum likelihood for cumulative link mixed models.

A quasi-Newton search (BFGS) over one vector: the first threshold, the logarithms of the gaps
between thresholds, effects, and standard deviations, which may be 0. It starts from the information
that the offsets leave about the effects, so about ten evaluations of the likelihood suffice; the
last steps use the curvature that the standard errors are computed from.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rejudge.stats.arrays import Numbers
from rejudge.stats.mixed.ordinal_laplace import (
    LaplaceEvaluation,
    OffsetStart,
    OrdinalJudgments,
    OrdinalParameters,
    evaluate_laplace,
)

FAR = 15.0  # log odds that no study can measure: the estimate runs away
_STEP = 5e-5
_SMALLEST = 1e-3  # a standard deviation below this counts as 0
_INSIDE = (0.3, 0.1, 0.03, 0.01)  # where a standard deviation of 0 is tried again
_WIDEST = 30.0  # logarithm of a gap, beyond which gaps do not differ
_LONGEST = 3.0  # a step in any direction
_NEAR, _AT_REST = 1e-8, 1e-11  # gain of log L that a step promises
_MOST_STEPS = 200
_HALVINGS = 25
_ENOUGH = 1e-4  # of the gain that a step promises


@dataclass(frozen=True, slots=True)
class OrdinalOptimum:
    """The most likely place: first threshold, log gaps, effects, deviations."""

    judged: OrdinalJudgments
    place: Numbers
    value: float
    slope: Numbers
    covariance: Numbers  # of the place; 0 for deviations that are 0
    is_top: bool

    @property
    def parameters(self) -> OrdinalParameters:
        return _parameters(self.judged, self.place)

    @property
    def free(self) -> list[int]:
        """All coordinates but deviations of 0."""
        return np.flatnonzero(_is_free(self.judged, self.place)).tolist()


@dataclass(frozen=True, slots=True)
class _Evaluated:
    """−log L at one place."""

    place: Numbers
    value: float
    slope: Numbers
    laplace: LaplaceEvaluation


class _NegativeLogLikelihood:
    """−log L over one vector. The next evaluation starts where the last one ended."""

    def __init__(self, judged: OrdinalJudgments) -> None:
        self.judged = judged
        self._start: OffsetStart | None = None

    def at(self, place: Numbers) -> _Evaluated:
        seen = evaluate_laplace(self.judged, _parameters(self.judged, place), self._start)
        self._start = seen.end
        return _Evaluated(place, -seen.value, -_slope(self.judged, place, seen.slope), seen)


def maximise(judged: OrdinalJudgments, start: Numbers) -> OrdinalOptimum:
    """The top, from a start that is about right."""
    surface = _NegativeLogLikelihood(judged)
    seen = _minimise(surface, surface.at(start), _NEAR)
    if np.abs(seen.place).max() > FAR:
        nothing = np.zeros((len(start), len(start)))
        return OrdinalOptimum(judged, seen.place, -seen.value, seen.slope, nothing, is_top=False)
    bend = _curvature(surface, seen)
    if not _is_upward(judged, seen, bend):
        seen = _minimise(surface, seen, _AT_REST)
        bend = _curvature(surface, seen)
    is_top = _is_upward(judged, seen, bend)
    seen = _minimise(surface, seen, _AT_REST, bend) if is_top else seen
    covariance = _covariance(judged, seen.place, bend) if is_top else np.zeros_like(bend)
    return OrdinalOptimum(judged, seen.place, -seen.value, seen.slope, covariance, is_top)


def _parameters(judged: OrdinalJudgments, place: Numbers) -> OrdinalParameters:
    cut, count = judged.categories - 1, judged.columns.shape[1]
    steps = np.concatenate([[0.0], np.cumsum(_gaps(place[1:cut]))])
    return OrdinalParameters(place[0] + steps, place[cut : cut + count], place[cut + count :])


def _gaps(logs: Numbers) -> Numbers:
    return np.asarray(np.exp(np.minimum(logs, _WIDEST)))


def _slope(judged: OrdinalJudgments, place: Numbers, slope: OrdinalParameters) -> Numbers:
    cut = judged.categories - 1
    later = np.cumsum(slope.thresholds[::-1])[::-1]  # a gap moves all thresholds above it
    gaps = later[1:] * _gaps(place[1:cut])
    return np.concatenate([later[:1], gaps, slope.effects, slope.deviations])


def _is_free(judged: OrdinalJudgments, place: Numbers) -> NDArray[np.bool_]:
    first = judged.categories - 1 + judged.columns.shape[1]
    return np.asarray((np.arange(len(place)) < first) | (place > 0))


# ── steps ────────────────────────────────────────────────────────────────────────────────────────


def _minimise(
    surface: _NegativeLogLikelihood, seen: _Evaluated, accuracy: float, bend: Numbers | None = None
) -> _Evaluated:
    """Where no step promises a gain. `bend` is the curvature, where it is known already."""
    bend = _information(surface.judged, seen) if bend is None else bend
    for _ in range(_MOST_STEPS):
        free = _is_free(surface.judged, seen.place)
        step = np.zeros(len(seen.place))
        step[free] = -np.linalg.solve(bend[np.ix_(free, free)], seen.slope[free])
        gain = -float(seen.slope @ step) / 2
        found = None
        if gain > accuracy:
            step *= min(1.0, _LONGEST / float(np.abs(step).max()))
            found = _lower(surface, seen, step)
        if found is None:
            found = _leave_boundary(surface, seen)
            if found is None:
                break
            bend = _information(surface.judged, found)
        else:
            bend = _bfgs_update(bend, found.place - seen.place, found.slope - seen.slope)
        seen = found
        if np.abs(seen.place).max() > FAR:
            break
    return seen


def _lower(surface: _NegativeLogLikelihood, seen: _Evaluated, step: Numbers) -> _Evaluated | None:
    """The next place: the step, or a part of it that leads down."""
    share = 1.0
    for _ in range(_HALVINGS):
        place = _inside(surface.judged, seen.place + share * step)
        promised = float(seen.slope @ (place - seen.place))
        found = surface.at(place)
        if found.value <= seen.value + _ENOUGH * min(promised, 0.0):
            return found
        bent = found.value - seen.value - promised
        share *= min(0.5, max(0.1, -promised / (2 * bent))) if bent > 0 else 0.5
    return None


def _inside(judged: OrdinalJudgments, place: Numbers) -> Numbers:
    first = len(place) - len(_deviations(judged, place))
    found = place.copy()
    found[first:] = np.where(place[first:] < _SMALLEST, 0.0, place[first:])
    return found


def _deviations(judged: OrdinalJudgments, place: Numbers) -> Numbers:
    return place[judged.categories - 1 + judged.columns.shape[1] :]


def _leave_boundary(surface: _NegativeLogLikelihood, seen: _Evaluated) -> _Evaluated | None:
    """At a deviation of 0 the slope is always 0. Where that by the variance says that the
    likelihood rises, a place inside that is lower."""
    deviations = _deviations(surface.judged, seen.place)
    first = len(seen.place) - len(deviations)
    rises = (deviations == 0) & (seen.laplace.variance_slope > 0)
    for k in np.flatnonzero(rises).tolist():
        for value in _INSIDE:
            place = seen.place.copy()
            place[first + k] = value
            found = surface.at(place)
            if found.value < seen.value:
                return found
    return None


def _bfgs_update(bend: Numbers, step: Numbers, change: Numbers) -> Numbers:
    """BFGS, with Powell's damping: the curvature stays positive."""
    pushed = bend @ step
    whole, along = float(step @ pushed), float(step @ change)
    if whole <= 0:
        return bend
    if along < 0.2 * whole:
        share = 0.8 * whole / (whole - along)
        change = share * change + (1 - share) * pushed
        along = float(step @ change)
    return bend + np.outer(change, change) / along - np.outer(pushed, pushed) / whole


# ── curvature ────────────────────────────────────────────────────────────────────────────────────


def _information(judged: OrdinalJudgments, seen: _Evaluated) -> Numbers:
    """About how −log L curves: what thresholds and effects tell when the offsets give way, and the
    average information of the deviations (Gilmour, Thompson & Cullis 1995)."""
    rows, place = seen.laplace.rows, judged.offsets
    across = _cross_curvature(judged, seen)
    own = np.stack([place.by_level(column)[0] for column in across.T], axis=1)
    stacked = np.stack([place.by_level(column)[1] for column in across.T], axis=1)
    found, rest = seen.laplace.end.curve.solve(own, stacked)
    taken = own.T @ found + stacked.T @ rest
    weight = np.maximum(rows.weight, np.finfo(float).tiny)
    whole = (across / weight[:, None]).T @ across - taken
    count = judged.categories - 1 + judged.columns.shape[1]
    bend = np.zeros_like(whole)
    bend[:count, :count] = whole[:count, :count] + _direct_curvature(judged, seen)
    bend[count:, count:] = 2 * whole[count:, count:]
    turn = np.eye(len(bend))
    cut = judged.categories - 1
    turn[:cut, 0] = 1.0
    turn[:cut, 1:cut] = np.tril(np.ones((cut, cut)), -1)[:, :-1] * _gaps(seen.place[1:cut])
    bend = turn.T @ bend @ turn
    least = 1e-3 * max(1.0, float(np.diag(bend).max()) * 1e-3)
    bend[np.diag_indices_from(bend)] += least
    return np.asarray(bend)


def _cross_curvature(judged: OrdinalJudgments, seen: _Evaluated) -> Numbers:
    """How each parameter and each judgment's place bend −log L together, by judgment."""
    rows, place = seen.laplace.rows, judged.offsets
    upper, lower = rows.upper_weight, rows.lower_weight
    thresholds = np.zeros((len(upper), judged.categories + 1))
    each = np.arange(len(upper))
    thresholds[each, judged.category + 1] = -upper
    thresholds[each, judged.category] = -lower
    weight = rows.weight[:, None]
    offsets = seen.laplace.end.offsets
    moved = [
        place.by_judgment(*place.from_grouping([part * (k == j) for j, part in enumerate(offsets)]))
        for k in range(len(offsets))
    ]
    return np.concatenate(
        [thresholds[:, 1:-1], weight * judged.columns, weight * np.stack(moved, axis=1)], axis=1
    )


def _direct_curvature(judged: OrdinalJudgments, seen: _Evaluated) -> Numbers:
    """What the square of `_cross_curvature` over the weight leaves out of thresholds and effects:
    where two thresholds bend one judgment's chance together."""
    rows, cut = seen.laplace.rows, judged.categories - 1
    upper, lower = rows.upper_weight, rows.lower_weight
    weight = np.maximum(rows.weight, np.finfo(float).tiny)
    close = rows.closeness * (1 + rows.closeness)
    both = np.bincount(judged.category, upper * lower / weight + close, judged.categories)
    found = np.zeros((judged.categories + 1, judged.categories + 1))
    place = np.arange(judged.categories)
    found[place, place] += both
    found[place + 1, place + 1] += both
    found[place, place + 1] -= both
    found[place + 1, place] -= both
    whole = np.zeros((cut + judged.columns.shape[1],) * 2)
    whole[:cut, :cut] = found[1:-1, 1:-1]
    return whole


def _curvature(surface: _NegativeLogLikelihood, seen: _Evaluated) -> Numbers:
    """How −log L curves at one place, from its slope a little beside."""
    bend = np.zeros((len(seen.place), len(seen.place)))
    for k in np.flatnonzero(_is_free(surface.judged, seen.place)):
        beside = seen.place.copy()
        beside[k] += _STEP
        bend[k] = (surface.at(beside).slope - seen.slope) / _STEP
    return (bend + bend.T) / 2


def _is_upward(judged: OrdinalJudgments, seen: _Evaluated, bend: Numbers) -> bool:
    free = np.flatnonzero(_is_free(judged, seen.place))
    return bool(np.linalg.eigvalsh(bend[np.ix_(free, free)])[0] > 0)


def _covariance(judged: OrdinalJudgments, place: Numbers, bend: Numbers) -> Numbers:
    free = np.flatnonzero(_is_free(judged, place))
    covariance = np.zeros_like(bend)
    covariance[np.ix_(free, free)] = np.linalg.inv(bend[np.ix_(free, free)])
    return covariance
