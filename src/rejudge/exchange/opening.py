"""How files of other tools are opened: text, JSON, lines of JSON, CSV, and zip archives of these.

Nothing in a file is trusted: sizes are limited, archives are checked before they are unpacked, and
whatever cannot be read becomes one message that names the file and the line.
"""

from __future__ import annotations

import codecs
import io
import json
import re
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeAlias

from rejudge.english import count
from rejudge.errors import FileError, Problem
from rejudge.incoming import open_regular, path_text, read_bytes
from rejudge.tables_in import Row, split_rows

Record: TypeAlias = Mapping[str, Any]  # JSON values of another tool, checked where they are used

_MEGABYTE: Final = 1 << 20
FILE_BYTES: Final = 1024 * _MEGABYTE  # JSON takes several times as much in memory
_ENTRIES: Final = 10_000  # files in an archive: one for each participant and batch
_RATIO: Final = 300  # of unpacked to packed
_RATIO_FROM_BYTES: Final = _MEGABYTE  # smaller files may compress as well as they like
_PEEK: Final = _MEGABYTE  # of a file when its format is looked for
_LONG_PEEK: Final = 64 * _MEGABYTE  # where its first record is longer
_BROKEN: Final = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError)
_NEW_COPY: Final = "Export it again, or get a new copy of the file."
_SAVE_AS_UTF8: Final = "Save it as UTF-8 and import it again."
_ZIP: Final = b"PK\x03\x04"
_UTF16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_SPACE: Final = re.compile(r"[\s,]*")


@dataclass(frozen=True, slots=True)
class Document:
    """One file of another tool, or one file inside an archive."""

    name: str
    content: bytes
    label: str = ""  # for messages, where the name has the id of a participant

    @property
    def shown(self) -> str:
        """How messages call it."""
        return self.label or self.name

    def text(self) -> str:
        """The content as text; only UTF-8 is read, since a guess could change names silently."""
        if self.content.startswith(_UTF16):
            raise self._problem("the file is UTF-16, not UTF-8.", _SAVE_AS_UTF8)
        try:
            return self.content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = self.content.count(b"\n", 0, error.start) + 1
            what = "the file is not UTF-8."
            raise self._problem(what, _SAVE_AS_UTF8, line) from None

    def records(self) -> list[tuple[int, Any]]:
        """The values of a JSON array or of lines of JSON, each with its number or line from 1."""
        text = self.text()
        if text.lstrip().startswith("["):
            found = self._parse(text, 1)
            return list(enumerate(found, start=1))
        try:
            return [(1, json.loads(text))]
        except (ValueError, RecursionError):
            lines = enumerate(text.split("\n"), start=1)  # not splitlines: texts have U+2028
            return [(line, self._parse(each, line)) for line, each in lines if each.strip()]

    def table(self) -> tuple[list[str], list[Row]]:
        """The header of a table and the rows under it."""
        rows = self.rows()
        return (rows[0].cells, rows[1:]) if rows else ([], [])

    def rows(self, delimiter: str | None = None) -> list[Row]:
        """The rows of comma- or tab-separated values that are not empty, each with its line."""
        text = self.text()
        if "\0" in text:
            raise self._problem("the file contains null characters.", _NEW_COPY)
        mark = delimiter or ("\t" if "\t" in text.partition("\n")[0] else ",")
        found = [row for row in split_rows(text, mark) if row.fault or any(row.cells)]
        damaged = next((row for row in found if row.fault), None)
        if damaged:
            what = f"the table is damaged: {damaged.fault}."
            raise self._problem(what, _NEW_COPY, damaged.line)
        return found

    def _parse(self, text: str, line: int) -> Any:
        try:
            return json.loads(text)
        except json.JSONDecodeError as error:
            at = line + error.lineno - 1
            what = f"this is not valid JSON: {error.msg[:1].lower()}{error.msg[1:]}."
            raise self._problem(what, _CUT_OFF, at) from None
        except (ValueError, RecursionError):
            what = "a number is too long, or lists are nested too deeply."
            raise self._problem(what, _NEW_COPY, line) from None

    def _problem(self, what: str, remedy: str, line: int | None = None) -> FileError:
        return FileError(Problem(what, remedy, file=self.shown, line=line))


_CUT_OFF: Final = "The file may be cut off. Export it again."


def open_documents(files: Sequence[Path], suffixes: Sequence[str]) -> list[Document]:
    """The files, and those inside of archives that have one of the suffixes, in natural order."""
    documents: list[Document] = []
    for file in files:
        content = read_bytes(file, remedy="Check the name of the file.", limit=FILE_BYTES)
        name = path_text(file)
        if content.startswith(_ZIP):
            documents += _unpack(io.BytesIO(content), name, tuple(suffixes))
        else:
            documents.append(Document(name, content))
    return documents


