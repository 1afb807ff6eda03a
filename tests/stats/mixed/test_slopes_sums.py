"""What a table can show of how systems vary, and its sums by level and system."""

from __future__ import annotations

import numpy as np

from rejudge.stats.mixed.slopes_sums import form_of, slope_sums

SYSTEM = np.array([0, 0, 1, 1, 0, 1])
ITEM = np.array([0, 0, 0, 1, 1, 1])


def test_levels_with_two_systems_and_repeated_judgments_show_a_covariance():
    assert form_of(SYSTEM, ITEM) == "covariance"


def test_levels_with_one_system_each_show_variances():
    assert form_of(np.array([0, 0, 1, 1]), np.array([0, 0, 1, 1])) == "variances"


def test_levels_without_repeated_judgments_of_a_system_show_one_offset():
    assert form_of(np.array([0, 1, 0, 1]), np.array([0, 0, 1, 1])) == "offset"


def test_sums_are_by_level_and_system():
    """Item 0 has two judgments of system 0 (values 1 and 2) and one of system 1 (3)."""
    value = np.arange(1.0, 7.0)
    columns = np.column_stack([np.ones(6), value])
    sums = slope_sums(columns, SYSTEM, {"item": ITEM})
    assert sums.larger.counts.tolist() == [[2, 1], [1, 2]]
    assert sums.larger.sums[:, :, 1].tolist() == [[3, 3], [5, 10]]
    assert sums.cross.tolist() == (columns.T @ columns).tolist()
    assert (sums.n, sums.smaller, sums.meetings) == (6, None, ())
