"""Corrections for several tests.

The studentized range, and all pairs of groups tested together.
"""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.errors import DataError
from rejudge.stats import adjust_p, studentized_range_isf, studentized_range_sf, tukey_hsd

CASE = json.loads((Path(__file__).parents[1] / "other_programs.json").read_text(encoding="utf-8"))[
    "multiplicity"
]
PROBABILITIES = st.lists(st.floats(0, 1), min_size=1, max_size=8)


@pytest.mark.parametrize("method", ["holm", "bonferroni", "benjamini-hochberg"])
def test_the_correction_is_that_of_statsmodels(method):
    assert adjust_p(CASE["p"], method) == pytest.approx(CASE["values"][method])


def test_holm_by_hand():
    """Sorted .01 .02 .03: times 3, 2, 1 gives .03 .04 .03, and no later one may be smaller."""
    assert adjust_p([0.02, 0.01, 0.03], "holm") == pytest.approx([0.04, 0.03, 0.04])


def test_without_correction_nothing_changes():
    assert adjust_p([0.02, 0.5], "none") == (0.02, 0.5)


def test_an_undefined_p_value_stays_so_and_does_not_count():
    assert adjust_p([0.02, None, 0.03], "bonferroni") == pytest.approx((0.04, None, 0.06))


def test_nothing_corrected_is_nothing():
    assert adjust_p([], "holm") == ()


@given(PROBABILITIES)
def test_holm_never_helps_and_never_hurts_more_than_bonferroni(p):
    pairs = zip(p, adjust_p(p, "holm"), adjust_p(p, "bonferroni"), strict=True)
    assert all(raw <= holm <= bonferroni for raw, holm, bonferroni in pairs)


@pytest.mark.parametrize(
    ("groups", "df"), [(2, 1), (3, 2), (3, 27), (4, 1196), (10, 8), (20, 5980), (50, 12), (5, 1.5)]
)
def test_the_studentized_range_equals_that_of_scipy(groups, df):
    from scipy.stats import studentized_range

    q = np.array([0.05, 0.5, 1.5, 2.5, 3.5, 4.5, 6.0, 10.0])
    found = studentized_range_sf(q, groups, df)
    assert found == pytest.approx(studentized_range.sf(q, groups, df), abs=1e-10)


@pytest.mark.parametrize("df", [1, 5, 30, 400])
def test_two_groups_are_a_t_test_with_digits_far_into_the_tail(df):
    """q = √2·t, so P(Q > q) is the two-sided p of Student's t."""
    from scipy.special import stdtr

    t = np.array([0.1, 1.0, 3.0, 8.0])
    found = studentized_range_sf(math.sqrt(2) * t, 2, df)
    assert found == pytest.approx(2 * stdtr(df, -t), rel=1e-9)


@pytest.mark.parametrize(
    ("p", "groups", "df", "printed"),
    [
        (0.05, 3, 10, 3.88),
        (0.05, 4, 20, 3.96),
        (0.05, 10, 20, 5.01),
        (0.01, 3, 10, 5.27),
        (0.05, 3, math.inf, 3.31),
    ],
)
def test_critical_values_are_those_of_printed_tables(p, groups, df, printed):
    """Percentage points of the studentized range (Pearson & Hartley, Biometrika Tables, no. 29)."""
    assert studentized_range_isf(p, groups, df) == pytest.approx(printed, abs=0.005)


@given(
    q=st.floats(0.2, 8), groups=st.integers(2, 12), df=st.floats(1, 500), more=st.floats(0.05, 2)
)
def test_a_wider_range_is_rarer_and_more_groups_make_it_commoner(q, groups, df, more):
    here = studentized_range_sf(q, groups, df)[0]
    assert studentized_range_sf(q + more, groups, df)[0] < here
    assert studentized_range_sf(q, groups + 1, df)[0] >= here
    assert 0 < here <= 1


@given(
    p=st.floats(0.001, 0.9),
    groups=st.integers(2, 8),
    df=st.sampled_from([3.0, 17.5, 120.0, math.inf]),
)
def test_a_critical_value_is_exceeded_as_often_as_asked(p, groups, df):
    q = studentized_range_isf(p, groups, df)
    assert studentized_range_sf(q, groups, df)[0] == pytest.approx(p, rel=1e-8)


@pytest.mark.parametrize(("groups", "df"), [(1, 5), (3, 0)])
def test_a_range_of_one_group_or_without_degrees_of_freedom_is_refused(groups, df):
    with pytest.raises(DataError, match="studentized range needs"):
        studentized_range_sf(1.0, groups, df)


def test_a_critical_value_for_no_probability_is_refused():
    with pytest.raises(DataError, match="0 < p < 1"):
        studentized_range_isf(1.0, 3, 10)


@pytest.mark.parametrize("sizes", [(12, 12, 12), (5, 9, 30, 7)])
def test_honest_differences_equal_those_of_scipy(sizes):
    from scipy.stats import tukey_hsd as other

    rng = np.random.default_rng(8)
    groups = [rng.normal(place / 3, 1, size) for place, size in enumerate(sizes)]
    theirs = other(*groups)
    limits = theirs.confidence_interval(0.95)
    pairs = tukey_hsd(groups)
    where = tuple(np.array([(pair.first, pair.second) for pair in pairs]).T)
    assert [pair.value for pair in pairs] == pytest.approx(theirs.statistic[where])
    assert [pair.p for pair in pairs] == pytest.approx(theirs.pvalue[where], abs=1e-10)
    assert [pair.interval.low for pair in pairs] == pytest.approx(limits.low[where])
    assert [pair.interval.high for pair in pairs] == pytest.approx(limits.high[where])


def test_the_difference_is_first_minus_second_over_the_common_spread():
    """(1, 3), (5, 7), (0, 2): MSW = 2, standard error √(2·(½+½)) = √2, q = √2·(−4)/√2 = −4."""
    pair = tukey_hsd([np.array([1.0, 3.0]), np.array([5.0, 7.0]), np.array([0.0, 2.0])])[0]
    assert (pair.first, pair.second, pair.value, pair.n, pair.df) == (0, 1, -4, 4, 3)
    assert pair.standard_error == pytest.approx(math.sqrt(2))
    assert pair.statistic == pytest.approx(-4)


@pytest.mark.parametrize(
    ("groups", "reason"),
    [
        ([[2.0, 2.0], [3.0, 3.0]], "do not vary"),
        ([[0.0, 0.0], [0.0, 0.0]], "do not vary"),
        ([[2.0], [3.0]], "at least two values in one of"),
        ([[2.0, 1.0], []], "at least two groups"),
        ([[], []], "at least two groups"),
    ],
)
def test_what_cannot_be_tested_has_no_p_but_a_reason(groups, reason):
    pair = tukey_hsd([np.array(group) for group in groups])[0]
    assert pair.p is None
    assert pair.interval is None
    assert reason in pair.note
