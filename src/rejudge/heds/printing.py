"""A sheet as it is printed: its sections, Markdown, a table; and a copy for anonymous review."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

from rejudge.heds.answers import AnswerState, SheetAnswer, describe_answer
from rejudge.heds.criteria import prune_orphans
from rejudge.heds.provenance import find_provenance, is_edited
from rejudge.heds.schema import SheetOption, SheetQuestion, SheetSection
from rejudge.heds.sheet import EXTRA_KEY, Sheet, SheetCell
from rejudge.spreadsheet import csv_text

NO_ANSWER: Final = "No answer."
_DEEPEST: Final = 2
_LINK: Final = re.compile(r"https?://[^\s<>\"{}\\^`|]+", re.IGNORECASE)
_AFTER_LINK: Final = ".,;:!?)]'’”"

Piece: TypeAlias = "tuple[Literal['text', 'link'], str]"
_SPECIAL: Final = re.compile(r"([\\`*_{}\[\]<>|~$])")
_AT_START: Final = re.compile(r"^(\s*\d*)([#+=.)-])")
COLUMNS: Final = (
    "question",
    "label",
    "criterion",
    "state",
    "answer",
    "option_keys",
    "text",
    "class",
    "source",
    "filled_at",
    "edited",
)
_PERSONAL: Final = "1.3."
_ADDRESS: Final = re.compile(r"[\w.+%-]+@[\w-]+(?:\.[\w-]+)+")
_ANY_LINK: Final = re.compile(r"\b(?:https?://|www\.)\S+|\bdoi\.org/\S+", re.IGNORECASE)
_SHORTEST: Final = 4  # letters of a name that is looked for in other answers


@dataclass(frozen=True, slots=True)
class PrintedAnswer:
    """One question with its answer."""

    question: SheetQuestion
    criterion: str | None
    answer: SheetAnswer

    @property
    def state(self) -> AnswerState:
        """Whether it is answered."""
        return self.answer.state

    @property
    def chosen(self) -> tuple[SheetOption, ...]:
        """The ticked options."""
        return tuple(self.question.option(key) for key in self.answer.options)


@dataclass(frozen=True, slots=True)
class PrintedSection:
    """A heading and the answers right below it; in section 4, those on one criterion."""

    section: SheetSection
    criterion: str | None
    answers: tuple[PrintedAnswer, ...]

    @property
    def title(self) -> str:
        """The heading with its number."""
        return f"{self.section.number} {self.section.title}"


def printed_sections(sheet: Sheet) -> tuple[PrintedSection, ...]:
    """All headings in the order of the form; section 4 once for each criterion."""
    return tuple(_sections(sheet))


def split_links(text: str) -> tuple[Piece, ...]:
    """A text in pieces: words and links; a full stop after a link is not part of it."""
    pieces: list[Piece] = []
    place = 0
    for found in _LINK.finditer(text):
        link = found[0].rstrip(_AFTER_LINK)
        pieces += [("text", text[place : found.start()]), ("link", link)]
        place = found.start() + len(link)
    pieces.append(("text", text[place:]))
    return tuple((kind, words) for kind, words in pieces if words)


def _sections(sheet: Sheet) -> Iterator[PrintedSection]:
    """Two levels of headings: with a third one, questions would not be in their order."""
    shown = [section for section in sheet.schema.sections if section.level <= _DEEPEST]
    for section in shown:
        if not section.number.startswith("4"):
            yield _section(sheet, section, None)
        elif section.level == 1:
            yield PrintedSection(section, None, ())
            for name in sheet.criteria:
                parts = (each for each in shown if each.number.startswith("4."))
                yield from (_section(sheet, each, name) for each in parts)


def _section(sheet: Sheet, section: SheetSection, criterion: str | None) -> PrintedSection:
    asked = [
        each for each in sheet.schema.questions if _heading_number(sheet, each) == section.number
    ]
    answers = tuple(PrintedAnswer(each, criterion, sheet.answer(each, criterion)) for each in asked)
    return PrintedSection(section, criterion, answers)


def _heading_number(sheet: Sheet, question: SheetQuestion) -> str:
    number = sheet.schema.section_of(question).number
    return ".".join(number.split(".")[:_DEEPEST])


def to_markdown_sheet(sheet: Sheet) -> str:
    """The sheet with a heading for each section and a paragraph for each answer."""
    lines = [f"# Human Evaluation Datasheet (HEDS {sheet.version})", ""]
    for printed in printed_sections(sheet):
        lines += _markdown_section(printed)
    return "\n".join(lines)


def _markdown_section(printed: PrintedSection) -> Iterator[str]:
    section = printed.section
    if printed.criterion is not None and section.number == "4.1":
        yield from (f"### {_escape(printed.criterion)}", "")
    if section.level == 1 or printed.answers:
        deeper = 1 if printed.criterion is not None else 0
        yield from ("#" * (min(section.level, 2) + 1 + deeper) + f" {printed.title}", "")
    for each in printed.answers:
        yield from _markdown_answer(each)


def _markdown_answer(each: PrintedAnswer) -> Iterator[str]:
    yield f"**{each.question.number} {_escape(each.question.label)}**"
    yield ""
    for option in each.chosen:
        yield f"- {_escape(option.name)}"
    if each.chosen:
        yield ""
    text = each.answer.text.strip()
    if text:
        yield from _quoted(text)
    elif each.state == "blank":
        yield from (f"*{NO_ANSWER}*", "")


def _quoted(text: str) -> Iterator[str]:
    """A quotation, in which every line stays a line."""
    lines = [_markdown_line(line) for line in text.replace("\r\n", "\n").split("\n")]
    for line, after in zip(lines, [*lines[1:], ""], strict=True):
        yield f"> {line}\\" if line and after else f"> {line}".rstrip()
    yield ""


def _markdown_line(line: str) -> str:
    return "".join(
        f"<{words}>" if kind == "link" else _escape(words)
        for kind, words in split_links(line.strip())
    )


def _escape(text: str) -> str:
    """Text as it is, not as markup: neither emphasis, nor links, nor the beginning of a list."""
    plain = _SPECIAL.sub(r"\\\1", text.replace("&", "&amp;"))
    return _AT_START.sub(r"\1\\\2", plain)


def to_csv_sheet(sheet: Sheet) -> str:
    """All answers as CSV; `answer` is the whole answer in words."""
    return csv_text([COLUMNS, *_rows(sheet)])


def _rows(sheet: Sheet) -> Iterator[tuple[str, ...]]:
    for cell, answer in sheet.answers():
        yield (
            cell.question.number,
            cell.question.label,
            cell.criterion or "",
            answer.state,
            describe_answer(cell.question, answer),
            " ".join(str(key) for key in answer.options),
            answer.text,
            cell.question.fill,
            *_provenance(sheet, cell),
        )


def _provenance(sheet: Sheet, cell: SheetCell) -> tuple[str, str, str]:
    record = find_provenance(sheet, cell.question.number, cell.criterion)
    if record is None:
        return "", "", ""
    return record.source, record.time, "yes" if is_edited(sheet, record) else "no"


@dataclass(frozen=True, slots=True)
class AnonymousSheet:
    """A sheet without what tells who made it, and the answers that were changed."""

    sheet: Sheet
    changed: tuple[str, ...]  # questions, with the criterion in brackets
    dropped: tuple[str, ...]  # keys of the file that belong to no question


def anonymise(sheet: Sheet) -> AnonymousSheet:
    """Blank 1.3, remove addresses and links, and the names from 1.3 in all other answers.

    Names of people and institutions that 1.3 does not mention stay: no program knows them all.
    """
    names = _names(sheet)
    bare = prune_orphans(sheet)
    dropped = tuple(key for key in (*bare.unknown_keys, EXTRA_KEY) if key in bare.entries)
    bare = bare.without_entries(dropped)
    changed = []
    for cell in tuple(bare.cells()):
        answer = bare.stored(cell)
        is_personal = cell.question.number.startswith(_PERSONAL)
        text = "" if is_personal else _without_identity(answer.text, names)
        if text != answer.text:
            bare = bare.with_stored(cell, replace(answer, text=text))
            changed.append(str(cell))
    return AnonymousSheet(bare, tuple(changed), dropped)


def _names(sheet: Sheet) -> tuple[str, ...]:
    """Names and affiliations, the longest first, so that no part of one is left."""
    asked = [each for each in sheet.schema.questions if each.number.startswith(_PERSONAL)]
    answers = [sheet.stored(SheetCell(each)) for each in asked]
    texts = {answer.text.strip() for answer in answers if answer.state == "value"}
    return tuple(sorted((text for text in texts if len(text) >= _SHORTEST), key=len, reverse=True))


def _without_identity(text: str, names: tuple[str, ...]) -> str:
    text = _ADDRESS.sub("[address removed]", text)
    text = _ANY_LINK.sub("[link removed]", text)
    for name in names:
        pattern = rf"(?<!\w){re.escape(name)}(?!\w)"
        text = re.sub(pattern, "[name removed]", text, flags=re.IGNORECASE)
    return text
