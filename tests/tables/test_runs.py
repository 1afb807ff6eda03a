"""Runs side by side: their scores, and the tables of effects and summaries."""

from __future__ import annotations

import pytest

from rejudge.tables.runs import digits_for, score_text


@pytest.mark.parametrize(
    ("largest", "digits"), [(0.58, 2), (58.1, 2), (580, 1), (5800, 0), (0.05, 3), (3e-5, 6), (0, 2)]
)
def test_numbers_have_as_many_decimals_as_their_size_asks_for(largest, digits):
    assert digits_for(largest) == digits


@pytest.mark.parametrize(
    ("value", "text"),
    [(-0.061, "−0.06"), (-0.001, "0.00"), (1234.5, "1,234.50"), (2.5e9, "2.5e+09")],
)
def test_numbers_are_written_with_a_true_minus_and_never_as_minus_nothing(value, text):
    assert score_text(value) == text
