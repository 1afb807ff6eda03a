"""What the study could detect: the smallest difference it would find, and how precision grows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from rejudge.analysis import Generalizability, Precision, Sensitivity
from rejudge.english import as_sentence, capital, count
from rejudge.layout import Table as ResultTable
from rejudge.layout.numbers import level_text, number
from rejudge.report.blocks import Block, Fold, Heading, Paragraph, Table
from rejudge.report.page_figures import PageFigure, figures_in
from rejudge.report.page_tables import page_table
from rejudge.report.subject import Subject
from rejudge.tables.precision import (
    precision_table,
    reliability_table,
    sensitivity_table,
    variance_table,
)
from rejudge.tables.wording import TEST_NAMES

_MOST_ROWS = 20
_MOST_OPEN = 2  # tables of precision


def reach_blocks(subject: Subject, drawn: Sequence[PageFigure]) -> Iterator[Block]:
    """The whole section, each figure before its numbers."""
    results = subject.results
    labels = subject.labels
    if not results.sensitivity:
        yield Paragraph("What the study could detect is not known: no two systems were tested.")
        return
    yield Paragraph(
        "A true difference at least this large would have been found with the given power. It "
        "follows from how much judgments vary between items and between people, not from what was "
        "observed; a difference that was not supported may still be there, and smaller."
    )
    for question in dict.fromkeys(each.question for each in results.sensitivity):
        these = [each for each in results.sensitivity if each.question == question]
        for said in reach_sentences(these):
            yield Paragraph(said)
        yield _folded(_sensitivity_table(question, these, labels))
    figures = tuple(figures_in(drawn, "power", "precision"))
    tables = tuple(_precision(results.precision, labels))
    if figures or tables:
        yield Heading("How precise a larger or smaller study would be")
        yield from (*figures, *tables)
    yield from reliability_blocks(results.reliability, drawn)


def reach_sentences(found: Sequence[Sensitivity]) -> Iterator[str]:
    """What the planned test of a question could detect, from its best pair to its worst."""
    chosen = [each for each in found if each.is_planned] or list(found)
    chosen = [each for each in chosen if each.by == chosen[0].by]
    known = [size for each in chosen if (size := each.smallest()) is not None]
    if not known and any(each.standard_error is not None for each in chosen):
        yield (
            f"On {chosen[0].question}, no true difference that the scale allows would be found by "
            f"the {TEST_NAMES.get(chosen[0].by, chosen[0].by)} with 80\u202f% power."
        )
    if not known:
        return
    first = chosen[0]
    low, high = (number(end, _digits(first)) for end in (min(known), max(known)))
    span = f"{low} {first.unit}" if low == high else f"{low} to {high} {first.unit}, by pair,"
    is_corrected = first.correction == "tukey" or (first.correction != "none" and first.tests > 1)
    corrected = " at the corrected level" if is_corrected else ""
    never = sum(each.standard_error is not None and each.smallest() is None for each in chosen)
    rest = f"; for {never:,} of {len(chosen):,} pairs, none that the scale allows" if never else ""
    yield (
        f"On {first.question}, the {TEST_NAMES.get(first.by, first.by)} finds a true difference of "
        f"{span} with 80\u202f% power{corrected}{rest}."
    )


def _digits(each: Sensitivity) -> int:
    return 1 if each.unit == "percentage points" else 2


def _sensitivity_table(
    question: str, found: Sequence[Sensitivity], labels: Mapping[str, str]
) -> Table:
    table = sensitivity_table(found, labels, digits=max(map(_digits, found)))
    return page_table(
        table.rendering("print").without("question"),
        name=f"{question}-sensitivity",
        caption=f"What could be detected on {question}, in {_units(found)}: the smallest true "
        "difference found with 80 and 90\u202f% power, at the corrected level where there are "
        "several tests.",
    )


def _units(found: Sequence[Sensitivity]) -> str:
    """What the differences are counted in."""
    return " or ".join(dict.fromkeys(each.unit for each in found))


def _folded(table: Table) -> Block:
    if len(table.rows) <= _MOST_ROWS:
        return table
    return Fold(f"All {len(table.rows):,} comparisons", (table,))


def _precision(found: Sequence[Precision], labels: Mapping[str, str]) -> Iterator[Block]:
    known = [each for each in found if each.by_participants]
    if not known:
        return
    widest = [
        max((each for each in known if each.question == question), key=_half_width)
        for question in dict.fromkeys(each.question for each in known)
    ]
    tables = [_precision_table(each, labels) for each in widest]
    yield from tables[:_MOST_OPEN]
    rest = tuple(tables[_MOST_OPEN:])
    if rest:
        yield Fold(count(len(rest), "further question"), rest)
    if len(known) > len(widest):
        yield Paragraph(
            "Shown is the pair with the widest interval; all are in tables/precision.csv.", "aside"
        )


def _half_width(each: Precision) -> float:
    return max((point.half_width or 0.0 for point in each.by_participants), default=0.0)


def _precision_table(each: Precision, labels: Mapping[str, str]) -> Table:
    has_cost = any(point.cost is not None for point in each.by_participants)
    systems = " and ".join(labels.get(system, system) for system in each.systems)
    money = f" Cost in {each.currency}, with fees." if has_cost and each.currency else ""
    shown = ("participants", "items", "judgments", "half width", *(["cost"] if has_cost else []))
    return page_table(
        precision_table([replace(each, by_items=())], labels).rendering("print").keep(*shown),
        name=f"{each.question}-precision",
        caption=f"{systems} on {each.question}: half the width of the "
        f"{level_text(each.level)} interval, in {each.unit}, by number of participants, items as "
        f"they are.{money}",
    )


# reliability


EXPLAINED = (
    "Reliability is the share of the variance of the systems’ mean scores that comes from the "
    "systems: 1 if another study of this size, with other items and participants, would find the "
    "same, 0 if its result would be chance."
)


def reliability_blocks(
    found: Sequence[Generalizability], drawn: Sequence[PageFigure]
) -> Iterator[Block]:
    """Variance components and the D study of each question, or why there are none."""
    if not found:
        return
    yield Heading("How reliably the scores separate the systems")
    if any(each.now for each in found):
        yield Paragraph(EXPLAINED)
    yield from figures_in(drawn, "power", "reliability")
    for each in found:
        if each.parts:
            yield page_table(
                variance_table([each]).rendering("print").without("question"),
                name=f"{each.question}-variance",
                caption=f"Where the variance of a single score on {each.question} comes from.",
            )
        if each.now:
            yield page_table(
                _sizes(each),
                name=f"{each.question}-reliability",
                caption=f"Reliability of the order of systems (Eρ²) and of their means (Φ) on "
                f"{each.question}, for studies with other numbers of participants or of items."
                f"{f' Cost in {each.currency}.' if each.currency else ''}",
            )
        else:
            yield Paragraph(f"{capital(each.question)}: {as_sentence(each.note)}", "aside")


def _sizes(each: Generalizability) -> ResultTable:
    table = reliability_table([each]).rendering("print").without("question", "currency")
    return table if each.currency else table.without("cost")
