"""Possible means and standard deviations of ratings."""

from __future__ import annotations

from itertools import combinations_with_replacement

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.stats import Ratings, grim, grimmer

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
