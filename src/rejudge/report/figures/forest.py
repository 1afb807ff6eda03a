"""Estimates with their intervals, one below the other on one axis."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rejudge.report.figures.style import (
    EDGE,
    HATCHES,
    INK,
    LINE,
    PAPER,
    RULE,
    SOFT,
    PanelSheet,
    colour,
    distinct_names,
    draw_whisker,
    format_tick,
    marker,
    text_width,
    ticks,
    truncate,
    wrap,
)
from rejudge.stats import Interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_ROW = 20.0
_GAP = 10.0  # between columns
_MOST_LABEL = 0.34  # of the width
_LEAST_PLOT = 0.30
_BESIDE = 6.0  # between value and interval
_FOOT = 32.0  # for the numbers and the name of the axis
_HAIR = 1e-9
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
    against: str = ""  # the second of a pair
    spread: str = ""  # the interval as it is written
    shade: int = -1
    is_filled: bool = True
    is_bar: bool = False
    begins: str = ""  # a head above this row


@dataclass(frozen=True, slots=True)
class _Columns:
    """Where names, marks and numbers stand."""

    label: float  # room for a name
    second: float  # room for the second name of a pair; 0 without one
    value: float  # where values end
    end: float  # where intervals end
    lines: int  # of a name

    @property
    def left(self) -> float:
        return EDGE + self.label + (2 * _GAP + self.second if self.second else 0)


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
    found = ticks(low, high) if high - low > _HAIR else (0.0, 1.0)
    step = found[1] - found[0] if len(found) > 1 else max(high - middle, middle - low)
    first = min(math.floor((low - middle) / step + _HAIR), -1)
    last = max(math.ceil((high - middle) / step - _HAIR), 1)
    return tuple(round(middle + place * step, 10) for place in range(first, last + 1))


def draw_rows(rows: Sequence[EstimateRow], axis: Axis, width: float) -> Figure:
    """All rows and their axis; on phones the names stand above their marks."""
    sheet = PanelSheet(width)
    columns = _columns(sheet, rows)
    height = (_ROW if columns.lines == 1 else 2 * LINE + 6) + (_ROW - 4) * sheet.is_narrow
    heads = [place for place, row in enumerate(rows) if row.begins]
    bottom = 4 + height * len(rows) + _ROW * len(heads) + 2
    marks = axis.ticks or ticks(axis.low, axis.high)
    inset = max(7.0, *(text_width(format_tick(each)) / 2 for each in marks)) if marks else 7.0
    if sheet.is_narrow:
        axes = sheet.rows(EDGE + inset, 4, width - EDGE - inset, bottom)
    else:
        numbers = max(text_width(row.shown) for row in rows)
        right = columns.value - numbers - _GAP
        axes = sheet.rows(columns.left + _GAP + 7, 4, right - 7, bottom)
    axes.set_xlim(axis.low, axis.high if axis.high > axis.low else axis.low + 1)
    axes.grid(axis="x")
    _draw_axis(sheet, axes, axis, marks)
    names = _names(sheet, rows, columns)
    y = 0.0
    for row in rows:
        if row.begins:
            y += _ROW
            sheet.write(axes, EDGE, y - 7, truncate(row.begins, width - 2 * EDGE), color=SOFT)
        if sheet.is_narrow:
            _write_above(sheet, axes, row, columns, names=names, y=y)
        else:
            _write_beside(sheet, axes, row, columns, names=names, y=y + height / 2)
        draw_row(axes, row, y + height - (_ROW / 2 - 1) if sheet.is_narrow else y + height / 2)
        y += height
    return sheet.finish(bottom + _FOOT + (LINE + 3) * (axis.sides is not None))


def _columns(sheet: PanelSheet, rows: Sequence[EstimateRow]) -> _Columns:
    values = max(text_width(row.shown) for row in rows)
    spreads = max(text_width(row.spread) for row in rows)
    end = sheet.width - EDGE
    value = end - (spreads + _BESIDE if spreads else 0.0)
    seconds = [row.against for row in rows if row.against]
    if sheet.is_narrow:
        room = value - values - _GAP - EDGE
        is_long = any(text_width(_both(row), is_bold=True) > room for row in rows)
        return _Columns(room, 0.0, value, end, 2 if seconds and is_long else 1)
    most = sheet.width * _MOST_LABEL / (1.5 if seconds else 1)
    plot = sheet.width * (1 - _LEAST_PLOT) - (end - value) - values - 4 * _GAP
    most = min(most, (plot - 2 * _GAP) / 2 if seconds else plot)
    first = max(text_width(row.label, is_bold=True) for row in rows)
    second = max((text_width(name, is_bold=True) for name in seconds), default=0.0)
    lines = 2 if max(first, second) > most else 1
    return _Columns(min(most, first), min(most, second), value, end, lines)


def _both(row: EstimateRow) -> str:
    return f"{row.label} – {row.against}" if row.against else row.label


def _names(sheet: PanelSheet, rows: Sequence[EstimateRow], columns: _Columns) -> dict[str, str]:
    """Names that differ even where they must be cut."""
    room = columns.label * (1.7 if columns.lines > 1 and not sheet.is_narrow else 1.0)
    if sheet.is_narrow and columns.second:
        room /= 2
    known = dict.fromkeys(name for row in rows for name in (row.label, row.against) if name)
    return distinct_names(list(known), room)


def _draw_axis(sheet: PanelSheet, axes: Axes, axis: Axis, marks: Sequence[float]) -> None:
    sheet.ticks_across(axes, [each for each in marks if axis.low <= each <= axis.high])
    if axis.reference is not None:
        axes.axvline(axis.reference, color=RULE, lw=1.1, zorder=1)
    down = 25.0
    if axis.sides is not None:
        left, right = f"← {axis.sides[0]}", f"{axis.sides[1]} →"
        x = sheet.place(axes, axis.reference or 0.0)
        x = min(max(x, EDGE + text_width(left) + 5), sheet.width - EDGE - text_width(right) - 5)
        sheet.below(axes, x - 5, down, left, ha="right")
        sheet.below(axes, x + 5, down, right, ha="left")
        down += LINE + 3
    sheet.title(axes, axis.title, down)


def draw_row(axes: Axes, row: EstimateRow, y: float) -> None:
    """The marks of a row: a bar from zero, intervals with their ends, and the value."""
    if row.value is None:
        return
    tone = INK if row.is_bar else colour(row.shade)
    if row.is_bar:
        hatch = HATCHES[(row.shade - 1) % 3 + 1] if row.shade > 0 else ""
        axes.barh(y, row.value, 9.5, color=colour(row.shade), hatch=hatch, ec=PAPER, lw=0)
    for interval, thickness in ((row.wider, 0.75), (row.interval, 1.5)):
        if interval is not None:
            draw_whisker(axes, (interval.low, interval.high), y, tone=tone, lw=thickness)
    if not row.is_bar:
        low, high = axes.get_xlim()
        axes.plot(
            [min(max(row.value, low), high)], [y], **marker(row.shade, is_filled=row.is_filled)
        )


def _write_beside(
    sheet: PanelSheet,
    axes: Axes,
    row: EstimateRow,
    columns: _Columns,
    *,
    names: dict[str, str],
    y: float,
) -> None:
    """Names in their columns at the left, numbers at the right."""
    label = wrap(names[row.label], columns.label, columns.lines, is_bold=True)
    sheet.lines(axes, EDGE + columns.label, y, label, ha="right")
    if row.against:
        x = EDGE + columns.label + _GAP
        sheet.write(axes, x, y, "–", color=SOFT, ha="center")
        second = wrap(names[row.against], columns.second, columns.lines, is_bold=True)
        sheet.lines(axes, x + _GAP, y, second)
    _write_numbers(sheet, axes, row, columns, y=y)


def _write_above(
    sheet: PanelSheet,
    axes: Axes,
    row: EstimateRow,
    columns: _Columns,
    *,
    names: dict[str, str],
    y: float,
) -> None:
    """Names above the mark, and numbers behind them or in a line of their own."""
    shown = [names[name] for name in (row.label, row.against) if name]
    mark = _LEFT_TO_RIGHT if any(map(_is_right_to_left, "".join(shown))) else ""
    room = columns.label
    if columns.lines > 1:
        room = (sheet.width - 2 * EDGE - text_width(" – ")) / 2
        shown = [truncate(name, room, is_bold=True) for name in shown]
        room = sheet.width
    words = truncate(f"{mark} – {mark}".join(shown), room, is_bold=True)
    ground: dict[str, Any] = {"bbox": {"fc": PAPER, "ec": "none", "pad": 1.0}}  # hides the rules
    sheet.write(axes, EDGE, y + 8, words, weight="bold", **ground)
    _write_numbers(sheet, axes, row, columns, y=y + 8 + (columns.lines - 1) * (LINE + 2), **ground)


def _write_numbers(
    sheet: PanelSheet, axes: Axes, row: EstimateRow, columns: _Columns, *, y: float, **look: Any
) -> None:
    if row.value is None:
        sheet.write(axes, columns.end, y, row.shown, ha="right", color=SOFT, **look)
        return
    sheet.write(axes, columns.value, y, row.shown, ha="right", **look)
    if row.spread:
        sheet.write(axes, columns.end, y, row.spread, ha="right", color=SOFT, **look)


def _is_right_to_left(letter: str) -> bool:
    return unicodedata.bidirectional(letter) in {"R", "AL"}
