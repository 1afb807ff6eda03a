"""A sheet as it is printed: LaTeX, Markdown, a page, a table; and a copy for anonymous review.

The LaTeX is a fragment to `\\input` that compiles with pdfLaTeX. Headings and questions are
commands (`\\hedssection`, `\\hedsquestion`, …) that a paper can define before it reads it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final, Literal, TypeAlias
from urllib.parse import quote

from rejudge.english import count
from rejudge.heds.check import check as check_sheet
from rejudge.heds.schema import SheetOption, SheetQuestion, SheetSection
from rejudge.heds.sheet import (
    EXTRA_KEY,
    AnswerState,
    Sheet,
    SheetAnswer,
    SheetCell,
    describe_answer,
    find_provenance,
    is_edited,
    join_parts,
    prune,
)
from rejudge.layout.latex import escape_latex
from rejudge.report.blocks import KeyNumber, Passage, Report, Section, Texts, to_html
from rejudge.spreadsheet import csv_text
from rejudge.version import __version__

NO_ANSWER: Final = "No answer."
_DEEPEST: Final = 2
_LINK: Final = re.compile(r"https?://[^\s<>\"{}\\^`|]+", re.IGNORECASE)
_AFTER_LINK: Final = ".,;:!?)]'’”"
_IN_LINK: Final = "/:?#@!$&'()*+,;=%~-._[]"
_UNKNOWN: Final = ""  # HTML: the language of a text is not known
Piece: TypeAlias = "tuple[Literal['text', 'link'], str]"
_SPECIAL: Final = re.compile(r"([\\`*_{}\[\]<>|~$])")
_AT_START: Final = re.compile(r"^(\s*\d*)([#+=.)-])")
_UNDERLINED: Final = re.compile(r"<u>(.*?)</u>")
_NUMBER: Final = re.compile(r"^\d+\.\s+")
COLUMNS: Final = (
    "question", "label", "criterion", "state", "answer", "option_keys", "text", "class", "source",
    "filled_at", "edited",
)  # fmt: skip
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
    def title(self) -> str:
        """The question with its number."""
        return f"{self.question.number} {self.question.label}"

    @property
    def text(self) -> str:
        """What is written, beside ticked options."""
        return self.answer.text.strip()

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
    def number(self) -> str:
        """Its number."""
        return self.section.number

    @property
    def level(self) -> int:
        """How deep it lies."""
        return self.section.level

    @property
    def title(self) -> str:
        """The heading with its number."""
        return f"{self.section.number} {self.section.title}"

    @property
    def begins_criterion(self) -> bool:
        """Whether it is the first one on its criterion."""
        return self.criterion is not None and self.section.number == "4.1"


def printed_sections(sheet: Sheet) -> tuple[PrintedSection, ...]:
    """All headings in the order of the form; section 4 once for each criterion."""
    return tuple(_printed(sheet))


def to_markdown_sheet(sheet: Sheet) -> str:
    """The sheet with a heading for each section and a paragraph for each answer."""
    page = _environment("{%", "{{", "}}", "%}").get_template("sheet.md")
    sections = printed_sections(sheet)
    return str(page.render(sheet=sheet, sections=sections, no_answer=NO_ANSWER))


def to_latex_sheet(sheet: Sheet, *, is_compact: bool = False) -> str:
    """The fragment: a question in a box above its answer, or one line for each question.

    In the compact one, answers that all criteria share are printed once.
    """
    page = _environment("<%", "<<", ">>", "%>").get_template("sheet.tex")
    asked = [each for each in sheet.schema.questions if each.per_criterion and sheet.criteria]
    by_question = [
        [PrintedAnswer(each, name, sheet.answer(each, name)) for name in sheet.criteria]
        for each in asked
    ]
    parts = {"sections": printed_sections(sheet), "by_question": by_question}
    return str(page.render(sheet=sheet, no_answer=NO_ANSWER, is_compact=is_compact, **parts))


@cache
def _environment(block: str, variable: str, variable_end: str, block_end: str) -> Any:  # jinja2's
    from jinja2 import Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=PackageLoader("rejudge.heds"),
        autoescape=False,  # noqa: S701 - neither is HTML; the filters escape
        undefined=StrictUndefined,
        block_start_string=block,
        block_end_string=block_end,
        variable_start_string=variable,
        variable_end_string=variable_end,
        comment_start_string="<#",
        comment_end_string="#>",
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters |= {
        "md": _escape,
        "quotation": _quotation,
        "tex": escape_latex,
        "tex_text": _tex_text,
        "tex_option": _tex_option,
        "run_in": _run_in,
        "run_in_together": _run_in_together,
    }
    return made


def _printed(sheet: Sheet) -> Iterator[PrintedSection]:
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


def _quotation(text: str) -> str:
    """A quotation in Markdown, in which every line stays a line."""
    lines = [_markdown_line(line) for line in text.replace("\r\n", "\n").split("\n")]
    return "\n".join(
        f"> {line}\\" if line and after else f"> {line}".rstrip()
        for line, after in zip(lines, [*lines[1:], ""], strict=True)
    )


def _markdown_line(line: str) -> str:
    return "".join(
        f"<{words}>" if kind == "link" else _escape(words)
        for kind, words in split_links(line.strip())
    )


def _escape(text: str) -> str:
    """Text as it is, not as markup: neither emphasis, nor links, nor the beginning of a list."""
    plain = _SPECIAL.sub(r"\\\1", text.replace("&", "&amp;"))
    return _AT_START.sub(r"\1\\\2", plain)


def _tex_option(option: SheetOption) -> str:
    pieces = _UNDERLINED.split(_NUMBER.sub("", option.value))
    return "".join(
        rf"\underline{{{escape_latex(piece)}}}" if place % 2 else escape_latex(piece)
        for place, piece in enumerate(pieces)
    )


def _tex_text(text: str) -> str:
    """Lines as lines, empty lines as paragraphs, links as links."""
    paragraphs = re.split(r"\n\s*\n", text.replace("\r\n", "\n").strip())
    return "\n\n".join(
        "\\newline{}\n".join(_tex_line(line) for line in paragraph.split("\n") if line.strip())
        for paragraph in paragraphs
    )


def _tex_line(line: str) -> str:
    return "".join(
        rf"\url{{{quote(words, safe=_IN_LINK)}}}" if kind == "link" else _tex_words(words)
        for kind, words in split_links(line)
    ).strip()


def _tex_words(words: str) -> str:
    tail = " " if words[-1:].isspace() else ""
    head = " " if words[:1].isspace() else ""
    return head + escape_latex(words.strip()) + tail if words.strip() else " "


def _run_in(each: PrintedAnswer) -> str:
    names = "; ".join(_tex_option(option) for option in each.chosen)
    said = [part for part in (names, _tex_line(" ".join(each.text.split()))) if part]
    return join_parts(said) or rf"\emph{{{NO_ANSWER}}}"


def _run_in_together(answers: Sequence[PrintedAnswer]) -> str:
    """The answers for all criteria: once where they are the same, else by criterion."""
    words = [_run_in(each) for each in answers]
    if len(set(words)) == 1:
        return words[0]
    named = zip(answers, words, strict=True)
    return " ".join(
        rf"\emph{{{escape_latex(each.criterion or '')}:}} {said}" for each, said in named
    )


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


def datasheet_page(sheet: Sheet, *, title: str = "Human Evaluation Datasheet") -> str:
    """The page: what is open at the top, then all answers, section 4 for each criterion."""
    return to_html(
        Report(
            title=title,
            language="en",
            is_simulated=False,
            answer=tuple(_summary(sheet)),
            figure=None,
            numbers=tuple(_numbers(sheet)),
            sections=tuple(_page_sections(sheet)),
            signature=f"HEDS {sheet.version} · rejudge {__version__}",
            kicker=f"HEDS {sheet.version}",
            first="Overview",
        )
    )


def _summary(sheet: Sheet) -> Iterator[str]:
    found = check_sheet(sheet)
    open_ones = len({(each.question, each.criterion) for each in found})
    if not open_ones:
        yield "All questions are answered."
    else:
        verb = "is" if open_ones == 1 else "are"
        yield f"{count(open_ones, 'question')} {verb} not yet answered as the official form asks."


def _numbers(sheet: Sheet) -> Iterator[KeyNumber]:
    states = [answer.state for _, answer in sheet.answers()]
    answered = len(states) - states.count("blank")
    yield KeyNumber(f"{answered} of {len(states)}", "answers", "section 4 once for each criterion")
    names = ", ".join(sheet.criteria)
    noun = "quality criterion" if len(sheet.criteria) == 1 else "quality criteria"
    yield KeyNumber(str(len(sheet.criteria)), noun, names or "none yet")


def _page_sections(sheet: Sheet) -> Iterator[Section]:
    printed = printed_sections(sheet)
    for place, top in enumerate(printed):
        if top.section.level > 1:
            continue
        below = []
        for each in printed[place + 1 :]:
            if each.section.level == 1:
                break
            below.append(each)
        blocks = tuple(_block(each) for each in (top, *below) if each.answers)
        yield Section(f"heds-{top.section.number}", top.title, blocks)


def _block(printed: PrintedSection) -> Texts:
    title = "Answers" if printed.section.level == 1 else printed.title
    if printed.criterion is not None:
        title = f"{title}: {printed.criterion}"  # at the end: it may be written from right to left
    passages = tuple(_passage(each) for each in printed.answers)
    return Texts(title, "", passages)


def _passage(each: PrintedAnswer) -> Passage:
    options = "\n".join(f"☑ {option.name}" for option in each.chosen)
    text = "\n".join(part for part in (options, each.answer.text.strip()) if part)
    label = f"{each.question.number} {each.question.label}"
    return Passage(label, text or NO_ANSWER, _UNKNOWN)


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
    bare = prune(sheet)
    dropped = tuple(dict.fromkeys((*bare.rest, *([EXTRA_KEY] if bare.records else []))))
    bare = replace(bare, rest={}, records=())
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
