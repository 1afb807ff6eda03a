"""Estimates with their intervals, one below the other on one axis."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from rejudge.report.drawing.axes import AxisScale, ticks
from rejudge.report.drawing.marks import NARROW, Box, Drawing
from rejudge.report.drawing.text import distinct_names, text_width, truncate, wrap
from rejudge.report.figures.context import (
    LINE,
    Label,
    centred_within,
    draw_centred,
    draw_marker,
    format_tick,
    system_colour,
)
from rejudge.stats import Interval

_TOP = 8.0
_ROW = 28.0
_HEIGHT_OF_AXIS = 24.0  # its numbers
_HEIGHT_OF_TITLE = 18.0
_GAP = 14.0  # between columns
_INSET = 10.0  # so that marks at the ends of an axis stay within
_MOST_LABEL = 0.34  # of the width
_LEAST_PLOT = 0.30
_BAR = 13.0
_EDGE = 4.0  # left free at both sides: bold letters are wider than they should be
_BESIDE = 8.0  # between value and interval
_HAIR = 1e-9
_NARROWEST = 1e-9  # a span that ten decimals can still divide
_ARROWS = ("← ", " →")
_LEFT_TO_RIGHT = "\u200e"  # keeps two Arabic names in their order


@dataclass(frozen=True, slots=True)
class Axis:
    """From where to where the numbers go; `reference` is where there is nothing to see."""

    low: float
    high: float
    title: str
    ticks: tuple[float, ...] = ()
    reference: float | None = None
    sides: tuple[str, str] | None = None  # what lies to the left and to the right of it


@dataclass(frozen=True, slots=True)
class EstimateRow:
    """One estimate. What is undefined is said behind the row and not drawn."""

    label: str
    shown: str  # the value as it is written
    value: float | None
    interval: Interval | None = None
    wider: Interval | None = None  # a second one, drawn thin around the first
    against: str | None = None  # the second of a pair
    spread: str = ""  # the interval as it is written
    shade: int = 0
    is_filled: bool = True
    is_bar: bool = False
    begins: str = ""  # a head above this row


def data_range(rows: Sequence[EstimateRow], *values: float) -> tuple[float, float]:
    """The ends that hold every mark, every interval and the given values."""
    ends = [row.value for row in rows if row.value is not None]
    for row in rows:
        for interval in (row.interval, row.wider):
            if interval is not None and row.value is not None:
                ends += [interval.low, interval.high]
    ends += values
    return min(ends), max(ends)


def ticks_around(
    rows: Sequence[EstimateRow], *, middle: float = 0.0, least: float = 0.0
) -> tuple[float, ...]:
    """Ticks that hold a middle and a step to each side of it, every mark and every interval.

    They reach at least `least` to both sides, so that little does not look like much.
    """
    low, high = data_range(rows, middle - least, middle + least)
    found = ticks(low, high) if high - low > _NARROWEST else (0.0, 1.0)
    step = found[1] - found[0] if len(found) > 1 else max(high - middle, middle - low)
    first = min(math.floor((low - middle) / step + _HAIR), -1)
    last = max(math.ceil((high - middle) / step - _HAIR), 1)
    return tuple(round(middle + place * step, 10) for place in range(first, last + 1))


def draw_rows(drawing: Drawing, rows: Sequence[EstimateRow], axis: Axis) -> Drawing:
    """All rows and their axis; gives the finished drawing."""
    columns = _columns(drawing.width, rows)
    rows = _with_distinct_names(rows, columns)
    span = AxisScale(axis.low, axis.high, columns.left, columns.right)
    tops, bottom = _tops(rows, columns)
    top = tops[0] + (columns.lines * LINE + 4 if columns.is_narrow else 0.0)
    _draw_axis(drawing, span, axis, ends=(top, bottom))
    for row, top in zip(rows, tops, strict=True):
        _draw_row(drawing, row, span, columns=columns, top=top)
    return drawing.finish(bottom + _under(axis))


@dataclass(frozen=True, slots=True)
class _Columns:
    """Where names end, where the plot is, and where numbers end."""

    label: float  # its width
    left: float
    right: float
    value: float  # where values end
    end: float
    is_narrow: bool
    second: float  # where the second name of a pair begins; 0 without one
    height: float  # of a row
    lines: int


def _columns(width: float, rows: Sequence[EstimateRow]) -> _Columns:
    values = max(text_width(row.shown) for row in rows)
    spreads = max(text_width(row.spread) for row in rows)
    numbers = values + (spreads + _BESIDE if spreads else 0.0)
    is_pair = any(row.against is not None for row in rows)
    if width < NARROW:
        end = width - _EDGE
        value = end - (spreads + _BESIDE if spreads else 0.0)
        lines = 2 if is_pair and _needs_own_line(rows, value) else 1
        height = (lines + 1) * LINE + (18 if lines == 1 else 26)
        return _Columns(width, _INSET, width - _INSET, value, end, True, 0.0, height, lines)
    most = width * _MOST_LABEL / (2 if is_pair else 1) + (width * 0.05 if is_pair else 0)
    room = width * (1 - _LEAST_PLOT) - numbers - 2 * _GAP
    most = min(most, (room - 2 * _GAP) / 2 if is_pair else room)
    first = min(most, max(text_width(row.label) for row in rows)) + _EDGE
    others = [text_width(row.against) for row in rows if row.against]
    second = min(most, max(others)) if others else 0.0
    lines = 2 if _is_long(rows, most) else 1
    names = first + (2 * _GAP + second if is_pair else 0.0)
    return _Columns(
        first,
        names + _GAP + _INSET,
        width - _EDGE - numbers - _GAP - _INSET,
        width - _EDGE - numbers + values,
        width - _EDGE,
        False,
        first + 2 * _GAP if is_pair else 0.0,
        _ROW if lines == 1 else 2 * LINE + 8,
        lines,
    )


def _needs_own_line(rows: Sequence[EstimateRow], value: float) -> bool:
    """Whether the names of a pair do not fit beside their numbers."""
    return any(
        text_width(f"{row.label} – {row.against or ''}") > value - text_width(row.shown) - _GAP
        for row in rows
    )


def _with_distinct_names(rows: Sequence[EstimateRow], columns: _Columns) -> list[EstimateRow]:
    """The same with names that differ even where they must be cut."""
    names = list(dict.fromkeys(name for row in rows for name in (row.label, row.against) if name))
    room = columns.label * (1.7 if columns.lines > 1 else 1.0) - _EDGE
    if columns.is_narrow:
        room = min(_room_above(row, columns) for row in rows)
    shown = dict(zip(names, distinct_names(names, room), strict=True))
    return [
        replace(row, label=shown[row.label], against=row.against and shown[row.against])
        for row in rows
    ]


def _is_long(rows: Sequence[EstimateRow], most: float) -> bool:
    names = [name for row in rows for name in (row.label, row.against) if name]
    return any(text_width(name) > most for name in names)


def _tops(rows: Sequence[EstimateRow], columns: _Columns) -> tuple[list[float], float]:
    y = _TOP
    tops = []
    for row in rows:
        y += _ROW if row.begins else 0.0
        tops.append(y)
        y += columns.height
    return tops, y + 4


def _under(axis: Axis) -> float:
    return _HEIGHT_OF_AXIS + _HEIGHT_OF_TITLE * (1 + (axis.sides is not None))


def _draw_axis(drawing: Drawing, span: AxisScale, axis: Axis, *, ends: tuple[float, float]) -> None:
    top, bottom = ends
    for tick in fitting_ticks(axis.ticks or ticks(axis.low, axis.high), span, drawing.width):
        x = span.position(tick)
        drawing.line(x, top, x, bottom)
        draw_centred(drawing, x, bottom + 16, format_tick(tick))
    if axis.reference is not None:
        x = span.position(axis.reference)
        drawing.line(x, top, x, bottom, kind="line", width=1.5)
    y = bottom + 16 + LINE + 2
    if axis.sides is not None:
        _draw_sides(drawing, axis.sides, span.position(axis.reference or 0.0), y)
        y += LINE + 2
    draw_centred(drawing, (span.left + span.right) / 2, y, axis.title)


def _draw_sides(drawing: Drawing, sides: tuple[str, str], x: float, y: float) -> None:
    """What lies to each side of the reference; moved where there is no room for it."""
    left, right = f"{_ARROWS[0]}{sides[0]}", f"{sides[1]}{_ARROWS[1]}"
    room = drawing.width - _EDGE
    middle = min(max(x, _EDGE + text_width(left) + 8), room - text_width(right) - 8)
    drawing.text(middle - 8, y, left, anchor="end", kind="soft")
    drawing.text(middle + 8, y, right, kind="soft")


def fitting_ticks(places: Sequence[float], span: AxisScale, width: float) -> list[float]:
    """Ticks whose numbers do not meet once `within` has moved them into a drawing that is so wide;
    every second or third where they would."""
    words = {tick: format_tick(tick) for tick in places}
    middles = {tick: centred_within(width, span.position(tick), words[tick]) for tick in places}
    for step in range(1, len(places) + 1):
        chosen = places[::step]
        spots = [(middles[tick], text_width(words[tick])) for tick in chosen]
        if all(b[0] - a[0] > (a[1] + b[1]) / 2 + 6 for a, b in pairwise(spots)):
            return list(chosen)
    return list(places[:1])


def _draw_row(
    drawing: Drawing, row: EstimateRow, span: AxisScale, *, columns: _Columns, top: float
) -> None:
    if row.begins:
        head = truncate(row.begins, drawing.width - 2 * _EDGE)
        drawing.text(_EDGE, top - 9, head, kind="soft")
    if columns.is_narrow:
        _draw_above(drawing, row, columns, top)
        y = top + columns.lines * LINE + (16 if columns.lines == 1 else 20)
    else:
        y = top + columns.height / 2
        _draw_beside(drawing, row, columns, y)
    if row.value is None:
        return
    if row.is_bar:
        _draw_bar(drawing, row, span, y)
    for interval, width in ((row.wider, 1.0), (row.interval, 2.0)):
        if interval is not None:
            tone = "ink" if row.is_bar else system_colour(row.shade)
            _draw_spread(drawing, span, interval, y, look=(tone, width))
    if not row.is_bar:
        draw_marker(drawing, span.position(row.value), y, shade=row.shade, is_filled=row.is_filled)


def _draw_beside(drawing: Drawing, row: EstimateRow, columns: _Columns, y: float) -> None:
    label = Label(wrap(row.label, columns.label - _EDGE, columns.lines))
    label.draw(drawing, columns.label, y, anchor="end")
    if row.against is not None:
        drawing.text(columns.label + _GAP, y + 4, "–", anchor="middle", kind="soft")
        room = columns.left - _GAP - _INSET - columns.second
        Label(wrap(row.against, room, columns.lines)).draw(drawing, columns.second, y)
    _draw_numbers(drawing, row, columns, y + 4)


def _draw_numbers(drawing: Drawing, row: EstimateRow, columns: _Columns, y: float) -> None:
    if row.value is None:
        drawing.text(columns.end, y, row.shown, anchor="end", kind="soft")
        return
    drawing.text(columns.value, y, row.shown, anchor="end")
    if row.spread:
        drawing.text(columns.end, y, row.spread, anchor="end", kind="soft")


def _draw_above(drawing: Drawing, row: EstimateRow, columns: _Columns, top: float) -> None:
    room = _room_above(row, columns)
    names = [truncate(name, room) for name in (row.label, row.against) if name]
    mark = _LEFT_TO_RIGHT if any(map(_is_right_to_left, "".join(names))) else ""
    words = f"{mark} – {mark}".join(names)
    numbers = columns.end - columns.value + text_width(row.shown)
    second = top + (columns.lines - 1) * (LINE + 3)
    left = columns.end - numbers - 4
    for x, y, width in ((0.0, top, text_width(words) + 8), (left, second, numbers + 8)):
        drawing.box(Box(x, y + 2, width, LINE + 2), kind="paper", edge=None)  # hides the rules
    drawing.text(_EDGE, top + LINE, words, kind="strong")
    _draw_numbers(drawing, row, columns, second + LINE)


def _is_right_to_left(letter: str) -> bool:
    return unicodedata.bidirectional(letter) in {"R", "AL"}


def _room_above(row: EstimateRow, columns: _Columns) -> float:
    """For a name above its mark, or for each of two."""
    room = columns.value - text_width(row.shown) - _GAP
    if columns.lines > 1:
        room = columns.end - _EDGE
    return room if row.against is None else (room - text_width(" – ")) / 2


def _draw_bar(drawing: Drawing, row: EstimateRow, span: AxisScale, y: float) -> None:
    base, end = span.position(0.0), span.position(row.value or 0.0)
    box = Box(min(base, end), y - _BAR / 2, abs(end - base), _BAR)
    if row.shade:
        drawing.bar(box, shade=row.shade)
    else:
        drawing.box(box, kind="line", edge=None)


def _draw_spread(
    drawing: Drawing, span: AxisScale, interval: Interval, y: float, *, look: tuple[str, float]
) -> None:
    kind, width = look
    low, high = span.position(interval.low), span.position(interval.high)
    drawing.line(low, y, high, y, kind=kind, width=width)
    for end in (low, high):
        drawing.line(end, y - 4, end, y + 4, kind=kind, width=width)
