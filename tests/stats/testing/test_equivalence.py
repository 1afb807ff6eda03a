"""Differences too small to matter."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.errors import DataError
from rejudge.stats import (
    Interval,
    Summary,
    critical_effect,
    paired_t_test,
    t_interval,
    t_test,
    t_test_from_summary,
    tost,
)


@pytest.fixture
def samples():
    rng = np.random.default_rng(9)
    return rng.normal(3, 1, 40), rng.normal(3.1, 1.4, 40)


def equivalence(found, low, high):
    return tost(found.value, found.standard_error, found.df, Interval(low, high, 1.0))


@pytest.mark.parametrize("equal_variances", [True, False])
def test_two_one_sided_tests_equal_those_of_statsmodels(samples, equal_variances):
    from statsmodels.stats.weightstats import ttost_ind

    kind = "pooled" if equal_variances else "unequal"
    p, lower, upper = ttost_ind(*samples, -0.6, 0.5, usevar=kind)
    found = equivalence(t_test(*samples, equal_variances=equal_variances), -0.6, 0.5)
    assert found.p == pytest.approx(p)
    assert (found.above.statistic, found.above.p) == pytest.approx(lower[:2])
    assert (found.below.statistic, found.below.p) == pytest.approx(upper[:2])


def test_paired_tests_equal_those_of_statsmodels(samples):
    from statsmodels.stats.weightstats import ttost_paired

    p, *_ = ttost_paired(*samples, -0.5, 0.5)
    assert equivalence(paired_t_test(*samples), -0.5, 0.5).p == pytest.approx(p)


def test_equivalence_by_hand():
    """Means 5 and 5, SDs 2, n 8 and 8: standard error 2·√(¼) = 1; bounds ±2 give t = ±2 on 14."""
    from scipy.special import stdtr

    one = Summary(5.0, 2.0, 8)
    found = equivalence(t_test_from_summary(one, one), -2, 2)
    assert (found.above.statistic, found.below.statistic, found.df) == (2, -2, (14,))
    assert found.p == pytest.approx(float(stdtr(14, -2)))
    assert (found.above.null, found.below.null) == (-2, 2)


@given(shift=st.floats(-1, 1), reach=st.floats(0.1, 1.5))
def test_equivalent_means_that_the_interval_lies_within_the_bounds(shift, reach):
    found = t_test_from_summary(Summary(3 + shift, 1.1, 30), Summary(3.0, 0.9, 25))
    interval = t_interval(found.value, found.standard_error, found.df, 0.9)
    inside = -reach < interval.low and interval.high < reach
    assert inside == (equivalence(found, -reach, reach).p < 0.05)


def test_bounds_the_wrong_way_round_are_refused():
    with pytest.raises(DataError, match="lower bound"):
        tost(0.1, 0.2, 10, Interval(0.5, -0.5, 1.0))


def test_the_smallest_significant_effect_of_two_hundred_each():
    """van Miltenburg et al. (2024), footnote 12: qt(.975, 398)·√(2/200) = .1966."""
    assert critical_effect((200, 200)).value == pytest.approx(0.1966, abs=5e-5)


def test_an_earlier_study_without_spread_is_refused():
    with pytest.raises(DataError, match="two or more values"):
        critical_effect((1, 20))
