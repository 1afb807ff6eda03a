"""Two groups and pairs: t tests."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.errors import DataError
from rejudge.stats import Summary, paired_t_test, t_test, t_test_from_summary

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
    assert (found.value, found.df, found.n, found.effect.value) == (-2, 4, (3, 3), -2)


def test_a_paired_t_by_hand():
    """Differences 1, 2, 3: t = 2/(1/√3) on 2."""
    found = paired_t_test(np.array([2.0, 4.0, 6.0]), np.array([1.0, 2.0, 3.0]))
    assert found.statistic == pytest.approx(2 * math.sqrt(3))
    assert (found.df, found.n, found.effect.measure) == (2, (3, 3), "dz")


@pytest.mark.parametrize("equal_variances", [True, False])
def test_printed_values_give_the_same_test_as_the_scores(samples, equal_variances):
    one, two = (Summary(s.mean(), s.std(ddof=1), len(s)) for s in samples)
    found = t_test_from_summary(one, two, equal_variances=equal_variances)
    assert found.p == pytest.approx(t_test(*samples, equal_variances=equal_variances).p)


@pytest.mark.parametrize("equal_variances", [True, False])
@pytest.mark.parametrize(
    ("one", "two", "reason"),
    [
        ([1.0], [1.0, 2.0, 3.0], "two or more values"),
        ([], [1.0, 2.0], "two or more values"),
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
