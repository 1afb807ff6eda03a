"""Tables of other people's data: any file or data frame in, named columns and lines out.

Judgments, items, batches, lists of people and survey exports are all read here. This module decides
how a file is decoded, what separates its cells, what may be a header, on which line a row begins,
and what is said about rows that cannot be read. What the columns mean is the caller's business.

`read_rows` gives all rows at once, as Python values, with every problem of the file. `open_columns`
opens a table and loads columns later, as Arrow arrays: which ones are needed is known only then.
"""

from __future__ import annotations

import codecs
import csv
import io
import json
import os
import re
import warnings
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, NamedTuple, TextIO, TypeAlias

from rejudge.english import count as counted
from rejudge.errors import DataError, FileError, Problem
from rejudge.incoming import SAVE_AS_UTF8, UTF16_MARKS, bad_text, open_regular, require_regular
from rejudge.spreadsheet import unescape

if TYPE_CHECKING:
    import pyarrow as pa

Frame: TypeAlias = Any  # whatever narwhals knows: pandas, polars, pyarrow …


@dataclass(frozen=True, slots=True)
class NamedFile:
    """A file that was read already: its name and its bytes."""

    name: str
    content: bytes

    def __str__(self) -> str:
        return self.name


Source: TypeAlias = Path | NamedFile

MOST_COLUMNS: Final = 10_000  # survey tools write one for each question about each item
_LONGEST_NAME: Final = 10_000  # characters; survey tools write whole questions above their columns
_LONGEST_CELL: Final = 2**31 - 1  # of Python's csv module: a long text is not a mistake
_LISTED: Final = (
    20  # problems of one file that are listed; a file of another kind would fill the screen
)
_CHUNK: Final = 1 << 20
_BLOCK: Final = 1 << 24  # bytes of a text file that Arrow reads at once
_FILE: Final = "Give a table."
_SEPARATORS: Final = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
_PROMISED: Final = {".csv": ",", ".tsv": "\t", ".tab": "\t", ".txt": "\t"}
_JSON_LINES: Final = (".jsonl", ".ndjson")
_BOOK, _PARQUET = ".xlsx", ".parquet"
ENDINGS: Final = (*_PROMISED, *_JSON_LINES, _BOOK, _PARQUET)


@dataclass(frozen=True, slots=True)
class TableRows:
    """Rows under a header; what could not be read is among the problems."""

    header: tuple[str, ...]
    rows: Sequence[
        tuple[int, Sequence[Any]]
    ]  # the line on which a row begins, and its cells: texts
    problems: list[Problem] = field(default_factory=list)  # in CSV, any JSON value in JSON lines
    header_line: int = 1
    notes: tuple[str, ...] = ()
    part: str = ""  # of the file, for messages: a sheet


@dataclass(frozen=True, slots=True)
class TableColumns:
    """A table that is not read yet: its columns, how to load some, and the lines of its rows."""

    columns: tuple[str, ...]
    load: Callable[[Sequence[str]], pa.Table]
    lines: Callable[[Sequence[int]], Mapping[int, int]]  # of rows counted from 0
    file: str | None = None
    notes: tuple[str, ...] = ()


def read_rows(
    source: Source,
    *,
    flatten: Callable[[dict[str, Any]], dict[str, Any]] = lambda found: found,
) -> TableRows:
    """All rows of a file; a file that is not a table raises FileError, faulty rows are problems.

    Cells are texts in CSV and TSV, and JSON values in JSON lines, where `flatten` may change an
    object before it becomes a row. Numbers in workbooks and Parquet files are texts as well.
    """
    kind = kind_of(source)
    if kind in _PROMISED:
        return _read_delimited(source, detect_dialect(source))
    if kind in _JSON_LINES:
        return _read_objects(source, flatten)
    if kind == _BOOK:
        found = _read_sheet(source, None)
        problems = repeated_columns(found.header, file=str(source), line=found.header_line)
    else:
        found, problems = _parquet_rows(source), []
    rows = [(line, [_number_text(cell) for cell in cells]) for line, cells in found.rows]
    return replace(found, rows=rows, problems=problems)


