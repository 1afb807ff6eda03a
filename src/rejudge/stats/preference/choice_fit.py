"""Fitting mixed models of choices: pairs, best–worst choices, rankings.

    score differences = X β + (u_is − u_it) + (v_rs − v_rt) + e

with β_s the strength of system s, u_is its gain on item i and v_rs with participant r. The effects
are those of `linear_mixed`; only the sums differ (`choice_sums`).

A judgment of k systems gives each a score, and only differences between its scores count. Its k − 1
orthonormal (Helmert) differences have independent errors: they are the rows of the model. Using all
k (k − 1) / 2 differences would count one judgment several times.

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
from rejudge.stats.mixed.effects import EffectColumn, Layout, Solution, coefficients, inverse
from rejudge.stats.mixed.evaluation import Exact, Solver
from rejudge.stats.mixed.iterative import Iterative
from rejudge.stats.mixed.linear import (
    EXACT_UP_TO,
    NO_VARIATION,
    RESIDUAL,
    TOO_MANY_EFFECTS,
    MixedFit,
    PlainRegression,
    PreparedSums,
    fit_sums,
    regress_on,
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
from rejudge.stats.reasons import Reason

SYSTEM = "system"
MOST_EXACT_WORK = 5e7  # products for each evaluation of the likelihood; beyond, iteration is faster
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


def shows_levels(rows: ChoiceRows) -> Callable[[Codes], bool]:
    """What says whether a grouping, given by judgment, can be told from the residual: some two
    judgments of one level share a system."""
    alone = _squared_size(rows.offsets(rows.entries.judgment))

    def shows(level: Codes) -> bool:
        together = _squared_size(rows.offsets(level[rows.entries.judgment]))
        return together > alone * (1 + _SAME)

    return shows


def _squared_size(offsets: SystemOffsets) -> float:
    """The sum of squares of Zᵀ Z, which is that of Z Zᵀ. Where no two judgments of a level share a
    system it is that of the judgments by themselves, and the grouping is part of the residual."""
    return float((offsets.squares.data**2).sum())


def fit_choices(
    rows: ChoiceRows,
    groups: Mapping[str, Codes],
    *,
    numbers: tuple[int, ...],
    covariates: tuple[str, ...] = (),
    level: float = 0.95,
) -> ChoiceFit:
    """Fit strengths of systems, by REML. `numbers` are the systems' own, in order; `groups` gives
    the level of each entry, of a kind that the judgments can show. Covariates that always go with
    the systems are left out."""
    columns = np.asfortranarray(rows.columns(len(covariates)))
    score = rows.differences @ rows.entries.columns[:, -1]
    regression = regress_on(_layout(numbers, covariates), columns, score)
    if any(place >= len(numbers) - 1 for place in regression.basis.left_out):
        return fit_choices(rows, groups, numbers=numbers, level=level)
    df = len(score) - len(regression.basis.kept)
    left = float(regression.left @ regression.left)
    plain = _plain(regression, left, df)
    reason = _no_fit(left, float(score @ score), df)
    if reason:
        return ChoiceFit(undefined_fit(groups, len(score), reason), plain)
    if not groups:
        return ChoiceFit(_regression(plain, left / df, len(score), level), plain)
    offsets = [rows.offsets(codes) for codes in groups.values()]
    sums, rotation = choice_sums(np.column_stack([regression.directions, regression.left]), offsets)
    sums, solver = _solver(rows.entries, sums, rotation, offsets)
    tallied = PreparedSums(sums, solver, regression.layout, regression.basis, regression.offset)
    return ChoiceFit(fit_sums(tallied, groups, reml=True, level=level), plain)


def _no_fit(left: float, whole: float, df: int) -> Reason | None:
    if left <= _NOTHING * max(whole, np.finfo(float).tiny):
        return NO_VARIATION
    return TOO_MANY_EFFECTS if df <= 0 else None


def _layout(numbers: tuple[int, ...], covariates: tuple[str, ...]) -> Layout:
    """Systems against the lowest, and covariates, which are 0 where nothing is known."""
    columns = [EffectColumn(SYSTEM, number) for number in numbers[1:]]
    columns += [EffectColumn(name) for name in covariates]
    return Layout(tuple(columns), {SYSTEM: numbers}, dict.fromkeys(covariates, 0.0))


def _plain(regression: PlainRegression, left: float, df: int) -> Solution:
    """The regression without groupings; its residual sum of squares has exactly these degrees of
    freedom."""
    basis, df = regression.basis, max(df, 1)
    back = inverse(basis.triangle)
    spread, variance = back @ back.T, left / df
    return Solution(
        layout=regression.layout,
        kept=basis.kept,
        left_out=basis.left_out,
        dependence=basis.dependence,
        beta=back @ regression.offset,
        covariance=variance * spread,
        slopes=spread[None],
        uncertainty=np.array([[2 * variance**2 / df]]),
    )


def _regression(plain: Solution, variance: float, n: int, level: float) -> MixedFit:
    """A fit without any grouping."""
    residual = (Component(RESIDUAL, variance, None),)
    found = coefficients(plain, level)
    return MixedFit(
        found, residual, None, reml=True, n=n, converged=True, singular=False, solution=plain
    )


def _solver(
    entries: Entries, sums: Sums[Nest], rotation: Rotation, blocks: list[SystemOffsets]
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
    entries: Entries, sums: Sums[Nest], rotation: Rotation, blocks: list[SystemOffsets]
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


@dataclass(frozen=True, slots=True)
class ChoiceRows:
    """Independent differences of the scores of each judgment."""

    entries: Entries
    differences: Any  # sparse, differences × entries

    @classmethod
    def of(cls, entries: Entries) -> ChoiceRows:
        """Of each judgment, the Helmert differences: the mean of its first j entries against the
        next one, for every j."""
        from scipy.sparse import csr_array

        sizes = entries.sizes
        start = (np.cumsum(sizes) - sizes)[entries.judgment]
        before = np.arange(len(start)) - start
        start, before = start[before > 0], before[before > 0]
        ends = np.cumsum(before + 1)
        length = np.sqrt(entries.weight / (before * (before + 1)))
        value = np.repeat(length, before + 1)
        value[ends - 1] = -before * length
        column = np.arange(len(value)) + np.repeat(start - (ends - before - 1), before + 1)
        shape = (len(before), len(entries.system))
        return cls(entries, csr_array((value, column, np.append(0, ends)), shape=shape))

    def columns(self, covariates: int) -> Numbers:
        """Systems, of which the first is the reference, and covariates."""
        systems = self.differences @ _one_each(self.entries.system)
        some = self.differences @ self.entries.columns[:, :covariates]
        return np.hstack([systems.toarray()[:, 1:], some])

    def offsets(self, level: Codes) -> SystemOffsets:
        """The offsets of a grouping, given by entry."""
        level = consecutive_codes(level)
        cell = level.astype(np.int64) * self.entries.systems + self.entries.system
        cells, place = np.flatnonzero(np.bincount(cell)), consecutive_codes(cell)
        level_of, system_of = np.divmod(cells, self.entries.systems)
        rows = self.differences @ _one_each(place)
        return SystemOffsets(level, place, level_of, system_of, rows, (rows.T @ rows).tocsr())


def _one_each(codes: Codes) -> Any:
    """A sparse table with a 1 in each row, in the column of its code."""
    from scipy.sparse import csr_array

    n = len(codes)
    return csr_array((np.ones(n), codes, np.arange(n + 1)), shape=(n, int(codes.max()) + 1))


@dataclass(frozen=True, slots=True)
class SystemOffsets:
    """The systems that occur at each level of a grouping."""

    level: Codes  # by entry, without gaps
    place: Codes  # 〃 level and system together, without gaps
    level_of: Codes  # by place
    system_of: Codes  # 〃
    rows: Any  # Z: sparse, differences × places
    squares: Any  # Zᵀ Z

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


@dataclass(frozen=True, slots=True)
class Rotation:
    """The eigenvectors of every block, and the eigenvalues that are not 0."""

    turn: Any  # sparse, directions × places
    sizes: Numbers


def rotation_of(blocks: SystemOffsets) -> Rotation:
    """Directions in which the systems of each level vary on their own."""
    from scipy.sparse import csr_array

    slot = blocks.slot_of
    width, levels = int(slot.max()) + 1, blocks.levels
    cells = blocks.squares.tocoo()
    first, second = cells.coords
    cell = (blocks.level_of[first] * width + slot[first]) * width + slot[second]
    squares = np.bincount(cell, cells.data, levels * width * width)
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
    columns: Numbers, groupings: Sequence[SystemOffsets]
) -> tuple[Sums[Nest], Rotation]:
    """The sums of columns for one grouping or two. The one with more places is turned, and its
    number is that of the nest; the other one is stacked."""
    order = sorted(range(len(groupings)), key=lambda k: -groupings[k].places)
    largest = groupings[order[0]]
    rotation = rotation_of(largest)
    sums = Sums(
        n=len(columns),
        nest=Nest(order[0], None, len(rotation.sizes)),
        cross=columns.T @ columns,
        sizes=rotation.sizes,
        members=np.zeros((0, len(rotation.sizes))),
        sums=np.asarray(rotation.turn @ (largest.rows.T @ columns)),
        stack=None,
    )
    if len(order) == 1:
        return sums, rotation
    other = groupings[order[1]]
    stack = Stack(
        nests=(Nest(order[1], None, other.places),),
        spans=(slice(0, other.places),),
        coarse_spans=(slice(0, 0),),
        members=np.zeros((0, other.places)),
        sums=np.asarray(other.rows.T @ columns),
        meetings=other.squares,
        crossing=Product(rotation.turn, (largest.rows.T @ other.rows).tocsr()),
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
