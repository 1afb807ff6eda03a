"""A sheet as it is printed: sections with questions and answers, the same in every format."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from rejudge.heds.answers import AnswerState, SheetAnswer
from rejudge.heds.schema import SheetOption, SheetQuestion, SheetSection
from rejudge.heds.sheet import Sheet

NO_ANSWER: Final = "No answer."
_DEEPEST: Final = 2
_LINK: Final = re.compile(r"https?://[^\s<>\"{}\\^`|]+", re.IGNORECASE)
_AFTER_LINK: Final = ".,;:!?)]'’”"

Piece: TypeAlias = "tuple[Literal['text', 'link'], str]"


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
