"""One sheet of an Excel workbook as rows of cells, whatever the file claims about itself."""

from __future__ import annotations

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
class Sheet:
    """The rows of a sheet that hold anything, each with its line, and how many more sheets."""

    name: str
    rows: list[tuple[int, Row]]
    others: int


def read_sheet(path: Path, wanted: str | None) -> Sheet:
    """The sheet of this name, or the first; the first of its rows is the head."""
    with open_regular(path, remedy="Name a table.") as stream, _refusing(path):
        _refuse_bombs(stream, path)
        import openpyxl

        book = openpyxl.load_workbook(stream, read_only=True, data_only=True)
        sheets = {sheet.title: sheet for sheet in book.worksheets}
        name = _chosen(sheets, wanted, path)
        found = sheets[name]
        found.reset_dimensions()  # the size that a file claims would cut off or add cells
        rows = list(_filled(found.iter_rows(values_only=True), path))
    if not rows:
        what = f"the sheet '{name}' is empty."
        raise FileError(Problem(what, "Name another with --sheet.", file=str(path)))
    return Sheet(name, rows, len(sheets) - 1)


def _chosen(sheets: dict[str, Any], wanted: str | None, path: Path) -> str:  # of openpyxl
    if not sheets:
        what = "the workbook has no sheet with cells."
        raise FileError(Problem(what, "Put the table on a sheet of its own.", file=str(path)))
    if wanted is not None and wanted not in sheets:
        remedy = f"The workbook has {', '.join(sheets)}."
        raise FileError(Problem(f"there is no sheet '{wanted}'.", remedy, file=str(path)))
    return next(iter(sheets)) if wanted is None else wanted


def _filled(rows: Iterator[Row], path: Path) -> Iterator[tuple[int, Row]]:
    """Rows that are not empty, as wide as the first of them: it names the columns."""
    width, cells = 0, 0
    for line, row in enumerate(rows, start=1):
        if line > _MOST_ROWS or cells > _MOST_CELLS:
            what = "the sheet has more rows or cells than a spreadsheet can hold."
            raise FileError(Problem(what, _DAMAGED, file=str(path)))
        if any(cell is not None for cell in row):
            width = width or len(row)
            cells += width
            yield line, tuple(row[:width])


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
def _refusing(path: Path) -> Iterator[None]:
    """Turn a broken workbook into a message.

    openpyxl checks little: depending on which byte is wrong it raises nearly any exception there
    is, so all but our own and those of the machine are taken for a fault of the file.
    """
    try:
        yield
    except (FileError, MemoryError):
        raise
    except zipfile.BadZipFile:
        what = "the file is no .xlsx workbook."
        raise FileError(Problem(what, _DAMAGED, file=str(path))) from None
    except Exception:  # noqa: BLE001 - see above
        what = "the workbook is damaged, or has no sheet with cells."
        raise FileError(Problem(what, _DAMAGED, file=str(path))) from None
