"""The first sheet of a workbook: the study's pages, how to fill it in, the questions, examples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING

from rejudge.design import page_values
from rejudge.exchange.workbooks.layout import ParticipantWorkbook, cell_text
from rejudge.exchange.workbooks.pages import FrontLine
from rejudge.study import LETTERS, Example, Question, fill

if TYPE_CHECKING:
    from markdown_it.token import Token

_PAGES = ("information", "instructions")


def front_lines(book: ParticipantWorkbook, *, on: date) -> list[FrontLine]:
    """All lines of the first sheet, at the rates of pay of a day."""
    return [FrontLine(cell_text(line.text), line.style) for line in _lines(book, on)]


def consent_lines(book: ParticipantWorkbook, *, on: date) -> list[FrontLine]:
    """The lines of the study's consent page."""
    values = page_values(book.study, book.plan, on=on, same=book.words("about_same"))
    lines = _page(book.study.pages.get("consent", ""), values)
    return [FrontLine(cell_text(line.text), line.style) for line in lines]


def _lines(book: ParticipantWorkbook, on: date) -> Iterator[FrontLine]:
    words, spec, recipient = book.words, book.study.spec, book.recipient
    yield FrontLine(_plain(" ".join(spec.title.split())), "title")
    if recipient.name:
        yield FrontLine(words("for", name=_plain(recipient.name)), "quiet")
    yield FrontLine(words("code", code=recipient.code), "quiet")
    values = page_values(book.study, book.plan, on=on, same=words("about_same"))
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


_BREAKS = {"strong_open": "**", "strong_close": "**", "softbreak": " ", "hardbreak": "\n"}


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
            parts.append(_plain(fill(token.content, values)))
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
