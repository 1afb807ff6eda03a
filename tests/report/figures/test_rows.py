"""Rows of estimates on one axis: which numbers the axis shows."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from pictured import meeting, outside
from rejudge.report.drawing.marks import COLUMN, WIDTH, Drawing
from rejudge.report.figures.rows import Axis, EstimateRow, draw_rows, ticks_around
from rejudge.stats import Interval


def drawn(value: float, half: float, width: float) -> Drawing:
    row = EstimateRow("A", f"{value:g}", value, Interval(value - half, value + half, 0.95))
    places = ticks_around([row], least=1e-6)
    axis = Axis(places[0], places[-1], "Difference", ticks=places, reference=0.0)
    return draw_rows(Drawing("t", "s", width=width), [row], axis)


SMALL = st.floats(-3, 1.5).map(lambda power: 10**power)


@given(
    value=st.tuples(st.floats(-1, 1), SMALL).map(lambda pair: round(pair[0] * pair[1], 4)),
    half=st.tuples(st.floats(0, 0.5), SMALL).map(lambda pair: round(pair[0] * pair[1], 4)),
    width=st.sampled_from((COLUMN, 358.0, WIDTH)),
)
@example(value=-0.0472, half=0.0541, width=COLUMN)  # "−0.125" is moved in from the edge
@example(value=-0.0042, half=0.0006, width=358.0)
def test_numbers_of_an_axis_never_meet(value, half, width):
    drawing = drawn(value, half, width)
    assert not meeting(drawing)
    assert not outside(drawing)
