"""Win rates from sums over clusters are those of all comparisons at once."""

from __future__ import annotations

import numpy as np
import pytest
from win_examples import part_sums, votes_without_repeats

from rejudge.stats import Comparisons, pair_rates, win_matrix, win_table
from rejudge.stats.clusters import ONE_CLUSTER
from rejudge.stats.preference.pairwise import WinMatrix
from rejudge.stats.preference.vote_counts import (
    RateMoments,
    cells_of_pairs,
    pair_codes,
    pair_rates_of,
    standings_of,
)

VOTES = votes_without_repeats(120, items=9, participants=7, systems=4)


def moments(votes: Comparisons, *, of: str) -> RateMoments:
    by_item, by_person = part_sums(votes, "item"), part_sums(votes, "participant")
    cells = by_item.cells if of == "systems" else cells_of_pairs(win_matrix(votes))
    return RateMoments(getattr(by_item, of), getattr(by_person, of), cells)


def test_standings_are_those_of_the_table_of_comparisons():
    found = standings_of(win_matrix(VOTES), moments(VOTES, of="systems"))
    for ours, known in zip(found, win_table(VOTES), strict=True):
        assert (ours.wins, ours.losses, ours.ties) == (known.wins, known.losses, known.ties)
        assert_same_rate(ours.win_percent, known.win_percent)


def test_rates_of_pairs_are_those_of_the_table_of_comparisons():
    found = pair_rates_of(win_matrix(VOTES), moments(VOTES, of="pairs"), level=0.9)
    for ours, known in zip(found, pair_rates(VOTES, level=0.9), strict=True):
        assert (ours.first, ours.second, ours.wins) == (known.first, known.second, known.wins)
        assert_same_rate(ours.win_percent, known.win_percent)
        assert ours.win_percent.p == pytest.approx(known.win_percent.p)


def assert_same_rate(ours, known):
    assert (ours.n, ours.items, ours.participants) == (known.n, known.items, known.participants)
    assert ours.value == pytest.approx(known.value)
    found, expected = ours.interval, known.interval
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))


def test_moments_of_parts_with_whole_clusters_add_up():
    even = VOTES.participant % 2 == 0
    both = part_sums(VOTES, "participant", even) + part_sums(VOTES, "participant", ~even)
    whole = part_sums(VOTES, "participant")
    np.testing.assert_allclose(both.systems.n5, whole.systems.n5)
    np.testing.assert_allclose((both.cells + both.cells).s_s, 2 * whole.cells.s_s)


def test_a_cell_has_one_vote_of_a_pair():
    """By hand: 3 wins, 1 loss and 2 ties have scores ½, −½ and 0, whose squares sum to 1."""
    found = cells_of_pairs(WinMatrix(np.array([[0, 3], [1, 0]]), np.array([[0, 2], [2, 0]])))
    assert [part.tolist() for part in (found.count, found.s_s, found.s_n)] == [[6], [1], [1]]


def test_pairs_are_numbered_from_the_first_two():
    assert pair_codes(3).tolist() == [[0, 0, 1], [0, 0, 2], [1, 2, 0]]


def test_one_item_has_a_rate_without_an_interval():
    alone = votes_without_repeats(30, items=1, participants=8, systems=3)
    for standing in standings_of(win_matrix(alone), moments(alone, of="systems")):
        assert standing.win_percent.interval is None
        assert standing.win_percent.note == ONE_CLUSTER


def test_a_system_without_votes_has_no_rate():
    three = votes_without_repeats(60, items=5, participants=6, systems=3)
    unseen = Comparisons(
        three.first, three.second, three.preference, three.item, three.participant, 4
    )
    last = standings_of(win_matrix(unseen), moments(unseen, of="systems"))[3]
    assert (last.win_percent.value, last.win_percent.note) == (None, "No judgments.")
