"""Signs of how people worked."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from rejudge.stats import (
    agreement_with_majority,
    agreement_with_others,
    item_difficulty,
    side_bias,
    speed_flags,
    straight_lines,
    trend_by_position,
)

# ── trends ───────────────────────────────────────────────────────────────────────────────────────


def test_a_trend_is_the_mean_of_the_participants_slopes():
    """Slopes −1, −2 and −3 (exact lines) of people with different tempi: mean −2, sd 1,
    t(2) = −2/(1/√3) = −3.4641, p = .0742; 95 % reach 4.30265/√3 = 2.48414."""
    position = np.tile(np.arange(4.0), 3)
    person = np.repeat([0, 1, 2], 4)
    seconds = 100 * person - (person + 1) * position
    found = trend_by_position(seconds, position, person)
    assert (found.slope, found.participants) == (pytest.approx(-2.0), 3)
    assert found.interval.high == pytest.approx(-2 + 2.48414, abs=1e-5)
    expected = scipy.stats.ttest_1samp([-1, -2, -3], 0)
    assert found.p == pytest.approx(expected.pvalue)


def test_slopes_are_those_of_scipy():
    rng = np.random.default_rng(1)
    position, seconds = rng.permutation(12).astype(float), rng.normal(size=12)
    found = trend_by_position(seconds, position, np.zeros(12, dtype=int))
    assert found.slope == pytest.approx(scipy.stats.linregress(position, seconds).slope)
    assert found.interval is None
    assert "two or more participants" in found.note


def test_people_with_two_positions_have_no_trend():
    position, person = np.array([0.0, 1, 0, 1, 1]), np.array([0, 0, 1, 1, 1])
    found = trend_by_position(position, position, person)
    assert (found.slope, found.participants, found.left_out) == (None, 0, 2)


def test_no_judgments_have_no_trend():
    none = np.zeros(0)
    assert trend_by_position(none, none, none.astype(int)).slope is None


def test_agreement_with_the_majority_of_the_others_by_hand():
    """Unit 0: 1 1 1 2. For each 1 the others are 1 1 2, majority 1; for the 2 they are 1 1 1.
    Unit 1: 1 1 2. For each 1 the others are tied; for the 2 they are 1 1.
    Unit 2: 1 2, one other each: no majority."""
    unit = np.array([0, 0, 0, 0, 1, 1, 1, 2, 2])
    person = np.array([0, 1, 2, 3, 0, 1, 2, 0, 1])
    value = np.array([1.0, 1, 1, 2, 1, 1, 2, 1, 2])
    found = agreement_with_majority(value, unit, person)
    assert found.rows.tolist() == [0, 1, 2, 3, 6]
    assert found.share.tolist() == [1, 1, 1, 0, 0]
    assert found.left_out == 4


@given(st.lists(st.lists(st.integers(1, 3), min_size=1, max_size=6), max_size=5))
def test_the_majority_is_counted_without_the_judgment_itself(units):
    rows = [(u, p, float(v)) for u, said in enumerate(units) for p, v in enumerate(said)]
    unit, person, value = (np.array(column) for column in zip(*rows, strict=True)) if rows else (
        np.zeros(0, dtype=int), np.zeros(0, dtype=int), np.zeros(0)
    )  # fmt: skip
    found = agreement_with_majority(value, unit, person)
    expected = {}
    for place, (u, p, v) in enumerate(rows):
        others = [float(x) for q, x in enumerate(units[u]) if q != p]
        counts = Counter(others).most_common()
        if len(others) >= 2 and (len(counts) == 1 or counts[0][1] > counts[1][1]):
            expected[place] = float(counts[0][0] == v)
    assert dict(zip(found.rows.tolist(), found.share.tolist(), strict=True)) == expected


def test_agreement_with_others_by_hand():
    """Unit 0: 1, 1, 2 by three people; unit 1: only one person, twice; unit 2: one each."""
    value = np.array([1.0, 1, 2, 5, 5, 3, 3])
    unit, person = np.array([0, 0, 0, 1, 1, 2, 2]), np.array([0, 1, 2, 0, 0, 0, 1])
    found = agreement_with_others(value, unit, person)
    assert found.rows.tolist() == [0, 1, 2, 5, 6]
    assert found.share.tolist() == [0.5, 0.5, 0.0, 1.0, 1.0]
    assert found.left_out == 2


# ── straight lines, haste, sides ─────────────────────────────────────────────────────────────────


def test_straight_lines_are_seen_in_the_order_of_answering():
    """Participant 3 in order: 2 2 1 2 2 2, so a run of 3 and a share of 5/6."""
    value = np.array([2.0, 2, 2, 1, 2, 2, 4])
    position = np.array([5.0, 4, 3, 2, 1, 0, 0])
    (line, single) = straight_lines(value, position, np.array([3, 3, 3, 3, 3, 3, 8]))
    assert (line.participant, line.n, line.longest_run) == (3, 6, 3)
    assert line.modal_share == pytest.approx(5 / 6)
    assert (single.longest_run, single.modal_share) == (1, 1.0)


@given(st.lists(st.integers(0, 2).map(float), min_size=1, max_size=20))
def test_a_run_is_never_longer_than_the_most_frequent_answer_allows(answers):
    given_answers = np.array(answers)
    n = len(answers)
    (line,) = straight_lines(given_answers, np.arange(float(n)), np.zeros(n, dtype=int))
    assert 1 <= line.longest_run <= round(line.modal_share * n)


def test_no_answers_have_no_lines_and_no_sides():
    none = np.zeros(0)
    assert straight_lines(none, none, none.astype(int)) == ()
    assert side_bias(none, none.astype(int)) == ()


def test_haste_is_judged_on_the_log_scale():
    """Twenty times e⁵ and one e¹: logs have mean (100 + 1)/21 = 4.8095 and variance
    (20·(.1905)² + (3.8095)²)/20 = .7619, so the limit is exp(4.8095 − 3·.8729) = exp(2.1909)."""
    seconds = np.exp(np.array([5.0] * 20 + [1.0]))
    found = speed_flags(seconds)
    assert found.flagged == (20,)
    assert found.limit_seconds == pytest.approx(np.exp(101 / 21 - 3 * np.sqrt(16 / 21)))


def test_in_a_small_group_the_rule_says_that_it_cannot_flag():
    found = speed_flags(np.array([1.0, 600, 610, 620]))
    assert found.flagged == ()
    assert "no time can fall below" in found.note


def test_equal_times_have_no_limit():
    assert speed_flags(np.full(5, 60.0)).limit_seconds is None


def test_a_time_of_nothing_is_flagged_and_does_not_count_for_the_limit():
    seconds = np.array([0.0, *np.exp(np.linspace(4, 5, 20))])
    assert speed_flags(seconds).flagged == (0,)


def test_side_bias_is_tested_exactly():
    """Participant 0: 9 of 10 first; participant 1: 2 of 4 and a tie."""
    chose = np.array([1.0] * 9 + [0.0] + [1, 1, 0, 0, 0.5])
    (leaning, even) = side_bias(chose, np.array([0] * 10 + [1] * 5))
    p = scipy.stats.binomtest(9, 10).pvalue
    assert (leaning.first, leaning.n, leaning.share) == (9, 10, 0.9)
    assert (leaning.p, leaning.p_adjusted) == pytest.approx((p, 2 * p))
    assert (even.n, even.share, even.p) == (4, 0.5, 1.0)


def test_somebody_who_only_tied_leans_nowhere():
    (found,) = side_bias(np.array([0.5, 0.5]), np.array([2, 2]))
    assert (found.participant, found.share, found.p, found.p_adjusted) == (2, None, None, None)


# ── difficulty ───────────────────────────────────────────────────────────────────────────────────


def test_items_on_which_people_differ_come_first():
    """Item 7: a, b, c all differ (1); item 4: a, a, b (2/3); item 5: a, a (0)."""
    value, item = np.array([0.0, 1, 2, 0, 0, 1, 3, 3]), np.array([7, 7, 7, 4, 4, 4, 5, 5])
    found = item_difficulty(value, item)
    assert [(d.item, d.disagreement, d.rank) for d in found] == [
        (7, 1.0, 1.0),
        (4, pytest.approx(2 / 3), 2.0),
        (5, 0.0, 3.0),
    ]


def test_scores_differ_by_their_variance():
    found = item_difficulty(np.array([1.0, 5, 2, 2]), np.array([0, 0, 1, 1]), measured="interval")
    assert [(d.item, d.disagreement) for d in found] == [(0, 8.0), (1, 0.0)]


def test_slowness_does_not_blame_items_for_slow_people():
    """Both take twice as long for item 0 as for item 1, one in seconds, one in minutes:
    relative to their geometric means √2 and 1/√2."""
    found = item_difficulty(
        np.array([1.0, 1, 1, 1]),
        np.array([0, 1, 0, 1]),
        seconds=np.array([20.0, 10, 1200, 600]),
        participant=np.array([0, 0, 1, 1]),
    )
    assert [(d.item, d.slowness) for d in found] == [
        (0, pytest.approx(np.sqrt(2))),
        (1, pytest.approx(np.sqrt(0.5))),
    ]
    assert [d.rank for d in found] == [1.25, 1.75]  # tied in disagreement (1.5), then 1 and 2


def test_an_item_judged_once_has_no_disagreement():
    (found,) = item_difficulty(np.array([1.0]), np.array([3]))
    assert (found.disagreement, found.slowness, found.rank) == (None, None, None)
    assert "single judgment" in found.note


def test_no_judgments_have_no_difficulty_and_agree_with_nobody():
    none = np.zeros(0)
    assert item_difficulty(none, none.astype(int)) == ()
    assert agreement_with_others(none, none.astype(int), none.astype(int)).share.tolist() == []
