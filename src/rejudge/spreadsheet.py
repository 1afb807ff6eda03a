"""CSV that a spreadsheet can open without running anything in it; the one writer of CSV here.

A spreadsheet takes a text that begins with =, +, - or @ for a formula, which can read other cells
and send them away. Such a text gets an apostrophe in front; numbers stay numbers. Reading takes the
apostrophe off again, so that what was written comes back unchanged.
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
_NUMBER: Final = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?", re.ASCII)
_LONGEST_CELL: Final = 2**31 - 1


def csv_text(rows: Iterable[Sequence[Cell]]) -> str:
    """Rows as lines of CSV; absent is empty."""
    return "".join(_line(row) for row in rows)


def csv_rows(text: str) -> list[list[str]]:
    """The rows of such a text, each cell as it was before it was written."""
    csv.field_size_limit(_LONGEST_CELL)
    return [list(map(unescaped, row)) for row in csv.reader(io.StringIO(text, newline=""))]


def escaped(text: str) -> str:
    """A text that no spreadsheet takes for a formula."""
    if _FORMULA.match(text) is None or _NUMBER.fullmatch(text) is not None:
        return text
    return f"'{text}"


def unescaped(cell: str) -> str:
    """The text that was escaped so; any other cell as it is."""
    return cell[1:] if _ESCAPED.match(cell) is not None else cell


def quoted(cell: str) -> str:
    """A cell in quotes where it needs them. (The library leaves a lone carriage return bare.)"""
    needs_quotes = any(mark in cell for mark in ',"\r\n')
    return '"' + cell.replace('"', '""') + '"' if needs_quotes else cell


def _line(row: Sequence[Cell]) -> str:
    words = ["" if cell is None else cell for cell in row]
    cells = [quoted(escaped(word) if isinstance(word, str) else str(word)) for word in words]
    return (",".join(cells) if cells != [""] else '""') + "\n"  # a line of nothing is no row
