"""judgments.csv: the table as a file that any program reads, and back without loss."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, fields
from datetime import datetime
from typing import Any

from rejudge import fingerprint
from rejudge.errors import DataError, Problem
from rejudge.judgments.table import KINDS, ORIGINS, PREFERENCE, SIDES, Judgment, Judgments, faults

COLUMNS: tuple[str, ...] = tuple(field.name for field in fields(Judgments))
_NEEDED: tuple[str, ...] = tuple(f.name for f in fields(Judgment) if f.default is MISSING)
_SHOWN = 20  # so many faulty lines are listed; a file of another kind would fill the screen


def to_csv(judgments: Judgments) -> str:
    """One line per judgment; what is absent is empty."""
    rows = ([_written(getattr(row, column)) for column in COLUMNS] for row in judgments.rows())
    return lined((COLUMNS, *rows))


def lined(rows: Iterable[Sequence[str]]) -> str:
    """Cells as lines of CSV. (The library leaves a lone carriage return unquoted.)"""
    return "".join(",".join(map(_quoted, row)) + "\n" for row in rows)


def _quoted(cell: str) -> str:
    needs_quotes = any(mark in cell for mark in ',"\r\n')
    return '"' + cell.replace('"', '""') + '"' if needs_quotes else cell


def read_csv(text: str, *, file: str = "judgments.csv", systems: Sequence[str] = ()) -> Judgments:
    """The table of a file; all faults are named at once, with their lines."""
    reader = csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""))
    head = next(reader, [])
    _refuse_wrong_head(head, file)
    rows: list[Judgment] = []
    problems: list[Problem] = []
    for cells in reader:
        if not cells:
            continue
        row, faulty = _row(dict(zip(head, cells, strict=False)), len(cells) - len(head))
        problems += [
            Problem(what, remedy, file=file, line=reader.line_num) for what, remedy in faulty
        ]
        if row is not None:
            rows.append(row)
    if problems:
        raise DataError.of(_first(problems, file))
    return Judgments.from_rows(rows, systems=systems)


def fingerprint_of(judgments: Judgments) -> str:
    """Names the judgments, whatever the order of their rows."""
    head, *lines = to_csv(judgments).splitlines()
    return fingerprint.of_bytes("\n".join((head, *sorted(lines))).encode("utf-8"))


def _refuse_wrong_head(head: Sequence[str], file: str) -> None:
    missing = [column for column in _NEEDED if column not in head]
    unknown = [column for column in head if column not in COLUMNS]
    problems = [
        Problem(f"there is no column '{column}'.", "Add it; every judgment needs one.", file=file)
        for column in missing
    ] + [
        Problem(
            f"the column '{column}' is not known.",
            f"Rename or remove it; known are {', '.join(COLUMNS)}.",
            file=file,
            line=1,
        )
        for column in unknown
    ]
    if problems:
        raise DataError.of(problems)


def _row(cells: Mapping[str, str], surplus: int) -> tuple[Judgment | None, list[tuple[str, str]]]:
    """A line as a row, or what is wrong with it."""
    if surplus:
        count = "more" if surplus > 0 else "fewer"
        return None, [(f"the line has {count} cells than the head.", "Quote cells with commas.")]
    read: dict[str, Any] = {}  # the cells' types differ by column
    wrong: list[tuple[str, str]] = []
    for column, cell in cells.items():
        try:
            if cell != "" or column in _NEEDED:
                read[column] = _READERS.get(column, _word)(cell)
        except ValueError as error:
            wrong.append((f"{column} is '{cell}'.", str(error)))
    if wrong:
        return None, wrong
    row = Judgment(**read)
    wrong = faults(row)
    return (None if wrong else row), wrong


def _word(cell: str) -> str:
    if not cell:
        raise ValueError("Fill in the cell.")
    return cell


def _value(cell: str) -> float | str:
    if cell in PREFERENCE:
        return cell
    try:
        return float(cell)
    except ValueError:
        raise ValueError("Write a number, or a, b or tie for a comparison.") from None


def _whole(cell: str) -> int:
    if not cell.isascii() or not cell.isdigit() or int(cell) < 1:
        raise ValueError("Write a whole number from 1.")
    return int(cell)


def _seconds(cell: str) -> float:
    try:
        seconds = float(cell)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds < float("inf"):
        raise ValueError("Write a number of seconds, 0 or more.")
    return seconds


def _moment(cell: str) -> datetime:
    remedy = "Write a time with its zone, such as 2026-03-01T09:30:00+00:00."
    try:
        moment = datetime.fromisoformat(cell)
    except ValueError:
        raise ValueError(remedy) from None
    if moment.tzinfo is None:
        raise ValueError(remedy)
    return moment


def _one_of(allowed: Sequence[str]) -> Callable[[str], str]:
    def read(cell: str) -> str:
        if cell not in allowed:
            raise ValueError(f"Write one of {', '.join(allowed)}.")
        return cell

    return read


_READERS: dict[str, Callable[[str], object]] = {
    "value": _value,
    "segment": _whole,
    "position": _whole,
    "seconds": _seconds,
    "submitted_at": _moment,
    "kind": _one_of(KINDS),
    "side": _one_of(SIDES),
    "origin": _one_of(ORIGINS),
}


def _first(problems: Sequence[Problem], file: str) -> Iterator[Problem]:
    yield from problems[:_SHOWN]
    if len(problems) > _SHOWN:
        yield Problem(f"{len(problems) - _SHOWN} more lines are faulty.", file=file)


def _written(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, float):
        return repr(value).removesuffix(".0")  # the shortest text that reads back as the same
    return str(value)
