"""The sums over clusters that one part of all votes contributes.

A part holds whole clusters of one kind: participants or items. Most of them have a single vote, so
these are counted by outcome and never handled one by one. The others are sorted once, and grouped
by pair and by system. A part that is too large, because somebody gave most of the votes, comes in
blocks that hold whole cells; only their groups are kept until the last block.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rejudge.stats.arrays import Codes, Numbers
from rejudge.stats.preference.vote_counts import CellMoments, ClusterMoments
from rejudge.stats.preference.vote_strengths import StrengthSums

OUTCOMES = 3  # of a vote for the first system of its pair: lost, a tie, won
_ODD = np.uint64(0x9E3779B97F4A7C15)  # times this, hashes of two ids make one of a cell
Hashes = NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class PartVotes:
    """Votes as hashes of ids and as codes: three times the number of the pair, plus the outcome."""

    cluster: Hashes
    other: Hashes  # the id of the other kind: both name the cell
    code: Codes

    @classmethod
    def concatenate(cls, votes: Sequence[PartVotes]) -> PartVotes:
        """The votes of all, in this order."""
        return cls(
            np.concatenate([each.cluster for each in votes]),
            np.concatenate([each.other for each in votes]),
            np.concatenate([each.code for each in votes]),
        )

    @property
    def cell(self) -> Hashes:
        """A hash of participant and item together."""
        return np.asarray(self.cluster + self.other * _ODD)

    def rows(self, which: NDArray[np.int64] | NDArray[np.bool_]) -> PartVotes:
        """Some of the votes."""
        return PartVotes(self.cluster[which], self.other[which], self.code[which])


@dataclass(frozen=True, slots=True)
class PartSums:
    """What the votes of one part add to the sums over clusters of one kind."""

    pairs: ClusterMoments
    systems: ClusterMoments
    cells: CellMoments  # of systems; a cell has one vote of each pair
    meat: Numbers  # systems × systems: outer products of clusters' sums of residuals
    cell_meat: Numbers  # 〃 of cells
    clusters: int
    cell_count: int
    squares: float  # of the numbers of votes of clusters
    cubes: float  # 〃
    repeats: int  # votes on a pair that its cell already has

    def __add__(self, other: PartSums) -> PartSums:
        return PartSums(
            self.pairs + other.pairs,
            self.systems + other.systems,
            self.cells + other.cells,
            self.meat + other.meat,
            self.cell_meat + other.cell_meat,
            self.clusters + other.clusters,
            self.cell_count + other.cell_count,
            self.squares + other.squares,
            self.cubes + other.cubes,
            self.repeats + other.repeats,
        )

    def strength_sums(self, n: int) -> StrengthSums:
        """For the errors of strengths."""
        return StrengthSums(self.meat, self.clusters, n, self.squares, self.cubes)


@dataclass(frozen=True, slots=True)
class VotePairs:
    """The systems of each pair, and how often its first is expected to win."""

    first: Codes
    second: Codes
    expected: Numbers
    systems: int

    @classmethod
    def of(cls, expected: Numbers) -> VotePairs:
        """All pairs of the systems of a matrix of expected preferences."""
        first, second = np.triu_indices(len(expected), 1)
        return cls(first, second, expected[first, second], len(expected))

    def __len__(self) -> int:
        return len(self.first)


@dataclass(frozen=True, slots=True)
class BlockSums:
    """A block: what is final, and the groups of clusters that other blocks may add to."""

    alone: Numbers  # votes that are alone in their cluster, by code
    in_one_vote_cells: Numbers  # votes that are alone in their cell, by code
    groups: _Groups
    shared: _SharedCells
    cell_count: int


@dataclass(frozen=True, slots=True)
class _Groups:
    """Votes with the same code in a cluster, ordered by cluster and code."""

    cluster: Hashes
    code: Codes
    n: Numbers

    @property
    def number(self) -> Codes:
        """The clusters numbered from 0."""
        return np.asarray(np.cumsum(_starts(self.cluster)) - 1)


@dataclass(frozen=True, slots=True)
class _SharedCells:
    """Cells with two or more votes: sums for each system in them."""

    cluster: Hashes
    system: Codes
    n: Numbers
    cells: CellMoments
    meat: Numbers
    repeats: int


def sum_blocks(blocks: Sequence[BlockSums], pairs: VotePairs) -> PartSums:
    """The sums of a part from its blocks."""
    groups = _merge([block.groups for block in blocks], len(pairs))
    alone = np.sum([block.alone for block in blocks], axis=0)
    single = np.sum([block.in_one_vote_cells for block in blocks], axis=0)
    number = groups.number
    by_pair = _PairGroups.of(groups, number, pairs)
    known = groups.cluster[_starts(groups.cluster)]
    by_system = _system_groups(by_pair, [block.shared for block in blocks], known, pairs)
    sizes = np.bincount(number, groups.n) if len(number) else np.zeros(0)
    ones = alone.sum()
    cells = _cells_of_tally(single, pairs)
    cell_meat = _meat_of_tally(single, pairs)
    for block in blocks:
        cells, cell_meat = cells + block.shared.cells, cell_meat + block.shared.meat
    return PartSums(
        pairs=by_pair.moments(len(pairs)) + _pairs_of_tally(alone),
        systems=by_system.moments(pairs.systems) + _systems_of_tally(alone, pairs),
        cells=cells,
        meat=_meat_of_tally(alone, pairs) + by_system.meat(pairs.systems),
        cell_meat=cell_meat,
        clusters=int(ones) + len(sizes),
        cell_count=sum(block.cell_count for block in blocks),
        squares=float(ones + (sizes**2).sum()),
        cubes=float(ones + (sizes**3).sum()),
        repeats=sum(block.shared.repeats for block in blocks),
    )


def sum_block(votes: PartVotes, pairs: VotePairs, *, is_whole: bool) -> BlockSums:
    """The sums of a block; `is_whole`: no cluster has votes in another block."""
    size = OUTCOMES * len(pairs)
    order = np.argsort(votes.cluster)
    starts = _starts(votes.cluster[order])
    is_alone = starts & np.append(starts[1:], True) if is_whole else np.zeros(len(order), np.bool_)
    alone = _tally(votes.code[order[is_alone]], size)
    rest = votes.rows(order[~is_alone])
    number = np.cumsum(starts[~is_alone]) - 1
    cells = np.argsort(rest.cell)
    begins = _starts(rest.cell[cells])
    is_single = begins & np.append(begins[1:], True)
    together = cells[~is_single]
    return BlockSums(
        alone=alone,
        in_one_vote_cells=alone + _tally(rest.code[cells[is_single]], size),
        groups=_group(rest, number, size),
        shared=_share(rest.rows(together), np.cumsum(begins[~is_single]) - 1, pairs),
        cell_count=int(alone.sum()) + int(begins.sum()),
    )


def _starts(ordered: NDArray[np.generic]) -> NDArray[np.bool_]:
    """Where a new value begins."""
    starts = np.ones(len(ordered), dtype=np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=starts[1:])
    return starts


def _tally(code: Codes, size: int) -> Numbers:
    return np.bincount(code, minlength=size).astype(np.float64)


def _group(votes: PartVotes, number: Codes, size: int) -> _Groups:
    """Count equal votes; the votes are ordered by cluster."""
    key = np.sort(number * size + votes.code)
    first = np.flatnonzero(_starts(key))
    n = np.diff(first, append=len(key)).astype(np.float64)
    clusters = votes.cluster[_starts(votes.cluster)]
    return _Groups(clusters[key[first] // size], key[first] % size, n)


def _merge(groups: Sequence[_Groups], pairs: int) -> _Groups:
    if len(groups) == 1:
        return groups[0]
    cluster = np.concatenate([each.cluster for each in groups])
    code = np.concatenate([each.code for each in groups])
    n = np.concatenate([each.n for each in groups])
    clusters, number = np.unique(cluster, return_inverse=True)
    key = number * (OUTCOMES * pairs) + code
    kept, place = np.unique(key, return_inverse=True)
    return _Groups(
        clusters[kept // (OUTCOMES * pairs)],
        kept % (OUTCOMES * pairs),
        np.bincount(place, n, len(kept)).astype(np.float64),
    )


def _share(votes: PartVotes, cell: Codes, pairs: VotePairs) -> _SharedCells:
    """Sums of cells that have several votes; the votes are ordered by cell."""
    pair, score = votes.code // OUTCOMES, (votes.code % OUTCOMES - 1) / 2
    residual = score + 0.5 - pairs.expected[pair]
    key = np.concatenate([cell, cell]) * pairs.systems
    key += np.concatenate([pairs.first[pair], pairs.second[pair]])
    kept, place = np.unique(key, return_inverse=True)
    s, r = (
        np.bincount(place, np.concatenate([x, -x]), len(kept)).astype(np.float64)
        for x in (score, residual)
    )
    n = np.bincount(place, minlength=len(kept)).astype(np.float64)
    system, owner = kept % pairs.systems, kept // pairs.systems
    return _SharedCells(
        cluster=votes.cluster[_starts(cell)][owner],
        system=system,
        n=n,
        cells=CellMoments(*_totals(system, pairs.systems, np.ones(len(n)), s * s, s * n, n * n)),
        meat=_meat(owner, system, r, pairs.systems),
        repeats=len(cell) - len(np.unique(cell * len(pairs) + pair)),
    )


@dataclass(frozen=True, slots=True)
class _PairGroups:
    """Sums for each pair in each cluster, ordered by both."""

    number: Codes  # of the cluster
    pair: Codes
    n: Numbers
    s: Numbers  # of scores of the first: ½, 0, −½

    @classmethod
    def of(cls, groups: _Groups, number: Codes, pairs: VotePairs) -> _PairGroups:
        pair, score = groups.code // OUTCOMES, (groups.code % OUTCOMES - 1) / 2
        first = np.flatnonzero(_starts(number * len(pairs) + pair))
        n, s = (_add_runs(x, first) for x in (groups.n, score * groups.n))
        return cls(number[first], pair[first], n, s)

    def moments(self, pairs: int) -> ClusterMoments:
        """A cell has one vote of each pair, so there are as many cells as votes."""
        one = _SystemGroups(self.number, self.pair, self.n, self.s, self.s, self.n, self.n)
        return one.moments(pairs)


@dataclass(frozen=True, slots=True)
class _SystemGroups:
    """Sums for each system in each cluster, ordered by both."""

    number: Codes
    system: Codes
    n: Numbers
    s: Numbers
    residual: Numbers
    m: Numbers  # of the squared numbers of votes of cells
    cells: Numbers

    def moments(self, estimates: int) -> ClusterMoments:
        n, s, m = self.n, self.s, self.m
        squares = n * n
        return ClusterMoments(
            *_totals(
                self.system, estimates,
                np.ones(len(n)), squares, squares * n, squares**2, squares**2 * n,
                s * s, s * n, m, m * m, squares * m, squares * n * m, self.cells**2,
            )
        )  # fmt: skip

    def meat(self, systems: int) -> Numbers:
        return _meat(self.number, self.system, self.residual, systems)


def _system_groups(
    groups: _PairGroups, shared: Sequence[_SharedCells], known: Hashes, pairs: VotePairs
) -> _SystemGroups:
    """Each pair counts for both systems; a cell with several votes of a system counts once."""
    first, second = pairs.first[groups.pair], pairs.second[groups.pair]
    residual = groups.s + groups.n * (0.5 - pairs.expected[groups.pair])
    n, s, r = (np.concatenate([groups.n, groups.n]),
               np.concatenate([groups.s, -groups.s]),
               np.concatenate([residual, -residual]))  # fmt: skip
    key = np.concatenate([groups.number, groups.number]) * pairs.systems
    key += np.concatenate([first, second])
    kept, place = np.unique(key, return_inverse=True)
    n, s, r = (np.bincount(place, each, len(kept)).astype(np.float64) for each in (n, s, r))
    found = _SystemGroups(kept // pairs.systems, kept % pairs.systems, n, s, r, n.copy(), n.copy())
    for each in shared:
        found = _with_shared(found, each, known, place=kept, systems=pairs.systems)
    return found


def _with_shared(
    groups: _SystemGroups, shared: _SharedCells, known: Hashes, *, place: Codes, systems: int
) -> _SystemGroups:
    several = shared.n > 1
    n = shared.n[several]
    number = np.searchsorted(known, shared.cluster[several])
    at = np.searchsorted(place, number * systems + shared.system[several])
    size = len(groups.n)
    return replace(
        groups,
        m=groups.m + np.bincount(at, n * n - n, size),
        cells=groups.cells + np.bincount(at, 1 - n, size),
    )


def _add_runs(values: Numbers, first: NDArray[np.int64]) -> Numbers:
    return np.add.reduceat(values, first) if len(first) else np.zeros(0)


def _totals(estimate: Codes, estimates: int, *values: Numbers) -> list[Numbers]:
    return [np.bincount(estimate, value, estimates).astype(np.float64) for value in values]


def _meat(number: Codes, system: Codes, residual: Numbers, systems: int) -> Numbers:
    """The sum over clusters of outer products; the groups are ordered by cluster."""
    if not len(number):
        return np.zeros((systems, systems))
    from scipy.sparse import csr_array

    ends = np.append(np.flatnonzero(_starts(number)), len(number))
    sums = csr_array((residual, system, ends), shape=(len(ends) - 1, systems))
    return np.asarray((sums.T @ sums).toarray())


def _pairs_of_tally(tally: Numbers) -> ClusterMoments:
    """Clusters of one vote: n, m and the number of cells are all 1."""
    lost, tied, won = tally.reshape(-1, OUTCOMES).T
    return _clusters_of_one(lost + tied + won, (won + lost) / 4, (won - lost) / 2)


def _systems_of_tally(tally: Numbers, pairs: VotePairs) -> ClusterMoments:
    return _clusters_of_one(*_by_system(tally, pairs))


def _cells_of_tally(tally: Numbers, pairs: VotePairs) -> CellMoments:
    n, s_s, s_n = _by_system(tally, pairs)
    return CellMoments(n, s_s, s_n, n)


def _clusters_of_one(n: Numbers, s_s: Numbers, s_n: Numbers) -> ClusterMoments:
    return ClusterMoments(n, n, n, n, n, s_s, s_n, n, n, n, n, n)


def _by_system(tally: Numbers, pairs: VotePairs) -> tuple[Numbers, Numbers, Numbers]:
    """Votes of each system, the sum of squared scores, and of scores."""
    lost, tied, won = tally.reshape(-1, OUTCOMES).T
    both = np.concatenate([pairs.first, pairs.second])
    n, s_s, s_n = _totals(
        both, pairs.systems,
        np.tile(lost + tied + won, 2), np.tile((won + lost) / 4, 2),
        np.concatenate([won - lost, lost - won]) / 2,
    )  # fmt: skip
    return n, s_s, s_n


def _meat_of_tally(tally: Numbers, pairs: VotePairs) -> Numbers:
    preference = np.arange(OUTCOMES) / 2
    residual = preference - pairs.expected[:, np.newaxis]
    squares = (tally.reshape(-1, OUTCOMES) * residual**2).sum(axis=1)
    meat = np.zeros((pairs.systems, pairs.systems))
    meat[pairs.first, pairs.second] = meat[pairs.second, pairs.first] = -squares
    meat[np.diag_indices(pairs.systems)] = -meat.sum(axis=1)
    return meat
