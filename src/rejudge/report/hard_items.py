"""What people disagree about most: the units that were hardest to judge, with their texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rejudge.english import count, shorten
from rejudge.findings.frame import Frame, Row
from rejudge.layout.numbers import number
from rejudge.report.answer import QuestionOutcome
from rejudge.report.blocks import (
    Block,
    Fold,
    Heading,
    PageTable,
    Paragraph,
    Passage,
    Texts,
    page_table,
)
from rejudge.report.subject import Subject
from rejudge.study.model import Item, Study
from rejudge.tables.columns import frame_table, unit_name

_MOST_UNITS = 8  # in the table
_WITH_TEXTS = 5
_OPEN = 2  # of those with texts; the others are one tap away
_LONGEST = 700  # characters of a text


def hard_blocks(subject: Subject, outcomes: Sequence[QuestionOutcome]) -> Iterator[Block]:
    """For each question the units people are most at odds about, and what they read there."""
    known = [(each, subject.results.frame("units", each.question.id)) for each in outcomes]
    found = [(each, frame, hard) for each, frame in known if (hard := _hard(frame))]
    if not found:
        yield Paragraph(
            "No two participants gave different answers about the same output."
            if any(frame.size for _, frame in known)
            else "It is unknown what people disagree about: nothing was judged by two people."
        )
        return
    for outcome, frame, hard in found:
        if len(found) > 1:
            yield Heading(outcome.question.id)
        yield _table(outcome, frame.with_rows(hard))
        if subject.designed is not None:
            yield from _texts(subject.designed.study, outcome, hard, is_long=len(found) > _OPEN)


def _hard(frame: Frame) -> Sequence[Row]:
    return [row for row in frame.rows if row["disagreement"]][:_MOST_UNITS]


def _table(outcome: QuestionOutcome, hard: Frame) -> PageTable:
    name = outcome.question.id
    said = "Simulated. " if outcome.is_simulated else ""
    has_times = any(row["slowness"] is not None for row in hard.rows)
    slow = (
        "; slowness is time relative to a participant’s usual, which is 1. The order goes by both"
        if has_times
        else ""
    )
    more = ", more in tables/units.csv" if len(hard) < hard.size else ""
    return page_table(
        frame_table(hard, outcome.labels, "page"),
        caption=f"{said}What was hardest to judge on {name}: {len(hard)} of "
        f"{hard.size:,}{more}. Disagreement is the {hard.facts['measure']}{slow}. The last column "
        "is how much it lowers Krippendorff’s alpha. Exploratory.",
        name=f"{name}-units",
    )


def _texts(
    study: Study, outcome: QuestionOutcome, hard: Sequence[Row], *, is_long: bool
) -> Iterator[Block]:
    """The texts of the hardest units; on a page of many questions all of them are folded."""
    texts = [
        _of_unit(outcome, row, study.item[row["item"]])
        for row in hard[:_WITH_TEXTS]
        if row["item"] in study.item
    ]
    is_open = 0 if is_long else _OPEN
    yield from texts[:is_open]
    rest = tuple(texts[is_open:])
    if rest:
        more = "more " if is_open else ""
        yield Fold(f"{len(rest)} {more}on {outcome.question.id}, with their texts", rest)


def _of_unit(outcome: QuestionOutcome, row: Row, item: Item) -> Texts:
    places = {system: place for place, system in enumerate(outcome.labels)}
    named = [(system, outcome.labels.get(system, system)) for system in row["systems"]]
    outputs = [(name, item.outputs[places[system]]) for system, name in named if system in places]
    shown = [("Input", item.input), *outputs]
    if item.reference:
        shown.append(("Reference", item.reference))
    names = " and ".join(name for _, name in named)
    return Texts(
        title=f"{unit_name(row)}: {names}" if names else unit_name(row),
        says=f"{count(row['n'], 'judgment')}; disagreement {number(row['disagreement'], 2)}.",
        passages=tuple(_passage(label, text, item) for label, text in shown if text),
    )


def _passage(label: str, text: str, item: Item) -> Passage:
    return Passage(label, shorten(text, _LONGEST), item.language, is_cut=len(text) > _LONGEST)
