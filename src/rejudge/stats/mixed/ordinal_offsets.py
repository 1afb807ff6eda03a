"""The random offsets of ordinal judgments, and the curvature of their likelihood.

Judgments are sorted by the levels of the largest nest (see `sums`), which is solved in closed form;
only the fine levels of the other nests are solved together, by a dense inverse. With weights w,
D = Zᵀ W Z and G the covariance of the offsets b of all fine levels, everything follows from
C = (G⁻¹ + D)⁻¹, which is also defined where a variance is 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rejudge.stats.arrays import Codes, Numbers
from rejudge.stats.mixed.evaluation import LargestNest, StackSolution
from rejudge.stats.mixed.sums import (
    Nest,
    Stack,
    consecutive_codes,
    nests,
    scale_rows,
    tally,
    to_dense,
)

_SMALL = 200_000  # cells; a table as small as this is quicker dense
_SPARSE = 4  # cells for each judgment, beyond which a table is kept sparse
_MOST_CELLS = 4_000_000  # numbers in one array: larger tables are worked off in strips


@dataclass(frozen=True, slots=True)
class Offsets:
    """The position of each judgment in the nests."""

    order: Codes  # of the judgments as given, sorted by the levels of the largest nest
    nest: Nest  # the largest
    inner: Codes  # its fine level, by judgment
    members: Any  # its coarse levels × its fine ones
    outer_of: Codes  # the coarse level of each fine one; empty where there is none
    stack: Stack[Nest] | None
    places: tuple[Codes, ...]  # stacked level, by nest of the stack and judgment
    cells: _Cells | None

    @property
    def all_nests(self) -> tuple[Nest, ...]:
        return (self.nest, *(self.stack.nests if self.stack else ()))

    def by_level(self, rows: Numbers) -> tuple[Numbers, Numbers]:
        """Zᵀ rows: sums by fine level of the largest nest, and by stacked level."""
        own = _sums(self.inner, rows, self.nest.levels)
        count = self.stack.levels if self.stack else 0
        return own, np.asarray(sum((_sums(p, rows, count) for p in self.places), np.zeros(count)))

    def by_judgment(self, own: Numbers, stacked: Numbers) -> Numbers:
        """Z b: what the offsets of fine levels add to each judgment."""
        found = own[self.inner]
        for place in self.places:
            found += stacked[place]
        return found

    def by_grouping(self, own: Numbers, stacked: Numbers) -> list[Numbers]:
        """Sums by fine level as sums by level of each grouping, in the caller's order."""
        found = {self.nest.fine: own}
        if self.nest.coarse is not None:
            found[self.nest.coarse] = self.members @ own
        if self.stack is not None:
            outer = self.stack.members @ stacked
            for nest, span, around in self.stack.parts():
                found[nest.fine] = stacked[span]
                if nest.coarse is not None:
                    found[nest.coarse] = outer[around]
        return [np.asarray(found[k]) for k in sorted(found)]

    def from_grouping(self, parts: Sequence[Numbers]) -> tuple[Numbers, Numbers]:
        """Offsets of each grouping as those of fine levels, which have that of their coarse one."""
        own = parts[self.nest.fine]
        if self.nest.coarse is not None:
            own = own + parts[self.nest.coarse][self.outer_of]
        if self.stack is None:
            return own, np.zeros(0)
        stacked = np.concatenate([parts[nest.fine] for nest in self.stack.nests])
        for nest, _, around in self.stack.parts():
            if nest.coarse is not None:
                stacked = stacked + self.stack.members[around].T @ parts[nest.coarse]
        return own, np.asarray(stacked)


def offsets_of(groups: Sequence[Codes]) -> Offsets:
    """Sort judgments by the largest nest, coarse level by coarse level."""
    codes = [consecutive_codes(each) for each in groups]
    largest = nests(codes)[0]
    codes[largest.fine], outer_of = _side_by_side(codes, largest)
    order = np.argsort(codes[largest.fine], kind="stable")
    codes = [each[order] for each in codes]
    ones = np.ones((len(order), 1))
    sums = tally(ones, ones[:, 0], codes)
    places: tuple[Codes, ...] = ()
    if sums.stack is not None:
        places = tuple(codes[nest.fine] + span.start for nest, span, _ in sums.stack.parts())
    cells = _cells(codes[largest.fine], places, sums.stack) if sums.stack else None
    return Offsets(
        order, sums.nest, codes[largest.fine], sums.members, outer_of, sums.stack, places, cells
    )


