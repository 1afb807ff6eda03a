"""Wins, losses, ties, and the sign-flip test."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from whys import why

from rejudge.errors import DataError
from rejudge.stats import (
    Comparisons,
    Why,
    pair_rates,
    relative_preference,
    score_difference,
    share_of_first,
    sign_flip,
    win_matrix,
    win_table,
)


def compare(rows, systems):
    """Comparisons from rows of first, second, preference, item, participant."""
    first, second, preference, item, participant = (np.array(c) for c in zip(*rows, strict=True))
    return Comparisons(first, second, preference.astype(float), item, participant, systems)


ROWS = st.lists(
    st.tuples(
        st.sampled_from([(0, 1), (1, 2), (2, 0), (1, 0)]),
        st.sampled_from([0.0, 0.5, 1.0]),
        st.integers(0, 4),
        st.integers(0, 3),
    ).map(lambda row: (*row[0], *row[1:])),
    min_size=1,
    max_size=40,
)


def test_wins_losses_and_ties_by_hand():
    """0 beats 1, 0 ties with 1, 1 beats 0 (written the other way round), 0 beats 2.

    System 0: 2 wins, 1 loss, 1 tie of 4: 62.5 %, score 25. System 1: 1, 1, 1: 50 %, 0.
    """
    table = win_table(
        compare([(0, 1, 1, 0, 0), (0, 1, 0.5, 1, 0), (1, 0, 1, 2, 1), (0, 2, 1, 3, 1)], 3)
    )
    found = [(s.wins, s.losses, s.ties, s.score, s.value) for s in table]
    assert found == [(2, 1, 1, 25.0, 62.5), (1, 1, 1, 0.0, 50.0), (0, 1, 0, -100.0, 0.0)]


def test_a_system_nobody_compared_has_no_percentage():
    table = win_table(compare([(0, 1, 1, 0, 0)], 3))
    assert (table[2].score, table[2].value) == (None, None)


def test_a_pair_is_read_the_same_way_round_however_it_was_written():
    rates = pair_rates(compare([(0, 1, 1, 0, 0), (1, 0, 0, 1, 1), (1, 0, 1, 1, 0)], 2))
    assert [(r.wins, r.losses, r.ties) for r in rates] == [(2, 1, 0)]


def test_pairs_that_never_met_are_left_out():
    rates = pair_rates(compare([(0, 2, 1, 0, 0), (0, 2, 0, 1, 1)], 3))
    assert [(r.first, r.second) for r in rates] == [(0, 2)]


@given(ROWS)
def test_the_wins_of_all_are_the_losses_of_all(rows):
    table = win_table(compare(rows, 3))
    assert sum(s.wins for s in table) == sum(s.losses for s in table)
    assert sum(s.wins + s.losses + s.ties for s in table) == 2 * len(rows)


@given(ROWS)
def test_the_score_is_twice_the_win_percentage_minus_100(rows):
    judged = [s for s in win_table(compare(rows, 3)) if s.score is not None]
    assert [s.score for s in judged] == pytest.approx([2 * s.value - 100 for s in judged])


@given(ROWS, st.permutations(range(3)))
def test_systems_can_be_renamed(rows, names):
    usual = win_table(compare(rows, 3))
    renamed = win_table(compare([(names[a], names[b], *rest) for a, b, *rest in rows], 3))
    assert [renamed[names[place]].wins for place in range(3)] == [s.wins for s in usual]
    assert [renamed[names[place]].value for place in range(3)] == [s.value for s in usual]
    assert [renamed[names[place]].interval for place in range(3)] == [s.interval for s in usual]


def brute_force(totals):
    """Every pattern of signs, one by one."""
    sums = [abs(sum(s * t for s, t in zip(signs, totals, strict=True)))
            for signs in product((1, -1), repeat=len(totals))]  # fmt: skip
    return sum(s >= abs(sum(totals)) for s in sums) / len(sums)


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=9))
def test_the_sign_flip_counts_every_pattern_of_signs(totals):
    """An item whose total is t: |t| decided judgments for one side, and a tie."""
    rows = [
        (float(total > 0), item) for item, total in enumerate(totals) for _ in range(abs(total))
    ] + [(0.5, item) for item in range(len(totals))]
    preference, item = (np.array(column) for column in zip(*rows, strict=True))
    assert sign_flip(preference, item).p == pytest.approx(brute_force(totals))


def test_with_one_judgment_per_item_the_sign_flip_is_the_sign_test():
    """scipy.stats.binomtest(15, 20).pvalue, the exact two-sided sign test."""
    from scipy.stats import binomtest

    preference = np.array([1.0] * 15 + [0.0] * 5)
    found = sign_flip(preference, np.arange(20))
    assert found.p == pytest.approx(binomtest(15, 20).pvalue)
    assert (found.n, found.is_exact) == (20, True)


def test_where_every_item_stands_level_p_is_one_by_convention():
    found = sign_flip(np.array([1.0, 0.0, 0.5]), np.array([0, 0, 1]))
    assert (found.p, found.n) == (1.0, 0)
    assert why(found) == [Why.ALL_TIED]


def test_large_tests_are_drawn_and_agree_with_the_normal_law():
    """20,000 items of ±1, 10,150 for the first: z = 300/√20000 = 2.1213, two-sided p = .0339."""
    preference = np.repeat([1.0, 0.0], [10_150, 9_850])
    found = sign_flip(preference, np.arange(20_000), rng=np.random.default_rng(1))
    assert not found.is_exact
    assert found.p == pytest.approx(0.0339, abs=4 * np.sqrt(0.0339 / 9_999))


def test_a_test_too_large_to_count_says_that_it_needs_chance():
    found = sign_flip(np.ones(20_000), np.arange(20_000))
    assert found.p is None
    assert why(found) == [Why.NO_BOUND]


def test_a_pull_to_the_first_side_is_seen():
    chosen = np.tile([1.0, 1.0, 1.0, 0.0], 25)
    estimate = share_of_first(chosen, item=np.arange(100), participant=np.repeat(np.arange(20), 5))
    assert estimate.value == 75.0
    assert estimate.p < 0.001


def test_the_win_matrix_by_hand():
    """0 beats 1 twice (once written the other way round), 1 beats 0, they tie; 2 beats 0."""
    rows = [(0, 1, 1, 0, 0), (1, 0, 0, 1, 0), (1, 0, 1, 2, 1), (1, 0, 0.5, 3, 1), (0, 2, 0, 4, 1)]
    matrix = win_matrix(compare(rows, 3))
    assert matrix.wins.tolist() == [[0, 2, 0], [1, 0, 0], [1, 0, 0]]
    assert matrix.ties.tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 0]]
    assert matrix.n.tolist() == [[0, 4, 1], [4, 0, 0], [1, 0, 0]]
    assert matrix.win_percent == ((None, 62.5, 0.0), (37.5, None, None), (100.0, None, None))


@given(ROWS)
def test_the_win_matrix_holds_what_the_pairs_and_the_table_say(rows):
    comparisons = compare(rows, 3)
    matrix = win_matrix(comparisons)
    table = win_table(comparisons)
    assert matrix.wins.sum(axis=1).tolist() == [s.wins for s in table]
    assert matrix.wins.sum(axis=0).tolist() == [s.losses for s in table]
    assert matrix.ties.sum(axis=1).tolist() == [s.ties for s in table]
    rates = pair_rates(comparisons)
    assert [matrix.win_percent[rate.first][rate.second] for rate in rates] == pytest.approx(
        [rate.value for rate in rates]
    )


@given(ROWS)
def test_relative_preference_is_the_score_with_an_interval_twice_as_wide(rows):
    comparisons = compare(rows, 3)
    table = win_table(comparisons)
    preferences = relative_preference(comparisons)
    assert [p.value for p in preferences] == pytest.approx([s.score for s in table])
    assert [p.standard_error and p.standard_error / 2 for p in preferences] == [
        s.standard_error for s in table
    ]


@given(ROWS)
def test_answers_of_one_comparison_each_change_nothing(rows):
    plain = compare(rows, 3)
    each = replace(plain, answer=np.arange(len(rows)))
    for one, other in zip(relative_preference(plain), relative_preference(each), strict=True):
        assert other.value == pytest.approx(one.value)
        assert (other.n, other.items) == (one.n, one.items)
        assert other.standard_error == pytest.approx(one.standard_error)


def test_an_answer_counts_once_however_many_comparisons_it_decides():
    """0 is best of four (three wins), then in the middle (one win, one loss): (1 + 0) / 2.

    Over the five comparisons it would be (4 − 1) / 5. System 3 is worst, then in the middle.
    """
    first = [(0, 1, 1, 0, 0), (0, 2, 1, 0, 0), (0, 3, 1, 0, 0), (1, 3, 1, 0, 0), (2, 3, 1, 0, 0)]
    second = [(1, 0, 1, 1, 1), (1, 2, 1, 1, 1), (1, 3, 1, 1, 1), (0, 2, 1, 1, 1), (3, 2, 1, 1, 1)]
    rows = compare([*first, *second], 4)
    answered = replace(rows, answer=np.repeat([0, 1], 5))
    assert [each.value for each in relative_preference(answered)] == pytest.approx(
        [50, 50, -50, -50]
    )
    assert relative_preference(answered)[0].n == 2
    assert relative_preference(rows)[0].value == pytest.approx(60)
    assert score_difference(answered, (0, 3)).value == pytest.approx(100)


def test_relative_preference_of_one_pair_is_tested_as_its_win_percentage():
    """With two systems the score is 0 exactly when the win percentage is 50."""
    comparisons = compare([(0, 1, p, i, i % 4) for i, p in enumerate([1, 1, 1, 0, 1, 1, 0, 1])], 2)
    (pair,) = pair_rates(comparisons)
    first, second = relative_preference(comparisons)
    assert first.p == second.p == pytest.approx(pair.p)
    assert first.value == -second.value == 50.0


@pytest.mark.parametrize("preference", [-1.0, 2.0, float("nan")])
def test_a_preference_that_is_no_share_is_refused(preference):
    """Losses coded as −1 would be counted as ties."""
    code = np.zeros(2, dtype=int)
    with pytest.raises(DataError, match=r"is not between 0 and 1.* \(value \+ 1\) / 2"):
        Comparisons(code, code + 1, np.array([1.0, preference]), code, code, 2)
