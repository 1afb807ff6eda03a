"""Where a table of judgments comes from: a file of one of five kinds, or a frame in memory."""

from __future__ import annotations

import io
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TypeAlias

from rejudge.english import count as counted
from rejudge.errors import DataError, FileError, Problem
from rejudge.incoming import TABLE_BYTES, open_regular, require_regular
from rejudge.judgments.arrow import unescaped_column
from rejudge.judgments.dialect import NOT_UTF8, Dialect, dialect_of, readable
from rejudge.judgments.workbook import Row, read_sheet

if TYPE_CHECKING:
    import pyarrow as pa

Frame: TypeAlias = Any  # whatever narwhals knows: pandas, polars, pyarrow …

_SHOWN = 20
_LONGEST_NAME = 10_000  # characters; whole questions stand above the columns of survey tools
_MARK = b"\xef\xbb\xbf"  # of UTF-8
_BLOCK = 1 << 24  # bytes
_MOST_BRACKETS = 200  # on a line


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
    require_regular(path, remedy="Name a table.", limit=TABLE_BYTES)
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
    longest = max(map(len, head), default=0)
    if longest > _LONGEST_NAME:
        what = f"the first line has a cell of {longest:,} characters, which is no column's name."
        remedy = "Write the names of the columns into the first line, and close every quote."
        raise FileError(Problem(what, remedy, file=str(path), line=1))
    if not any(head) or "\x00" in "".join(head):
        what = "the file has no head." if not any(head) else "the file is not UTF-8."
        remedy = "Write the names of the columns into its first line." if not any(head) else ""
        raise FileError(Problem(what, remedy or NOT_UTF8, file=str(path)))
    return head


def _stream(path: Path) -> BinaryIO:
    """A file as it is open: pyarrow itself cannot open one whose name is not UTF-8."""
    return open_regular(path, remedy="Name a table.")


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
        with _stream(path) as stream:
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
        raise _unreadable(path, error) from None
    if faulty:
        raise DataError.of(_misshapen(path, dialect))
    return pa.table(list(map(unescaped_column, table.columns)), names=table.column_names)


def _unreadable(path: Path, error: Exception) -> FileError:
    said = (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
    if "UTF8" in said:
        return FileError(Problem("the file is not UTF-8.", NOT_UTF8, file=str(path)))
    remedy = "It may be damaged: export or copy it again."
    return FileError(Problem(f"the file cannot be read: {said}.", remedy, file=str(path)))


def _misshapen(path: Path, dialect: Dialect) -> Iterator[Problem]:
    wanted = len(_head(path, dialect))
    lengths = Counter(len(cells) for _, cells in dialect.rows(path))
    usual, lines = lengths.most_common(1)[0]
    if usual > wanted and lines > lengths.total() / 2:
        what = f"the first line has {counted(wanted, 'cell')}, but most lines have {usual}."
        remedy = "Remove what stands above the names of the columns, or name every column."
        yield Problem(what, remedy, file=str(path), line=1 + dialect.skipped)
        return
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
    if not wrong:  # pyarrow finds quotes otherwise than Python does
        what = "a line has more or fewer cells than the head, or a quote in a wrong place."
        yield Problem(what, "Quote cells that hold separators or quotes.", file=str(path))


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

    if not _is_flat(path):
        return _read_mixed_jsonl(path)
    try:
        with _stream(path) as stream:
            table = arrow_json.read_json(stream)
        dates = [field.name for field in table.schema if pa.types.is_timestamp(field.type)]
        if dates:  # words stay words, also those that look like dates
            schema = pa.schema([(name, pa.string()) for name in dates])
            options = arrow_json.ParseOptions(explicit_schema=schema)
            with _stream(path) as stream:
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
    with _stream(path) as stream:
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
    for line, text in _json_lines(path):
        entry, fault = _entry(text)
        if entry is None:
            problems.append(Problem(*fault, file=str(path), line=line))
            continue
        for name, cell in entry.items():
            above = columns.setdefault(name, [])
            above += [*[None] * (count - len(above)), written(cell)]
        count += 1
    if problems:
        raise DataError.of(problems[:_SHOWN])
    filled = {name: [*cells, *[None] * (count - len(cells))] for name, cells in columns.items()}
    return pa.table({name: pa.array(cells, pa.string()) for name, cells in filled.items()})


def _entry(text: str) -> tuple[dict[str, Any] | None, tuple[str, str]]:  # any JSON value in it
    """The object on a line, or what is wrong with it and the remedy."""
    try:
        entry = json.loads(text)
        if isinstance(entry, dict):
            json.dumps(entry, ensure_ascii=False).encode("utf-8")
            return entry, ("", "")
    except UnicodeEncodeError:
        what = "an escape such as \\ud83d stands for half a character."
        return None, (what, "Write the character itself, or remove the escape.")
    except RecursionError:
        return None, ("the line is nested too deeply.", "Give one value per key.")
    except ValueError:
        pass  # not JSON, or a number of thousands of digits
    return None, ("the line is no JSON object.", "Write one per line.")


def _json_lines(path: Path) -> Iterator[tuple[int, str]]:
    stream = io.TextIOWrapper(_stream(path), encoding="utf-8-sig", newline="")
    with readable(path), stream as text:
        yield from ((n, line) for n, line in enumerate(text, start=1) if line.strip())


def _lines_in_jsonl(path: Path, rows: Sequence[int]) -> Mapping[int, int]:
    wanted = set(rows)
    return {row: line for row, (line, _) in enumerate(_json_lines(path)) if row in wanted}


# Other files and frames


def _of_parquet(path: Path, sheet: str | None) -> Source:  # noqa: ARG001 - as for all kinds
    import pyarrow as pa
    from pyarrow import parquet

    def read(columns: Sequence[str]) -> pa.Table:
        try:
            with _stream(path) as stream:
                table = parquet.ParquetFile(stream).read(columns=list(columns))
            table.validate(full=True)
        except (pa.ArrowException, OSError, ValueError) as error:
            raise _unreadable(path, error) from None
        return table

    try:
        with _stream(path) as stream:
            names = tuple(parquet.read_schema(stream).names)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise _unreadable(path, error) from None
    return Source(
        names,
        read,
        lambda rows: {row: row + 1 for row in rows},
        str(path),
    )


def _of_excel(path: Path, sheet: str | None) -> Source:
    import pyarrow as pa

    found = read_sheet(path, sheet)
    (_, head), *rows = found.rows
    places = [n for n, title in enumerate(head) if title is not None or _is_filled(rows, n)]
    names = tuple("" if head[n] is None else str(head[n]) for n in places)
    columns = {
        name: pa.array([written(row[n]) if n < len(row) else None for _, row in rows], pa.string())
        for n, name in zip(places, names, strict=True)
    }
    table = pa.table(columns)
    others, name = found.others, found.name
    is_chosen = not others or sheet is not None
    notes = [] if is_chosen else [f"the sheet '{name}' was read; there are {others} more."]
    if found.is_wider:
        notes.append("Cells to the right of the names of the columns are not read.")
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
