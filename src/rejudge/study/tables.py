"""CSV, TSV and JSONL as one kind of table: a header, rows with their lines, and broken rows.

Texts are UTF-8, with or without a byte order mark.
"""

from __future__ import annotations

import codecs
import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from rejudge.errors import Problem, StudyError

Cells: TypeAlias = Sequence[Any]  # texts in CSV and TSV; any JSON value in JSONL

SAVE_AS_UTF8 = (
    'Save it as UTF-8: in a spreadsheet, choose "CSV UTF-8"; in an editor, "Save with encoding".'
)
UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_ZEROS_OF_UTF_16 = 0.2  # share of zero bytes above which a file is taken for UTF-16 without a mark
_LONGEST_CELL = 2**31 - 1
SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}


def allow_long_cells() -> None:
    """Let Python's csv module read cells of any length: a long text is not a fault."""
    csv.field_size_limit(_LONGEST_CELL)


@dataclass(frozen=True, slots=True)
class TextTable:
    """Rows under a header; what could not be read is among the problems."""

    header: tuple[str, ...]
    header_line: int
    rows: list[tuple[int, Cells]]  # the line on which a row begins, and its cells
    problems: list[Problem]


def read_table(text: str, *, file: str, outputs: Mapping[str, str]) -> TextTable:
    """The table in a text, by the ending of its file's name.

    `outputs` says under which column an entry of JSONL's `"outputs": {…}` is kept.
    """
    ending = file.lower().rpartition(".")[2] if "." in file else ""
    readers: dict[str, Callable[[], TextTable]] = {
        "csv": lambda: _read_delimited(text, ",", file=file),
        "tsv": lambda: _read_delimited(text, "\t", file=file),
        "jsonl": lambda: _read_objects(text, outputs, file=file),
    }
    if ending not in readers:
        raise StudyError(
            Problem(
                f"'{file}' does not end in .csv, .tsv or .jsonl.",
                "Save the items in one of these formats.",
                file=file,
            )
        )
    table = readers[ending]()
    if not table.rows and not table.problems:
        raise StudyError(
            Problem("the file has no rows.", "Add a header and one row per item.", file=file)
        )
    return table


# ── CSV and TSV ──────────────────────────────────────────────────────────────────────────────────


def _read_delimited(text: str, delimiter: str, *, file: str) -> TextTable:
    allow_long_cells()
    lines = _lines_of(text, delimiter)
    header_line, header, fault = next(lines, (1, [], ""))
    if fault:
        raise StudyError(_broken_row(header_line, fault, file=file))
    names = tuple(name.strip() for name in header)
    _refuse_other_delimiters(names, delimiter, file=file, line=header_line)
    rows: list[tuple[int, Cells]] = []
    problems = _repeated_names(names, file=file, line=header_line)
    width = len(names)
    for line, cells, fault in lines:
        if fault:
            problems.append(_broken_row(line, fault, file=file))
        elif len(cells) == width:
            rows.append((line, cells))
        else:
            problems.append(_uneven_row(line, len(cells), width, file=file))
    return TextTable(names, header_line, rows, problems)


def _lines_of(text: str, delimiter: str) -> Iterator[tuple[int, list[str], str]]:
    """Line, cells and fault of each row that is not blank."""
    # newline="": line ends inside quotes stay as they are
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield line, [], str(error)
            continue
        if any(cells):
            yield line, cells, ""


def _broken_row(line: int, fault: str, *, file: str) -> Problem:
    if "end of data" in fault:
        what = "a quote that is opened in this row is never closed."
        remedy = 'Close it; a " inside a quoted text is written twice.'
    else:
        what = "in this row something other than a separator follows a closing quote."
        remedy = 'Write a " inside a quoted text twice, and put quotes around the whole text.'
    return Problem(what, remedy, file=file, line=line)


def _uneven_row(line: int, found: int, width: int, *, file: str) -> Problem:
    return Problem(
        f"this row has {found} fields, but the header has {width}.",
        "Put a text that contains the separator or a line end in double quotes."
        if found > width
        else "Fill what is missing; an empty field still needs its separator.",
        file=file,
        line=line,
    )


def _refuse_other_delimiters(
    names: tuple[str, ...], delimiter: str, *, file: str, line: int
) -> None:
    other = next((sign for sign in (";", "\t", ",", "|") if sign in "".join(names)), None)
    if len(names) != 1 or other is None or other == delimiter:
        return
    raise StudyError(
        Problem(
            f"the columns are separated by {SEPARATORS[other]}, not by {SEPARATORS[delimiter]}.",
            "Save the file with commas as .csv, or with tabs as .tsv.",
            file=file,
            line=line,
        )
    )


def _repeated_names(names: tuple[str, ...], *, file: str, line: int) -> list[Problem]:
    repeated = dict.fromkeys(name for name in names if name and names.count(name) > 1)
    return [
        Problem(
            f"the column '{name}' occurs {names.count(name)} times in the header.",
            "Rename or remove one.",
            file=file,
            line=line,
        )
        for name in repeated
    ]


# ── JSONL ────────────────────────────────────────────────────────────────────────────────────────


class RowError(Exception):
    """A line that does not hold a usable object: what is wrong, and the remedy."""

    def __init__(self, what: str, remedy: str) -> None:
        super().__init__(what, remedy)
        self.what = what
        self.remedy = remedy


def _read_objects(text: str, outputs: Mapping[str, str], *, file: str) -> TextTable:
    problems: list[Problem] = []
    objects: list[tuple[int, dict[str, Any]]] = []
    for line, written in enumerate(text.split("\n"), start=1):  # not at U+2028, as splitlines does
        if not written.strip():
            continue
        try:
            objects.append((line, _flat(read_object(written), outputs)))
        except RowError as error:
            problems.append(Problem(error.what, error.remedy, file=file, line=line))
    header = tuple(dict.fromkeys(key for _, found in objects for key in found))
    rows: list[tuple[int, Cells]] = [
        (line, [found.get(key) for key in header]) for line, found in objects
    ]
    return TextTable(header, 1, rows, problems)


def read_object(line: str) -> dict[str, Any]:
    """The JSON object on a line; raises RowError with what is wrong and the remedy."""
    try:
        found = json.loads(line, object_pairs_hook=_with_unique_keys)
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


def _flat(found: dict[str, Any], outputs: Mapping[str, str]) -> dict[str, Any]:
    """An object with its `outputs` by system among its other keys, as in a wide table."""
    by_system = found.get("outputs")
    if not isinstance(by_system, dict):
        return found
    for system, text in by_system.items():
        column = outputs.get(system)
        if column is None:  # a system that is not part of the study
            continue
        if column in found:
            raise RowError(
                f"the output of '{system}' is given twice, in `outputs` and as '{column}'.",
                "Keep one of them.",
            )
        found[column] = text
    return found


def decode(content: bytes, *, file: str) -> str:
    """The text of a file, unchanged but for the byte order mark at its beginning."""
    if content.startswith(UTF16_MARKS):
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
