"""Printed tests: what real data give is accepted, what cannot be is found."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from audited import (
    HALVES,
    PLACES,
    codes,
    errors_of,
    printed,
    whole,
)
from property_settings import examples


def rated(seed, n, points):
    """Ratings of two systems that vary."""
    rng = np.random.default_rng(seed)
    ratings = rng.integers(1, points + 1, size=(2, n))
    ratings[:, 0], ratings[:, 1] = 1, points
    return ratings


@settings(max_examples=examples(150))
@given(st.integers(0, 10**6), st.integers(3, 400), st.integers(2, 9), PLACES, PLACES, HALVES)
def test_means_sds_tests_and_effects_of_real_ratings_have_no_error(
    seed, n, points, decimals, fewer, halves
):
    first, second = rated(seed, n, points)
    scores = [
        {
            "criterion": "quality", "system": system, "n": n,
            "value": printed(each.mean(), decimals, halves),
            "sd": printed(each.std(ddof=seed % 2), fewer, halves),
        }
        for system, each in zip("ab", (first, second), strict=True)
    ]  # fmt: skip
    t, p = scipy_stats.ttest_ind(first, second)
    d = t * np.sqrt(2 / n)
    test = {
        "criterion": "quality", "systems": ["a", "b"], "test": "independent t-test",
        "statistic": {"name": "t", "value": printed(t, fewer, halves), "df": [2 * n - 2]},
        "p": printed(p, decimals, halves), "n": [n, n], "correction": "none",
        "effect": {"name": "d", "value": printed(d, decimals, halves)},
    }  # fmt: skip
    if seed % 2 == 0:  # t and d are of SDs with n − 1
        test.pop("effect")
        scores = [{**each, "sd": None} for each in scores]
    assert errors_of(whole({"cases": [{"scores": scores, "tests": [test]}]}, points=points)) == []


@settings(max_examples=examples(100))
@given(st.integers(0, 10**6), st.integers(2, 4), st.integers(4, 60), PLACES)
def test_an_analysis_of_variance_has_no_error(seed, groups, n, decimals):
    rng = np.random.default_rng(seed)
    values = [rng.normal(group / 3, 1, n) for group in range(groups)]
    f, p = scipy_stats.f_oneway(*values)
    between = n * sum((each.mean() - np.mean(values)) ** 2 for each in values)
    share = between / sum(((each - np.mean(values)) ** 2).sum() for each in values)
    test = {
        "criterion": "quality", "test": "one-way ANOVA on item means", "unit": "item",
        "statistic": {"name": "F", "value": printed(f, decimals),
                      "df": [groups - 1, groups * (n - 1)]},
        "p": printed(p, decimals + 1), "n": [n] * groups, "correction": "none",
        "effect": {"name": "eta-squared", "value": printed(share, decimals)},
    }  # fmt: skip
    assert errors_of(whole({"cases": [{"tests": [test]}]}, systems=groups)) == []


DF = """
cases:
  - scores:
      - {{criterion: quality, system: a, value: 3.40, n: 60}}
      - {{criterion: quality, system: b, value: 3.10, n: 60}}
    tests:
      - {{criterion: quality, systems: [a, b], test: independent t-test, {unit}
         statistic: {{name: t, value: 2.40, df: [{df}]}}}}
"""


@pytest.mark.parametrize(
    ("df", "unit", "found"),
    [
        ("198", "", True),  # 60 + 60 − 2 = 118 at most
        ("118", "", False),
        ("29", "", False),  # a test on the means of 30 items, say
        ("29", "unit: judgment,", True),  # of judgments, 59 are the least
        ("198", "unit: item,", False),  # the scores' n are judgments, not items
    ],
)
def test_degrees_of_freedom_are_held_against_the_n_of_the_scores(df, unit, found):
    assert ("A203" in codes(DF.format(df=df, unit=unit))) is found
