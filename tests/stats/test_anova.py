"""One-way tests of several groups."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.stats import kruskal_wallis, levene, one_way_anova


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
    assert found.effect.value == pytest.approx(0.7)


@pytest.mark.parametrize(
    ("value", "group", "reason"),
    [
        ([], [], "two or more groups"),
        ([1.0, 2.0, 3.0], [1, 1, 1], "two or more groups"),
        ([1.0, 2.0], [0, 1], "no group has two"),
        ([2.0, 2.0, 3.0, 3.0], [0, 0, 1, 1], "do not vary"),
        ([2.0, 2.0, 2.0, 2.0], [0, 0, 1, 1], "do not vary"),
    ],
)
def test_what_cannot_be_compared_has_no_f_but_a_reason(value, group, reason):
    found = one_way_anova(np.array(value), np.array(group, dtype=int))
    assert (found.statistic, found.p, found.eta_squared.value) == (None, None, None)
    assert reason in found.note


@pytest.mark.parametrize("values", [[1.0, 2.0, 5.0], [1.0, 2.0, 5.0, 5.0]])
def test_unequal_variances_need_spread_in_every_group(values):
    group = np.array([0, 0, 1, 1][: len(values)])
    found = one_way_anova(np.array(values), group, equal_variances=False)
    assert found.p is None
    assert "every group" in found.note
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
