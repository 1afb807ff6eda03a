"""judgments.csv: the table as a file that any program reads, and back without loss."""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, fields
from datetime import datetime
from typing import Any

from rejudge import fingerprint
from rejudge.errors import DataError, Problem
from rejudge.judgments.table import (
    CHOICE,
    COLUMNS,
    KINDS,
    ORIGINS,
    PREFERENCE,
    SIDES,
    Coded,
    Judgment,
    Judgments,
    columns_of,
    faults,
    is_sound,
)

_NEEDED: tuple[str, ...] = tuple(f.name for f in fields(Judgment) if f.default is MISSING)
_EMPTY: Mapping[str, str] = {"kind": "real", "origin": "people"}  # what an empty cell means
_LONG = 200_000  # rows; more are not written out to be named
_SHOWN = 20  # so many faulty lines are listed; a file of another kind would fill the screen


def to_csv(judgments: Judgments) -> str:
    """One line per judgment; what is absent is empty. `passed` is written where it is known."""
    columns = [name for name in COLUMNS if name != "passed" or (judgments.passed >= 0).any()]
    cells = [_cells(judgments, name) for name in columns]
    lines = map(",".join, zip(*cells, strict=True))
    return "\n".join((",".join(columns), *lines)) + "\n"


def _cells(judgments: Judgments, name: str) -> list[str]:
    """A column as cells, quoted where they need it."""
    column = getattr(judgments, name)
    if isinstance(column, Coded):
        words = (*map(_quoted, column.labels), "")
        return [words[code] for code in column.codes.tolist()]
    if name == "passed":
        return [("false", "true", "")[each] for each in column.tolist()]
    if column.dtype.kind == "M":
        return ["" if t is None else t.isoformat() + "+00:00" for t in column.tolist()]
    if column.dtype.kind == "i":
        return ["" if n < 0 else str(n) for n in column.tolist()]
    written = list(map(_number, column.tolist()))
    if name != "value" or not judgments.is_comparison.any():
        return written
    pairs = zip(column.tolist(), judgments.is_comparison.tolist(), written, strict=True)
    return [CHOICE[value] if compares else cell for value, compares, cell in pairs]


def _number(value: float) -> str:
    if value != value:  # noqa: PLR0124 - NaN is not itself
        return ""
    return repr(value).removesuffix(".0")  # the shortest text that reads back as the same


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
    lines = [(reader.line_num, cells) for cells in reader if cells]
    found = _by_column(head, [cells for _, cells in lines], systems)
    return found if found is not None else _by_line(head, lines, file=file, systems=systems)


def _by_column(
    head: Sequence[str], rows: Sequence[Sequence[str]], systems: Sequence[str]
) -> Judgments | None:
    """The table, each distinct cell read once; None when anything is wrong with it."""
    if len(set(head)) < len(head) or any(len(cells) != len(head) for cells in rows):
        return None
    parts: dict[str, Sequence[Any]] = {  # of several types
        name: [_EMPTY.get(name)] * len(rows) for name in COLUMNS
    }
    for column, cells in zip(head, zip(*rows, strict=True), strict=False):
        try:
            known = {
                cell: _READERS.get(column, _word)(cell)
                for cell in set(cells)
                if cell != "" or column in _NEEDED
            }
        except ValueError:
            return None
        known.setdefault("", _EMPTY.get(column))
        parts[column] = list(map(known.__getitem__, cells))
    table = columns_of(parts, systems)
    return table if is_sound(table, [isinstance(v, str) for v in parts["value"]]) else None


def _by_line(
    head: Sequence[str],
    lines: Iterable[tuple[int, Sequence[str]]],
    *,
    file: str,
    systems: Sequence[str],
) -> Judgments:
    """The table, line by line, so that every fault gets its words and its place."""
    rows: list[Judgment] = []
    problems: list[Problem] = []
    for line, cells in lines:
        row, faulty = _row(dict(zip(head, cells, strict=False)), len(cells) - len(head))
        problems += [Problem(what, remedy, file=file, line=line) for what, remedy in faulty]
        if row is not None:
            rows.append(row)
    if problems:
        raise DataError.of(_first(problems, file))
    return Judgments.from_rows(rows, systems=systems)


def fingerprint_of(judgments: Judgments) -> str:
    """Names the judgments, whatever the order of their rows.

    Of a very long table the rows are not written out: each is reduced to 64 bits.
    """
    if len(judgments) > _LONG:
        return fingerprint.of_bytes(_row_hashes(judgments))
    head, *lines = to_csv(judgments).splitlines()
    return fingerprint.of_bytes("\n".join((head, *sorted(lines))).encode("utf-8"))


def _row_hashes(judgments: Judgments) -> bytes:
    """A number for each row, mixed column by column (the finaliser of SplitMix64), in order."""
    import numpy as np

    row = np.zeros(len(judgments), dtype=np.uint64)
    for name in COLUMNS:
        column = getattr(judgments, name)
        if isinstance(column, Coded):
            words = [int.from_bytes(_digest(label)) for label in column.labels]
            part = np.array([*words, 0], dtype=np.uint64)[column.codes]
        else:
            part = column.astype(np.float64 if column.dtype.kind == "f" else np.int64)
            part = part.view(np.uint64)
        row += part + np.uint64(0x9E3779B97F4A7C15)
        row ^= row >> np.uint64(30)
        row *= np.uint64(0xBF58476D1CE4E5B9)
        row ^= row >> np.uint64(27)
        row *= np.uint64(0x94D049BB133111EB)
        row ^= row >> np.uint64(31)
    row.sort()
    return row.astype("<u8").tobytes()


def _digest(label: str) -> bytes:
    return hashlib.blake2b(label.encode("utf-8"), digest_size=8).digest()


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


def _truth(cell: str) -> bool:
    if cell not in {"true", "false"}:
        raise ValueError("Write true or false.")
    return cell == "true"


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
    "passed": _truth,
}


def _first(problems: Sequence[Problem], file: str) -> Iterator[Problem]:
    yield from problems[:_SHOWN]
    if len(problems) > _SHOWN:
        yield Problem(f"{len(problems) - _SHOWN} more lines are faulty.", file=file)
