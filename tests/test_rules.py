"""What a rule of lint or audit is, and how it is found by what people type."""

from __future__ import annotations

import pytest

from rejudge.errors import UsageError
from rejudge.rules import Rule, find_rule


def _find() -> None:
    """Something is wrong.

    It matters
    because of this.
    """


RULES = {
    "R101": Rule("R101", "no-reference", "error", _find, "No reference."),
    "R102": Rule("R102", "few-people", "note", lambda: None, "Few people."),
}


@pytest.mark.parametrize("word", ["R101", "r101", " R101 ", "no-reference", "No-Reference"])
def test_a_rule_is_found_by_its_code_or_name(word):
    assert find_rule(RULES, word).code == "R101"


@pytest.mark.parametrize(
    ("word", "hint"),
    [
        ("RlO2", "Did you mean R102?"),
        ("few-peple", "Did you mean few-people?"),
        ("zzz", "Known codes: R101, R102."),
    ],
)
def test_an_unknown_word_is_answered_with_the_nearest(word, hint):
    with pytest.raises(UsageError) as caught:
        find_rule(RULES, word)
    assert hint in str(caught.value)


def test_the_explanation_is_the_docstring_with_one_line_per_paragraph():
    assert RULES["R101"].explanation == "Something is wrong.\n\nIt matters because of this."
    assert RULES["R102"].explanation == "Few people."
