"""Tables on the terminal.

On a narrow one nothing is cut off: text wraps, numbers never do, and columns that do not fit go
below, each block with the row labels again.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.padding import Padding
    from rich.table import Column, Table
    from rich.text import Text

    from rejudge.layout import Table as ResultTable

_LONGEST_WORD = 20  # a longer word in a text column may break


def to_terminal(
    table: ResultTable, title: str, heads: Sequence[str] = (), absent: str = ""
) -> Table:
    """A table of results with its title over the first column; `heads` are shorter headings."""
    from rejudge.layout.table import screen_rows

    names = heads or [column.name for column in table.columns[1:]]
    rows = [[cell or absent for cell in row] for row in screen_rows(table)]
    return grid(title, names, rows)


def grid(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    """Rows of text: the title is the heading of the first column, the others are on the right."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 2, 0, 0))
    table.add_column(Text(f"\n{title}", "italic"))
    for head in heads:
        table.add_column(Text(f"\n{head}"), justify="right")
    for row in rows:
        table.add_row(*map(Text, row))
    return table


def heading(title: str) -> Text:
    """The heading of a section."""
    from rich.text import Text

    return Text(f"\n{title}", "bold")


def number_table(*heads: str, left: Sequence[int] = (0,)) -> Table:
    """A table whose numbers never wrap; only the first column does."""
    from rich.table import Table
    from rich.text import Text

    made = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="")
    for place, head in enumerate(heads):
        side = "left" if place in left else "right"
        made.add_column(Text(head), justify=side, no_wrap=bool(place))  # type: ignore[arg-type]  # a Literal
    return made


def entries(rows: Sequence[Sequence[RenderableType]], least: Sequence[int] = ()) -> Padding:
    """Indented rows: short cells, then a text."""
    from rich.padding import Padding
    from rich.table import Table

    made = Table.grid(padding=(0, 2, 0, 0))
    last = len(rows[0]) - 1
    for place in range(last + 1):
        width = least[place] if place < len(least) else None
        made.add_column(no_wrap=place < last, min_width=width)
    for row in rows:
        made.add_row(*row)
    return Padding(made, (0, 0, 0, 2))


def fit_to_width(piece: RenderableType, console: Console) -> list[RenderableType]:
    """A piece of output as it fits the console: a table as one table or as several."""
    from rich.padding import Padding
    from rich.table import Table

    if isinstance(piece, Padding) and isinstance(piece.renderable, Table):
        edges = (piece.top, piece.right, piece.bottom, piece.left)
        width = console.width - piece.left - piece.right
        return [Padding(each, edges) for each in _blocks(piece.renderable, console, width)]
    return [*_blocks(piece, console, console.width)] if isinstance(piece, Table) else [piece]


def _blocks(table: Table, console: Console, width: int) -> list[Table]:
    """The table as it is, or with all its text wrapped, or in several parts."""
    for may_wrap in (False, True):
        whole = _part(table, table.columns, may_wrap=may_wrap)
        needed = [_least_width(column, console) for column in whole.columns]
        padding = table.padding[1] + table.padding[3]
        if sum(needed) + padding * len(needed) <= width:
            return [whole]
    parts = [
        _part(whole, [whole.columns[at] for at in (0, *group)], may_wrap=True)
        for group in _groups(needed[1:], width - needed[0] - padding, padding)
    ]
    for part in parts[1:]:
        part.title = None
    return parts


def _groups(needed: Sequence[int], width: int, padding: int) -> list[list[int]]:
    """Places of the columns after the first that fit beside each other, at least one each time."""
    groups: list[list[int]] = [[]]
    left = width
    for place, size in enumerate(needed, start=1):
        if groups[-1] and size + padding > left:
            groups.append([])
            left = width
        groups[-1].append(place)
        left -= size + padding
    return groups


def _part(table: Table, columns: Sequence[Column], *, may_wrap: bool) -> Table:
    """The same table with some of its columns; numbers, on the right, never wrap."""
    part = copy(table)
    part.columns = [
        replace(
            column,
            _index=place,
            overflow="fold",
            no_wrap=column.justify == "right" or (column.no_wrap and not may_wrap),
        )
        for place, column in enumerate(columns)
    ]
    return part


def _least_width(column: Column, console: Console) -> int:
    from rich.measure import Measurement

    pieces = [column.header, *column.cells]
    sizes = [Measurement.get(console, console.options, piece) for piece in pieces if piece != ""]
    if column.no_wrap:
        return max((size.maximum for size in sizes), default=0)
    longest = max((size.minimum for size in sizes), default=0)
    return max(min(longest, _LONGEST_WORD), column.min_width or 0)
