"""One table and its renderings: for programs (CSV), for papers, for pages and for screens.

A table is made once, from values. Each rendering chooses its columns and its formats: CSV has all
columns with all digits, papers and pages have rounded numbers, screens are compact.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import groupby
from operator import attrgetter, itemgetter
from typing import Literal, TypeAlias, TypeVar

from rejudge import spreadsheet
from rejudge.english import capital
from rejudge.errors import DataError, Problem
from rejudge.fingerprint import of_bytes
from rejudge.layout.numbers import DASH, NARROW, Ends, interval_text, number, p_value, range_text

Cell: TypeAlias = spreadsheet.Cell | Ends
Row: TypeAlias = tuple[Cell, ...]
Record = TypeVar("Record")
Kind: TypeAlias = Literal["text", "number", "p", "interval"]

_FINGERPRINT_LENGTH = 6  # enough to tell the questions of one table apart
_P_DECIMALS = 4  # in papers


class EmphasisedText(str):  # noqa: SLOT000 - it carries its pieces
    """A cell with bold parts, in formats that have bold text."""

    pieces: tuple[tuple[str, bool], ...]

    @classmethod
    def of(cls, pieces: Sequence[tuple[str, bool]]) -> EmphasisedText:
        """The pieces one after another, each with whether it is bold."""
        cell = cls("".join(text for text, _ in pieces))
        cell.pieces = tuple(pieces)
        return cell


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name in files, the decimals of its numbers (None for words), its heading."""

    name: str
    digits: int | None = None
    heading: str = ""  # on pages; "": the name with a capital
    kind: Kind | None = None  # None: a number if there are digits, text if there are none
    ends: tuple[str, str] = ("low", "high")  # names in CSV of the ends of an interval
    only: Literal["", "csv", "print"] = ""  # "csv": not in papers and pages; "print": not in CSV

    @property
    def is_text(self) -> bool:
        """Whether its cells are words, which are aligned to the left."""
        return self.kind == "text" or (self.kind is None and self.digits is None)

    @property
    def title(self) -> str:
        """The heading on a page."""
        return self.heading or capital(self.name)


def interval_column(
    digits: int = 2,
    name: str = "interval",
    heading: str = "",
    ends: tuple[str, str] = ("low", "high"),
) -> Column:
    """A column of intervals: two columns in CSV, `[low, high]` elsewhere."""
    return Column(name, digits, heading, "interval", ends)


def p_column(name: str = "p", heading: str = "") -> Column:
    """A column of p values: all digits in CSV, three or four decimals elsewhere, never 0."""
    return Column(name, _P_DECIMALS, heading or name, "p")


def csv_only(column: Column) -> Column:
    """The column, in CSV files only."""
    return replace(column, only="csv")


def print_only(column: Column) -> Column:
    """The column, everywhere except in CSV files."""
    return replace(column, only="print")


