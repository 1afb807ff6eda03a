"""Fitting mixed models of choices: pairs, best–worst choices, rankings.

    score differences = X β + (u_is − u_it) + (v_rs − v_rt) + e

with β_s the strength of system s, u_is its gain on item i and v_rs with participant r. The effects
are those of `linear_mixed`; only the sums differ (`choice_sums`).

A judgment of k systems gives each a score, and only differences between its scores count. Its k − 1
orthonormal (Helmert) differences have independent errors. Their sums need not be written out: with
P = I − 11ᵀ/k over the k systems, each sum of products of differences is one of P and of scores
minus their mean in the judgment. Using all k (k − 1) / 2 differences would count one judgment
several times.

Systems vary over the levels of a grouping (items, participants), so Zᵀ Z has a block for each
level. The eigenvectors U of the blocks of the larger grouping turn these into Λ = Uᵀ Zᵀ Z U, a
number for each direction. The grouping is then solved as one of plain levels with Λ for their sizes
(`mixed.evaluation`), and the other one is stacked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rejudge.stats.arrays import Codes, Numbers
from rejudge.stats.mixed.effects import Basis, EffectColumn, Layout, Solution, coefficients, inverse
from rejudge.stats.mixed.evaluation import Exact, Solver
from rejudge.stats.mixed.iterative import Iterative
from rejudge.stats.mixed.linear import (
    EXACT_UP_TO,
    NO_VARIATION,
    RESIDUAL,
    TOO_MANY_EFFECTS,
    MixedFit,
    PreparedSums,
    fit_sums,
    undefined_fit,
)
from rejudge.stats.mixed.probes import ProbeSet, block_probes, fingerprints, turn_probes
from rejudge.stats.mixed.sums import (
    Component,
    Nest,
    Product,
    Stack,
    Sums,
    consecutive_codes,
    faster_table,
)

SYSTEM = "system"
MOST_EXACT_WORK = 5e7  # products for each evaluation of the likelihood; beyond, iteration is faster
_ADDS = 1e-10  # of a column's sum of squares: less than this is rounding
_NOTHING = 1e-12  # of the scores' sum of squares: what rounding leaves
_SAME = 1e-9
_DIGITS = 9  # of Λ: equal ones, which rounding made differ, are then the same
_DENSE = 11  # cells for each number; up to this many a product is quicker of a full table
_QUICKER = 50.0
_NO_DIRECTION = 1e-8  # of Λ: a direction that no judgment shows


@dataclass(frozen=True, slots=True)
class ChoiceFit:
    """A fit and, whether or not there is one, the estimates of the plain regression."""

    fit: MixedFit
    plain: Solution  # without the groupings


def shows_levels(entries: Entries, products: Products) -> Callable[[Codes], bool]:
    """What says whether a grouping, given by judgment, can be told from the residual: some two
    judgments of one level share a system."""
    alone = squared_size(products, blocks_of(entries, entries.judgment))

    def shows(level: Codes) -> bool:
        together = squared_size(products, blocks_of(entries, level[entries.judgment]))
        return together > alone * (1 + _SAME)

    return shows


def fit_choices(
    entries: Entries,
    groups: Mapping[str, Codes],
    *,
    numbers: tuple[int, ...],
    products: Products,
    covariates: tuple[str, ...] = (),
    level: float = 0.95,
) -> ChoiceFit:
    """Fit strengths of systems, by REML. `numbers` are the systems' own, in order; `groups` gives
    the level of each row, of a kind that the judgments can show. Covariates that always go with
    the systems are left out."""
    table = gram(entries, products)
    layout, basis = _layout(numbers, covariates), _independent(table[1:-1, 1:-1])
    if any(place >= len(numbers) - 1 for place in basis.left_out):
        entries = replace(entries, columns=entries.columns[:, -1:])
        return fit_choices(entries, groups, numbers=numbers, products=products, level=level)
    kept = [1 + place for place in basis.kept]
    back = inverse(basis.triangle)
    offset = back.T @ table[kept, -1]
    left = float(table[-1, -1] - offset @ offset)
    df = entries.n - len(kept)
    plain = _plain(layout, basis, offset, (left, df))
    reason = _no_fit(left, float(table[-1, -1]), df)
    if reason:
        return ChoiceFit(undefined_fit(groups, entries.n, reason), plain)
    if not groups:
        return ChoiceFit(_regression(plain, left, entries.n, level), plain)
    blocks = [blocks_of(entries, codes) for codes in groups.values()]
    change = _change_of_basis(len(table), kept, back, offset)
    sums, rotation = choice_sums(entries, products, blocks, change)
    sums, solver = _solver(entries, sums, rotation, blocks)
    tallied = PreparedSums(sums, solver, layout, basis, offset)
    return ChoiceFit(fit_sums(tallied, groups, reml=True, level=level), plain)


def _change_of_basis(width: int, kept: list[int], back: Numbers, offset: Numbers) -> Numbers:
    """From all columns to perpendicular ones, and to what these leave of the score."""
    change = np.zeros((width, len(kept) + 1))
    change[kept, :-1], change[kept, -1], change[-1, -1] = back, -back @ offset, 1.0
    return change


def _no_fit(left: float, whole: float, df: int) -> str:
    if left <= _NOTHING * max(whole, np.finfo(float).tiny):
        return NO_VARIATION
    return TOO_MANY_EFFECTS if df <= 0 else ""


def _layout(numbers: tuple[int, ...], covariates: tuple[str, ...]) -> Layout:
    """Systems against the lowest, and covariates, which are 0 where nothing is known."""
    columns = [EffectColumn(SYSTEM, number) for number in numbers[1:]]
    columns += [EffectColumn(name) for name in covariates]
    return Layout(tuple(columns), {SYSTEM: numbers}, dict.fromkeys(covariates, 0.0))


def _independent(squares: Numbers) -> Basis:
    """Gram–Schmidt from left to right, from sums of products alone."""
    count = len(squares)
    kept: list[int] = []
    weights = np.zeros((count, count))  # of each column on each direction
    for place in range(count):
        before = weights[: len(kept)]
        for row, other in enumerate(kept):
            share = squares[other, place] - before[:row, other] @ before[:row, place]
            weights[row, place] = share / weights[row, other]
        rest = squares[place, place] - float(before[:, place] @ before[:, place])
        if rest > _ADDS * squares[place, place]:
            weights[len(kept), place] = np.sqrt(rest)
            kept.append(place)
    left_out = tuple(place for place in range(count) if place not in kept)
    triangle = weights[: len(kept), kept]
    dependence = inverse(triangle) @ weights[: len(kept), list(left_out)]
    return Basis(triangle, tuple(kept), left_out, dependence)


def _plain(layout: Layout, basis: Basis, offset: Numbers, left: tuple[float, int]) -> Solution:
    """The regression without groupings; `left` is its residual sum of squares with the degrees of
    freedom, which come out exactly."""
    back = inverse(basis.triangle)
    spread = back @ back.T
    df = max(left[1], 1)
    variance = left[0] / df
    return Solution(
        layout=layout,
        kept=basis.kept,
        left_out=basis.left_out,
        dependence=basis.dependence,
        beta=back @ offset,
        covariance=variance * spread,
        slopes=spread[None],
        uncertainty=np.array([[2 * variance**2 / df]]),
    )


def _regression(plain: Solution, left: float, n: int, level: float) -> MixedFit:
    """A fit without any grouping."""
    df = n - len(plain.kept)
    residual = Component(RESIDUAL, left / df, None)
    found = coefficients(plain, level)
    return MixedFit(
        found, (residual,), None, reml=True, n=n, converged=True, singular=False, solution=plain
    )


def _solver(
    entries: Entries, sums: Sums[Nest], rotation: Rotation, blocks: list[LevelBlocks]
) -> tuple[Sums[Nest], Solver | None]:
    if sums.stack is None:
        return sums, None
    met = len(entries.system) / blocks[sums.nest.fine].levels
    work = product_work(len(rotation.sizes), sums.stack.levels, met)
    if sums.stack.levels <= EXACT_UP_TO and work <= MOST_EXACT_WORK:
        stack = multiply(sums.stack)
        in_full = replace(sums, stack=stack)
        return in_full, Exact(in_full, stack)
    probes = _probes(entries, sums, rotation, blocks)
    return sums, Iterative(sums.stack, probes)


def _probes(
    entries: Entries, sums: Sums[Nest], rotation: Rotation, blocks: list[LevelBlocks]
) -> ProbeSet:
    """Signs by level, the same for all its systems, each in a column of its own."""
    largest, other = blocks[sums.nest.fine], blocks[1 - sums.nest.fine]
    codes = [largest.level, other.level, largest.place, other.place]
    outer, other_outer, inner, other_inner = fingerprints(entries.columns[:, -1], codes)
    turned = turn_probes(
        block_probes(largest.level_of, largest.system_of, (outer, inner)), rotation.turn
    )
    stacked = block_probes(other.level_of, other.system_of, (other_outer, other_inner))
    return ProbeSet(turned, (stacked,))


@dataclass(frozen=True, slots=True)
class Entries:
    """One row for each system of each judgment, judgment by judgment."""

    judgment: Codes  # 0, 1, 2, …, in order
    system: Codes  # 0, 1, 2, … without gaps
    columns: Numbers  # covariates and the score, last; each with mean 0 in every judgment
    weight: float  # of squared differences: 1 for orthonormal ones, 2 for plain ones of pairs

    @property
    def systems(self) -> int:
        return int(self.system.max()) + 1

    @property
    def sizes(self) -> Codes:
        """How many systems each judgment has."""
        return np.bincount(self.judgment)

    @property
    def n(self) -> int:
        """Independent differences."""
        return len(self.judgment) - int(self.judgment[-1]) - 1


@dataclass(frozen=True, slots=True)
class Products:
    """P of every judgment, cell by cell: two rows of the same judgment and what they share."""

    first: Codes
    second: Codes
    value: Numbers

    def table(self, rows: Codes, columns: Codes, shape: tuple[int, int]) -> Any:
        """Their sums by what the first row and the second belong to, as a sparse table."""
        from scipy.sparse import csr_array

        return csr_array((self.value, (rows[self.first], columns[self.second])), shape=shape)


@dataclass(frozen=True, slots=True)
class LevelBlocks:
    """The systems that occur at each level of a grouping."""

    level: Codes  # by row of the entries, without gaps
    place: Codes  # 〃 level and system together, without gaps
    level_of: Codes  # by place
    system_of: Codes  # 〃

    @property
    def places(self) -> int:
        return len(self.level_of)

    @property
    def levels(self) -> int:
        return int(self.level_of[-1]) + 1

    @property
    def slot_of(self) -> Codes:
        """The number of each place within its level."""
        counts = np.bincount(self.level_of)
        return np.arange(self.places) - np.repeat(np.cumsum(counts) - counts, counts)


def blocks_of(entries: Entries, level: Codes) -> LevelBlocks:
    """The blocks of a grouping, given by row."""
    level = consecutive_codes(level)
    cell = level.astype(np.int64) * entries.systems + entries.system
    cells = np.flatnonzero(np.bincount(cell))
    return LevelBlocks(level, consecutive_codes(cell), *np.divmod(cells, entries.systems))


def products_of(entries: Entries) -> Products:
    """P of every judgment."""
    sizes = entries.sizes
    start = np.cumsum(sizes) - sizes
    first, second = [], []
    for size in np.unique(sizes):
        rows = start[sizes == size][:, None, None] + np.arange(size)[:, None]
        shape = (len(rows), size, size)
        first.append(np.broadcast_to(rows, shape).ravel())
        second.append(np.broadcast_to(rows.transpose(0, 2, 1), shape).ravel())
    one, other = np.concatenate(first), np.concatenate(second)
    share = 1 / sizes[entries.judgment[one]]
    return Products(one, other, entries.weight * ((one == other) - share))


def gram(entries: Entries, products: Products) -> Numbers:
    """Wᵀ W of W = [systems, covariates, score]."""
    count = entries.systems
    systems = products.table(entries.system, entries.system, (count, count)).toarray()
    mixed = _sums(entries, entries.system, count)
    inner = entries.weight * entries.columns.T @ entries.columns
    return np.block([[systems, mixed], [mixed.T, inner]])


def _sums(entries: Entries, codes: Codes, count: int) -> Numbers:
    """Covariates and scores by level of what the codes say."""
    sums = [np.bincount(codes, column, count) for column in entries.columns.T]
    return np.asarray(entries.weight * np.stack(sums, axis=1), dtype=np.float64)


def level_sums(entries: Entries, products: Products, blocks: LevelBlocks) -> Numbers:
    """Zᵀ W, one row for each place of a grouping."""
    shape = (blocks.places, entries.systems)
    systems = products.table(blocks.place, entries.system, shape).toarray()
    return np.hstack([systems, _sums(entries, blocks.place, blocks.places)])


def squared_size(products: Products, blocks: LevelBlocks) -> float:
    """The sum of squares of Zᵀ Z, which is that of Z Zᵀ. Where no two judgments of a level share a
    system it is that of the judgments by themselves, and the grouping is part of the residual."""
    table = products.table(blocks.place, blocks.place, (blocks.places, blocks.places))
    return float((table.data**2).sum())


@dataclass(frozen=True, slots=True)
class Rotation:
    """The eigenvectors of every block, and the eigenvalues that are not 0."""

    turn: Any  # sparse, directions × places
    sizes: Numbers


def rotation_of(products: Products, blocks: LevelBlocks) -> Rotation:
    """Directions in which the systems of each level vary on their own."""
    from scipy.sparse import csr_array

    slot = blocks.slot_of
    width, levels = int(slot.max()) + 1, blocks.levels
    first, second = blocks.place[products.first], blocks.place[products.second]
    cell = (blocks.level_of[first] * width + slot[first]) * width + slot[second]
    squares = np.bincount(cell, products.value, levels * width * width)
    values, vectors = np.linalg.eigh(squares.reshape(levels, width, width))
    kept = values > _NO_DIRECTION
    start = np.searchsorted(blocks.level_of, np.arange(levels))
    level, direction = np.nonzero(kept)
    turned = vectors.transpose(0, 2, 1)[level, direction]  # one row for each direction
    used = np.arange(width) < np.bincount(blocks.level_of)[level][:, None]
    row, column = np.nonzero(used)
    place = start[level[row]] + column
    turn = csr_array((turned[used], (row, place)), shape=(len(level), blocks.places))
    return Rotation(turn, np.round(values[kept], _DIGITS))


def choice_sums(
    entries: Entries, products: Products, groupings: Sequence[LevelBlocks], change: Numbers
) -> tuple[Sums[Nest], Rotation]:
    """The sums of W @ change for one grouping or two. The one with more places is turned, and its
    number is that of the nest; the other one is stacked."""
    order = sorted(range(len(groupings)), key=lambda k: -groupings[k].places)
    largest = groupings[order[0]]
    rotation = rotation_of(products, largest)
    sums = Sums(
        n=entries.n,
        nest=Nest(order[0], None, len(rotation.sizes)),
        cross=change.T @ gram(entries, products) @ change,
        sizes=rotation.sizes,
        members=np.zeros((0, len(rotation.sizes))),
        sums=np.asarray(rotation.turn @ (level_sums(entries, products, largest) @ change)),
        stack=None,
    )
    if len(order) == 1:
        return sums, rotation
    other = groupings[order[1]]
    meeting = products.table(largest.place, other.place, (largest.places, other.places))
    stack = Stack(
        nests=(Nest(order[1], None, other.places),),
        spans=(slice(0, other.places),),
        coarse_spans=(slice(0, 0),),
        members=np.zeros((0, other.places)),
        sums=level_sums(entries, products, other) @ change,
        meetings=products.table(other.place, other.place, (other.places, other.places)),
        crossing=Product(rotation.turn, meeting),
    )
    return replace(sums, stack=stack), rotation


def product_work(rows: float, places: float, met: float) -> float:
    """How many products the crossing's square takes: `rows` directions, each of which meets so many
    of the places. In a full table they are quicker by a factor of 50."""
    return rows * min(met**2, places**2 / _QUICKER)


def multiply(stack: Stack[Nest]) -> Stack[Nest]:
    """The same with the crossing written out, for an exact solution."""
    table = stack.crossing.in_one
    return replace(stack, crossing=faster_table(table, _DENSE * table.nnz))
