"""CSV that is safe to open in a spreadsheet; all CSV files are written here.

A spreadsheet treats a text that begins with =, +, - or @ as a formula, which can read other cells
and send them elsewhere. Such a text is prefixed with an apostrophe; numbers stay numbers. Reading
removes the apostrophe again, so that the original text is restored.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from typing import Final, TypeAlias

Cell: TypeAlias = str | int | float | bool | None

_FORMULA: Final = re.compile(r"'*[=+\-@\t\r\n]")
_ESCAPED: Final = re.compile(r"'+[=+\-@\t\r\n]")
_LONGEST_CELL: Final = 2**31 - 1
_NUMBER: Final = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?", re.ASCII)


def csv_text(rows: Iterable[Sequence[Cell]]) -> str:
    """Rows as lines of CSV; None is written as an empty cell."""
    return "".join(_line(row) for row in rows)


def text_csv(rows: Iterable[Sequence[str]]) -> str:
    """The same for texts that are read to the character, such as items: nothing is escaped."""
    return "".join(",".join(map(quote, row)) + "\n" for row in rows)


def csv_rows(text: str) -> list[list[str]]:
    """The rows of such a text that are not blank lines, with cells unescaped."""
    csv.field_size_limit(_LONGEST_CELL)
    reader = csv.reader(io.StringIO(text, newline=""))
    return [list(map(unescape, cells)) for cells in reader if cells]


def escape(text: str) -> str:
    """A text that no spreadsheet treats as a formula."""
    if _FORMULA.match(text) is None or _NUMBER.fullmatch(text) is not None:
        return text
    return f"'{text}"


def unescape(cell: str) -> str:
    """The original of an escaped text; other cells unchanged."""
    return cell[1:] if _ESCAPED.match(cell) is not None else cell


def quote(cell: str) -> str:
    """A cell in quotes where it needs them. (The library leaves a lone carriage return bare.)"""
    needs_quotes = any(mark in cell for mark in ',"\r\n')
    return '"' + cell.replace('"', '""') + '"' if needs_quotes else cell


def _line(row: Sequence[Cell]) -> str:
    words = ["" if cell is None else cell for cell in row]
    cells = [quote(escape(word) if isinstance(word, str) else str(word)) for word in words]
    return (",".join(cells) if cells != [""] else '""') + "\n"  # a line of nothing is no row
