"""judgments.csv: written and read by column, each different cell once."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import MISSING, fields
from typing import TYPE_CHECKING

from rejudge import fingerprint
from rejudge.errors import DataError, Problem
from rejudge.judgments.table import (
    CHOICE,
    COLUMNS,
    Coded,
    Judgment,
    Judgments,
)
from rejudge.spreadsheet import escape, quote
from rejudge.tables_in import NamedFile, open_columns

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


_LONG = 200_000  # rows; more are not written out to be named


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
    from rejudge.judgments.encode import Encoder

    opened = open_columns(NamedFile(file, text.encode("utf-8")))
    _refuse_wrong_head(opened.columns, file)
    encoder = Encoder(
        table=opened.load(opened.columns),
        names={name: name for name in opened.columns},
        must_fit=frozenset(opened.columns),
        is_own=True,
        systems=tuple(systems),
        choices="side",
        file=file,
    )
    judgments, has_value = encoder.judgments()
    encoder.faults.add(~has_value, lambda _: "value is empty.", "Fill in the cell.")
    if encoder.faults.count:
        raise DataError.of(encoder.faults.problems(opened))
    return judgments


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
