"""What printed figures must have been.

How surely two printed scores lie apart.

Where a figure may lie when its inputs are known only as printed.

Possible means and standard deviations of ratings.
"""

from __future__ import annotations

import math
from itertools import combinations_with_replacement, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from rejudge.errors import DataError
from rejudge.stats import (
    Comparisons,
    Interval,
    Ratings,
    Summary,
    attainable_range,
    cohen_d_range,
    cohen_d_with_error,
    cv_star,
    cv_star_interval,
    difference_variance,
    grim,
    grimmer,
    implied_error,
    normal_interval,
    p_from_statistic,
    p_range,
    pearson,
    pearson_range,
    relative_preference,
    score_difference,
    spearman_p_range,
    t_range,
    win_sd,
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


def test_the_sd_of_wins_follows_from_their_mean():
    """Three wins and one loss: mean ½, SD √(1 − ¼)."""
    assert win_sd(0.5) == pytest.approx(np.std([1, 1, 1, -1]))
    assert (win_sd(1.0), win_sd(0.0)) == (0.0, 1.0)


def test_a_mean_of_wins_lies_on_its_scale():
    with pytest.raises(DataError, match="Bring the score onto that scale"):
        win_sd(58)


@given(st.floats(-10, 10), st.floats(0.01, 5), st.floats(0.5, 0.999))
def test_an_interval_shows_the_error_that_it_was_made_with(value, error, level):
    found = normal_interval(value, error, level=level)
    assert implied_error(found) == pytest.approx(error)
    assert (found.low + found.high) / 2 == pytest.approx(value)


def test_a_wellknown_interval():
    assert implied_error(Interval(-1.959964, 1.959964, 0.95)) == pytest.approx(1.0)


def test_the_errors_of_independent_scores_add_up():
    assert difference_variance(0.3, 0.4) == pytest.approx(0.25)


def test_two_rivals_are_each_others_mirror():
    """Of two systems one score is the other's negative: the variance is (2 s)²."""
    assert difference_variance(0.3, 0.3, rivals=2) == pytest.approx(0.36)
    with pytest.raises(DataError, match="two systems or more"):
        difference_variance(0.3, 0.3, rivals=1)


def drawn(per_pair, rng):
    """Four equal systems, every pair compared as often by people who toss a coin."""
    pairs = [(one, two) for one in range(4) for two in range(one + 1, 4)]
    first, second = np.repeat(pairs, per_pair, axis=0).T
    n = len(first)
    return Comparisons(
        first=first,
        second=second,
        preference=rng.integers(0, 2, n).astype(float),
        item=np.arange(n),
        participant=np.arange(n),
        systems=4,
    )


def test_scores_of_rivals_vary_as_the_formula_has_it():
    """1,000 tables of 4 systems × 30 comparisons of each pair, each score of n = 90."""
    rng = np.random.default_rng(3)
    seen = [score_difference(drawn(30, rng), (0, 1)).value / 100 for _ in range(1000)]
    error = 1 / math.sqrt(90)
    assert np.var(seen) == pytest.approx(difference_variance(error, error, rivals=4), rel=0.15)


def test_a_difference_of_scores_is_that_of_the_two_preferences():
    rows = drawn(25, np.random.default_rng(4))
    scores = [each.value for each in relative_preference(rows)]
    found = score_difference(rows, (2, 0))
    assert found.value == pytest.approx(scores[2] - scores[0])
    assert found.interval.low < found.value < found.interval.high


def test_clustered_errors_of_rivals_agree_with_the_formula_where_nothing_is_shared():
    rows = drawn(400, np.random.default_rng(5))
    error = 1 / math.sqrt(1200)
    expected = math.sqrt(difference_variance(error, error, rivals=4))
    assert score_difference(rows, (0, 3)).standard_error / 100 == pytest.approx(expected, rel=0.1)


def test_a_system_that_was_not_compared_has_no_difference():
    rows = Comparisons(
        first=np.array([0, 0]),
        second=np.array([1, 1]),
        preference=np.array([1.0, 0.0]),
        item=np.array([0, 1]),
        participant=np.array([0, 1]),
        systems=3,
    )
    assert score_difference(rows, (0, 2)).value is None


def test_the_difference_of_published_scores_is_the_difference_of_scores(choices):
    """Arvan and Parde (2025): VAE 1026/18, Separator 26/18, of 1,800 comparisons each."""
    rows, figures = choices
    systems = sorted({row["system_a"] for row in rows} | {row["system_b"] for row in rows})
    codes = {
        name: np.unique([row[name] for row in rows], return_inverse=True)[1]
        for name in ("item", "rater")
    }
    table = Comparisons(
        first=np.array([systems.index(row["system_a"]) for row in rows]),
        second=np.array([systems.index(row["system_b"]) for row in rows]),
        preference=np.array([float(row["choice"] == "A") for row in rows]),
        item=codes["item"],
        participant=codes["rater"],
        systems=len(systems),
    )
    found = score_difference(table, (systems.index("vae"), systems.index("sep_ae")))
    assert found.value == pytest.approx(
        figures["scale.vae"]["value"] - figures["scale.sep_ae"]["value"]
    )


def test_an_error_of_independent_values_gives_the_large_sample_interval_of_d():
    """SE = SD √(1/n₁ + 1/n₂): the variance is 1/n₁ + 1/n₂ + d²/(2n) (Hedges 1982)."""
    first, second = Summary(1.0, 1.0, 50), Summary(0.5, 1.0, 50)
    found = cohen_d_with_error(first, second, error=math.sqrt(1 / 50 + 1 / 50))
    spread = math.sqrt(0.04 + 0.5**2 / 200)
    assert found.value == 0.5
    assert found.interval.high == pytest.approx(0.5 + 1.959964 * spread)
    few = cohen_d_with_error(first, second, error=0.2, df=4)
    assert few.interval.high == pytest.approx(0.5 + 2.776445 * spread)  # t(.975; 4)


def test_values_that_do_not_vary_have_no_d_whatever_the_error():
    same = Summary(1.0, 0.0, 50)
    assert cohen_d_with_error(same, same, error=0.1).value is None
    one = Summary(1.0, 1.0, 1)
    assert cohen_d_with_error(one, one, error=0.1).value is None


def test_a_sum_may_lie_as_far_off_as_all_its_parts_together():
    between = attainable_range(
        lambda x: float(x.sum()), np.array([1.0, 2.0]), np.array([0.5, 0.05])
    )
    assert (between.low, between.high) == pytest.approx((2.45, 3.55))
    assert between.level == 1


def test_inputs_that_were_not_rounded_stay():
    between = attainable_range(
        lambda x: float(x[0] - x[1]), np.array([1.0, 2.0]), np.array([0.0, 0.5])
    )
    assert (between.low, between.high) == pytest.approx((-1.5, -0.5))


def test_an_undefined_figure_has_no_range():
    assert attainable_range(lambda _: None, np.array([1.0]), np.array([0.5])) is None


def test_a_figure_that_turns_back_inside_is_followed():
    """x² for x in −0.5 to 0.5 about 0: from 0 to a quarter."""
    between = attainable_range(lambda x: float(x[0] ** 2), np.array([0.0]), np.array([0.5]))
    assert (between.low, between.high) == pytest.approx((0.0, 0.25))


def test_a_published_correlation_is_reached_from_rounded_scores():
    """Ito et al. (2023), case 4: .90 is printed; the printed scores give .894."""
    one = np.array([0.69, 0.66, 0.58, 0.62])
    two = np.array([0.63, 0.62, 0.56, 0.56])
    between = attainable_range(
        lambda x: pearson(x[:4], x[4:]).value, np.concatenate([one, two]), np.full(8, 0.005)
    )
    assert between.low < pearson(one, two).value < between.high


@given(
    st.lists(
        st.tuples(st.integers(10, 99), st.sampled_from([0.0, 0.05, 0.5])), min_size=2, max_size=5
    ),
    st.randoms(use_true_random=False),
)
def test_no_scores_inside_their_rounding_leave_the_interval_of_cv_star(printed, chance):
    scores = [float(score) for score, _ in printed]
    halves = [half for _, half in printed]
    between = cv_star_interval(scores, scale_minimum=0, half_unit=halves)
    drawn = [score + half * chance.uniform(-1, 1) for score, half in printed]
    value = cv_star(drawn, scale_minimum=0).value
    assert between.low - 1e-9 <= value <= between.high + 1e-9


def test_one_half_unit_for_all_is_the_same_as_one_for_each():
    scores = [2.0, 3.0, 3.4]
    one = cv_star_interval(scores, scale_minimum=1, half_unit=0.05)
    each = cv_star_interval(scores, scale_minimum=1, half_unit=[0.05, 0.05, 0.05])
    assert one == each


def test_an_exact_score_beside_a_rounded_one_has_half_the_room():
    """199.401 · |a − b| / (a + b) with a = 2 and b = 3 ± 0.5."""
    between = cv_star_interval([2.0, 3.0], scale_minimum=0, half_unit=[0.0, 0.5])
    assert between.low == pytest.approx(199.401058 * 0.5 / 4.5)
    assert between.high == pytest.approx(199.401058 * 1.5 / 5.5)


SEVEN = {"low": 1, "step": 1, "points": 7}


def test_the_mean_of_the_published_example_is_impossible():
    """Brown & Heathers (2017): 28 ratings cannot have the mean 5.19, for 145/28 is 5.18 and 146/28
    is 5.21."""
    found = grim(5.19, 0.005, Ratings(28, **SEVEN))
    assert not found.is_possible
    assert (found.below, found.above) == (pytest.approx(145 / 28), pytest.approx(146 / 28))


@pytest.mark.parametrize("mean", [5.18, 5.21])
def test_the_means_beside_it_are_possible(mean):
    assert grim(mean, 0.005, Ratings(28, **SEVEN)).is_possible


def test_halves_may_be_rounded_either_way():
    """5 of 8 is 0.625, printed as 0.62 or as 0.63."""
    ratings = Ratings(8, low=0, step=1, points=2)
    assert grim(0.62, 0.005, ratings).is_possible
    assert grim(0.63, 0.005, ratings).is_possible
    assert not grim(0.64, 0.005, ratings).is_possible


def test_no_mean_fails_where_judgments_are_many():
    """Means of 100 ratings lie 0.01 apart, which is what two decimals can tell."""
    assert not grim(3.337, 0.005, Ratings(100, **SEVEN)).could_fail
    assert grim(3.33, 0.005, Ratings(99, **SEVEN)).could_fail


def test_a_scale_of_half_points_has_more_means():
    """145.5/28 = 5.196."""
    assert grim(5.20, 0.005, Ratings(28, low=1, step=0.5, points=13)).is_possible
    assert not grim(5.20, 0.005, Ratings(28, **SEVEN)).is_possible


def test_a_mean_off_the_scale_is_impossible():
    assert not grim(7.2, 0.005, Ratings(10, **SEVEN)).is_possible


def test_the_sd_of_the_published_example_is_impossible():
    """The example of A-GRIMMER (Allard 2018): mean 3.44, SD 2.47, n 18.

    62 in all. Σx² = 17 · 2.47² + 62²/18 = 317.3; with 2.465 and 2.475 it is 316.9 to 317.7, which
    holds 317 alone, odd where 62 is even.
    """
    found = grimmer(3.44, 2.47, Ratings(18, **SEVEN), mean_half_unit=0.005, sd_half_unit=0.005)
    assert not found.is_possible
    assert found.below == pytest.approx(np.sqrt((316 - 62**2 / 18) / 17))
    assert found.above == pytest.approx(np.sqrt((318 - 62**2 / 18) / 17))


def test_an_sd_larger_than_the_scale_allows_is_impossible():
    """Half at 1 and half at 5: mean 3, SD √(10 · 4 / 9) = 2.108 at most."""
    ratings = Ratings(10, low=1, step=1, points=5)
    assert grimmer(3.0, 2.11, ratings, mean_half_unit=0.05, sd_half_unit=0.005).is_possible
    assert not grimmer(3.0, 2.30, ratings, mean_half_unit=0.005, sd_half_unit=0.005).is_possible


def test_an_sd_smaller_than_the_mean_allows_is_impossible():
    """A mean of 2.5 from whole ratings needs both 2 and 3: SD 0.527 (n − 1) or 0.5 (n)."""
    ratings = Ratings(10, low=1, step=1, points=5)
    assert grimmer(2.5, 0.50, ratings, mean_half_unit=0.005, sd_half_unit=0.005).is_possible
    assert not grimmer(2.5, 0.40, ratings, mean_half_unit=0.005, sd_half_unit=0.005).is_possible


def test_one_rating_has_no_sd_to_test():
    found = grimmer(3, 1, Ratings(1, **SEVEN), mean_half_unit=0.5, sd_half_unit=0.5)
    assert found.is_possible
    assert not found.could_fail


@given(st.lists(st.integers(1, 7), min_size=2, max_size=60), st.integers(0, 3), st.integers(0, 1))
def test_real_ratings_always_pass(ratings, decimals, ddof):
    mean, sd = np.mean(ratings), np.std(ratings, ddof=ddof)
    grid, half = Ratings(len(ratings), **SEVEN), 0.5 * 10.0**-decimals
    assert grim(round(mean, decimals), half, grid).is_possible
    assert grimmer(
        round(mean, decimals), round(sd, decimals), grid, mean_half_unit=half, sd_half_unit=half
    ).is_possible


@pytest.mark.parametrize("points", [2, 3, 4])
def test_what_is_called_impossible_no_ratings_have(points):
    """All ratings of six people, listed: every mean and SD with two decimals that none of them has
    and that GRIM or GRIMMER lets pass is counted; for means there is none."""
    n = 6
    listed = np.array(list(combinations_with_replacement(range(1, points + 1), n)))
    means = listed.mean(axis=1)
    grid = Ratings(n, low=1, step=1, points=points)
    for hundredths in range(100, 100 * points + 1):
        printed = hundredths / 100
        exists = bool((np.abs(means - printed) <= 0.005 + 1e-9).any())
        assert grim(printed, 0.005, grid).is_possible == exists
