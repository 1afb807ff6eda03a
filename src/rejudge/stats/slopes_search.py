"""The covariances of systems that make the judgments most likely, and how sharply they are known.

The elements of the Cholesky factors are searched for without bounds: a factor whose column changes
its sign is the same covariance, so that the edge, a covariance of lower rank, is no wall. Newton's
steps take the average of the observed and the expected curvature of V (Gilmour, Thompson & Cullis
1995) and that of G = Λ Λᵀ. At the end the observed curvature comes from differences of the
slope, as lmerTest takes it for Satterthwaite's degrees of freedom.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rejudge.stats.clusters import Numbers
from rejudge.stats.slopes_evaluation import Factors, SlopePoint, look, products, turns
from rejudge.stats.slopes_sums import Side, SlopeSums

_START = 0.1  # of the variance of every system, in units of σ²; half of it is shared by all
_STEPS = 100
_HALVINGS = 12
_LONGEST = 2.0  # step of an element, in units of the largest
_SETTLED = 1e-11  # what a further step would gain of the criterion
_FLAT = 1e-6  # 〃 that rounding may hide
_LEAST_CURVED = 1e-9  # of the largest curvature
_RISING = 1e-2  # slope by a variance, beyond which a variance of 0 is no end of the search
_INSIDE = 0.05  # a standard deviation from which the search goes on
_TINY = 1e-300
_DIFFERENCE = 1e-4
_LARGEST = 1e3  # a standard deviation in units of the residual's: beyond, none is left
_NO_RESIDUAL = 1e-7  # of the values' variance


@dataclass(frozen=True, slots=True)
class SlopePeak:
    """The most likely factors."""

    point: SlopePoint
    elements: Numbers  # of all factors, one after the other
    converged: bool
    exhausted: bool  # whether the groups leave no residual


def search(sums: SlopeSums, start: Numbers | None = None) -> SlopePeak:
    """The most likely factors, from elements that are given or from the same for all tables."""
    usual = np.concatenate([_start(side) for side in sums.sides])
    elements = usual if start is None else start
    point, gain = _at(sums, elements), np.inf
    for _ in range(_STEPS):
        step, gain = _newton_step(sums, point)
        is_settled = gain < _SETTLED
        further = _off_the_edge(sums, point) if is_settled else _lower(sums, point, elements, step)
        if further is None or _is_exhausted(sums, point):
            break
        elements, point = further
    return SlopePeak(point, elements, gain < _FLAT, _is_exhausted(sums, point))


def split(sums: SlopeSums, elements: Numbers) -> Factors:
    """The factor of each grouping."""
    sides, found, end = sums.sides, [], 0
    for side in sides:
        start, end = end, end + len(side.places[0])
        found.append(side.factor(elements[start:end]))
    return tuple(found)


def _at(sums: SlopeSums, elements: Numbers) -> SlopePoint:
    return look(sums, split(sums, elements))


def _start(side: Side) -> Numbers:
    shared = 0.0 if side.form == "variances" else _START / 2
    covariance = np.full((side.width, side.width), shared)
    covariance[np.diag_indices(side.width)] = _START
    return np.asarray(np.linalg.cholesky(covariance)[side.places])


def _is_exhausted(sums: SlopeSums, point: SlopePoint) -> bool:
    total = float(sums.cross[-1, -1]) / sums.n
    largest = max(float(np.abs(factor).max()) for factor in point.factors)
    return point.variance < _NO_RESIDUAL * total or largest > _LARGEST


def gradient(sums: SlopeSums, point: SlopePoint, variance: float) -> Numbers:
    """How the criterion changes with each element, σ² held."""
    slopes = zip(sums.sides, point.slopes(variance), point.factors, strict=True)
    return np.concatenate([2 * (slope @ factor)[side.places] for side, slope, factor in slopes])


def _newton_step(sums: SlopeSums, point: SlopePoint) -> tuple[Numbers, float]:
    """What to add to each element, and what it gains about; downhill in every direction."""
    values, vectors = np.linalg.eigh(_curvature(sums, point))
    steep = np.maximum(values, _LEAST_CURVED * values[-1] + _TINY)
    along = vectors.T @ gradient(sums, point, point.variance)
    step = -vectors @ (along / steep)
    reach = _LONGEST * max(1.0, *(float(np.abs(factor).max()) for factor in point.factors))
    shortened = min(1.0, reach / max(float(np.abs(step).max()), _TINY))
    return shortened * step, float(np.sum(along**2 / steep))


def _curvature(sums: SlopeSums, point: SlopePoint) -> Numbers:
    """The criterion's curvature in the elements, without directions that bend downwards."""
    falls = _falls(sums, point)
    bend = products(sums, point, turns(sums, point)) / point.variance
    bend -= np.outer(falls, falls) / (point.df * point.variance**2)
    end = 0
    for side, slope in zip(sums.sides, point.slopes(point.variance), strict=True):
        rows, columns = side.places
        start, end = end, end + len(rows)
        own = 2 * _upwards(slope)[np.ix_(rows, rows)]
        bend[start:end, start:end] += own * np.equal.outer(columns, columns)
    return np.asarray((bend + bend.T) / 2)


