"""Two groups and pairs: t tests.

One-sided tests, against scipy's.

One-way tests of several groups.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from whys import why

from rejudge.errors import DataError
from rejudge.stats import (
    Summary,
    Why,
    kruskal_wallis,
    levene,
    mann_whitney,
    one_sided,
    one_way_anova,
    paired_t_test,
    sign_flip,
    sign_test,
    t_test,
    t_test_from_summary,
    wilcoxon,
)

SCORES = st.lists(st.integers(1, 5), min_size=2, max_size=20)


@pytest.fixture
def samples():
    rng = np.random.default_rng(3)
    return rng.normal(1, 1, 17), rng.normal(0.4, 2, 25)


@pytest.mark.parametrize("equal_variances", [True, False])
def test_the_t_test_equals_that_of_scipy(samples, equal_variances):
    from scipy.stats import ttest_ind

    found = t_test(*samples, equal_variances=equal_variances)
    other = ttest_ind(*samples, equal_var=equal_variances)
    limits = other.confidence_interval()
    assert (found.statistic, found.p, found.df) == pytest.approx(
        (other.statistic, other.pvalue, other.df)
    )
    assert (found.interval.low, found.interval.high) == pytest.approx((limits.low, limits.high))


def test_the_paired_test_equals_that_of_scipy(samples):
    from scipy.stats import ttest_rel

    one, two = samples[0], samples[1][:17]
    found, other = paired_t_test(one, two), ttest_rel(one, two)
    limits = other.confidence_interval()
    assert (found.statistic, found.p, found.df) == pytest.approx(
        (other.statistic, other.pvalue, other.df)
    )
    assert (found.interval.low, found.interval.high) == pytest.approx((limits.low, limits.high))


def test_t_by_hand():
    """(1, 2, 3) and (3, 4, 5): difference −2, standard error √(1·(⅓ + ⅓)), df 4, d = −2."""
    found = t_test(np.array([1.0, 2.0, 3.0]), np.array([3.0, 4.0, 5.0]))
    assert found.statistic == pytest.approx(-2 / math.sqrt(2 / 3))
    assert (found.value, found.df, found.n, found.test.effects[0].value) == (-2, 4, 6, -2)


def test_a_paired_t_by_hand():
    """Differences 1, 2, 3: t = 2/(1/√3) on 2."""
    found = paired_t_test(np.array([2.0, 4.0, 6.0]), np.array([1.0, 2.0, 3.0]))
    assert found.statistic == pytest.approx(2 * math.sqrt(3))
    assert (found.df, found.n, found.test.effects[0].measure) == (2, 3, "dz")


@pytest.mark.parametrize("equal_variances", [True, False])
def test_printed_values_give_the_same_test_as_the_scores(samples, equal_variances):
    one, two = (Summary(s.mean(), s.std(ddof=1), len(s)) for s in samples)
    found = t_test_from_summary(one, two, equal_variances=equal_variances)
    assert found.p == pytest.approx(t_test(*samples, equal_variances=equal_variances).p)


@pytest.mark.parametrize("equal_variances", [True, False])
@pytest.mark.parametrize(
    ("one", "two", "reason"),
    [
        ([1.0], [1.0, 2.0, 3.0], "at least two values"),
        ([], [1.0, 2.0], "at least two values"),
        ([2.0, 2.0], [3.0, 3.0], "do not vary"),
        ([2.0, 2.0], [2.0, 2.0], "do not vary"),
    ],
)
def test_without_spread_there_is_no_test(one, two, reason, equal_variances):
    found = t_test(np.array(one), np.array(two), equal_variances=equal_variances)
    assert (found.p, found.interval) == (None, None)
    assert reason in found.note


@pytest.mark.parametrize(("one", "two"), [([], []), ([1.0], [2.0]), ([1.0, 2.0], [2.0, 3.0])])
def test_without_varying_differences_there_is_no_paired_test(one, two):
    found = paired_t_test(np.array(one), np.array(two))
    assert found.p is None
    assert found.note


def test_lists_of_different_length_are_no_pairs():
    with pytest.raises(DataError, match="as many values on either side"):
        paired_t_test(np.array([1.0, 2.0]), np.array([1.0]))


@given(one=SCORES, two=SCORES)
def test_swapping_the_groups_turns_the_sign_and_keeps_p(one, two):
    a, b = np.array(one, dtype=float), np.array(two, dtype=float)
    forth, back = t_test(a, b), t_test(b, a)
    assert back.value == pytest.approx(-forth.value)
    assert back.p == (None if forth.p is None else pytest.approx(forth.p))


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
    assert found.test.alternative == side


@pytest.mark.parametrize("side", SIDES)
def test_a_one_sided_paired_t_test_is_that_of_scipy(side):
    other = scipy.stats.ttest_rel(*scores(12), alternative=side)
    assert paired_t_test(*scores(12), alternative=side).p == pytest.approx(other.pvalue)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("n", SIZES)
def test_a_one_sided_signed_rank_test_is_that_of_scipy(side, n):
    """Beyond 50 pairs with ties, too: scores on a few points, where tied pairs are left out."""
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


@pytest.fixture
def groups():
    rng = np.random.default_rng(5)
    return [rng.normal(0, 1, 9), rng.normal(0.7, 2, 14), rng.normal(0.2, 1, 30)]


def joined(groups):
    return np.concatenate(groups), np.repeat(range(len(groups)), [len(each) for each in groups])


def test_f_by_hand():
    """(1, 3), (4, 6), (7, 9): SS_b = 36 on 2, SS_w = 6 on 3, F = 18/2 = 9."""
    found = one_way_anova(np.array([1.0, 3, 4, 6, 7, 9]), np.array([0, 0, 1, 1, 2, 2]))
    assert found.statistic == pytest.approx(9)
    assert (found.df, found.n, found.groups) == ((2, 3), 6, 3)
    assert (found.between, found.within) == pytest.approx((36, 6))


@pytest.mark.parametrize("equal_variances", [True, False])
def test_the_analysis_of_variance_equals_that_of_scipy(groups, equal_variances):
    from scipy.stats import f_oneway

    found = one_way_anova(*joined(groups), equal_variances=equal_variances)
    other = f_oneway(*groups, equal_var=equal_variances)
    assert found.statistic == pytest.approx(other.statistic)
    assert found.p == pytest.approx(other.pvalue)


def test_the_degrees_of_freedom_of_welch_equal_those_of_statsmodels(groups):
    from statsmodels.stats.oneway import anova_oneway

    other = anova_oneway(groups, use_var="unequal", welch_correction=True)
    found = one_way_anova(*joined(groups), equal_variances=False)
    assert found.df == pytest.approx((other.df_num, other.df_denom))


def test_tests_of_spread_and_ranks_equal_those_of_scipy(groups):
    from scipy.stats import kruskal
    from scipy.stats import levene as other_levene

    scale = [np.round(each) for each in groups]  # with many ties
    assert levene(*joined(groups)).p == pytest.approx(other_levene(*groups).pvalue)
    found = kruskal_wallis(*joined(scale))
    assert (found.statistic, found.p) == pytest.approx(tuple(kruskal(*scale)))


def test_ranks_by_hand():
    """(1, 2) and (3, 4): H = 12/(4·5)·(9/2 + 49/2) − 3·5 = 2.4; η²_H = (2.4 − 1)/2 = .7."""
    found = kruskal_wallis(np.array([1.0, 2, 3, 4]), np.array([0, 0, 1, 1]))
    assert found.statistic == pytest.approx(2.4)
    assert found.effects[0].value == pytest.approx(0.7)


@pytest.mark.parametrize(
    ("value", "group", "reason"),
    [
        ([], [], "at least two groups"),
        ([1.0, 2.0, 3.0], [1, 1, 1], "at least two groups"),
        ([1.0, 2.0], [0, 1], "at least two values in one of"),
        ([2.0, 2.0, 3.0, 3.0], [0, 0, 1, 1], "do not vary"),
        ([2.0, 2.0, 2.0, 2.0], [0, 0, 1, 1], "do not vary"),
    ],
)
def test_what_cannot_be_compared_has_no_f_but_a_reason(value, group, reason):
    found = one_way_anova(np.array(value), np.array(group, dtype=int))
    assert (found.statistic, found.p, found.effects[0].value) == (None, None, None)
    assert reason in found.note


@pytest.mark.parametrize("values", [[1.0, 2.0, 5.0], [1.0, 2.0, 5.0, 5.0]])
def test_unequal_variances_need_spread_in_every_group(values):
    group = np.array([0, 0, 1, 1][: len(values)])
    found = one_way_anova(np.array(values), group, equal_variances=False)
    assert found.p is None
    assert why(found) == [Why.NEEDS]
    assert one_way_anova(np.array(values), group).p is not None


def test_spread_and_ranks_are_undefined_where_nothing_varies():
    value, group = np.full(4, 3.0), np.array([0, 0, 1, 1])
    assert levene(value, group).p is None
    assert kruskal_wallis(value, group).p is None
    assert kruskal_wallis(value[:1], group[:1]).p is None


@given(
    value=st.lists(st.integers(1, 5), min_size=6, max_size=30),
    seed=st.integers(0, 1000),
    test=st.sampled_from([one_way_anova, kruskal_wallis, levene]),
)
def test_order_of_rows_and_names_of_groups_do_not_matter(value, seed, test):
    numbers, group = np.array(value, dtype=float), np.arange(len(value)) % 3
    order = np.random.default_rng(seed).permutation(len(value))
    other = test(numbers[order], np.array([7, 2, 4])[group][order])
    assert other.p == pytest.approx(test(numbers, group).p)
