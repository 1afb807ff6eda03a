"""Iterative solution for the stacked nests: time and memory grow linearly with the judgments.

(G⁻¹ + S) u = b is solved by conjugate gradients for many right-hand sides at once. The
preconditioner is G⁻¹ plus the diagonal of S, inverted in closed form by coarse level. Ten or twenty
iterations suffice, however many levels there are (see Ghosh, Hastie & Owen 2022, "Backfitting for
large scale crossed random effects regressions"). Traces come from vectors of random signs
(`probes`). log |V| is not known.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rejudge.stats.arrays import Numbers
from rejudge.stats.mixed.evaluation import LargestNest, ratios_of
from rejudge.stats.mixed.probes import Probes, ProbeSet
from rejudge.stats.mixed.sums import Nest, Product, Stack, transpose

_FLOOR = 1e-7  # a ratio of 0 is taken as this: G must have an inverse
_ROUGH = 1e-2  # relative error of solutions far from the maximum
_ACCURACY = {"columns": 1e-4, "turned": 1e-4}  # its square is that of a product of two columns
_VALUE_ACCURACY = 1e-6  # of the values among the columns: their slopes depend on it as it is
_PROBE_ACCURACY = 1e-3  # its square is the relative error of a trace
_MOST_ITERATIONS = 500
_NOTHING = float(np.finfo(float).tiny)  # a squared length below this is 0
_MOST_CELLS = 30_000_000  # numbers in one array: more columns are solved in turn


class Iterative:
    """Solves for the stacked nests by conjugate gradients, each time from the last solution."""

    def __init__(self, stack: Stack[Nest], probes: ProbeSet) -> None:
        self.stack, self.probes = stack, probes
        self.diagonal = stack.meetings.diagonal()
        self.transposed = transpose(stack.crossing)
        self.spread = transpose(stack.members)
        self.squares = _square(self.transposed)
        self.is_rough = True
        self.has_converged = True
        self._starts: dict[str, Numbers] = {}

    def at(self, largest: LargestNest, ratios: Numbers) -> IterativeBlock:
        """Prepare for one τ."""
        return IterativeBlock(self, largest, np.maximum(ratios, _FLOOR))

    def solve(self, block: IterativeBlock, right: Numbers, name: str) -> tuple[Numbers, Numbers]:
        """N @ right, and what it misses of `right`."""
        accuracy = np.full(right.shape[1], _ACCURACY.get(name, _PROBE_ACCURACY))
        if name == "columns":
            accuracy[-1] = _VALUE_ACCURACY
        if self.is_rough:
            accuracy = np.maximum(accuracy, _ROUGH)
        start = self._starts.get(name)
        found = block.precondition(right) if start is None else start
        missed = np.empty_like(right)
        width = max(4, _MOST_CELLS // len(block.largest.sizes))
        for first in range(0, right.shape[1], width):
            part = slice(first, first + width)
            solution = _conjugate_gradients(block, right[:, part], found[:, part], accuracy[part])
            found[:, part], missed[:, part], is_solved = solution
            self.has_converged &= is_solved
        self._starts[name] = found
        return found, missed


class IterativeBlock:
    """G⁻¹ + S at one τ, as something that multiplies columns."""

    log_determinant = None

    def __init__(self, solver: Iterative, largest: LargestNest, ratios: Numbers) -> None:
        stack = solver.stack
        self.largest, self._solver, self._members = largest, solver, stack.members
        self._precision, self._common = _prior(stack, ratios)
        weight = largest.members.T @ largest.outer_share / largest.growth + largest.fine
        schur = solver.diagonal - solver.squares @ (weight / largest.growth)
        self._diagonal = self._precision + np.maximum(schur, 1e-8 * solver.diagonal)
        pooled = self._members @ (1 / self._diagonal)
        self._repair = self._common / (1 - self._common * pooled)

    def times(self, columns: Numbers) -> Numbers:
        """(G⁻¹ + S) @ columns."""
        prior = columns * self._precision[:, None]
        prior -= self._solver.spread @ ((self._members @ columns) * self._common[:, None])
        prior += self.schur_times(columns)
        return prior

    def precondition(self, columns: Numbers) -> Numbers:
        """(G⁻¹ + diagonal of S)⁻¹ @ columns, by Sherman and Morrison's formula."""
        found = columns / self._diagonal[:, None]
        again = self._solver.spread @ ((self._members @ found) * self._repair[:, None])
        again /= self._diagonal[:, None]
        found += again
        return np.asarray(found)

    def schur_times(self, columns: Numbers) -> Numbers:
        """S @ columns."""
        stack = self._solver.stack
        taken = self.largest.taken_by_level(np.asarray(stack.crossing @ columns))
        found = np.asarray(stack.meetings @ columns)
        found -= self._solver.transposed @ taken
        return found

    def solve(self, right: Numbers, name: str) -> tuple[Numbers, Numbers]:
        """N @ right, and rightᵀ N right: with what the solution misses, its error enters squared
        only."""
        found, missed = self._solver.solve(self, right, name)
        return found, (right + missed).T @ found

    def lost_traces(self) -> list[float]:
        """By probes z: (Zᵀ V₀⁻¹ Z_k z)ᵀ N (Zᵀ V₀⁻¹ Z_k z)."""
        probes = self._solver.probes.largest
        taken = self.largest.taken_by_level(self.largest.sizes[:, None] * probes.columns)
        right = np.asarray(self._solver.transposed @ (probes.columns - taken))
        return self._forms(probes, right, "largest")

    def traces(self) -> list[float]:
        """By probes z: zᵀ S z − (S z)ᵀ N (S z)."""
        found = []
        stack = self._solver.stack
        for place, (span, probes) in enumerate(
            zip(stack.spans, self._solver.probes.stack, strict=True)
        ):
            placed = np.zeros((stack.levels, probes.columns.shape[1]))
            placed[span] = probes.columns
            right = self.schur_times(placed)
            whole = probes.traces(probes.columns, right[span])
            lost = self._forms(probes, right, f"stack {place}")
            found += [a - b for a, b in zip(whole, lost, strict=True)]
        return found

    def _forms(self, probes: Probes, right: Numbers, name: str) -> list[float]:
        """〃 for the sums of columns that serve each grouping."""
        found, missed = self._solver.solve(self, right, name)
        return probes.traces(right + missed, found)


