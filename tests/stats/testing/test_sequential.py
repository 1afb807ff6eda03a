"""Boundaries of planned looks, against printed tables and an independent integral."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from property_settings import examples
from rejudge.errors import DataError
from rejudge.stats import (
    always_valid_level,
    always_valid_p,
    crossing_probabilities,
    median_unbiased,
    repeated_p,
    sequential_boundary,
)


def equal(looks: int) -> tuple[float, ...]:
    return tuple(k / looks for k in range(1, looks + 1))


# Jennison & Turnbull (2000), Group Sequential Methods, tables 2.1 (Pocock) and 2.3 (O'Brien &
# Fleming): the critical value of the last look, by number of looks and two-sided level.
PRINTED = {
    "pocock": {
        (2, 0.05): 2.178, (3, 0.05): 2.289, (4, 0.05): 2.361, (5, 0.05): 2.413, (10, 0.05): 2.555,
        (5, 0.01): 2.986, (5, 0.1): 2.122,
    },
    "obrien-fleming": {
        (2, 0.05): 1.977, (3, 0.05): 2.004, (4, 0.05): 2.024, (5, 0.05): 2.040, (10, 0.05): 2.087,
        (5, 0.1): 1.751,
    },
}  # fmt: skip


@pytest.mark.parametrize(
    ("shape", "looks", "alpha", "constant"),
    [(s, *key, value) for s, table in PRINTED.items() for key, value in table.items()],
)
def test_the_critical_values_are_the_printed_ones(shape, looks, alpha, constant):
    found = sequential_boundary(equal(looks), shape, alpha=alpha)
    assert found.constant == pytest.approx(constant, abs=6e-4)
    assert found.spent[-1] == pytest.approx(alpha, abs=1e-8)


def test_four_looks_have_the_bounds_of_gsdesign():
    """gsDesign(k=4, test.type=2, sfu="OF"), printed in its own unit tests: 4.05 2.86 2.34 2.02."""
    found = sequential_boundary(equal(4), "obrien-fleming")
    assert [round(z, 2) for z in found.critical] == [4.05, 2.86, 2.34, 2.02]


@pytest.mark.parametrize(("looks", "one_sided"), [(2, 0.042), (4, 0.063), (10, 0.097), (20, 0.124)])
def test_naive_looks_reject_as_often_as_gsdesign_says(looks, one_sided):
    """gsProbability with bounds ±1.96 at every look, printed in gsDesign's unit tests."""
    found = crossing_probabilities([1.959964] * looks, equal(looks))
    assert found.sum() == pytest.approx(2 * one_sided, abs=1e-3)


def test_the_bounds_of_the_spending_function_spend_five_percent():
    """Lan & DeMets (1983): the bounds of an O'Brien–Fleming-type function at five looks, which
    spends 2 − 2Φ(z/√t) of 2.5 % on each side, z = 2.2414."""
    printed = [4.8769, 3.3569, 2.6803, 2.2898, 2.0310]
    found = crossing_probabilities(printed, equal(5)).cumsum()
    wanted = [4 * (1 - _normal(2.241403 / math.sqrt(t))) for t in equal(5)]
    assert found == pytest.approx(wanted, abs=1e-5)


def test_power_is_that_of_sas():
    """SEQDESIGN, example 3: with four looks after Pocock, 118.3143 % of the information of a fixed
    study gives its power of 90 %, and on average 69.748 % of it is used."""
    found = sequential_boundary(equal(4), "pocock")
    inflation = 1.183143
    drift = (1.959964 + 1.281552) * math.sqrt(inflation)
    crossed = crossing_probabilities(found.critical, found.fractions, drift=drift)
    assert crossed.sum() == pytest.approx(0.9, abs=1e-4)
    used = sum(p * t for p, t in zip(crossed, equal(4), strict=True)) + 1 - crossed.sum()
    assert used * inflation == pytest.approx(0.69748, abs=1e-4)


def _normal(z: float) -> float:
    return 0.5 * (1 + math.erf(z / math.sqrt(2)))


@pytest.mark.slow
@pytest.mark.parametrize("fractions", [(0.5, 1.0), (0.3, 0.35, 1.0), (0.1, 0.6, 0.9, 1.0)])
@pytest.mark.parametrize("shape", ["obrien-fleming", "pocock"])
def test_unequal_fractions_agree_with_a_multivariate_normal_integral(fractions, shape):
    """The chance to stay within all bounds, by Genz's method as SciPy has it."""
    from scipy.stats import multivariate_normal

    found = sequential_boundary(fractions, shape)
    t = np.array(fractions)
    correlation = np.sqrt(np.minimum.outer(t, t) / np.maximum.outer(t, t))
    bounds = np.array(found.critical)
    inside = multivariate_normal(np.zeros(len(t)), correlation).cdf(bounds, lower_limit=-bounds)
    assert 1 - inside == pytest.approx(0.05, abs=2e-4)


def test_one_look_is_the_usual_test():
    found = sequential_boundary([1.0], "pocock")
    assert found.critical == pytest.approx((1.959964,), abs=1e-5)
    assert repeated_p(0.03, 1, found) == pytest.approx(0.03)


