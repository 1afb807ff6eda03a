"""Figures as numbers."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.stats import Interval
from rejudge.web.dashboard.figures import (
    TrendPoint,
    distribution,
    duration,
    interval_mark,
    thin,
    trend,
)

START = datetime(2026, 3, 2, 10, 0, tzinfo=UTC)


def points(*values: float):
    return [TrendPoint(START + timedelta(minutes=n), value) for n, value in enumerate(values)]


def test_a_trend_stands_on_zero_and_fills_its_square():
    """Values 0, 1, 2 at equal steps: up from the lower left to the upper right corner."""
    assert trend(points(0, 1, 2)) == "M0.00 100.00L50.00 50.00L100.00 0.00"


def test_a_level_line_above_zero_stays_at_the_top():
    assert trend(points(4, 4)) == "M0.00 0.00L100.00 0.00"


@pytest.mark.parametrize("few", [[], points(3), [TrendPoint(START, 1), TrendPoint(START, 2)]])
def test_there_is_no_trend_of_one_moment(few):
    assert trend(few) == ""


def test_long_lines_are_thinned_and_keep_their_ends():
    long = points(*range(500))
    short = thin(long, 60)
    assert len(short) == 60
    assert (short[0], short[-1]) == (long[0], long[-1])


def test_a_distribution_tells_the_median_and_the_ninth_tenth():
    """Of 1 … 9 the middle is 5; the 0.9 quantile (type 7) lies at 1 + 0.9 · 8 = 8.2."""
    found = distribution("Tasks", [float(n) for n in range(1, 10)])
    assert (found.n, found.median) == (9, 5.0)
    assert found.ninth == pytest.approx(8.2)


def test_the_bars_count_everybody_within_the_axis():
    found = distribution("Tasks", [10.0] * 19 + [5000.0])
    assert sum(bar.count for bar in found.bars) == 19
    assert found.beyond == 1


@given(st.lists(st.floats(0, 1e5), min_size=1, max_size=60))
def test_nobody_is_lost_and_everything_stays_in_the_frame(seconds):
    found = distribution("Tasks", seconds)
    assert sum(bar.count for bar in found.bars) + found.beyond == len(seconds)
    assert all(0 <= bar.left <= 100 and 0 < bar.height <= 100 for bar in found.bars)
    assert 0 <= found.median_at <= 100
    corners = [float(x) for pair in found.curve[1:].split("L") for x in pair.split()]
    assert all(-0.01 <= corner <= 100.01 for corner in corners)


def test_the_curve_ends_at_one_when_nobody_lies_beyond():
    assert distribution("Tasks", [1.0, 2.0]).curve.endswith(" 0.00")


def test_there_is_no_distribution_of_nothing():
    assert distribution("Tasks", []) is None


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(13, "13\u202fs"), (328, "5.5\u202fmin"), (600, "10\u202fmin"), (9000, "2\u202fh 30")],
)
def test_times_are_said_as_people_say_them(seconds, words):
    assert duration(seconds) == words


def test_a_value_and_its_interval_are_placed_between_the_ends():
    mark = interval_mark(0.5, Interval(-0.1, 0.75, 0.95), ends=(0, 1), reference=0.25)
    assert (mark.at, mark.low, mark.high, mark.reference) == (50.0, 0.0, 75.0, 25.0)


def test_what_is_undefined_is_not_drawn():
    assert interval_mark(None, None, ends=(0, 1)) is None
