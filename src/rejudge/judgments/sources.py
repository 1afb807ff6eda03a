"""Where a table of judgments comes from: a file or a frame; and which rows are read.

A table is opened first and read later: which of its columns are needed is known only then. How text
files are decoded and split into rows is decided in `rejudge.text_tables`.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rejudge.english import count as counted
from rejudge.errors import DataError, FileError, Problem, UsageError
from rejudge.incoming import TABLE_BYTES, require_regular
from rejudge.judgments.arrow import distinct, unescape_column
from rejudge.judgments.columns import find_column, no_such_column
from rejudge.judgments.workbook import Row, read_sheet
from rejudge.text_tables import (
    SAVE_AS_UTF8,
    Dialect,
    detect_dialect,
    first_problems,
    open_table,
    open_text,
    read_objects,
    repeated_columns,
    uneven_row,
)

if TYPE_CHECKING:
    import pyarrow as pa

Frame: TypeAlias = Any  # whatever narwhals knows: pandas, polars, pyarrow …


_BLOCK = 1 << 24  # bytes


@dataclass(frozen=True, slots=True)
class Source:
    """A table that is not read yet: its columns, how to load some, and the lines of its rows."""

    columns: tuple[str, ...]
    load: Callable[[Sequence[str]], pa.Table]
    lines: Callable[[Sequence[int]], Mapping[int, int]]  # of rows counted from 0
    file: str | None = None
    notes: tuple[str, ...] = ()


def open_source(source: Path | str | Frame, *, sheet: str | None = None) -> Source:
    """A file, known by its ending, or any frame that narwhals reads."""
    if not isinstance(source, Path | str):
        return _read_frame(source)
    path = Path(source)
    require_regular(path, remedy="Give a table of judgments.", limit=TABLE_BYTES)
    kind = path.suffix.casefold()
    if kind not in _READERS:
        what = f"'{kind}' is not a file type that can be read."
        raise FileError(Problem(what, f"Use one of {', '.join(_READERS)}.", file=str(path)))
    found = _READERS[kind](path, sheet)
    problems = repeated_columns(found.columns, file=str(path))
    if problems:
        raise DataError.of(problems)
    return found


def _open_csv(path: Path) -> Source:
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


def _open_jsonl(path: Path) -> Source:
    """A file with one JSON object per line."""
    import pyarrow as pa

    with open_text(path) as text:
        found = read_objects(text, file=str(path))
    if found.problems:
        raise DataError.of(first_problems(found.problems, file=str(path)))
    cells = zip(*(row for _, row in found.rows), strict=True) if found.rows else ()
    table = pa.table(
        {name: _json_column(each) for name, each in zip(found.header, cells, strict=True)}
    )
    return Source(
        found.header,
        lambda wanted: table.select(list(wanted)),
        lambda rows: {row: found.rows[row][0] for row in rows},
        str(path),
    )


def _json_column(cells: Sequence[Any]) -> pa.Array:  # any JSON values
    """Numbers, truths, words or lists; as words where a column has several of them."""
    import pyarrow as pa

    try:
        return pa.array(cells, from_pandas=True)
    except (pa.ArrowException, OverflowError):
        return pa.array([cell_text(cell) for cell in cells], pa.string())


def _read_parquet(path: Path, sheet: str | None) -> Source:  # noqa: ARG001 - as for all kinds
    import pyarrow as pa
    from pyarrow import parquet

    def read(columns: Sequence[str]) -> pa.Table:
        try:
            with open_table(path) as stream:
                table = parquet.ParquetFile(stream).read(columns=list(columns))
            table.validate(full=True)
        except (pa.ArrowException, OSError, ValueError) as error:
            raise unreadable(path, error) from None
        return table

    try:
        with open_table(path) as stream:
            names = tuple(parquet.read_schema(stream).names)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise unreadable(path, error) from None
    return Source(
        names,
        read,
        lambda rows: {row: row + 1 for row in rows},
        str(path),
    )


def _read_excel(path: Path, sheet: str | None) -> Source:
    import pyarrow as pa

    found = read_sheet(path, sheet)
    (_, head), *rows = found.rows
    places = [n for n, title in enumerate(head) if title is not None or _is_filled(rows, n)]
    names = tuple("" if head[n] is None else str(head[n]) for n in places)
    columns = {
        name: pa.array(
            [cell_text(row[n]) if n < len(row) else None for _, row in rows], pa.string()
        )
        for n, name in zip(places, names, strict=True)
    }
    table = pa.table(columns)
    others, name = found.others, found.name
    is_chosen = not others or sheet is not None
    notes = [] if is_chosen else [f"the sheet '{name}' was read; there are {others} more."]
    if found.is_wider:
        notes.append("Cells to the right of the last column name are not read.")
    where = f", sheet '{name}' of {others + 1}" if others else ""
    return Source(
        names,
        lambda wanted: table.select(list(wanted)),
        lambda wanted: {place: rows[place][0] for place in wanted},
        f"{path}{where}{'' if is_chosen else ' (--sheet chooses another)'}",
        tuple(notes),
    )


def _is_filled(rows: Sequence[tuple[int, Row]], place: int) -> bool:
    return any(len(row) > place and row[place] is not None for _, row in rows)


def _read_frame(frame: Frame) -> Source:
    import narwhals as nw
    import pyarrow as pa

    try:
        known = nw.from_native(frame)
    except TypeError:
        what = f"a {type(frame).__name__} is not a table."
        raise DataError(
            Problem(what, "Give a file or a frame (pandas, polars, pyarrow).")
        ) from None
    eager = known.collect() if isinstance(known, nw.LazyFrame) else known

    def load(columns: Sequence[str]) -> pa.Table:
        return pa.table({name: _arrow_column(eager[name]) for name in columns})

    return Source(
        tuple(str(name) for name in eager.columns),
        load,
        lambda rows: {row: row + 1 for row in rows},
    )


def _arrow_column(series: Any) -> pa.Array | pa.ChunkedArray:  # a narwhals series
    import pyarrow as pa

    try:
        column: pa.Array | pa.ChunkedArray = series.to_arrow()
    except pa.ArrowException:  # a column of objects of several types
        column = pa.array([cell_text(cell) for cell in series.to_list()], pa.string())
    return column


_READERS: Mapping[str, Callable[[Path, str | None], Source]] = {
    ".csv": lambda path, _: _open_csv(path),
    ".tsv": lambda path, _: _open_csv(path),
    ".tab": lambda path, _: _open_csv(path),
    ".jsonl": lambda path, _: _open_jsonl(path),
    ".ndjson": lambda path, _: _open_jsonl(path),
    ".parquet": _read_parquet,
    ".xlsx": _read_excel,
}


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


_CONDITION = re.compile(r"(?P<column>.+?)\s*(?P<sign>!?=)(?P<value>.*)", re.DOTALL)
_SHOWN = 12  # values of a column that a message lists


@dataclass(frozen=True, slots=True)
class Where:
    """One condition on a column; an empty value stands for empty cells."""

    column: str
    value: str
    is_not: bool = False

    @classmethod
    def parse(cls, text: str) -> Where:
        """Read `lab=Tilburg` or `lab!=Tilburg`."""
        found = _CONDITION.fullmatch(text.strip())
        if not found:
            raise UsageError(
                Problem(
                    f"--where {text} is unclear.",
                    "Write column=value, or column!=value to leave rows out.",
                )
            )
        return cls(found["column"].strip(), found["value"].strip(), found["sign"] == "!=")

    def __str__(self) -> str:
        return f"{self.column}{'!=' if self.is_not else '='}{self.value}"


def filter_rows(source: Source, conditions: Sequence[Where]) -> Source:
    """The rows of a source that meet the conditions, with their lines.

    Values of the same column are alternatives, different columns must all fit. A column or a value
    that the table does not have is refused: a misspelt condition must not choose silently.
    """
    if not conditions:
        return source
    columns = _columns(source, conditions)
    cells = source.load(list(dict.fromkeys(columns.values())))
    keep = np.ones(len(cells), dtype=np.bool_)
    for asked, column in columns.items():
        keep &= _matching_rows(cells[column], [each for each in conditions if each.column == asked],
                         file=source.file)  # fmt: skip
    rows = np.flatnonzero(keep)
    if not len(rows):
        what = f"no row fits --where {' --where '.join(map(str, conditions))}."
        raise DataError(Problem(what, "Leave one of the conditions out.", file=source.file))

    def load(wanted: Sequence[str]) -> pa.Table:
        return source.load(wanted).filter(keep)

    def lines(wanted: Sequence[int]) -> Mapping[int, int]:
        found = source.lines([int(rows[row]) for row in wanted])
        return {row: found[int(rows[row])] for row in wanted}

    said = " and ".join(f"'{condition}'" for condition in conditions)
    note = f"Only rows with {said} are read: {len(rows):,} of {counted(len(keep), 'row')}."
    return replace(source, load=load, lines=lines, notes=(*source.notes, note))


def _columns(source: Source, conditions: Sequence[Where]) -> dict[str, str]:
    """The table's column for each one asked for."""
    found = {each.column: find_column(source.columns, each.column) for each in conditions}
    problems = [
        no_such_column(asked, source.columns, source.file)
        for asked, column in found.items()
        if column is None
    ]
    if problems:
        raise DataError.of(problems)
    return {asked: column for asked, column in found.items() if column is not None}


def _matching_rows(
    column: pa.ChunkedArray, conditions: Sequence[Where], *, file: str | None
) -> NDArray[np.bool_]:
    codes, words = distinct(column)
    bare = [*(word.strip() for word in words), ""]  # code −1, an empty cell, takes the last
    _refuse_unknown(conditions, {bare[code] for code in np.unique(codes).tolist()}, file)
    wanted = {each.value for each in conditions if not each.is_not}
    unwanted = {each.value for each in conditions if each.is_not}
    fits = [(not wanted or word in wanted) and word not in unwanted for word in bare]
    return np.array(fits, dtype=np.bool_)[codes]


def _refuse_unknown(conditions: Sequence[Where], known: set[str], file: str | None) -> None:
    problems = [
        Problem(f"--where {each}: no row of '{each.column}' holds '{each.value}'.",
                f"It holds {_list_values(known)}.", file=file)
        for each in conditions
        if each.value not in known
    ]  # fmt: skip
    if problems:
        raise DataError.of(problems)


def _list_values(known: set[str]) -> str:
    shown = [f"'{word}'" if word else "empty cells" for word in sorted(known)[:_SHOWN]]
    more = len(known) - len(shown)
    return ", ".join(shown) + (f" and {more:,} others" if more else "")
