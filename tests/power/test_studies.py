"""Shapes of studies, and simulations that are joined."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as some
from hypothesis import strategies as st

from rejudge.errors import DataError
from rejudge.power.sizes import StudyShape
from rejudge.power.tally import studies_needed, wilson
from rejudge.stats import Interval


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


@given(found=st.integers(0, 50), more=st.integers(0, 50))
def test_an_interval_holds_its_share(found, more):
    interval = wilson(found, found + more)
    share = found / max(1, found + more)

    assert 0 <= interval.low <= max(share, interval.low) <= interval.high <= 1


def test_wilsons_interval_is_the_published_one():
    """Newcombe (1998), table I: 81 of 263 gives .2553 to .3662."""
    interval = wilson(81, 263)

    assert (interval.low, interval.high) == (
        pytest.approx(0.2553, abs=5e-5),
        pytest.approx(0.3662, abs=5e-5),
    )


def test_one_percent_takes_about_ten_thousand_studies():
    """1.96² · 0.25 / 0.01² = 9,604."""
    assert studies_needed(Interval(0.4, 0.6, 0.95), 0.01) == 9604
    assert studies_needed(Interval(0.98, 1.0, 0.95), 0.01) < 1000
