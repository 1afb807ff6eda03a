"""Numbers on axes, and labels that keep their distance."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from measured import meeting, outside, words_of
from property_settings import examples
from rejudge.report.drawing.axes import AxisScale, draw_axis, spread_apart, tick_labels, ticks
from rejudge.report.drawing.marks import Drawing

numbers = st.floats(-1e9, 1e9)


@given(low=numbers, width=st.floats(1e-3, 1e9), most=st.integers(2, 9))
def test_ticks_are_even_within_and_not_too_many(low, width, most):
    assume(width > 1e-6 * abs(low))
    found = ticks(low, low + width, most)
    assert len(found) <= most
    assert all(low - width * 1e-6 <= tick <= low + width * (1 + 1e-6) for tick in found)
    steps = {round((two - one) / width, 6) for one, two in pairwise(found)}
    assert len(steps) <= 1


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0, 1, (0, 0.2, 0.4, 0.6, 0.8, 1)),
        (-0.5, 0.6, (-0.5, -0.25, 0, 0.25, 0.5)),
        (0, 26, (0, 10, 20)),
        (3, 3, (3,)),
        (0, 1e-11, (0, 2e-12, 4e-12, 6e-12, 8e-12, 1e-11)),
    ],
)
def test_ticks_are_round_numbers(low, high, expected):
    assert ticks(low, high) == pytest.approx(expected, abs=1e-20)


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        ((-0.5, 0, 0.25), ("−0.5", "0", "0.25")),
        ((0, 250000, 1000000), ("0", "250,000", "1,000,000")),
        ((0, 5e11), ("0", "5e+11")),
        ((1000000.001, 1000000.002), ("1000000.001", "1000000.002")),
    ],
)
def test_numbers_of_an_axis_are_short_and_differ(numbers, expected):
    assert tick_labels(numbers) == expected


@settings(max_examples=examples(50))
@given(low=numbers, width=st.floats(1e-3, 1e9), right=st.floats(60, 680))
def test_numbers_of_an_axis_do_not_meet_or_leave_the_paper(low, width, right):
    drawing = Drawing("t", "s")
    draw_axis(drawing, AxisScale(low, low + width, 0, right), 0, 20)
    drawing.finish(44)
    assume(len(words_of(drawing)) > 1)
    assert outside(drawing) == []
    assert meeting(drawing) == []


def test_a_span_without_width_has_its_only_number_in_the_middle():
    assert AxisScale(2, 2, 0, 100).position(2) == 50


@given(places=st.lists(st.floats(0, 300), min_size=1, max_size=12))
def test_labels_keep_their_distance_their_order_and_their_ends(places):
    moved = spread_apart(places, 16, between=(0, 300))
    ranked = sorted(moved)
    assert all(two - one >= 16 - 1e-6 for one, two in pairwise(ranked))
    assert min(moved) >= -1e-6
    assert max(moved) <= 300 + 1e-6
    order = sorted(range(len(places)), key=lambda index: places[index])
    assert [moved[index] for index in order] == ranked


def test_labels_with_room_stay_where_they_are():
    assert spread_apart([10, 50, 90], 16) == [10, 50, 90]


def test_labels_in_one_place_spread_around_it():
    assert spread_apart([50, 50, 50], 16) == [34, 50, 66]


def test_a_span_too_small_to_divide_has_one_tick():
    assert ticks(0.0, 5e-324) == (0.0,)
