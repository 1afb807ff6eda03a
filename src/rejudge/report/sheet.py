"""One table for other programs and for papers: CSV with all digits, LaTeX rounded."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TypeAlias

from rejudge import spreadsheet
from rejudge.fingerprint import of_bytes
from rejudge.report.latex import Emphasised, table_tex

Cell: TypeAlias = spreadsheet.Cell

_MARK = 6  # signs of a fingerprint; enough for the questions of one table


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a sheet; `digits` are the decimals of its numbers in print, None for words."""

    name: str
    digits: int | None = None


@dataclass(frozen=True, slots=True)
class Sheet:
    """One table: what it is called, what it shows, and its cells."""

    name: str  # of its files, without ending
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    most_in_print: int | None = None  # rows for papers; CSV has them all
    align_as: str = ""  # where words are aligned as numbers
    in_print: Sheet | None = None  # another layout for papers than for programs

    @property
    def align(self) -> str:
        """Words to the left, numbers to the right."""
        if self.align_as:
            return self.align_as
        return "".join("l" if column.digits is None else "r" for column in self.columns)

    @property
    def printed(self) -> tuple[tuple[str, ...], ...]:
        """The cells as they stand in print: rounded, and a dash for what is undefined."""
        return tuple(
            tuple(_printed(cell, c) for cell, c in zip(row, self.columns, strict=True))
            for row in self.rows[: self.most_in_print]
        )


def file_name(question: str) -> str:
    """What the files of a question begin with.

    Of a name that no file can have, what is left of it and a mark of its own: questions named in
    Chinese, or as a/b beside a-b, would otherwise write over each other's tables.
    """
    plain = re.sub(r"[^A-Za-z0-9_.-]+", "-", question).strip(".-")
    if plain == question:
        return plain
    return f"{plain or 'question'}-{of_bytes(question.encode())[:_MARK]}"


def to_csv(sheet: Sheet) -> str:
    """The table with all its digits; what is undefined is empty."""
    return spreadsheet.csv_text(([column.name for column in sheet.columns], *sheet.rows))


def to_latex(sheet: Sheet) -> str:
    """The table for a paper, in the manner of booktabs."""
    sheet = sheet.in_print or sheet
    head = tuple(column.name for column in sheet.columns)
    return table_tex(sheet.name, _caption(sheet), sheet.align, (head, *sheet.printed))


def to_markdown(sheet: Sheet) -> str:
    """The table for a page in Markdown."""
    sheet = sheet.in_print or sheet
    rules = {"l": ":--", "r": "--:"}
    rows = (
        tuple(column.name for column in sheet.columns),
        tuple(rules[side] for side in sheet.align),
        *sheet.printed,
    )
    lines = ["| " + " | ".join(map(_in_markdown, row)) + " |" for row in rows]
    return "\n".join((_caption(sheet), "", *lines, ""))


def _in_markdown(cell: str) -> str:
    if isinstance(cell, Emphasised):
        pieces = ((_plain_markdown(text), is_bold) for text, is_bold in cell.pieces)
        return "".join(f"**{text}**" if is_bold else text for text, is_bold in pieces)
    return _plain_markdown(" ".join(cell.split()))


def _plain_markdown(cell: str) -> str:
    return re.sub(r"([\\|*_`<>])", r"\\\1", cell)


def _caption(sheet: Sheet) -> str:
    cut = f" The first {len(sheet.printed):,} of {len(sheet.rows):,} rows."
    return sheet.caption + (cut if len(sheet.printed) < len(sheet.rows) else "")


def _printed(cell: Cell, column: Column) -> str:
    if cell is None:
        return "–"
    if isinstance(cell, Emphasised):
        return cell
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, str) or column.digits is None:
        return str(cell)
    return _rounded(float(cell), column.digits)


def _rounded(value: float, digits: int) -> str:
    text = f"{value:,.{digits}f}"
    is_zero = float(text.replace(",", "")) == 0
    if is_zero and value > 0 and digits == 4:  # noqa: PLR2004 - a p value is never 0
        return "<0.0001"
    return text.lstrip("-") if is_zero else text.replace("-", "−")
