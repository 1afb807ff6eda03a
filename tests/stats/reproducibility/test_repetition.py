"""What a repetition would find.

Whether a second study says the same.
"""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from whys import why

from rejudge.errors import DataError
from rejudge.stats import (
    Effect,
    Interval,
    Why,
    effect_difference,
    matching_accuracy,
    order_stability,
    significance_f1,
)

R = json.loads(
    (Path(__file__).parents[2] / "reference" / "several_studies_r.json").read_text(encoding="utf-8")
)


def rng():
    return np.random.default_rng(1)


def independent(error):
    squares = np.asarray(error) ** 2
    variance = squares[:, None] + squares[None, :]
    np.fill_diagonal(variance, 0.0)
    return variance


def test_the_chance_of_a_whole_order_is_that_of_mvtnorm():
    theirs = R["order"]
    found = order_stability(
        np.array(theirs["score"]), independent(theirs["error"]), rng=rng(), draws=400_000
    )
    # the error of a share of 400,000 draws is at most .0008
    assert found.probability == pytest.approx(theirs["probability"], abs=0.003)
    assert found.order == (0, 1, 2)


def test_a_difference_just_significant_comes_out_again_in_92_of_100_repetitions():
    """Φ(1.96 / √2) = .917 (Killeen 2005, for p = .05 on two sides)."""
    found = order_stability(np.array([1.96, 0.0]), np.array([[0.0, 1.0], [1.0, 0.0]]), rng=rng())
    assert found.probability == pytest.approx(0.917, abs=5e-4)
    assert found.pairs[0].probability == found.probability


def test_equal_scores_are_a_toss_and_sure_ones_are_sure():
    even = order_stability(np.array([1.0, 1.0]), np.array([[0.0, 1.0], [1.0, 0.0]]), rng=rng())
    sure = order_stability(np.array([1.0, 2.0]), np.zeros((2, 2)), rng=rng())
    assert even.probability == 0.5
    assert (sure.order, sure.probability) == ((1, 0), 1.0)


def test_one_system_has_no_order():
    assert order_stability(np.array([1.0]), np.zeros((1, 1)), rng=rng()).probability is None


def test_scores_that_go_together_keep_their_order_more_surely():
    """Three systems whose errors are common but for a little: differences are known far better."""
    score = np.array([1.0, 0.8, 0.6])
    alone = order_stability(score, independent([0.3, 0.3, 0.3]), rng=rng())
    shared = order_stability(score, independent([0.03, 0.03, 0.03]), rng=rng())
    assert shared.probability > 0.99 > alone.probability


@pytest.mark.parametrize(
    "variance", [np.zeros((2, 3)), -np.ones((2, 2)), np.array([[0.0, 1.0], [2.0, 0.0]])]
)
def test_a_table_that_is_none_of_variances_is_refused(variance):
    with pytest.raises(DataError, match="variance of each difference"):
        order_stability(np.array([1.0, 2.0]), variance, rng=rng())


@given(st.lists(st.tuples(st.floats(-3, 3), st.floats(0.05, 2)), min_size=2, max_size=5))
def test_the_whole_order_is_no_surer_than_its_least_sure_pair(systems):
    score, error = (np.array(each) for each in zip(*systems, strict=True))
    found = order_stability(score, independent(error), rng=rng(), draws=2000)
    assert found.probability <= min(pair.probability for pair in found.pairs) + 0.06  # of 2,000
    assert all(pair.probability >= 0.5 for pair in found.pairs)


def wilson(wins, n):
    """A share with the score interval of Wilson (1927)."""
    z, p = 1.959963984540054, wins / n
    centre, half = p + z * z / (2 * n), z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    low, high = ((centre + sign * half) / (1 + z * z / n) for sign in (-1, 1))
    return Effect(p, "share", n, Interval(low, high, 0.95))


@pytest.mark.parametrize(
    ("first", "second", "low", "high"),
    [((56, 70), (48, 80), 0.0524, 0.3339), ((9, 10), (3, 10), 0.1705, 0.8090)],
)
def test_of_two_shares_it_is_the_published_interval(first, second, low, high):
    """Newcombe (1998), table II, method 10: the score intervals of two shares put together."""
    found = effect_difference(wilson(*first), wilson(*second))
    assert (found.interval.low, found.interval.high) == pytest.approx((low, high), abs=5e-5)


