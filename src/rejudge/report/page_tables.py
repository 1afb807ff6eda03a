"""Tables of results as they are on a page."""

from __future__ import annotations

from rejudge.english import count
from rejudge.layout import Table as ResultTable
from rejudge.report.blocks import Block, Fold, Table

_MOST_ROWS = 30  # of a table that is open on the screen


def page_table(
    table: ResultTable,
    *,
    name: str = "",
    caption: str = "",
    notes: tuple[str, ...] | None = None,
) -> Table:
    """The table with its headings; another name, caption or notes where the page has its own."""
    printed = table.rendering("print")
    return Table(
        id=f"table-{name or printed.name}",
        caption=caption or printed.caption,
        head=tuple(column.title for column in printed.columns),
        align=printed.align,
        rows=printed.on_page,
        notes=printed.notes if notes is None else notes,
    )


def folded(table: Table) -> Block:
    """A long table is closed on the screen."""
    if len(table.rows) <= _MOST_ROWS:
        return table
    return Fold(f"{table.caption.split('. ')[0]}: {count(len(table.rows), 'row')}", (table,))
