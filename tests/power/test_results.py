"""Which comparison decides a size, whether a size reaches the target, and which is the cheapest."""

from __future__ import annotations

from dataclasses import replace

import pytest

from planned_powers import size
from rejudge.stats import Interval


def test_a_size_has_the_power_of_the_difference_that_is_hardest_to_find():
    (pair,) = size(50, 0.9, "100").comparisons
    hard, level = replace(pair, power=0.6), replace(pair, power=0.05, true_difference=0.0)
    found = size(50, 0.9, "100", comparisons=(pair, level, hard))
    assert (found.hardest, found.power) == (hard, 0.6)


def test_without_any_difference_the_least_rejected_comparison_stands_for_the_size():
    (pair,) = size(50, 0.9, "100").comparisons
    first, second = (replace(pair, power=power, true_difference=0.0) for power in (0.06, 0.05))
    assert size(50, 0.9, "100", comparisons=(first, second)).hardest == second


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [(0.80, 0.90, "yes"), (0.79, 0.81, "about"), (0.75, 0.80, "about"), (0.70, 0.79, "no")],
)
def test_a_simulation_that_cannot_tell_says_about(low, high, verdict):
    (pair,) = size(50, 0.8, "100").comparisons
    measured = replace(pair, interval=Interval(low, high, 0.95))
    assert size(50, 0.8, "100", comparisons=(measured,)).reaches(0.8) == verdict
