"""Exact solution for the stacked nests by one dense inverse, for a few hundred levels.

The covariance G of their offsets has a block τ_f I + τ_c J for each coarse level; its root is Γ.
With K = I + Γ S Γ, N = Γ K⁻¹ Γ and log |V| = log |V₀| + log |K|, also where a ratio is 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from rejudge.stats.arrays import Codes, Numbers
from rejudge.stats.mixed.evaluation import LargestNest, ratios_of
from rejudge.stats.mixed.sums import Stack, Sums, row_scaled, to_dense

_MOST_PRODUCTS = 15_000_000  # numbers kept to save work in every step: 120 MB
_MOST_DENSE_CELLS = 8_000_000
_TINY = 1e-6
_STRIP = 128


class Exact:
    """Solves for the stacked nests by a dense inverse at each τ."""

    def __init__(self, sums: Sums, stack: Stack) -> None:
        self.stack = stack
        self.meetings = to_dense(stack.meetings)
        self._sizes, self._size_of = np.unique(sums.sizes, return_inverse=True)
        self._products = _products_by_size(stack.crossing, self._size_of)

    def at(self, largest: LargestNest, ratios: Numbers) -> ExactBlock:
        """Prepare for one τ."""
        return ExactBlock(self, largest, ratios)

    def by_size(self, largest: LargestNest, power: int) -> Numbers:
        """Σ_j (row j of the crossing)ᵀ (row j) / g_j^power: levels of one size weigh alike."""
        weight = (1 + largest.fine * self._sizes) ** -float(power)
        if self._products is not None:
            return np.asarray(np.tensordot(weight, self._products, axes=1))
        crossing = self.stack.crossing
        return to_dense(crossing.T @ row_scaled(crossing, weight[self._size_of]))


def _products_by_size(crossing: Any, size_of: Codes) -> Numbers | None:
    """Products of levels of one size, added up once and for all."""
    count, m = int(size_of.max()) + 1, crossing.shape[1]
    if count * m * m > _MOST_PRODUCTS:
        return None
    parts = (_faster_table(crossing[np.flatnonzero(size_of == k)]) for k in range(count))
    return np.stack([to_dense(part.T @ part) for part in parts])


def _faster_table(part: Any) -> Any:
    """Sparse only where it must be: a product of dense tables is quicker."""
    return to_dense(part) if part.shape[0] * part.shape[1] <= _MOST_DENSE_CELLS else part


class ExactBlock:
    """What the stacked nests have left at one τ."""

    def __init__(self, solver: Exact, largest: LargestNest, ratios: Numbers) -> None:
        self._solver, self._largest = solver, largest
        self._outer = largest.by_coarse(solver.stack.crossing)
        schur = solver.meetings - largest.fine * solver.by_size(largest, 1)
        if largest.nest.coarse is not None:
            schur -= to_dense(self._outer.T @ row_scaled(self._outer, largest.outer_share))
        self._solved = StackSolution(solver.stack, schur, ratios)

    @property
    def log_determinant(self) -> float:
        return self._solved.log_determinant

    def solve(self, right: Numbers, name: str) -> tuple[Numbers, Numbers]:  # noqa: ARG002 - iterations start from the last of this name
        """N @ right, and rightᵀ N right."""
        found = self._solved.inverse @ right
        return found, right.T @ found

    def schur_times(self, columns: Numbers) -> Numbers:
        """S @ columns."""
        return np.asarray(self._solved.schur @ columns)

    def lost_traces(self) -> list[float]:
        """tr N B Bᵀ of the fine grouping and of the coarse one, B = Zᵀ V₀⁻¹ Z_f or Zᵀ V₀⁻¹ Z_c."""
        largest, outer, inverse = self._largest, self._outer, self._solved.inverse
        fine = float(np.vdot(inverse, self._solver.by_size(largest, 2)))
        if largest.nest.coarse is None:
            return [fine]
        pull = largest.pull
        pulled = largest.members @ row_scaled(self._solver.stack.crossing, pull / largest.growth)
        mixed = row_scaled(outer, largest.members @ pull**2) - 2 * pulled
        fine += float(np.vdot(inverse, to_dense(outer.T @ mixed)))
        outer = row_scaled(outer, 1 / largest.outer_growth)
        return [fine, float(np.vdot(inverse, to_dense(outer.T @ outer)))]

    def traces(self) -> list[float]:
        """tr Z_kᵀ V⁻¹ Z_k of each grouping."""
        return self._solved.traces()


class StackSolution:
    """S, K⁻¹ and N of stacked nests, in full."""

    def __init__(self, stack: Stack, schur: Numbers, ratios: Numbers) -> None:
        self.stack, self.schur, self._ratios = stack, schur, ratios
        root = _Root.at(stack, ratios)
        core = root.on_both_sides(schur)
        core[np.diag_indices_from(core)] += 1
        self.log_determinant, self._core_inverse = positive_inverse(core)
        self.inverse = root.on_both_sides(self._core_inverse)

    def traces(self) -> list[float]:
        """tr Z_kᵀ V⁻¹ Z_k of each grouping."""
        found = []
        for nest, span, around in self.stack.parts():
            ratio = ratios_of(nest, self._ratios)
            found.append(self._fine_trace(span, around, ratio))
            if nest.coarse is not None:
                found.append(self._coarse_trace(around, ratio))
        return found

    @cached_property
    def _outer_kept(self) -> Numbers:
        """The sum of I − K⁻¹ over each coarse level's block."""
        members = self.stack.members
        return self.stack.member_counts - _inner(members, members @ self._core_inverse)

    def _fine_trace(self, span: slice, around: slice, ratio: tuple[float, float]) -> float:
        """tr Z_fᵀ V⁻¹ Z_f = tr G⁻¹ (I − K⁻¹); where τ_f is 0 the short way would divide by it."""
        fine, coarse = ratio
        if fine <= _TINY:
            return self._plain_trace(self.schur[span], np.diag(self.schur)[span])
        kept = 1 - np.diag(self._core_inverse)[span]
        common = coarse / (fine + coarse * self.stack.member_counts[around])
        return float(kept.sum() - common @ self._outer_kept[around]) / fine

    def _coarse_trace(self, around: slice, ratio: tuple[float, float]) -> float:
        """〃 of the coarse grouping, of which Γ² has the eigenvalue τ_f + τ_c · size."""
        fine, coarse = ratio
        if fine + coarse > _TINY:
            whole = fine + coarse * self.stack.member_counts[around]
            return float(np.sum(self._outer_kept[around] / whole))
        members = self.stack.members[around]
        rows = members @ self.schur
        return self._plain_trace(rows, _inner(members, rows))

    def _plain_trace(self, rows: Numbers, diagonal: Numbers) -> float:
        return float(diagonal.sum() - np.vdot(rows @ self.inverse, rows))


