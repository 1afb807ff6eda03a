"""English counts, spans and values."""

from __future__ import annotations

import pytest

from rejudge.english import (
    count,
    did_you_mean,
    join_quoted,
    natural_order,
    nearest,
    span,
    value_in_words,
)


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
def test_a_noun_agrees_with_its_number(number, noun, words):
    assert count(number, noun) == words


def test_names_with_numbers_are_in_natural_order():
    names = ["10", "2", "list 10", "list 2", "Liste", "", "١٠", "٢"]
    assert natural_order(names) == ["", "2", "٢", "10", "١٠", "Liste", "list 2", "list 10"]


def test_a_span_gives_the_smallest_and_the_largest_number():
    assert span([32, 28, 30], "task") == "28–32 tasks"
    assert span([32, 32], "task") == "32 tasks"
    assert span([1], "batch") == "1 batch"


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "none"),
        ([], "none"),
        (True, "yes"),
        (2.50, "2.5"),
        ("Prolific", "Prolific"),
        (["GB", "US"], "GB, US"),
        ({"inputs": 5}, "inputs 5"),
        ({"per_batch": 2, "at": None, "regions": ["GB", "US"]}, "per batch 2, regions (GB, US)"),
        ([{"id": "a", "n": 1}, {"id": "b", "n": 2}], "id a, n 1; id b, n 2"),
    ],
)
def test_values_are_described_in_words(value, words):
    assert value_in_words(value) == words


def test_the_nearest_word_is_found_whatever_its_capitals():
    assert nearest("POINTS", ["id", "points"]) == "points"
    assert nearest("id", ["ID ", "input"]) == "ID "
    assert nearest("xyz", ["id", "points"]) is None
    assert did_you_mean("pionts", ["points"]) == "Did you mean 'points'?"


def test_a_long_list_of_words_is_cut():
    assert join_quoted(["a", "b"]) == "'a', 'b'"
    assert join_quoted(str(n) for n in range(35)).endswith("'29' and 5 more")
