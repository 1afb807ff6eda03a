"""V⁻¹ applied to the columns at given variance ratios, and its derivatives by each ratio.

The largest nest is solved first: V₀ = I + τ_f Z_f Z_fᵀ + τ_c Z_c Z_cᵀ, with f its fine grouping of
sizes n_j and c the coarse one around it. With g_j = 1 + τ_f n_j, a_i = Σ_{j in i} n_j / g_j and
h_i = 1 + τ_c a_i, and for any columns Y with sums y_j by level of f and e_i = Σ_{j in i} y_j / g_j,

    log |V₀| = Σ log g_j + Σ log h_i
    V₀⁻¹ = I − Z_f T Z_fᵀ,   (T y)_j = τ_f y_j / g_j + (τ_c / h_i) e_i / g_j

(Woodbury's formula twice). The levels of the other nests are stacked as Z with covariance G. With
S = Zᵀ V₀⁻¹ Z and N = (G⁻¹ + S)⁻¹, V⁻¹ = V₀⁻¹ − V₀⁻¹ Z N Zᵀ V₀⁻¹. A `Solver` decides how N is
applied and how the traces follow: exactly, from a dense matrix of a few hundred levels (`Exact`),
or by iteration, for any number of levels (`iterative`).

Exactly: G has a block τ_f I + τ_c J for each coarse level; its root is Γ. With K = I + Γ S Γ,
N = Γ K⁻¹ Γ and log |V| = log |V₀| + log |K|, also where a ratio is 0.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from rejudge.stats.arrays import Codes, Numbers
from rejudge.stats.mixed.sums import (
    Nest,
    Stack,
    Sums,
    positive_inverse,
    scale_rows,
    to_dense,
    transpose,
)


class Block(Protocol):
    """What the stacked nests have left at one τ when the largest is solved for."""

    @property
    def log_determinant(self) -> float | None:
        """log |V| − log |V₀|, or None where it is not known."""

    def solve(self, right: Numbers, name: str) -> tuple[Numbers, Numbers]:
        """N @ right, and rightᵀ N right; `name` says what is solved for."""

    def schur_times(self, columns: Numbers) -> Numbers:
        """S @ columns."""

    def lost_traces(self) -> Sequence[float]:
        """tr Z_kᵀ V₀⁻¹ Z N Zᵀ V₀⁻¹ Z_k of the largest nest's groupings, the fine one first."""

    def traces(self) -> Sequence[float]:
        """tr Z_kᵀ V⁻¹ Z_k of the stacked groupings, nest by nest, the fine one first."""