def _inner(table: Any, rows: Numbers) -> Numbers:
    """Row by row, the sum of products with another table."""
    if isinstance(table, np.ndarray):
        return np.asarray(np.sum(table * rows, axis=1))
    return np.asarray(table.multiply(rows).sum(axis=1)).reshape(-1)


@dataclass(frozen=True, slots=True)
class _Root:
    """Γ, the root of G: a number for each level, and one more for all pairs within a coarse
    level. It may be singular."""

    alone: Numbers
    together: Numbers  # by coarse level
    members: Any

    @classmethod
    def at(cls, stack: Stack, ratios: Numbers) -> _Root:
        alone = np.empty(stack.levels)
        together = np.empty(stack.members.shape[0])
        sizes = stack.member_counts
        for nest, span, around in stack.parts():
            fine, coarse = ratios_of(nest, ratios)
            alone[span] = math.sqrt(fine)
            whole = np.sqrt(fine + coarse * sizes[around])
            together[around] = (whole - math.sqrt(fine)) / sizes[around]
        return cls(alone, together, stack.members)

    def on_both_sides(self, matrix: Numbers) -> Numbers:
        """Γ A Γ of a symmetric matrix, with as few new matrices as can be."""
        found = matrix * self.alone[:, None]
        found *= self.alone
        if len(self.together):
            weight = self.together[:, None]
            rows = (self.members @ matrix) * weight
            rest = (rows @ self.members.T) * self.together / 2
            half = self.members.T @ (rows * self.alone + rest @ self.members)
            found += half
            found += half.T
        return np.asarray(found)


def positive_inverse(matrix: Numbers) -> tuple[float, Numbers]:
    """The logarithm of the determinant, and the inverse, of a positive definite matrix.

    By LAPACK's routines for such matrices, a third of the work of NumPy's; `matrix` is lost.
    """
    from scipy.linalg.lapack import dpotrf, dpotri

    if not len(matrix):
        return 0.0, matrix
    factor, _ = dpotrf(matrix.T, lower=True, overwrite_a=True)
    log_determinant = 2 * float(np.log(np.diag(factor)).sum())
    half, _ = dpotri(factor, lower=True, overwrite_c=True)
    return log_determinant, _mirror(half.T)


def _mirror(upper: Numbers) -> Numbers:
    """The lower half filled from the upper, in place, by strips that fit the cache."""
    for start in range(0, len(upper), _STRIP):
        stop = start + _STRIP
        upper[start:stop, :start] = upper[:start, start:stop].T
        square = np.triu(upper[start:stop, start:stop])
        upper[start:stop, start:stop] = square + np.triu(square, 1).T
    return upper
