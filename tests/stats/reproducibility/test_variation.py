"""CV* of repeated measurements."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from whys import why

from rejudge.errors import DataError
from rejudge.stats import Why, cv_star, cv_star_interval, sd_interval
from rejudge.stats.reproducibility.qra import c4

SCORES = st.lists(st.floats(0.5, 100), min_size=2, max_size=7)


def test_the_first_published_value_comes_out_with_its_parts():
    """Belz, Popović & Mille (2022), table 4: BLEU of seven reproductions of NTS_def."""
    scores = [84.51, 84.50, 87.46, 85.60, 84.20, 86.61, 86.20]
    found = cv_star(scores, scale_minimum=0)
    assert found.value == pytest.approx(1.5616560359)
    assert found.mean == pytest.approx(85.582857, abs=5e-7)
    assert found.unbiased_sd == pytest.approx(1.2904233, abs=5e-8)
    limits = found.sd_interval
    assert (limits.low, limits.high) == pytest.approx((0.4514830, 2.1293636), abs=5e-8)
    assert (found.within_one, found.within_two) == pytest.approx((500 / 7, 100))


@pytest.mark.parametrize(
    ("scores", "value", "sd", "low", "high"),
    [
        ([30.65, 30.65, 29.13, 30.65, 29.96], 2.487, 0.7156, 0.0949, 1.3362),
        ([87.50, 80.75, 89.36, 88.10, 89.64, 88.80], 4.176, 3.5024, 0.9246, 6.0801),
        ([31.11, 30.28, 31.11, 29.12], 3.572, 1.0222, -0.1051, 2.1495),
    ],
)
def test_published_values_with_their_intervals_come_out(scores, value, sd, low, high):
    """Belz et al. (2022), table 4: NTS_def SARI, NTS-w2v BLEU and SARI."""
    found = cv_star(scores, scale_minimum=0)
    limits = found.sd_interval
    assert found.value == pytest.approx(value, abs=5e-4)
    assert (found.unbiased_sd, limits.low, limits.high) == pytest.approx((sd, low, high), abs=6e-5)


@pytest.mark.parametrize(
    ("scores", "value"),
    [
        ([84.51, 84.50, 85.60, 84.20], 0.838),  # table 5
        ([87.50, 89.36, 88.10], 1.314),
        ([84.51, 87.46, 86.61], 2.154),  # section 4.1
        ([30.65, 29.13, 29.96], 3.110),
        ([87.50, 80.75, 89.64], 6.598),
        ([31.11, 30.28, 29.12], 4.050),
        ([0.428, 0.493, 0.426, 0.574, 0.579, 0.590, 0.574, 0.600], 14.633),  # table 6
        ([0.726, 0.681, 0.680, 0.680, 0.722, 0.728, 0.680, 0.732], 3.818),
    ],
)
def test_published_values_of_subsets_come_out(scores, value):
    """Belz et al. (2022)."""
    assert cv_star(scores, scale_minimum=0).value == pytest.approx(value, abs=6e-4)


@pytest.mark.parametrize(
    ("scores", "minimum", "value"),
    [
        ([36, 1000 / 27], -100, 0.7574),  # Arvan & Parde (2024): VAE
        ([-16, -392 / 27], -100, 1.7430),  # Latent BoW
        ([-24, -804 / 27], -100, 7.8791),  # Separator
        ([4, 196 / 27], -100, 3.0763),  # HRQ-VAE
        ([58, 57], -100, 0.6330),  # Arvan & Parde (2025): VAE
        ([-6, 26 / 18], -100, 7.5952),  # Separator
        ([-12, -242 / 18], -100, 1.6500),  # Latent BoW
        ([-39, -45], -100, 10.3138),  # DiPS
        ([-0.39, -0.46], -1, 12.1375),  # Steen & Markert (2025): DiPS, as win rates
        ([3.71, 3.12], 1, 24.3575),  # van Miltenburg et al. (2024), shifted: SVM
        ([3.20, 2.57], 1, 33.3220),  # GeDi
        ([2.33, 2.28], 1, 3.8199),  # DExpert
        ([3.71, 3.12, 3.62], 1, 15.646),  # with their second reproduction
        ([3.20, 2.57, 3.23], 1, 22.779),
        ([2.33, 2.28, 2.27], 1, 3.038),
        ([58, 57, 57], -100, 0.4486),  # three labs: VAE
        ([-6, -3, 26 / 18], -100, 4.6968),  # Separator
        ([-12, -9, -242 / 18], -100, 3.1308),  # Latent BoW
        ([-39, -46, -45], -100, 8.1670),  # DiPS
    ],
)
def test_values_on_scales_that_do_not_begin_at_0_are_shifted(scores, minimum, value):
    """Recomputed from the printed scores by the closed form below where there are two."""
    found = cv_star(scores, scale_minimum=minimum)
    assert found.value == pytest.approx(value, abs=6e-4)
    assert found.shift == -minimum


@pytest.mark.parametrize(
    ("scores", "printed"),
    [([3.71, 3.12], 17.225), ([3.20, 2.57], 21.772), ([2.33, 2.28], 2.163)],
)
def test_a_value_published_without_the_shift_comes_out_by_asking_for_it(scores, printed):
    """van Miltenburg et al. (2024), table 1: a scale from 1 to 4, left as it is."""
    found = cv_star(scores, scale_minimum=1, variant="unshifted")
    assert found.value == pytest.approx(printed, abs=5e-4)
    assert found.shift == 0


def test_the_interval_for_two_may_begin_below_0_as_published():
    """Arvan & Parde (2024), VAE: −4.3377 to 6.1758, and cut at 0 beside it."""
    found = cv_star([36, 1000 / 27], scale_minimum=-100)
    assert (found.sd_interval.low, found.sd_interval.high) == pytest.approx(
        (-4.3377, 6.1758), abs=5e-5
    )
    assert found.sd_interval_from_zero.low == 0
    assert found.sd_interval_from_zero.high == found.sd_interval.high


@given(a=st.floats(0.01, 100), b=st.floats(0.01, 100))
def test_two_measurements_have_a_closed_form(a, b):
    """1.125 · √(π/2) · |a − b|/√2 over (a + b)/2, in percent: 199.401058 · |a − b|/(a + b)."""
    found = cv_star([a, b], scale_minimum=0).value
    assert found == pytest.approx(199.4010583 * abs(a - b) / (a + b), rel=1e-8, abs=1e-9)


def test_two_measurements_cannot_spread_further_than_from_nothing_to_something():
    """The closed form with a = 0."""
    assert cv_star([0, 7.5], scale_minimum=0).value == pytest.approx(199.4010583, abs=1e-6)


@pytest.mark.parametrize(
    ("n", "value"),
    [(2, 0.797885), (3, 0.886227), (4, 0.921318), (5, 0.939986), (6, 0.951533), (7, 0.959369),
     (8, 0.965030), (9, 0.969311), (10, 0.972659)],
)  # fmt: skip
def test_the_bias_of_the_sd_is_that_of_printed_tables(n, value):
    assert c4(n) == pytest.approx(value, abs=5e-7)


def test_the_bias_of_the_sd_vanishes_in_large_samples():
    assert c4(10_000) == pytest.approx(1 - 1 / (4 * 10_000), abs=1e-8)


def test_the_other_variants_leave_out_what_they_say():
    """n = 2: c4 = √(2/π) and 1 + 1/8."""
    value = {
        name: cv_star([4, 6], scale_minimum=0, variant=name).value
        for name in ("cv*", "without-c4", "without-small-sample-factor", "plain")
    }
    plain = 100 * math.sqrt(2) / 5
    assert value["plain"] == pytest.approx(plain)
    assert value["without-c4"] == pytest.approx(plain * 1.125)
    assert value["without-small-sample-factor"] == pytest.approx(plain * math.sqrt(math.pi / 2))
    assert value["cv*"] == pytest.approx(plain * 1.125 * math.sqrt(math.pi / 2))


def test_two_measurements_say_little_of_the_true_spread():
    """χ²(1) at .975 and .025 is 5.0239 and .00098207: .446 to 31.9 times s."""
    limits = sd_interval(1.0, 2)
    assert (limits.low, limits.high) == pytest.approx((0.44615, 31.910), rel=1e-4)
    found = cv_star([4, 6], scale_minimum=0)
    assert found.exact_sd_interval.high == pytest.approx(31.910 * math.sqrt(2), rel=1e-4)
    assert why(found) == [Why.FEW]


def test_equal_measurements_have_no_spread():
    found = cv_star([0.1, 0.1, 0.1], scale_minimum=0)
    assert (found.value, found.unbiased_sd, found.sd_error) == (0, 0, 0)
    assert found.exact_sd_interval is None
    assert why(found) == [Why.SAME]


@pytest.mark.parametrize(
    ("scores", "minimum", "reason"),
    [
        ([], 0, "at least two"),
        ([3.0], 0, "at least two"),
        ([0.0, 0.0], 0, "the mean is 0"),
        ([1.0, 2.0], None, "without a lower end"),
    ],
)
def test_what_has_no_coefficient_of_variation_says_why(scores, minimum, reason):
    found = cv_star(scores, scale_minimum=minimum)
    assert found.value is None
    assert reason in found.note


def test_scores_below_their_scale_are_refused():
    with pytest.raises(DataError, match="lies below 1"):
        cv_star([0.5, 3.0], scale_minimum=1)


@given(scores=SCORES, factor=st.floats(0.01, 100))
def test_the_coefficient_does_not_depend_on_unit_or_order(scores, factor):
    found = cv_star(scores, scale_minimum=0).value
    scaled = cv_star([x * factor for x in reversed(scores)], scale_minimum=0).value
    assert scaled == pytest.approx(found, rel=1e-6, abs=1e-6)


@given(scores=SCORES, half_unit=st.floats(0.001, 0.4), seed=st.integers(0, 10_000))
def test_all_scores_that_round_to_the_printed_ones_are_within_the_limits(scores, half_unit, seed):
    limits = cv_star_interval(scores, scale_minimum=0, half_unit=half_unit)
    moved = np.array(scores) + np.random.default_rng(seed).uniform(-1, 1, len(scores)) * half_unit
    found = cv_star(moved, scale_minimum=0).value
    assert limits.low - 1e-9 <= found <= limits.high + 1e-9


def test_the_limits_of_rounding_are_reached():
    """2.0 and 3.0 to one decimal: from (2.05, 2.95) to (1.95, 3.05), |a − b|/(a + b) .18 to .22."""
    limits = cv_star_interval([2.0, 3.0], scale_minimum=0, half_unit=0.05)
    assert limits.low == pytest.approx(199.4010583 * 0.18)
    assert limits.high == pytest.approx(199.4010583 * 0.22)


@given(
    steps=st.lists(st.integers(0, 4), min_size=2, max_size=14),
    decimals=st.integers(0, 3),
    lowest=st.sampled_from([-100, -3, -1, 0, 1, 7]),
    share=st.sampled_from([0.1, 0.49999, 0.5, 1.0]),
)
def test_limits_near_the_end_of_the_scale_are_possible_values(steps, decimals, lowest, share):
    """Of n scores from 0 on none has a CV above 100 · √n, which (0, …, 0, x) reaches."""
    unit = 10.0**-decimals
    scores = [round(lowest + step * unit, decimals) for step in steps]
    limits = cv_star_interval(scores, scale_minimum=lowest, half_unit=share * unit, variant="plain")
    least, greatest = (0.0, 0.0) if limits is None else (limits.low, limits.high)
    assert 0 <= least <= greatest <= 100 * math.sqrt(len(scores)) + 1e-6


@pytest.mark.parametrize("lowest", [-100, 0, 1, 2, 1000])
def test_limits_are_undefined_where_rounding_could_make_the_mean_0(lowest):
    scores = [lowest, lowest + 0.1]
    assert cv_star_interval(scores, scale_minimum=lowest, half_unit=0.1) is None


@pytest.mark.parametrize("lowest", [-100, 0, 1, 2, 1000])
@pytest.mark.parametrize("half_unit", [0.0499, 0.05, 0.06])
def test_limits_do_not_jump_where_rounding_reaches_the_end_of_the_scale(lowest, half_unit):
    """The lower score is 0 at least, the higher above 0: (0, b), |a − b|/(a + b) = 1."""
    scores = [lowest, lowest + 0.1]
    limits = cv_star_interval(scores, scale_minimum=lowest, half_unit=half_unit)
    assert limits.high == pytest.approx(199.4010583)


def test_no_score_is_taken_below_the_end_of_its_scale():
    """1, 1 and 3 rounded to whole numbers: at most (1, 1, 3.5), hence (0, 0, 2.5): √3."""
    limits = cv_star_interval([1, 1, 3], scale_minimum=1, half_unit=0.5, variant="plain")
    assert limits.high == pytest.approx(100 * math.sqrt(3))


def test_many_scores_with_different_half_units_have_limits_that_are_possible():
    scores = [1.0] * 12 + [1.2, 1.3]
    limits = cv_star_interval(
        scores, scale_minimum=1, half_unit=[0.005] * 12 + [0.05, 0.05], variant="plain"
    )
    assert 0 < limits.low < limits.high <= 100 * math.sqrt(14) + 1e-9
    below = cv_star_interval(
        [-1.0] * 12 + [7.0, 7.2],
        scale_minimum=-5,
        half_unit=[0.0] * 13 + [2.0],
        variant="unshifted-plain",
    )
    assert below is None  # 14 scores, each moved by 2: the mean could be 0


def test_limits_of_rounding_need_a_mean_that_cannot_be_0():
    assert cv_star_interval([0.0, 0.0], scale_minimum=0, half_unit=0.5) is None
    assert cv_star_interval([3.0], scale_minimum=0, half_unit=0.5) is None
