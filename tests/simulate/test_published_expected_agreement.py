"""The agreement that opinions of a correlation have is that of a large simulated study."""

from __future__ import annotations

import numpy as np
import pytest

from rejudge import stats
from rejudge.paper.model import PrintedAgreement
from rejudge.simulate.hidden_scale import HiddenScale
from rejudge.simulate.published import measure_of, solve_correlation

FOUR = HiddenScale.of_points([1, 2, 3, 4])
MEANS, SPREAD, CORRELATION = np.array([0.8, -0.3]), 1.1, 0.5


def printed(coefficient, value=0.5, variant=""):
    return PrintedAgreement(coefficient=coefficient, value=str(value), variant=variant)


def drawn_pairs(scale, means, units=40_000):
    """Two people's answers to each of many units."""
    rng = np.random.default_rng(4)
    shared = CORRELATION**0.5 * rng.standard_normal((units, 1))
    own = (1 - CORRELATION) ** 0.5 * rng.standard_normal((units, 2))
    opinions = means[np.arange(units) % len(means)][:, None] + SPREAD * (shared + own)
    return scale.values[np.searchsorted(scale.thresholds, opinions)]


@pytest.mark.parametrize("metric", ["nominal", "ordinal", "interval"])
def test_alpha_is_that_of_a_large_study(metric):
    """Against `krippendorff_alpha` of 40,000 drawn units; its error is about 0.004."""
    answers = drawn_pairs(FOUR, MEANS)
    units = np.repeat(np.arange(len(answers)), 2)
    table = stats.count_table(units, answers.ravel())
    found = stats.krippendorff_alpha(table, metric, rng=np.random.default_rng(1), replicates=2)
    measure, name = measure_of(
        printed("krippendorff-alpha", variant=metric), FOUR.values, is_choice=False
    )
    expected = measure(FOUR.tables(MEANS, SPREAD, CORRELATION).mean(axis=0))
    assert expected == pytest.approx(found.value, abs=0.02)
    assert metric in name


@pytest.mark.parametrize(
    ("coefficient", "value"),
    [
        ("krippendorff-alpha", 0.4),
        ("icc", 0.6),
        ("fleiss-kappa", 0.3),
        ("cohen-kappa", 0.3),
        ("gwet-ac1", 0.5),
        ("percent", 60),
    ],
)
def test_a_printed_coefficient_is_reached(coefficient, value):
    measure, _ = measure_of(printed(coefficient, value), FOUR.values, is_choice=False)
    solved = solve_correlation(FOUR, MEANS, SPREAD, measure)(value)
    assert solved.is_reached
    table = FOUR.tables(MEANS, SPREAD, solved.value).mean(axis=0)
    assert measure(table) == pytest.approx(value, abs=1e-6)


def test_percent_agreement_on_equal_outputs_is_half_without_correlation():
    scale = HiddenScale.of_choice(0.0)
    measure, _ = measure_of(printed("percent", 50), scale.values, is_choice=True)
    assert measure(scale.tables(0.0, 1.0, 0.0)[0]) == pytest.approx(50)


def test_agreement_that_no_opinions_have_is_said():
    measure, _ = measure_of(printed("krippendorff-alpha"), FOUR.values, is_choice=False)
    solve = solve_correlation(FOUR, np.array([2.0, -2.0]), 1.0, measure)
    low = solve(0.1)  # systems so far apart agree more than that
    assert (low.value, low.is_reached) == (0.0, False)
    assert low.coefficient > 0.5
    assert not solve(1.0).is_reached


@pytest.mark.parametrize("coefficient", ["kendall-w", "gwet-ac2"])
def test_coefficients_without_a_table_of_two_are_left_out(coefficient):
    assert measure_of(printed(coefficient), FOUR.values, is_choice=False) is None
