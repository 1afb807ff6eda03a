"""The figure of power against cost."""

from __future__ import annotations

from dataclasses import replace

from pictured import outside, panels, signs, words
from planned_powers import PLANNED, size
from rejudge.report.figures.power import power_picture
from rejudge.report.figures.style import RULE
from rejudge.stats import Interval


def test_it_shows_the_planned_and_the_cheapest_size():
    picture = power_picture(PLANNED)

    assert picture is not None
    assert "The large dot is the planned size." in picture.caption
    assert "The diamond is the cheapest size with 80\u202f% power." in picture.caption
    assert sum(sign.get_marker() == "D" for sign in signs(picture)) == 2
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
                replace(c, interval=Interval(c.power - reach, c.power + reach, 0.95))
                for c in each.comparisons
            ),
        )
        for each, reach in zip(PLANNED.sizes, (0.1, 0.01), strict=False)
    ]
    picture = power_picture(replace(PLANNED, sizes=tuple(sizes), cheapest=None))

    assert picture is not None
    lines = [line for line in panels(picture)[0].lines if line.get_color() == RULE]
    upright = [line for line in lines if len(set(line.get_xdata())) == 1]
    assert len([line for line in upright if len(line.get_xdata()) == 2]) == 1
    assert "(upright lines: 95 % intervals)" in picture.caption


def test_one_size_needs_no_figure():
    assert power_picture(replace(PLANNED, sizes=PLANNED.sizes[:1], cheapest=None)) is None


def test_no_words_leave_the_figure():
    picture = power_picture(PLANNED)

    assert picture is not None
    assert not outside(picture)


def test_sizes_that_differ_in_people_alone_have_lines_of_their_own():
    few = size(50, 0.3, "100.00", participants=25)
    picture = power_picture(replace(PLANNED, sizes=(*PLANNED.sizes, few)))

    assert picture is not None
    assert any("(25 people)" in each for each in words(picture))
