"""Tables in text files: CSV, TSV and JSON lines, read here for items, judgments and step files.

This module decides how such a file is decoded, what separates its cells, what may be a header, on
which line a row begins, and what is said about rows that cannot be read. What the columns mean is
the caller's business. How a file is opened, and how large it may be, is decided in `incoming`.
"""

from __future__ import annotations

import codecs
import csv
import io
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, TextIO

from rejudge.english import count as counted
from rejudge.errors import FileError, Problem, RejudgeError, StudyError
from rejudge.incoming import open_regular

SAVE_AS_UTF8 = (
    'Save it as UTF-8: in a spreadsheet, choose "CSV UTF-8"; in an editor, "Save with encoding".'
)
SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_ZEROS_OF_UTF_16 = 0.2  # share of zero bytes above which a file is taken for UTF-16 without a mark
_LONGEST_CELL = 2**31 - 1  # of Python's csv module: a long text is not a mistake
MOST_COLUMNS = 10_000  # survey tools write one for each question about each item
_LONGEST_NAME = 10_000  # characters; survey tools write whole questions above their columns
_LISTED = 20  # problems of one file that are listed; a file of another kind would fill the screen
_WESTERN = "cp1252"
_MOST_UNUSUAL = 0.2  # of the letters: Western text has fewer accents, other scripts far more
_CHUNK = 1 << 20
_QUALTRICS = re.compile(r'\{\s*"ImportId"\s*:')
# The first line that tells Excel the separator
_EXCEL_LINE = re.compile(r"sep=([!#-&(-/:-@\[\]^`{-~\t])\r?\n?")


# Rows of CSV and TSV


class Row(NamedTuple):
    """The cells of a row, the line on which it begins, and any fault in its quotes."""

    line: int
    cells: list[str]
    fault: str = ""


