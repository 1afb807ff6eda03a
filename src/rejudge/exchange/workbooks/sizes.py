"""How wide columns and how tall rows are, so that every text can be read at once."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import chain
from math import ceil

from rejudge.exchange.workbooks.layout import (
    SEGMENT_COLUMN,
    UNIT_COLUMN,
    Choices,
    SheetColumn,
    TaskRow,
    TaskSheet,
)

LINE_POINTS, TALLEST = 16.5, 400.0  # a row can have 409
_TEXT_UNITS, _NARROWEST, _WIDEST = 130.0, 16.0, 72.0  # widths, in digits as spreadsheets count
_STEP, _SAMPLE = 4.0, 40  # by how much a column is widened; tasks that decide about widths


def is_shared(column: SheetColumn) -> bool:
    """Whether a column shows texts of the whole task rather than of one sentence."""
    return column.choices is None and column.id not in {UNIT_COLUMN, SEGMENT_COLUMN}


def column_widths(sheet: TaskSheet) -> dict[str, float]:
    """Widths of all columns; those of texts share a screen such that rows are low."""
    widths = _text_widths(sheet)
    widths[UNIT_COLUMN] = 13.0
    for column in sheet.answer_columns:
        longest = max((_units(word) for word in column.label.split("\n")), default=0)
        chosen = max((_units(x) for x in _texts(column.choices)), default=0)
        is_part = column.id != (column.question.id if column.question else "")
        usual = 11.0 if is_part else min(26.0, max(13.0, _units(column.title) / 3))
        widths[column.id] = max(usual, min(24.0, longest + 2), min(30.0, chosen + 5))
    return widths


def _text_widths(sheet: TaskSheet) -> dict[str, float]:
    """Begin narrow, and widen whichever column is tallest, until the screen is full."""
    blocks = list(sheet.blocks())
    sample = blocks[:: max(1, len(blocks) // _SAMPLE)]
    texts = {
        column.id: [[row.texts.get(column.id, "") for row in block] for block in sample]
        for column in sheet.text_columns
        if column.id != UNIT_COLUMN
    }

    def height(column: str) -> int:
        width = widths[column]
        return sum(lines_of(text, width) for block in texts[column] for text in block if text)

    widths = dict.fromkeys(texts, _NARROWEST)
    heights = {column: height(column) for column in texts}
    while heights and sum(widths.values()) < _TEXT_UNITS:
        tallest = max(heights, key=lambda column: heights[column])
        widths[tallest] += _STEP
        heights[tallest] = height(tallest)
        longest = max(map(_units, "\n".join(chain.from_iterable(texts[tallest])).split("\n")))
        if widths[tallest] >= min(_WIDEST, longest * 1.06 + 1.5):
            del heights[tallest]  # it cannot get lower, or is as wide as people like to read
    return widths


def _texts(choices: Choices | None) -> list[str]:
    return [x for x in choices.shown.values() if isinstance(x, str)] if choices else []


def row_heights(block: Sequence[TaskRow], widths: Mapping[str, float]) -> list[float]:
    """The heights of a task's rows; further rows where its texts are taller than a row can be."""
    own = [
        max(_height(row.texts.get(each, ""), widths) for each in (SEGMENT_COLUMN, UNIT_COLUMN))
        if SEGMENT_COLUMN in row.texts
        else 2 * LINE_POINTS
        for row in block
    ]
    shared = [
        _points(text, widths[column])
        for column, text in block[0].texts.items()
        if column not in {SEGMENT_COLUMN, UNIT_COLUMN}
    ]
    heights = [min(TALLEST, each) for each in own]
    missing = max(shared, default=0.0) - sum(heights)
    if missing <= 0:
        return heights
    room = TALLEST * len(heights) - sum(heights)
    if missing > room:
        return [TALLEST] * (len(heights) + ceil((missing - room) / TALLEST))
    return [each + missing * (TALLEST - each) / room for each in heights]


def _height(text: str, widths: Mapping[str, float]) -> float:
    return _points(text, widths[SEGMENT_COLUMN])


def _points(text: str, width: float) -> float:
    return 6 + LINE_POINTS * lines_of(text, width)


def lines_of(text: str, width: float) -> int:
    """How many lines a text takes in a column, a little more than less: lines end at words."""
    room = max(4.0, width - 1.5)
    return sum(max(1, ceil(_units(line) * 1.06 / room)) for line in text.split("\n"))


@lru_cache(maxsize=4096)  # every width of a column is tried on the same texts
def _units(text: str) -> float:
    """The width of a text in digits; an ideograph is twice as wide."""
    wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in text)
    return 0.92 * (len(text) - wide) + 2.1 * wide
