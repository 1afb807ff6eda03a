"""How reliably the scores separate the systems: variance components, and larger studies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rejudge.analysis import Generalizability
from rejudge.english import as_sentence, capital
from rejudge.layout import Table as ResultTable
from rejudge.report.blocks import Block, Heading, Paragraph
from rejudge.report.page_tables import page_table
from rejudge.report.placing import Placed, in_section
from rejudge.tables.precision import reliability_table, variance_table

EXPLAINED = (
    "Reliability is the share of the variance of the systems’ mean scores that comes from the "
    "systems: 1 if another study of this size, with other items and participants, would find the "
    "same, 0 if its result would be chance."
)


def reliability_blocks(
    found: Sequence[Generalizability], drawn: Sequence[Placed]
) -> Iterator[Block]:
    """Variance components and the D study of each question, or why there are none."""
    if not found:
        return
    yield Heading("How reliably the scores separate the systems")
    if any(each.now for each in found):
        yield Paragraph(EXPLAINED)
    yield from in_section(drawn, "reach", "reliability")
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