@pytest.mark.parametrize("shape", ["obrien-fleming", "pocock"])
def test_a_p_value_at_the_boundary_is_alpha_over_all_looks(shape):
    found = sequential_boundary((0.3, 0.7, 1.0), shape)
    for look, level in enumerate(found.levels, start=1):
        assert repeated_p(level, look, found) == pytest.approx(0.05, abs=1e-6)


@settings(max_examples=examples(10), deadline=None)
@given(
    p=st.floats(0, 1), other=st.floats(0, 1), look=st.integers(1, 3),
    shape=st.sampled_from(["obrien-fleming", "pocock"]),
)  # fmt: skip
def test_the_corrected_p_is_larger_and_keeps_the_order(p, other, look, shape):
    found = sequential_boundary((0.4, 0.7, 1.0), shape)
    low, high = (repeated_p(each, look, found) for each in sorted((p, other)))
    assert low <= high + 1e-9
    assert p <= repeated_p(p, look, found) + 1e-12 <= 1 + 1e-9


def test_ending_before_the_last_look_keeps_alpha():
    """Looks at .25 and .5 as planned, then the end at .6 with the same boundary."""
    for shape in ("obrien-fleming", "pocock"):
        found = sequential_boundary(equal(4), shape)
        z = -_quantile(found.level_at(0.6) / 2)
        crossed = crossing_probabilities([*found.critical[:2], z], [0.25, 0.5, 0.6])
        assert 0.005 < crossed.sum() <= 0.05


def _quantile(p: float) -> float:
    from scipy.special import ndtri

    return float(ndtri(p))


@pytest.mark.slow
def test_the_median_unbiased_estimate_lies_above_in_half_of_all_studies():
    """Simulated from Brownian motion with drift 2, stopped by O'Brien & Fleming at three looks."""
    found = sequential_boundary(equal(3), "obrien-fleming")
    rng = np.random.default_rng(1)
    steps = rng.normal(2 / 3, math.sqrt(1 / 3), (400, 3)).cumsum(axis=1)
    estimates = []
    for path in steps:
        z = path / np.sqrt(equal(3))
        look = next((k for k in range(3) if abs(z[k]) > found.critical[k]), 2)
        drift = median_unbiased(z[look], look + 1, found) / math.sqrt(equal(3)[look])
        estimates.append(drift > 2)
    assert abs(np.mean(estimates) - 0.5) < 4 * 0.5 / math.sqrt(400)  # four standard errors


def test_at_the_first_look_nothing_is_biased():
    found = sequential_boundary(equal(3), "pocock")
    assert median_unbiased(2.9, 1, found) == pytest.approx(2.9, abs=1e-6)
    assert median_unbiased(-2.9, 3, found) == pytest.approx(-median_unbiased(2.9, 3, found))
    assert 0 < median_unbiased(2.5, 3, found) < 2.5


@pytest.mark.parametrize(("n", "half"), [(50, 0.436), (100, 0.304), (200, 0.217)])
def test_the_confidence_sequence_has_the_widths_of_its_formula(n, half):
    """Half-widths for n* = 100, computed apart from this module when the method was chosen."""
    assert _half_width(n) == pytest.approx(half, abs=6e-4)


def _half_width(n: int) -> float:
    """Of the interval in standard deviations, from the level of a single test."""
    return -_quantile(always_valid_level(n, planned=100) / 2) / math.sqrt(n)


def test_an_always_valid_p_at_its_level_is_alpha():
    level = always_valid_level(30, planned=100)
    assert always_valid_p(level, 30, planned=100) == pytest.approx(0.05)
    assert always_valid_p(1.0, 30, planned=100) == 1.0
    assert always_valid_p(0.0, 30, planned=100) < 1e-12


@pytest.mark.slow
def test_the_confidence_sequence_is_crossed_in_less_than_five_percent_of_paths():
    rng = np.random.default_rng(5)
    means = rng.normal(size=(2000, 400)).cumsum(axis=1) / np.arange(1, 401)
    halves = [_half_width(n) for n in range(1, 401)]
    crossed = (np.abs(means) > halves)[:, 19:].any(axis=1).mean()
    assert crossed < 0.05


@pytest.mark.parametrize(
    ("fractions", "words"),
    [
        ([], "none"), ([0.5], "last fraction"), ([0.5, 0.4, 1], "rise"), ([0.5, 0.5001, 1], "rise"),
        ([0.5, 2], "rise"), ([-0.5, 1], "rise"), ([math.nan, 1], "rise"),
    ],
)  # fmt: skip
def test_odd_fractions_are_refused(fractions, words):
    with pytest.raises(DataError, match=words):
        sequential_boundary(fractions, "pocock")


def test_odd_arguments_are_refused():
    found = sequential_boundary(equal(2), "pocock")
    for call in (
        lambda: sequential_boundary([1], "pocock", alpha=0),
        lambda: repeated_p(0.1, 3, found),
        lambda: repeated_p(1.5, 1, found),
        lambda: median_unbiased(1.0, 0, found),
        lambda: crossing_probabilities([2], equal(2)),
        lambda: always_valid_p(-0.1, 10, planned=10),
        lambda: always_valid_level(10, planned=10, alpha=1.5),
    ):
        with pytest.raises(DataError):
            call()
