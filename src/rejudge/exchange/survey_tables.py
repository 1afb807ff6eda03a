"""Tables that survey platforms export: CSV or TSV, plain or the only table of a zip archive.

Cells are kept as they are, line breaks included. Archives are read as untrusted input.
"""

from __future__ import annotations

import codecs
import csv
import io
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from rejudge.errors import FileError, Problem
from rejudge.incoming import open_regular, read_bytes

_MEGABYTE: Final = 1 << 20
MOST_BYTES: Final = 512 * _MEGABYTE  # of one table; ten thousand long sessions have 100
_MOST_ENTRIES: Final = 100
_RATIO: Final = 300  # of unpacked to packed; exports reach some thirty
_LONGEST_CELL: Final = 2**31 - 1
_SUFFIXES: Final = (".csv", ".tsv", ".txt")
_UTF16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_BROKEN: Final = (zipfile.BadZipFile, zlib.error, EOFError, ValueError, RuntimeError, OSError)
_AGAIN = "Export the data again and give the new file."


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
    content = read_bytes(path, remedy="Check the name of the file.", limit=MOST_BYTES)
    name = str(path)
    if content.startswith(b"PK"):
        content = _unpack_only_table(content, file=name)
    table = parse_survey_table(content, file=name)
    _refuse_cut(_decode(content, file=name), table)
    _refuse_long_rows(table)
    return table


def parse_survey_table(content: bytes, *, file: str) -> SurveyTable:
    """The rows of a table given as bytes; blank lines are left out."""
    text = _decode(content, file=file)
    csv.field_size_limit(_LONGEST_CELL)
    reader = csv.reader(
        io.StringIO(text, newline=""), delimiter=_delimiter(text), skipinitialspace=False
    )
    rows: list[tuple[str, ...]] = []
    numbers: list[int] = []
    try:
        for number, row in enumerate(reader, start=1):
            if any(cell.strip() for cell in row):
                rows.append(tuple(row))
                numbers.append(number)
    except csv.Error as error:
        what = f"this is not a readable table: {error}."
        raise FileError(Problem(what, _AGAIN, file=file, line=reader.line_num)) from None
    _refuse_repeated_columns(rows[:1], file=file)
    return SurveyTable(file, tuple(rows), tuple(numbers))


def _refuse_cut(text: str, table: SurveyTable) -> None:
    """A download that broke off ends in the middle of a row."""
    is_short = len(table.rows[-1]) < len(table.header) and not text.endswith(("\n", "\r"))
    if is_short or (text.count('"') % 2 and _ends_in_quotes(text)):
        what = f"the file ends in the middle of row {table.numbers[-1]}: it was cut off."
        raise FileError(Problem(what, _AGAIN, file=table.file))


def _ends_in_quotes(text: str) -> bool:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(text), strict=True)
    try:
        for _ in reader:
            pass
    except csv.Error as error:
        return "end of data" in str(error)
    return False


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


def first_text(path: Path, size: int = _MEGABYTE) -> str:
    """The beginning of a file as text, for recognising it; empty if it cannot be read."""
    try:
        with open_regular(path, remedy="") as stream:
            content = stream.read(size)
            if content.startswith(b"PK"):
                content = _unpack_only_table(content + stream.read(MOST_BYTES), file=str(path))
        return _decode_beginning(content[:size])
    except (FileError, *_BROKEN):
        return ""


def _decode_beginning(content: bytes) -> str:
    if content.startswith(_UTF16):
        return content.decode("utf-16", "replace")
    return content.decode("utf-8", "replace").removeprefix("\ufeff")


def _decode(content: bytes, *, file: str) -> str:
    """UTF-8, or UTF-16 with a byte order mark, which some platforms write for TSV."""
    try:
        if content.startswith(_UTF16):
            return content.decode("utf-16")
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        what = "the file is not in UTF-8."
        remedy = f"{_AGAIN} A spreadsheet may have changed it: choose CSV UTF-8 there."
        raise FileError(Problem(what, remedy, file=file, line=line)) from None
    if "\0" in text:
        what = "the file contains NUL characters; it is damaged or not a table."
        raise FileError(Problem(what, _AGAIN, file=file))
    return text


def _delimiter(text: str) -> str:
    head = text.partition("\n")[0]
    return max(",\t;", key=head.count)


def _refuse_repeated_columns(head: Sequence[Sequence[str]], *, file: str) -> None:
    """Two columns of one name would silently overwrite each other."""
    if not head:
        raise FileError(Problem("the file is empty.", _AGAIN, file=file))
    names = [name for name in head[0] if name]
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        what = f"several columns are called {', '.join(repeated[:5])}."
        remedy = "Give each column its own name where the data come from, and export again."
        raise FileError(Problem(what, remedy, file=file, line=1))


def _unpack_only_table(content: bytes, *, file: str) -> bytes:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            entry = _only_table(archive.infolist(), file=file)
            with archive.open(entry) as stream:
                return stream.read(entry.file_size + 1)
    except _BROKEN as error:
        what = f"this is not a valid zip archive: {error}."
        raise FileError(Problem(what, "Download the file again.", file=file)) from None


def _only_table(entries: Sequence[zipfile.ZipInfo], *, file: str) -> zipfile.ZipInfo:
    tables = [entry for entry in entries[:_MOST_ENTRIES] if _is_table(entry)]
    if len(entries) > _MOST_ENTRIES or len(tables) != 1:
        what = f"the archive has {len(tables)} tables; it must have one."
        remedy = "Unpack it and give the table itself."
        raise FileError(Problem(what, remedy, file=file))
    entry = tables[0]
    is_dense = entry.file_size > _MEGABYTE and entry.file_size > _RATIO * entry.compress_size
    if entry.file_size > MOST_BYTES or is_dense:
        what = "the table in the archive is far larger than its packed size."
        raise FileError(Problem(what, "Do not unpack it; download it again.", file=file))
    return entry


def _is_table(entry: zipfile.ZipInfo) -> bool:
    path = PurePosixPath(entry.filename)
    is_ours = not entry.is_dir() and "__MACOSX" not in path.parts and path.name[:1] != "."
    return is_ours and path.suffix.lower() in _SUFFIXES
