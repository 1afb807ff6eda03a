"""The stacked nests solved by iteration: time and memory grow with the judgments, not with a power.

(G⁻¹ + S) u = b is solved by conjugate gradients for many right-hand sides at once. G⁻¹ plus the
diagonal of S, which is inverted in closed form coarse level by coarse level, stands in for the
whole: ten or twenty iterations suffice, however many levels there are (see Ghosh, Hastie & Owen
2022, "Backfitting for large scale crossed random effects regressions").

A trace tr A is the mean of zᵀ A z over vectors z of random signs (Hutchinson 1990). Here the fine
levels of one coarse level share a sign but stand in different columns, so that all products within
a coarse level are exact and only those between coarse levels are left to chance. The signs are
drawn once and follow from the data: neither the order of the judgments nor the names of levels
change a result, and the same data always give the same one. log |V| is not known.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rejudge.stats.clusters import Codes, Numbers
from rejudge.stats.mixed_evaluation import Largest, ratios_of
from rejudge.stats.mixed_sums import Nest, Stack, Sums, without_gaps

Fingerprints = NDArray[np.uint64]

_FLOOR = 1e-7  # a ratio of 0 is taken as this: G must have an inverse
_ROUGH = 1e-2  # relative error of solutions far from the maximum
_ACCURACY = {"columns": 1e-6, "turned": 1e-4}
_PROBE_ACCURACY = 1e-3  # its square is the relative error of a trace
_MOST_ITERATIONS = 500
_ROOM = 30_000_000  # numbers in one array: more columns are solved in turn
_MOST_COLUMNS_OF_A_SIGN = 32
_MOST_COLUMNS = 120
_LEVELS_OF_SIGNS = 5_000  # coarse levels with random signs, over all columns
_MOST_SIGNS = 12


class Iterative:
    """Solves for the stacked nests by conjugate gradients, each time from the last solution."""

    def __init__(self, sums: Sums, stack: Stack, prints: Sequence[Fingerprints]) -> None:
        self.stack = stack
        self.diagonal = stack.meetings.diagonal()
        self.transposed = _transposed(stack.crossing)
        self.squares = _squared(self.transposed)
        self.largest_probes = _probes(sums.nest, sums.members, prints)
        self.stack_probes = [
            _probes(nest, stack.members[around][:, span], prints)
            for nest, span, around in stack.parts()
        ]
        self.is_rough = True
        self.has_converged = True
        self._starts: dict[str, Numbers] = {}

    def at(self, largest: Largest, ratios: Numbers) -> IterativeBlock:
        """Prepare for one τ."""
        return IterativeBlock(self, largest, np.maximum(ratios, _FLOOR))

    def solve(self, block: IterativeBlock, right: Numbers, name: str) -> tuple[Numbers, Numbers]:
        """N @ right, and what it misses of `right`."""
        accuracy = _ACCURACY.get(name, _PROBE_ACCURACY)
        accuracy = max(accuracy, _ROUGH) if self.is_rough else accuracy
        start = self._starts.get(name)
        found = block.precondition(right) if start is None else start
        missed = np.empty_like(right)
        width = max(4, _ROOM // len(block.largest.sizes))
        for first in range(0, right.shape[1], width):
            part = slice(first, first + width)
            solution = _conjugate_gradients(block, right[:, part], found[:, part], accuracy)
            found[:, part], missed[:, part], is_solved = solution
            self.has_converged &= is_solved
        self._starts[name] = found
        return found, missed


class IterativeBlock:
    """G⁻¹ + S at one τ, as something that multiplies columns."""

    log_determinant = None

    def __init__(self, solver: Iterative, largest: Largest, ratios: Numbers) -> None:
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
        prior -= self._members.T @ ((self._members @ columns) * self._common[:, None])
        prior += self.schur_times(columns)
        return prior

    def precondition(self, columns: Numbers) -> Numbers:
        """(G⁻¹ + diagonal of S)⁻¹ @ columns, by Sherman and Morrison's formula."""
        found = columns / self._diagonal[:, None]
        again = self._members.T @ ((self._members @ found) * self._repair[:, None])
        again /= self._diagonal[:, None]
        found += again
        return np.asarray(found)

    def schur_times(self, columns: Numbers) -> Numbers:
        """S @ columns."""
        stack = self._solver.stack
        taken = self.largest.taken_by_level(np.asarray(stack.crossing @ columns))
        return np.asarray(stack.meetings @ columns - self._solver.transposed @ taken)

    def solve(self, right: Numbers, name: str) -> tuple[Numbers, Numbers]:
        """N @ right, and rightᵀ N right: with what the solution misses, its error enters squared
        only."""
        found, missed = self._solver.solve(self, right, name)
        return found, (right + missed).T @ found

    def lost_traces(self) -> list[float]:
        """By probes z: (Zᵀ V₀⁻¹ Z_k z)ᵀ N (Zᵀ V₀⁻¹ Z_k z)."""
        probes = self._solver.largest_probes
        taken = self.largest.taken_by_level(self.largest.sizes[:, None] * probes.columns)
        right = np.asarray(self._solver.transposed @ (probes.columns - taken))
        return self._forms(probes, right, "largest")

    def traces(self) -> list[float]:
        """By probes z: zᵀ S z − (S z)ᵀ N (S z)."""
        found = []
        stack = self._solver.stack
        for place, (span, probes) in enumerate(
            zip(stack.spans, self._solver.stack_probes, strict=True)
        ):
            placed = np.zeros((stack.levels, probes.columns.shape[1]))
            placed[span] = probes.columns
            right = self.schur_times(placed)
            whole = probes.traces(probes.columns, right[span])
            lost = self._forms(probes, right, f"stack {place}")
            found += [a - b for a, b in zip(whole, lost, strict=True)]
        return found

    def _forms(self, probes: _Probes, right: Numbers, name: str) -> list[float]:
        """〃 for the sums of columns that serve each grouping."""
        found, missed = self._solver.solve(self, right, name)
        return probes.traces(right + missed, found)


