"""The sheets that people read before the tasks: what is on the first one, and their consent."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from rejudge.design.pages import page_values
from rejudge.design.phrases import withdrawal_elsewhere
from rejudge.exchange.workbooks.layout import Choices, ParticipantWorkbook, cell_text
from rejudge.exchange.workbooks.sizes import LINE_POINTS, TALLEST, lines_of
from rejudge.study.kinds.question import LETTERS, Question
from rejudge.study.model import fill_placeholders
from rejudge.study.qualification import Example

if TYPE_CHECKING:
    from markdown_it.token import Token


FrontStyle: TypeAlias = Literal["title", "heading", "text", "item", "note", "quiet"]
CONSENT_MARK, FORM_ANSWERS = "rejudge consent", "answer"  # hidden in the first row
INK = "1F2933"
_FRONT_UNITS, _FORM_UNITS, _FORM_COLUMN = 112.0, 26.0, 3
_ESCAPE = re.compile(r"_(?=x[0-9A-Fa-f]{4}_)")  # a spreadsheet would read it as a character
_PAGES = ("information", "instructions")
_BREAKS = {"strong_open": "**", "strong_close": "**", "softbreak": " ", "hardbreak": "\n"}


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


def front_lines(book: ParticipantWorkbook, *, on: date) -> list[FrontLine]:
    """All lines of the first sheet, at the rates of pay of a day."""
    return [FrontLine(cell_text(line.text), line.style) for line in _lines(book, on)]


def consent_lines(book: ParticipantWorkbook, *, on: date) -> list[FrontLine]:
    """The lines of the study's consent page."""
    values = _values(book, on)
    lines = _page(book.study.pages.get("consent", ""), values)
    return [FrontLine(cell_text(line.text), line.style) for line in lines]


def _values(book: ParticipantWorkbook, on: date) -> dict[str, str]:
    """What the placeholders stand for, with the numbers of this workbook."""
    own = [each for each, _ in book.recipient.seats if not book.plan.batch[each].is_calibration]
    same = book.words("about_same")
    values = page_values(book.study, book.plan, on=on, same=same, own=own)
    withdrawal = withdrawal_elsewhere(book.study.spec)
    return values | ({"withdrawal": withdrawal} if withdrawal else {})


def _lines(book: ParticipantWorkbook, on: date) -> Iterator[FrontLine]:
    words, spec, recipient = book.words, book.study.spec, book.recipient
    yield FrontLine(_plain(" ".join(spec.title.split())), "title")
    if recipient.name:
        yield FrontLine(words("for", name=_plain(recipient.name)), "quiet")
    yield FrontLine(words("code", code=recipient.code), "quiet")
    values = _values(book, on)
    values["practice"] = ""  # the examples are on this sheet, without feedback
    for role in _PAGES:
        yield from _page(book.study.pages.get(role, ""), values)
    yield FrontLine(words("how_title"), "heading")
    begin = [words("how_consent")] if book.asks_consent else []
    for step in (*begin, *words("how").split("\n")):
        yield FrontLine(f"• {step}", "item")
    yield FrontLine(words("questions_title"), "heading")
    for question in spec.questions:
        yield from _question(book, question)
    for number, example in enumerate(spec.practice.examples if spec.practice else (), start=1):
        if number == 1:
            yield FrontLine(words("examples_title"), "heading")
        yield from _example(book, example, number)


def _question(book: ParticipantWorkbook, question: Question) -> Iterator[FrontLine]:
    columns = (column for sheet in book.sheets for column in sheet.answer_columns)
    labels = dict.fromkeys(c.label for c in columns if c.question is question and c.label)
    yield FrontLine(f"**{_plain(question.prompt)}**")
    if question.definition:
        yield FrontLine(_plain(question.definition), "item")
    if labels:
        yield FrontLine(" · ".join(_plain(label).replace("\n", " · ") for label in labels), "item")


def _example(book: ParticipantWorkbook, example: Example, number: int) -> Iterator[FrontLine]:
    words = book.words
    yield FrontLine(f"**{words('example', number=number)}**")
    yield FrontLine(f"{words('input')}: {_plain(example.input)}", "item")
    if example.reference:
        yield FrontLine(f"{words('reference')}: {_plain(example.reference)}", "item")
    for letter, output in zip(LETTERS, example.outputs, strict=False):
        is_alone = len(example.outputs) == 1
        noun = words("output") if is_alone else words("version", letter=letter.upper())
        yield FrontLine(f"{noun}: {_plain(output)}", "item")
    prompts = {question.id: question for question in book.study.spec.questions}
    for name, raw in example.answers.items():
        question = prompts[name]
        said = question.answer_in_words(raw, words)
        answer = f"{_plain(question.prompt)} {words('right_answer')}: {said}"
        yield FrontLine(answer, "item")
    yield FrontLine(_plain(example.explanation), "item")


def _plain(text: str) -> str:
    return text.replace("**", "* *")  # which would make it bold


# ── pages ────────────────────────────────────────────────────────────────────────────────────────


def _page(text: str, values: Mapping[str, str]) -> Iterator[FrontLine]:
    """The paragraphs of a page; placeholders are filled after the Markdown is understood."""
    from markdown_it import MarkdownIt

    tokens = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image").parse(text)
    marks = _ListMarks()
    for place, token in enumerate(tokens):
        marks.follow(token)
        if token.type != "inline":
            continue
        said = _inline(token.children or (), values).strip()
        if not said:
            continue
        if tokens[place - 1].type == "heading_open":
            yield FrontLine(said.replace("**", ""), "heading")
        elif marks.depth:
            yield FrontLine(f"{marks.next_mark()} {said}", "item")
        else:
            yield FrontLine(said)


def _inline(children: Sequence[Token], values: Mapping[str, str]) -> str:
    """The words of a paragraph; the address of a link follows in brackets."""
    parts: list[str] = []
    address = ""
    for token in children:
        if token.type == "link_open":
            address = str(token.attrs.get("href", ""))
        elif token.type == "link_close" and address not in "".join(parts):
            parts.append(f" ({address.removeprefix('mailto:')})")
        elif token.type in _BREAKS:
            parts.append(_BREAKS[token.type])
        elif token.content:
            parts.append(_plain(fill_placeholders(token.content, values)))
    return "".join(parts)


class _ListMarks:
    """The bullets and numbers of nested lists."""

    def __init__(self) -> None:
        self._numbers: list[int | None] = []

    @property
    def depth(self) -> int:
        return len(self._numbers)

    def follow(self, token: Token) -> None:
        if token.type == "bullet_list_open":
            self._numbers.append(None)
        elif token.type == "ordered_list_open":
            self._numbers.append(int(token.attrs.get("start", 1)) - 1)
        elif token.type in {"bullet_list_close", "ordered_list_close"}:
            self._numbers.pop()

    def next_mark(self) -> str:
        number = self._numbers[-1]
        if number is None:
            return "•"
        self._numbers[-1] = number + 1
        return f"{number + 1}."
