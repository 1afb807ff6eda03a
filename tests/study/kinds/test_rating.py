"""One output on a scale of points."""

from __future__ import annotations

import pytest

from rejudge.errors import DataError
from rejudge.study.kinds.rating import Rating

FIVE = Rating(kind="rating", id="q", prompt="?", labels={1: "bad", 5: "good"})
HALVES = Rating(kind="rating", id="q", prompt="?", points=4, lowest=0, step=0.5)


def test_points_follow_from_their_number_the_lowest_and_the_step():
    assert FIVE.values == (1, 2, 3, 4, 5)
    assert HALVES.values == (0, 0.5, 1, 1.5)
    assert (FIVE.bounds, HALVES.bounds) == ((1, 5), (0, 1.5))


def test_only_points_of_the_scale_are_answers():
    assert HALVES.scores("1.5", 1) == (1.5,)
    with pytest.raises(DataError, match="is not an answer to 'q'"):
        HALVES.parse("0.75", 1)


def test_what_is_spelt_is_read_back():
    assert [HALVES.parse(HALVES.spell(value), 1) for value in HALVES.values] == list(HALVES.values)


def test_the_middle_is_neutral_and_not_in_the_lower_half():
    assert FIVE.has_neutral_answer
    assert not HALVES.has_neutral_answer
    assert (FIVE.lower_half, HALVES.lower_half) == (2, 0.5)


def test_the_scale_in_words_has_the_labels_of_its_ends():
    assert FIVE.scale_in_words == "1 (bad) to 5 (good)"
    assert HALVES.scale_in_words == "0 to 1.5"