def open_columns(source: Source | str | Frame, *, sheet: str | None = None) -> TableColumns:
    """A file, known by its ending, or any frame that narwhals reads."""
    if not isinstance(source, Path | NamedFile | str):
        return _open_frame(source)
    path = Path(source) if isinstance(source, str) else source
    if isinstance(path, Path):
        require_regular(path, remedy=_FILE)
    kind = kind_of(path)
    if kind in _PROMISED:
        found = _open_delimited(path)
    elif kind == _PARQUET:
        found = _open_parquet(path)
    elif kind == _BOOK:
        rows = _read_sheet(path, sheet)
        hint = " (--sheet chooses another)" if rows.part and sheet is None else ""
        found = _columns_of(rows, path, _word_column, hint=hint)
    else:
        found = _columns_of(_read_objects(path, lambda each: each), path, _json_column)
    wide = _too_wide(found.columns, file=str(path))
    problems = [wide] if wide else repeated_columns(found.columns, file=str(path))
    if problems:
        raise DataError.of(problems)
    return found


def kind_of(source: Source) -> str:
    """The ending of a file's name, if tables with that ending are read."""
    kind = Path(str(source)).suffix.casefold()
    if kind not in ENDINGS:
        what = f"'{kind}' is not a file type that can be read."
        raise FileError(Problem(what, f"Use one of {', '.join(ENDINGS)}.", file=str(source)))
    return kind


def open_stream(source: Source) -> BinaryIO:
    """The bytes of a file; also for libraries that cannot open one whose name is not UTF-8."""
    if isinstance(source, NamedFile):
        return io.BytesIO(source.content)
    return open_regular(source, remedy=_FILE)


# Problems of rows and headers


class Row(NamedTuple):
    """The cells of a row, the line on which it begins, and any fault in its quotes."""

    line: int
    cells: list[str]
    fault: str = ""


def first_problems(problems: Iterable[Problem], *, file: str | None) -> list[Problem]:
    """As many problems as fit on a screen, without repetition, and how many more there are."""
    distinct = list(dict.fromkeys(problems))
    more = len(distinct) - _LISTED
    if more <= 0:
        return distinct
    return [*distinct[:_LISTED], Problem(f"{more:,} more problems were found.", file=file)]


def repeated_columns(names: Sequence[str], *, file: str | None, line: int = 1) -> list[Problem]:
    """One problem for each name that several columns have; columns may lack a name."""
    repeated = {name: times for name, times in Counter(names).items() if name and times > 1}
    return [
        Problem(
            f"the column '{name}' occurs {times} times in the header.",
            "Rename or remove one.",
            file=file,
            line=line,
        )
        for name, times in repeated.items()
    ]


def uneven_row(row: Row, width: int, *, file: str) -> Problem:
    """A row that has more or fewer cells than the header."""
    found = len(row.cells)
    return Problem(
        f"this row has {counted(found, 'cell')}, but the header has {width}.",
        "Put a text that contains the separator or a line end in double quotes."
        if found > width
        else "Fill in what is missing; an empty cell still needs its separator.",
        file=file,
        line=row.line,
    )


def _header_problem(names: Sequence[str], *, file: str, line: int = 1) -> Problem | None:
    """What makes a row unusable as a header."""
    wide = _too_wide(names, file=file, line=line)
    if wide:
        return wide
    longest = max(map(len, names), default=0)
    if longest > _LONGEST_NAME:
        what = f"the first line has a cell of {longest:,} characters, which is not a column name."
        remedy = "Write the names of the columns into the first line, and close every quote."
        return Problem(what, remedy, file=file, line=line)
    if not any(names):
        remedy = "Write the names of the columns into its first line."
        return Problem("the file has no header.", remedy, file=file)
    return None


def _too_wide(names: Sequence[str], *, file: str, line: int = 1) -> Problem | None:
    if len(names) <= MOST_COLUMNS:
        return None
    what = f"the table has {len(names):,} columns; up to {MOST_COLUMNS:,} are read."
    remedy = "Check the separator and the line ends, or leave out columns that are not needed."
    return Problem(what, remedy, file=file, line=line)