def test_of_even_intervals_it_is_the_usual_one():
    """Errors .3 and .4 give .5; 1 − 0.2 ± 1.96 · .5."""
    one = Effect(1.0, "d", 10, Interval(1 - 1.96 * 0.3, 1 + 1.96 * 0.3, 0.95))
    two = Effect(0.2, "d", 12, Interval(0.2 - 1.96 * 0.4, 0.2 + 1.96 * 0.4, 0.95))
    found = effect_difference(one, two)
    assert (found.value, found.n) == (pytest.approx(0.8), 22)
    assert (found.interval.low, found.interval.high) == pytest.approx((0.8 - 0.98, 0.8 + 0.98))


def test_intervals_may_overlap_though_the_effects_differ():
    one = Effect(1.0, "d", 100, Interval(0.7, 1.3, 0.95))
    two = Effect(0.5, "d", 100, Interval(0.2, 0.8, 0.95))
    assert one.interval.low < two.interval.high
    assert effect_difference(one, two).interval.low > 0


def test_an_effect_that_is_unknown_leaves_the_difference_unknown():
    known = Effect(1.0, "d", 10, Interval(0.5, 1.5, 0.95))
    few = (Why.NEEDS(least="two", what="values"),)
    assert effect_difference(known, Effect(None, "d", 3, reasons=few)).reasons == few
    bare = effect_difference(known, Effect(0.4, "d", 3))
    assert (bare.value, bare.interval) == (pytest.approx(0.6), None)


def test_different_measures_are_not_subtracted():
    with pytest.raises(DataError, match="one measure"):
        effect_difference(Effect(1.0, "d", 10), Effect(0.3, "r", 10))


LABELS = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=30)


def test_pairs_match_where_both_studies_order_them_alike():
    """(1, 2, 2) and (1, 3, 2): 1<2 twice, 1<2 twice, but equal against higher: 2 of 3."""
    found = matching_accuracy(np.array([1, 2, 2]), np.array([1, 3, 2]))
    assert (found.value, found.matches, found.n) == (pytest.approx(2 / 3), 2, 3)
    assert found.matched == (True, True, False)


def test_only_the_named_pairs_count():
    found = matching_accuracy(np.array([1, 2, 2]), np.array([1, 3, 2]), [(1, 2)])
    assert (found.value, found.n) == (0, 1)


def test_small_differences_can_count_as_equal():
    one, two = np.array([1.0, 1.2]), np.array([1.0, 1.0])
    assert matching_accuracy(one, two).value == 0
    assert matching_accuracy(one, two, tolerance=0.25).value == 1


def test_without_pairs_there_is_nothing_to_match():
    found = matching_accuracy(np.array([1.0]), np.array([2.0]))
    assert found.value is None
    assert found.note


def test_f1_by_hand():
    """Original 1 1 0 0, reproduction 1 0 1 1: one in both, precision ⅓, recall ½, F1 2/5."""
    found = significance_f1([True, True, False, False], [True, False, True, True])
    assert found.value == pytest.approx(2 / 5)
    assert (found.precision, found.recall) == pytest.approx((1 / 3, 1 / 2))
    assert (found.both, found.original, found.reproduction, found.n) == (1, 2, 3, 4)


def test_where_nothing_is_significant_f1_is_undefined():
    found = significance_f1([False, False], [False, False])
    assert found.value is None
    assert why(found) == [Why.NO_BOUND]


def test_where_one_study_finds_nothing_f1_is_0_and_one_part_undefined():
    found = significance_f1([True, False], [False, False])
    assert (found.value, found.precision, found.recall) == (0, None, 0)


@pytest.mark.parametrize("compare", [matching_accuracy, significance_f1])
def test_studies_of_different_length_are_refused(compare):
    with pytest.raises(DataError, match="entry by entry"):
        compare(np.array([1, 0]), np.array([1]))


@given(labels=LABELS)
def test_f1_is_the_harmonic_mean_and_symmetric(labels):
    one, two = (list(each) for each in zip(*labels, strict=True))
    found, turned = significance_f1(one, two), significance_f1(two, one)
    assert found.value == turned.value
    assume(found.both)
    parts = 1 / found.precision + 1 / found.recall
    assert found.value == pytest.approx(2 / parts)
