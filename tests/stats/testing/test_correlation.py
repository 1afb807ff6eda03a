"""Correlations, and their p values where lists are short."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from whys import why

from rejudge.errors import DataError
from rejudge.stats import Why, kendall_tau, kendall_w, pearson, spearman

LISTS = st.integers(3, 8).flatmap(
    lambda n: st.tuples(*(st.lists(st.integers(0, 6), min_size=n, max_size=n) for _ in range(2)))
)


@pytest.mark.parametrize(("n", "p"), [(3, 2 / 6), (4, 2 / 24), (5, 2 / 120), (6, 2 / 720)])
@pytest.mark.parametrize("correlation", [spearman, kendall_tau, pearson])
def test_a_perfect_order_of_few_is_two_of_all_orders(correlation, n, p):
    """.333, .083, .0167, .0028: the same and the opposite order, of n! orders."""
    found = correlation(np.arange(n), np.arange(n) * 2.0)
    assert found.value == 1
    assert found.p == pytest.approx(p)
    assert found.test.is_exact


def test_a_perfect_order_by_the_t_approximation_has_the_p_that_is_often_printed():
    found = spearman(np.arange(4), np.arange(4), p_value="t")
    assert found.p == 0
    assert why(found) == [Why.PERFECT]


def test_a_perfect_order_of_many_has_no_p():
    for correlation in (pearson, spearman):
        found = correlation(np.arange(12), np.arange(12))
        assert (found.value, found.p, found.interval) == (1, None, None)


@pytest.mark.parametrize("n", [10, 31, 120])
def test_longer_lists_give_what_scipy_gives(n):
    from scipy.stats import kendalltau, pearsonr, spearmanr

    rng = np.random.default_rng(n)
    x = rng.normal(size=n)
    y = x / 2 + rng.normal(size=n)
    tied = np.round(x), np.round(y)
    other = pearsonr(x, y)
    limits = other.confidence_interval()
    found = pearson(x, y)
    assert (found.value, found.p) == pytest.approx((other.statistic, other.pvalue))
    assert (found.interval.low, found.interval.high) == pytest.approx((limits.low, limits.high))
    assert (spearman(*tied).value, spearman(*tied).p) == pytest.approx(tuple(spearmanr(*tied)))
    assert (kendall_tau(*tied).value, kendall_tau(*tied).p) == pytest.approx(
        tuple(kendalltau(*tied))
    )


@pytest.mark.parametrize("n", [10, 31, 60])
def test_tau_without_ties_is_counted_as_in_scipy(n):
    from scipy.stats import kendalltau

    x, y = np.random.default_rng(n).normal(size=(2, n))
    found = kendall_tau(x, y)
    assert found.test.is_exact
    assert found.p == pytest.approx(kendalltau(x, y, method="exact").pvalue)


def test_long_lists_with_ties_are_counted_without_listing_their_pairs():
    from scipy.stats import kendalltau

    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 9, 3000), rng.integers(0, 9, 3000)
    found = kendall_tau(x, y)
    assert (found.value, found.p) == pytest.approx(tuple(kendalltau(x, y)))


@pytest.mark.slow
@pytest.mark.parametrize("correlation", [pearson, spearman])
def test_p_by_permutation_equals_that_of_scipy(correlation):
    from scipy.stats import pearsonr, permutation_test, spearmanr

    rng = np.random.default_rng(6)
    x, y = rng.normal(size=7), rng.normal(size=7)
    statistic = {pearson: pearsonr, spearman: spearmanr}[correlation]
    other = permutation_test(
        (x,),
        lambda a: abs(statistic(a, y).statistic),
        permutation_type="pairings",
        alternative="greater",
        n_resamples=np.inf,
    )
    assert correlation(x, y, p_value="permutation").p == pytest.approx(other.pvalue)


@pytest.mark.parametrize(
    ("original", "reproduction", "r", "p"),
    [
        ([36, -16, -24, 4], [1000 / 27, -392 / 27, -804 / 27, 196 / 27], 0.993131, 0.006869),
        ([58, -6, -12, -39], [57, 26 / 18, -242 / 18, -45], 0.991730, 0.008270),
        ([3.71, 3.20, 2.33], [3.12, 2.57, 2.28], 0.947226, 0.207746),
    ],
)
def test_published_correlations_of_systems_come_out(original, reproduction, r, p):
    """Arvan & Parde (2024, 2025) and van Miltenburg et al. (2024), from scores as printed."""
    found = pearson(original, reproduction)
    assert (found.value, found.p) == pytest.approx((r, p), abs=5e-7)
    assert spearman(original, reproduction).value == pytest.approx(1)


def test_spearman_by_hand():
    """Ranks 1 2 3 4 and 1 3 2 4: 1 − 6·2/(4·15) = .8; of 24 orders 8 have |rho| ≥ .8: ⅓."""
    found = spearman(np.array([1, 2, 3, 4]), np.array([10, 30, 20, 40]))
    assert found.value == pytest.approx(0.8)
    assert found.p == pytest.approx(8 / 24)


def test_tau_b_by_hand():
    """(1, 1, 2) and (1, 2, 3): 2 concordant, 1 tied in x: 2/√(2·3)."""
    found = kendall_tau(np.array([1, 1, 2]), np.array([1, 2, 3]))
    assert found.value == pytest.approx(2 / math.sqrt(6))


@pytest.mark.parametrize("correlation", [pearson, spearman, kendall_tau])
def test_two_points_have_a_value_but_no_p(correlation):
    found = correlation(np.array([1.0, 2.0]), np.array([4.0, 3.0]))
    assert found.value == pytest.approx(-1)
    assert (found.p, found.interval) == (None, None)
    assert why(found) == [Why.NO_BOUND]


@pytest.mark.parametrize("correlation", [pearson, spearman, kendall_tau])
@pytest.mark.parametrize(
    ("x", "y", "reason"),
    [
        ([], [], "at least two pairs"),
        ([1.0], [2.0], "at least two pairs"),
        ([1.0, 1.0, 1.0], [1.0, 2.0, 3.0], "values of the first"),
        ([1.0, 2.0, 3.0], [0.0, 0.0, 0.0], "values of the second"),
        ([1.0, 1.0], [2.0, 2.0], "values of the first and the second"),
    ],
)
def test_what_does_not_vary_does_not_correlate(correlation, x, y, reason):
    found = correlation(np.array(x), np.array(y))
    assert (found.value, found.p) == (None, None)
    assert reason in found.note


def test_lists_of_different_length_do_not_correlate():
    with pytest.raises(DataError, match="of one length, got 2 and 1"):
        pearson(np.array([1.0, 2.0]), np.array([1.0]))


def test_too_many_orders_are_not_counted():
    with pytest.raises(DataError, match="too many to count"):
        pearson(np.arange(10.0), np.arange(10.0) ** 2, p_value="permutation")


def test_three_values_have_no_interval():
    found = pearson(np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0, 2.0]))
    assert found.interval is None
    assert why(found) == [Why.NEEDS]


@given(lists=LISTS, seed=st.integers(0, 99))
def test_correlations_keep_under_order_of_rows_and_turn_with_the_scale(lists, seed):
    x, y = (np.array(each, dtype=float) for each in lists)
    assume(np.ptp(x) > 0 and np.ptp(y) > 0)
    order = np.random.default_rng(seed).permutation(len(x))
    for correlation in (pearson, spearman, kendall_tau):
        found = correlation(x, y)
        same, turned = correlation(y[order], x[order]), correlation(x, 3 - 2 * y)
        assert same.value == pytest.approx(found.value)
        assert turned.value == pytest.approx(-found.value)
        assert same.p == pytest.approx(found.p, abs=1e-12)
        assert turned.p == pytest.approx(found.p, abs=1e-12)
        assert 0 < found.p <= 1


def test_concordance_is_that_of_the_nag_library():
    """NAG G08DAF, its example of three judges and ten things with ties: W = .8277 (.7960 without
    the correction), χ² = 22.35."""
    rows = [
        [1, 4.5, 2, 4.5, 3, 7.5, 6, 9, 7.5, 10],
        [2.5, 1, 2.5, 4.5, 4.5, 8, 9, 6.5, 10, 6.5],
        [2, 1, 4.5, 4.5, 4.5, 4.5, 8, 8, 8, 10],
    ]
    found = kendall_w(np.array(rows))
    assert found.value == pytest.approx(0.8277, abs=5e-5)
    assert found.statistic == pytest.approx(22.35, abs=0.005)
    assert found.p == pytest.approx(0.0078, abs=5e-5)


def test_concordance_is_friedmans_statistic_on_a_scale_to_one():
    """χ²_F = m (k − 1) W, ties included; by scipy."""
    from scipy.stats import friedmanchisquare

    scores = np.random.default_rng(3).integers(1, 5, size=(6, 8))
    other = friedmanchisquare(*scores.T)
    found = kendall_w(scores)
    assert (found.statistic, found.p) == pytest.approx(tuple(other))
    assert found.value == pytest.approx(other.statistic / (6 * 7))


def test_concordance_of_few_is_counted():
    """Three lists of three in one order: the second and third each meet it once in six, 1/36."""
    found = kendall_w(np.array([[1, 2, 3]] * 3))
    assert (found.value, found.n, found.participants, found.test.is_exact) == (1, 3, 3, True)
    assert found.p == pytest.approx(1 / 36)


def test_opposite_orders_have_no_concordance():
    found = kendall_w(np.array([[1, 2, 3], [3, 2, 1]]))
    assert (found.value, found.p) == (0, 1)


@pytest.mark.parametrize("scores", [[[1, 2, 3]], [[1], [2]], [[2, 2], [1, 1]]])
def test_concordance_needs_lists_that_order_something(scores):
    found = kendall_w(np.array(scores))
    assert found.value is None
    assert found.note


def test_concordance_without_the_correction_for_ties_is_that_of_the_nag_example():
    """NAG G08DAF as above; by hand, lists 1 1 2 and 1 2 3 have rank sums 2.5, 3.5 and 6 around 4,
    S = 6.5, and W = 12 · 6.5 / (2² · 24) = .8125; corrected by 2 · (2³ − 2) it is 78 / 84."""
    rows = [
        [1, 4.5, 2, 4.5, 3, 7.5, 6, 9, 7.5, 10],
        [2.5, 1, 2.5, 4.5, 4.5, 8, 9, 6.5, 10, 6.5],
        [2, 1, 4.5, 4.5, 4.5, 4.5, 8, 8, 8, 10],
    ]
    found = kendall_w(np.array(rows), ties="uncorrected")
    assert found.value == pytest.approx(0.7960, abs=5e-5)
    assert found.method == "Kendall's W, not corrected for ties"
    small = np.array([[1, 1, 2], [1, 2, 3]])
    assert kendall_w(small, ties="uncorrected").value == pytest.approx(0.8125)
    assert kendall_w(small).value == pytest.approx(78 / 84)
    assert kendall_w(small).method == "Kendall's W, corrected for ties"


def test_without_ties_the_correction_changes_nothing():
    scores = np.array([[1, 2, 3, 4], [2, 1, 3, 4], [1, 3, 2, 4]])
    assert kendall_w(scores, ties="uncorrected").value == kendall_w(scores).value


def test_long_lists_have_a_concordance():
    """The number of orders of 3,000 things in 40 lists has 350,000 digits; nobody writes it out."""
    scores = np.random.default_rng(1).normal(size=(40, 3000))
    assert kendall_w(scores).value == pytest.approx(1 / 40, abs=0.005)
