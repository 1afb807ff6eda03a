"""The sheets that people read before the tasks: the first one, and the one with their consent."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from rejudge.exchange.workbooks.layout import Choices, ParticipantWorkbook
from rejudge.exchange.workbooks.sizes import LINE_POINTS, TALLEST, lines_of

FrontStyle: TypeAlias = Literal["title", "heading", "text", "item", "note", "quiet"]
CONSENT_MARK, FORM_ANSWERS = "rejudge consent", "answer"  # hidden in the first row
INK = "1F2933"
_FRONT_UNITS, _FORM_UNITS, _FORM_COLUMN = 112.0, 26.0, 3
_ESCAPE = re.compile(r"_(?=x[0-9A-Fa-f]{4}_)")  # a spreadsheet would read it as a character


@dataclass(frozen=True, slots=True)
class FrontLine:
    """A line of the first sheet; parts in bold are marked with `**`."""

    text: str
    style: FrontStyle = "text"


@dataclass(frozen=True, slots=True)
class FormCell:
    """One yellow cell below the consent: a choice, or a date and time where there is none."""

    key: str
    label: str
    choices: Choices | None = None
    value: Any = None  # in a copy, what was answered
    note: str = ""  # in a copy, what is wrong with it


def spreadsheet_text(text: str) -> str:
    """A text in which no spreadsheet finds an escaped character."""
    return _ESCAPE.sub("_x005F_", text)


def set_page(tab: Any, *, is_wide: bool, is_right_to_left: bool) -> None:  # of openpyxl
    """Paper, direction and protection of a sheet."""
    tab.sheet_view.showGridLines = False
    tab.sheet_view.rightToLeft = is_right_to_left
    tab.page_setup.orientation = "landscape" if is_wide else "portrait"
    tab.page_setup.paperSize = tab.PAPERSIZE_A4
    tab.page_setup.fitToHeight = 0
    tab.sheet_properties.pageSetUpPr.fitToPage = True
    tab.protection.formatColumns = False  # whoever reads better with wider columns may have them
    tab.protection.formatRows = False
    tab.protection.enable()


def fill_front(tab: Any, book: ParticipantWorkbook, lines: Iterable[FrontLine]) -> None:
    """The first sheet: what people read before they begin."""
    tab.title = book.words("sheet_start")
    tab.column_dimensions["A"].width = 3
    _fill_lines(tab, lines, first=2)
    set_page(tab, is_wide=False, is_right_to_left=book.words.is_right_to_left)


def fill_consent(
    tab: Any,
    lines: Sequence[FrontLine],
    form: Sequence[FormCell],
    *,
    list_of: Callable[[Choices], str],
) -> None:
    """The sheet on which people consent and say when they worked: a text, then yellow cells."""
    from openpyxl.worksheet.datavalidation import DataValidation

    _fill_lines(tab, lines, first=2)
    tab.column_dimensions["A"].hidden = True
    tab.column_dimensions["C"].width = _FORM_UNITS
    tab.row_dimensions[1].hidden = True
    tab.cell(1, 1).value, tab.cell(1, _FORM_COLUMN).value = CONSENT_MARK, FORM_ANSWERS
    for row, asked in enumerate(form, start=len(lines) + 3):
        tab.cell(row, 1).value = asked.key
        label, cell = tab.cell(row, 2), tab.cell(row, _FORM_COLUMN)
        label.value, label.style = asked.label, "rejudge front text"
        cell.value = asked.value
        cell.style = "rejudge answer fault" if asked.note else "rejudge answer"
        tab.row_dimensions[row].height = 6 + LINE_POINTS * lines_of(asked.label, _FRONT_UNITS)
        if asked.note:
            add_note(cell, asked.note)
        if asked.choices is None:
            cell.number_format = "yyyy-mm-dd hh:mm"
        else:
            offered = list_of(asked.choices)
            tab.add_data_validation(DataValidation(
                "list", formula1=offered, sqref=cell.coordinate, allow_blank=True,
                showErrorMessage=True,
            ))  # fmt: skip


def _fill_lines(tab: Any, lines: Iterable[FrontLine], *, first: int) -> None:
    tab.column_dimensions["B"].width = _FRONT_UNITS
    for row, line in enumerate(lines, start=first):
        cell = tab.cell(row, 2)
        cell.style = f"rejudge front {line.style}"
        cell.value = _rich(spreadsheet_text(line.text))
        if isinstance(cell.value, str):
            cell.data_type = "s"
        points = {"title": 26.0, "heading": 30.0}.get(line.style, LINE_POINTS + 1)
        units = _FRONT_UNITS / (1.6 if line.style == "title" else 1)
        count = lines_of(line.text.replace("**", ""), units)
        tab.row_dimensions[row].height = min(TALLEST, points + (count - 1) * LINE_POINTS + 2)


def add_note(cell: Any, text: str) -> None:  # of openpyxl
    """A note on a cell, tall enough for its text."""
    from openpyxl.comments import Comment

    cell.comment = Comment(text, "rejudge", height=30 + 18 * lines_of(text, 36), width=280)


def _rich(text: str) -> Any:  # a text, or openpyxl's text in several fonts
    if "**" not in text:
        return text
    from openpyxl.cell.rich_text import CellRichText, TextBlock
    from openpyxl.cell.text import InlineFont

    bold = InlineFont(b=True, rFont="Calibri", sz=11, color=INK)
    parts = [
        TextBlock(bold, part) if place % 2 else part
        for place, part in enumerate(text.split("**"))
        if part
    ]
    return CellRichText(*parts)
