"""Tables of results on the terminal: as a grid of numbers, or as a list of sentences."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.padding import Padding
    from rich.text import Text

    from rejudge.layout import Table as ResultTable

_STYLES = {
    "upheld": "green",
    "contradicted": "red",
    "not upheld": "yellow",
    "undecided": "yellow",
    "yes": "green",
    "by rounding": "green",
    "no": "red",
}
_COLOURED = ("verdict", "reproduced")  # columns


def heading(title: str) -> Text:
    """The heading of a section."""
    from rich.text import Text

    return Text(f"\n{title}", "bold")


def render_table(
    table: ResultTable, corner: str = "", *, by: str = "", absent: str = ""
) -> RenderableType:
    """Text on the left, numbers on the right; numbers never wrap.

    `corner` is the heading of the first column. The cells of column `by` become lines above the
    rows that share them. `absent` is shown where there is no value.
    """
    from rich.table import Table
    from rich.text import Text

    table, above = _split(table.rendering("print"), by)
    made = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="")
    top = "\n" if corner else ""
    for place, column in enumerate(table.columns):
        text = (
            Text(f"{top}{column.heading or column.name}") if place else Text(top + corner, "italic")
        )
        right = table.align[place] == "r"
        made.add_column(text, justify="right" if right else "left", no_wrap=right)
    rows = list(zip(above, _cells(table, absent), strict=True))
    for place, (head, group) in enumerate(groupby(rows, key=lambda row: row[0])):
        if place:
            made.add_row()
        if head:
            made.add_row(Text(head, "italic"))
        for _, cells in group:
            made.add_row(*cells)
    return made


def render_list(table: ResultTable, *, by: str = "") -> list[RenderableType]:
    """Indented rows of short cells and a text; the cells of column `by` are lines above them."""
    from rich.text import Text

    table, heads = _split(table.rendering("print"), by)
    rows = list(zip(heads, _cells(table), strict=True))
    widths = [max(len(cells[place]) for _, cells in rows) for place in range(len(table.columns))]
    pieces: list[RenderableType] = []
    for head, group in groupby(rows, key=lambda row: row[0]):
        pieces += [Text(head)] if head else []
        pieces.append(_indent([cells for _, cells in group], widths))
    return pieces


def indent(text: str) -> Padding:
    """An indented text that wraps."""
    return _indent([[text]], [0])


def _indent(rows: Sequence[Sequence[RenderableType]], widths: Sequence[int]) -> Padding:
    """Short cells, then a text that wraps; lists below each other are aligned."""
    from rich.padding import Padding
    from rich.table import Table

    made = Table.grid(padding=(0, 2, 0, 0))
    for width in widths[:-1]:
        made.add_column(no_wrap=True, min_width=width)
    made.add_column()
    for row in rows:
        made.add_row(*row)
    return Padding(made, (0, 0, 0, 2))


def _split(table: ResultTable, by: str) -> tuple[ResultTable, list[str]]:
    """The table without a column, and the cells of this column."""
    if not by:
        return table, [""] * len(table.rows)
    return table.without(by), [str(cell or "") for cell in table.column(by)]


def _cells(table: ResultTable, absent: str = "") -> list[list[Text]]:
    from rich.text import Text

    from rejudge.layout.table import screen_rows

    names = [column.name for column in table.columns]
    return [
        [
            Text(cell or absent, _STYLES.get(cell, "") if name in _COLOURED else "")
            for cell, name in zip(row, names, strict=True)
        ]
        for row in screen_rows(table)
    ]
