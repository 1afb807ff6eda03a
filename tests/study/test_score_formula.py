"""Formulas of derived scores."""

from __future__ import annotations

import pytest

from rejudge.study.score_formula import ScoreFormula
from small_study import changed, problems_of


def test_ids_numbers_and_the_four_operations_are_understood():
    found = ScoreFormula.parse("(informativeness + 2 * fluency − 1) / 3")
    assert found.parts == ("informativeness", "fluency")


def test_ids_with_other_signs_are_quoted():
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
