"""Shapes of studies, and simulations that are joined."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from rejudge.errors import DataError
from rejudge.power import SimulatedStudies, StudyShape


def test_everybody_judges_everything_if_there_are_no_more_people_than_an_item_needs():
    shape = StudyShape(items=100, participants_per_item=3, participants=3)
    assert (shape.blocks, shape.block_sizes, shape.judging) == (1, (100,), 3)


def test_more_participants_judge_fewer_items_each():
    shape = StudyShape(items=100, participants_per_item=3, participants=31)
    assert (shape.blocks, shape.block_sizes, shape.judging) == (10, (10,) * 10, 30)


@given(some.integers(1, 300), some.integers(1, 12), some.integers(0, 400))
def test_blocks_hold_every_item_once_and_are_as_equal_as_they_can_be(items, each, more):
    shape = StudyShape(items, each, each + more)
    sizes = shape.block_sizes
    assert sum(sizes) == items
    assert max(sizes) - min(sizes) <= 1
    assert min(sizes) >= 1
    assert shape.judging <= shape.participants


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ((0, 3, 3), "1 items or more, not 0"),
        ((10, 0, 3), "1 participants per item or more"),
        ((10, 3, 2), "3 participants or more, not 2"),
        ((10, 3, 3, 1), "2 systems or more, not 1"),
    ],
)
def test_a_shape_that_is_no_study_is_refused(given, says):
    with pytest.raises(DataError, match=says):
        StudyShape(*given)


def test_parts_of_a_simulation_are_joined_in_their_order():
    parts = [
        SimulatedStudies(*(np.full((2, 1), float(n)),) * 4, np.full((2, 2), float(n)), "numba")
        for n in range(3)
    ]
    whole = SimulatedStudies.joined(parts)
    assert whole.p[:, 0].tolist() == [0, 0, 1, 1, 2, 2]
    assert whole.scores.shape == (6, 2)
    assert whole.engine == "numba"
