"""Tables that survey platforms export: CSV or TSV, plain or the only table of a zip archive.

Cells are kept as they are, line breaks included. A file that was cut off or changed is refused.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from rejudge.errors import FileError, Problem
from rejudge.exchange.opening import open_documents
from rejudge.incoming import UTF16_MARKS, bad_text, open_regular
from rejudge.tables_in import Dialect, NamedFile, detect_dialect, repeated_columns

_SUFFIXES: Final = (".csv", ".tsv", ".txt")
_AGAIN = "Export the data again and give the new file."
_LINE_ENDS = (b"\n", b"\r", b"\n\0", b"\r\0")  # the last two in UTF-16


@dataclass(frozen=True, slots=True)
class SurveyTable:
    """The rows of a table as lists of cells, and their places."""

    file: str
    rows: tuple[tuple[str, ...], ...]
    numbers: tuple[int, ...]  # of the rows, as a spreadsheet counts them, from 1

    @property
    def header(self) -> tuple[str, ...]:
        """The first row; empty for an empty file."""
        return self.rows[0] if self.rows else ()

    def records(self, skip: int = 1) -> tuple[Mapping[str, str], ...]:
        """The rows below the header as mappings; missing cells are empty."""
        width = len(self.header)
        return tuple(
            dict(zip(self.header, (*row, *[""] * (width - len(row))), strict=False))
            for row in self.rows[skip:]
        )


def read_survey_table(path: Path) -> SurveyTable:
    """The only table of a file; an error says what is wrong with the file."""
    source = NamedFile(str(path), _only_table(path))
    table = parse_survey_table(source.content, file=source.name)
    _refuse_cut(source, table)
    _refuse_long_rows(table)
    return table


def parse_survey_table(content: bytes, *, file: str) -> SurveyTable:
    """The rows of a table given as bytes; blank lines are left out."""
    source = NamedFile(file, content)
    found = [
        (number, tuple(row.cells))
        for number, row in enumerate(_dialect(source).rows(source), start=1)
        if any(cell.strip() for cell in row.cells)
    ]
    if not found:
        raise FileError(Problem("the file is empty.", _AGAIN, file=file))
    repeated = repeated_columns(found[0][1], file=file)
    if repeated:
        raise FileError(*repeated)
    return SurveyTable(file, tuple(row for _, row in found), tuple(number for number, _ in found))


def _dialect(source: NamedFile) -> Dialect:
    """How the table is written; in another encoding than exports have, it was saved elsewhere."""
    found = detect_dialect(source)
    if found.encoding not in {"utf-8-sig", "utf-16"}:
        raise FileError(bad_text(io.BytesIO(source.content), file=source.name))
    return found


def _refuse_cut(source: NamedFile, table: SurveyTable) -> None:
    """A download that broke off ends in the middle of a row."""
    is_short = len(table.rows[-1]) < len(table.header)
    is_open = source.content.count(b'"') % 2 and any(
        "end of data" in row.fault for row in _dialect(source).rows(source, strict=True)
    )
    if (is_short and not source.content.endswith(_LINE_ENDS)) or is_open:
        what = f"the file ends in the middle of row {table.numbers[-1]}: it was cut off."
        raise FileError(Problem(what, _AGAIN, file=table.file))


def _refuse_long_rows(table: SurveyTable) -> None:
    """Cells without a column: a text with a comma that is not in quotes moves all that follow."""
    width = len(table.header)
    long = [
        number
        for row, number in zip(table.rows, table.numbers, strict=True)
        if any(cell.strip() for cell in row[width:])
    ]
    if long:
        what = f"row {long[0]} has more cells than the header has columns ({width})."
        raise FileError(Problem(what, _AGAIN, file=table.file))


def first_text(path: Path, size: int = 1 << 20) -> str:
    """The beginning of a file as text, for recognising it; empty if it cannot be read."""
    try:
        with open_regular(path, remedy="") as stream:
            content = stream.read(size)
        if content.startswith(b"PK"):
            content = _only_table(path)[:size]
    except (FileError, OSError):
        return ""
    encoding = "utf-16" if content.startswith(UTF16_MARKS) else "utf-8"
    return content.decode(encoding, "replace").removeprefix("\ufeff")


def _only_table(path: Path) -> bytes:
    """The content of a file, or of the only table in an archive."""
    found = [each for each in open_documents([path], _SUFFIXES) if not _is_hidden(each.name)]
    if len(found) != 1:
        what = f"the archive has {len(found)} tables; it must have one."
        raise FileError(Problem(what, "Unpack it and give the table itself.", file=str(path)))
    return found[0].content


def _is_hidden(name: str) -> bool:
    """Whether a file of an archive is one that macOS adds."""
    path = PurePosixPath(name)
    return "__MACOSX" in path.parts or path.name.startswith(".")
