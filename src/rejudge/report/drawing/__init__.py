"""Figures as data, and as SVG, PDF and PNG: the same bytes for the same numbers."""

from rejudge.arguments import explain_arguments
from rejudge.report.drawing.axes import AxisScale, draw_axis, spread_apart, tick_labels, ticks
from rejudge.report.drawing.export import to_pdf, to_png
from rejudge.report.drawing.marks import COLUMN, NARROW, PHONE, ROW, SHADES, WIDTH, Box, Drawing
from rejudge.report.drawing.picture import Picture, characters_not_printed, picture_files, to_svg
from rejudge.report.drawing.text import (
    check_font,
    distinct_names,
    text_width,
    truncate,
    with_minus_sign,
    wrap,
)

__all__ = [
    "COLUMN",
    "NARROW",
    "PHONE",
    "ROW",
    "SHADES",
    "WIDTH",
    "AxisScale",
    "Box",
    "Drawing",
    "Picture",
    "characters_not_printed",
    "check_font",
    "distinct_names",
    "draw_axis",
    "picture_files",
    "spread_apart",
    "text_width",
    "tick_labels",
    "ticks",
    "to_pdf",
    "to_png",
    "to_svg",
    "truncate",
    "with_minus_sign",
    "wrap",
]

explain_arguments(__name__)
