"""Where a table of judgments comes from: a file of one of five kinds, or a frame in memory."""

from __future__ import annotations

import io
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from rejudge.errors import DataError, FileError, Problem
from rejudge.judgments.dialect import NOT_UTF8, Dialect, dialect_of

if TYPE_CHECKING:
    import pyarrow as pa

Frame: TypeAlias = Any  # whatever narwhals knows: pandas, polars, pyarrow …

_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Source:
    """A table that is not read yet: its columns, how to load some, and where its rows stand."""

    columns: tuple[str, ...]
    load: Callable[[Sequence[str]], pa.Table]
    lines: Callable[[Sequence[int]], Mapping[int, int]]  # of rows counted from 0
    file: str | None = None
    notes: tuple[str, ...] = ()


def open_source(source: Path | str | Frame, *, sheet: str | None = None) -> Source:
    """A file, known by its ending, or any frame that narwhals reads."""
    if not isinstance(source, Path | str):
        return _of_frame(source)
    path = Path(source)
    if not path.is_file():
        raise FileError(Problem("there is no such file.", "Name a table.", file=str(path)))
    kind = path.suffix.casefold()
    if kind not in _READERS:
        what = f"a table does not end in '{kind}'."
        raise FileError(Problem(what, f"Known are {', '.join(_READERS)}.", file=str(path)))
    found = _READERS[kind](path, sheet)
    twice = [name for name, count in Counter(found.columns).items() if count > 1 and name]
    if twice:
        problems = [
            Problem(f"two columns are called '{name}'.", "Rename one.", file=str(path), line=1)
            for name in twice
        ]
        raise DataError.of(problems)
    return found


# Text with separators


def _of_csv(path: Path, sheet: str | None) -> Source:  # noqa: ARG001 - as for all kinds
    promised = "," if path.suffix.casefold() == ".csv" else "\t"
    dialect = dialect_of(path, separator=promised)
    return Source(
        tuple(_head(path, dialect)),
        lambda columns: _read_csv(path, dialect, columns),
        lambda rows: _lines_in_csv(path, dialect, rows),
        str(path),
        dialect.notes,
    )


def _head(path: Path, dialect: Dialect) -> list[str]:
    head = next((cells for _, cells in dialect.rows(path)), [])
    if not any(head) or "\x00" in "".join(head):
        what = "the file has no head." if not any(head) else "the file is not UTF-8."
        remedy = "Write the names of the columns into its first line." if not any(head) else ""
        raise FileError(Problem(what, remedy or NOT_UTF8, file=str(path)))
    return head


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
        table = arrow_csv.read_csv(
            path,
            read_options=arrow_csv.ReadOptions(
                block_size=1 << 24,
                skip_rows=dialect.skipped,
                skip_rows_after_names=dialect.explained,
                encoding="utf8" if dialect.encoding == "utf-8-sig" else dialect.encoding,
            ),
            parse_options=arrow_csv.ParseOptions(
                delimiter=dialect.separator, newlines_in_values=True, invalid_row_handler=refuse
            ),
            convert_options=arrow_csv.ConvertOptions(
                column_types=dict.fromkeys(columns, words),
                include_columns=list(columns),
                strings_can_be_null=False,
            ),
        )
    except pa.ArrowInvalid as error:
        raise _unreadable(path, error) from None
    if faulty:
        raise DataError.of(_misshapen(path, dialect))
    return table


def _unreadable(path: Path, error: Exception) -> FileError:
    said = str(error).splitlines()[0]
    if "UTF8" in said:
        return FileError(Problem("the file is not UTF-8.", NOT_UTF8, file=str(path)))
    return FileError(Problem(f"the file cannot be read: {said}.", file=str(path)))


def _misshapen(path: Path, dialect: Dialect) -> Iterator[Problem]:
    wanted = len(_head(path, dialect))
    wrong = [
        (line, "more" if len(cells) > wanted else "fewer")
        for line, cells in dialect.rows(path)
        if len(cells) != wanted
    ]
    for line, count in wrong[:_SHOWN]:
        what = f"the line has {count} cells than the head."
        yield Problem(what, "Quote cells that hold separators.", file=str(path), line=line)
    if len(wrong) > _SHOWN:
        yield Problem(f"{len(wrong) - _SHOWN} more lines are faulty.", file=str(path))


def _lines_in_csv(path: Path, dialect: Dialect, rows: Sequence[int]) -> Mapping[int, int]:
    wanted = set(rows)
    return {
        row: line
        for row, (line, _) in enumerate(dialect.rows(path), start=-1)  # the head comes first
        if row in wanted
    }


# One JSON object per line


def _of_jsonl(path: Path, sheet: str | None) -> Source:  # noqa: ARG001 - as for all kinds
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

    try:
        table = arrow_json.read_json(path)
        dates = [field.name for field in table.schema if pa.types.is_timestamp(field.type)]
        if dates:  # words stay words, also those that look like dates
            schema = pa.schema([(name, pa.string()) for name in dates])
            table = arrow_json.read_json(
                path, parse_options=arrow_json.ParseOptions(explicit_schema=schema)
            )
    except pa.ArrowInvalid:
        return _read_mixed_jsonl(path)  # numbers and words in one column, or a fault to be named
    return table


