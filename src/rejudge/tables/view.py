"""The registry of columns: a column says what it shows, how it is written, and where it appears.

A table is a name. Its columns are those that register for it, in the order of registration; a
medium chooses among them: `csv` (all digits), `page`, `paper` (LaTeX and Markdown, at most eight
columns), `terminal` and `notebook`. A new number in a table is one entry here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

from rejudge.layout.table import Cell, Column, Kind, Table

Medium: TypeAlias = Literal["csv", "page", "paper", "terminal", "notebook"]
Labels: TypeAlias = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class TableView:
    """What a table is made of and for: its records, names of systems, and the medium."""

    records: tuple[Any, ...]  # findings, or rows of a frame
    labels: Labels
    medium: Medium
    source: Any = None  # the results that the records are from
    beside: Mapping[tuple[str, ...], Any] = field(default_factory=dict)  # checks of pairs
    deciding: Mapping[str, Any] = field(default_factory=dict)  # other tests that decide on pairs

    def name(self, system: str) -> str:
        """What a system is called."""
        return self.labels.get(system, system)


CellFunction: TypeAlias = Callable[[Any, TableView], Cell]  # of a record
When: TypeAlias = Literal["always", "any", "many"]  # any: some cell has a value; many: cells differ
Digits: TypeAlias = "int | Callable[[TableView], int] | None"
Heading: TypeAlias = "str | Callable[[TableView], str]"


@dataclass(frozen=True, slots=True)
class ColumnEntry:
    """One entry of the registry; `tables` names the media in which each table shows it."""

    name: str  # in CSV
    cell: CellFunction
    tables: Mapping[str, str]
    kind: Kind = "text"
    digits: Digits = None
    heading: Heading = ""
    when: When = "always"
    ends: tuple[str, str] = ("low", "high")  # names in CSV of the ends of an interval
    is_block: bool = False  # its cells stand above blocks of rows


def tabulate_view(
    name: str,
    view: TableView,
    columns: Sequence[ColumnEntry],
    *,
    caption: str = "",
    notes: Sequence[str] = (),
) -> Table:
    """The table of this name with the columns that its medium shows."""
    chosen = [
        (entry, tuple(entry.cell(record, view) for record in view.records))
        for entry in columns
        if view.medium in entry.tables.get(name, "").split()
    ]
    shown = [(entry, cells) for entry, cells in chosen if _is_shown(entry, cells)]
    above = [cells for entry, cells in shown if entry.is_block]
    beside = [(entry, cells) for entry, cells in shown if not entry.is_block]
    return Table(
        name,
        caption,
        tuple(_layout(entry, view) for entry, _ in beside),
        tuple(zip(*(cells for _, cells in beside), strict=True)) if beside else (),
        notes=tuple(dict.fromkeys(notes)),
        blocks=tuple(", ".join(map(str, head)) for head in zip(*above, strict=True)),
    )


def _is_shown(entry: ColumnEntry, cells: Sequence[Cell]) -> bool:
    if entry.when == "any":
        return any(cell is not None for cell in cells)
    return entry.when == "always" or len(set(map(str, cells))) > 1


def _layout(entry: ColumnEntry, view: TableView) -> Column:
    digits = entry.digits(view) if callable(entry.digits) else entry.digits
    heading = entry.heading(view) if callable(entry.heading) else entry.heading
    made = Column(entry.name, digits, heading, entry.kind, entry.ends)
    return made if view.medium == "csv" else replace(made, name=heading or entry.name)
