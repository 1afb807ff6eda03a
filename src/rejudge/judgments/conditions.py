"""Which rows of a table are read: conditions on its columns, such as `lab=Tilburg`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rejudge.english import count as counted
from rejudge.errors import DataError, Problem, UsageError
from rejudge.judgments.arrow import distinct
from rejudge.judgments.columns import find_column, no_such_column
from rejudge.tables_in import TableColumns

if TYPE_CHECKING:
    import pyarrow as pa

_CONDITION = re.compile(r"(?P<column>.+?)\s*(?P<sign>!?=)(?P<value>.*)", re.DOTALL)
_SHOWN = 12  # values of a column that a message lists


@dataclass(frozen=True, slots=True)
class Where:
    """One condition on a column; an empty value stands for empty cells."""

    column: str
    value: str
    is_not: bool = False

    @classmethod
    def parse(cls, text: str) -> Where:
        """Read `lab=Tilburg` or `lab!=Tilburg`."""
        found = _CONDITION.fullmatch(text.strip())
        if not found:
            raise UsageError(
                Problem(
                    f"--where {text} is unclear.",
                    "Write column=value, or column!=value to leave rows out.",
                )
            )
        return cls(found["column"].strip(), found["value"].strip(), found["sign"] == "!=")

    def __str__(self) -> str:
        return f"{self.column}{'!=' if self.is_not else '='}{self.value}"


def filter_rows(source: TableColumns, conditions: Sequence[Where]) -> TableColumns:
    """The rows of a source that meet the conditions, with their lines.

    Values of the same column are alternatives, different columns must all fit. A column or a value
    that the table does not have is refused: a misspelt condition must not choose silently.
    """
    if not conditions:
        return source
    columns = _columns(source, conditions)
    cells = source.load(list(dict.fromkeys(columns.values())))
    keep = np.ones(len(cells), dtype=np.bool_)
    for asked, column in columns.items():
        keep &= _matching_rows(cells[column], [each for each in conditions if each.column == asked],
                         file=source.file)  # fmt: skip
    rows = np.flatnonzero(keep)
    if not len(rows):
        what = f"no row fits --where {' --where '.join(map(str, conditions))}."
        raise DataError(Problem(what, "Leave one of the conditions out.", file=source.file))

    def load(wanted: Sequence[str]) -> pa.Table:
        return source.load(wanted).filter(keep)

    def lines(wanted: Sequence[int]) -> Mapping[int, int]:
        found = source.lines([int(rows[row]) for row in wanted])
        return {row: found[int(rows[row])] for row in wanted}

    said = " and ".join(f"'{condition}'" for condition in conditions)
    note = f"Only rows with {said} are read: {len(rows):,} of {counted(len(keep), 'row')}."
    return replace(source, load=load, lines=lines, notes=(*source.notes, note))


def _columns(source: TableColumns, conditions: Sequence[Where]) -> dict[str, str]:
    """The table's column for each one asked for."""
    found = {each.column: find_column(source.columns, each.column) for each in conditions}
    problems = [
        no_such_column(asked, source.columns, source.file)
        for asked, column in found.items()
        if column is None
    ]
    if problems:
        raise DataError.of(problems)
    return {asked: column for asked, column in found.items() if column is not None}


def _matching_rows(
    column: pa.ChunkedArray, conditions: Sequence[Where], *, file: str | None
) -> NDArray[np.bool_]:
    codes, words = distinct(column)
    bare = [*(word.strip() for word in words), ""]  # code −1, an empty cell, takes the last
    _refuse_unknown(conditions, {bare[code] for code in np.unique(codes).tolist()}, file)
    wanted = {each.value for each in conditions if not each.is_not}
    unwanted = {each.value for each in conditions if each.is_not}
    fits = [(not wanted or word in wanted) and word not in unwanted for word in bare]
    return np.array(fits, dtype=np.bool_)[codes]


def _refuse_unknown(conditions: Sequence[Where], known: set[str], file: str | None) -> None:
    problems = [
        Problem(f"--where {each}: no row of '{each.column}' holds '{each.value}'.",
                f"It holds {_list_values(known)}.", file=file)
        for each in conditions
        if each.value not in known
    ]  # fmt: skip
    if problems:
        raise DataError.of(problems)


def _list_values(known: set[str]) -> str:
    shown = [f"'{word}'" if word else "empty cells" for word in sorted(known)[:_SHOWN]]
    more = len(known) - len(shown)
    return ", ".join(shown) + (f" and {more:,} others" if more else "")
