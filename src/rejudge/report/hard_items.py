"""What people disagree about most: the units that were hardest to judge, with their texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rejudge.analysis.details import Details, UnitRow, Units
from rejudge.english import count, shorten
from rejudge.layout.numbers import number
from rejudge.layout.table import file_name
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
from rejudge.report.results import details_of
from rejudge.report.subject import Subject
from rejudge.study.model import Item, Study
from rejudge.tables.details import unit_name, unit_table

_MOST_UNITS = 8  # in the table
_WITH_TEXTS = 5
_OPEN = 2  # of those with texts; the others are one tap away
_LONGEST = 700  # characters of a text


def hard_blocks(subject: Subject, outcomes: Sequence[QuestionOutcome]) -> Iterator[Block]:
    """For each question the units people are most at odds about, and what they read there."""
    known = [
        (outcome, details)
        for outcome in outcomes
        if (details := details_of(subject.results, outcome.question.id)) is not None
    ]
    found = [
        (outcome, units, hard) for outcome, d in known if (units := d.units) and (hard := _hard(d))
    ]
    if not found:
        yield Paragraph(
            "No two participants gave different answers about the same output."
            if any(d.units and d.units.total for _, d in known)
            else "It is unknown what people disagree about: nothing was judged by two people."
        )
        return
    for outcome, units, hard in found:
        if len(found) > 1:
            yield Heading(outcome.question.id)
        yield _table(outcome, units, hard)
        if subject.designed is not None:
            yield from _texts(subject.designed.study, outcome, hard, is_long=len(found) > _OPEN)


def _hard(details: Details) -> list[UnitRow]:
    rows = details.units.rows if details.units else ()
    return [row for row in rows if row.disagreement][:_MOST_UNITS]


def _table(outcome: QuestionOutcome, units: Units, shown: Sequence[UnitRow]) -> PageTable:
    name = outcome.question.id
    said = "Simulated. " if outcome.is_simulated else ""
    has_times = any(row.slowness is not None for row in shown)
    slow = (
        "; slowness is time relative to a participant’s usual, which is 1. The order goes by both"
        if has_times
        else ""
    )
    more = f", more in tables/{file_name(name)}-units.csv" if len(shown) < units.total else ""
    table = unit_table(name, replace(units, rows=tuple(shown)), outcome.labels).rendering("print")
    return page_table(
        table if has_times else table.without("slowness"),
        name=f"{name}-units",
        caption=f"{said}What was hardest to judge on {name}: {len(shown)} of "
        f"{units.total:,}{more}. Disagreement is the {units.measure}{slow}. The last column is "
        "how much it lowers Krippendorff’s alpha. Exploratory.",
    )


def _texts(
    study: Study, outcome: QuestionOutcome, hard: Sequence[UnitRow], *, is_long: bool
) -> Iterator[Block]:
    """The texts of the hardest units; on a page of many questions all of them are folded."""
    texts = [
        _of_unit(outcome, row, study.item[row.item])
        for row in hard[:_WITH_TEXTS]
        if row.item in study.item
    ]
    is_open = 0 if is_long else _OPEN
    yield from texts[:is_open]
    rest = tuple(texts[is_open:])
    if rest:
        more = "more " if is_open else ""
        yield Fold(f"{len(rest)} {more}on {outcome.question.id}, with their texts", rest)


def _of_unit(outcome: QuestionOutcome, row: UnitRow, item: Item) -> Texts:
    told = f"{count(row.n, 'judgment')}; disagreement {number(row.disagreement, 2)}"
    places = {system: place for place, system in enumerate(outcome.labels)}
    outputs = [
        (outcome.labels.get(system, system), item.outputs[places[system]])
        for system in row.systems
        if system in places
    ]
    shown = [("Input", item.input), *outputs]
    if item.reference:
        shown.append(("Reference", item.reference))
    return Texts(
        title=f"{unit_name(row)}: {_whose(outcome, row)}" if row.systems else unit_name(row),
        says=f"{told}.",
        passages=tuple(_passage(label, text, item) for label, text in shown if text),
    )


def _passage(label: str, text: str, item: Item) -> Passage:
    return Passage(label, shorten(text, _LONGEST), item.language, is_cut=len(text) > _LONGEST)


def _whose(outcome: QuestionOutcome, row: UnitRow) -> str:
    return " and ".join(outcome.labels.get(system, system) for system in row.systems)
