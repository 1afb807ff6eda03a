"""Products with very large tables, strip by strip: a strip fits into the processor's cache, and
threads work on different ones.

    S x = Zᵀ V₀⁻¹ Z x = (judgments that stacked levels share) x − Mᵀ T M x

M counts the judgments that levels of the largest nest share with stacked ones. T works within the
coarse levels of that nest, so a strip of whole coarse levels needs nothing of the others.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from rejudge.stats.clusters import Codes, Numbers
from rejudge.stats.mixed_evaluation import Largest
from rejudge.stats.mixed_sums import Stack, Sums
from rejudge.stats.threads import in_threads

_HEIGHT = 16_384  # levels of the largest nest in a strip, about
_BLOCKS = 8  # of stacked levels


@dataclass(frozen=True, slots=True)
class _Strip:
    """Whole coarse levels of the largest nest, with their rows of M."""

    fine: slice
    coarse: slice
    crossing: Any
    members: Any  # coarse × fine
    parent: Codes  # of each fine level, from 0 on

    def taken(self, largest: Largest, columns: Numbers) -> Numbers:
        """The rows of T M x."""
        shrink = 1 / largest.growth[self.fine]
        found = np.asarray(self.crossing @ columns)
        found *= shrink[:, None]
        if largest.coarse == 0:
            found *= largest.fine
            return found
        outer = (self.members @ found) * largest.outer_share[self.coarse, None]
        found *= largest.fine
        outer = outer[self.parent]
        outer *= shrink[:, None]
        found += outer
        return found


class Strips:
    """The tables of a stack, cut up once for all products with S."""

    def __init__(self, sums: Sums, stack: Stack, transposed: Any) -> None:
        parent = _parents(sums)
        self._strips = [_strip(stack.crossing, parent, *ends) for ends in _cuts(parent)]
        bounds = np.searchsorted(
            transposed.indptr, np.linspace(0, transposed.nnz, _BLOCKS + 1), side="left"
        )
        bounds[0], bounds[-1] = 0, stack.levels
        self._blocks = [
            (slice(a, b), _rows(transposed, a, b), _rows(stack.meetings, a, b))
            for a, b in pairwise(bounds.tolist())
            if a < b
        ]
        self._levels = len(parent)

    def times(self, largest: Largest, columns: Numbers) -> Numbers:
        """S @ columns."""
        taken = np.empty((self._levels, columns.shape[1]))
        found = np.empty_like(columns)

        def take(strip: _Strip) -> None:
            taken[strip.fine] = strip.taken(largest, columns)

        def leave(block: tuple[slice, Any, Any]) -> None:
            rows, transposed, meetings = block
            part = np.asarray(meetings @ columns)
            part -= transposed @ taken
            found[rows] = part

        in_threads(take, self._strips)
        in_threads(leave, self._blocks)
        return found


def strips_of(sums: Sums, stack: Stack, transposed: Any) -> Strips | None:
    """The tables in strips; None where they are small, or their levels not in order."""
    is_sparse = all(hasattr(table, "indptr") for table in (stack.crossing, stack.meetings))
    if not is_sparse or len(sums.sizes) <= 2 * _HEIGHT:
        return None
    parent = _parents(sums)
    return Strips(sums, stack, transposed) if np.all(np.diff(parent) >= 0) else None


def _parents(sums: Sums) -> Codes:
    """The coarse level of each fine one; each its own where there is no coarse grouping."""
    found = np.arange(len(sums.sizes))
    if sums.nest.coarse is not None:
        row, column = sums.members.nonzero()
        found[column] = row
    return found


def _cuts(parent: Codes) -> Iterator[tuple[int, int]]:
    """Where strips begin and end, between coarse levels."""
    marks = np.arange(0, len(parent), _HEIGHT)
    starts = np.unique(np.searchsorted(parent, parent[marks], side="left"))
    return pairwise([*starts.tolist(), len(parent)])


def _strip(crossing: Any, parent: Codes, start: int, stop: int) -> _Strip:
    from scipy.sparse import csr_array

    first, last = int(parent[start]), int(parent[stop - 1])
    local = parent[start:stop] - first
    height, width = last - first + 1, stop - start
    ends = np.searchsorted(local, np.arange(height + 1), side="left")
    members = csr_array((np.ones(width), np.arange(width), ends), shape=(height, width))
    rows = _rows(crossing, start, stop)
    return _Strip(slice(start, stop), slice(first, last + 1), rows, members, local)


def _rows(table: Any, start: int, stop: int) -> Any:
    """Some rows of a sparse table; its numbers are not copied."""
    from scipy.sparse import csr_array

    first, last = table.indptr[start], table.indptr[stop]
    parts = table.data[first:last], table.indices[first:last], table.indptr[start : stop + 1]
    return csr_array((*parts[:2], parts[2] - first), shape=(stop - start, table.shape[1]))
