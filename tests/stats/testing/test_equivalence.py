"""Differences too small to matter."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.errors import DataError
from rejudge.stats import (
    CohenD,
    CohenDz,
    RawBounds,
    StandardisedBounds,
    Summary,
    cohen_d_from_summary,
    cohen_dz,
    critical_effect,
    detectable_effect,
    detectable_paired_effect,
    eta_squared,
    paired_t_power,
    paired_tost,
    share_of_effect,
    t_test_power,
    tost,
    tost_from_summary,
)


@pytest.fixture
def samples():
    rng = np.random.default_rng(9)
    return rng.normal(3, 1, 40), rng.normal(3.1, 1.4, 40)


@pytest.mark.parametrize("equal_variances", [True, False])
def test_two_one_sided_tests_equal_those_of_statsmodels(samples, equal_variances):
    from statsmodels.stats.weightstats import ttost_ind

    kind = "pooled" if equal_variances else "unequal"
    p, lower, upper = ttost_ind(*samples, -0.6, 0.5, usevar=kind)
    found = tost(*samples, RawBounds(-0.6, 0.5), equal_variances=equal_variances)
    assert found.p == pytest.approx(p)
    assert (found.lower.statistic, found.lower.p) == pytest.approx(lower[:2])
    assert (found.upper.statistic, found.upper.p) == pytest.approx(upper[:2])


def test_paired_tests_equal_those_of_statsmodels(samples):
    from statsmodels.stats.weightstats import ttost_paired

    p, *_ = ttost_paired(*samples, -0.5, 0.5)
    assert paired_tost(*samples, RawBounds.around_zero(0.5)).p == pytest.approx(p)


def test_equivalence_by_hand():
    """Means 5 and 5, SDs 2, n 8 and 8: standard error 2·√(¼) = 1; bounds ±2 give t = ±2 on 14."""
    from scipy.special import stdtr

    one = Summary(5.0, 2.0, 8)
    found = tost_from_summary(one, one, RawBounds.around_zero(2))
    assert (found.lower.statistic, found.upper.statistic, found.df) == (2, -2, 14)
    assert found.p == pytest.approx(float(stdtr(14, -2)))
    assert (found.lower.standardised_bound, found.upper.standardised_bound) == (-1, 1)


def test_bounds_in_scores_and_in_standard_deviations_are_one_test(samples):
    one, two = samples
    pooled = math.sqrt((one.var(ddof=1) + two.var(ddof=1)) / 2)
    by_sd = tost(one, two, StandardisedBounds.around_zero(CohenD(0.4)))
    raw = tost(one, two, RawBounds.around_zero(0.4 * pooled))
    assert by_sd.p == pytest.approx(raw.p)
    assert by_sd.upper.raw_bound == pytest.approx(raw.upper.raw_bound)
    assert raw.upper.standardised_bound == pytest.approx(0.4)


def test_bounds_may_be_measured_by_the_spread_of_an_earlier_study(samples):
    found = tost(*samples, StandardisedBounds(-0.3, 0.3, sd=0.9))
    assert (found.lower.raw_bound, found.upper.raw_bound) == pytest.approx((-0.27, 0.27))


def test_paired_bounds_are_measured_by_the_spread_of_differences(samples):
    one, two = samples
    found = paired_tost(one, two, StandardisedBounds.around_zero(CohenDz(0.5)))
    assert found.upper.raw_bound == pytest.approx(0.5 * (one - two).std(ddof=1))


@given(shift=st.floats(-1, 1), reach=st.floats(0.1, 1.5))
def test_equivalent_means_that_the_interval_lies_within_the_bounds(shift, reach):
    one = Summary(3 + shift, 1.1, 30)
    found = tost_from_summary(one, Summary(3.0, 0.9, 25), RawBounds.around_zero(reach))
    inside = -reach < found.interval.low and found.interval.high < reach
    assert inside == (found.p < 0.05)
    assert found.interval.level == pytest.approx(0.9)


@pytest.mark.parametrize("test", [tost, paired_tost])
@pytest.mark.parametrize(
    ("one", "two"), [([2.0, 2.0], [2.0, 2.0]), ([1.0], [1.0]), ([], []), ([2.0] * 3, [3.0] * 3)]
)
def test_without_spread_equivalence_is_undefined(test, one, two):
    found = test(np.array(one), np.array(two), RawBounds(-1, 1))
    assert (found.p, found.lower) == (None, None)
    assert found.note


def test_bounds_the_wrong_way_round_are_refused(samples):
    with pytest.raises(DataError, match="lower bound"):
        tost(*samples, RawBounds(0.5, -0.5))


def test_the_smallest_significant_effect_of_two_hundred_each():
    """van Miltenburg et al. (2024), footnote 12: qt(.975, 398)·√(2/200) = .1966."""
    assert critical_effect((200, 200)).value == pytest.approx(0.1966, abs=5e-5)


def test_the_small_telescopes_bound_is_found_with_a_third_of_power():
    found = detectable_effect((20, 20))
    assert t_test_power(found, per_group=20).value == pytest.approx(1 / 3)
    paired = detectable_paired_effect(25)
    assert paired_t_power(paired, pairs=25).value == pytest.approx(1 / 3)


def test_the_small_telescopes_bound_is_that_of_its_author():
    """Simonsohn (2015): with 20 per cell, d33% is .5."""
    assert detectable_effect((20, 20), power=0.33).value == pytest.approx(0.5, abs=0.01)


def test_half_an_earlier_effect_may_be_what_is_of_interest():
    earlier = cohen_d_from_summary(Summary(1.0, 2.0, 30), Summary(2.0, 2.0, 30))
    assert share_of_effect(earlier, 0.5) == CohenD(pytest.approx(0.25))


def test_a_part_of_a_paired_effect_is_a_paired_effect():
    earlier = cohen_dz(np.array([2.0, 4.0, 6.0]), np.array([1.0, 2.0, 3.0]))  # 2, by hand
    assert share_of_effect(earlier, 0.5) == CohenDz(pytest.approx(1))


def test_a_share_of_variance_is_no_bound():
    with pytest.raises(DataError, match="eta² is not one"):
        share_of_effect(eta_squared(np.array([1.0, 2, 3, 5]), np.array([0, 0, 1, 1])), 0.5)


def test_no_share_of_an_unknown_effect_or_beyond_it():
    flat = Summary(1.0, 0.0, 5)
    with pytest.raises(DataError, match="not known"):
        share_of_effect(cohen_d_from_summary(flat, flat), 0.5)
    with pytest.raises(DataError, match="above 0"):
        share_of_effect(cohen_d_from_summary(flat, Summary(1.0, 1.0, 5)), 0)


def test_an_earlier_study_without_spread_or_power_is_refused():
    with pytest.raises(DataError, match="two or more values"):
        critical_effect((1, 20))
    with pytest.raises(DataError, match="two or more pairs"):
        detectable_paired_effect(1)
    with pytest.raises(DataError, match="above alpha"):
        detectable_effect((20, 20), power=0.05)
