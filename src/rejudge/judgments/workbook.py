"""Sheets of Excel workbooks: their rows with the line of each, and what makes one unreadable."""

from __future__ import annotations

import warnings
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

from rejudge.errors import FileError, Problem
from rejudge.incoming import open_regular

Row: TypeAlias = tuple[Any, ...]  # cells of any type that Excel knows

_MEGABYTE = 1 << 20
_UNPACKED_BYTES = 4096 * _MEGABYTE
_RATIO = 300  # of unpacked to packed; sheets of numbers reach some twenty
_RATIO_FROM_BYTES = 64 * _MEGABYTE  # a small workbook may be as empty as it likes
_MOST_ENTRIES = 10_000  # files in the archive
_MOST_ROWS = 1 << 20  # of a sheet, which Excel itself does not exceed
_MOST_CELLS = 200_000_000
_DAMAGED = "It may be damaged: open it in a spreadsheet and save it again."


@dataclass(frozen=True, slots=True)
class WorkbookSheet:
    """The rows of a sheet that hold anything, each with its line, and how many more sheets."""

    name: str
    rows: list[tuple[int, Row]]
    others: int
    is_wider: bool = False  # whether some rows go on to the right of the head


def read_sheet(path: Path, wanted: str | None) -> WorkbookSheet:
    """The sheet of this name, or the first; the first of its rows is the head."""
    with open_regular(path, remedy="Give a table of judgments.") as stream, _explain_damage(path):
        _refuse_bombs(stream, path)
        import openpyxl

        book = openpyxl.load_workbook(stream, read_only=True, data_only=True)
        sheets = {sheet.title: sheet for sheet in book.worksheets}
        name = _choose_sheet(sheets, wanted, path)
        found = _Rows(path)
        rows = list(found.filled_rows(_cells(sheets[name])))
        if any(None in row for _, row in rows):
            formulas = openpyxl.load_workbook(stream, read_only=True)[name]
            _refuse_uncalculated(rows, _cells(formulas), path)
    if not rows:
        what = f"the sheet '{name}' is empty."
        raise FileError(Problem(what, "Name another with --sheet.", file=str(path)))
    return WorkbookSheet(name, rows, len(sheets) - 1, found.is_wider)


def _choose_sheet(sheets: dict[str, Any], wanted: str | None, path: Path) -> str:  # of openpyxl
    if not sheets:
        what = "the workbook has no sheet with cells."
        raise FileError(Problem(what, "Put the table on a sheet of its own.", file=str(path)))
    if wanted is not None and wanted not in sheets:
        remedy = f"The workbook has {', '.join(sheets)}."
        raise FileError(Problem(f"there is no sheet '{wanted}'.", remedy, file=str(path)))
    return next(iter(sheets)) if wanted is None else wanted


def _cells(sheet: Any) -> Iterator[Row]:  # of openpyxl
    sheet.reset_dimensions()  # the size that a file claims would cut off or add cells
    rows: Iterator[Row] = sheet.iter_rows(values_only=True)
    return rows


@dataclass(slots=True)
class _Rows:
    """Rows as wide as the first of them, which names the columns."""

    path: Path
    is_wider: bool = False  # whether some went on further

    def filled_rows(self, rows: Iterator[Row]) -> Iterator[tuple[int, Row]]:
        """Those that are not empty, each with its line."""
        width, cells = 0, 0
        for line, row in enumerate(rows, start=1):
            if line > _MOST_ROWS or cells > _MOST_CELLS:
                what = "the sheet has more rows or cells than a spreadsheet can hold."
                raise FileError(Problem(what, _DAMAGED, file=str(self.path)))
            if any(cell is not None for cell in row):
                width = width or len(row)
                cells += width
                self.is_wider |= any(cell is not None for cell in row[width:])
                yield line, tuple(row[:width])


def _refuse_uncalculated(rows: list[tuple[int, Row]], formulas: Iterator[Row], path: Path) -> None:
    """Refuse formulas whose results are not in the file: their cells would count as empty."""
    values = dict(rows)
    for line, row in enumerate(formulas, start=1):
        pairs = zip(values.get(line, ()), row, strict=False)
        if any(value is None and formula is not None for value, formula in pairs):
            what = "the row has a formula whose result is not in the file."
            remedy = "Open the file in a spreadsheet and save it again."
            raise FileError(Problem(what, remedy, file=str(path), line=line))


def _refuse_bombs(stream: BinaryIO, path: Path) -> None:
    """Look at the directory of the archive; no entry is ever unpacked beyond the size it has there.

    That is how `zipfile` reads: what is longer than declared ends there, with a wrong checksum.
    """
    with zipfile.ZipFile(stream) as archive:
        entries = archive.infolist()
    size = sum(entry.file_size for entry in entries)
    packed = max(1, sum(entry.compress_size for entry in entries))
    is_bomb = size > _RATIO_FROM_BYTES and size > _RATIO * packed
    if is_bomb or size > _UNPACKED_BYTES or len(entries) > _MOST_ENTRIES:
        what = f"unpacked, the workbook would have {size // _MEGABYTE:,} MB."
        raise FileError(Problem(what, "Export the table as CSV.", file=str(path)))


@contextmanager
def _explain_damage(path: Path) -> Iterator[None]:
    """Turn a broken workbook into a message.

    openpyxl checks little: depending on which byte is wrong it raises nearly any exception there
    is, so all but our own and those of the machine are taken for a fault of the file.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # on styles, drop-down lists … that are not read anyway
            yield
    except (FileError, MemoryError):
        raise
    except zipfile.BadZipFile:
        what = "the file is not an .xlsx workbook."
        raise FileError(Problem(what, _DAMAGED, file=str(path))) from None
    except Exception:  # noqa: BLE001 - see above
        what = "the workbook is damaged, or has no sheet with cells."
        raise FileError(Problem(what, _DAMAGED, file=str(path))) from None