@dataclass(frozen=True, slots=True)
class Table:
    """A table of results: its name, what it shows, and its cells."""

    name: str  # of its files, without ending
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    most_in_print: int | None = None  # rows for papers; CSV has them all
    align_as: str = ""  # where words are aligned as numbers
    in_print: Table | None = None  # another layout for papers and pages
    notes: tuple[str, ...] = ()  # below the table, on pages
    section: str = ""  # of the report
    blocks: tuple[str, ...] = ()  # for each row the head of its block, which stands above it

    @property
    def align(self) -> str:
        """Words to the left, numbers to the right."""
        if self.align_as:
            return self.align_as
        return "".join("l" if column.is_text else "r" for column in self.columns)

    @property
    def printed(self) -> tuple[tuple[str, ...], ...]:
        """The cells as papers print them: rounded, and a dash for what is undefined."""
        return tuple(
            tuple(page_text(cell, c) for cell, c in zip(row, self.columns, strict=True))
            for row in self.rows[: self.most_in_print]
        )

    @property
    def printed_blocks(self) -> list[tuple[str, list[tuple[str, ...]]]]:
        """The same cells, by the heads of their blocks."""
        heads = self.blocks[: self.most_in_print] or ("",) * len(self.printed)
        pairs = groupby(zip(heads, self.printed, strict=True), key=itemgetter(0))
        return [(head, [row for _, row in same]) for head, same in pairs]

    @property
    def on_page(self) -> tuple[tuple[str, ...], ...]:
        """The cells as a page shows them."""
        return tuple(
            tuple(page_text(cell, c) for cell, c in zip(row, self.columns, strict=True))
            for row in self.rows
        )

    def column(self, name: str) -> tuple[Cell, ...]:
        """The cells of one column."""
        place = [column.name for column in self.columns].index(name)
        return tuple(row[place] for row in self.rows)

    def keep(self, *names: str) -> Table:
        """The table with these columns, in this order."""
        known = {column.name: place for place, column in enumerate(self.columns)}
        return self._at([known[name] for name in names])

    def without(self, *names: str) -> Table:
        """The table without these columns."""
        return self._at([at for at, column in enumerate(self.columns) if column.name not in names])

    def without_empty(self, *names: str) -> Table:
        """The table without those of these columns (of all, if none is named) that have no cell."""
        chosen = names or tuple(column.name for column in self.columns)
        return self.without(
            *(name for name in chosen if all(cell is None for cell in self.column(name)))
        )

    def columns_as_notes(self, *names: str) -> Table:
        """The table without these columns; what they say is below it, each text once."""
        found = [name for name in names if any(column.name == name for column in self.columns)]
        notes = dict.fromkeys(str(cell) for name in found for cell in self.column(name) if cell)
        return replace(self.without(*found), notes=(*self.notes, *notes))

    def with_digits(self, digits: int, *names: str) -> Table:
        """The table with so many decimals in these columns."""
        columns = (replace(c, digits=digits) if c.name in names else c for c in self.columns)
        return replace(self, columns=tuple(columns))

    def merge_rows(self, name: str) -> Table:
        """The table with one row for all rows that differ in this column alone."""
        place = [column.name for column in self.columns].index(name)
        merged: dict[Row, list[str]] = {}
        for row in self.rows:
            merged.setdefault((*row[:place], *row[place + 1 :]), []).append(str(row[place]))
        rows = ((*row[:place], ", ".join(cells), *row[place:]) for row, cells in merged.items())
        return replace(self, rows=tuple(rows))

    def where(self, is_kept: Callable[[Row], bool]) -> Table:
        """The table with some of its rows."""
        return replace(self, rows=tuple(row for row in self.rows if is_kept(row)))

    def rendering(self, which: Literal["csv", "print"]) -> Table:
        """The table with the columns for programs (CSV), or with those for papers and pages."""
        table = self if which == "csv" else self.in_print or self
        places = [at for at, column in enumerate(table.columns) if column.only in ("", which)]
        return table if len(places) == len(table.columns) else table._at(places)  # noqa: SLF001 - its own kind

    def _at(self, places: Sequence[int]) -> Table:
        return replace(
            self,
            columns=tuple(self.columns[place] for place in places),
            rows=tuple(tuple(row[place] for place in places) for row in self.rows),
            align_as="".join(self.align_as[place] for place in places) if self.align_as else "",
        )


def tabulate(
    name: str,
    caption: str,
    records: Iterable[Record],
    *columns: tuple[Column, str | Callable[[Record], Cell]],
    most_in_print: int | None = None,
    notes: tuple[str, ...] = (),
) -> Table:
    """One row per record; each column is an attribute of the record or computed from it."""
    getters = [attrgetter(get) if isinstance(get, str) else get for _, get in columns]
    try:
        rows = tuple(tuple(get(record) for get in getters) for record in records)
    except AttributeError as error:
        what = f"the table '{name}' cannot be made: {error}."
        raise DataError(
            Problem(what, "Give records that have an attribute for each column.")
        ) from error
    heads = tuple(column for column, _ in columns)
    return Table(name, caption, heads, rows, most_in_print=most_in_print, notes=notes)


def file_name(question: str) -> str:
    """The beginning of the names of a question's files.

    A name that no file can have is reduced to its plain letters and a fingerprint: questions in
    Chinese, or a/b next to a-b, would overwrite each other's tables.
    """
    plain = re.sub(r"[^A-Za-z0-9_.-]+", "-", question).strip(".-")
    if plain == question:
        return plain
    return f"{plain or 'question'}-{of_bytes(question.encode())[:_FINGERPRINT_LENGTH]}"


def to_csv(table: Table) -> str:
    """The table as CSV with all digits; undefined values are empty."""
    table = table.rendering("csv")
    head = [name for c in table.columns for name in (c.ends if c.kind == "interval" else (c.name,))]
    rows = ([value for cell, c in zip(row, table.columns, strict=True)
             for value in _csv_cells(cell, c)] for row in table.rows)  # fmt: skip
    return spreadsheet.csv_text((head, *rows))


def to_markdown(table: Table) -> str:
    """The table for a page in Markdown; the head of a block is a row of its own."""
    table = table.rendering("print")
    rules = {"l": ":--", "r": "--:"}
    blank = ("",) * (len(table.columns) - 1)
    body: list[tuple[str, ...]] = []
    for head, rows_below in table.printed_blocks:
        body += [(EmphasisedText.of([(head, True)]), *blank)] if head else []
        body += rows_below
    rows = (
        tuple(column.name for column in table.columns),
        tuple(rules[side] for side in table.align),
        *body,
    )
    lines = ["| " + " | ".join(map(_in_markdown, row)) + " |" for row in rows]
    return "\n".join((caption_in_print(table), "", *lines, ""))


