"""Answers are equal when they say the same."""

from __future__ import annotations

import pytest

from rejudge.heds import SheetAnswer, schema
from rejudge.heds.answers import says_absent
from rejudge.heds.equality import are_equal, number_ratio


def _equal(number: str, one: str, two: str) -> bool:
    question = schema("3.0").question(number)
    answers = (SheetAnswer(text, is_absent=says_absent(question, text, ())) for text in (one, two))
    return are_equal(question, *answers)


@pytest.mark.parametrize(
    ("number", "one", "two"),
    [
        ("3.3.8", "N/A", "none."),
        ("4.3.11.2", "N/A", "InterAA not assessed"),
        ("3.1.1", "100", "100 outputs of each system"),
        ("3.1.1", "1,000", "1000"),
        ("3.1.1", "1 000 items", "1.000"),
        ("3.2.1", "24", "24 "),
        ("4.3.11.2", "0.32", ".320"),
        ("4.3.3", "5", "5 points"),
        ("4.3.4", "1, 2, 3, 4, 5", "1-5"),
        ("4.3.4", "1 (bad), 2, 3 (good)", "1,2,3"),
        ("4.3.4", "[0, 100]", "0 to 100"),
        ("4.3.7", "How “good” is it?", 'how "good"  is it?'),
        ("1.1.2", "Section 5.", "section 5"),
    ],
)
def test_these_say_the_same(number, one, two):
    assert _equal(number, one, two)
    assert _equal(number, two, one)


@pytest.mark.parametrize(
    ("number", "one", "two"),
    [
        ("3.3.8", "N/A", "Devices vary."),
        ("3.1.1", "240", "361 outputs"),
        ("4.3.11.2", "0.32", "0.09"),
        ("4.3.4", "1-5", "1-7"),
        ("4.3.4", "1 (bad), 2 (good)", "1 (good), 2 (bad)"),
        ("4.3.7", "How good is it?", "How bad is it?"),
        ("4.3.11.2", "about half", "0.5"),
    ],
)
def test_these_do_not(number, one, two):
    assert not _equal(number, one, two)
    assert not _equal(number, two, one)


def test_options_are_compared_as_sets_and_explanations_as_texts():
    question = schema("3.0").question("2.3")
    assert are_equal(question, SheetAnswer(options=(1, 2)), SheetAnswer(options=(2, 1)))
    assert not are_equal(question, SheetAnswer(options=(1,)), SheetAnswer(options=(1, 2)))
    assert not are_equal(question, SheetAnswer("Poems", (20,)), SheetAnswer("Jokes", (20,)))


def test_the_ratio_of_counts():
    question = schema("3.0").question("3.2.1")
    assert number_ratio(question, "20", "30") == 1.5
    assert number_ratio(question, "0", "30") is None
    assert number_ratio(question, "some", "30") is None
    assert number_ratio(schema("3.0").question("4.3.3"), "5", "7") is None
