"""Counts, means, quantiles and how often each value was given."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.stats import distribution, distributions, histogram, score_table

VALUES = st.lists(st.integers(1, 5).map(float), min_size=1, max_size=30).map(np.array)


def test_a_distribution_by_hand():
    """1, 2, 4, 9: mean 4, squares of distances 9 + 4 + 0 + 25 = 38, sd √(38/3).

    Type 7: the quartile lies at rank 1 + ¼·3 = 1.75, so 1.75; the upper at 3.25, so 5.25.
    """
    found = distribution(np.array([4.0, 1.0, 9.0, 2.0]))
    assert (found.n, found.mean, found.median, found.total) == (4, 4.0, 3.0, 16.0)
    assert found.standard_deviation == pytest.approx(np.sqrt(38 / 3))
    assert (found.minimum, found.maximum) == (1.0, 9.0)
    assert found.quantiles == ((0.25, 1.75), (0.5, 3.0), (0.75, 5.25))


def test_quantiles_of_type_7_as_published():
    """Hyndman & Fan (1996): type 7 has p(k) = (k−1)/(n−1), so of 11 numbers 0, 1, … 10 the
    quantile at p is 10 p."""
    found = distribution(np.arange(11.0), at=(0.05, 0.9))
    assert found.quantiles == (
        (0.05, pytest.approx(0.5)),
        (0.9, pytest.approx(9.0)),
    )


def test_one_value_has_no_deviation_and_none_has_nothing():
    one, none = distribution(np.array([3.0])), distribution(np.zeros(0))
    assert (one.mean, one.standard_deviation) == (3.0, None)
    assert "two or more" in one.note
    assert (none.n, none.mean, none.median, none.total) == (0, None, None, 0.0)


def test_each_group_has_its_own_distribution_also_an_empty_one():
    found = distributions(np.array([1.0, 5.0, 3.0]), np.array([2, 0, 2]), groups=3)
    assert [d.n for d in found] == [1, 0, 2]
    assert [d.mean for d in found] == [5.0, None, 2.0]


@given(VALUES)
def test_groups_hold_all_values(values):
    group = np.arange(len(values)) % 3
    found = distributions(values, group, groups=3)
    assert sum(d.total for d in found) == pytest.approx(values.sum())
    assert sum(d.n for d in found) == len(values)


def test_a_histogram_counts_what_lies_outside_apart():
    found = histogram(np.array([0.0, 1.0, 1.5, 2.0, 7.0]), np.array([0.0, 1.0, 2.0]))
    assert (found.counts.tolist(), found.outside) == ([1, 3], 1)


def test_a_score_table_has_values_that_nobody_gave():
    values, system = np.array([1.0, 3.0, 3.0, 2.5]), np.array([0, 0, 1, 1])
    found = score_table(values, system, groups=3, scale=np.array([1.0, 2.0, 3.0]))
    assert found.counts.tolist() == [[1, 0, 1], [0, 0, 1], [0, 0, 0]]
    assert found.off_scale == 1
    assert found.shares == ((0.5, 0.0, 0.5), (0.0, 0.0, 1.0), (None, None, None))


@given(VALUES)
def test_a_score_table_counts_each_judgment_once(values):
    found = score_table(values, np.zeros(len(values), dtype=int), groups=1, scale=np.arange(1.0, 6))
    assert found.counts.sum() == len(values)
    assert float(found.counts[0] @ found.values) == pytest.approx(values.sum())
