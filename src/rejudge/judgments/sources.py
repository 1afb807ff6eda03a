"""Where a table of judgments comes from: a file or a frame; and which rows are read."""

from __future__ import annotations

import re
import warnings
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rejudge.english import count as counted
from rejudge.errors import DataError, FileError, Problem, UsageError
from rejudge.incoming import TABLE_BYTES, open_regular, require_regular
from rejudge.judgments.arrow import distinct
from rejudge.judgments.columns import find_column, no_such_column
from rejudge.judgments.text_sources import Source, cell_text, open_csv, open_jsonl, unreadable
from rejudge.text_tables import open_table, repeated_columns

if TYPE_CHECKING:
    import pyarrow as pa

Frame: TypeAlias = Any  # whatever narwhals knows: pandas, polars, pyarrow …


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
    ".csv": lambda path, _: open_csv(path),
    ".tsv": lambda path, _: open_csv(path),
    ".tab": lambda path, _: open_csv(path),
    ".jsonl": lambda path, _: open_jsonl(path),
    ".ndjson": lambda path, _: open_jsonl(path),
    ".parquet": _read_parquet,
    ".xlsx": _read_excel,
}


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
