"""V⁻¹ applied to the columns at given variance ratios, and its derivatives by each ratio.

The largest nest is solved first: V₀ = I + τ_f Z_f Z_fᵀ + τ_c Z_c Z_cᵀ, with f its fine grouping of
sizes n_j and c the coarse one around it. With g_j = 1 + τ_f n_j, a_i = Σ_{j in i} n_j / g_j and
h_i = 1 + τ_c a_i, and for any columns Y with sums y_j by level of f and e_i = Σ_{j in i} y_j / g_j,

    log |V₀| = Σ log g_j + Σ log h_i
    V₀⁻¹ = I − Z_f T Z_fᵀ,   (T y)_j = τ_f y_j / g_j + (τ_c / h_i) e_i / g_j

(Woodbury's formula twice). The levels of the other nests are stacked as Z with covariance G. With
S = Zᵀ V₀⁻¹ Z and N = (G⁻¹ + S)⁻¹, V⁻¹ = V₀⁻¹ − V₀⁻¹ Z N Zᵀ V₀⁻¹. A `Solver` decides how N is
applied and how the traces follow: exactly, from a dense matrix (`exact`), or by iteration, for any
number of levels (`iterative`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from rejudge.stats.arrays import Numbers
from rejudge.stats.mixed.sums import Nest, Stack, Sums, row_scaled, transpose


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
            shrunk_members=row_scaled(transpose(members), 1 / growth),
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
        return self.members @ row_scaled(rows, 1 / self.growth)

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
        return [rows, row_scaled(outer, 1 / self.outer_growth)]

    def traces(self) -> list[float]:
        """tr Z_fᵀ V₀⁻¹ Z_f and tr Z_cᵀ V₀⁻¹ Z_c."""
        fine = float(self.sizes / self.growth @ (1 - self.pull))
        if self.nest.coarse is None:
            return [fine]
        return [fine, float(np.sum(self.within / self.outer_growth))]

    def seen_by_stack(self, stack: Stack, rows: Numbers, stack_rows: Numbers) -> Numbers:
        """Zᵀ V₀⁻¹ Y of columns with these sums by level of the nest, and by stacked level."""
        return np.asarray(stack_rows - stack.crossing.T @ self.taken_by_level(rows))
