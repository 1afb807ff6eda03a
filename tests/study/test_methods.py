"""Coefficients and tests that a plan can name."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from rejudge import stats
from rejudge.analysis.agreement import COMPUTATIONS
from rejudge.analysis.tests import TEST_FUNCTIONS
from rejudge.study.kinds.registry import KINDS
from rejudge.study.methods import COEFFICIENTS, TESTS, USUAL_AGREEMENT, Coefficient, Test

REFERENCE = Path(__file__).parents[2] / "docs" / "reference" / "statistics.md"
METHODS = {**COEFFICIENTS, **TESTS}


def test_the_tables_have_an_entry_for_every_name_that_a_study_can_use():
    assert tuple(COEFFICIENTS) == get_args(Coefficient)
    assert tuple(TESTS) == get_args(Test)


def test_every_coefficient_can_be_computed():
    assert set(COMPUTATIONS) == set(COEFFICIENTS)


def test_every_test_can_be_computed():
    """The cluster-robust comparison comes with the estimates."""
    assert {*TEST_FUNCTIONS, "cluster-robust"} == set(TESTS)


@pytest.mark.parametrize("name", METHODS)
def test_every_method_is_in_the_reference(name):
    text = REFERENCE.read_text(encoding="utf-8")
    assert hasattr(stats, METHODS[name].statistic)
    assert f"`{METHODS[name].statistic}`" in text
    assert f"`{name}`" in text


@pytest.mark.parametrize("name", METHODS)
def test_every_method_fits_some_kind_of_question(name):
    assert any(map(METHODS[name].fits, KINDS.values()))


def test_the_usual_coefficients_fit_every_kind_of_question():
    for name in USUAL_AGREEMENT:
        assert all(map(COEFFICIENTS[name].fits, KINDS.values()))
