"""Intraclass correlations."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from whys import why

from rejudge.stats import Why, intraclass

# Shrout & Fleiss (1979), table 2: four judges' ratings of six targets.
RATINGS = np.array(
    [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]],
    dtype=float,
)


def correlations(scores):
    unit, person = np.indices(scores.shape)
    found = intraclass(unit.ravel(), person.ravel(), scores.ravel())
    return {icc.form: icc for icc in found}


@pytest.mark.parametrize(
    ("form", "published"),
    [("1,1", 0.17), ("2,1", 0.29), ("3,1", 0.71), ("1,k", 0.44), ("2,k", 0.62), ("3,k", 0.91)],
)
def test_the_six_correlations_are_those_of_shrout_and_fleiss(form, published):
    assert correlations(RATINGS)[form].value == pytest.approx(published, abs=0.005)


@pytest.mark.parametrize(
    ("form", "low", "high"),
    [
        ("1,1", -0.133, 0.72),
        ("2,1", 0.019, 0.76),
        ("3,1", 0.342, 0.95),
        ("1,k", -0.884, 0.91),
        ("2,k", 0.071, 0.93),
        ("3,k", 0.676, 0.99),
    ],
)
def test_their_intervals_are_those_of_the_psych_package(form, low, high):
    """R, psych::ICC on the same ratings, as printed by it."""
    interval = correlations(RATINGS)[form].interval
    assert interval.low == pytest.approx(low, abs=0.0005)
    assert interval.high == pytest.approx(high, abs=0.005)


def test_f_and_degrees_of_freedom_are_those_of_the_psych_package():
    found = correlations(RATINGS)
    assert (found["1,1"].statistic, found["1,1"].test.df) == (pytest.approx(1.8, abs=0.05), (5, 18))
    assert (found["3,1"].statistic, found["3,1"].test.df) == (
        pytest.approx(11.0, abs=0.05),
        (5, 15),
    )
    assert (found["2,1"].n, found["2,1"].k) == (6, 4)


def test_two_judges_by_hand():
    """1 2 / 3 2 / 5 8, grand mean 3.5, means of units 1.5 2.5 6.5.

    Between: 2(4 + 1 + 9)/2 = 14. Within: (½ + ½ + 4½)/3 = 11/6.
    ICC(1,1) = (14 − 11/6)/(14 + 11/6) = 73/95; ICC(1,k) = (14 − 11/6)/14 = 73/84.
    Judges: means 3, 4: 3·(¼ + ¼)/1 = 1.5. Error: (5.5 − 1.5)/2 = 2.
    ICC(3,1) = 12/16; ICC(2,1) = 12/(16 + 2(1.5 − 2)/3) = 36/47.
    """
    found = correlations(np.array([[1.0, 2], [3, 2], [5, 8]]))
    assert found["1,1"].value == pytest.approx(73 / 95)
    assert found["1,k"].value == pytest.approx(73 / 84)
    assert found["3,1"].value == pytest.approx(3 / 4)
    assert found["2,1"].value == pytest.approx(36 / 47)


def test_units_with_different_numbers_of_judgments_have_the_first_kind():
    """Units 0 1 / 2 3 5 / 4 6 of means ½, 10/3, 5; N = 7, k₀ = (7 − 17/7)/2 = 16/7.

    Between: (½ + 100/3 + 50 − 63)/2 = 125/12. Within: (½ + 14/3 + 2)/4 = 43/24.
    ICC(1,1) = (125/12 − 43/24)/(125/12 + 9/7 · 43/24) = 1449/2137.
    """
    unit, person = np.array([0, 0, 1, 1, 1, 2, 2]), np.array([0, 1, 0, 1, 2, 1, 2])
    single, *others = intraclass(unit, person, np.array([0.0, 1, 2, 3, 5, 4, 6]))
    assert single.value == pytest.approx(1449 / 2137)
    assert single.interval.low <= single.value <= single.interval.high
    assert {icc.value for icc in others} == {None}
    assert {reason.why for icc in others for reason in icc.reasons} == {Why.UNEQUAL}


def test_judges_of_their_own_allow_only_the_first_kind():
    unit, person = np.array([0, 0, 1, 1, 2, 2]), np.array([0, 1, 2, 3, 0, 3])
    found = {icc.form: icc for icc in intraclass(unit, person, np.array([1.0, 2, 3, 2, 5, 8]))}
    assert found["1,1"].value == pytest.approx(73 / 95)
    assert found["2,1"].value is None
    assert why(found["3,k"]) == [Why.INCOMPLETE]


@pytest.mark.parametrize(
    ("unit", "person", "reason"),
    [
        ([0, 0], [0, 1], "two units"),
        ([0, 1], [0, 0], "two or more judgments"),
        ([0, 0, 1, 1], [0, 0, 0, 1], "that the same participant judged already"),
        ([], [], "two units"),
    ],
)
def test_too_little_is_undefined(unit, person, reason):
    codes = (np.array(unit, dtype=int), np.array(person, dtype=int))
    found = intraclass(*codes, np.arange(float(len(unit))))
    assert [icc.value for icc in found] == [None] * 6
    assert reason in found[0].note


def test_constant_scores_are_undefined():
    found = correlations(np.full((4, 3), 2.1))
    assert {icc.value for icc in found.values()} == {None}
    assert why(found["1,1"]) == [Why.NO_VARIATION]


def test_complete_agreement_is_one_without_an_interval():
    found = correlations(np.array([[1.0, 1], [2, 2], [4, 4]]))
    assert {icc.value for icc in found.values()} == {1.0}
    assert {icc.interval for icc in found.values()} == {None}


def test_units_with_equal_means_have_no_reliable_mean():
    """1 2 / 2 1: no variance between units, so 1 − error/between has no meaning."""
    found = correlations(np.array([[1.0, 2], [2, 1]]))
    assert found["1,1"].value == pytest.approx(-1)
    assert found["1,k"].value is None


def test_a_bound_too_low_for_a_mean_leaves_the_mean_without_interval():
    found = correlations(np.array([[1.0, 8, 1], [3, 1, 7], [3, 1, 7], [3, 1, 7]]))
    assert found["2,1"].interval is not None
    assert found["2,k"].interval is None
    assert why(found["2,k"]) == [Why.NO_BOUND]


SCORES = st.lists(st.lists(st.integers(1, 9), min_size=3, max_size=3), min_size=3, max_size=8)


@given(SCORES, st.integers(-5, 5), st.sampled_from([0.5, 3.0]))
def test_neither_the_zero_nor_the_unit_of_the_scale_matters(scores, zero, stretch):
    scores = np.array(scores, dtype=float)
    here, there = correlations(scores), correlations(stretch * scores + zero)
    assert [icc.value for icc in there.values()] == pytest.approx(
        [icc.value for icc in here.values()], abs=1e-6
    )


@given(SCORES)
def test_strictness_of_a_judge_does_not_count_in_the_third_kind(scores):
    scores = np.array(scores, dtype=float)
    stricter = correlations(scores - np.array([0.0, 2, 0]))["3,1"].value
    assert stricter == pytest.approx(correlations(scores)["3,1"].value, abs=1e-6)


@pytest.mark.parametrize("factor", [1.0, 3.0, 0.1, 1e-6, 1e6])
def test_a_ratio_whose_denominator_is_zero_is_undefined_on_every_scale(factor):
    """Every row has the mean 4, so there is no variance between units. The columns have the means
    7/3, 11/3 and 6: SS judges = 62/3 on 2 degrees of freedom, SS error = 62 − 62/3 on 4, both mean
    squares 31/3. The denominator of ICC(2,k) is 0 + (31/3 − 31/3)/3 = 0."""
    found = correlations(factor * np.array([[1, 2, 9], [1, 7, 4], [5, 2, 5]], dtype=float))
    assert found["2,k"].value is None
    assert found["2,1"].value == pytest.approx(-0.5)


def outputs(items=10, systems=3, people=4, seed=2):
    """Scores of several outputs of each item: units in rows, judges in columns; and the items."""
    chance = np.random.default_rng(seed)
    item = np.repeat(np.arange(items), systems)
    scores = chance.normal(size=items)[item, None] + chance.normal(size=(len(item), people))
    return 5 + np.round(2 * scores), item


def over_items(scores, item):
    unit, person = np.indices(scores.shape)
    found = intraclass(unit.ravel(), person.ravel(), scores.ravel(), item=item[unit.ravel()])
    return {icc.form: icc for icc in found}


@pytest.mark.parametrize("form", ["1,1", "2,1", "3,1"])
def test_leaving_out_items_by_the_definition(form):
    scores, item = outputs()
    without = np.array([correlations(scores[item != each])[form].value for each in range(10)])
    error = (9 / 10 * np.sum((without - without.mean()) ** 2)) ** 0.5
    found = over_items(scores, item)[form]
    assert found.value == pytest.approx(correlations(scores)[form].value)
    assert found.interval.high - found.value == pytest.approx(2.2621572 * error)  # t(.975, 9)


@pytest.mark.parametrize("judges", ["1", "2", "3"])
def test_limits_of_a_mean_follow_from_those_of_one_judgment(judges):
    """Spearman–Brown: k ρ / (1 + (k − 1) ρ)."""
    found = over_items(*outputs())
    one, mean = found[f"{judges},1"].interval, found[f"{judges},k"].interval
    assert mean.low == pytest.approx(4 * one.low / (1 + 3 * one.low))
    assert mean.high == pytest.approx(4 * one.high / (1 + 3 * one.high))


def test_leaving_out_items_of_unequal_size_by_the_definition():
    scores, _ = outputs(items=8)
    item = np.array([0] * 10 + [1] * 5 + [2] * 4 + [3] * 5)
    without = np.array([correlations(scores[item != each])["2,1"].value for each in range(4)])
    error = (3 / 4 * np.sum((without - without.mean()) ** 2)) ** 0.5
    found = over_items(scores, item)["2,1"]
    assert found.value - found.interval.low == pytest.approx(3.1824463 * error)  # t(.975, 3)


def test_outputs_of_one_item_have_no_interval():
    scores, item = outputs(items=1)
    found = over_items(scores, item)["2,1"]
    assert found.interval is None
    assert why(found) == [Why.NEEDS]


def test_two_items_with_one_output_each_have_no_interval_and_say_why():
    found = over_items(np.array([[1.0, 2.0], [4.0, 4.0]]), np.array([0, 1]))["1,1"]
    assert found.interval is None
    assert why(found) == [Why.LEAVE_ONE_OUT]
