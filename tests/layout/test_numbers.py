"""Numbers, intervals, p values and lists in words."""

from __future__ import annotations

from datetime import date

import pytest

from rejudge.english import as_sentence, day, join_words, number_word, shorten, verb
from rejudge.layout.numbers import (
    interval_phrase,
    interval_text,
    number,
    p_equals,
    p_value,
    percent,
)
from rejudge.stats import Interval


def test_a_minus_is_a_true_minus_and_zero_has_none():
    assert number(-3.25, 2) == "−3.25"
    assert number(-0.04) == "0.0"
    assert number(1234.5) == "1,234.5"


def test_what_is_undefined_is_a_dash():
    assert [number(None), percent(None), interval_text(None), p_value(None)] == ["–"] * 4
    assert interval_phrase(None) == "no interval"


def test_p_is_never_zero():
    assert p_value(1e-9) == "<\u202f0.001"
    assert p_value(0.0415) == "0.042"


@pytest.mark.parametrize(
    ("words", "said"),
    [([], ""), (["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")],
)
def test_lists_read_like_sentences(words, said):
    assert join_words(words) == said


def test_an_interval_is_written_for_tables_and_for_sentences():
    interval = Interval(-1.25, 3.5, 0.9)
    assert interval_text(interval, 2) == "[−1.25, 3.50]"
    assert interval_phrase(interval) == "90\u202f% interval −1.3 to 3.5"


def test_p_stands_in_sentences_as_in_papers():
    assert p_equals(0.0415) == "p\u00a0=\u00a00.042"
    assert p_equals(1e-9) == "p\u00a0<\u202f0.001"


def test_a_text_is_cut_at_its_length_and_shows_it():
    assert shorten("abcdef", 6) == "abcdef"
    assert shorten("abcdefg", 6) == "abcde…"
    assert shorten("abcd efgh", 6) == "abcd…"


def test_a_sentence_is_closed_once():
    assert [as_sentence(text) for text in ("so", "so.", "so?", "")] == ["so.", "so.", "so?", ""]


def test_small_numbers_are_spelled_and_verbs_follow_them():
    assert [number_word(n) for n in (1, 12, 13, 1300)] == ["one", "twelve", "13", "1,300"]
    assert [verb(n, "was", "were") for n in (0, 1, 2)] == ["were", "was", "were"]


def test_a_day_is_written_out_in_any_locale():
    assert day(date(2026, 5, 3)) == "3 May 2026"