def to_text(table: Table) -> str:
    """The table in plain characters, as Python prints it."""
    rows = [[column.name for column in table.columns], *map(list, screen_rows(table))]
    widths = [max(len(row[place]) for row in rows) for place in range(len(table.columns))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if side == "l" else cell.rjust(width)
            for cell, width, side in zip(row, widths, table.align, strict=True)
        ).rstrip()
        for row in rows
    )


def to_html(table: Table, titles: Mapping[str, Sequence[str]] | None = None) -> str:
    """The table for a notebook; `titles` are what appears on hovering over a column's cells."""
    head = "".join(f"<th>{escape(column.name)}</th>" for column in table.columns)
    body = ""
    for place, row in enumerate(screen_rows(table)):
        cells = ""
        for cell, column in zip(row, table.columns, strict=True):
            side = "" if column.is_text else ' style="text-align:right"'
            title = (titles or {}).get(column.name)
            hover = f' title="{escape(title[place], quote=True)}"' if title else ""
            cells += f"<td{side}{hover}>{escape(cell)}</td>"
        body += f"<tr>{cells}</tr>"
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def screen_rows(table: Table) -> list[tuple[str, ...]]:
    """The cells as screens show them."""
    return [
        tuple(screen_text(cell, c) for cell, c in zip(row, table.columns, strict=True))
        for row in table.rows
    ]


def caption_in_print(table: Table) -> str:
    """The caption; if rows are left out, how many."""
    printed = len(table.rows[: table.most_in_print])
    if printed == len(table.rows):
        return table.caption
    return f"{table.caption} The first {printed:,} of {len(table.rows):,} rows."


def page_text(cell: Cell, column: Column) -> str:
    """A cell on a page or in a paper."""
    if column.kind == "p" and isinstance(cell, int | float):
        return p_value(cell)
    return _text(cell, column)


def screen_text(cell: Cell, column: Column) -> str:
    """A cell on a screen: nothing where there is no value, and no narrow spaces."""
    if cell is None:
        return ""
    if column.kind == "interval" and not isinstance(cell, str | int | float):
        return range_text(cell, column.digits or 0)
    return page_text(cell, column).replace(f"<{NARROW}", "< ")


def _text(cell: Cell, column: Column) -> str:
    if cell is None:
        return DASH
    if isinstance(cell, str):
        return cell
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if not isinstance(cell, int | float):
        return interval_text(cell, column.digits or 0)
    if column.digits is None:
        return str(cell)
    return number(float(cell), column.digits)


def _csv_cells(cell: Cell, column: Column) -> tuple[spreadsheet.Cell, ...]:
    if isinstance(cell, int) and not isinstance(cell, bool) and column.digits:
        cell = float(cell)  # the same in a table of results that were read from a file
    if cell is None or isinstance(cell, str | int | float):
        return (cell, cell) if column.kind == "interval" else (cell,)
    return cell.low, cell.high


def _in_markdown(cell: str) -> str:
    if isinstance(cell, EmphasisedText):
        pieces = ((_escape_markdown(text), is_bold) for text, is_bold in cell.pieces)
        return "".join(f"**{text}**" if is_bold else text for text, is_bold in pieces)
    return _escape_markdown(" ".join(cell.split()))


def _escape_markdown(cell: str) -> str:
    return re.sub(r"([\\|*_`<>])", r"\\\1", cell)


_RTL = "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc"
RIGHT_TO_LEFT_WORDS = re.compile(f"([{_RTL}]+(?: [{_RTL}]+)*)")


def isolate_right_to_left(text: str) -> str:
    """Names in Arabic or Hebrew within an English sentence, isolated from each other.

    Otherwise a browser shows two of them with a comma between in reverse order.
    """
    return RIGHT_TO_LEFT_WORDS.sub("\u2068\\1\u2069", text)


def escape_markdown(text: str) -> str:
    """A paragraph with Markdown's special characters escaped."""
    escaped = re.sub(r"([\\`*_<>\[\]])", r"\\\1", isolate_right_to_left(text))
    return re.sub(r"^(\s*)(#{1,6}|[-+=]|\d+(?=[.)]))(?=[\s.)]|$)", _escape_beginning, escaped)


def _escape_beginning(found: re.Match[str]) -> str:
    space, mark = found.groups()
    return f"{space}{mark}\\" if mark.isdecimal() else f"{space}\\{mark}"
