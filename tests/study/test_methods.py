"""Coefficients, tests and formulas of scores that a plan can name."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from rejudge import stats
from rejudge.analysis.agreement import COMPUTATIONS
from rejudge.analysis.tests import TEST_FUNCTIONS
from rejudge.study import (
    COEFFICIENTS,
    KINDS,
    TESTS,
    USUAL_AGREEMENT,
    Coefficient,
    ScoreFormula,
    Test,
)
from small_study import changed, problems_of

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
    assert METHODS[name].statistic in stats.__all__
    assert f"`{METHODS[name].statistic}`" in text
    assert f"`{name}`" in text


@pytest.mark.parametrize("name", METHODS)
def test_every_method_fits_some_kind_of_question(name):
    assert any(map(METHODS[name].fits, KINDS.values()))


def test_the_usual_coefficients_fit_every_kind_of_question():
    for name in USUAL_AGREEMENT:
        assert all(map(COEFFICIENTS[name].fits, KINDS.values()))


def test_ids_numbers_and_the_four_operations_are_understood():
    found = ScoreFormula.parse("(informativeness + 2 * fluency − 1) / 3")
    assert found.parts == ("informativeness", "fluency")


def test_ids_that_are_no_identifiers_are_quoted():
    assert ScoreFormula.parse("""mean("non-redundancy", '流畅', b)""").parts == (
        "non-redundancy",
        "流畅",
        "b",
    )


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('true')",
        "a.b",
        "a[0]",
        "[a for a in b]",
        "lambda: a",
        "a ** 9",
        "a if b else c",
        "f'{a}'",
        "open(a)",
        "mean()",
        "mean(*a)",
        "max(a, key=b)",
        "a and b",
        "a < b",
        "(a := 3)",
        "True + a",
        "1j * a",
        "1e400 * a",
        "a / 0",
        "a +",
        "",
        "3 + 4",
        "a; b",
        "a\x00b",
        "-" * 400 + "a",
        "(" * 300 + "a" + ")" * 300,
        "+".join(["a"] * 400),
    ],
)
def test_anything_else_is_refused_with_a_reason(text):
    with pytest.raises(ValueError, match=r"\w"):
        ScoreFormula.parse(text)


def with_derived(derived: str, question: str = "meaning") -> dict[str, str]:
    return changed(
        "    - question: meaning\n      test: sign-flip\n",
        f"    - question: {question}\n      test: cluster-robust\n  derived: {derived}\n",
    )


def test_a_test_may_name_a_derived_score():
    assert problems_of(with_derived("[{id: overall, formula: fluency * 2}]", "overall")) == ()


@pytest.mark.parametrize(
    ("derived", "what"),
    [
        ("[{id: overall, formula: fluent / 2}]", "there is no question 'fluent'"),
        ("[{id: fluency, formula: fluency / 2}]", "the id 'fluency' is used twice"),
        ("[{id: overall, formula: meaning + fluency}]", "'meaning' compares systems"),
        ("[{id: overall, formula: fluency ** 2}]", "is not allowed in a formula"),
    ],
)
def test_a_derived_score_that_cannot_be_computed_is_refused(derived, what):
    (problem,) = problems_of(with_derived(derived))
    assert what in problem.what
    assert problem.remedy
    assert problem.line
