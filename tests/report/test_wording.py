"""Numbers and sentences."""

from __future__ import annotations

import pytest

from rejudge.analysis import Interval
from rejudge.report.figures import difference_axis, scale_axis
from rejudge.report.wording import between, in_words, listed, number, p_value, percent


def test_a_minus_is_a_true_minus_and_zero_has_none():
    assert number(-3.25, 2) == "−3.25"
    assert number(-0.04) == "0.0"
    assert number(1234.5) == "1,234.5"


def test_what_is_undefined_is_a_dash():
    assert [number(None), percent(None), between(None), p_value(None)] == ["–"] * 4
    assert in_words(None) == "no interval"


def test_p_is_never_zero():
    assert p_value(1e-9) == "<\u202f0.001"
    assert p_value(0.0415) == "0.042"


@pytest.mark.parametrize(
    ("words", "said"),
    [([], ""), (["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")],
)
def test_lists_read_like_sentences(words, said):
    assert listed(words) == said


def test_an_interval_is_written_for_tables_and_for_sentences():
    interval = Interval(-1.25, 3.5, 0.9)
    assert between(interval, 2) == "[−1.25, 3.50]"
    assert in_words(interval) == "90\u202f% interval −1.2 to 3.5"


def test_a_scale_is_shown_whole():
    axis = scale_axis(1, 4, (1, 2, 3, 4))
    assert [axis.place(value) for value in (1, 2.5, 4)] == [0, 50, 100]


def test_differences_without_values_still_have_an_axis_with_zero_in_the_middle():
    assert difference_axis([]).place(0) == 50