def _broken_row(row: Row, *, file: str) -> Problem:
    """What is wrong with the quotes of a row."""
    if "end of data" in row.fault:
        what = "a quote that is opened in this row is never closed."
        remedy = 'Close it; a " inside a quoted text is written twice.'
    else:
        what = "in this row something other than a separator follows a closing quote."
        remedy = 'Write a " inside a quoted text twice, and put quotes around the whole text.'
    return Problem(what, remedy, file=file, line=row.line)


# CSV and TSV


@dataclass(frozen=True, slots=True)
class Dialect:
    """How the cells of a text file are found."""

    encoding: str
    separator: str
    skipped: int = 0  # lines before the header
    notes: tuple[str, ...] = ()

    def rows(self, source: Source, *, strict: bool = False) -> Iterator[Row]:
        """The header and each further row that is not a blank line; `strict` finds bad quotes."""
        with open_text(source, self.encoding) as text:
            for _ in range(self.skipped):
                text.readline()
            yield from split_rows(text, self.separator, strict=strict, skipped=self.skipped)


def split_rows(
    text: TextIO | str, separator: str = ",", *, strict: bool = False, skipped: int = 0
) -> Iterator[Row]:
    """Each row of a text that is not a blank line; `skipped` lines were read before.

    An open text needs `newline=""`, so that line ends inside quotes stay as they are.
    """
    csv.field_size_limit(_LONGEST_CELL)
    stream = io.StringIO(text, newline="") if isinstance(text, str) else text
    reader = csv.reader(stream, delimiter=separator, strict=strict)
    while True:
        line = reader.line_num + skipped + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield Row(line, [], str(error))
            continue
        if cells:
            yield Row(line, cells)


def detect_dialect(source: Source) -> Dialect:
    """Find out how a text file is written; the ending of its name promises a separator."""
    promised = _PROMISED.get(Path(str(source)).suffix.casefold(), ",")
    encoding, notes = detect_encoding(source)
    with open_text(source, encoding) as text:
        first = next(filter(str.strip, iter(lambda: text.readline(_CHUNK), "")), "")
    stated = _EXCEL_LINE.fullmatch(first)
    if stated:
        note = f"Cells are separated by '{stated[1]}'."
        return Dialect(encoding, stated[1], 1, (*notes, note))
    found = detect_separator(first, promised)
    said = () if found == promised else (f"Cells are separated by {_SEPARATORS[found]}.",)
    return Dialect(encoding, found, notes=(*notes, *said))


# The first line that tells Excel the separator
_EXCEL_LINE = re.compile(r"sep=([!#-&(-/:-@\[\]^`{-~\t])\r?\n?")


def detect_separator(header: str, promised: str) -> str:
    """The promised one, unless the header is one cell with it and several with another."""
    try:
        counts = {mark: len(next(csv.reader([header], delimiter=mark), [])) for mark in _SEPARATORS}
    except csv.Error:  # a heading as long as a book; whoever reads the file refuses it
        return promised
    if counts.get(promised, 0) > 1:
        return promised
    return max(counts, key=lambda mark: (counts[mark], mark == promised))


def _read_delimited(source: Source, dialect: Dialect) -> TableRows:
    """All rows of CSV or TSV."""
    file = str(source)
    filled = (r for r in dialect.rows(source, strict=True) if r.fault or any(r.cells))
    header = next(filled, None)
    if header is None:
        return TableRows((), [])
    names = tuple(name.strip() for name in header.cells)
    fault = _broken_row(header, file=file) if header.fault else None
    fault = fault or _header_problem(names, file=file, line=header.line)
    if fault:
        raise FileError(fault)
    rows: list[tuple[int, Sequence[Any]]] = []
    problems = repeated_columns(names, file=file, line=header.line)
    for row in filled:
        if row.fault:
            problems.append(_broken_row(row, file=file))
        elif len(row.cells) == len(names):
            rows.append((row.line, row.cells))
        else:
            problems.append(uneven_row(row, len(names), file=file))
    return TableRows(names, rows, problems, header.line, dialect.notes)


