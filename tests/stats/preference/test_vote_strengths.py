"""Bradley–Terry strengths from sums over clusters, next to those of all comparisons at once."""

from __future__ import annotations

import math

import numpy as np
import pytest
from win_examples import part_sums, votes_without_repeats

from rejudge.stats import BradleyTerry, Comparisons, bradley_terry, win_matrix
from rejudge.stats.preference.paired_model import Fits
from rejudge.stats.preference.pairwise import WinMatrix
from rejudge.stats.preference.vote_strengths import (
    StrengthSums,
    bradley_terry_of_sums,
    expected_preference,
    fit_matrix,
)


def of_sums(votes: Comparisons) -> BradleyTerry:
    fit = fit_matrix(win_matrix(votes))
    expected = expected_preference(fit) if isinstance(fit, Fits) else None
    by_item = part_sums(votes, "item", expected=expected)
    by_person = part_sums(votes, "participant", expected=expected)
    n = len(votes.preference)
    return bradley_terry_of_sums(
        win_matrix(votes),
        by_item=by_item.strength_sums(n),
        by_participant=by_person.strength_sums(n),
        cells=StrengthSums(by_person.cell_meat, by_person.cell_count),
    )


def test_two_systems_are_as_far_apart_as_the_logit_of_the_wins():
    """By hand: 30 wins against 10 are a difference of ln 3."""
    fit = fit_matrix(WinMatrix(np.array([[0, 30], [10, 0]]), np.zeros((2, 2), dtype=np.int64)))
    assert isinstance(fit, Fits)
    first, second = fit.strengths[0]
    assert first - second == pytest.approx(math.log(3))
    assert expected_preference(fit) == pytest.approx(np.array([[0.5, 0.75], [0.25, 0.5]]))


def test_strengths_are_those_of_all_comparisons_and_errors_close_to_them():
    votes = votes_without_repeats(600, items=40, participants=30, systems=4)
    found, known = of_sums(votes), bradley_terry(votes)
    assert (found.n, found.ties) == (known.n, known.ties)
    assert (found.items, found.participants) == (known.items, known.participants)
    for ours, theirs in zip(found.strengths, known.strengths, strict=True):
        assert ours.value == pytest.approx(theirs.value)
        assert ours.standard_error == pytest.approx(theirs.standard_error, rel=0.05)


def test_systems_that_never_lose_have_no_strength():
    wins = np.array([[0, 5], [0, 0]])
    groups, note = fit_matrix(WinMatrix(wins, np.zeros((2, 2), dtype=np.int64)))
    assert sorted(groups) == [(0,), (1,)]
    assert note


def test_one_participant_leaves_strengths_without_errors():
    votes = votes_without_repeats(200, items=60, participants=1, systems=3)
    found = of_sums(votes)
    assert all(each.value is not None and each.standard_error is None for each in found.strengths)
    assert found.note.startswith("No standard errors")


@pytest.mark.parametrize("clusters", [2, 5, 50])
def test_equal_clusters_have_the_usual_correction(clusters):
    """By hand: G clusters of 10 votes: factor G/(G − 1), and G − 1 degrees of freedom."""
    sums = StrengthSums(np.zeros((2, 2)), clusters, 10 * clusters, 100 * clusters, 1000 * clusters)
    assert sums.factor == pytest.approx(clusters / (clusters - 1))
    assert sums.df == pytest.approx(clusters - 1)


def test_one_cluster_with_all_votes_cannot_be_corrected():
    assert StrengthSums(np.zeros((2, 2)), 1, 10, 100, 1000).factor == math.inf