def _read_mixed_jsonl(path: Path) -> pa.Table:
    import pyarrow as pa

    columns: dict[str, list[str | None]] = {}
    problems: list[Problem] = []
    count = 0
    for line, text in _json_lines(path):
        try:
            entry = json.loads(text)
        except ValueError:
            entry = None
        if not isinstance(entry, dict):
            what = "the line is no JSON object."
            problems.append(Problem(what, "Write one per line.", file=str(path), line=line))
            continue
        for name, cell in entry.items():
            above = columns.setdefault(name, [])
            above += [*[None] * (count - len(above)), written(cell)]
        count += 1
    if problems:
        raise DataError.of(problems[:_SHOWN])
    filled = {name: [*cells, *[None] * (count - len(cells))] for name, cells in columns.items()}
    return pa.table({name: pa.array(cells, pa.string()) for name, cells in filled.items()})


def _json_lines(path: Path) -> Iterator[tuple[int, str]]:
    try:
        with io.TextIOWrapper(path.open("rb"), encoding="utf-8-sig", newline="") as text:
            yield from ((n, line) for n, line in enumerate(text, start=1) if line.strip())
    except UnicodeDecodeError:
        raise FileError(Problem("the file is not UTF-8.", NOT_UTF8, file=str(path))) from None


def _lines_in_jsonl(path: Path, rows: Sequence[int]) -> Mapping[int, int]:
    wanted = set(rows)
    return {row: line for row, (line, _) in enumerate(_json_lines(path)) if row in wanted}


# Other files and frames


def _of_parquet(path: Path, sheet: str | None) -> Source:  # noqa: ARG001 - as for all kinds
    import pyarrow as pa
    from pyarrow import parquet

    try:
        names = tuple(parquet.read_schema(path).names)
    except pa.ArrowInvalid as error:
        raise _unreadable(path, error) from None
    return Source(
        names,
        lambda columns: parquet.read_table(path, columns=list(columns)),
        lambda rows: {row: row + 1 for row in rows},
        str(path),
    )


def _of_excel(path: Path, sheet: str | None) -> Source:
    import zipfile

    import openpyxl
    import pyarrow as pa

    try:
        book = openpyxl.load_workbook(path, read_only=True, data_only=True)
    except (zipfile.BadZipFile, KeyError, openpyxl.utils.exceptions.InvalidFileException):
        raise FileError(Problem("the file is no .xlsx workbook.", file=str(path))) from None
    try:
        if sheet is not None and sheet not in book.sheetnames:
            remedy = f"The workbook has {', '.join(book.sheetnames)}."
            raise FileError(Problem(f"there is no sheet '{sheet}'.", remedy, file=str(path)))
        name = sheet or book.sheetnames[0]
        numbered = enumerate(book[name].iter_rows(values_only=True), start=1)
        filled = [(line, row) for line, row in numbered if any(cell is not None for cell in row)]
    finally:
        book.close()
    if not filled:
        raise FileError(Problem(f"the sheet '{name}' is empty.", file=str(path)))
    (_, head), *rows = filled
    columns = {
        str(title): pa.array([written(row[place]) for _, row in rows], pa.string())
        for place, title in enumerate(head)
        if title is not None
    }
    table = pa.table(columns)
    others = len(book.sheetnames) - 1
    note = f"the sheet '{name}' was read; there are {others} more." if others and not sheet else ""
    return Source(
        tuple(str(title) for title in head if title is not None),
        lambda wanted: table.select(list(wanted)),
        lambda places: {place: rows[place][0] for place in places},
        f"{path}, sheet '{name}' of {others + 1}" if others else str(path),
        (note,) if note else (),
    )


def _of_frame(frame: Frame) -> Source:
    import narwhals as nw
    import pyarrow as pa

    try:
        known = nw.from_native(frame)
    except TypeError:
        what = f"a {type(frame).__name__} is no table."
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
        column = pa.array([written(cell) for cell in series.to_list()], pa.string())
    return column


def written(cell: object) -> str | None:
    """A cell as a word; a whole number has no decimal point, what is empty is None."""
    if cell is None or cell != cell:  # noqa: PLR0124 - NaN is not itself
        return None
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    if isinstance(cell, dict | list):
        return json.dumps(cell, ensure_ascii=False)
    return cell.isoformat() if hasattr(cell, "isoformat") else str(cell)


_READERS: Mapping[str, Callable[[Path, str | None], Source]] = {
    ".csv": _of_csv,
    ".tsv": _of_csv,
    ".tab": _of_csv,
    ".jsonl": _of_jsonl,
    ".ndjson": _of_jsonl,
    ".parquet": _of_parquet,
    ".xlsx": _of_excel,
}
