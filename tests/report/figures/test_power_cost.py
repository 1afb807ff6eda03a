"""The figure of power against cost."""

from __future__ import annotations

from dataclasses import replace

from planned_powers import PLANNED, size
from rejudge.report.drawing.marks import PHONE, LineMark, PolygonMark, TextMark
from rejudge.report.figures.power_cost import power_picture
from rejudge.stats import Interval


def words(picture) -> list[str]:
    return [mark.words for mark in picture.drawing.marks if isinstance(mark, TextMark)]


def test_it_shows_the_planned_and_the_cheapest_size():
    picture = power_picture(PLANNED)

    assert picture is not None
    assert "The large dot is the planned size." in picture.caption
    assert "The diamond is the cheapest size with 80\u202f% power." in picture.caption
    assert sum(isinstance(mark, PolygonMark) for mark in picture.drawing.marks) == 2
    assert "Cost in GBP" in words(picture)


def test_without_pay_hours_are_the_axis():
    free = replace(PLANNED, sizes=(size(50, 0.6, None), size(100, 0.85, None)), cheapest=None)
    picture = power_picture(free)

    assert picture is not None
    assert "Hours of all participants" in words(picture)
    assert "diamond" not in picture.caption


def test_a_large_error_of_the_simulation_is_drawn():
    """±0.1 is seen, ±0.01 is hidden by its dot."""
    sizes = [
        replace(
            each,
            comparisons=tuple(
                replace(c, mc=Interval(c.power - reach, c.power + reach, 0.95))
                for c in each.comparisons
            ),
        )
        for each, reach in zip(PLANNED.sizes, (0.1, 0.01), strict=False)
    ]
    picture = power_picture(replace(PLANNED, sizes=tuple(sizes), cheapest=None))

    assert picture is not None
    lines = [m for m in picture.drawing.marks if isinstance(m, LineMark) and len(m.points) == 2]
    upright = [m for m in lines if m.points[0][0] == m.points[1][0]]
    tall = [m for m in upright if abs(m.points[0][1] - m.points[1][1]) > 10]
    assert len(tall) == 1
    assert "(upright lines: 95 % intervals)" in picture.caption


def test_one_size_needs_no_figure():
    assert power_picture(replace(PLANNED, sizes=PLANNED.sizes[:1], cheapest=None)) is None


def test_nothing_leaves_a_narrow_drawing():
    picture = power_picture(PLANNED, width=PHONE)

    assert picture is not None
    assert all(0 <= mark.x <= PHONE for mark in picture.drawing.marks if isinstance(mark, TextMark))


def test_sizes_that_differ_in_people_alone_have_lines_of_their_own():
    few = size(50, 0.3, "100.00", participants=25)
    picture = power_picture(replace(PLANNED, sizes=(*PLANNED.sizes, few)))

    assert picture is not None
    assert any("(25 people)" in each for each in words(picture))
