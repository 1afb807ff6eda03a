"""judgments.csv line by line: slow, but every fault gets its words and its place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, fields
from datetime import UTC, datetime
from typing import Any

from rejudge.collect import STATUSES
from rejudge.errors import DataError, Problem
from rejudge.judgments.table import (
    KINDS,
    LARGEST,
    ORIGINS,
    PREFERENCE,
    SIDES,
    Judgment,
    Judgments,
    faults,
)

NEEDED: tuple[str, ...] = tuple(f.name for f in fields(Judgment) if f.default is MISSING)
_SHOWN = 20  # so many faulty lines are listed; a file of another kind would fill the screen


def by_line(
    head: Sequence[str],
    lines: Iterable[tuple[int, Sequence[str]]],
    *,
    file: str,
    systems: Sequence[str],
) -> Judgments:
    """The table of lines, each with its number, or all their faults."""
    rows: list[Judgment] = []
    problems: list[Problem] = []
    listed = [(line, cells, dict(zip(head, cells, strict=False))) for line, cells in lines]
    has_people = any(by_name.get("participant") for _, _, by_name in listed)
    needed = [name for name in NEEDED if has_people or name != "participant"]
    for line, cells, by_name in listed:
        row, faulty = _row(by_name, len(cells) - len(head), needed)
        problems += [Problem(what, remedy, file=file, line=line) for what, remedy in faulty]
        if row is not None:
            rows.append(row)
    if problems:
        raise DataError.of(_first(problems, file))
    return Judgments.from_rows(rows, systems=systems)


def _row(
    cells: Mapping[str, str], surplus: int, needed: Sequence[str]
) -> tuple[Judgment | None, list[tuple[str, str]]]:
    """A line as a row, or what is wrong with it."""
    if surplus:
        count = "more" if surplus > 0 else "fewer"
        return None, [(f"the line has {count} cells than the head.", "Quote cells with commas.")]
    read: dict[str, Any] = {}  # the cells' types differ by column
    wrong: list[tuple[str, str]] = []
    for column, cell in cells.items():
        try:
            if cell != "" or column in needed:
                read[column] = READERS.get(column, _word)(cell)
        except ValueError as error:
            wrong.append((f"{column} is '{cell}'.", str(error)))
    if wrong:
        return None, wrong
    row = Judgment(**{"participant": None, **read})
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
    if not cell.isascii() or not cell.isdigit() or not 1 <= int(cell) < 2**31:
        raise ValueError("Write a whole number from 1.")
    return int(cell)


def _seconds(cell: str) -> float:
    try:
        seconds = float(cell)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= LARGEST:
        raise ValueError("Write a number of seconds, 0 or more.")
    return seconds


def _moment(cell: str) -> datetime:
    remedy = "Write a time with its zone, such as 2026-03-01T09:30:00+00:00."
    try:
        moment = datetime.fromisoformat(cell)
        if moment.tzinfo is not None:
            return moment.astimezone(UTC)
    except (ValueError, OverflowError):  # in UTC it may lie before the year 1
        pass
    raise ValueError(remedy)


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


READERS: dict[str, Callable[[str], object]] = {
    "value": _value,
    "segment": _whole,
    "position": _whole,
    "seconds": _seconds,
    "submitted_at": _moment,
    "kind": _one_of(KINDS),
    "side": _one_of(SIDES),
    "origin": _one_of(ORIGINS),
    "passed": _truth,
    "state": _one_of(STATUSES),
}


def _first(problems: Sequence[Problem], file: str) -> Iterator[Problem]:
    yield from problems[:_SHOWN]
    if len(problems) > _SHOWN:
        yield Problem(f"{len(problems) - _SHOWN} more lines are faulty.", file=file)
