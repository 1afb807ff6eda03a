"""What a mixed model needs of the judgments, in sums: after one pass no row is looked at again.

The model: value = X β + Σ_k Z_k u_k + ε, with u_k ~ N(0, τ_k σ²) and ε ~ N(0, σ²), so that the
values vary as σ² V with V = I + Σ_k τ_k Z_k Z_kᵀ. Everything that is asked of V (Bates, Mächler,
Bolker & Walker 2015, section 3) follows from the sums Wᵀ W, Z_kᵀ W and Z_kᵀ Z_l, W = [X, value].
The nest with the most levels is solved in closed form; what remains has as many rows as the fine
groupings of the other nests have levels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from rejudge.stats.clusters import Codes, Numbers
from rejudge.stats.mixed_nests import Nest, nests

_ROOM_FOR_PRODUCTS = 15_000_000  # numbers kept to save work in every step: 120 MB
_ROOM_FOR_DENSE = 8_000_000
_SPARSE = 4  # cells for each judgment, beyond which a table is kept sparse
_SMALL = 100_000  # cells; a table as small as this is quicker dense


@dataclass(frozen=True, slots=True)
class Rest:
    """The fine groupings of all nests but the largest, as one block of `m` levels."""

    nests: tuple[Nest, ...]
    spans: tuple[slice, ...]  # of the fine groupings
    coarse_spans: tuple[slice, ...]  # of the coarse ones, in `members`
    members: Any  # sparse, coarse levels × m: 1 where a level lies within (scipy: no types)
    sums: Numbers  # m × (p+1)
    meetings: Numbers  # m × m: judgments that two levels share
    crossing: Any  # largest × m: 〃 with the levels of the largest nest; sparse or dense
    products: Numbers | None  # for each size of a level of the largest: crossingᵀ crossing

    @property
    def member_counts(self) -> Numbers:
        return np.asarray(self.members.sum(axis=1)).reshape(-1)


@dataclass(frozen=True, slots=True)
class Sums:
    """The sums of one set of judgments."""

    n: int
    p: int
    nest: Nest  # the largest
    cross: Numbers  # (p+1) × (p+1)
    sizes: Numbers  # judgments in each level of its fine grouping
    distinct_sizes: Numbers
    size_of: Codes  # which of them each level has
    members: Any  # sparse, its coarse levels × its fine ones; no rows where it has no coarse one
    sums: Numbers  # what the columns of its fine levels add up to
    rest: Rest | None
    guess: Numbers  # of each τ, from moments

    @property
    def levels_left(self) -> int:
        """How many are solved together; the cost of a look grows with their third power."""
        return 0 if self.rest is None else self.rest.spans[-1].stop


def tally(columns: Numbers, groups: Sequence[Codes]) -> Sums:
    """Pass over the judgments once. The last column is the value, the others are fixed effects."""
    n, width = columns.shape
    dense = [_without_gaps(codes) for codes in groups]
    largest, *others = nests(dense)
    codes = dense[largest.fine]
    sizes = np.bincount(codes).astype(np.float64)
    distinct, size_of = np.unique(sizes, return_inverse=True)
    return Sums(
        n=n,
        p=width - 1,
        nest=largest,
        cross=columns.T @ columns,
        sizes=sizes,
        distinct_sizes=distinct,
        size_of=size_of,
        members=_members([largest], dense)[0],
        sums=_sums_by_level(columns, codes),
        rest=_rest(columns, (codes, size_of), others, dense) if others else None,
        guess=_moment_ratios(columns[:, -1], dense),
    )


def _without_gaps(codes: Codes) -> Codes:
    return np.asarray((np.cumsum(np.bincount(codes) > 0) - 1)[codes])


def _sums_by_level(columns: Numbers, codes: Codes) -> Numbers:
    return np.stack([np.bincount(codes, column) for column in columns.T], axis=1)


def _members(some: Sequence[Nest], groups: Sequence[Codes]) -> tuple[Any, tuple[slice, ...]]:
    """Which fine levels lie within each coarse one, nest under nest, and where each nest stands."""
    from scipy.sparse import csr_array

    rows, columns, ends, offset = [], [], [0], 0
    for nest in some:
        inner = groups[nest.fine]
        if nest.coarse is None:
            ends.append(ends[-1])
        else:
            of_level = np.empty(nest.levels, dtype=np.int64)
            of_level[inner] = groups[nest.coarse]
            rows.append(of_level + ends[-1])
            columns.append(np.arange(nest.levels) + offset)
            ends.append(ends[-1] + int(of_level.max()) + 1)
        offset += nest.levels
    row, column = (np.concatenate([*part, np.zeros(0, dtype=np.int64)]) for part in (rows, columns))
    table = csr_array((np.ones(len(row)), (row, column)), shape=(ends[-1], offset))
    return _as_is_quicker(table, 0), tuple(slice(a, b) for a, b in pairwise(ends))


def _rest(
    columns: Numbers,
    largest: tuple[Codes, Codes],
    others: Sequence[Nest],
    groups: Sequence[Codes],
) -> Rest:
    codes, size_of = largest
    fine = [groups[nest.fine] for nest in others]
    ends = np.cumsum([0, *(nest.levels for nest in others)]).tolist()
    spans = tuple(slice(a, b) for a, b in pairwise(ends))
    crossing = _crossing(codes, fine, spans, len(size_of))
    members, coarse_spans = _members(others, groups)
    return Rest(
        nests=tuple(others),
        spans=spans,
        coarse_spans=coarse_spans,
        members=members,
        sums=np.concatenate([_sums_by_level(columns, each) for each in fine]),
        meetings=_meetings(fine, spans),
        crossing=crossing,
        products=_products_by_size(crossing, size_of),
    )


def _crossing(largest: Codes, others: Sequence[Codes], spans: Sequence[slice], height: int) -> Any:
    """How often each level of the largest nest meets each other level."""
    from scipy.sparse import csr_array

    column = np.concatenate([c + s.start for c, s in zip(others, spans, strict=True)])
    ones = np.broadcast_to(np.ones(1), column.shape)
    shape = (height, spans[-1].stop)
    table = csr_array((ones, (np.tile(largest, len(others)), column)), shape=shape)
    return _as_is_quicker(table, _SPARSE * len(column))


def _as_is_quicker(table: Any, room: int) -> Any:
    return table.toarray() if table.shape[0] * table.shape[1] <= max(room, _SMALL) else table


def _meetings(others: Sequence[Codes], spans: Sequence[slice]) -> Numbers:
    width = spans[-1].stop
    found = np.zeros((width, width))
    for a, here in zip(others, spans, strict=True):
        found[here, here] = np.diag(np.bincount(a))
        for b, there in zip(others, spans, strict=True):
            if here.start < there.start:
                size = (here.stop - here.start, there.stop - there.start)
                block = np.bincount(a * size[1] + b, minlength=size[0] * size[1]).reshape(size)
                found[here, there], found[there, here] = block, block.T
    return found


def _products_by_size(crossing: Any, size_of: Codes) -> Numbers | None:
    """Levels of one size always weigh alike, so their products are added up once and for all."""
    count, m = int(size_of.max()) + 1, crossing.shape[1]
    if count * m * m > _ROOM_FOR_PRODUCTS:
        return None
    parts = (crossing[np.flatnonzero(size_of == k)] for k in range(count))
    return np.stack([in_full(_thinned(part).T @ _thinned(part)) for part in parts])


def _thinned(part: Any) -> Any:
    """Sparse only where it must be: a product of dense tables is quicker."""
    return in_full(part) if part.shape[0] * part.shape[1] <= _ROOM_FOR_DENSE else part


def in_full(table: Any) -> Numbers:
    """A table with its zeros."""
    return np.asarray(table if isinstance(table, np.ndarray) else table.toarray())


def _moment_ratios(value: Numbers, groups: Sequence[Codes]) -> Numbers:
    """A first guess of τ: the products of two values that share a level, over what is left.

    Two judgments have in common the variances of all groupings in which they share a level, so the
    mean products that share each grouping are sums of variances, which are solved for.
    """
    n = len(value)
    total = float(value @ value) / n
    shared, pairs = np.empty(len(groups)), np.empty((len(groups), len(groups)))
    for k, codes in enumerate(groups):
        sums = np.bincount(codes, value)
        shared[k] = float(sums @ sums) - n * total
        for other in range(k, len(groups)):
            pairs[k, other] = pairs[other, k] = _sharing(codes, groups[other]) - n
    variances = np.maximum(np.linalg.lstsq(pairs, shared, rcond=1e-9)[0], 0.0)
    left = max(total - float(variances.sum()), 0.05 * total)
    return np.asarray(np.minimum(variances / left, 100.0))


def _sharing(one: Codes, other: Codes) -> float:
    """How many pairs of judgments share a level of both groupings, in either order and with
    themselves."""
    cells = one.astype(np.int64) * (int(other.max()) + 1) + other
    counts = np.unique(cells, return_counts=True)[1].astype(np.float64)
    return float(counts @ counts)