def _falls(sums: SlopeSums, point: SlopePoint) -> Numbers:
    """How fast what is left of the value falls with each element."""
    parts = zip(sums.sides, point.squares, point.factors, strict=True)
    return np.concatenate([2 * (square @ factor)[side.places] for side, square, factor in parts])


def _upwards(slope: Numbers) -> Numbers:
    """The slope by G, with a tenth of what is negative in it as positive: far from the end it may
    be large, and steps that follow it in full go astray."""
    values, vectors = np.linalg.eigh((slope + slope.T) / 2)
    return np.asarray((vectors * np.where(values > 0, values, -values / 10)) @ vectors.T)


def _off_the_edge(sums: SlopeSums, point: SlopePoint) -> tuple[Numbers, SlopePoint] | None:
    """Where the criterion is lower though the slope by each element is 0, or None: at a covariance
    of lower rank it is always 0 in the directions that are missing."""
    slopes = point.slopes(point.variance)
    for which, slope in enumerate(slopes):
        values, vectors = np.linalg.eigh((slope + slope.T) / 2)
        if values[0] > -_RISING:
            continue
        wider = np.column_stack([point.factors[which], _INSIDE * vectors[:, 0]])
        factors = list(point.factors)
        factors[which] = np.linalg.qr(wider.T)[1].T
        pairs = zip(sums.sides, factors, strict=True)
        elements = np.concatenate([factor[side.places] for side, factor in pairs])
        found = _at(sums, elements)
        if found.criterion < point.criterion - _FLAT:
            return elements, found
    return None


def _lower(
    sums: SlopeSums, point: SlopePoint, elements: Numbers, step: Numbers
) -> tuple[Numbers, SlopePoint] | None:
    """Where the criterion is lower: at the end of the step, or part of the way."""
    for _ in range(_HALVINGS):
        found = _at(sums, elements + step)
        if found.criterion < point.criterion:
            return elements + step, found
        step = step / 2
    return None


def uncertainty(sums: SlopeSums, peak: SlopePeak) -> Numbers:
    """The covariance of the estimates of (elements…, σ²): twice the inverse of the observed
    curvature, leaving out directions in which the criterion does not curve upwards."""
    point, count = peak.point, len(peak.elements)
    held = point.variance
    bend = np.empty((count + 1, count + 1))
    for k in range(count):
        move = _DIFFERENCE * np.eye(count)[k]
        above, below = (
            gradient(sums, _at(sums, peak.elements + side * move), held) for side in (1, -1)
        )
        bend[:count, k] = (above - below) / (2 * _DIFFERENCE)
    bend[:count, -1] = bend[-1, :count] = _falls(sums, point) / held**2
    bend[-1, -1] = point.df / held**2
    return _positive_inverse((bend + bend.T) / 2)


def _positive_inverse(bend: Numbers) -> Numbers:
    steep = np.abs(np.diag(bend))
    scale = 1 / np.sqrt(np.where(steep > 0, steep, 1.0))
    values, vectors = np.linalg.eigh(bend * scale[:, None] * scale)
    good = values > 1e-6 * values.max()
    kept = vectors[:, good] * scale[:, None]
    return np.asarray(2 * (kept / values[good]) @ kept.T)
