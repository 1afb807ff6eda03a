"""Scores written as words: their numbers are stated, never guessed."""

from __future__ import annotations

import math

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.errors import DataError, UsageError
from rejudge.judgments.cells import parse_labels
from rejudge.judgments.read import read_judgments
from rejudge.judgments.shapes import Wide

AGREEMENT = {"Disagree": 1, "Neutral": 2, "Agree": 3}


def answers(*words: str | None) -> pa.Table:
    size = len(words)
    return pa.table(
        {"rater": ["p"] * size, "item": [f"i{n}" for n in range(size)], "score": list(words)}
    )


def test_each_word_is_its_number_whatever_its_capitals_and_spaces():
    found = read_judgments(answers("Agree", " neutral", "DISAGREE"), labels=AGREEMENT)
    assert found.value.tolist() == [3, 2, 1]


def test_numbers_stay_numbers_and_empty_cells_stay_empty():
    found = read_judgments(answers("Agree", "2", "", "n/a", None), labels=AGREEMENT)
    assert found.value.tolist() == [3, 2]
    assert "3 of 5 rows have no value and are left out." in found.notes


def test_a_label_that_usually_means_missing_can_be_a_score():
    found = read_judgments(answers("None", "Some"), labels={"none": 0, "some": 1})
    assert found.value.tolist() == [0, 1]


def test_words_without_numbers_are_one_message_with_the_option_to_type():
    with pytest.raises(DataError) as caught:
        read_judgments(answers("Agree", "Neutral", "n/a", "Agree"))
    assert str(caught.value) == (
        "the column 'score' contains words instead of scores. "
        "State the score of each one: --labels 'Agree=…,Neutral=…'."
    )


def test_words_of_a_wide_table_are_read_the_same_way():
    table = pa.table(
        {"item": ["i", "j"], "rater_1": ["Agree", "Neutral"], "rater_2": ["Agree"] * 2}
    )
    wide = Wide.parse("participant=rater_*")
    found = read_judgments(table, wide=wide, labels=AGREEMENT)
    assert sorted(found.value.tolist()) == [2, 3, 3, 3]
    with pytest.raises(DataError, match="contains words instead of scores"):
        read_judgments(table, wide=wide)


def test_free_text_is_listed_line_by_line():
    texts = [f"a remark of its own, {place}" for place in "abcdefghijklmnop"]
    with pytest.raises(DataError) as caught:
        read_judgments(answers(*texts))
    assert len(caught.value.problems) == len(texts)


def test_a_word_that_has_no_number_is_named_with_its_row():
    with pytest.raises(DataError, match="'Maybe' is not a number"):
        read_judgments(answers("Agree", "Maybe"), labels=AGREEMENT)


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("Disagree=1,Agree=2", {"Disagree": 1, "Agree": 2}),
        (" Bad = -1 , Good = +1.5 ,", {"Bad": -1, "Good": 1.5}),
        ("Agree, somewhat=2,No, not at all=0", {"Agree, somewhat": 2, "No, not at all": 0}),
        ("x=y=1", {"x=y": 1}),
        ("同意=2,不同意=1", {"同意": 2, "不同意": 1}),
        ("half=.5", {"half": 0.5}),
    ],
)
def test_labels_are_read_as_they_are_typed(typed, read):
    assert parse_labels(typed) == read


@pytest.mark.parametrize("typed", ["", "Agree", "Agree=", "=1", "Agree=two", "Agree=1,Disagree"])
def test_labels_without_numbers_are_refused(typed):
    with pytest.raises(UsageError, match="is unclear"):
        parse_labels(typed)


def test_a_label_with_two_numbers_is_refused():
    with pytest.raises(UsageError, match="'Agree' has two numbers, 1 and 2"):
        parse_labels("Agree=1,Agree=2")
    with pytest.raises(UsageError, match="Labels that differ only in capitals"):
        read_judgments(answers("agree"), labels={"Agree": 1, "agree": 2})
    with pytest.raises(UsageError, match="Give each label a number"):
        read_judgments(answers("agree"), labels={"Agree": math.nan})


@given(
    st.dictionaries(
        st.text(st.characters(whitelist_categories=("L",)), min_size=1),
        st.integers(-9, 99),
        min_size=1,
    )
)
def test_whatever_the_labels_they_are_read_back(labels):
    typed = ",".join(f"{label}={number}" for label, number in labels.items())
    assert parse_labels(typed) == labels


def test_labels_are_refused_where_nothing_has_a_score():
    table = pa.table(
        {"rater": ["p"], "item": ["i"], "system_a": ["x"], "system_b": ["y"], "choice": ["a"]}
    )
    with pytest.raises(DataError, match="there are no scores with labels"):
        read_judgments(table, labels={"a": 1, "b": 2})
