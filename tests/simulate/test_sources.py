"""One source of parameters, and only what fits the study."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judged_study import PAIRWISE, RATING, small_study
from rejudge.errors import DataError, UsageError
from rejudge.simulate import Parameters, for_each_question, read_parameters
from rejudge.simulate.sources import quality_of_others

STUDY = small_study(RATING, PAIRWISE)


def test_without_a_source_the_assumed_values_are_used():
    found = read_parameters(STUDY)
    assert dict(found.by_question) == {"fluency": Parameters(), "meaning": Parameters()}
    assert "nothing is known" in found.source


def test_two_sources_are_refused():
    with pytest.raises(UsageError, match="only one"):
        read_parameters(STUDY, file="", preset="arvan-2025")


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
