"""judgments.csv: written and read by column; line by line where something is wrong with it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, fields, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from rejudge import fingerprint
from rejudge.collect.assignment import STATUSES
from rejudge.errors import DataError, Problem
from rejudge.judgments.arrow import distinct, encode_words, unescape_column
from rejudge.judgments.table import (
    CHOICE,
    COLUMNS,
    KINDS,
    LARGEST,
    ORIGINS,
    PREFERENCE,
    SIDES,
    Coded,
    Judgment,
    Judgments,
    faults,
    is_sound,
)
from rejudge.spreadsheet import escape, quote, unescape
from rejudge.text_tables import Row, first_problems, read_rows, uneven_row

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray


_LONG = 200_000  # rows; more are not written out to be named
_SYSTEMS = ("system", "system_a", "system_b")
_NUMBERS = ("value", "segment", "position", "seconds", "submitted_at", "passed")
_WORDS = tuple(name for name in COLUMNS if name not in _NUMBERS)
_CLOSED: Mapping[str, tuple[str, ...]] = {
    "kind": KINDS, "side": SIDES, "origin": ORIGINS, "state": STATUSES,
}  # fmt: skip
_EMPTY: Mapping[str, int] = {"kind": 0, "origin": 0}  # what an empty cell means: real, people


def to_csv(judgments: Judgments) -> str:
    """One line per judgment; absent is empty. `passed` and `state` are there where known."""
    return _write(judgments, escape)


def _write(judgments: Judgments, word: Callable[[str], str]) -> str:
    """The table as CSV; `word` says how a label is written."""
    columns = _known_columns(judgments)
    cells = [_cells(judgments, name, word) for name in columns]
    lines = map(",".join, zip(*cells, strict=True))
    return "\n".join((",".join(columns), *lines)) + "\n"


def _known_columns(judgments: Judgments) -> list[str]:
    absent = set()
    if not (judgments.passed >= 0).any():
        absent.add("passed")
    if not (judgments.state.codes >= 0).any():
        absent.add("state")
    return [name for name in COLUMNS if name not in absent]


def _cells(judgments: Judgments, name: str, word: Callable[[str], str]) -> list[str]:
    """A column as cells, quoted where they need it."""
    column = getattr(judgments, name)
    if isinstance(column, Coded):
        words = (*(quote(word(label)) for label in column.labels), "")
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


def read_csv(text: str, *, file: str = "judgments.csv", systems: Sequence[str] = ()) -> Judgments:
    """The table of a file; all faults are named at once, with their lines."""
    bare = text.removeprefix("\ufeff")
    rows = read_rows(bare)
    head = next(rows, Row(1, [])).cells
    _refuse_wrong_head(head, file)
    found = _by_column(bare, head, systems)
    if found is not None:
        return found
    return by_line(head, map(_unescape_row, rows), file=file, systems=systems)


def _unescape_row(row: Row) -> Row:
    return row._replace(cells=list(map(unescape, row.cells)))


def _by_column(text: str, head: Sequence[str], systems: Sequence[str]) -> Judgments | None:
    """The table, each distinct cell read once; None when anything is wrong or unusual in it."""
    import numpy as np
    import pyarrow as pa

    try:
        table = _cells_of(text, head)
        words = {name: _words(table, name) for name in _WORDS}
        known = _systems(words, systems)
        systems_of = {name: Coded(words[name].recode(known), known) for name in _SYSTEMS}
        columns: dict[str, Any] = {**words, **systems_of}  # for mypy: none of them is the notes
        value, is_choice = _values(table)
        judgments = Judgments(
            **columns,
            value=value,
            segment=_numbers(table, "segment").astype(np.int32),
            position=_numbers(table, "position").astype(np.int32),
            seconds=_seconds(table),
            submitted_at=_moments(table),
            passed=_numbers(table, "passed").astype(np.int8),
        )
    except (pa.ArrowInvalid, ValueError):
        return None
    return judgments if is_sound(judgments, is_choice) else None


def _cells_of(text: str, head: Sequence[str]) -> pa.Table:
    """The columns of the file: cells that repeat as codes, times and durations as numbers."""
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    if len(set(head)) < len(head):
        raise ValueError(head)
    kinds = dict.fromkeys(head, pa.dictionary(pa.int32(), pa.string()))
    kinds |= {"seconds": pa.float64(), "submitted_at": pa.timestamp("us", "UTC")}
    return arrow_csv.read_csv(
        pa.BufferReader(text.encode("utf-8")),
        parse_options=arrow_csv.ParseOptions(newlines_in_values=True),
        convert_options=arrow_csv.ConvertOptions(
            column_types=kinds, null_values=[""], strings_can_be_null=False
        ),
    )


def _words(table: pa.Table, name: str) -> Coded:
    import numpy as np

    if name not in table.column_names:
        first = _CLOSED.get(name, ())
        return Coded(np.full(len(table), _EMPTY.get(name, -1), dtype=np.int32), first)
    column = encode_words(unescape_column(table[name]), _CLOSED.get(name, ()))
    if name in _CLOSED and column.labels != _CLOSED[name]:
        raise ValueError(name)
    empty = column.codes < 0
    if name in NEEDED and empty.any() and not (name == "participant" and empty.all()):
        raise ValueError(name)
    return replace(column, codes=np.where(empty, np.int32(_EMPTY.get(name, -1)), column.codes))


def _systems(words: Mapping[str, Coded], first: Sequence[str]) -> tuple[str, ...]:
    found = {label for name in _SYSTEMS for label in words[name].labels}
    return (*first, *sorted(found.difference(first)))


def _values(table: pa.Table) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """The values as numbers, and which were written as a, b or tie."""
    import numpy as np

    codes, cells = distinct(table["value"])
    read = [READERS["value"](cell) for cell in cells]
    numbers = [PREFERENCE[each] if isinstance(each, str) else each for each in read]
    is_choice = np.array([isinstance(each, str) for each in read], dtype=np.bool_)
    return np.array(numbers, dtype=np.float64)[codes], is_choice[codes]


def _numbers(table: pa.Table, name: str) -> NDArray[np.int64]:
    """A column of few distinct numbers or truths; −1 where it is empty."""
    import numpy as np

    if name not in table.column_names:
        return np.full(len(table), -1)
    codes, cells = distinct(table[name])
    read = [READERS[name](cell) if cell else -1 for cell in cells]
    return np.array([*read, -1], dtype=np.int64)[codes]


def _seconds(table: pa.Table) -> NDArray[np.float64]:
    import numpy as np

    if "seconds" not in table.column_names:
        return np.full(len(table), np.nan)
    seconds: NDArray[np.float64] = table["seconds"].to_numpy()
    if table["seconds"].null_count < (~((seconds >= 0) & (seconds <= LARGEST))).sum():
        raise ValueError("seconds")
    return seconds


def _moments(table: pa.Table) -> NDArray[np.datetime64]:
    import numpy as np

    if "submitted_at" not in table.column_names:
        return np.full(len(table), np.datetime64("NaT"), dtype="datetime64[us]")
    moments: NDArray[np.datetime64] = table["submitted_at"].to_numpy()
    if (moments < np.datetime64("0001-01-01")).any():  # of which Python knows nothing
        raise ValueError("submitted_at")
    return moments


def fingerprint_of(judgments: Judgments) -> str:
    """Names the judgments, whatever the order of their rows.

    Of a very long table the rows are not written out: each is reduced to 64 bits.
    """
    if len(judgments) > _LONG:
        return fingerprint.of_bytes(_row_hashes(judgments))
    # As the cells are: how they are written for spreadsheets does not change what they say.
    head, *lines = _write(judgments, str).splitlines()
    return fingerprint.of_bytes("\n".join((head, *sorted(lines))).encode("utf-8"))


def _row_hashes(judgments: Judgments) -> bytes:
    """A number for each row, mixed column by column (the finaliser of SplitMix64), in order."""
    import numpy as np

    row = np.zeros(len(judgments), dtype=np.uint64)
    names = COLUMNS if (judgments.state.codes >= 0).any() else COLUMNS[:-1]
    for name in names:
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
    missing = [column for column in NEEDED if column not in head]
    unknown = [column for column in head if column not in COLUMNS]
    problems = [
        Problem(f"there is no column '{column}'.", "Add it; every judgment needs one.", file=file)
        for column in missing
    ] + [
        Problem(
            f"the column '{column}' is not known.",
            f"Rename or remove it. The columns are {', '.join(COLUMNS)}.",
            file=file,
            line=1,
        )
        for column in unknown
    ]
    if problems:
        raise DataError.of(problems)


NEEDED: tuple[str, ...] = tuple(f.name for f in fields(Judgment) if f.default is MISSING)


def by_line(
    head: Sequence[str],
    rows: Iterable[Row],
    *,
    file: str,
    systems: Sequence[str],
) -> Judgments:
    """The judgments in the rows, or every problem with its line."""
    judgments: list[Judgment] = []
    problems: list[Problem] = []
    listed = [(row, dict(zip(head, row.cells, strict=False))) for row in rows]
    has_people = any(by_name.get("participant") for _, by_name in listed)
    needed = [name for name in NEEDED if has_people or name != "participant"]
    for row, by_name in listed:
        if len(row.cells) != len(head):
            problems.append(uneven_row(row, len(head), file=file))
            continue
        judgment, faulty = _judgment(by_name, needed)
        problems += [Problem(what, remedy, file=file, line=row.line) for what, remedy in faulty]
        if judgment is not None:
            judgments.append(judgment)
    if problems:
        raise DataError.of(first_problems(problems, file=file))
    return Judgments.from_rows(judgments, systems=systems)


def _judgment(
    cells: Mapping[str, str], needed: Sequence[str]
) -> tuple[Judgment | None, list[tuple[str, str]]]:
    """The judgment in a row, or what is wrong with it."""
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


def _seconds_cell(cell: str) -> float:
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
    "seconds": _seconds_cell,
    "submitted_at": _moment,
    "kind": _one_of(KINDS),
    "side": _one_of(SIDES),
    "origin": _one_of(ORIGINS),
    "passed": _truth,
    "state": _one_of(STATUSES),
}
