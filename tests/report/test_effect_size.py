"""The words for the size of a difference."""

from __future__ import annotations

import pytest

from rejudge.analysis.analyse import analyse
from rejudge.judgments.table import Judgment, Judgments
from rejudge.report.build import outcomes_of
from rejudge.report.effect_size import d_size, size_sentence, win_size
from rejudge.report.subject import Subject


@pytest.mark.parametrize(
    ("value", "size"),
    [
        (50, "very small"),
        (56, "small"),
        (36, "medium"),
        (64, "medium"),
        (71, "large"),
        (0, "large"),
    ],
)
def test_shares_of_wins_have_the_names_of_vargha_and_delaney(value, size):
    """Vargha & Delaney (2000): 0.56 is small, 0.64 medium, 0.71 large, and so below one half."""
    assert win_size(value) == size


@pytest.mark.parametrize(
    ("value", "size"),
    [(0.1, "very small"), (0.2, "small"), (-0.5, "medium"), (0.8, "large")],
)
def test_standardised_differences_have_the_names_of_cohen(value, size):
    """Cohen (1988): 0.2 is small, 0.5 medium, 0.8 large."""
    assert d_size(value) == size


def told_of(people: int) -> str:
    """The size of a lead in a table of ratings by so many people."""
    rows = [
        Judgment(f"p{p}", f"i{i}", "q", 2.0 + (s == "b") * (1 + (i % 3 - 1) / 2) + (p + 2 * i) % 3,
                 system=s)
        for p in range(people) for i in range(12) for s in "ab"
    ]  # fmt: skip
    results = analyse(Judgments.from_rows(rows))
    (outcome,) = outcomes_of(Subject(results, "Ratings"))
    return size_sentence(outcome, results) or ""


def test_the_words_of_cohen_are_not_used_for_d_of_pairs():
    """Three people: means of items are compared, and d_z grows with the number of people."""
    told = told_of(people=3)
    assert "; d_z = " in told
    assert "Cohen" not in told
