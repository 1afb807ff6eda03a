"""Whether a second study says the same."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rejudge.errors import DataError
from rejudge.stats import matching_accuracy, significance_f1

LABELS = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=30)


def test_pairs_match_where_both_studies_order_them_alike():
    """(1, 2, 2) and (1, 3, 2): 1<2 twice, 1<2 twice, but equal against higher: 2 of 3."""
    found = matching_accuracy(np.array([1, 2, 2]), np.array([1, 3, 2]))
    assert (found.value, found.matches, found.n) == (pytest.approx(2 / 3), 2, 3)
    assert found.matched == (True, True, False)


def test_only_the_named_pairs_count():
    found = matching_accuracy(np.array([1, 2, 2]), np.array([1, 3, 2]), [(1, 2)])
    assert (found.value, found.n) == (0, 1)


def test_small_differences_can_count_as_equal():
    one, two = np.array([1.0, 1.2]), np.array([1.0, 1.0])
    assert matching_accuracy(one, two).value == 0
    assert matching_accuracy(one, two, tolerance=0.25).value == 1


def test_without_pairs_there_is_nothing_to_match():
    found = matching_accuracy(np.array([1.0]), np.array([2.0]))
    assert found.value is None
    assert found.note


def test_f1_by_hand():
    """Original 1 1 0 0, reproduction 1 0 1 1: one in both, precision ⅓, recall ½, F1 2/5."""
    found = significance_f1([True, True, False, False], [True, False, True, True])
    assert found.value == pytest.approx(2 / 5)
    assert (found.precision, found.recall) == pytest.approx((1 / 3, 1 / 2))
    assert (found.both, found.original, found.reproduction, found.n) == (1, 2, 3, 4)


def test_where_nothing_is_significant_f1_is_undefined():
    found = significance_f1([False, False], [False, False])
    assert found.value is None
    assert "nothing is significant" in found.note


def test_where_one_study_finds_nothing_f1_is_0_and_one_part_undefined():
    found = significance_f1([True, False], [False, False])
    assert (found.value, found.precision, found.recall) == (0, None, 0)


@pytest.mark.parametrize("compare", [matching_accuracy, significance_f1])
def test_studies_of_different_length_are_refused(compare):
    with pytest.raises(DataError, match="entry by entry"):
        compare(np.array([1, 0]), np.array([1]))


@given(labels=LABELS)
def test_f1_is_the_harmonic_mean_and_symmetric(labels):
    one, two = (list(each) for each in zip(*labels, strict=True))
    found, turned = significance_f1(one, two), significance_f1(two, one)
    assert found.value == turned.value
    assume(found.both)
    parts = 1 / found.precision + 1 / found.recall
    assert found.value == pytest.approx(2 / parts)
