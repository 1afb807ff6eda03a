"""The likelihood of a model with free slopes, its derivatives, and its maximum.

    V = I + Z_A (I ⊗ G_A) Z_Aᵀ + Z_B (I ⊗ G_B) Z_Bᵀ,   G = Λ Λᵀ

The larger grouping A is solved level by level: with N_i the counts of level i,

    K_i = Λ (I + Λᵀ N_i Λ)⁻¹ Λᵀ,   V_A⁻¹ = I − Z_A K Z_Aᵀ

and the smaller grouping B by one dense Cholesky factor over its levels and columns:

    S = Z_Bᵀ V_A⁻¹ Z_B = N_B − Mᵀ K M,   Q = Λ (I + Λᵀ S Λ)⁻¹ Λᵀ
    V⁻¹ = V_A⁻¹ − V_A⁻¹ Z_B Q Z_Bᵀ V_A⁻¹

The search over the elements of the Cholesky factors has no bounds: changing the sign of a column
gives the same covariance, so a covariance of lower rank is not a boundary. Newton's steps use the
average of the observed and the expected curvature of V (Gilmour, Thompson & Cullis 1995) and that
of G = Λ Λᵀ. At the end the observed curvature comes from differences of the slope, as in lmerTest,
for Satterthwaite's degrees of freedom.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from rejudge.stats.arrays import Numbers
from rejudge.stats.mixed.effects import inverse
from rejudge.stats.mixed.slopes_sums import GroupingSums, SlopeSums

Factors: TypeAlias = tuple[Numbers, ...]

_NOISE = 1e-13  # of the values' sum of squares: below this all is rounding
_START = 0.1  # of the variance of every system, in units of σ²; half of it is shared by all
_STEPS = 100
_HALVINGS = 12
_LONGEST = 2.0  # step of an element, in units of the largest
_SETTLED = 1e-11  # what a further step would gain of the criterion
_FLAT = 1e-6  # 〃 that rounding may hide
_LEAST_CURVED = 1e-9  # of the largest curvature
_RISING = 1e-2  # slope by a variance, beyond which the search does not end at a variance of 0
_INSIDE = 0.05  # a standard deviation from which the search goes on
_TINY = 1e-300
_DIFFERENCE = 1e-4
_LARGEST = 1e3  # a standard deviation in units of the residual's: beyond, none is left
_NO_RESIDUAL = 1e-7  # of the values' variance


@dataclass(frozen=True, slots=True)
class LevelSolution:
    """V⁻¹ in terms of sums by level."""

    weight: Numbers  # K, by level of the larger grouping
    inner: Numbers | None  # Q, column by column of the smaller grouping
    log_determinant: float
    traces: Factors  # Σ over levels of Zᵀ V⁻¹ Z, for each grouping
    seen: Factors  # Zᵀ V⁻¹ W, by level and column
    cross: Numbers  # Wᵀ V⁻¹ W


@dataclass(frozen=True, slots=True)
class SlopePoint:
    """What is known at one pair of factors."""

    factors: Factors
    solved: LevelSolution
    beta: Numbers
    inverse: Numbers  # (Xᵀ V⁻¹ X)⁻¹
    residual: float  # what V⁻¹ leaves of the value, squared
    df: int
    determinants: Factors  # slope of the logarithms of determinants by each element of G
    squares: Factors  # Zᵀ P y squared, 〃

    @property
    def variance(self) -> float:
        """σ²."""
        return self.residual / self.df

    @property
    def left(self) -> Numbers:
        """What turns the columns into the value less its fixed effects."""
        return np.append(-self.beta, 1.0)

    @property
    def criterion(self) -> float:
        """−2 log restricted likelihood."""
        spread = -float(np.linalg.slogdet(self.inverse)[1])
        scale = self.df * (1 + np.log(2 * np.pi * self.variance))
        return self.solved.log_determinant + spread + float(scale)

    def slopes(self, variance: float) -> Factors:
        """How the criterion changes with each element of G, σ² held."""
        pairs = zip(self.determinants, self.squares, strict=True)
        return tuple(fixed - square / variance for fixed, square in pairs)


def evaluate_slopes(sums: SlopeSums, factors: Factors) -> SlopePoint:
    """The criterion, its slopes and the estimates at these factors."""
    solved = _solve(sums, factors)
    p = len(solved.cross) - 1
    spread = inverse(solved.cross[:p, :p])
    beta = spread @ solved.cross[:p, p]
    left = np.append(-beta, 1.0)
    residual = max(float(left @ solved.cross @ left), _NOISE * float(sums.cross[-1, -1]))
    offsets = [seen @ left for seen in solved.seen]
    return SlopePoint(
        factors=factors,
        solved=solved,
        beta=beta,
        inverse=spread,
        residual=residual,
        df=sums.n - p,
        determinants=tuple(
            trace - _share(seen[:, :, :p], spread)
            for trace, seen in zip(solved.traces, solved.seen, strict=True)
        ),
        squares=tuple(each.T @ each for each in offsets),
    )


def _share(seen: Numbers, spread: Numbers) -> Numbers:
    """What the fixed effects take off a trace."""
    width = seen.shape[1]
    turned = (seen @ spread).transpose(1, 0, 2).reshape(width, -1)
    return np.asarray(turned @ seen.transpose(1, 0, 2).reshape(width, -1).T)


def _solve(sums: SlopeSums, factors: Factors) -> LevelSolution:
    larger, counts = sums.larger, sums.larger.counts
    weight, log_determinant = _by_level(larger, factors[0])
    weighted = weight @ larger.sums
    cross = sums.cross - np.einsum("lci,lcj->ij", larger.sums, weighted)
    kept = np.eye(larger.width) - counts[:, :, None] * weight  # I − N K
    own = np.einsum("lcd,ld->cd", kept, counts)  # Σ (I − N K) N
    if sums.smaller is None:
        return LevelSolution(weight, None, log_determinant, (own,), (kept @ larger.sums,), cross)
    smaller = sums.smaller
    shown = -sums.met(weight, smaller)
    places = np.arange(smaller.levels)
    for column in range(smaller.width):
        shown[column, places, column, places] += smaller.counts[:, column]
    inner, more = _dense(shown, factors[1])
    right = smaller.sums - sums.back(weighted, smaller)
    answer = _apply(inner, right)
    cross = cross - np.einsum("lci,lcj->ij", right, answer)
    taken = kept @ sums.squares(inner) @ kept.transpose(0, 2, 1)
    seen = kept @ (larger.sums - sums.across(answer)), right - _apply(shown, answer)
    traces = own - taken.sum(axis=0), _trace(shown, inner)
    return LevelSolution(weight, inner, log_determinant + more, traces, seen, cross)


def _by_level(side: GroupingSums, factor: Numbers) -> tuple[Numbers, float]:
    """K of every level, and the logarithm of all determinants."""
    core = np.einsum("ca,lc,cb->lab", factor, side.counts, factor) + np.eye(side.width)
    weight = factor @ np.linalg.inv(core) @ factor.T
    return np.asarray(weight), float(np.linalg.slogdet(core)[1].sum())


def _dense(shown: Numbers, factor: Numbers) -> tuple[Numbers, float]:
    """Q, and the logarithm of the determinant."""
    from scipy.linalg.lapack import dpotrf, dpotri

    shape, size = shown.shape, shown.shape[0] * shown.shape[1]
    half = np.einsum("ca,crds->ards", factor, shown)
    core = np.einsum("ards,db->arbs", half, factor).reshape(size, size)
    core[np.diag_indices(size)] += 1
    root, _ = dpotrf(core, lower=1, overwrite_a=1)
    log_determinant = 2 * float(np.log(np.diag(root)).sum())
    lower = np.tril(dpotri(root, lower=1)[0])
    whole = (lower + np.tril(lower, -1).T).reshape(shape)
    half = np.einsum("ca,ards->crds", factor, whole)
    return np.einsum("crbs,db->crds", half, factor), log_determinant


def _apply(square: Numbers, columns: Numbers) -> Numbers:
    """A matrix over columns and levels, times what is given by level and column."""
    size = square.shape[0] * square.shape[1]
    flat = columns.transpose(1, 0, 2).reshape(size, -1)
    found = square.reshape(size, size) @ flat
    return np.asarray(found.reshape(square.shape[0], square.shape[1], -1).transpose(1, 0, 2))


def _trace(shown: Numbers, inner: Numbers) -> Numbers:
    """Σ over levels of S − S Q S."""
    size = shown.shape[0] * shown.shape[1]
    product = (shown.reshape(size, size) @ inner.reshape(size, size)).reshape(shown.shape)
    taken = np.einsum("crds,erds->ce", product, shown)
    return np.asarray(np.einsum("crdr->cd", shown) - taken)


def factor_derivatives(sums: SlopeSums, point: SlopePoint) -> list[Numbers]:
    """∂G/∂θ applied to Zᵀ P y: for each element of each factor, by level and column."""
    found = []
    for side, factor, seen in zip(sums.sides, point.factors, point.solved.seen, strict=True):
        offsets = seen @ point.left
        rows, columns = side.places
        turned = np.zeros((side.levels, side.width, len(rows)))
        turned[:, rows, np.arange(len(rows))] = (offsets @ factor)[:, columns]
        turned += factor[:, columns] * offsets[:, rows][:, None, :]
        found.append(turned)
    return found


def products(sums: SlopeSums, point: SlopePoint, turned: Sequence[Numbers]) -> Numbers:
    """yᵀ P V_j P V_k P y for each two elements, V_j the slope of V by one of them."""
    solved, p = point.solved, len(point.beta)
    first, second = _level_sums(sums, turned)
    plain = _inner(turned[0], first)
    if sums.smaller is not None:
        plain = np.vstack([plain, _inner(turned[1], second)])
    weighted = solved.weight @ first
    plain = plain - _inner(first, weighted)
    if sums.smaller is not None and solved.inner is not None:
        right = second - sums.back(weighted, sums.smaller)
        plain = plain - _inner(right, _apply(solved.inner, right))
    pairs = zip(turned, solved.seen, strict=True)
    fixed = np.hstack([_inner(seen[:, :, :p], each) for each, seen in pairs])
    return np.asarray(plain - fixed.T @ point.inverse @ fixed)


def _level_sums(sums: SlopeSums, turned: Sequence[Numbers]) -> tuple[Numbers, Numbers]:
    """Sums of Z h by level of the larger grouping and of the smaller one."""
    first = sums.larger.counts[:, :, None] * turned[0]
    if sums.smaller is None:
        return first, first[:0]
    second = sums.smaller.counts[:, :, None] * turned[1]
    return (
        np.concatenate([first, sums.across(turned[1])], axis=2),
        np.concatenate([sums.back(turned[0], sums.smaller), second], axis=2),
    )


def _inner(one: Numbers, other: Numbers) -> Numbers:
    """Sums of products over levels and columns."""
    size = one.shape[0] * one.shape[1]
    return np.asarray(one.reshape(size, -1).T @ other.reshape(size, -1))


@dataclass(frozen=True, slots=True)
class SlopesOptimum:
    """The most likely factors."""

    point: SlopePoint
    elements: Numbers  # of all factors, one after the other
    converged: bool
    exhausted: bool  # whether the groups leave no residual


def search(sums: SlopeSums, start: Numbers | None = None) -> SlopesOptimum:
    """The most likely factors, from elements that are given or from the same for all tables."""
    usual = np.concatenate([_start(side) for side in sums.sides])
    elements = usual if start is None else start
    point, gain = _at(sums, elements), np.inf
    for _ in range(_STEPS):
        step, gain = _newton_step(sums, point)
        is_settled = gain < _SETTLED
        further = (
            _leave_boundary(sums, point) if is_settled else _lower(sums, point, elements, step)
        )
        if further is None or _is_exhausted(sums, point):
            break
        elements, point = further
    return SlopesOptimum(point, elements, gain < _FLAT, _is_exhausted(sums, point))


def split_elements(sums: SlopeSums, elements: Numbers) -> Factors:
    """The factor of each grouping."""
    sides, found, end = sums.sides, [], 0
    for side in sides:
        start, end = end, end + len(side.places[0])
        found.append(side.factor(elements[start:end]))
    return tuple(found)


def _at(sums: SlopeSums, elements: Numbers) -> SlopePoint:
    return evaluate_slopes(sums, split_elements(sums, elements))


def _start(side: GroupingSums) -> Numbers:
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
    falls = _residual_slopes(sums, point)
    bend = products(sums, point, factor_derivatives(sums, point)) / point.variance
    bend -= np.outer(falls, falls) / (point.df * point.variance**2)
    end = 0
    for side, slope in zip(sums.sides, point.slopes(point.variance), strict=True):
        rows, columns = side.places
        start, end = end, end + len(rows)
        own = 2 * _mostly_positive(slope)[np.ix_(rows, rows)]
        bend[start:end, start:end] += own * np.equal.outer(columns, columns)
    return np.asarray((bend + bend.T) / 2)


def _residual_slopes(sums: SlopeSums, point: SlopePoint) -> Numbers:
    """How fast what is left of the value falls with each element."""
    parts = zip(sums.sides, point.squares, point.factors, strict=True)
    return np.concatenate([2 * (square @ factor)[side.places] for side, square, factor in parts])


def _mostly_positive(slope: Numbers) -> Numbers:
    """The slope by G, with a tenth of what is negative in it as positive: far from the end it may
    be large, and steps that follow it in full go astray."""
    values, vectors = np.linalg.eigh((slope + slope.T) / 2)
    return np.asarray((vectors * np.where(values > 0, values, -values / 10)) @ vectors.T)


def _leave_boundary(sums: SlopeSums, point: SlopePoint) -> tuple[Numbers, SlopePoint] | None:
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


def uncertainty(sums: SlopeSums, peak: SlopesOptimum) -> Numbers:
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
    bend[:count, -1] = bend[-1, :count] = _residual_slopes(sums, point) / held**2
    bend[-1, -1] = point.df / held**2
    return _positive_inverse((bend + bend.T) / 2)


def _positive_inverse(bend: Numbers) -> Numbers:
    steep = np.abs(np.diag(bend))
    scale = 1 / np.sqrt(np.where(steep > 0, steep, 1.0))
    values, vectors = np.linalg.eigh(bend * scale[:, None] * scale)
    good = values > 1e-6 * values.max()
    kept = vectors[:, good] * scale[:, None]
    return np.asarray(2 * (kept / values[good]) @ kept.T)
