"""A datasheet as a page that needs nothing else, in the look of the reports."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rejudge.english import count
from rejudge.heds.check import check as check_sheet
from rejudge.heds.printing import NO_ANSWER, PrintedAnswer, PrintedSection, printed_sections
from rejudge.heds.sheet import Sheet
from rejudge.report.blocks import KeyNumber, Passage, Report, Section, Texts, to_html
from rejudge.version import __version__

_UNKNOWN: Final = ""  # HTML: the language of a text is not known


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
            sections=tuple(_sections(sheet)),
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


def _sections(sheet: Sheet) -> Iterator[Section]:
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
