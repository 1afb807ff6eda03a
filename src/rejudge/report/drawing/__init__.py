"""Figures as data, and as SVG, PDF and PNG: the same bytes for the same numbers."""

from rejudge.report.drawing.axes import Span, across, apart, tick_labels, ticks
from rejudge.report.drawing.fonts import check_font
from rejudge.report.drawing.letters import breadth, cut, distinct, minus, wrapped
from rejudge.report.drawing.marks import COLUMN, NARROW, PHONE, ROW, SHADES, WIDTH, Box, Drawing
from rejudge.report.drawing.paper import to_pdf, to_png
from rejudge.report.drawing.picture import Picture, letters_not_printed, picture_files
from rejudge.report.drawing.svg import to_svg

__all__ = [
    "COLUMN",
    "NARROW",
    "PHONE",
    "ROW",
    "SHADES",
    "WIDTH",
    "Box",
    "Drawing",
    "Picture",
    "Span",
    "across",
    "apart",
    "breadth",
    "check_font",
    "cut",
    "distinct",
    "letters_not_printed",
    "minus",
    "picture_files",
    "tick_labels",
    "ticks",
    "to_pdf",
    "to_png",
    "to_svg",
    "wrapped",
]