def _open_delimited(path: Source) -> TableColumns:
    """A CSV or TSV file; rows in which Qualtrics explains the columns are left out."""
    dialect = detect_dialect(path)
    names, _, third = (*(r.cells for r in islice(dialect.rows(path), 3)), [], [], [])[:3]
    problem = _header_problem(names, file=str(path))
    if problem:
        raise FileError(problem)
    explained, notes = 0, dialect.notes
    if any(_QUALTRICS.match(cell) for cell in third):
        note = "Qualtrics' two rows under the names of the columns are not read."
        explained, notes = 2, (*notes, note)

    def lines(rows: Sequence[int]) -> Mapping[int, int]:
        wanted = {row + explained + 1: row for row in rows}  # the header comes first
        return {
            wanted[place]: row.line
            for place, row in enumerate(dialect.rows(path))
            if place in wanted
        }

    return TableColumns(
        tuple(names),
        lambda columns: _load_delimited(path, dialect, columns, explained=explained),
        lines,
        str(path),
        notes,
    )


_QUALTRICS = re.compile(r'\{\s*"ImportId"\s*:')


def _load_delimited(
    path: Source, dialect: Dialect, columns: Sequence[str], *, explained: int
) -> pa.Table:
    """Cells as words, kept once each; lines with too many or too few cells are refused."""
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    faulty: list[str] = []

    def refuse(row: Any) -> str:  # pyarrow's InvalidRow
        faulty.append(row.text)
        return "skip"

    words = pa.dictionary(pa.int32(), pa.string())
    try:
        with open_stream(path) as stream:
            table = arrow_csv.read_csv(
                stream,
                read_options=arrow_csv.ReadOptions(
                    block_size=_BLOCK,
                    skip_rows=dialect.skipped,
                    skip_rows_after_names=explained,
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


def _shape_problems(path: Source, dialect: Dialect) -> list[Problem]:
    width = len(next(dialect.rows(path)).cells)
    lengths = Counter(len(row.cells) for row in dialect.rows(path))
    usual, rows = lengths.most_common(1)[0]
    if usual > width and rows > lengths.total() / 2:
        what = f"the first line has {counted(width, 'cell')}, but most lines have {usual}."
        remedy = "Remove what is above the names of the columns, or name every column."
        return [Problem(what, remedy, file=str(path), line=1 + dialect.skipped)]
    wrong = (row for row in dialect.rows(path) if len(row.cells) != width)
    found = (uneven_row(row, width, file=str(path)) for row in wrong)
    problems = first_problems(found, file=str(path))
    if problems:
        return problems
    what = "a line has more or fewer cells than the header, or a quote in a wrong place."
    return [Problem(what, "Quote cells that hold separators or quotes.", file=str(path))]


def unescape_column(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Words of CSV as they were before they were made safe for spreadsheets."""
    import pyarrow as pa

    if not pa.types.is_dictionary(column.type):  # of no rows
        return column
    chunks = [_unescape_chunk(chunk) for chunk in column.chunks]
    return pa.chunked_array(chunks, column.type)


def _unescape_chunk(chunk: pa.DictionaryArray) -> pa.DictionaryArray:
    import pyarrow as pa

    words = chunk.dictionary.to_pylist()
    plain = [word and unescape(word) for word in words]
    if plain == words:
        return chunk
    places = {word: place for place, word in enumerate(dict.fromkeys(plain))}
    indices = pa.array([places[word] for word in plain], pa.int32()).take(chunk.indices)
    return pa.DictionaryArray.from_arrays(indices, pa.array(list(places), pa.string()))


# How text is encoded


def detect_encoding(source: Source) -> tuple[str, tuple[str, ...]]:
    """UTF-8, UTF-16 by its mark, or what older Windows programs write in Western Europe."""
    with open_stream(source) as stream:
        if stream.read(2) in UTF16_MARKS:
            return "utf-16", ("The file is read as UTF-16.",)
    if _is_utf8(source):
        return "utf-8-sig", ()
    if not _is_western(source):
        with open_stream(source) as stream:
            raise FileError(bad_text(stream, file=str(source)))
    note = "The file is not UTF-8; it is read as Windows-1252 (Western European)."
    return _WESTERN, (f"{note} If accents look wrong, save it as UTF-8.",)


_WESTERN = "cp1252"
_WITHOUT_MEANING = b"\x00\x81\x8d\x8f\x90\x9d"  # in Windows-1252
_ASCII = bytes(range(128))
_NO_LETTERS = bytes(each for each in _ASCII if not chr(each).isalpha())
_MOST_UNUSUAL = 0.2  # of the letters: Western text has fewer accents, other scripts far more


def _chunks(source: Source) -> Iterator[bytes]:
    with open_stream(source) as stream:
        yield from iter(lambda: stream.read(_CHUNK), b"")


def _is_utf8(source: Source) -> bool:
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for chunk in _chunks(source):
            if b"\0" in chunk:
                return False
            decoder.decode(chunk)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _is_western(source: Source) -> bool:
    """Whether all bytes have a meaning in Windows-1252 and few letters are unusual ones."""
    letters = unusual = 0
    for chunk in _chunks(source):
        if len(chunk.translate(None, _WITHOUT_MEANING)) < len(chunk):
            return False
        letters += len(chunk.translate(None, _NO_LETTERS))
        unusual += len(chunk.translate(None, _ASCII))
    return unusual <= _MOST_UNUSUAL * letters


@contextmanager
def open_text(source: Source, encoding: str) -> Iterator[TextIO]:
    """A file as text, with its own line ends; bytes that cannot be decoded become a message."""
    with io.TextIOWrapper(open_stream(source), encoding=encoding, newline="") as text:
        try:
            yield text
        except UnicodeError:
            what = f"the file is not {encoding.upper().removesuffix('-SIG')}."
            raise FileError(Problem(what, SAVE_AS_UTF8, file=str(source))) from None


# JSON lines


class RowError(Exception):
    """A line that does not hold a usable object: what is wrong, and the remedy."""

    def __init__(self, what: str, remedy: str) -> None:
        super().__init__(what, remedy)
        self.what = what
        self.remedy = remedy


def _read_objects(source: Source, flatten: Callable[[dict[str, Any]], dict[str, Any]]) -> TableRows:
    """A column for each key, None where an object lacks it."""
    file = str(source)
    encoding, notes = detect_encoding(source)
    objects: list[tuple[int, dict[str, Any]]] = []
    problems: list[Problem] = []
    with open_text(source, encoding) as text:
        for line, written in enumerate(text, start=1):  # U+2028 does not end a line
            if not written.strip():
                continue
            try:
                objects.append((line, flatten(_read_object(written))))
            except RowError as error:
                problems.append(Problem(error.what, error.remedy, file=file, line=line))
    header = tuple(dict.fromkeys(key for _, found in objects for key in found))
    wide = _too_wide(header, file=file)
    if wide:
        raise FileError(wide)
    rows: list[tuple[int, Sequence[Any]]] = [
        (line, [found.get(key) for key in header]) for line, found in objects
    ]
    return TableRows(header, rows, problems, notes=notes)


def _read_object(line: str) -> dict[str, Any]:
    """The JSON object on a line."""
    try:
        found = _DECODER.decode(line)
    except json.JSONDecodeError as error:
        raise RowError(
            f"this line is not JSON: {error.msg} at character {error.colno}.",
            'Write one whole object per line, such as {"id": "1", "input": "…"}.',
        ) from None
    except (ValueError, RecursionError):
        raise RowError(
            "this line holds a number or a nesting that is too large to read.",
            "Write ids and texts in quotes.",
        ) from None
    if not isinstance(found, dict):
        raise RowError(
            "this line is JSON, but not an object.",
            "Write one object per line in { }, without a list around them.",
        )
    if "\\u" in line:
        _refuse_half_characters(found)
    return found


def _with_unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise RowError(f"the key '{twice}' occurs twice in this object.", "Keep one of them.")
    return found


_DECODER = json.JSONDecoder(object_pairs_hook=_with_unique_keys)  # made once: it takes a while


def _refuse_half_characters(value: Any) -> None:  # any JSON value
    for text in _texts(value):
        if "\0" in text or any("\ud800" <= sign <= "\udfff" for sign in text):
            raise RowError(
                "an escape such as \\u0000 or \\ud83d does not stand for a whole character.",
                "Write the character itself, or take the escape out.",
            )


def _texts(value: Any) -> Iterator[str]:  # any JSON value
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)


# Workbooks

_MEGABYTE = 1 << 20
_UNPACKED_BYTES = 4096 * _MEGABYTE
_RATIO = 300  # of unpacked to packed; sheets of numbers reach some twenty
_RATIO_FROM_BYTES = 64 * _MEGABYTE  # a small workbook may be as empty as it likes
_MOST_ENTRIES = 10_000  # files in the archive
_MOST_ROWS = 1 << 20  # of a sheet, which Excel itself does not exceed
_MOST_CELLS = 200_000_000
_DAMAGED = "It may be damaged: open it in a spreadsheet and save it again."
_Cells: TypeAlias = tuple[Any, ...]  # of any type that Excel knows


def _read_sheet(source: Source, wanted: str | None) -> TableRows:
    """The sheet of this name, or the first, from its first row that holds anything."""
    file = str(source)
    with open_stream(source) as stream, _explain_damage(file):
        _refuse_bombs(stream, file)
        import openpyxl

        book = openpyxl.load_workbook(stream, read_only=True, data_only=True)
        sheets = {sheet.title: sheet for sheet in book.worksheets}
        name = _choose_sheet(sheets, wanted, file)
        rows, is_wider = _filled_rows(_cells(sheets[name]), file)
        if any(None in cells for _, cells in rows):
            formulas = openpyxl.load_workbook(stream, read_only=True)[name]
            _refuse_uncalculated(rows, _cells(formulas), file)
    if not rows:
        what = f"the sheet '{name}' is empty."
        raise FileError(Problem(what, "Name another with --sheet.", file=file))
    (line, head), *body = rows
    used = [
        place
        for place, title in enumerate(head)
        if title is not None or any(c[place : place + 1] not in {(), (None,)} for _, c in body)
    ]
    notes = []
    if len(sheets) > 1 and wanted is None:
        notes.append(f"the sheet '{name}' was read; there are {len(sheets) - 1} more.")
    if is_wider:
        notes.append("Cells to the right of the last column name are not read.")
    return TableRows(
        tuple("" if head[place] is None else str(head[place]).strip() for place in used),
        [(line, [c[place] if place < len(c) else None for place in used]) for line, c in body],
        header_line=line,
        notes=tuple(notes),
        part=f", sheet '{name}' of {len(sheets)}" if len(sheets) > 1 else "",
    )


def _choose_sheet(sheets: dict[str, Any], wanted: str | None, file: str) -> str:  # of openpyxl
    if not sheets:
        what = "the workbook has no sheet with cells."
        raise FileError(Problem(what, "Put the table on a sheet of its own.", file=file))
    if wanted is not None and wanted not in sheets:
        remedy = f"The workbook has {', '.join(sheets)}."
        raise FileError(Problem(f"there is no sheet '{wanted}'.", remedy, file=file))
    return next(iter(sheets)) if wanted is None else wanted


def _cells(sheet: Any) -> Iterator[_Cells]:  # of openpyxl
    sheet.reset_dimensions()  # the size that a file claims would cut off or add cells
    rows: Iterator[_Cells] = sheet.iter_rows(values_only=True)
    return rows


def _filled_rows(rows: Iterator[_Cells], file: str) -> tuple[list[tuple[int, _Cells]], bool]:
    """Rows that are not empty, as wide as the first of them, and whether some went on further."""
    found: list[tuple[int, _Cells]] = []
    width = cells = 0
    is_wider = False
    for line, row in enumerate(rows, start=1):
        if line > _MOST_ROWS or cells > _MOST_CELLS:
            what = "the sheet has more rows or cells than a spreadsheet can hold."
            raise FileError(Problem(what, _DAMAGED, file=file))
        if any(cell is not None for cell in row):
            width = width or len(row)
            cells += width
            is_wider |= any(cell is not None for cell in row[width:])
            found.append((line, tuple(row[:width])))
    return found, is_wider


def _refuse_uncalculated(
    rows: Sequence[tuple[int, _Cells]], formulas: Iterator[_Cells], file: str
) -> None:
    """Refuse formulas whose results are not in the file: their cells would count as empty."""
    values = dict(rows)
    for line, row in enumerate(formulas, start=1):
        pairs = zip(values.get(line, ()), row, strict=False)
        if any(value is None and formula is not None for value, formula in pairs):
            what = "the row has a formula whose result is not in the file."
            remedy = "Open the file in a spreadsheet and save it again."
            raise FileError(Problem(what, remedy, file=file, line=line))


def _refuse_bombs(stream: BinaryIO, file: str) -> None:
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
        raise FileError(Problem(what, "Export the table as CSV.", file=file))


@contextmanager
def _explain_damage(file: str) -> Iterator[None]:
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
        raise FileError(Problem(what, _DAMAGED, file=file)) from None
    except Exception:  # noqa: BLE001 - see above
        what = "the workbook is damaged, or has no sheet with cells."
        raise FileError(Problem(what, _DAMAGED, file=file)) from None


# Rows as columns, Parquet and frames


def _columns_of(
    found: TableRows, path: Source, column: Callable[[Sequence[Any]], pa.Array], *, hint: str = ""
) -> TableColumns:
    """The columns of rows that were read; their problems are an error."""
    import pyarrow as pa

    file = f"{path}{found.part}{hint}"
    if found.problems:
        raise DataError.of(first_problems(found.problems, file=file))
    cells = (
        zip(*(row for _, row in found.rows), strict=True)
        if found.rows
        else [()] * len(found.header)
    )
    arrays = [column(each) for each in cells]
    places = {name: place for place, name in reversed(list(enumerate(found.header)))}
    return TableColumns(
        found.header,
        lambda wanted: pa.table([arrays[places[name]] for name in wanted], names=list(wanted)),
        lambda rows: {row: found.rows[row][0] for row in rows},
        file,
        found.notes,
    )


def _json_column(cells: Sequence[Any]) -> pa.Array:  # any JSON values
    """Numbers, truths, words or lists; as words where a column has several of them."""
    import pyarrow as pa

    try:
        return pa.array(cells, from_pandas=True)
    except (pa.ArrowException, OverflowError):
        return _word_column(cells)


def _word_column(cells: Sequence[Any]) -> pa.Array:  # of any type
    import pyarrow as pa

    return pa.array([cell_text(cell) for cell in cells], pa.string())


def _open_parquet(path: Source) -> TableColumns:
    from pyarrow import parquet

    def read(columns: Sequence[str]) -> pa.Table:
        with explain_arrow(path), open_stream(path) as stream:
            table = parquet.ParquetFile(stream).read(columns=list(columns))
            table.validate(full=True)
        return table

    with explain_arrow(path), open_stream(path) as stream:
        names = tuple(parquet.read_schema(stream).names)
    return TableColumns(names, read, lambda rows: {row: row + 1 for row in rows}, str(path))


def _parquet_rows(source: Source) -> TableRows:
    from pyarrow import parquet

    with explain_arrow(source), open_stream(source) as stream:
        table = parquet.ParquetFile(stream).read()
        table.validate(full=True)
    names = tuple(name.strip() for name in table.column_names)
    problem = _header_problem(names, file=str(source))
    if problem:
        raise FileError(problem)
    rows = zip(*(column.to_pylist() for column in table.columns), strict=True)
    return TableRows(names, [(line, list(cells)) for line, cells in enumerate(rows, start=1)])


def _open_frame(frame: Frame) -> TableColumns:
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
    named = [name for name in getattr(getattr(frame, "index", None), "names", ()) if name]
    if named:  # of pandas, which keeps some columns as an index
        others = [level for level, name in enumerate(frame.index.names) if not name]
        plain = frame.reset_index(level=others, drop=True) if others else frame
        eager = nw.from_native(plain.reset_index(), eager_only=True)
    return TableColumns(
        tuple(str(name) for name in eager.columns),
        lambda wanted: pa.table({name: _arrow_column(eager[name]) for name in wanted}),
        lambda rows: {row: row + 1 for row in rows},
    )


def _arrow_column(series: Any) -> pa.Array | pa.ChunkedArray:  # a narwhals series
    import pyarrow as pa

    try:
        column: pa.Array | pa.ChunkedArray = series.to_arrow()
    except pa.ArrowException:  # a column of objects of several types
        return _word_column(series.to_list())
    return column


def cell_text(cell: object) -> str | None:
    """A cell as a word; a whole number has no decimal point, what is empty is None."""
    if cell is None or cell != cell:  # noqa: PLR0124 - NaN is not itself
        return None
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    if isinstance(cell, dict | list):
        return json.dumps(cell, ensure_ascii=False)
    return cell.isoformat() if hasattr(cell, "isoformat") else str(cell)


def _number_text(cell: Any) -> Any:  # of any type
    """A number as a person sees it in a cell; all else as it is."""
    return cell_text(cell) if isinstance(cell, int | float) and not isinstance(cell, bool) else cell


# What makes a file unreadable for Arrow


@contextmanager
def explain_arrow(source: Source) -> Iterator[None]:
    """Turn an error of Arrow into a message that names the file."""
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError, ValueError) as error:
        raise unreadable(source, error) from None


def unreadable(source: Source, error: Exception) -> FileError:
    """What to say about a file that a library could not read."""
    file = str(source)
    problem = _parquet_problem(source) if kind_of(source) == _PARQUET else None
    if problem is not None:
        return FileError(problem)
    said = (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
    if "UTF8" in said:
        return FileError(Problem("the file is not UTF-8.", SAVE_AS_UTF8, file=file))
    if "straddl" in said:
        what = f"a row is longer than {_BLOCK >> 20} MB."
        return FileError(Problem(what, "Shorten its texts, and close every quote.", file=file))
    remedy = "It may be damaged: export or copy it again."
    return FileError(Problem(f"the file cannot be read: {said}.", remedy, file=file))


def _parquet_problem(source: Source) -> Problem | None:
    """What is wrong with a file whose name ends in .parquet, as far as its two ends show it."""
    file = str(source)
    try:
        with open_stream(source) as stream:
            start = stream.read(_START_BYTES)
            stream.seek(-min(len(start), len(_MAGIC)), os.SEEK_END)
            end = stream.read()
    except (FileError, OSError):
        return None
    if start.startswith(_MAGIC):
        what, remedy = "the file is incomplete: its end is missing.", "Copy or export it again."
        return None if end == _MAGIC else Problem(what, remedy, file=file)
    what = "this is not a Parquet file, though its name ends in .parquet."
    if not start:
        return Problem("the file is empty.", "Export or copy it again.", file=file)
    kind = next((name for mark, name in _PACKED.items() if start.startswith(mark)), None)
    if kind is not None:
        remedy = f"It is {kind}: unpack it, and give the table the ending of its type."
    elif b"\0" in start:
        remedy = "Export it again as Parquet, or give it the ending of its type."
    else:
        remedy = "It seems to be text: give it the ending of its type, such as .csv or .jsonl."
    return Problem(what, remedy, file=file)


_START_BYTES = 4096
_MAGIC = b"PAR1"  # at both ends
_PACKED: Mapping[bytes, str] = {
    b"\x1f\x8b": "packed with gzip",
    b"PK\x03\x04": "a zip archive or an Excel file",
    b"\x28\xb5\x2f\xfd": "packed with zstd",
}
