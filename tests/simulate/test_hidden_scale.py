"""What rounding to points and the ends of a scale do to means, variances and covariances."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import multivariate_normal, norm

from rejudge.simulate.hidden_scale import HiddenScale, correlation_behind, mean_covariance

FIVE = HiddenScale.of_points([1, 2, 3, 4, 5])
FOUR = HiddenScale.of_points([1, 2, 3, 4])
SLIDER = HiddenScale.of_points(list(range(101)))


def test_the_ends_of_any_scale_are_two_units_from_its_middle():
    for scale in (FIVE, FOUR, SLIDER, HiddenScale.of_points([0, 0.5, 1])):
        assert scale.values[[0, -1]].tolist() == [-2, 2]
    assert FIVE.thresholds.tolist() == [-1.5, -0.5, 0.5, 1.5]


def test_chances_are_areas_under_the_normal_curve():
    edges = norm.cdf((FIVE.thresholds - 0.4) / 1.3)
    expected = np.diff([0, *edges, 1])
    assert FIVE.chances(0.4, 1.3)[0] == pytest.approx(expected)
    assert FIVE.mean(0.4, 1.3)[0] == pytest.approx(expected @ FIVE.values)


def test_rounding_adds_a_twelfth_of_the_squared_step():
    """Sheppard (1898): of a scale without ends, which a wide one is for a small spread."""
    wide = HiddenScale(np.arange(-40.0, 41.0), np.arange(-39.5, 40.5))
    assert wide.variance(0.0, 2.0)[0] == pytest.approx(4 + 1 / 12, rel=1e-9)


@pytest.mark.parametrize("correlation", [0.2, 0.6, 0.9])
def test_covariances_are_those_of_the_bivariate_normal_distribution(correlation):
    """Against scipy's integral of how often two people give each pair of values."""
    mean, spread = 0.7, 1.2
    z = np.concatenate([[-9], (FOUR.thresholds - mean) / spread, [9]])
    normal = multivariate_normal([0, 0], [[1, correlation], [correlation, 1]])
    below = np.array([[normal.cdf([x, y]) for x in z] for y in z])
    table = np.diff(np.diff(below, axis=0), axis=1)
    expected = FOUR.values @ table @ FOUR.values - (FOUR.values @ table.sum(axis=1)) ** 2
    own = FOUR.coefficients(mean, spread)
    assert mean_covariance(own, own, correlation) == pytest.approx(expected, abs=1e-3)


def test_choices_have_the_covariance_of_signs():
    """Of ±1 at a threshold of 0 it is (2/π) arcsin ρ (Sheppard 1899)."""
    own = HiddenScale.of_choice(0.0).coefficients(0.0, 1.0)
    for correlation in (0.1, 0.5, 0.8):
        expected = 2 / math.pi * math.asin(correlation)
        assert mean_covariance(own, own, correlation) == pytest.approx(expected, abs=1e-4)


@given(
    mean=st.floats(-1.5, 1.5),
    spread=st.floats(0.4, 3),
    correlation=st.floats(0, 0.95),
    points=st.integers(2, 11),
)
def test_opinions_come_back_from_answers(mean, spread, correlation, points):
    scale = HiddenScale.of_points(list(range(points)))
    answer = scale.mean(mean, spread)
    assert scale.mean(scale.opinion(answer, spread), spread)[0] == pytest.approx(answer[0])
    own = scale.coefficients(mean, spread)
    covariance = mean_covariance(own, own, correlation)
    assert correlation_behind(own, own, covariance) == pytest.approx(correlation, abs=1e-6)


def test_no_correlation_is_behind_a_negative_covariance_and_all_behind_too_large_a_one():
    own = FIVE.coefficients(0.0, 1.0)
    assert correlation_behind(own, own, -0.1) == 0
    assert correlation_behind(own, own, 9.0) == 1


def test_a_spread_of_nothing_and_opinions_far_away_are_finite():
    assert FIVE.variance(0.2, 0.0)[0] == 0
    assert np.isfinite(FIVE.coefficients(50.0, 0.01)).all()
    assert FIVE.mean(50.0, 1.0)[0] == 2
