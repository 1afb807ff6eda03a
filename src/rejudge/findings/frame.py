"""A frame: a descriptive table of results, as named columns of equal length.

A frame describes. Nothing in it is tested, and no p value in it counts in a correction, a claim or
a comparison. `rejudge.tables.columns` says how each column looks and in which tables it appears.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from rejudge.english import capital
from rejudge.findings.model import Group
from rejudge.layout.table import Column, Table, to_html, to_text

if TYPE_CHECKING:
    import pyarrow as pa

Value: TypeAlias = str | bool | int | float | tuple[str, ...] | None
Row: TypeAlias = Mapping[str, Any]  # values by column, which are of several types


@dataclass(frozen=True, slots=True, repr=False)
class Frame:
    """One descriptive table. Lists that could grow without bound are cut; `total` then says how
    long they are in truth."""

    name: str
    columns: Mapping[str, tuple[Value, ...]] = field(default_factory=dict)
    question: str = ""  # or derived score; empty: of the whole study
    group: tuple[Group, ...] = ()  # empty: all judgments
    case: str = ""
    total: int | None = None  # rows, however few are listed; None: all are listed
    facts: Mapping[str, Value] = field(default_factory=dict)  # what holds for the whole table
    notes: tuple[str, ...] = ()  # what is undefined or left out, and why

    @classmethod
    def of(cls, name: str, rows: Iterable[Row], **about: Any) -> Frame:
        """A frame from its rows; a row without a value for a column has None there."""
        listed = list(rows)
        names = dict.fromkeys(column for row in listed for column in row)
        columns = {column: tuple(row.get(column) for row in listed) for column in names}
        return cls(name, columns, **about)

    @property
    def rows(self) -> tuple[dict[str, Any], ...]:
        """Its rows, each with its values by column."""
        names = tuple(self.columns)
        lines = zip(*self.columns.values(), strict=True)
        return tuple(dict(zip(names, line, strict=True)) for line in lines)

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    @property
    def size(self) -> int:
        """How many rows there are, however few are listed."""
        return len(self) if self.total is None else self.total

    def where(self, is_kept: Callable[[Row], bool]) -> Frame:
        """The frame with some of its rows."""
        return self.with_rows(row for row in self.rows if is_kept(row))

    def with_rows(self, rows: Iterable[Row]) -> Frame:
        """The frame with these rows; it still knows how many there were."""
        listed = list(rows)
        columns = {name: tuple(row[name] for row in listed) for name in self.columns}
        return replace(self, columns=columns, total=self.size)

    def by(self, column: str) -> dict[Any, Frame]:
        """The frame in parts: one for each value of a column, in the order of the rows."""
        values = dict.fromkeys(self.columns.get(column, ()))
        return {
            value: replace(self.where(lambda row, value=value: row[column] == value), total=None)  # type: ignore[misc]  # bound now
            for value in values
        }

    def to_arrow(self) -> pa.Table:
        """Its columns, typed."""
        import pyarrow as pa

        return pa.table({name: list(values) for name, values in self.columns.items()})

    def __repr__(self) -> str:
        return f"{self._title}\n{to_text(self._table)}"

    def _repr_html_(self) -> str:
        return f"<p>{self._title}</p>{to_html(self._table)}"

    @property
    def _title(self) -> str:
        where = ", ".join(filter(None, (self.question, *(each.name for each in self.group))))
        return capital(self.name.replace("-", " ")) + (f" on {where}" if where else "")

    @property
    def _table(self) -> Table:
        columns = tuple(
            Column(name.replace("_", " "), _digits(values)) for name, values in self.columns.items()
        )
        rows = tuple(
            tuple(", ".join(cell) if isinstance(cell, tuple) else cell for cell in row)
            for row in zip(*self.columns.values(), strict=True)
        )
        return Table(self.name, "", columns, rows)


def _digits(values: Iterable[Value]) -> int | None:
    """Two decimals for measurements, none for counts, None for words."""
    known = [value for value in values if value is not None]
    if not all(isinstance(value, int | float) for value in known):
        return None
    return 2 if any(isinstance(value, float) for value in known) else 0
