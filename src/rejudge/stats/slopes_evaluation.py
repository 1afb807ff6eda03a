"""The likelihood of a model with free slopes, and how it changes with each covariance.

    V = I + Z_A (I ⊗ G_A) Z_Aᵀ + Z_B (I ⊗ G_B) Z_Bᵀ,   G = Λ Λᵀ

The larger grouping A is solved level by level: with N_i the counts of level i,

    K_i = Λ (I + Λᵀ N_i Λ)⁻¹ Λᵀ,   V_A⁻¹ = I − Z_A K Z_Aᵀ

and the smaller grouping B by one dense Cholesky factor over its levels and columns:

    S = Z_Bᵀ V_A⁻¹ Z_B = N_B − Mᵀ K M,   Q = Λ (I + Λᵀ S Λ)⁻¹ Λᵀ
    V⁻¹ = V_A⁻¹ − V_A⁻¹ Z_B Q Z_Bᵀ V_A⁻¹
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from rejudge.stats.clusters import Numbers
from rejudge.stats.mixed_design import inverse
from rejudge.stats.slopes_sums import Side, SlopeSums

Factors: TypeAlias = tuple[Numbers, ...]

_NOISE = 1e-13  # of the values' sum of squares: below this all is rounding


@dataclass(frozen=True, slots=True)
class Solved:
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
    solved: Solved
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


def look(sums: SlopeSums, factors: Factors) -> SlopePoint:
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


def _solve(sums: SlopeSums, factors: Factors) -> Solved:
    larger, counts = sums.larger, sums.larger.counts
    weight, log_determinant = _by_level(larger, factors[0])
    weighted = weight @ larger.sums
    cross = sums.cross - np.einsum("lci,lcj->ij", larger.sums, weighted)
    kept = np.eye(larger.width) - counts[:, :, None] * weight  # I − N K
    own = np.einsum("lcd,ld->cd", kept, counts)  # Σ (I − N K) N
    if sums.smaller is None:
        return Solved(weight, None, log_determinant, (own,), (kept @ larger.sums,), cross)
    smaller = sums.smaller
    shown = -sums.met(weight, smaller)
    places = np.arange(smaller.levels)
    for column in range(smaller.width):
        shown[column, places, column, places] += smaller.counts[:, column]
    inner, more = _dense(shown, factors[1])
    right = smaller.sums - sums.back(weighted, smaller)
    answer = _applied(inner, right)
    cross = cross - np.einsum("lci,lcj->ij", right, answer)
    taken = kept @ sums.squares(inner) @ kept.transpose(0, 2, 1)
    seen = kept @ (larger.sums - sums.across(answer)), right - _applied(shown, answer)
    traces = own - taken.sum(axis=0), _trace(shown, inner)
    return Solved(weight, inner, log_determinant + more, traces, seen, cross)


def _by_level(side: Side, factor: Numbers) -> tuple[Numbers, float]:
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


def _applied(square: Numbers, columns: Numbers) -> Numbers:
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


def turns(sums: SlopeSums, point: SlopePoint) -> list[Numbers]:
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
    first, second = _placed(sums, turned)
    plain = _inner(turned[0], first)
    if sums.smaller is not None:
        plain = np.vstack([plain, _inner(turned[1], second)])
    weighted = solved.weight @ first
    plain = plain - _inner(first, weighted)
    if sums.smaller is not None and solved.inner is not None:
        right = second - sums.back(weighted, sums.smaller)
        plain = plain - _inner(right, _applied(solved.inner, right))
    pairs = zip(turned, solved.seen, strict=True)
    fixed = np.hstack([_inner(seen[:, :, :p], each) for each, seen in pairs])
    return np.asarray(plain - fixed.T @ point.inverse @ fixed)


def _placed(sums: SlopeSums, turned: Sequence[Numbers]) -> tuple[Numbers, Numbers]:
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
