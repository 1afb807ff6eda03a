"""Groupings of judgments, and the sums over them that a mixed model needs.

The model: value = X β + Σ_k Z_k u_k + ε, with u_k ~ N(0, τ_k σ²) and ε ~ N(0, σ²), so the values
have covariance σ² V with V = I + Σ_k τ_k Z_k Z_kᵀ. Everything needed of V (Bates, Mächler, Bolker &
Walker 2015, section 3) follows from the sums Wᵀ W, Z_kᵀ W and Z_kᵀ Z_l, W = [X, value], which are
computed in one pass over the judgments.

A *nest* is a fine grouping (system × item) and a coarse one that contains its levels (item). Both
share judgments as the fine one alone does, so only the fine levels count. The nest with the most
levels is solved in closed form; the fine levels of all others are stacked and solved together.

With free slopes a grouping has an offset for each system at each level (`Slopes`), whose covariance
G has a ratio for each of its elements. All else is the same.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, combinations, pairwise, permutations
from typing import Any, Generic, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from rejudge.errors import DataError, Problem
from rejudge.stats.arrays import Codes, Numbers, count_distinct
from rejudge.stats.reasons import Reason, Why, WithReasons

NOT_CONVERGED = Why.NOT_CONVERGED(what="variances")
FEW_LEVELS = 5  # below this a variance between levels is estimated imprecisely
_SPARSE = 8  # cells for each judgment, beyond which a table is kept sparse
_SHORT = 2**31  # what fits into a short whole number
_STRIP = 128  # rows
_SMALL = 100_000  # cells; a table as small as this is quicker dense


@dataclass(frozen=True, slots=True)
class Component(WithReasons):
    """How much the levels of one grouping differ; 'residual' is what single judgments leave."""

    group: str
    variance: float | None
    levels: int | None  # None for the residual
    reasons: tuple[Reason, ...] = ()

    @property
    def standard_deviation(self) -> float | None:
        return None if self.variance is None else math.sqrt(self.variance)


def refuse_bad_columns(value: Numbers, groups: Mapping[str, Codes]) -> None:
    """Raise if the columns do not belong to the same judgments."""
    problems = [
        Problem(f"The grouping {name!r} has {len(codes)} codes for {len(value)} judgments.")
        for name, codes in groups.items()
        if len(codes) != len(value)
    ]
    if not groups:
        problems.append(
            Problem("A mixed model needs a grouping.", "Give participant, item or both.")
        )
    if not np.all(np.isfinite(value)):
        problems.append(Problem("Some values are not numbers.", "Leave those rows out."))
    if problems:
        raise DataError.of(problems)


def no_model(columns: Numbers, groups: Mapping[str, Codes]) -> Reason | None:
    """Why the variances of these groupings cannot be separated, or nothing."""
    n = len(columns)
    if not n:
        return Why.NOBODY(what="judgments")
    levels = {name: count_distinct(codes) for name, codes in groups.items()}
    for name, count in levels.items():
        if count < 2:
            return Why.ONE_LEVEL(
                what=name, effect=", so their variance cannot be estimated: leave it out"
            )
        if count == n:
            return Why.NOT_SEPARABLE(
                what=f"the variance of {name}",
                other="the residual",
                cause=f"each judgment has its own {name}",
            )
    return identical_groupings(groups, levels)


def identical_groupings(groups: Mapping[str, Codes], levels: Mapping[str, int]) -> Reason | None:
    """Which two groupings are one and the same, or nothing."""
    for one, other in combinations(groups, 2):
        if levels[one] != levels[other]:
            continue
        together = groups[one].astype(np.int64) * (int(groups[other].max()) + 1) + groups[other]
        if count_distinct(together) == levels[one]:
            return Why.NOT_SEPARABLE(
                what=f"the variance of {one}",
                other=f"that of {other}",
                cause="they always occur together",
            )
    return None


def components(
    groups: Mapping[str, Codes], variances: Mapping[str, float | None]
) -> tuple[Component, ...]:
    counts = {name: count_distinct(codes) for name, codes in groups.items()}
    return tuple(
        Component(name, variances[name], count, few_levels(name, count))
        for name, count in counts.items()
    )


def few_levels(name: str, count: int) -> tuple[Reason, ...]:
    return () if count >= FEW_LEVELS else (Why.FEW_LEVELS(n=count, what=name),)


def fit_reasons(
    groups: Mapping[str, Codes],
    variances: Mapping[str, float],
    *,
    converged: bool,
    is_exact: bool = True,
) -> tuple[Reason, ...]:
    """What must be known of a fit."""
    counts = {name: count_distinct(codes) for name, codes in groups.items()}
    reasons = [reason for name, count in counts.items() for reason in few_levels(name, count)]
    reasons += [
        Why.SINGULAR(what=name, n=counts[name])
        for name, variance in variances.items()
        if variance == 0
    ]
    if not is_exact:
        reasons.append(Why.ITERATIVE())
    if not converged:
        reasons.append(NOT_CONVERGED)
    return tuple(reasons)


@dataclass(frozen=True, slots=True)
class Nest:
    """A grouping and, where there is one, another that its levels lie within; places in a list."""

    fine: int
    coarse: int | None
    levels: int  # of the fine one

    @property
    def places(self) -> Sequence[int]:
        """The places of its ratios in a list."""
        return [self.fine] if self.coarse is None else [self.fine, self.coarse]


@dataclass(frozen=True, slots=True)
class Slopes:
    """A grouping in which every system has an offset of its own at each level. Offsets are in the
    order of levels, then systems."""

    first: int  # the place of its first ratio in a list
    blocks: int  # levels of the grouping
    width: int  # systems
    elements: tuple[NDArray[np.intp], NDArray[np.intp]]  # of G and of its Cholesky factor: 〃

    @property
    def levels(self) -> int:
        return self.blocks * self.width

    @property
    def places(self) -> Sequence[int]:
        """The places of its ratios in a list."""
        return range(self.first, self.first + len(self.elements[0]))

    def covariance(self, ratios: Numbers) -> Numbers:
        """G, in units of σ²."""
        found = np.zeros((self.width, self.width))
        rows, columns = self.elements
        found[rows, columns] = found[columns, rows] = ratios[list(self.places)]
        return found

    def root(self, ratios: Numbers) -> Numbers:
        """The symmetric Γ with Γ² = G."""
        values, vectors = np.linalg.eigh(self.covariance(ratios))
        return np.asarray((vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T)

    def by_system(self, rows: Numbers) -> list[Numbers]:
        """The rows of each system, level by level."""
        return list(self.in_blocks(rows).transpose(1, 0, 2))

    def in_blocks(self, rows: Numbers) -> Numbers:
        """Rows by level and system."""
        return rows.reshape(-1, self.width, rows.shape[1])

    def products(self, one: Numbers, other: Numbers) -> Numbers:
        """Of each level, the products of the rows of each two systems."""
        return np.asarray(self.in_blocks(one) @ self.in_blocks(other).transpose(0, 2, 1))

    def slopes(self, squares: Numbers) -> list[float]:
        """The sum by each element of G, which beside the diagonal stands on both sides of it."""
        rows, columns = self.elements
        found = np.where(rows == columns, 1.0, 2.0) * (squares + squares.T)[rows, columns] / 2
        return [float(each) for each in found]


Term: TypeAlias = Nest | Slopes
T_co = TypeVar("T_co", bound=Term, covariant=True)


@dataclass(frozen=True, slots=True)
class Stack(Generic[T_co]):
    """The fine groupings of all nests but the largest, as one block of `m` levels."""

    nests: tuple[T_co, ...]
    spans: tuple[slice, ...]  # of the fine groupings
    coarse_spans: tuple[slice, ...]  # of the coarse ones, in `members`
    members: (
        Any  # coarse levels × m: 1 where a level lies within; sparse or dense (scipy: no types)
    )
    sums: Numbers  # m × (p+1)
    meetings: Any  # sparse, m × m: judgments that two levels share
    crossing: Any  # largest × m: 〃 with the levels of the largest nest; sparse or dense

    @property
    def levels(self) -> int:
        return sum(nest.levels for nest in self.nests)

    @property
    def member_counts(self) -> Numbers:
        return np.asarray(self.members.sum(axis=1)).reshape(-1)

    def parts(self) -> Iterator[tuple[T_co, slice, slice]]:
        """Each nest with its place among the fine levels and among the coarse ones."""
        return zip(self.nests, self.spans, self.coarse_spans, strict=True)


@dataclass(frozen=True, slots=True)
class Sums(Generic[T_co]):
    """The sums of one set of judgments."""

    n: int
    nest: T_co  # the largest
    cross: Numbers  # (p+1) × (p+1)
    sizes: Numbers  # judgments in each level of its fine grouping
    members: Any  # its coarse levels × its fine ones; no rows where it has no coarse one
    sums: Numbers  # what the columns of its fine levels add up to
    stack: Stack[T_co] | None  # the other nests

    @property
    def stacked_levels(self) -> int:
        """How many levels are solved together."""
        return 0 if self.stack is None else self.stack.levels

    @property
    def terms(self) -> tuple[T_co, ...]:
        """All that have variances, the largest first."""
        return (self.nest, *(self.stack.nests if self.stack else ()))

    @property
    def places(self) -> list[int]:
        """The places of the ratios of all terms, term by term."""
        return [place for term in self.terms for place in term.places]


@dataclass(frozen=True, slots=True)
class Product:
    """Two sparse tables that are multiplied only with columns: together they would fill up."""

    left: Any
    right: Any

    def __matmul__(self, columns: Numbers) -> Numbers:
        return np.asarray(self.left @ (self.right @ columns))

    @property
    def T(self) -> Product:  # noqa: N802 - as of any table
        return Product(self.right.T.tocsr(), self.left.T.tocsr())

    @property
    def in_one(self) -> Any:
        return self.left @ self.right


def nests(groups: Sequence[Codes]) -> tuple[Nest, ...]:
    """All groupings, each alone or in a pair, the nest with the most levels first.

    A third grouping around a pair forms a nest of its own.
    """
    counts = [count_distinct(codes) for codes in groups]
    left = sorted(range(len(groups)), key=lambda k: -counts[k])
    found = []
    while left:
        fine = left.pop(0)
        around = (k for k in left if counts[k] < counts[fine] and _lies_within(groups, fine, k))
        coarse = next(around, None)
        if coarse is not None:
            left.remove(coarse)
        found.append(Nest(fine, coarse, counts[fine]))
    return tuple(found)


def _lies_within(groups: Sequence[Codes], fine: int, coarse: int) -> bool:
    """Whether all judgments of each fine level have one coarse level."""
    of_level = np.zeros(int(groups[fine].max()) + 1, dtype=groups[coarse].dtype)
    of_level[groups[fine]] = groups[coarse]
    return bool(np.all(of_level[groups[fine]] == groups[coarse]))


def tally(fixed: Numbers, value: Numbers, groups: Sequence[Codes]) -> Sums[Nest]:
    """Pass over the judgments once: W = [fixed, value]."""
    dense = [consecutive_codes(codes) for codes in groups]
    found = nests(dense)
    codes = [dense[nest.fine] for nest in found]
    return tally_terms(fixed, value, found, codes, groups=dense)


def tally_terms(
    fixed: Numbers,
    value: Numbers,
    terms: Sequence[T_co],
    codes: Sequence[Codes],
    *,
    groups: Sequence[Codes] = (),
) -> Sums[T_co]:
    """〃 with the offset of each judgment, term by term, the largest first. `groups` is what nests
    are made of."""
    columns, (largest, *others) = [*fixed.T, value], terms
    return Sums(
        n=len(value),
        nest=largest,
        cross=np.block(
            [[fixed.T @ fixed, (fixed.T @ value)[:, None]], [value @ fixed, value @ value]]
        ),
        sizes=np.bincount(codes[0], minlength=largest.levels).astype(np.float64),
        members=_members([largest], groups)[0],
        sums=_sums_by_level(columns, codes[0], largest.levels),
        stack=_stack(columns, terms, codes, groups) if others else None,
    )


def consecutive_codes(codes: Codes) -> Codes:
    """The same grouping with codes 0, 1, 2, …"""
    return np.asarray((np.cumsum(np.bincount(codes) > 0) - 1)[codes])


def _sums_by_level(columns: Sequence[Numbers], codes: Codes, levels: int) -> Numbers:
    return np.stack([np.bincount(codes, column, levels) for column in columns], axis=1)


def _members(some: Sequence[Term], groups: Sequence[Codes]) -> tuple[Any, tuple[slice, ...]]:
    """Which fine levels lie within each coarse one, nest under nest, and where each nest begins."""
    from scipy.sparse import csr_array

    rows, columns, ends, offset = [], [], [0], 0
    for nest in some:
        if isinstance(nest, Slopes) or nest.coarse is None:
            ends.append(ends[-1])
        else:
            inner = groups[nest.fine]
            of_level = np.empty(nest.levels, dtype=np.int64)
            of_level[inner] = groups[nest.coarse]
            rows.append(of_level + ends[-1])
            columns.append(np.arange(nest.levels) + offset)
            ends.append(ends[-1] + int(of_level.max()) + 1)
        offset += nest.levels
    row, column = (np.concatenate([*part, np.zeros(0, dtype=np.int64)]) for part in (rows, columns))
    table = csr_array((np.ones(len(row)), (row, column)), shape=(ends[-1], offset))
    return faster_table(table, 0), tuple(slice(a, b) for a, b in pairwise(ends))


def _stack(
    columns: Sequence[Numbers],
    terms: Sequence[T_co],
    codes: Sequence[Codes],
    groups: Sequence[Codes],
) -> Stack[T_co]:
    (first, *others), (largest, *fine) = terms, codes
    ends = list(accumulate((term.levels for term in others), initial=0))
    spans = tuple(slice(a, b) for a, b in pairwise(ends))
    places = [each + span.start for each, span in zip(fine, spans, strict=True)]
    members, coarse_spans = _members(others, groups)
    crossing = _counts([(largest, place) for place in places], (first.levels, ends[-1]))
    meetings = [(a, a) for a in places] + list(permutations(places, 2))
    sums = (
        _sums_by_level(columns, *each)
        for each in zip(fine, (t.levels for t in others), strict=True)
    )
    return Stack(
        nests=tuple(others),
        spans=spans,
        coarse_spans=coarse_spans,
        members=members,
        sums=np.concatenate(list(sums)),
        meetings=_counts(meetings, (ends[-1], ends[-1])),
        crossing=faster_table(crossing, _SPARSE * len(largest) * len(others)),
    )


def _counts(pairs: Sequence[tuple[Codes, Codes]], shape: tuple[int, int]) -> Any:
    """How often two levels meet, as a sparse table."""
    from scipy.sparse import csr_array

    short = np.int32 if max(shape) < _SHORT else np.int64  # half the memory to go through
    row, column = (
        np.concatenate(side, dtype=short, casting="same_kind") for side in zip(*pairs, strict=True)
    )
    ones = np.broadcast_to(np.ones(1), row.shape)
    return csr_array((ones, (row, column)), shape=shape)


def faster_table(table: Any, most_cells: int = 0) -> Any:
    """A table in full where it is small, or where few of its cells are empty; else sparse."""
    return table.toarray() if table.shape[0] * table.shape[1] <= max(most_cells, _SMALL) else table


def to_dense(table: Any) -> Numbers:
    """A table with its zeros."""
    return np.asarray(table if isinstance(table, np.ndarray) else table.toarray())


def transpose(table: Any) -> Any:
    """A table, sparse or dense, with its rows as columns, laid out for quick products."""
    if isinstance(table, Product):
        return table.T
    return np.ascontiguousarray(table.T) if isinstance(table, np.ndarray) else table.T.tocsr()


def scale_rows(rows: Any, weight: Numbers) -> Any:
    """Each row of a table, sparse or dense, times its weight."""
    if isinstance(rows, np.ndarray):
        return rows * weight[:, None]
    return rows.multiply(weight[:, None]).tocsr()


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
