"""Where a figure may lie when its inputs are known only as printed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.stats import attainable, cv_star, cv_star_interval, pearson


def test_a_sum_may_lie_as_far_off_as_all_its_parts_together():
    between = attainable(lambda x: float(x.sum()), np.array([1.0, 2.0]), np.array([0.5, 0.05]))
    assert (between.low, between.high) == pytest.approx((2.45, 3.55))
    assert between.level == 1


def test_inputs_that_were_not_rounded_stay():
    between = attainable(lambda x: float(x[0] - x[1]), np.array([1.0, 2.0]), np.array([0.0, 0.5]))
    assert (between.low, between.high) == pytest.approx((-1.5, -0.5))


def test_an_undefined_figure_has_no_range():
    assert attainable(lambda _: None, np.array([1.0]), np.array([0.5])) is None


def test_a_figure_that_turns_back_inside_is_followed():
    """x² for x in −0.5 to 0.5 about 0: from 0 to a quarter."""
    between = attainable(lambda x: float(x[0] ** 2), np.array([0.0]), np.array([0.5]))
    assert (between.low, between.high) == pytest.approx((0.0, 0.25))


def test_a_published_correlation_is_reached_from_rounded_scores():
    """Ito et al. (2023), case 4: .90 is printed; the printed scores give .894."""
    one = np.array([0.69, 0.66, 0.58, 0.62])
    two = np.array([0.63, 0.62, 0.56, 0.56])
    between = attainable(
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
