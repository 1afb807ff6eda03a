"""Tables that are text: CSV and TSV of any make, and one JSON object per line.

A table is opened first and read later: which of its columns are needed is known only then.
"""

from __future__ import annotations

import codecs
import csv
import io
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from rejudge.english import count as counted
from rejudge.errors import DataError, FileError, Problem
from rejudge.incoming import open_regular
from rejudge.judgments.arrow import unescaped_column
from rejudge.study.tables import (
    SAVE_AS_UTF8,
    SEPARATORS,
    UTF16_MARKS,
    RowError,
    allow_long_cells,
    read_object,
)

if TYPE_CHECKING:
    import pyarrow as pa

_SHOWN = 20
_LONGEST_NAME = 10_000  # characters; survey tools write whole questions above their columns
_MARK = b"\xef\xbb\xbf"  # of UTF-8
_BLOCK = 1 << 24  # bytes
_MOST_BRACKETS = 200  # on a line
_WESTERN = "cp1252"
_MOST_UNUSUAL = 0.2  # of the letters: Western text has fewer accents, other scripts far more
_CHUNK = 1 << 20
_QUALTRICS = re.compile(r'\{\s*"ImportId"\s*:')
_EXCEL_LINE = re.compile(
    r"sep=([!#-&(-/:-@\[\]^`{-~\t])\r?\n?"
)  # the first line that tells Excel the separator


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
        what = f"the first line has a cell of {longest:,} characters, which is not a column name."
        remedy = "Write the names of the columns into the first line, and close every quote."
        raise FileError(Problem(what, remedy, file=str(path), line=1))
    if not any(head) or "\x00" in "".join(head):
        what = "the file has no header." if not any(head) else "the file is not UTF-8."
        remedy = "Write the names of the columns into its first line." if not any(head) else ""
        raise FileError(Problem(what, remedy or SAVE_AS_UTF8, file=str(path)))
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
        with open_stream(path) as stream:
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
    return pa.table(list(map(unescaped_column, table.columns)), names=table.column_names)


def _shape_problems(path: Path, dialect: Dialect) -> Iterator[Problem]:
    wanted = len(_head(path, dialect))
    lengths = Counter(len(cells) for _, cells in dialect.rows(path))
    usual, lines = lengths.most_common(1)[0]
    if usual > wanted and lines > lengths.total() / 2:
        what = f"the first line has {counted(wanted, 'cell')}, but most lines have {usual}."
        remedy = "Remove what is above the names of the columns, or name every column."
        yield Problem(what, remedy, file=str(path), line=1 + dialect.skipped)
        return
    wrong = [
        (line, "more" if len(cells) > wanted else "fewer")
        for line, cells in dialect.rows(path)
        if len(cells) != wanted
    ]
    for line, count in wrong[:_SHOWN]:
        what = f"the line has {count} cells than the header."
        yield Problem(what, "Quote cells that hold separators.", file=str(path), line=line)
    if len(wrong) > _SHOWN:
        yield Problem(f"{len(wrong) - _SHOWN} more lines are faulty.", file=str(path))
    if not wrong:  # pyarrow finds quotes differently than Python does
        what = "a line has more or fewer cells than the header, or a quote in a wrong place."
        yield Problem(what, "Quote cells that hold separators or quotes.", file=str(path))


def _lines_in_csv(path: Path, dialect: Dialect, rows: Sequence[int]) -> Mapping[int, int]:
    wanted = set(rows)
    return {
        row: line
        for row, (line, _) in enumerate(dialect.rows(path), start=-1)  # the head comes first
        if row in wanted
    }


# How a text file is written


@dataclass(frozen=True, slots=True)
class Dialect:
    """How the cells of a text file are found."""

    encoding: str
    separator: str
    skipped: int = 0  # lines before the head
    explained: int = 0  # rows under the head that explain it
    notes: tuple[str, ...] = ()

    def open(self, path: Path) -> io.TextIOWrapper:
        """The text, from the head on."""
        allow_long_cells()
        text = io.TextIOWrapper(open_stream(path), encoding=self.encoding, newline="")
        for _ in range(self.skipped):
            text.readline()
        return text

    def rows(self, path: Path) -> Iterator[tuple[int, list[str]]]:
        """Each row that is not blank, with the line it ends on; the head comes first."""
        with _explain_unreadable(path), self.open(path) as text:
            reader = csv.reader(text, delimiter=self.separator)
            filled = ((reader.line_num + self.skipped, cells) for cells in reader if cells)
            for place, row in enumerate(filled):
                if not 1 <= place <= self.explained:
                    yield row


def dialect_of(path: Path, *, separator: str) -> Dialect:
    """Find out how a file is written; `separator` is what its ending promises."""
    found = _without_explanations(path, separator)
    _, second = next(islice(found.rows(path), 2, None), (0, []))  # under names and questions
    if not any(_QUALTRICS.match(cell) for cell in second):
        return found
    note = "Qualtrics' two rows under the names of the columns are not read."
    return replace(found, explained=2, notes=(*found.notes, note))


def _without_explanations(path: Path, separator: str) -> Dialect:
    encoding, notes = _encoding(path)
    first = _first_line(path, encoding)
    stated = _EXCEL_LINE.fullmatch(first)
    if stated:
        return Dialect(
            encoding, stated[1], 1, notes=(*notes, f"Cells are separated by '{stated[1]}'.")
        )
    found = _separator(first, separator)
    said = () if found == separator else (f"Cells are separated by {SEPARATORS[found]}.",)
    return Dialect(encoding, found, notes=(*notes, *said))


