"""The JSON text of a datasheet: read with the exact text of every entry, written back the same.

A sheet that was not edited is returned byte for byte. After an edit only the entries that changed
are rewritten, in the layout of the file; all others keep their text, whatever wrote them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NoReturn

from rejudge.errors import FileError, Problem
from rejudge.fingerprint import Json

_BOM: Final = "\ufeff"
_BLANK: Final = re.compile(r"[ \t\r\n]*")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_EXPORT_AGAIN: Final = "Save the sheet again from the form, or restore an earlier copy."


@dataclass(frozen=True, slots=True)
class SourceEntry:
    """One entry as it is in the file."""

    value: Json
    lead: str  # blanks, key and colon before the value
    text: str  # the value itself
    trail: str  # blanks before the comma


@dataclass(frozen=True, slots=True)
class JsonLayout:
    """How a file is laid out, for entries that are rewritten."""

    indent: str | None = "    "  # None: all on one line
    newline: str = "\n"
    colon: str = ": "
    is_ascii: bool = False

    @property
    def gap(self) -> str:
        """What follows a comma or colon on one line."""
        return self.colon[1:]


@dataclass(frozen=True, slots=True)
class SourceDocument:
    """A JSON object with the text of each of its entries."""

    content: bytes
    head: str
    entries: Mapping[str, SourceEntry]
    tail: str
    layout: JsonLayout
    file: str | None = None
    repeated: tuple[str, ...] = ()  # keys that occur twice; as in a browser, the last one counts


def parse_document(content: bytes, *, file: str | None = None) -> SourceDocument:
    """Read a JSON object. Anything else is refused with the line and what to do."""
    text = _decode(content, file)
    start = _BLANK.match(text, 1 if text.startswith(_BOM) else 0)
    begin = start.end() if start else 0
    if begin == len(text):
        raise FileError(Problem("the file is empty.", _EXPORT_AGAIN, file=file))
    if text[begin] != "{":
        _refuse_other(text, begin, file)
    return _Scanner(text, file).document(content, begin)


def write_document(entries: Mapping[str, Json], source: SourceDocument | None) -> bytes:
    """The bytes of a sheet: those that were read, where an entry is still the same object."""
    if source is not None and _is_unchanged(entries, source):
        return source.content
    layout = source.layout if source else JsonLayout()
    known = source.entries if source else {}
    parts = [_entry_text(key, value, known.get(key), layout) for key, value in entries.items()]
    head = source.head if source else "{"
    end = layout.newline if parts and layout.indent is not None else ""
    tail = source.tail if source and known else end + (source.tail if source else "}")
    return (head + ",".join(parts) + tail).encode()


def dump(value: Json, layout: JsonLayout, *, depth: int = 0) -> str:
    """JSON as the form writes it: lone surrogates are escaped, everything else is as it is."""
    comma = "," if layout.indent is not None else f",{layout.gap}"
    text = json.dumps(
        value, ensure_ascii=layout.is_ascii, indent=layout.indent, separators=(comma, layout.colon)
    )
    margin = layout.newline + (layout.indent or "") * depth
    return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text.replace("\n", margin))


def _is_unchanged(entries: Mapping[str, Json], source: SourceDocument) -> bool:
    # Identity, not equality: in Python 1 == True == 1.0, but their texts differ.
    return list(entries) == list(source.entries) and all(
        value is source.entries[key].value for key, value in entries.items()
    )


def _entry_text(key: str, value: Json, known: SourceEntry | None, layout: JsonLayout) -> str:
    if known is not None and known.value is value:
        return known.lead + known.text + known.trail
    if known is not None:
        return known.lead + dump(value, layout, depth=1) + known.trail
    margin = layout.gap if layout.indent is None else layout.newline + layout.indent
    return margin + dump(key, layout) + layout.colon + dump(value, layout, depth=1)


def _decode(content: bytes, file: str | None) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        what = "the file is not UTF-8 text."
        remedy = "Save it as UTF-8, or save the sheet again from the form."
        raise FileError(Problem(what, remedy, file=file, line=line)) from None


def _refuse_other(text: str, begin: int, file: str | None) -> NoReturn:
    kinds = {"[": "a list", '"': "a text", "<": "a page, not JSON"}
    kind = kinds.get(text[begin], "not an object")
    what = f"a datasheet is one JSON object, but this is {kind}."
    raise FileError(Problem(what, "Check that it is the right file.", file=file))


class _Scanner:
    """Reads the entries of the outermost object one by one."""

    def __init__(self, text: str, file: str | None) -> None:
        self._text = text
        self._file = file
        self._decoder = json.JSONDecoder(parse_constant=_refuse_constant)

    def document(self, content: bytes, begin: int) -> SourceDocument:
        head = self._text[: begin + 1]
        entries: dict[str, SourceEntry] = {}
        repeated: list[str] = []
        end = self._closing(begin + 1)
        place = begin + 1
        while end is None:
            key, entry, place, is_last = self._entry(place)
            if key in entries:
                repeated.append(key)
                del entries[key]
            entries[key] = entry
            end = place if is_last else None
        tail = self._tail(end)
        layout = _layout(self._text, entries)
        return SourceDocument(content, head, entries, tail, layout, self._file, tuple(repeated))

    def _closing(self, place: int) -> int | None:
        """Where the object ends, if it has no entry."""
        after = self._skip(place)
        return place if self._text[after : after + 1] == "}" else None

    def _entry(self, begin: int) -> tuple[str, SourceEntry, int, bool]:
        place = self._skip(begin)
        if self._text[place : place + 1] != '"':
            self._refuse("a key in double quotes is missing", place)
        key, place = self._value(place)
        place = self._skip(place)
        if self._text[place : place + 1] != ":":
            self._refuse("a colon is missing after a key", place)
        start = self._skip(place + 1)
        value, stop = self._value(start)
        after = self._skip(stop)
        sign = self._text[after : after + 1]
        if sign not in {",", "}"} or not sign:
            self._refuse("the file ends early" if not sign else "a comma is missing", after)
        is_last = sign == "}"
        trail = "" if is_last else self._text[stop:after]
        entry = SourceEntry(value, self._text[begin:start], self._text[start:stop], trail)
        return str(key), entry, stop if is_last else after + 1, is_last

    def _tail(self, place: int) -> str:
        after = self._skip(self._skip(place) + 1)
        if after != len(self._text):
            self._refuse("there is more after the end of the object", after)
        return self._text[place:]

    def _value(self, place: int) -> tuple[Json, int]:
        try:
            value, stop = self._decoder.raw_decode(self._text, place)
        except json.JSONDecodeError as error:
            self._refuse(error.msg[:1].lower() + error.msg[1:], error.pos)
        except RecursionError:
            self._refuse("it is nested too deeply", place)
        except ValueError as error:  # a number with thousands of digits, NaN
            self._refuse(str(error).partition(";")[0], place)
        return value, stop

    def _skip(self, place: int) -> int:
        found = _BLANK.match(self._text, place)
        return found.end() if found else place

    def _refuse(self, what: str, place: int) -> NoReturn:
        line = self._text.count("\n", 0, place) + 1
        problem = Problem(
            f"this is not valid JSON: {what}.", _EXPORT_AGAIN, file=self._file, line=line
        )
        raise FileError(problem) from None


def _refuse_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is not a JSON value")


def _layout(text: str, entries: Mapping[str, SourceEntry]) -> JsonLayout:
    first = next(iter(entries.values()), None)
    if first is None:
        return JsonLayout()
    margin = re.match(r"[ \t\r]*\n([ \t]*)", first.lead)
    return JsonLayout(
        indent=margin[1] if margin else None,
        newline="\r\n" if "\r\n" in first.lead else "\n",
        colon=": " if first.lead.endswith(" ") else ":",
        is_ascii=text.isascii() and "\\u" in text,
    )
