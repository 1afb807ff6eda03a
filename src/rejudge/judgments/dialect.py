"""How a text file of a table is written: its encoding, its separator, and where the head stands."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from rejudge.errors import FileError, Problem
from rejudge.incoming import open_regular

NOT_UTF8 = 'Save it as UTF-8: in a spreadsheet, choose "CSV UTF-8".'
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_WESTERN = "cp1252"
_MOST_UNUSUAL = 0.2  # of the letters: Western text has fewer accents, other scripts far more
_CHUNK = 1 << 20
_LONGEST_CELL = 2**31 - 1
_SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
_QUALTRICS = re.compile(r'\{\s*"ImportId"\s*:')
_EXCEL_LINE = re.compile(
    r"sep=([!#-&(-/:-@\[\]^`{-~\t])\r?\n?"
)  # the first line that tells Excel the separator


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
        csv.field_size_limit(_LONGEST_CELL)  # a long text is no fault
        text = io.TextIOWrapper(_stream(path), encoding=self.encoding, newline="")
        for _ in range(self.skipped):
            text.readline()
        return text

    def rows(self, path: Path) -> Iterator[tuple[int, list[str]]]:
        """Each row that is not blank, with the line it ends on; the head comes first."""
        with readable(path), self.open(path) as text:
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
    told = _EXCEL_LINE.fullmatch(first)
    if told:
        return Dialect(encoding, told[1], 1, notes=(*notes, f"Cells are separated by '{told[1]}'."))
    found = _separator(first, separator)
    said = () if found == separator else (f"Cells are separated by {_SEPARATORS[found]}.",)
    return Dialect(encoding, found, notes=(*notes, *said))


def _separator(head: str, promised: str) -> str:
    """The promised one, unless the head is one cell with it and several with another."""
    try:
        counts = {mark: len(next(csv.reader([head], delimiter=mark), [])) for mark in _SEPARATORS}
    except csv.Error:  # a heading as long as a book; whoever reads the file refuses it
        return promised
    if counts.get(promised, 0) > 1:
        return promised
    return max(counts, key=lambda mark: (counts[mark], mark == promised))


def _encoding(path: Path) -> tuple[str, tuple[str, ...]]:
    """UTF-8, UTF-16 by its mark, or what older Windows programs write in Western Europe."""
    with _stream(path) as file:
        start = file.read(4)
    if start.startswith(_UTF_16):
        return "utf-16", ("The file is read as UTF-16.",)
    if _is_utf8(path):
        return "utf-8-sig", ()
    if not _is_western(path):
        raise FileError(Problem("the file is not UTF-8.", NOT_UTF8, file=str(path)))
    note = "The file is not UTF-8; it is read as Windows-1252 (Western European)."
    return _WESTERN, (f"{note} If accents look wrong, save it as UTF-8.",)


def _is_utf8(path: Path) -> bool:
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        with _stream(path) as file:
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
        with _stream(path) as file:
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
    with readable(path), io.TextIOWrapper(_stream(path), encoding=encoding, newline="") as text:
        return text.readline(_CHUNK)


def _stream(path: Path) -> BinaryIO:
    return open_regular(path, remedy="Name a table.")


@contextmanager
def readable(path: Path) -> Iterator[None]:
    """Turn a text that cannot be read into a message."""
    try:
        yield
    except UnicodeError:
        raise FileError(Problem("the file is not UTF-8.", NOT_UTF8, file=str(path))) from None
    except csv.Error as error:
        what = f"the file cannot be read as a table: {error}."
        raise FileError(Problem(what, "Export it again.", file=str(path))) from None
