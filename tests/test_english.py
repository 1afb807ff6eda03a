"""Counts in words."""

from __future__ import annotations

import pytest

from rejudge.english import count, span


@pytest.mark.parametrize(
    ("number", "noun", "words"),
    [
        (0, "task", "0 tasks"),
        (1, "task", "1 task"),
        (1800, "pair", "1,800 pairs"),
        (2, "batch", "2 batches"),
        (1, "person", "1 person"),
        (3, "person", "3 people"),
    ],
)
def test_a_noun_has_the_form_that_its_number_asks_for(number, noun, words):
    assert count(number, noun) == words


def test_numbers_that_differ_are_given_from_the_smallest_to_the_largest():
    assert span([32, 28, 30], "task") == "28–32 tasks"
    assert span([32, 32], "task") == "32 tasks"
    assert span([1], "batch") == "1 batch"