def _prior(stack: Stack, ratios: Numbers) -> tuple[Numbers, Numbers]:
    """G⁻¹: a number for each level, less one for all pairs within a coarse level."""
    precision, common = np.empty(stack.levels), np.empty(stack.members.shape[0])
    counts = stack.member_counts
    for nest, span, around in stack.parts():
        fine, coarse = ratios_of(nest, ratios)
        precision[span] = 1 / fine
        common[around] = coarse / (fine * (fine + coarse * counts[around]))
    return precision, common


def _conjugate_gradients(
    block: IterativeBlock, right: Numbers, start: Numbers, accuracy: float
) -> tuple[Numbers, Numbers, bool]:
    """The solution, what it misses of `right`, and whether all columns are as accurate as asked.
    A column that is accurate enough is left alone."""
    found, missed = start.copy(), right - block.times(start)
    goal = accuracy**2 * _inner(right, block.precondition(right))
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


def _transposed(table: Any) -> Any:
    return np.ascontiguousarray(table.T) if isinstance(table, np.ndarray) else table.T.tocsr()


def _squared(table: Any) -> Any:
    if isinstance(table, np.ndarray) or (table.data == 1).all():
        return table * table if isinstance(table, np.ndarray) else table
    return table.power(2)


# ── random signs ─────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class _Probes:
    """Columns of random signs by fine level, and which of their sums serve each grouping."""

    columns: Numbers
    sums: tuple[Numbers, ...]  # of the fine grouping, then of the coarse one: columns × vectors
    signs: int

    def traces(self, before: Numbers, after: Numbers) -> list[float]:
        """The mean of beforeᵀ after, for each grouping."""
        return [float(np.vdot(before @ each, after @ each)) / self.signs for each in self.sums]


def _probes(nest: Nest, members: Any, prints: Sequence[Fingerprints]) -> _Probes:
    """A sign for each coarse level, on one column for each fine level in it; where a coarse level
    has too many of these, a sign for each fine level, and columns of their own for coarse ones."""
    parent = np.arange(nest.levels)
    if nest.coarse is not None:
        row, column = members.nonzero()
        parent[column] = row
    outer = nest.fine if nest.coarse is None else nest.coarse
    slot = _slots(parent, prints[nest.fine])
    width = int(slot.max()) + 1
    blocks = len(prints[outer])
    is_spread = width <= _MOST_COLUMNS_OF_A_SIGN
    signs = min(_MOST_SIGNS, math.ceil(_LEVELS_OF_SIGNS / blocks))
    signs = min(signs, max(2, _MOST_COLUMNS // width)) if is_spread else signs
    common = _signs(prints[outer], signs)[parent]
    if not is_spread:
        alone, none = np.eye(2 * signs)[:, :signs], np.eye(2 * signs)[:, signs:]
        columns = np.hstack([_signs(prints[nest.fine], signs), common])
        return _Probes(columns, (alone, none), signs)
    columns = np.zeros((nest.levels, signs, width))
    columns[np.arange(nest.levels), :, slot] = common
    every = np.eye(signs * width)
    together = np.repeat(np.eye(signs), width, axis=0)
    sums = (every,) if nest.coarse is None else (every, together)
    return _Probes(columns.reshape(nest.levels, -1), sums, signs)


def _slots(parent: Codes, prints: Fingerprints) -> Codes:
    """The number of each fine level within its coarse one, by fingerprint."""
    order = np.lexsort((prints, parent))
    counts = np.bincount(parent)
    start = np.repeat(np.cumsum(counts) - counts, counts)
    found = np.empty(len(parent), dtype=np.int64)
    found[order] = np.arange(len(parent)) - start
    return found


def _signs(prints: Fingerprints, count: int) -> Numbers:
    """Signs in the order of the fingerprints, always the same."""
    found = np.empty((len(prints), count))
    drawn = np.random.default_rng(1).integers(0, 2, (len(prints), count))
    found[np.argsort(prints, kind="stable")] = 2.0 * drawn - 1
    return found


def fingerprints(value: Numbers, groups: Sequence[Codes]) -> list[Fingerprints]:
    """A number for each level of each grouping that depends on its judgments and on what else they
    belong to, not on its name: a sum, so that the order of judgments does not matter either.
    Levels that nothing tells apart have the same."""
    groups = [without_gaps(codes) for codes in groups]
    rows = _scrambled(np.unique(value, return_inverse=True)[1].reshape(-1).astype(np.uint64))
    for _ in range(2):
        found = [_added(rows, codes) for codes in groups]
        for codes, sums in zip(groups, found, strict=True):
            rows = rows + _scrambled(sums)[codes]
        rows = _scrambled(rows)
    return [_added(rows, codes) for codes in groups]


def _added(rows: Fingerprints, codes: Codes) -> Fingerprints:
    found = np.zeros(int(codes.max()) + 1, dtype=np.uint64)
    np.add.at(found, codes, rows)  # modulo 2⁶⁴
    return found


def _scrambled(numbers: Fingerprints) -> Fingerprints:
    """Steele, Lea & Flood (2014), SplitMix64's finaliser."""
    mixed = numbers + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(mixed ^ (mixed >> np.uint64(31)))
