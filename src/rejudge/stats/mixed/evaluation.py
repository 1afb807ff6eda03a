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

A grouping with free slopes is solved level by level: with N_i the judgments of each system at level
i, K_i = Γ (I + Γ N_i Γ)⁻¹ Γ and V₀⁻¹ = I − Z K Zᵀ (`LevelBlocks`).

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
    Slopes,
    Stack,
    Sums,
    Term,
    faster_table,
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
        """tr V_k V₀⁻¹ Z N Zᵀ V₀⁻¹ of the largest nest's groupings, the fine one first."""

    def traces(self) -> Sequence[float]:
        """tr V_k V⁻¹ of the stacked groupings, nest by nest, the fine one first."""


class Solver(Protocol):
    """A way of solving for the stacked nests."""

    def at(self, largest: Any, ratios: Numbers) -> Block:  # Any: not all solve every kind of term
        """Prepare for one τ."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """V at one τ: log |V|, Wᵀ V⁻¹ W, and how both change with each τ_k (in the caller's order).

    ∂V / ∂τ_k = V_k is Z_k Z_kᵀ; for an element of G beside the diagonal, Z_k Z_lᵀ + Z_l Z_kᵀ with
    the offsets of two systems."""

    log_determinant: float | None  # None where the solver does not know it
    cross: Numbers
    traces: Numbers  # ∂ log |V| / ∂ τ_k
    seen: tuple[tuple[Numbers, Numbers], ...]  # Z_kᵀ V⁻¹ W and Z_lᵀ V⁻¹ W, usually the same
    falls: Numbers  # −∂ Wᵀ V⁻¹ W / ∂ τ_k, one matrix each
    largest: LargestNest | LevelBlocks
    block: Block | None


def evaluate(sums: Sums[Term], ratios: Numbers, solver: Solver | None) -> Evaluation:
    """V⁻¹ and its slopes at the variance ratios τ, none of which is negative. Only a single nest
    needs no solver."""
    largest = eliminate(sums, ratios)
    cross = sums.cross - largest.taken(sums.sums)
    traces, block = largest.traces(), None
    if sums.stack is None or solver is None:
        seen = [largest.seen(sums.sums.copy())]
    else:
        block = solver.at(largest, ratios)
        right = sums.stack.sums - sums.stack.crossing.T @ largest.taken_by_level(sums.sums)
        solved, lost = block.solve(right, "columns")
        cross -= lost
        left = np.asarray(sums.stack.crossing @ solved)
        seen = [largest.seen(np.subtract(sums.sums, left, out=left))]
        seen += _by_grouping(sums.stack, right - block.schur_times(solved))
        traces = [a - b for a, b in zip(traces, block.lost_traces(), strict=True)]
        traces += block.traces()
    pairs = [
        pair for term, rows in zip(sums.terms, seen, strict=True) for pair in _pairs(term, rows)
    ]
    order = np.argsort(sums.places)
    return Evaluation(
        log_determinant=_total(largest, block),
        cross=(cross + cross.T) / 2,
        traces=np.array(traces)[order],
        seen=tuple(pairs[k] for k in order),
        falls=np.stack([_fall(*pairs[k]) for k in order]),
        largest=largest,
        block=block,
    )


def eliminate(sums: Sums[Term], ratios: Numbers) -> LargestNest | LevelBlocks:
    """The largest term, solved for."""
    if isinstance(sums.nest, Slopes):
        return LevelBlocks.at(sums.nest, sums.sizes, ratios)
    return LargestNest.of(sums.nest, sums.members, sums.sizes, ratios)


def information_products(
    sums: Sums[Term], found: Evaluation, column: Numbers
) -> tuple[Numbers, Numbers]:
    """Uᵀ V⁻¹ U and Uᵀ V⁻¹ W, where U_k = V_k V⁻¹ W `column` is how V⁻¹ turns with τ_k.

    U is constant within levels, so its sums follow from the tables.
    """
    largest, stack = found.largest, sums.stack
    inner = _turn(sums.nest, sums.members, found, column)
    rows = inner * sums.sizes[:, None]
    across = found.falls @ column
    if stack is None or found.block is None:
        return inner.T @ rows - largest.taken(rows), across
    others = np.vstack([
        _turn(nest, stack.members[around][:, span], found, column)
        for nest, span, around in stack.parts()
    ])  # fmt: skip
    rows = rows + stack.crossing @ others
    stack_rows = np.asarray(stack.crossing.T @ inner + stack.meetings @ others)
    right = stack_rows - stack.crossing.T @ largest.taken_by_level(rows)
    lost = largest.taken(rows) + found.block.solve(right, "turned")[1]
    product = inner.T @ rows + others.T @ stack_rows - lost
    return (product + product.T)[: len(across), : len(across)] / 2, across


def _pairs(term: Term, seen: list[Numbers]) -> Sequence[tuple[Numbers, Numbers]]:
    """For each ratio of a term, what its two sides see; usually they are the same."""
    if isinstance(term, Slopes):
        return [(seen[k], seen[m]) for k, m in zip(*term.elements, strict=True)]
    return [(rows, rows) for rows in seen]


def _fall(one: Numbers, other: Numbers) -> Numbers:
    found = one.T @ other
    return found if one is other else found + found.T


def _total(largest: LargestNest | LevelBlocks, block: Block | None) -> float | None:
    if block is None:
        return largest.log_determinant
    more = block.log_determinant
    return None if more is None else largest.log_determinant + more


def _by_grouping(stack: Stack[Term], rows: Numbers) -> list[list[Numbers]]:
    """Rows by stacked level as rows by level of each grouping, or of each system."""
    outer = np.asarray(stack.members @ rows)
    found: list[list[Numbers]] = []
    for nest, span, around in stack.parts():
        if isinstance(nest, Slopes):
            found.append(nest.by_system(rows[span]))
        else:
            found.append([rows[span]] if nest.coarse is None else [rows[span], outer[around]])
    return found


def _turn(term: Term, members: Any, found: Evaluation, column: Numbers) -> Numbers:
    """U at the offsets of a term, one column for each ratio there is; 0 for those of others."""
    turned = np.zeros((term.levels, len(found.seen)))
    if isinstance(term, Slopes):
        systems = term.by_system(turned)  # views
        for place, k, m in zip(term.places, *term.elements, strict=True):
            one, other = found.seen[place]
            systems[k][:, place], systems[m][:, place] = other @ column, one @ column
        return turned
    turned[:, term.fine] = found.seen[term.fine][0] @ column
    if term.coarse is not None:
        turned[:, term.coarse] = members.T @ (found.seen[term.coarse][0] @ column)
    return turned


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
    def of(cls, nest: Nest, members: Any, sizes: Numbers, ratios: Numbers) -> LargestNest:
        """At one τ. Where judgments have weights, `sizes` are their sums."""
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


@dataclass(frozen=True, slots=True)
class LevelBlocks:
    """V₀ of a grouping with free slopes."""

    term: Slopes
    weight: Numbers  # K, by level
    kept: Numbers  # I − N K, 〃
    own: Numbers  # Σ (I − N K) N over the levels, for each two systems
    log_determinant: float

    @classmethod
    def at(cls, term: Slopes, sizes: Numbers, ratios: Numbers) -> LevelBlocks:
        """At one G."""
        counts, root = sizes.reshape(term.blocks, term.width), term.root(ratios)
        core = np.einsum("ca,lc,cb->lab", root, counts, root) + np.eye(term.width)
        weight = root @ np.linalg.inv(core) @ root
        kept = np.eye(term.width) - counts[:, :, None] * weight
        own = np.einsum("lcd,ld->cd", kept, counts)
        return cls(term, weight, kept, own, float(np.linalg.slogdet(core)[1].sum()))

    def taken_by_level(self, rows: Numbers) -> Numbers:
        """K @ rows."""
        return np.asarray(self.weight @ self.term.in_blocks(rows)).reshape(rows.shape)

    def taken(self, rows: Numbers) -> Numbers:
        """Yᵀ Y − Yᵀ V₀⁻¹ Y of columns with these sums by level and system."""
        return np.asarray(rows.T @ self.taken_by_level(rows))

    def taken_by_stack(self, meetings: Sequence[SystemMeetings], size: int) -> Numbers:
        """Zᵀ Z − Zᵀ V₀⁻¹ Z of the stacked levels."""
        found = np.zeros((size, size))
        for k, one in enumerate(meetings):
            for m, other in enumerate(meetings[: k + 1]):
                product = to_dense(one.turned @ scale_rows(other.table, self.weight[:, k, m]))
                found[one.columns, other.columns] += product
                if m != k:
                    found[other.columns, one.columns] += product.T
        return found

    def seen(self, rows: Numbers) -> list[Numbers]:
        """Z_sᵀ V₀⁻¹ Y of each system, of columns with these sums."""
        return list((self.kept @ self.term.in_blocks(rows)).transpose(1, 0, 2))

    def traces(self) -> list[float]:
        """tr V_k V₀⁻¹ of each element of G."""
        return self.term.slopes(self.own)

    def lost_traces(self, meetings: Sequence[SystemMeetings], inverse: Numbers) -> list[float]:
        """tr V_k V₀⁻¹ Z N Zᵀ V₀⁻¹ of each element of G."""
        lost = np.empty_like(self.weight)
        for k, one in enumerate(meetings):
            for m, other in enumerate(meetings[: k + 1]):
                rows = one.table @ inverse[one.columns, other.columns]
                lost[:, k, m] = lost[:, m, k] = _inner(other.table, rows)
        return self.term.slopes(np.sum(self.kept @ lost @ self.kept.transpose(0, 2, 1), axis=0))


@dataclass(frozen=True, slots=True)
class SystemMeetings:
    """How many judgments of one system the levels of two groupings share."""

    columns: slice  # of the stacked levels that have any
    table: Any  # sparse or dense
    turned: Any

    @classmethod
    def of(cls, term: Slopes, other: Slopes, crossing: Any) -> list[SystemMeetings]:
        """System by system. A grouping of width 1 has one offset for all of them."""
        is_split = term.width > 1 and other.width > 1
        found = []
        for system in range(term.width):
            columns = slice(system, None, other.width) if is_split else slice(None)
            part = crossing[system :: term.width, columns]
            table = part if isinstance(part, np.ndarray) else faster_table(part, _CELLS * part.nnz)
            found.append(cls(columns, table, transpose(table)))
        return found


_CELLS = 11  # for each number; up to this many a product is quicker of a full table
_MOST_PRODUCTS = 15_000_000  # numbers kept to save work in every step: 120 MB
_MOST_DENSE_CELLS = 8_000_000
_TINY = 1e-6


class Exact:
    """Solves for the stacked nests by a dense inverse at each τ."""

    def __init__(self, sums: Sums[Term], stack: Stack[Term]) -> None:
        self.stack, self._nest = stack, sums.nest
        self.meetings = to_dense(stack.meetings)
        self._sizes, self._size_of = np.unique(sums.sizes, return_inverse=True)

    def at(self, largest: LargestNest | LevelBlocks, ratios: Numbers) -> ExactBlock:
        """Prepare for one τ."""
        return ExactBlock(self, largest, ratios)

    @cached_property
    def by_system(self) -> list[SystemMeetings]:
        """The crossing of two groupings with free slopes."""
        stacked = self.stack.nests[0]
        if not isinstance(self._nest, Slopes) or not isinstance(stacked, Slopes):
            return []
        return SystemMeetings.of(self._nest, stacked, self.stack.crossing)

    @cached_property
    def _products(self) -> Numbers | None:
        return _products_by_size(self.stack.crossing, self._size_of)

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

    def __init__(self, solver: Exact, largest: LargestNest | LevelBlocks, ratios: Numbers) -> None:
        self._solver, self._largest = solver, largest
        self._solved = StackSolution(solver.stack, self._schur(), ratios)

    def _schur(self) -> Numbers:
        solver, largest, crossing = self._solver, self._largest, self._solver.stack.crossing
        if isinstance(largest, LevelBlocks):
            return solver.meetings - largest.taken_by_stack(solver.by_system, solver.stack.levels)
        schur = solver.meetings - largest.fine * solver.by_size(largest, 1)
        if largest.nest.coarse is not None:
            outer = largest.by_coarse(crossing)
            schur -= to_dense(outer.T @ scale_rows(outer, largest.outer_share))
        return schur

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
        largest, inverse = self._largest, self._solved.inverse
        if isinstance(largest, LevelBlocks):
            return largest.lost_traces(self._solver.by_system, inverse)
        fine = float(np.vdot(inverse, self._solver.by_size(largest, 2)))
        if largest.nest.coarse is None:
            return [fine]
        outer, pull = largest.by_coarse(self._solver.stack.crossing), largest.pull
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

    def __init__(self, stack: Stack[Term], schur: Numbers, ratios: Numbers) -> None:
        self.stack, self.schur, self._ratios = stack, schur, ratios
        root = _root_of(stack, ratios)
        core = root.on_both_sides(schur)
        core[np.diag_indices_from(core)] += 1
        self.log_determinant, self._core_inverse = positive_inverse(core)
        self.inverse = root.on_both_sides(self._core_inverse)

    def traces(self) -> list[float]:
        """tr V_k V⁻¹ of each grouping, or of each element of G."""
        found = []
        for nest, span, around in self.stack.parts():
            if isinstance(nest, Slopes):
                return nest.slopes(self._squares(nest))
            ratio = ratios_of(nest, self._ratios)
            found.append(self._fine_trace(span, around, ratio))
            if nest.coarse is not None:
                found.append(self._coarse_trace(around, ratio))
        return found

    def _squares(self, term: Slopes) -> Numbers:
        """Σ over levels of Zᵀ V⁻¹ Z = S − S N S, for each two systems; there is no other term."""
        shape = (term.blocks, term.width) * 2
        own = np.einsum("rcrd->cd", self.schur.reshape(shape))
        return np.asarray(own - term.products(self.schur @ self.inverse, self.schur).sum(axis=0))

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


def _root_of(stack: Stack[Term], ratios: Numbers) -> _Root | _SlopesRoot:
    term = stack.nests[0]
    if isinstance(term, Slopes):
        return _SlopesRoot(term, term.root(ratios))
    return _Root.at(stack, ratios)


@dataclass(frozen=True, slots=True)
class _SlopesRoot:
    """Γ of a grouping with free slopes, the same for every level."""

    term: Slopes
    root: Numbers

    def on_both_sides(self, matrix: Numbers) -> Numbers:
        """Γ A Γ of a symmetric matrix."""
        half = self._on_one_side(matrix)
        return self._on_one_side(np.ascontiguousarray(half.T))

    def _on_one_side(self, matrix: Numbers) -> Numbers:
        return np.asarray(self.root @ self.term.in_blocks(matrix)).reshape(matrix.shape)


@dataclass(frozen=True, slots=True)
class _Root:
    """Γ, the root of G: a number for each level, and one more for all pairs within a coarse
    level. It may be singular."""

    alone: Numbers
    together: Numbers  # by coarse level
    members: Any

    @classmethod
    def at(cls, stack: Stack[Term], ratios: Numbers) -> _Root:
        alone = np.empty(stack.levels)
        together = np.empty(stack.members.shape[0])
        sizes = stack.member_counts
        for nest, span, around in stack.parts():
            if not isinstance(nest, Nest):  # pragma: no cover - those have a root of another kind
                raise TypeError
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
