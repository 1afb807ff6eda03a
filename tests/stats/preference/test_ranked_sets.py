"""Rankings counted by hand: which sets systems were chosen from."""

from __future__ import annotations

import numpy as np
import pytest

from rejudge.stats import JudgedSets
from rejudge.stats.preference.ranked_sets import Rankings, count_choices, residuals


def ranked(*scores: tuple[float, ...]):
    """Rankings of the systems 0, 1, 2, … by their scores."""
    rows = [
        (judgment, system, score)
        for judgment, row in enumerate(scores)
        for system, score in enumerate(row)
    ]
    judgment, system, score = (np.array(column) for column in zip(*rows, strict=True))
    return Rankings.of(
        JudgedSets(judgment, system, score.astype(float), judgment, judgment, len(scores[0]))
    )


def test_a_ranking_is_a_choice_from_all_then_from_the_rest():
    """2 > 1 > 0: chosen from {0,1,2} (bits 7), {0,1} (3) and {0} (1)."""
    choices = count_choices(ranked((1, 2, 3)))
    assert dict(zip(choices.sets.tolist(), choices.often.tolist(), strict=True)) == {
        7: 1.0,
        3: 1.0,
        1: 1.0,
    }
    assert choices.chosen.tolist() == [1, 1, 1]
    assert choices.above.tolist() == [[0, 0, 0], [1, 0, 0], [1, 1, 0]]


def test_both_orders_of_a_tie_count_by_half():
    """0 = 1: chosen from {0,1}, then from {0} or {1}."""
    rankings = ranked((1, 1))
    choices = count_choices(rankings)
    assert dict(zip(choices.sets.tolist(), choices.often.tolist(), strict=True)) == {
        3: 1.0,
        1: 0.5,
        2: 0.5,
    }
    assert (rankings.n, rankings.ties) == (1, 1)


def test_residuals_are_choices_minus_their_probability():
    """Worths 3 and 1: system 0 is chosen first with 3/4, and system 1 comes last for certain."""
    found = residuals(ranked((2, 1)), np.array([3.0, 1.0]))
    assert found == pytest.approx([1 - 3 / 4, 1 - 1 / 4 - 1])