def _prior(stack: Stack[Nest], ratios: Numbers) -> tuple[Numbers, Numbers]:
    """G⁻¹: a number for each level, less one for all pairs within a coarse level."""
    precision, common = np.empty(stack.levels), np.empty(stack.members.shape[0])
    counts = stack.member_counts
    for nest, span, around in stack.parts():
        fine, coarse = ratios_of(nest, ratios)
        precision[span] = 1 / fine
        common[around] = coarse / (fine * (fine + coarse * counts[around]))
    return precision, common


def _conjugate_gradients(
    block: IterativeBlock, right: Numbers, start: Numbers, accuracy: Numbers
) -> tuple[Numbers, Numbers, bool]:
    """The solution, what it misses of `right`, and whether all columns are as accurate as asked.
    A column that is accurate enough is left alone. Where `right` is 0, so is the solution: no error
    would be small enough relative to it, and the steps would shrink until they divide by 0."""
    goal = np.maximum(accuracy**2 * _inner(right, block.precondition(right)), _NOTHING)
    found = np.where(goal > _NOTHING, start, 0.0)
    missed = right - block.times(found)
    active = np.arange(right.shape[1])
    rest, ahead = missed, block.precondition(missed)
    length = _inner(rest, ahead)
    for _ in range(_MOST_ITERATIONS):
        is_open = length > goal[active]
        if not is_open.all():
            missed[:, active] = rest
            active, length = active[is_open], length[is_open]
            rest, ahead = rest[:, is_open], ahead[:, is_open]
        if not len(active):
            return found, missed, True
        turned = block.times(ahead)
        step = length / _inner(ahead, turned)
        found[:, active] += step * ahead
        rest = rest - step * turned
        better = block.precondition(rest)
        before, length = length, _inner(rest, better)
        ahead *= length / before
        ahead += better
    missed[:, active] = rest
    return found, missed, False


def _inner(one: Numbers, other: Numbers) -> Numbers:
    """Column by column, the sum of products."""
    return np.asarray(np.einsum("ij,ij->j", one, other))


def _square(table: Any) -> Any:
    if isinstance(table, Product):
        return _square(table.in_one)
    if isinstance(table, np.ndarray) or (table.data == 1).all():
        return table * table if isinstance(table, np.ndarray) else table
    return table.power(2)
