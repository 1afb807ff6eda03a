"""Estimates of millions of votes from sums over clusters, which are added up part by part.

Win rates, strengths and their cluster-robust errors depend on the votes only through the win matrix
and, for each kind of cluster, sums of powers of the clusters' numbers of votes and of their scores.
A vote is one whole number: the hash of its cluster, and in the lower bits its code, which is three
times the number of its pair plus the outcome. Most clusters of a large table have a single vote;
these are counted by code and not handled one by one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rejudge.stats.arrays import Codes, Numbers, one_thread
from rejudge.stats.clusters import (
    ONE_CLUSTER,
    UNSEEN,
    ClusterPart,
    ClusterSums,
    estimate_of_sums,
)
from rejudge.stats.estimate import Estimate
from rejudge.stats.means import NO_JUDGMENTS
from rejudge.stats.preference.bradley_terry import (
    NO_ERRORS,
    BradleyTerry,
    Obstacle,
    Strength,
    StrengthEstimates,
    differences_of,
    obstacle_of,
    strengths_of,
)
from rejudge.stats.preference.paired_model import (
    Fits,
    StrengthVariances,
    Tallies,
    inverse_of,
    maximise,
)
from rejudge.stats.preference.pairwise import PairRate, Standing, WinMatrix

OUTCOMES = 3  # of a vote for the first system of its pair: lost, a tie, won
_CHUNK = 1 << 19  # votes that are grouped at once
_POWERS = 6
_HALF = 50.0


@dataclass(frozen=True, eq=False, slots=True)
class VotePairs:
    """The systems of each pair, in the order 0–1, 0–2, …, and how often its first should win."""

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

    @property
    def bits(self) -> np.uint64:
        """How many the code of a vote takes."""
        return np.uint64((OUTCOMES * len(self)).bit_length())

    def code(self, first: Codes, second: Codes, preference: Numbers) -> NDArray[np.int64]:
        """The code of votes; −1 where there is no preference."""
        number = np.zeros((self.systems, self.systems), dtype=np.int64)
        number[self.first, self.second] = number[self.second, self.first] = np.arange(len(self))
        is_vote = ~np.isnan(preference)
        turned = np.where(first < second, preference, 1 - preference)
        outcome = np.where(is_vote, 2 * turned, 0).astype(np.int64)
        return np.where(is_vote, OUTCOMES * number[first, second] + outcome, -1)


@dataclass(frozen=True, eq=False, slots=True)
class VoteMoments:
    """Sums over clusters, one entry for each estimate.

    n is the number of votes of a cluster, s the sum of their scores: ½, 0 (a tie) or −½.
    """

    powers: Numbers  # of n, from 0 to 5, by estimates
    s_s: Numbers
    s_n: Numbers

    def __add__(self, other: VoteMoments) -> VoteMoments:
        return VoteMoments(self.powers + other.powers, self.s_s + other.s_s, self.s_n + other.s_n)

    @classmethod
    def of(
        cls, estimate: Codes, size: int, *, n: Numbers, s: Numbers, often: Numbers
    ) -> VoteMoments:
        """The sums over clusters that occur so often."""

        def total(values: Numbers) -> Numbers:
            return np.bincount(estimate, often * values, size).astype(np.float64)

        powers = np.stack([total(n**power) for power in range(_POWERS)])
        return cls(powers, total(s * s), total(s * n))


@dataclass(frozen=True, eq=False, slots=True)
class ClusterTotals:
    """What the clusters of one kind add up to."""

    pairs: VoteMoments
    systems: VoteMoments
    whole: VoteMoments  # of one estimate: all votes of a cluster
    meat: Numbers  # systems × systems: outer products of clusters' sums of residuals
    repeats: int  # votes on a pair that their cluster already has

    def __add__(self, other: ClusterTotals) -> ClusterTotals:
        return ClusterTotals(
            self.pairs + other.pairs,
            self.systems + other.systems,
            self.whole + other.whole,
            self.meat + other.meat,
            self.repeats + other.repeats,
        )

    @property
    def clusters(self) -> int:
        """How many there are."""
        return int(self.whole.powers[0, 0])


def sum_clusters(votes: NDArray[np.uint64], pairs: VotePairs) -> ClusterTotals:
    """Add up votes, which are in order and hold whole clusters."""
    size = OUTCOMES * len(pairs)
    nothing = np.zeros(0, dtype=np.int64)
    total = _add_up(_Groups(nothing, nothing, np.zeros(0), np.zeros(0)), pairs)
    alone = np.zeros(size)
    start = 0
    while start < len(votes):
        stop = _end_of_cluster(votes, min(start + _CHUNK, len(votes)), pairs.bits)
        groups = _group(votes[start:stop], pairs.bits)
        begins = _starts(groups.cluster)
        is_alone = begins & np.append(begins[1:], True) & (groups.n == 1)
        alone += np.bincount(groups.code[is_alone], minlength=size)
        total += _add_up(groups.rows(~is_alone), pairs)
        start = stop
    code = np.flatnonzero(alone)
    one = np.ones(len(code))
    return total + _add_up(_Groups(np.arange(len(code)), code, one, alone[code]), pairs)


@dataclass(frozen=True, eq=False, slots=True)
class _Groups:
    """Votes with the same code in a cluster, ordered by cluster and code."""

    cluster: Codes  # numbered from 0
    code: Codes
    n: Numbers
    often: Numbers  # how many such clusters there are

    def rows(self, which: NDArray[np.bool_]) -> _Groups:
        """Some of the groups."""
        return _Groups(self.cluster[which], self.code[which], self.n[which], self.often[which])


def _end_of_cluster(votes: NDArray[np.uint64], place: int, bits: np.uint64) -> int:
    last = votes[place - 1] | (np.uint64(1) << bits) - np.uint64(1)
    return int(np.searchsorted(votes, last, side="right"))


def _group(votes: NDArray[np.uint64], bits: np.uint64) -> _Groups:
    first = np.flatnonzero(_starts(votes))
    n = np.diff(first, append=len(votes)).astype(np.float64)
    cluster = np.cumsum(_starts(votes[first] >> bits)) - 1
    code = (votes[first] & (np.uint64(1) << bits) - np.uint64(1)).astype(np.int64)
    return _Groups(cluster, code, n, np.ones(len(n)))


def _starts(ordered: NDArray[np.generic]) -> NDArray[np.bool_]:
    """Where a new value begins."""
    starts = np.ones(len(ordered), dtype=np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=starts[1:])
    return starts


def _add_up(groups: _Groups, pairs: VotePairs) -> ClusterTotals:
    """The sums for each pair and for each system, for which every vote of a pair counts twice."""
    at = np.flatnonzero(_starts(groups.cluster * len(pairs) + groups.code // OUTCOMES))
    cluster, pair, often = groups.cluster[at], groups.code[at] // OUTCOMES, groups.often[at]
    n = _add_runs(groups.n, at)
    s = _add_runs(groups.n * (groups.code % OUTCOMES - 1) / 2, at)
    residual = s + n * (0.5 - pairs.expected[pair])
    key = np.concatenate([cluster, cluster]) * pairs.systems
    key += np.concatenate([pairs.first[pair], pairs.second[pair]])
    kept, seen, place = np.unique(key, return_index=True, return_inverse=True)
    own_n, own_s, own_residual = (
        np.bincount(place, np.concatenate([one, other]), len(kept)).astype(np.float64)
        for one, other in ((n, n), (s, -s), (residual, -residual))
    )
    owner, system, own_often = kept // pairs.systems, kept % pairs.systems, np.tile(often, 2)[seen]
    whole = np.flatnonzero(_starts(cluster))
    sizes = _add_runs(n, whole)
    return ClusterTotals(
        pairs=VoteMoments.of(pair, len(pairs), n=n, s=s, often=often),
        systems=VoteMoments.of(system, pairs.systems, n=own_n, s=own_s, often=own_often),
        whole=VoteMoments.of(np.zeros_like(whole), 1, n=sizes, s=0 * sizes, often=often[whole]),
        meat=_meat(owner, system, own_residual * np.sqrt(own_often), pairs.systems),
        repeats=int(often @ (n - 1)),
    )


def _add_runs(values: Numbers, first: NDArray[np.int64]) -> Numbers:
    return np.add.reduceat(values, first) if len(first) else np.zeros(0)


def _meat(owner: Codes, system: Codes, residual: Numbers, systems: int) -> Numbers:
    """The sum over clusters of outer products; the groups are ordered by cluster."""
    from scipy.sparse import csr_array

    ends = np.append(np.flatnonzero(_starts(owner)), len(owner))
    sums = csr_array((residual, system, ends), shape=(len(ends) - 1, systems))
    return np.asarray((sums.T @ sums).toarray())


@dataclass(frozen=True, eq=False, slots=True)
class VoteSums:
    """All that win rates and strengths follow from; a cell is an item judged by a participant."""

    matrix: WinMatrix
    by_item: ClusterTotals
    by_participant: ClusterTotals
    by_cell: ClusterTotals

    def standings(self, *, level: float = 0.95) -> tuple[Standing, ...]:
        """As `win_table`."""
        matrix = self.matrix
        won, lost, tied = matrix.wins.sum(axis=1), matrix.wins.sum(axis=0), matrix.ties.sum(axis=1)
        n = won + lost + tied
        moments = [each.systems for each in (self.by_item, self.by_participant, self.by_cell)]
        return tuple(
            Standing.of(
                _rate(system, won[system] + tied[system] / 2, n[system], moments, level=level),
                system=system,
                wins=int(won[system]),
                losses=int(lost[system]),
                ties=int(tied[system]),
                score=100 * float(won[system] - lost[system]) / int(n[system])
                if n[system]
                else None,
            )
            for system in range(len(n))
        )

    def pair_rates(self, *, level: float = 0.95) -> tuple[PairRate, ...]:
        """As `pair_rates`."""
        first, second = np.triu_indices(len(self.matrix.wins), 1)
        won, lost = self.matrix.wins[first, second], self.matrix.wins[second, first]
        tied, n = self.matrix.ties[first, second], self.matrix.n[first, second]
        moments = [each.pairs for each in (self.by_item, self.by_participant, self.by_cell)]
        return tuple(
            PairRate.of(
                _rate(pair, won[pair] + tied[pair] / 2, n[pair], moments, level=level, null=_HALF),
                first=int(first[pair]),
                second=int(second[pair]),
                wins=int(won[pair]),
                losses=int(lost[pair]),
                ties=int(tied[pair]),
            )
            for pair in np.flatnonzero(n).tolist()
        )

    def strengths(self, *, level: float = 0.95) -> BradleyTerry:
        """As `bradley_terry`, with errors of the same sandwich kind and two simplifications.

        The factor that makes up for large clusters is that of the numbers of votes, the same for
        all systems, and degrees of freedom follow from the effective number of clusters,
        (Σ n)² / Σ n². They matter where a few participants gave most of the votes.
        """
        matrix, systems = self.matrix, len(self.matrix.wins)
        empty = BradleyTerry(
            strengths=tuple(Strength(None, system=system) for system in range(systems)),
            differences=(),
            n=int(np.triu(matrix.n).sum()),
            ties=int(np.triu(matrix.ties).sum()),
            items=self.by_item.clusters,
            participants=self.by_participant.clusters,
            errors="two-way",
        )
        fit = fit_matrix(matrix)
        if not isinstance(fit, Fits):
            return replace(empty, groups=fit.groups, reasons=(fit.reason,))
        spread = _spread(fit, self)
        found = StrengthEstimates(fit.strengths[0], spread, tuple(range(systems)), level)
        return replace(
            empty,
            strengths=strengths_of(found, systems),
            differences=differences_of(found),
            reasons=() if spread else (NO_ERRORS,),
        )


def _rate(
    place: int,
    wins: float,
    n: int,
    moments: list[VoteMoments],
    *,
    level: float,
    null: float | None = None,
) -> Estimate:
    """A win percentage with its interval; `wins` counts a tie as half."""
    if not n:
        return Estimate(None, 0, 0, 0, reasons=(NO_JUDGMENTS,))
    value = 100 * float(wins) / int(n)
    items, participants, cells = (int(each.powers[0, place]) for each in moments)
    bare = Estimate(value, int(n), items, participants)
    if min(items, participants) < 2:
        return replace(bare, reasons=(ONE_CLUSTER,))
    squares = [_squares(each, place, value - _HALF) / n**2 for each in moments]
    parts = [
        _part(each.powers[:, place], square, by_cell=squares[2], cells=cells)
        for each, square in zip(moments[:2], squares[:2], strict=True)
    ]
    sums = ClusterSums(parts[0], parts[1], squares[2], cells)
    return estimate_of_sums(bare, sums, scale=100.0, level=level, null=null, bounds=(0.0, 100.0))


def _squares(moments: VoteMoments, place: int, value: float) -> float:
    """The sum of squared cluster sums of 100 s − value n."""
    s_s, s_n, n_n = moments.s_s[place], moments.s_n[place], moments.powers[2, place]
    return float(max(0.0, 1e4 * s_s - 200 * value * s_n + value**2 * n_n))


def _part(powers: Numbers, squares: float, *, by_cell: float, cells: int) -> ClusterPart:
    """The formulas of `clusters._part`, for one system and equal weights.

    Within a cluster, cells are taken to have as many votes as on average.
    """
    n, clusters = float(powers[1]), int(powers[0])
    w2, w3, w4, w5 = (float(powers[power] / n**power) for power in range(2, _POWERS))
    pairs = round((cells / n) ** 2 * powers[2])
    seen = w2 - 2 * w3 + w2**2
    if seen <= UNSEEN * w2:
        return ClusterPart(squares, float("inf"), 1.0, clusters, pairs)
    effect = max(0.0, squares - by_cell) / seen
    own = effect**2 * w4 + 2 * effect * by_cell * w3 + by_cell**2 * w2
    less = effect * (effect * (2 * w5 - w2 * w4) + by_cell * (2 * w4 - w2 * w3))
    low = np.array([[effect * w2, -effect], [-effect, 0.0]]) @ np.array([[w2, w3], [w3, w4]])
    total = own - 2 * less + float(np.sum(low * low.T))
    most = clusters - 1.0
    df = min((effect * seen + by_cell) ** 2 / total, most) if total > 0 else most
    return ClusterPart(squares, w2 / seen, df, clusters, pairs)


def fit_matrix(matrix: WinMatrix) -> Fits | Obstacle:
    """The strengths, or the groups that systems fall into and why there are none."""
    table = Tallies(
        matrix.wins[np.newaxis].astype(np.float64), matrix.ties[np.newaxis].astype(np.float64)
    )
    obstacle = obstacle_of(table, "half")
    if obstacle:
        return obstacle
    with one_thread():
        return maximise(table, "half")


def expected_preference(matrix: WinMatrix) -> Numbers:
    """The chance that the row wins against the column, a tie as half; ½ without strengths."""
    fit = fit_matrix(matrix)
    if not isinstance(fit, Fits):
        return np.full(matrix.wins.shape, 0.5)
    strengths = fit.strengths[0]
    return np.asarray((1 + np.tanh((strengths[:, np.newaxis] - strengths) / 2)) / 2)


def _spread(fit: Fits, sums: VoteSums) -> StrengthVariances | None:
    kinds = (sums.by_item, sums.by_participant)
    if min(kind.clusters for kind in kinds) < 2:
        return None
    factors, dfs = zip(*(_factor_and_df(kind.whole.powers[:, 0]) for kind in kinds), strict=True)
    if not np.isfinite(factors).all():
        return None
    inverse = inverse_of(fit)
    same = [
        factor
        for factor, kind in zip(factors, kinds, strict=True)
        if kind.clusters == sums.by_cell.clusters
    ]
    one, two = (
        _variances(inverse, factor * kind.meat) for factor, kind in zip(factors, kinds, strict=True)
    )
    cell = _variances(inverse, (same[0] if same else 1.0) * sums.by_cell.meat)
    own, own_df = _together(one[0], two[0], cell[0], dfs)
    pairs, pairs_df = _together(one[1], two[1], cell[1], dfs)
    return StrengthVariances(own, pairs, own_df, pairs_df)


def _factor_and_df(powers: Numbers) -> tuple[float, float]:
    """What makes up for what residuals lose, as in `ClusterPart`, and one fewer than there would
    be clusters, were they equally large: G/(G − 1) and G − 1 for G equal clusters."""
    w2, w3 = (float(powers[power] / powers[1] ** power) for power in (2, 3))
    seen = w2 - 2 * w3 + w2**2
    return w2 / seen if seen > UNSEEN * w2 else float("inf"), max(1.0, 1 / w2 - 1)


def _variances(inverse: Numbers, meat: Numbers) -> tuple[Numbers, Numbers]:
    """Of each strength, and of the difference of each two."""
    covariance = inverse @ meat @ inverse.T
    own = np.diagonal(covariance)
    return own, own[:, np.newaxis] + own - 2 * covariance


def _together(
    one: Numbers, two: Numbers, cell: Numbers, dfs: tuple[float, ...]
) -> tuple[Numbers, Numbers]:
    """The variance of both kinds of clusters, and its degrees of freedom, as in `ClusterSums`."""
    both = one + two - cell
    largest = np.maximum(one, two)
    is_alone = both <= largest * (1 + 1e-9)
    spread = one**2 / dfs[0] + two**2 / dfs[1]
    df = both**2 / np.where(spread > 0, spread, 1.0)
    return (
        np.where(is_alone, largest, both),
        np.maximum(1.0, np.where(is_alone, np.where(one >= two, dfs[0], dfs[1]), df)),
    )
