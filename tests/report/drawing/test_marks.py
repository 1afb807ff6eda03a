"""Marks of a drawing: patterns and colours."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import rejudge.report
from rejudge.report.drawing.marks import PAPER_COLOURS, Box, hatch_dots, hatch_lines


def test_colours_on_paper_are_those_of_the_light_page():
    style = Path(rejudge.report.__file__).parent / "templates" / "tokens.css"
    light = dict(re.findall(r"--([\w-]+): (#\w{6})", style.read_text("utf-8").split("@media")[0]))
    assert {role: light[role] for role in PAPER_COLOURS} == PAPER_COLOURS


@pytest.mark.parametrize("slope", [1, -1])
@pytest.mark.parametrize(("width", "height"), [(30, 12), (3, 12), (200, 4), (0.5, 0.5), (0, 10)])
def test_lines_of_a_pattern_stay_inside_their_box(slope, width, height):
    box = Box(17, 23, width, height)
    for start, end in hatch_lines(box, slope):
        for x, y in (start, end):
            assert box.x - 1e-9 <= x <= box.x + width + 1e-9
            assert box.y - 1e-9 <= y <= box.y + height + 1e-9
        rise = (end[1] - start[1]) / (end[0] - start[0])
        assert rise == pytest.approx(-slope)  # y grows downwards


def test_dots_of_a_pattern_begin_at_the_corner_of_the_box():
    assert list(hatch_dots(Box(10, 20, 12, 6))) == [(13, 23), (19, 23)]
