"""One-sided tests, against scipy's."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from rejudge.stats import (
    mann_whitney,
    one_sided,
    paired_t_test,
    sign_flip,
    sign_test,
    t_test,
    wilcoxon,
)

SIDES = ["greater", "less"]
SIZES = [12, 80]  # counted exactly, and by the normal approximation


def scores(n, *, points=False):
    chance = np.random.default_rng(n)
    first, second = chance.normal(0.3, 1, n), chance.normal(0, 1.4, n)
    return (np.round(first * 2), np.round(second * 2)) if points else (first, second)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("equal_variances", [True, False])
def test_a_one_sided_t_test_is_that_of_scipy(side, equal_variances):
    first, second = scores(12)
    other = scipy.stats.ttest_ind(first, second, equal_var=equal_variances, alternative=side)
    found = t_test(first, second, equal_variances=equal_variances, alternative=side)
    assert (found.statistic, found.p) == pytest.approx((other.statistic, other.pvalue))
    assert found.alternative == side


@pytest.mark.parametrize("side", SIDES)
def test_a_one_sided_paired_t_test_is_that_of_scipy(side):
    other = scipy.stats.ttest_rel(*scores(12), alternative=side)
    assert paired_t_test(*scores(12), alternative=side).p == pytest.approx(other.pvalue)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("n", SIZES)
def test_a_one_sided_signed_rank_test_is_that_of_scipy(side, n):
    """Beyond 50 pairs with ties, too: scores on a few points, where level pairs are left out."""
    first, second = scores(n, points=n > 50)
    method = "exact" if n <= 50 else "asymptotic"
    other = scipy.stats.wilcoxon(first, second, correction=True, method=method, alternative=side)
    assert wilcoxon(first, second, alternative=side).p == pytest.approx(other.pvalue)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("n", SIZES)
def test_a_one_sided_rank_sum_test_is_that_of_scipy(side, n):
    first, second = scores(n, points=n > 50)
    method = "exact" if n <= 50 else "asymptotic"
    other = scipy.stats.mannwhitneyu(first, second, method=method, alternative=side)
    assert mann_whitney(first, second, alternative=side).p == pytest.approx(other.pvalue)


@pytest.mark.parametrize("side", SIDES)
def test_a_one_sided_sign_test_is_the_binomial_test_of_scipy(side):
    first, second = scores(30, points=True)
    up, down = int((first > second).sum()), int((first < second).sum())
    other = scipy.stats.binomtest(up, up + down, alternative=side)
    assert sign_test(first, second, alternative=side).p == pytest.approx(other.pvalue)


@pytest.mark.parametrize("side", SIDES)
def test_a_one_sided_sign_flip_of_single_comparisons_is_the_binomial_test(side):
    """One comparison per item: each sign is a toss of a coin."""
    preference = np.array([1.0] * 9 + [0.0] * 3)
    other = scipy.stats.binomtest(9, 12, alternative=side)
    found = sign_flip(preference, np.arange(12), alternative=side)
    assert found.p == pytest.approx(other.pvalue)


def test_a_drawn_sign_flip_is_near_the_counted_one():
    """12,000 items are beyond what is counted; normal with variance 12,000, z = 120/√12,000."""
    preference = np.array([1.0] * 6060 + [0.0] * 5940)
    chance = np.random.default_rng(1)
    found = sign_flip(preference, np.arange(12_000), rng=chance, alternative="greater")
    assert not found.is_exact
    assert found.p == pytest.approx(scipy.stats.norm.sf(120 / np.sqrt(12_000)), abs=0.015)


@given(
    st.lists(st.integers(1, 5), min_size=3, max_size=12),
    st.lists(st.integers(1, 5), min_size=3, max_size=12),
    st.sampled_from([t_test, mann_whitney]),
)
def test_what_speaks_for_one_side_speaks_against_the_other(first, second, test):
    one, two = np.array(first, dtype=float), np.array(second, dtype=float)
    up, down = (test(one, two, alternative=side).p for side in SIDES)
    turned = test(two, one, alternative="less").p
    assert (up is None) == (down is None) == (turned is None)
    if up is not None:
        assert turned == pytest.approx(up)
        assert up + down >= 1 - 1e-9  # the observed value itself may count on both sides


def test_a_difference_of_nothing_is_even():
    assert one_sided(1.0, 0.0, "greater") == one_sided(1.0, 0.0, "less") == 0.5


def test_what_was_not_tested_stays_untested():
    assert one_sided(None, 1.0, "greater") is None
    assert one_sided(0.2, 1.0, "two-sided") == 0.2