def _side_by_side(codes: Sequence[Codes], nest: Nest) -> tuple[Codes, Codes]:
    """The fine levels numbered so that those of one coarse level are neighbours, and the coarse
    level of each."""
    fine = codes[nest.fine]
    if nest.coarse is None:
        return fine, np.zeros(0, dtype=np.int64)
    outer_of = np.empty(nest.levels, dtype=np.int64)
    outer_of[fine] = codes[nest.coarse]
    order = np.argsort(outer_of, kind="stable")
    number = np.empty_like(order)
    number[order] = np.arange(len(order))
    return number[fine], outer_of[order]


# ── the table of weights where levels meet ───────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class _Cells:
    """Which fine levels of the largest nest meet which stacked ones."""

    shape: tuple[int, int]
    of_judgment: Codes  # nest of the stack after nest: the cell of each judgment
    nests: int
    columns: Codes | None  # of a sparse table; None where it is dense
    starts: Codes | None

    def table(self, weight: Numbers) -> Any:
        """The sum of weights in each cell, dense or sparse."""
        weights = np.tile(weight, self.nests) if self.nests > 1 else weight
        if self.columns is None or self.starts is None:
            height, width = self.shape
            return _sums(self.of_judgment, weights, height * width).reshape(height, width)
        from scipy.sparse import csr_array

        data = _sums(self.of_judgment, weights, len(self.columns))
        return csr_array((data, self.columns, self.starts), shape=self.shape)


def _cells(inner: Codes, places: Sequence[Codes], stack: Stack[Nest]) -> _Cells:
    height, width = int(inner[-1]) + 1, stack.levels
    flat = np.concatenate([inner.astype(np.int64) * width + place for place in places])
    if height * width <= max(_SMALL, _SPARSE * len(flat)):
        return _Cells((height, width), flat, len(places), None, None)
    seen, of_judgment = np.unique(flat, return_inverse=True)
    starts = np.searchsorted(seen, np.arange(height + 1) * width)
    return _Cells((height, width), of_judgment.reshape(-1), len(places), seen % width, starts)


# ── the curvature ────────────────────────────────────────────────────────────────────────────────