def _separator(head: str, promised: str) -> str:
    """The promised one, unless the head is one cell with it and several with another."""
    try:
        counts = {mark: len(next(csv.reader([head], delimiter=mark), [])) for mark in SEPARATORS}
    except csv.Error:  # a heading as long as a book; whoever reads the file refuses it
        return promised
    if counts.get(promised, 0) > 1:
        return promised
    return max(counts, key=lambda mark: (counts[mark], mark == promised))


def _encoding(path: Path) -> tuple[str, tuple[str, ...]]:
    """UTF-8, UTF-16 by its mark, or what older Windows programs write in Western Europe."""
    with open_stream(path) as file:
        start = file.read(4)
    if start.startswith(UTF16_MARKS):
        return "utf-16", ("The file is read as UTF-16.",)
    if _is_utf8(path):
        return "utf-8-sig", ()
    if not _is_western(path):
        raise FileError(Problem("the file is not UTF-8.", SAVE_AS_UTF8, file=str(path)))
    note = "The file is not UTF-8; it is read as Windows-1252 (Western European)."
    return _WESTERN, (f"{note} If accents look wrong, save it as UTF-8.",)


def _is_utf8(path: Path) -> bool:
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        with open_stream(path) as file:
            while chunk := file.read(_CHUNK):
                decoder.decode(chunk)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _is_western(path: Path) -> bool:
    """Whether all bytes have a meaning in Windows-1252 and few letters are unusual ones."""
    letters = unusual = 0
    try:
        with open_stream(path) as file:
            while chunk := file.read(_CHUNK):
                text = chunk.decode(_WESTERN)
                if "\x00" in text:
                    return False
                letters += sum(each.isalpha() for each in text)
                unusual += sum(ord(each) > 127 for each in text)  # noqa: PLR2004 - ASCII ends here
    except UnicodeDecodeError:
        return False
    return unusual <= _MOST_UNUSUAL * letters


def _first_line(path: Path, encoding: str) -> str:
    with (
        _explain_unreadable(path),
        io.TextIOWrapper(open_stream(path), encoding=encoding, newline="") as text,
    ):
        return text.readline(_CHUNK)


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
        with open_stream(path) as stream:
            table = arrow_json.read_json(stream)
        dates = [field.name for field in table.schema if pa.types.is_timestamp(field.type)]
        if dates:  # words stay words, also those that look like dates
            schema = pa.schema([(name, pa.string()) for name in dates])
            options = arrow_json.ParseOptions(explicit_schema=schema)
            with open_stream(path) as stream:
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
    with open_stream(path) as stream:
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
        try:
            entry = read_object(text)
        except RowError as error:
            problems.append(Problem(error.what, error.remedy, file=str(path), line=line))
            continue
        for name, cell in entry.items():
            above = columns.setdefault(name, [])
            above += [*[None] * (count - len(above)), cell_text(cell)]
        count += 1
    if problems:
        raise DataError.of(problems[:_SHOWN])
    filled = {name: [*cells, *[None] * (count - len(cells))] for name, cells in columns.items()}
    return pa.table({name: pa.array(cells, pa.string()) for name, cells in filled.items()})


def _json_lines(path: Path) -> Iterator[tuple[int, str]]:
    stream = io.TextIOWrapper(open_stream(path), encoding="utf-8-sig", newline="")
    with _explain_unreadable(path), stream as text:
        yield from ((n, line) for n, line in enumerate(text, start=1) if line.strip())


def _lines_in_jsonl(path: Path, rows: Sequence[int]) -> Mapping[int, int]:
    wanted = set(rows)
    return {row: line for row, (line, _) in enumerate(_json_lines(path)) if row in wanted}


def cell_text(cell: object) -> str | None:
    """A cell as a word; a whole number has no decimal point, what is empty is None."""
    if cell is None or cell != cell:  # noqa: PLR0124 - NaN is not itself
        return None
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    if isinstance(cell, dict | list):
        return json.dumps(cell, ensure_ascii=False)
    return cell.isoformat() if hasattr(cell, "isoformat") else str(cell)


def open_stream(path: Path) -> BinaryIO:
    """A file as it is open: pyarrow itself cannot open one whose name is not UTF-8."""
    return open_regular(path, remedy="Name a table.")


def unreadable(path: Path, error: Exception) -> FileError:
    """What to say about a file that a library could not read."""
    said = (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
    if "UTF8" in said:
        return FileError(Problem("the file is not UTF-8.", SAVE_AS_UTF8, file=str(path)))
    remedy = "It may be damaged: export or copy it again."
    return FileError(Problem(f"the file cannot be read: {said}.", remedy, file=str(path)))


@contextmanager
def _explain_unreadable(path: Path) -> Iterator[None]:
    """Turn a text that cannot be read into a message."""
    try:
        yield
    except UnicodeError:
        raise FileError(Problem("the file is not UTF-8.", SAVE_AS_UTF8, file=str(path))) from None
    except csv.Error as error:
        what = f"the file cannot be read as a table: {error}."
        raise FileError(Problem(what, "Export it again.", file=str(path))) from None
