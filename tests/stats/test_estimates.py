"""Means of systems."""

from __future__ import annotations

import numpy as np
import pytest

from rejudge.stats import average_within, mean_by_system, mean_difference


def test_each_judgment_counts_once():
    means = mean_by_system(
        np.array([1.0, 2.0, 6.0, 4.0]),
        np.array([0, 0, 0, 1]),
        item=np.arange(4),
        participant=np.arange(4),
        systems=2,
    )
    assert [mean.value for mean in means] == [3, 4]
    assert [mean.n for mean in means] == [3, 1]


def test_what_the_same_people_share_cancels_in_a_difference():
    """Two people, one a point higher throughout; the difference of systems is 1 for both.

    With three items each, residuals of the difference are equal and opposite within people and
    items: nothing varies, and no interval is invented.
    """
    value = np.array([2.0, 1.0] * 3 + [3.0, 2.0] * 3)
    difference = mean_difference(
        value,
        np.tile([0, 1], 6),
        (0, 1),
        item=np.tile(np.repeat(np.arange(3), 2), 2),
        participant=np.repeat([0, 1], 6),
    )
    assert difference.value == 1
    assert difference.interval is None


def test_a_paired_difference_is_the_paired_t_test():
    """One person per item sees both systems: scipy.stats.ttest_rel on the same pairs."""
    from scipy.stats import ttest_rel

    rng = np.random.default_rng(4)
    first, second = rng.normal(0.5, 1, 20), rng.normal(0, 1, 20)
    found = mean_difference(
        np.concatenate([first, second]),
        np.repeat([0, 1], 20),
        (0, 1),
        item=np.tile(np.arange(20), 2),
        participant=np.tile(np.arange(20), 2),
    )
    assert found.p == pytest.approx(ttest_rel(first, second).pvalue)


def test_segments_become_one_score_per_output():
    """Output 0 has three sentences, output 1 has one; both weigh the same afterwards."""
    value, (output,) = average_within(np.array([1.0, 2.0, 3.0, 5.0]), np.array([0, 0, 0, 1]))
    assert value.tolist() == [2, 5]
    assert output.tolist() == [0, 1]


def test_averaging_nothing_gives_nothing():
    value, keys = average_within(np.zeros(0), np.zeros(0, dtype=int))
    assert len(value) == len(keys[0]) == 0
