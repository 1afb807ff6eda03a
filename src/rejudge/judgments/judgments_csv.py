"""judgments.csv: written and read by column, each different cell once."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from rejudge import fingerprint
from rejudge.collect.assignment import STATUSES
from rejudge.errors import DataError, Problem
from rejudge.judgments.arrow import distinct
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
    are_sound,
)
from rejudge.judgments.table import faults as row_faults
from rejudge.spreadsheet import escape, quote, unescape
from rejudge.tables_in import (
    Row,
    first_problems,
    repeated_columns,
    split_rows,
    unescape_column,
    uneven_row,
)

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
    import numpy as np

    bare = text.removeprefix("\ufeff")
    head = next(split_rows(bare), Row(1, [])).cells
    _refuse_wrong_head(head, file)
    table = _cells_of(bare, head)
    problems = []
    if table is None:  # uneven lines, or a quote in a wrong place
        rows, width = list(split_rows(bare))[1:], len(head)
        problems = [uneven_row(r, width, file=file) for r in rows if len(r.cells) != width]
        table = _table_of(head, [row for row in rows if len(row.cells) == width])
    columns = {name: _CodedColumn.of(table, name) for name in COLUMNS}
    faults = [fault for name in head for fault in columns[name].faults(name)]
    read = _judgments(columns, systems)
    is_choice = np.isin(columns["value"].codes, columns["value"].places_of(str))
    faulty = {row for row, _, _ in faults}
    for place in np.flatnonzero(~are_sound(read, is_choice)).tolist():
        if place not in faulty:
            (row,) = read.take(np.array([place])).rows()
            value = columns["value"].values[columns["value"].codes[place]]
            faults += [(place, *each) for each in row_faults(replace(row, value=value))]
    if faults:
        lines = [r.line for r in split_rows(bare) if len(r.cells) == len(head)][1:]
        faults.sort(key=lambda fault: fault[0])
        problems += [Problem(what, fix, file=file, line=lines[row]) for row, what, fix in faults]
    if problems:
        problems.sort(key=lambda problem: problem.line or 0)
        raise DataError.of(first_problems(problems, file=file))
    return read


def _cells_of(text: str, head: Sequence[str]) -> pa.Table | None:
    """The cells as words, kept once each; None where lines are uneven."""
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    try:
        table = arrow_csv.read_csv(
            pa.BufferReader(text.encode("utf-8")),
            parse_options=arrow_csv.ParseOptions(newlines_in_values=True),
            convert_options=arrow_csv.ConvertOptions(
                column_types=dict.fromkeys(head, pa.dictionary(pa.int32(), pa.string())),
                strings_can_be_null=False,
            ),
        )
    except pa.ArrowInvalid:
        return None
    return pa.table(list(map(unescape_column, table.columns)), names=table.column_names)


def _table_of(head: Sequence[str], rows: Sequence[Row]) -> pa.Table:
    import pyarrow as pa

    cells = zip(*(row.cells for row in rows), strict=True) if rows else ([] for _ in head)
    return pa.table(
        {
            name: pa.array(list(map(unescape, column)), pa.string())
            for name, column in zip(head, cells, strict=True)
        }
    )


@dataclass(frozen=True, eq=False, slots=True)
class _CodedColumn:
    """A column of the file: a code for each row, and for each code the cell and what it means."""

    codes: NDArray[np.int32]
    cells: list[str]
    values: list[Any]  # of a type for each column; None: absent, or wrong
    wrong: dict[int, str]  # the remedy, by code

    @classmethod
    def of(cls, table: pa.Table, name: str) -> _CodedColumn:
        """The column of a table; one that is not there is empty throughout."""
        import numpy as np

        codes, cells = np.zeros(len(table), dtype=np.int32), [""]
        if name in table.column_names:
            codes, cells = distinct(table[name])
        is_needed = name in NEEDED and not (name == "participant" and not any(cells))
        read = READERS.get(name, _word)
        values, wrong = [], {}
        for code, cell in enumerate(cells):
            value = None
            try:
                value = read(cell) if cell or is_needed else None
            except ValueError as error:
                wrong[code] = str(error)
            values.append(value)
        return cls(codes, cells, values, wrong)

    def faults(self, name: str) -> Iterator[tuple[int, str, str]]:
        """The row, what is wrong, and the remedy."""
        import numpy as np

        for row in np.flatnonzero(np.isin(self.codes, list(self.wrong))).tolist():
            code = int(self.codes[row])
            yield row, f"{name} is '{self.cells[code]}'.", self.wrong[code]

    def places_of(self, kind: type) -> list[int]:
        """The codes whose value is of a type."""
        return [code for code, value in enumerate(self.values) if isinstance(value, kind)]

    def array(self, kind: str, absent: object) -> NDArray[Any]:
        """The column as numbers or times."""
        import numpy as np

        listed = [absent if value is None else value for value in self.values]
        return np.array(listed, dtype=kind)[self.codes]

    def coded(self, labels: Sequence[str], empty: int = -1) -> Coded:
        """The column in the codes of these labels."""
        place = {label: code for code, label in enumerate(labels)}
        found = replace(self, values=[place.get(value, empty) for value in self.values])
        return Coded(found.array("int32", empty), tuple(labels))

    @property
    def words(self) -> set[str]:
        return {value for value in self.values if value is not None}


def _judgments(columns: Mapping[str, _CodedColumn], systems: Sequence[str]) -> Judgments:
    found = {word for name in _SYSTEMS for word in columns[name].words}
    known = (*systems, *sorted(found.difference(systems)))
    labels = {name: tuple(sorted(columns[name].words)) for name in _WORDS}
    labels |= {**_CLOSED, **dict.fromkeys(_SYSTEMS, known)}
    value = columns["value"]
    numbers = [PREFERENCE[each] if isinstance(each, str) else each for each in value.values]
    words: dict[str, Any] = {  # for mypy: none of them is the notes
        name: columns[name].coded(labels[name], _EMPTY.get(name, -1)) for name in _WORDS
    }
    return Judgments(
        **words,
        value=replace(value, values=numbers).array("float64", float("nan")),
        segment=columns["segment"].array("int32", -1),
        position=columns["position"].array("int32", -1),
        seconds=columns["seconds"].array("float64", float("nan")),
        submitted_at=columns["submitted_at"].array("datetime64[us]", None),
        passed=columns["passed"].array("int8", -1),
    )


def fingerprint_of(judgments: Judgments) -> str:
    """Names the judgments, whatever the order of their rows.

    Of a very long table the rows are not written out: each is reduced to 64 bits.
    """
    if len(judgments) > _LONG:
        is_known = bool((judgments.state.codes >= 0).any())
        hashes = row_hashes(judgments, COLUMNS if is_known else COLUMNS[:-1])
        hashes.sort()
        return fingerprint.of_bytes(hashes.astype("<u8").tobytes())
    # As the cells are: how they are written for spreadsheets does not change what they say.
    head, *lines = _write(judgments, str).splitlines()
    return fingerprint.of_bytes("\n".join((head, *sorted(lines))).encode("utf-8"))


def row_hashes(judgments: Judgments, columns: Sequence[str] = COLUMNS) -> NDArray[np.uint64]:
    """A number for each row, mixed column by column (the finaliser of SplitMix64)."""
    import numpy as np

    row = np.zeros(len(judgments), dtype=np.uint64)
    for name in columns:
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
    return row


def _digest(label: str) -> bytes:
    return hashlib.blake2b(label.encode("utf-8"), digest_size=8).digest()


def _refuse_wrong_head(head: Sequence[str], file: str) -> None:
    missing = [column for column in NEEDED if column not in head]
    unknown = [column for column in head if column not in COLUMNS]
    problems = repeated_columns(head, file=file)
    problems += [
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
            return moment.astimezone(UTC).replace(tzinfo=None)  # as numpy keeps it
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