class Curvature:
    """C and log |I + G D| at one set of variances and weights."""

    def __init__(self, offsets: Offsets, ratios: Numbers, weight: Numbers) -> None:
        self._offsets, self.ratios, self.weight = offsets, ratios, weight
        sizes = _sums(offsets.inner, weight, offsets.nest.levels)
        self._largest = LargestNest.of(offsets.nest, offsets.members, sizes, ratios)
        self.log_determinant = self._largest.log_determinant
        self._solved: StackSolution | None = None
        if offsets.stack is not None and offsets.cells is not None:
            self._table = offsets.cells.table(weight)
            schur = self._schur(offsets.stack)
            self._solved = StackSolution(offsets.stack, schur, ratios)
            self.log_determinant += self._solved.log_determinant

    def _schur(self, stack: Stack[Nest]) -> Numbers:
        """What the stacked levels have left of D when the largest nest is solved for."""
        largest, table = self._largest, self._table
        schur = -to_dense(table.T @ scale_rows(table, largest.fine / largest.growth))
        if largest.nest.coarse is not None and largest.coarse > 0:
            outer = largest.by_coarse(table)
            schur -= to_dense(outer.T @ scale_rows(outer, largest.outer_share))
        m = stack.levels
        for a, one in enumerate(self._offsets.places):
            schur[np.diag_indices(m)] += _sums(one, self.weight, m)
            for other in self._offsets.places[:a]:
                meeting = _sums(one * m + other, self.weight, m * m).reshape(m, m)
                schur += meeting + meeting.T
        return schur

    def solve(self, own: Numbers, stacked: Numbers) -> tuple[Numbers, Numbers]:
        """C @ sums by fine level, in columns."""
        if self._solved is None:
            return self._largest.taken_by_level(own), stacked
        taken = self._largest.taken_by_level(own)
        found = self._solved.inverse @ (stacked - self._table.T @ taken)
        return self._largest.taken_by_level(own - self._table @ found), found

    def leverage(self) -> tuple[Numbers, Numbers]:
        """zᵀ C z of each judgment, and ∂ log |I + G D| / ∂ τ of each grouping."""
        largest = self._largest
        share = self._outer_share()
        own = (largest.fine + share) / largest.growth
        if self._solved is None:
            return own[self._offsets.inner], self._in_order(largest.traces())
        inner, stack, pull = self._offsets.inner, self._solved, share * largest.sizes
        met, met_outer = self._met(stack.inverse)
        weight = self.weight / largest.growth[inner]
        a = _sums(inner, weight * met.sum(axis=0), len(own))
        b = _sums(inner, weight * met_outer.sum(axis=0), len(own))
        e = self._of_outer(b)
        own = own + largest.fine**2 * a + 2 * largest.fine * share * b + share**2 * e
        across = largest.fine * met + share[inner] * met_outer
        total = own[inner] - 2 * across.sum(axis=0) + self._among_stacked(stack.inverse)
        traces = largest.traces()
        traces[0] -= float(np.sum(a - 2 * pull * b + pull**2 * e))
        if largest.nest.coarse is not None:
            traces[1] -= float((largest.members @ b) @ largest.outer_growth**-2.0)
        return total, self._in_order([*traces, *stack.traces()])

    def _outer_share(self) -> Numbers:
        """τ_c / (g_j h_i) of each fine level."""
        largest = self._largest
        if largest.nest.coarse is None:
            return np.zeros(len(largest.growth))
        return np.asarray(largest.outer_share[self._offsets.outer_of] / largest.growth)

    def _of_outer(self, rows: Numbers) -> Numbers:
        """The sum over the coarse level that each fine level lies within."""
        if self._largest.nest.coarse is None:
            return np.zeros(len(rows))
        return np.asarray((self._largest.members @ rows)[self._offsets.outer_of])

    def _met(self, inverse: Numbers) -> tuple[Numbers, Numbers]:
        """M N / g at the cells of each judgment, and the sum of it over the coarse level: one row
        for each nest of the stack."""
        inner, outer_of = self._offsets.inner, self._offsets.outer_of
        met = self._at_cells(self._table, inverse, inner) / self._largest.growth[inner]
        if not len(outer_of):
            return met, np.zeros_like(met)
        return met, self._at_cells(self._largest.by_coarse(self._table), inverse, outer_of[inner])

    def _at_cells(self, table: Any, inverse: Numbers, level: Codes) -> Numbers:
        """(table @ N) in the row of each judgment's level and the columns of its stacked levels,
        strip by strip. Levels are in the order of the judgments."""
        places = np.stack(self._offsets.places)
        found = np.empty(places.shape)
        height, width = table.shape
        step = max(1, _MOST_CELLS // width)
        for start in range(0, height, step):
            rows = slice(*np.searchsorted(level, [start, start + step]).tolist())
            part = table[start : start + step] @ inverse
            found[:, rows] = part[level[rows] - start, places[:, rows]]
        return found

    def _among_stacked(self, inverse: Numbers) -> Numbers:
        places = self._offsets.places
        return np.asarray(sum(inverse[one, other] for one in places for other in places))

    def _in_order(self, by_nest: Sequence[float]) -> Numbers:
        """Numbers nest by nest, the fine grouping first, in the caller's order."""
        places = [k for nest in self._offsets.all_nests for k in (nest.fine, nest.coarse)]
        known = [k for k in places if k is not None]
        return np.asarray(by_nest)[np.argsort(known)]


def _sums(codes: Codes, rows: Numbers, count: int) -> Numbers:
    """What the rows of each code add up to."""
    return np.asarray(np.bincount(codes, rows, count), dtype=np.float64)
