"""Tests by ranks and signs."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from whys import why

from rejudge.errors import DataError
from rejudge.stats import Why, mann_whitney, mann_whitney_r, sign_test, wilcoxon

SCORES = st.lists(st.integers(1, 5).map(float), min_size=1, max_size=7)


def pairs(n, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(0.4, 1, n), rng.normal(0, 1, n)


@pytest.mark.parametrize("n", [8, 30, 80])
def test_the_signed_rank_test_equals_that_of_scipy(n):
    from scipy.stats import wilcoxon as other

    one, two = pairs(n)
    method = "exact" if n <= 50 else "asymptotic"
    theirs = other(one, two, correction=True, method=method)
    assert wilcoxon(one, two).p == pytest.approx(theirs.pvalue)


@pytest.mark.parametrize("n", [8, 20, 80])
def test_the_rank_sum_test_equals_that_of_scipy(n):
    from scipy.stats import mannwhitneyu

    one, two = pairs(n)
    theirs = mannwhitneyu(one, two[2:], method="exact" if n < 26 else "asymptotic")
    found = mann_whitney(one, two[2:])
    assert (found.statistic, found.p) == pytest.approx((theirs.statistic, theirs.pvalue))


def test_tied_ranks_beyond_fifty_are_corrected_as_in_scipy():
    from scipy.stats import mannwhitneyu
    from scipy.stats import wilcoxon as other

    rng = np.random.default_rng(2)
    one, two = rng.integers(1, 6, 90).astype(float), rng.integers(1, 5, 90).astype(float)
    assert mann_whitney(one, two).p == pytest.approx(mannwhitneyu(one, two).pvalue)
    theirs = other(one, two, correction=True, method="asymptotic")
    assert wilcoxon(one, two).p == pytest.approx(theirs.pvalue)


@given(one=SCORES, two=SCORES)
def test_with_ties_the_rank_sum_p_counts_every_choice_of_the_first_group(one, two):
    """The definition, listed out: the share of choices with U as far from its middle."""
    pooled, size = np.array(one + two), len(one)

    def doubled_u(chosen: tuple[int, ...]) -> float:
        rest = np.delete(pooled, list(chosen))
        return sum(np.sign(pooled[list(chosen)][:, None] - rest).ravel())

    all_u = [abs(doubled_u(c)) for c in combinations(range(len(pooled)), size)]
    share = np.mean([u >= all_u[0] for u in all_u])
    found = mann_whitney(np.array(one), np.array(two))
    assert found.p == (pytest.approx(share) if len(set(one + two)) > 1 else None)


@given(change=st.lists(st.integers(-3, 3).map(float), min_size=1, max_size=8))
def test_with_ties_the_signed_rank_p_counts_every_pattern_of_signs(change):
    """The definition, listed out, with mean ranks from scipy."""
    from scipy.stats import rankdata

    moved = np.array([x for x in change if x])
    ranks = rankdata(np.abs(moved)) if len(moved) else moved
    sums = [abs(float(ranks @ np.array(s))) for s in product([-1, 1], repeat=len(moved))]
    observed = abs(float(ranks @ np.sign(moved))) if len(moved) else 0
    share = np.mean([s >= observed - 1e-9 for s in sums])
    found = wilcoxon(np.array(change), np.zeros(len(change)))
    assert found.p == pytest.approx(share)


def test_the_signed_rank_difference_and_interval_by_hand():
    """Differences 1 … 6: 21 averages with median 3.5. P(W ≤ 0) = 1/64 ≤ .025 < P(W ≤ 1) = 2/64,
    so the 95 % interval reaches from the smallest average to the largest: 1 to 6."""
    found = wilcoxon(np.arange(1.0, 7.0), np.zeros(6))
    assert found.value == 3.5
    assert (found.interval.low, found.interval.high) == (1, 6)
    assert (found.statistic, found.test.effects[0].value, found.p) == (21, 1, pytest.approx(2 / 64))


def test_the_rank_sum_difference_and_interval_by_hand():
    """(1, 2, 3, 4) and (11, 12, 13, 14): median of the 16 differences −10.

    P(U ≤ 0) = 1/70 ≤ .025 < P(U ≤ 1) = 2/70: from the smallest difference, −13, to the largest, −7.
    """
    found = mann_whitney(np.arange(1.0, 5.0), np.arange(11.0, 15.0))
    assert found.value == -10
    assert (found.interval.low, found.interval.high) == (-13, -7)
    assert (found.statistic, found.test.effects[0].value, found.p) == (0, -1, pytest.approx(2 / 70))


@given(one=SCORES, two=SCORES)
def test_middles_are_the_medians_of_all_pairs(one, two):
    a, b = np.array(one), np.array(two)
    assert mann_whitney(a, b).value == pytest.approx(np.median(a[:, None] - b))
    moved = a[a != 0] if a.any() else a
    walsh = [(moved[i] + moved[j]) / 2 for i in range(len(moved)) for j in range(i + 1)]
    assert wilcoxon(a, np.zeros(len(a))).value == pytest.approx(np.median(walsh))


def test_tied_pairs_count_neither_in_the_signed_rank_test_nor_in_its_estimate():
    moved = np.array([1.0, -0.5, 2, 1.5, 3, 0.5, 2.5, 1])
    one, two = np.append(moved, [0.0, 0.0, 0.0]), np.zeros(11)
    found, without = wilcoxon(one, two), wilcoxon(moved, np.zeros(8))
    assert (found.value, found.interval, found.p) == (without.value, without.interval, without.p)
    assert (found.n, found.effects[0].n) == (11, 8)


def test_the_sign_test_equals_the_binomial_test_of_scipy():
    from scipy.stats import binomtest

    one, two = pairs(25, seed=4)
    one[:4] = two[:4]
    found, other = sign_test(one, two), binomtest(int((one > two).sum()), 21)
    limits = other.proportion_ci()
    assert found.p == pytest.approx(other.pvalue)
    assert (
        found.test.effects[0].interval.low,
        found.test.effects[0].interval.high,
    ) == pytest.approx((limits.low, limits.high))
    assert why(found) == [Why.LEFT_OUT]


def test_a_median_lies_between_order_statistics():
    """n = 6: P(none below the median) = 1/64 ≤ .025, so from the least to the greatest."""
    found = sign_test(np.arange(1.0, 7.0), np.zeros(6))
    assert (found.value, found.interval.low, found.interval.high) == (3.5, 1, 6)


@pytest.mark.parametrize("test", [wilcoxon, sign_test])
def test_where_every_pair_stands_level_p_is_1_by_convention(test):
    found = test(np.array([2.0, 3.0]), np.array([2.0, 3.0]))
    assert (found.p, found.value, found.interval) == (1, 0, None)
    assert why(found) == [Why.ALL_TIED]


@pytest.mark.parametrize("test", [wilcoxon, sign_test])
def test_without_pairs_nothing_is_tested(test):
    assert test(np.array([]), np.array([])).p is None


@pytest.mark.parametrize("test", [wilcoxon, sign_test])
def test_lists_of_different_length_are_no_pairs(test):
    with pytest.raises(DataError, match="as many values"):
        test(np.array([1.0]), np.array([1.0, 2.0]))


def test_a_rank_sum_needs_two_groups_that_differ_somewhere():
    for test in (mann_whitney, mann_whitney_r):
        assert test(np.array([]), np.array([1.0])).value is None
    assert mann_whitney(np.full(3, 2.0), np.full(4, 2.0)).p is None
    assert mann_whitney_r(np.full(3, 2.0), np.full(4, 2.0)).value is None


def test_few_values_have_no_interval_at_a_high_level():
    found = mann_whitney(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    assert found.interval is None
    assert why(found) == [Why.NO_BOUND]


def test_equal_decimal_differences_share_their_rank():
    """0.3 − 0.2 and 0.2 − 0.1 differ in the last bit only: of two equal ones p is 1, not ½."""
    found = wilcoxon(np.array([0.3, 0.1]), np.array([0.2, 0.2]))
    assert found.statistic == 1.5
    assert found.p == 1


def test_many_judgments_are_counted_without_listing_their_pairs():
    """20,000 against 20,000 values: the median of 400 million differences."""
    rng = np.random.default_rng(1)
    one, two = rng.integers(1, 6, 20_000), rng.integers(1, 6, 20_000)
    assert mann_whitney(one + 1.0, two.astype(float)).value == 1
