"""What pages say: times, amounts of money and scales are read in any language."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.lint.page_text import (
    amounts,
    has_word,
    in_digits,
    language_words,
    scales,
    stated_minutes,
)


def test_amounts_are_read_with_any_separator():
    text = "£1,234.50 and 1.234,50 EUR, 12'000 CHF, ¥500, 3 euros"
    assert [(each.value, each.currency) for each in amounts(text)] == [
        (1234.5, "GBP"), (1234.5, "EUR"), (12000, "CHF"), (500, "JPY CNY"), (3, "EUR"),
    ]  # fmt: skip


@given(st.text())
def test_any_text_can_be_searched(text):
    for find in (amounts, scales, stated_minutes):
        assert isinstance(find(text), list)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It takes about 20 minutes.", [(20, 20)]),
        ("It takes ten to fifteen minutes.", [(10, 15)]),
        ("Es dauert 1 Stunde und 30 Minuten.", [(90, 90)]),
        ("Finish within 24 hours.", []),
        ("Take a break of 5 minutes.", []),
    ],
)
def test_durations_are_read_without_deadlines_and_breaks(text, found):
    assert [(each.low, each.high) for each in stated_minutes(text)] == found


def test_number_words_become_digits():
    assert in_digits("Three questions, twenty-five pages") == "3 questions, 25 pages"


def test_a_scale_is_a_range_that_ends_like_one():
    assert [(each.low, each.high) for each in scales("from 1 to 5, pages 3–200, 0–100")] == [
        (1, 5), (0, 100),
    ]  # fmt: skip


def test_words_are_known_for_a_language_whatever_its_script_or_region():
    assert language_words("zh-Hant") is language_words("zh")
    assert language_words("fi") is None


def test_a_word_is_found_by_its_beginning_but_not_inside_another():
    assert has_word("You may withdraw.", ("withdr",))
    assert not has_word("a notwithdrawn case", ("withdr",))
    assert has_word("您可以随时退出", ("退出",))


def test_a_denied_rejection_is_no_threat():
    english = language_words("en")
    assert english is not None
    assert english.threatens("Your submission will be rejected if you fail.")
    assert not english.threatens("No submission will be rejected.")
