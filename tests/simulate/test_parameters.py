"""Parameters are numbers that make sense, or are refused with all that is wrong."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judged_study import PAIRWISE, RATING, small_study
from rejudge.errors import DataError
from rejudge.simulate.parameters import (
    SHARES,
    SPREADS,
    Parameters,
    for_each_question,
    quality_of_others,
)

STUDY = small_study(RATING, PAIRWISE)


@pytest.mark.parametrize("name", SPREADS)
@pytest.mark.parametrize("value", [-0.1, float("nan"), float("inf"), "0.5", None, True, 1e9])
def test_a_spread_is_a_number_of_zero_or_more(name, value):
    with pytest.raises(DataError, match=name) as caught:
        Parameters(**{name: value})
    assert len(caught.value.problems) == 1


@pytest.mark.parametrize("name", SHARES)
@pytest.mark.parametrize("value", [-0.01, 1.01, float("nan")])
def test_a_share_is_from_0_to_1(name, value):
    with pytest.raises(DataError, match="from 0 to 1"):
        Parameters(**{name: value})


def test_all_faults_are_reported_at_once():
    with pytest.raises(DataError) as caught:
        Parameters({"ash": float("nan")}, noise=-1, careless=2, position_bias=float("inf"))
    assert len(caught.value.problems) == 4


def test_a_bias_may_be_negative_and_numbers_may_be_those_of_numpy():
    found = Parameters(position_bias=-0.5, noise=np.float32(0.5), severity=np.int64(1))
    assert found.position_bias == -0.5


@given(systems=st.lists(st.text(min_size=1), min_size=1, max_size=30, unique=True))
def test_without_a_quality_systems_get_worse_from_0_6_to_minus_0_6(systems):
    found = list(Parameters().qualities(systems).values())
    assert found[0] == 0.6
    assert found == sorted(found, reverse=True)
    assert found[-1] == pytest.approx(-0.6 if len(systems) > 1 else 0.6)


def test_a_quality_is_given_for_all_systems_or_for_none():
    with pytest.raises(DataError) as caught:
        Parameters({"ash": 1.0, "beach": 0.0}).qualities(["ash", "beech"])
    first, second = caught.value.problems
    assert "'beach' has a quality, but it is not a system" in first.what
    assert "Did you mean 'beech'?" in first.remedy
    assert "'beech' has no quality" in second.what


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"fluency": Parameters()}, "'meaning' has no parameters"),
        ({"fluency": Parameters(), "meaning": Parameters(), "style": Parameters()}, "'style'"),
        (Parameters({"oak": 1.0}), "'oak'"),
        ({"fluency": Parameters(dropout=0.1), "meaning": Parameters()}, "`dropout` differs"),
        ({"fluency": Parameters(careless=0.1), "meaning": Parameters()}, "`careless` differs"),
    ],
)
def test_what_does_not_fit_the_study_is_refused(parameters, words):
    with pytest.raises(DataError, match=words):
        for_each_question(STUDY, parameters)


@given(n=st.integers(1, 40), known=st.lists(st.floats(-3, 3), min_size=1, max_size=8))
def test_other_systems_get_worse_around_the_same_mean(n, known):
    found = list(quality_of_others([f"s{place}" for place in range(n)], known).values())
    assert found == sorted(found, reverse=True)
    assert sum(found) / n == pytest.approx(sum(known) / len(known), abs=1e-3)


def test_two_systems_are_as_far_apart_as_two_of_a_normal_sample():
    """By hand: Blom's places of two are ±Φ⁻¹(1.625 / 2.25) = ±0.589."""
    found = quality_of_others(["a", "b"], [1.0, -1.0])
    assert found["a"] == pytest.approx(0.589 * 2**0.5, abs=1e-3)
