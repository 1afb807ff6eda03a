"""The different numbers of a column, as NumPy finds them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from property_settings import examples
from rejudge.stats import how_many, numbered
from rejudge.stats.arrays import group_sizes, present

COLUMNS = {
    "codes": np.array([3, 1, 1, 7]),
    "none": np.zeros(0, dtype=np.int64),
    "negative": np.array([-1, 0, -1]),
    "far apart": np.array([5, 10**15, 5, -(10**15)]),
    "halves": np.array([0.5, 1.0, 0.5]),
    "whole scores": np.array([1.0, 5.0, 1.0]),
    "small type": np.array([200, 0, 255, 200], dtype=np.uint8),
}


def as_numpy_does(column):
    names, place, counts = np.unique(column, return_inverse=True, return_counts=True)
    found, which = numbered(column)
    assert found.tolist() == names.tolist()
    assert which.tolist() == place.tolist()
    assert present(column).tolist() == names.tolist()
    assert how_many(column) == len(names)
    assert group_sizes(column).tolist() == counts[place].tolist()


@pytest.mark.parametrize("name", COLUMNS)
def test_they_are_those_of_numpy(name):
    as_numpy_does(COLUMNS[name])


@given(arrays.arrays(np.int64, st.integers(0, 40), elements=st.integers(-(10**4), 10**4)))
@settings(max_examples=examples(100))
def test_whole_numbers_are_those_of_numpy_whatever_they_are(column):
    as_numpy_does(column)