def _unpack(stream: io.BytesIO, name: str, suffixes: tuple[str, ...]) -> Iterator[Document]:
    try:
        with zipfile.ZipFile(stream) as archive:
            entries = _sound_entries(archive, name)
            wanted = [entry for entry in entries if entry.filename.lower().endswith(suffixes)]
            if not wanted:
                what = f"the archive has no file that ends in {' or '.join(suffixes)}."
                raise FileError(Problem(what, "Check that it is the right file.", file=name))
            for entry in wanted:
                yield Document(f"{name}/{_printable(entry.filename)}", _content(archive, entry))
    except (*_BROKEN, OSError, ValueError) as error:
        what = "this is not a valid zip archive."
        raise FileError(Problem(what, _NEW_COPY, file=name)) from error


def _sound_entries(archive: zipfile.ZipFile, name: str) -> list[zipfile.ZipInfo]:
    """The files of an archive by name, unless it would fill the memory."""
    entries = [entry for entry in archive.infolist() if not entry.is_dir()]
    size = sum(entry.file_size for entry in entries)
    is_bomb = any(
        entry.file_size > _RATIO_FROM_BYTES
        and entry.file_size > _RATIO * max(1, entry.compress_size)
        for entry in entries
    )
    if is_bomb or size > FILE_BYTES or len(entries) > _ENTRIES:
        files = count(len(entries), "file")
        what = f"unpacked, the archive would have {files} and {size:,} bytes."
        raise FileError(Problem(what, "Check that it is the right file.", file=name))
    if any(entry.flag_bits & 1 for entry in entries):
        raise FileError(Problem("the archive is encrypted.", "Unpack it first.", file=name))
    return sorted(entries, key=lambda entry: entry.filename)


def _content(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    with archive.open(entry) as stream:
        return stream.read(entry.file_size + 1)  # never more than declared, and to the checksum


def _printable(name: str) -> str:
    return "".join(letter if letter.isprintable() else "�" for letter in name)[:120]


@dataclass(frozen=True, slots=True)
class Beginning:
    """The first record or rows of a file, by which its tool is recognised."""

    record: Record | None = None  # of JSON
    is_list: bool = False  # whether the record is the first of a JSON array
    rows: tuple[tuple[str, ...], ...] = ()  # of a table, where the file is not JSON


def damage_of(file: Path) -> Problem | None:
    """Why no format can recognise a file; None where nothing is wrong with the file itself."""
    name = path_text(file)
    try:
        with open_regular(file, remedy="") as stream:
            head = stream.read(_MEGABYTE)
            if head.startswith(_ZIP):
                with zipfile.ZipFile(stream) as archive:
                    _sound_entries(archive, name)
                return None
    except FileError as error:
        return error.problems[0]
    except (*_BROKEN, OSError, ValueError):
        return Problem("this is not a valid zip archive.", _NEW_COPY, file=name)
    if not head.strip():
        return Problem("the file is empty.", _NEW_COPY, file=name)
    if head.startswith(_UTF16):
        return Problem("the file is UTF-16, not UTF-8.", _SAVE_AS_UTF8, file=name)
    if b"\0" in head:
        return Problem("the file is not text: it contains null characters.", _NEW_COPY, file=name)
    return None


def look_at(file: Path) -> Beginning:
    """What a file begins with; an empty beginning for what cannot be read. Never raises."""
    try:
        found = file.stat()
        return _look(file, found.st_size, found.st_mtime_ns)
    except (FileError, OSError, ValueError, *_BROKEN):
        return Beginning()


@lru_cache(maxsize=4)  # each reader looks at the same file
def _look(file: Path, size: int, _modified: int) -> Beginning:
    found = Beginning()
    for most in (_PEEK, _LONG_PEEK):
        with open_regular(file, remedy="") as stream:
            head = stream.read(most)
            if head.startswith(_ZIP):
                head = _first_entry(stream, most)
        found = _beginning(head)
        if found.record or found.rows or size <= most:
            break
    return found


def _first_entry(stream: BinaryIO, most: int) -> bytes:
    """The beginning of the first file of an archive that may hold answers."""
    with zipfile.ZipFile(stream) as archive:
        for entry in _sound_entries(archive, ""):
            if entry.filename.lower().endswith((".jsonl", "user_state.json")):
                with archive.open(entry) as packed:
                    return packed.read(most)
    return b""


def _beginning(head: bytes) -> Beginning:
    text = head.decode("utf-8-sig", "ignore").lstrip()
    if head.startswith(_UTF16) or "\0" in text:
        return Beginning()
    return _first_record(text) if text[:1] in {"[", "{"} else _first_rows(text)


def _first_record(text: str) -> Beginning:
    is_list = text.startswith("[")
    start = _SPACE.match(text, 1).end() if is_list else 0  # type: ignore[union-attr]  # always fits
    try:
        found, _ = json.JSONDecoder().raw_decode(text, start)
    except (ValueError, RecursionError):
        return Beginning()
    return Beginning(found, is_list) if isinstance(found, dict) else Beginning()


def _first_rows(text: str) -> Beginning:
    lines = text.split("\n", 20)[:20]
    mark = "\t" if lines and "\t" in lines[0] else ","
    rows = list(split_rows("\n".join(lines), mark))
    if any(row.fault for row in rows):
        return Beginning()
    return Beginning(rows=tuple(tuple(row.cells) for row in rows))