def read_rows(
    text: TextIO | str, separator: str = ",", *, strict: bool = False, skipped: int = 0
) -> Iterator[Row]:
    """Each row that is not a blank line; `strict` finds faults in the quotes.

    `skipped` is the number of lines that were read before. An open text needs `newline=""`, so that
    line ends inside quotes stay as they are.
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


def header_problem(names: Sequence[str], *, file: str, line: int = 1) -> Problem | None:
    """What makes a row unusable as a header."""
    if len(names) > MOST_COLUMNS:
        what = f"the first line has {len(names):,} cells; up to {MOST_COLUMNS:,} columns are read."
        remedy = "Check the separator and the line ends, or leave out columns that are not needed."
        return Problem(what, remedy, file=file, line=line)
    longest = max(map(len, names), default=0)
    if longest > _LONGEST_NAME:
        what = f"the first line has a cell of {longest:,} characters, which is not a column name."
        remedy = "Write the names of the columns into the first line, and close every quote."
        return Problem(what, remedy, file=file, line=line)
    if not any(names):
        remedy = "Write the names of the columns into its first line."
        return Problem("the file has no header.", remedy, file=file)
    if "\x00" in "".join(names):
        return _not_utf8(file)
    return None


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


def broken_row(row: Row, *, file: str) -> Problem:
    """What is wrong with the quotes of a row."""
    if "end of data" in row.fault:
        what = "a quote that is opened in this row is never closed."
        remedy = 'Close it; a " inside a quoted text is written twice.'
    else:
        what = "in this row something other than a separator follows a closing quote."
        remedy = 'Write a " inside a quoted text twice, and put quotes around the whole text.'
    return Problem(what, remedy, file=file, line=row.line)


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


def first_problems(problems: Iterable[Problem], *, file: str | None) -> list[Problem]:
    """As many problems as fit on a screen, without repetition, and how many more there are."""
    distinct = list(dict.fromkeys(problems))
    more = len(distinct) - _LISTED
    if more <= 0:
        return distinct
    return [*distinct[:_LISTED], Problem(f"{more:,} more problems were found.", file=file)]


@dataclass(frozen=True, slots=True)
class TextTable:
    """Rows under a header; what could not be read is among the problems."""

    header: tuple[str, ...]
    header_line: int
    rows: list[tuple[int, Sequence[Any]]]  # the line on which a row begins, and its cells: texts
    problems: list[Problem]  # in CSV and TSV, any JSON value in JSON lines


def read_delimited(
    text: str, separator: str, *, file: str, error: type[RejudgeError] = StudyError
) -> TextTable:
    """The table in a text of CSV or TSV; an unusable header raises the error."""
    found = read_rows(text, separator, strict=True)
    filled = (row for row in found if row.fault or any(row.cells))
    header = next(filled, None)
    if header is None:
        return TextTable((), 1, [], [])
    names = tuple(name.strip() for name in header.cells)
    fault = broken_row(header, file=file) if header.fault else None
    fault = fault or header_problem(names, file=file, line=header.line)
    if fault:
        raise error(fault)
    rows: list[tuple[int, Sequence[Any]]] = []
    problems = repeated_columns(names, file=file, line=header.line)
    for row in filled:
        if row.fault:
            problems.append(broken_row(row, file=file))
        elif len(row.cells) == len(names):
            rows.append((row.line, row.cells))
        else:
            problems.append(uneven_row(row, len(names), file=file))
    return TextTable(names, header.line, rows, problems)


# How a CSV or TSV file is written


@dataclass(frozen=True, slots=True)
class Dialect:
    """How the cells of a text file are found."""

    encoding: str
    separator: str
    skipped: int = 0  # lines before the header
    explained: int = 0  # rows under the header that explain it
    notes: tuple[str, ...] = ()

    def header(self, path: Path) -> list[str]:
        """The names of the columns."""
        names = next((row.cells for row in self.rows(path)), [])
        problem = header_problem(names, file=str(path))
        if problem:
            raise FileError(problem)
        return names

    def rows(self, path: Path) -> Iterator[Row]:
        """The header, then each row that is not a blank line."""
        with open_text(path, self.encoding) as text:
            for _ in range(self.skipped):
                text.readline()
            rows = read_rows(text, self.separator, skipped=self.skipped)
            for place, row in enumerate(rows):
                if row.fault:
                    what = f"the file cannot be read as a table: {row.fault}."
                    raise FileError(Problem(what, "Export it again.", file=str(path)))
                if not 1 <= place <= self.explained:
                    yield row


def detect_dialect(path: Path, *, separator: str) -> Dialect:
    """Find out how a file is written; `separator` is what its ending promises."""
    found = _detect_separator_and_encoding(path, separator)
    third = next(islice(found.rows(path), 2, None), None)  # under names and questions
    if third is None or not any(_QUALTRICS.match(cell) for cell in third.cells):
        return found
    note = "Qualtrics' two rows under the names of the columns are not read."
    return replace(found, explained=2, notes=(*found.notes, note))


def _detect_separator_and_encoding(path: Path, separator: str) -> Dialect:
    encoding, notes = _detect_encoding(path)
    with open_text(path, encoding) as text:
        first = text.readline(_CHUNK)
    stated = _EXCEL_LINE.fullmatch(first)
    if stated:
        return Dialect(
            encoding, stated[1], 1, notes=(*notes, f"Cells are separated by '{stated[1]}'.")
        )
    found = detect_separator(first, separator)
    said = () if found == separator else (f"Cells are separated by {SEPARATORS[found]}.",)
    return Dialect(encoding, found, notes=(*notes, *said))


def detect_separator(header: str, promised: str) -> str:
    """The promised one, unless the header is one cell with it and several with another."""
    try:
        counts = {mark: len(next(csv.reader([header], delimiter=mark), [])) for mark in SEPARATORS}
    except csv.Error:  # a heading as long as a book; whoever reads the file refuses it
        return promised
    if counts.get(promised, 0) > 1:
        return promised
    return max(counts, key=lambda mark: (counts[mark], mark == promised))


def _detect_encoding(path: Path) -> tuple[str, tuple[str, ...]]:
    """UTF-8, UTF-16 by its mark, or what older Windows programs write in Western Europe."""
    with open_table(path) as file:
        start = file.read(4)
    if start.startswith(_UTF16_MARKS):
        return "utf-16", ("The file is read as UTF-16.",)
    if _is_utf8(path):
        return "utf-8-sig", ()
    if not _is_western(path):
        raise FileError(_not_utf8(str(path)))
    note = "The file is not UTF-8; it is read as Windows-1252 (Western European)."
    return _WESTERN, (f"{note} If accents look wrong, save it as UTF-8.",)


def _is_utf8(path: Path) -> bool:
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        with open_table(path) as file:
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
        with open_table(path) as file:
            while chunk := file.read(_CHUNK):
                text = chunk.decode(_WESTERN)
                if "\x00" in text:
                    return False
                letters += sum(each.isalpha() for each in text)
                unusual += sum(ord(each) > 127 for each in text)
    except UnicodeDecodeError:
        return False
    return unusual <= _MOST_UNUSUAL * letters


@contextmanager
def open_text(path: Path, encoding: str = "utf-8-sig") -> Iterator[TextIO]:
    """A file as text, with its own line ends; bytes that cannot be decoded become a message."""
    with io.TextIOWrapper(open_table(path), encoding=encoding, newline="") as text:
        try:
            yield text
        except UnicodeError:
            raise FileError(_not_utf8(str(path))) from None


def open_table(path: Path) -> BinaryIO:
    """The bytes of a file, for libraries that cannot open one whose name is not UTF-8."""
    return open_regular(path, remedy="Give a table.")


def _not_utf8(file: str) -> Problem:
    return Problem("the file is not UTF-8.", SAVE_AS_UTF8, file=file)


# JSON lines


def filled_lines(text: TextIO | str) -> Iterator[tuple[int, str]]:
    """Each line that is not blank, with its number; U+2028 does not end a line."""
    stream = io.StringIO(text, newline="") if isinstance(text, str) else text
    return ((n, line) for n, line in enumerate(stream, start=1) if line.strip())


class RowError(Exception):
    """A line that does not hold a usable object: what is wrong, and the remedy."""

    def __init__(self, what: str, remedy: str) -> None:
        super().__init__(what, remedy)
        self.what = what
        self.remedy = remedy


def read_object(line: str) -> dict[str, Any]:
    """The JSON object on a line; raises RowError with what is wrong and the remedy."""
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


def read_objects(
    text: TextIO | str,
    *,
    file: str,
    flatten: Callable[[dict[str, Any]], dict[str, Any]] = lambda found: found,
) -> TextTable:
    """The table in JSON lines: a column for each key, None where an object lacks it."""
    objects: list[tuple[int, dict[str, Any]]] = []
    problems: list[Problem] = []
    for line, written in filled_lines(text):
        try:
            objects.append((line, flatten(read_object(written))))
        except RowError as error:
            problems.append(Problem(error.what, error.remedy, file=file, line=line))
    header = tuple(dict.fromkeys(key for _, found in objects for key in found))
    rows: list[tuple[int, Sequence[Any]]] = [
        (line, [found.get(key) for key in header]) for line, found in objects
    ]
    return TextTable(header, 1, rows, problems)


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


# Text


def decode(content: bytes, *, file: str) -> str:
    """The UTF-8 text of a file, unchanged but for the byte order mark at its beginning."""
    if content.startswith(_UTF16_MARKS):
        raise StudyError(Problem("the file is UTF-16, not UTF-8.", SAVE_AS_UTF8, file=file, line=1))
    body = content.removeprefix(codecs.BOM_UTF8)
    _refuse_zeros(body, file=file)
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError as error:
        before = body[: error.start]
        place = error.start - (before.rfind(b"\n") + 1) + 1
        raise StudyError(
            Problem(
                f"byte {place} of this line (0x{body[error.start]:02X}) is not UTF-8.",
                SAVE_AS_UTF8,
                file=file,
                line=before.count(b"\n") + 1,
            )
        ) from None


def _refuse_zeros(body: bytes, *, file: str) -> None:
    zeros = body.count(0)
    if not zeros:
        return
    if zeros > _ZEROS_OF_UTF_16 * len(body):
        raise StudyError(
            Problem("the file looks like UTF-16, not UTF-8.", SAVE_AS_UTF8, file=file, line=1)
        )
    raise StudyError(
        Problem(
            "the line contains a NUL character, which no text has.",
            "The file may be damaged; take the character out or export the file again.",
            file=file,
            line=body.count(b"\n", 0, body.index(0)) + 1,
        )
    )
