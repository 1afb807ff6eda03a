"""The words for the size of a difference."""

from __future__ import annotations

import pytest

from rejudge.report.effect_size import d_size, win_size


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
