"""What printed figures must have been."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from rejudge.errors import DataError
from rejudge.stats import (
    Summary,
    cohen_d_range,
    p_from_statistic,
    p_range,
    pearson_range,
    spearman_p_range,
    t_range,
)


@pytest.mark.parametrize(
    ("name", "value", "df", "expected"),
    [  # R 4.2: 2 * pt(-2.2, 28), pf(4.5, 2, 57, lower = FALSE), pchisq(3.84, 1, lower = FALSE), …
        ("t", 2.2, (28,), 2 * scipy_stats.t.sf(2.2, 28)),
        ("t", -2.2, (28,), 2 * scipy_stats.t.sf(2.2, 28)),
        ("F", 4.5, (2, 57), scipy_stats.f.sf(4.5, 2, 57)),
        ("chi2", 3.84, (1,), scipy_stats.chi2.sf(3.84, 1)),
        ("z", 1.96, (), 2 * scipy_stats.norm.sf(1.96)),
    ],
)
def test_p_is_that_of_scipy(name, value, df, expected):
    assert p_from_statistic(name, value, df) == pytest.approx(expected)


def test_p_of_a_correlation_is_that_of_its_t():
    """r = 0.95 of 3: t = r √(1/(1 − r²)) on one degree of freedom, and p = 1 − 2 asin(r)/π."""
    assert p_from_statistic("r", 0.95, (1,)) == pytest.approx(1 - 2 * math.asin(0.95) / math.pi)


@pytest.mark.parametrize(("name", "df"), [("t", ()), ("F", (3,)), ("chi2", (0,)), ("z", (3,))])
def test_degrees_of_freedom_that_do_not_fit_are_refused(name, df):
    with pytest.raises(DataError, match="degrees of freedom"):
        p_from_statistic(name, 2.0, df)


def test_a_negative_f_is_refused():
    with pytest.raises(DataError, match="cannot be negative"):
        p_from_statistic("F", -1.0, (2, 30))


def test_the_range_of_p_holds_that_of_every_statistic_that_rounds_so():
    found = p_range("t", 2.1, 0.05, (28,))
    for t in (2.05, 2.1, 2.15):
        assert found.low <= p_from_statistic("t", t, (28,)) <= found.high


def test_a_correlation_of_at_most_one_is_taken():
    assert p_range("r", 1.0, 0.005, (2,)).low == 0.0


@pytest.mark.parametrize(("n", "expected"), [(3, 2 / 6), (4, 2 / 24), (5, 2 / 120), (6, 2 / 720)])
def test_a_perfect_order_has_the_share_of_two_orders(n, expected):
    found = spearman_p_range(1.0, 0.0, n)
    assert found.low == found.high == pytest.approx(expected)


def test_the_exact_p_counts_all_orders_as_far_out():
    """All 120 orders of five, listed."""
    base = np.arange(5)
    rhos = [np.corrcoef(base, order)[0, 1] for order in permutations(base)]
    for rho in sorted(set(np.round(rhos, 9))):
        expected = np.mean(np.abs(rhos) >= abs(rho) - 1e-9)
        found = spearman_p_range(rho, 1e-6, 5)
        assert (found.low, found.high) == (pytest.approx(expected), pytest.approx(expected))


@pytest.mark.parametrize(("rho", "n"), [(0.95, 3), (1.0, 2), (1.0, 10)])
def test_where_no_order_fits_or_orders_are_too_many_there_is_no_exact_p(rho, n):
    assert spearman_p_range(rho, 0.001, n) is None


@given(
    st.lists(st.tuples(st.floats(0, 9), st.floats(0, 9)), min_size=3, max_size=12),
    st.integers(0, 2),
)
def test_the_range_of_r_holds_that_of_the_values_before_rounding(pairs, decimals):
    x, y = np.array(pairs).T
    rounded, half = (np.round(x, decimals), np.round(y, decimals)), 0.5 * 10.0**-decimals
    found = pearson_range(*rounded, x_half_unit=half, y_half_unit=half)
    if found is None or np.ptp(x) < 1e-6 or np.ptp(y) < 1e-6:
        return
    r = np.corrcoef(x, y)[0, 1]
    assert found.low - 1e-6 <= r <= found.high + 1e-6


def test_without_rounding_the_range_of_r_is_r():
    x, y = np.array([1.0, 2.0, 4.0]), np.array([1.0, 3.0, 2.0])
    found = pearson_range(x, y)
    assert found.low == found.high == pytest.approx(np.corrcoef(x, y)[0, 1])


def test_values_that_do_not_vary_have_no_range_of_r():
    assert pearson_range(np.ones(3), np.arange(3.0)) is None


def test_the_t_and_d_of_a_published_comparison_lie_in_their_ranges():
    """van Miltenburg et al. (2024), Table 1 and section 3.1: t(398) = 5.157, d = 0.516."""
    first, second = Summary(3.12, 0.92, 200), Summary(2.57, 1.21, 200)
    halves = {"mean_half_unit": 0.005, "sd_half_unit": 0.005}
    t, d = t_range(first, second, **halves), cohen_d_range(first, second, **halves)
    assert t.low <= 5.157 <= t.high
    assert d.low <= 0.516 <= d.high
    assert t.high == pytest.approx(0.56 / math.sqrt((0.915**2 + 1.205**2) / 2) * 10)


def test_sds_that_may_be_zero_have_no_range():
    flat = Summary(3.0, 0.004, 10)
    halves = {"mean_half_unit": 0.005, "sd_half_unit": 0.005}
    assert t_range(flat, flat, **halves) is None
    assert t_range(flat, flat, **halves, equal_variances=False) is None
