"""Judgments in text files: CSV and TSV from any program, and JSON lines, read by pyarrow.

A table is opened first and read later: which of its columns are needed is known only then. How text
files are decoded and split into rows is decided in `rejudge.text_tables`.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rejudge.english import count as counted
from rejudge.errors import DataError, FileError, Problem
from rejudge.judgments.arrow import unescape_column
from rejudge.text_tables import (
    SAVE_AS_UTF8,
    Dialect,
    RowError,
    detect_dialect,
    filled_lines,
    first_problems,
    open_table,
    open_text,
    read_object,
    uneven_row,
)

if TYPE_CHECKING:
    import pyarrow as pa

_MARK = b"\xef\xbb\xbf"  # of UTF-8
_BLOCK = 1 << 24  # bytes
_MOST_BRACKETS = 200  # on a line


@dataclass(frozen=True, slots=True)
class Source:
    """A table that is not read yet: its columns, how to load some, and the lines of its rows."""

    columns: tuple[str, ...]
    load: Callable[[Sequence[str]], pa.Table]
    lines: Callable[[Sequence[int]], Mapping[int, int]]  # of rows counted from 0
    file: str | None = None
    notes: tuple[str, ...] = ()


# CSV and TSV


def open_csv(path: Path) -> Source:
    """A CSV or TSV file; how it is written is found out."""
    promised = "," if path.suffix.casefold() == ".csv" else "\t"
    dialect = detect_dialect(path, separator=promised)
    return Source(
        tuple(dialect.header(path)),
        lambda columns: _read_csv(path, dialect, columns),
        lambda rows: _lines_in_csv(path, dialect, rows),
        str(path),
        dialect.notes,
    )


def _read_csv(path: Path, dialect: Dialect, columns: Sequence[str]) -> pa.Table:
    """All cells as words, kept once each; lines with too many or too few cells are refused."""
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    faulty: list[str] = []

    def refuse(row: Any) -> str:  # pyarrow's InvalidRow
        faulty.append(row.text)
        return "skip"

    words = pa.dictionary(pa.int32(), pa.string())
    try:
        with open_table(path) as stream:
            table = arrow_csv.read_csv(
                stream,
                read_options=arrow_csv.ReadOptions(
                    block_size=_BLOCK,
                    skip_rows=dialect.skipped,
                    skip_rows_after_names=dialect.explained,
                    encoding="utf8" if dialect.encoding == "utf-8-sig" else dialect.encoding,
                ),
                parse_options=arrow_csv.ParseOptions(
                    delimiter=dialect.separator,
                    newlines_in_values=True,
                    invalid_row_handler=refuse,
                ),
                convert_options=arrow_csv.ConvertOptions(
                    column_types=dict.fromkeys(columns, words),
                    include_columns=list(columns),
                    strings_can_be_null=False,
                ),
            )
    except (pa.ArrowException, OSError, UnicodeError) as error:
        raise unreadable(path, error) from None
    if faulty:
        raise DataError.of(_shape_problems(path, dialect))
    return pa.table(list(map(unescape_column, table.columns)), names=table.column_names)


def _shape_problems(path: Path, dialect: Dialect) -> list[Problem]:
    width = len(dialect.header(path))
    lengths = Counter(len(row.cells) for row in dialect.rows(path))
    usual, rows = lengths.most_common(1)[0]
    if usual > width and rows > lengths.total() / 2:
        what = f"the first line has {counted(width, 'cell')}, but most lines have {usual}."
        remedy = "Remove what is above the names of the columns, or name every column."
        return [Problem(what, remedy, file=str(path), line=1 + dialect.skipped)]
    wrong = (row for row in dialect.rows(path) if len(row.cells) != width)
    problems = first_problems(
        (uneven_row(row, width, file=str(path)) for row in wrong), file=str(path)
    )
    if problems:
        return problems
    what = "a line has more or fewer cells than the header, or a quote in a wrong place."
    return [Problem(what, "Quote cells that hold separators or quotes.", file=str(path))]


def _lines_in_csv(path: Path, dialect: Dialect, rows: Sequence[int]) -> Mapping[int, int]:
    wanted = set(rows)
    return {
        place: row.line
        for place, row in enumerate(dialect.rows(path), start=-1)  # the header comes first
        if place in wanted
    }


# One JSON object per line


def open_jsonl(path: Path) -> Source:
    """A file with one JSON object per line."""
    table = _read_jsonl(path)
    return Source(
        tuple(table.column_names),
        lambda columns: table.select(list(columns)),
        lambda rows: _lines_in_jsonl(path, rows),
        str(path),
    )


def _read_jsonl(path: Path) -> pa.Table:
    import pyarrow as pa
    from pyarrow import json as arrow_json

    if not _is_flat(path):
        return _read_mixed_jsonl(path)
    try:
        with open_table(path) as stream:
            table = arrow_json.read_json(stream)
        dates = [field.name for field in table.schema if pa.types.is_timestamp(field.type)]
        if dates:  # words stay words, also those that look like dates
            schema = pa.schema([(name, pa.string()) for name in dates])
            options = arrow_json.ParseOptions(explicit_schema=schema)
            with open_table(path) as stream:
                table = arrow_json.read_json(stream, parse_options=options)
        table.validate(full=True)  # whether words are UTF-8 is not looked at before
    except (pa.ArrowException, OSError, UnicodeDecodeError):
        return _read_mixed_jsonl(path)  # numbers and words in one column, or a fault to be named
    return table


def _is_flat(path: Path) -> bool:
    """Whether every line is one object with few brackets, such that pyarrow can read the file.

    pyarrow crashes, and the whole program with it, where objects are nested very deeply. An object
    cannot go on over the end of a line here: between `}` and `{` JSON would need a comma.
    """
    with open_table(path) as stream:
        while block := stream.read(_BLOCK) + stream.readline():
            if not _are_flat_lines(block.removeprefix(_MARK)):
                return False
    return True


def _are_flat_lines(block: bytes) -> bool:
    ends = block.count(b"\n") - block.endswith(b"\n")
    joined = block.count(b"}\n{") + block.count(b"}\r\n{")
    if joined < ends or not block.startswith(b"{"):
        return False
    brackets = block.count(b"{") + block.count(b"[")
    if brackets - ends <= _MOST_BRACKETS:  # no line has more, as each has one
        return True
    found = (line.count(b"{") + line.count(b"[") for line in block.split(b"\n"))
    return max(found) <= _MOST_BRACKETS


def _read_mixed_jsonl(path: Path) -> pa.Table:
    import pyarrow as pa

    columns: dict[str, list[str | None]] = {}
    problems: list[Problem] = []
    count = 0
    with open_text(path) as text:
        for line, written in filled_lines(text):
            try:
                entry = read_object(written)
            except RowError as error:
                problems.append(Problem(error.what, error.remedy, file=str(path), line=line))
                continue
            for name, cell in entry.items():
                above = columns.setdefault(name, [])
                above += [*[None] * (count - len(above)), cell_text(cell)]
            count += 1
    if problems:
        raise DataError.of(first_problems(problems, file=str(path)))
    filled = {name: [*cells, *[None] * (count - len(cells))] for name, cells in columns.items()}
    return pa.table({name: pa.array(cells, pa.string()) for name, cells in filled.items()})


def _lines_in_jsonl(path: Path, rows: Sequence[int]) -> Mapping[int, int]:
    wanted = set(rows)
    with open_text(path) as text:
        return {row: line for row, (line, _) in enumerate(filled_lines(text)) if row in wanted}


def cell_text(cell: object) -> str | None:
    """A cell as a word; a whole number has no decimal point, what is empty is None."""
    if cell is None or cell != cell:  # noqa: PLR0124 - NaN is not itself
        return None
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    if isinstance(cell, dict | list):
        return json.dumps(cell, ensure_ascii=False)
    return cell.isoformat() if hasattr(cell, "isoformat") else str(cell)


def unreadable(path: Path, error: Exception) -> FileError:
    """What to say about a file that a library could not read."""
    problem = _parquet_problem(path) if path.suffix.casefold() == ".parquet" else None
    if problem is not None:
        return FileError(problem)
    said = (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
    if "UTF8" in said:
        return FileError(Problem("the file is not UTF-8.", SAVE_AS_UTF8, file=str(path)))
    if "straddl" in said:
        what = f"a row is longer than {_BLOCK >> 20} MB."
        return FileError(Problem(what, "Shorten its texts, and close every quote.", file=str(path)))
    remedy = "It may be damaged: export or copy it again."
    return FileError(Problem(f"the file cannot be read: {said}.", remedy, file=str(path)))


def _parquet_problem(path: Path) -> Problem | None:
    """What is wrong with a file whose name ends in .parquet, as far as its two ends show it."""
    try:
        with open_table(path) as stream:
            start = stream.read(_START_BYTES)
            stream.seek(-min(len(start), len(_PARQUET)), os.SEEK_END)
            end = stream.read()
    except (FileError, OSError):
        return None
    if start.startswith(_PARQUET):
        what, remedy = "the file is incomplete: its end is missing.", "Copy or export it again."
        return None if end == _PARQUET else Problem(what, remedy, file=str(path))
    what = "this is not a Parquet file, though its name ends in .parquet."
    if not start:
        return Problem("the file is empty.", "Export or copy it again.", file=str(path))
    kind = next((name for mark, name in _PACKED.items() if start.startswith(mark)), None)
    if kind is not None:
        remedy = f"It is {kind}: unpack it, and give the table the ending of its type."
    elif b"\0" in start:
        remedy = "Export it again as Parquet, or give it the ending of its type."
    else:
        remedy = "It seems to be text: give it the ending of its type, such as .csv or .jsonl."
    return Problem(what, remedy, file=str(path))


_START_BYTES = 4096
_PARQUET = b"PAR1"  # at both ends
_PACKED: Mapping[bytes, str] = {
    b"\x1f\x8b": "packed with gzip",
    b"PK\x03\x04": "a zip archive or an Excel file",
    b"\x28\xb5\x2f\xfd": "packed with zstd",
}
