"""Sums over clusters by their definition; estimates next to those of all comparisons at once."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest

from rejudge.stats import Comparisons, win_matrix, win_table
from rejudge.stats.clusters import ONE_CLUSTER
from rejudge.stats.means import NO_JUDGMENTS
from rejudge.stats.preference import vote_sums
from rejudge.stats.preference.pairwise import WinMatrix
from rejudge.stats.preference.vote_sums import (
    ClusterTotals,
    VotePairs,
    VoteSums,
    expected_preference,
    fit_matrix,
    sum_clusters,
)

_EXPECTED = np.array([[0.5, 0.7, 0.6], [0.3, 0.5, 0.45], [0.4, 0.55, 0.5]])
_PAIRS = ((0, 1), (0, 2), (1, 2))


def votes_without_repeats(rows, *, items, participants, systems, seed=1):
    """About so many votes, none of them twice by a participant on the same item and pair."""
    rng = np.random.default_rng(seed)
    pairs = np.array(np.triu_indices(systems, 1))
    drawn = np.stack([rng.integers(0, items, rows), rng.integers(0, participants, rows),
                      rng.integers(0, pairs.shape[1], rows)])  # fmt: skip
    item, participant, pair = np.unique(drawn, axis=1)
    first, second = pairs[:, pair]
    preference = rng.choice([0.0, 0.5, 1.0, 1.0], len(pair))
    return Comparisons(first, second, preference, item, participant, systems)


def totals(votes: Comparisons, cluster: np.ndarray, pairs: VotePairs) -> ClusterTotals:
    """The sums over clusters that are given for each vote."""
    code = pairs.code(votes.first, votes.second, votes.preference).astype(np.uint64)
    return sum_clusters(np.sort(cluster.astype(np.uint64) << pairs.bits | code), pairs)


def sums_of(votes: Comparisons) -> VoteSums:
    pairs = VotePairs.of(expected_preference(win_matrix(votes)))
    kinds = (votes.item, votes.participant, votes.item * 1000 + votes.participant)
    return VoteSums(win_matrix(votes), *(totals(votes, kind, pairs) for kind in kinds))


def by_definition(votes: Comparisons, clusters: np.ndarray) -> dict[str, np.ndarray | float]:
    n, s, residual, of_pair = (defaultdict(lambda: np.zeros(3)) for _ in range(4))
    columns = (votes.first, votes.second, votes.preference, clusters)
    for first, second, preference, cluster in zip(*(x.tolist() for x in columns), strict=True):
        of_pair[cluster][_PAIRS.index((first, second))] += 1
        for system, sign in ((first, 1), (second, -1)):
            n[cluster][system] += 1
            s[cluster][system] += sign * (preference - 0.5)
            residual[cluster][system] += sign * (preference - _EXPECTED[first, second])
    return {
        "n": sum((v > 0) * 1.0 for v in n.values()),
        "n2": sum(v**2 for v in n.values()),
        "n5": sum(v**5 for v in n.values()),
        "s_s": sum(v**2 for v in s.values()),
        "s_n": sum(s[c] * n[c] for c in n),
        "n3 of pairs": sum(v**3 for v in of_pair.values()),
        "meat": sum(np.outer(v, v) for v in residual.values()),
        "sizes": sum((v.sum() / 2) ** 2 for v in n.values()),
        "clusters": len(n),
    }


@pytest.mark.parametrize("chunk", [10, 1000])
@pytest.mark.parametrize(
    ("rows", "items", "people"), [(60, 8, 6), (60, 500, 500), (80, 1, 20), (40, 60, 1), (1, 1, 1)]
)
def test_sums_are_those_of_their_definition(monkeypatch, rows, items, people, chunk):
    monkeypatch.setattr(vote_sums, "_CHUNK", chunk)
    votes = votes_without_repeats(rows, items=items, participants=people, systems=3)
    found = totals(votes, votes.item, VotePairs.of(_EXPECTED))
    expected = by_definition(votes, votes.item)
    near = np.testing.assert_allclose
    for name, power in (("n", 0), ("n2", 2), ("n5", 5)):
        near(found.systems.powers[power], expected[name])
    near(found.systems.s_s, expected["s_s"], atol=1e-12)
    near(found.systems.s_n, expected["s_n"], atol=1e-12)
    near(found.pairs.powers[3], expected["n3 of pairs"])
    near(found.meat, expected["meat"], atol=1e-12)
    assert (found.clusters, found.whole.powers[2, 0]) == (expected["clusters"], expected["sizes"])


def test_a_second_vote_of_a_cluster_on_a_pair_is_a_repeat():
    """By hand: two clusters; the first has three votes on one pair, of two outcomes."""
    pairs = VotePairs.of(_EXPECTED)
    cluster, code = np.array([1, 1, 1, 1, 2], np.uint64), np.array([0, 0, 2, 3, 0], np.uint64)
    assert sum_clusters(cluster << pairs.bits | code, pairs).repeats == 2


def assert_same_rate(ours, known):
    assert (ours.n, ours.items, ours.participants) == (known.n, known.items, known.participants)
    assert ours.value == pytest.approx(known.value)
    found, expected = ours.interval, known.interval
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))


def test_errors_are_exact_where_somebody_voted_on_several_pairs_of_one_item():
    votes = votes_without_repeats(200, items=9, participants=7, systems=4)
    for ours, known in zip(sums_of(votes).standings(), win_table(votes), strict=True):
        assert ours.standard_error == pytest.approx(known.standard_error)


def test_one_item_has_a_rate_without_an_interval():
    alone = votes_without_repeats(30, items=1, participants=8, systems=3)
    for standing in sums_of(alone).standings():
        assert standing.interval is None
        assert standing.reasons == (ONE_CLUSTER,)


def test_a_system_without_votes_has_no_rate():
    three = votes_without_repeats(60, items=5, participants=6, systems=3)
    unseen = Comparisons(
        three.first, three.second, three.preference, three.item, three.participant, 4
    )
    last = sums_of(unseen).standings()[3]
    assert (last.value, last.reasons) == (None, (NO_JUDGMENTS,))


def test_systems_that_never_lose_have_no_strength():
    matrix = WinMatrix(np.array([[0, 5], [0, 0]]), np.zeros((2, 2), dtype=np.int64))
    groups = fit_matrix(matrix).groups
    assert sorted(groups) == [(0,), (1,)]
    assert (expected_preference(matrix) == 0.5).all()


def test_one_participant_leaves_strengths_without_errors():
    found = sums_of(votes_without_repeats(200, items=60, participants=1, systems=3)).strengths()
    assert all(each.value is not None and each.standard_error is None for each in found.strengths)
    assert found.note.startswith("No standard errors")


@pytest.mark.parametrize("clusters", [2, 5, 50])
def test_equal_clusters_have_the_usual_correction(clusters):
    """By hand: G clusters of two votes, won and lost, on 2G items: only participants matter, with
    the factor G/(G − 1) and G − 1 degrees of freedom. Each pulls the sum of 2G votes by twice its
    distance from the mean p, and the information of a vote is p(1 − p)."""
    participant = np.repeat(np.arange(clusters), 2)
    preference = np.repeat(np.arange(clusters) % 2, 2).astype(np.float64)
    first = np.zeros(2 * clusters, dtype=np.int64)
    votes = Comparisons(first, first + 1, preference, np.arange(2 * clusters), participant, 2)
    (difference,) = sums_of(votes).strengths().differences
    mean = preference.mean()
    squares = 4 * ((preference[::2] - mean) ** 2).sum() / (2 * clusters * mean * (1 - mean)) ** 2
    assert difference.df == pytest.approx(clusters - 1)
    assert difference.standard_error**2 == pytest.approx(clusters / (clusters - 1) * squares)


def test_one_cluster_with_all_votes_cannot_be_corrected():
    votes = votes_without_repeats(200, items=1, participants=60, systems=2)
    assert sums_of(votes).strengths().differences[0].standard_error is None