class Solver(Protocol):
    """A way of solving for the stacked nests."""

    def at(self, largest: LargestNest, ratios: Numbers) -> Block:
        """Prepare for one τ."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """V at one τ: log |V|, Wᵀ V⁻¹ W, and how both change with each τ_k (in the caller's order)."""

    log_determinant: float | None  # None where the solver does not know it
    cross: Numbers
    traces: Numbers  # ∂ log |V| / ∂ τ_k
    seen: tuple[Numbers, ...]  # Z_kᵀ V⁻¹ W
    falls: Numbers  # −∂ Wᵀ V⁻¹ W / ∂ τ_k, one matrix each
    largest: LargestNest
    block: Block | None


def evaluate(sums: Sums, ratios: Numbers, solver: Solver | None) -> Evaluation:
    """V⁻¹ and its slopes at the variance ratios τ, none of which is negative. Only a single nest
    needs no solver."""
    largest = LargestNest.at(sums, ratios)
    cross = sums.cross - largest.taken(sums.sums)
    traces, block = largest.traces(), None
    places = _places(sums.nest)
    if sums.stack is None or solver is None:
        seen = largest.seen(sums.sums.copy())
    else:
        block = solver.at(largest, ratios)
        right = largest.seen_by_stack(sums.stack, sums.sums, sums.stack.sums)
        solved, lost = block.solve(right, "columns")
        cross -= lost
        left = np.asarray(sums.stack.crossing @ solved)
        seen = largest.seen(np.subtract(sums.sums, left, out=left))
        seen += _by_grouping(sums.stack, right - block.schur_times(solved))
        traces = [a - b for a, b in zip(traces, block.lost_traces(), strict=True)]
        traces += block.traces()
        places += [place for nest in sums.stack.nests for place in _places(nest)]
    order = np.argsort(places)
    in_order = tuple(seen[k] for k in order)
    return Evaluation(
        log_determinant=_total(largest, block),
        cross=(cross + cross.T) / 2,
        traces=np.array(traces)[order],
        seen=in_order,
        falls=np.stack([each.T @ each for each in in_order]),
        largest=largest,
        block=block,
    )


def information_products(sums: Sums, found: Evaluation, column: Numbers) -> tuple[Numbers, Numbers]:
    """Uᵀ V⁻¹ U and Uᵀ V⁻¹ W, where U_k = Z_k Z_kᵀ V⁻¹ W `column` is how V⁻¹ turns with τ_k.

    U is constant within levels, so its sums follow from the tables.
    """
    offsets = [rows @ column for rows in found.seen]
    count, largest, stack = len(offsets), found.largest, sums.stack
    inner = _by_fine_level(sums.nest, sums.members, offsets)
    rows = inner * sums.sizes[:, None]
    across = np.stack([z.T @ offset for z, offset in zip(found.seen, offsets, strict=True)])
    if stack is None or found.block is None:
        return inner.T @ rows - largest.taken(rows), across
    others = np.vstack([
        _by_fine_level(nest, stack.members[around][:, span], offsets)
        for nest, span, around in stack.parts()
    ])  # fmt: skip
    rows = rows + stack.crossing @ others
    stack_rows = np.asarray(stack.crossing.T @ inner + stack.meetings @ others)
    right = largest.seen_by_stack(stack, rows, stack_rows)
    lost = largest.taken(rows) + found.block.solve(right, "turned")[1]
    product = inner.T @ rows + others.T @ stack_rows - lost
    return (product + product.T)[:count, :count] / 2, across


def _places(nest: Nest) -> list[int]:
    return [nest.fine] if nest.coarse is None else [nest.fine, nest.coarse]


def _total(largest: LargestNest, block: Block | None) -> float | None:
    if block is None:
        return largest.log_determinant
    more = block.log_determinant
    return None if more is None else largest.log_determinant + more


def _by_grouping(stack: Stack, rows: Numbers) -> list[Numbers]:
    """Rows by stacked level as rows by level of each grouping."""
    outer = np.asarray(stack.members @ rows)
    found: list[Numbers] = []
    for nest, span, around in stack.parts():
        found += [rows[span]] if nest.coarse is None else [rows[span], outer[around]]
    return found


def _by_fine_level(nest: Nest, members: Any, offsets: Sequence[Numbers]) -> Numbers:
    """The offsets of a nest's groupings at its fine levels, one column for each grouping there is;
    0 for those of other nests."""
    found = np.zeros((nest.levels, len(offsets)))
    found[:, nest.fine] = offsets[nest.fine]
    if nest.coarse is not None:
        found[:, nest.coarse] = members.T @ offsets[nest.coarse]
    return found


def ratios_of(nest: Nest, ratios: Numbers) -> tuple[float, float]:
    """τ_f and τ_c; the latter is 0 where there is no coarse grouping."""
    return float(ratios[nest.fine]), 0.0 if nest.coarse is None else float(ratios[nest.coarse])


@dataclass(frozen=True, slots=True)
class LargestNest:
    """V₀ in parts. Without a coarse grouping `members` has no rows, nor has anything by i."""

    nest: Nest
    fine: float  # τ_f
    coarse: float  # τ_c
    sizes: Numbers  # n_j
    growth: Numbers  # g_j
    within: Numbers  # a_i
    outer_growth: Numbers  # h_i
    members: Any
    shrunk_members: Any  # the same turned around, with 1 / g_j for 1

    @classmethod
    def at(cls, sums: Sums, ratios: Numbers) -> LargestNest:
        return cls.of(sums.nest, sums.members, sums.sizes, ratios)

    @classmethod
    def of(cls, nest: Nest, members: Any, sizes: Numbers, ratios: Numbers) -> LargestNest:
        """〃 where judgments have weights: `sizes` are the sums of the weights."""
        fine, coarse = ratios_of(nest, ratios)
        growth = 1 + fine * sizes
        within = members @ (sizes / growth)
        return cls(
            nest=nest,
            fine=fine,
            coarse=coarse,
            sizes=sizes,
            growth=growth,
            within=within,
            outer_growth=1 + coarse * within,
            members=members,
            shrunk_members=scale_rows(transpose(members), 1 / growth),
        )

    @property
    def log_determinant(self) -> float:
        return float(np.log(self.growth).sum() + np.log(self.outer_growth).sum())

    @property
    def outer_share(self) -> Numbers:
        """τ_c / h_i."""
        return self.coarse / self.outer_growth

    @property
    def pull(self) -> Numbers:
        """How far e_i moves level j: n_j τ_c / (g_j h_i)."""
        return np.asarray(self.sizes / self.growth * (self.members.T @ self.outer_share))

    def by_coarse(self, rows: Any) -> Any:
        """e_i of sums by level."""
        return self.members @ scale_rows(rows, 1 / self.growth)

    def taken_by_level(self, rows: Numbers) -> Numbers:
        """T @ rows."""
        scaled = rows * (1 / self.growth)[:, None]
        if self.coarse == 0:
            scaled *= self.fine
            return scaled
        outer = (self.members @ scaled) * self.outer_share[:, None]
        scaled *= self.fine
        scaled += self.shrunk_members @ outer
        return scaled

    def taken(self, rows: Numbers) -> Numbers:
        """Yᵀ Y − Yᵀ V₀⁻¹ Y of columns with these sums by level."""
        return np.asarray(rows.T @ self.taken_by_level(rows))

    def seen(self, rows: Numbers) -> list[Numbers]:
        """Z_fᵀ V₀⁻¹ Y and Z_cᵀ V₀⁻¹ Y of columns with these sums by level, which are overwritten:
        with millions of levels every copy counts."""
        rows *= (1 / self.growth)[:, None]
        outer = self.members @ rows
        shared = self.shrunk_members @ (outer * self.outer_share[:, None])
        shared *= self.sizes[:, None]
        rows -= shared
        if self.nest.coarse is None:
            return [rows]
        return [rows, scale_rows(outer, 1 / self.outer_growth)]

    def traces(self) -> list[float]:
        """tr Z_fᵀ V₀⁻¹ Z_f and tr Z_cᵀ V₀⁻¹ Z_c."""
        fine = float(self.sizes / self.growth @ (1 - self.pull))
        if self.nest.coarse is None:
            return [fine]
        return [fine, float(np.sum(self.within / self.outer_growth))]

    def seen_by_stack(self, stack: Stack, rows: Numbers, stack_rows: Numbers) -> Numbers:
        """Zᵀ V₀⁻¹ Y of columns with these sums by level of the nest, and by stacked level."""
        return np.asarray(stack_rows - stack.crossing.T @ self.taken_by_level(rows))


_MOST_PRODUCTS = 15_000_000  # numbers kept to save work in every step: 120 MB
_MOST_DENSE_CELLS = 8_000_000
_TINY = 1e-6


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
        return to_dense(crossing.T @ scale_rows(crossing, weight[self._size_of]))


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
            schur -= to_dense(self._outer.T @ scale_rows(self._outer, largest.outer_share))
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
        pulled = largest.members @ scale_rows(self._solver.stack.crossing, pull / largest.growth)
        mixed = scale_rows(outer, largest.members @ pull**2) - 2 * pulled
        fine += float(np.vdot(inverse, to_dense(outer.T @ mixed)))
        outer = scale_rows(outer, 1 / largest.outer_growth)
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
