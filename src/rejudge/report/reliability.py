"""How reliably the scores tell systems apart: the parts of their variance, and larger studies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rejudge.analysis import Generalizability
from rejudge.report.blocks import Block, Heading, Paragraph, Table
from rejudge.report.placing import Placed, in_section
from rejudge.report.reach_sheets import part_name, percent_of
from rejudge.report.wording import capital, ended, number

EXPLAINED = (
    "Reliability is the share of the variance of the systems’ mean scores that comes from the "
    "systems: 1 if another study of this size, with other items and participants, would find the "
    "same, 0 if only chance would speak."
)


def reliability_blocks(
    found: Sequence[Generalizability], drawn: Sequence[Placed]
) -> Iterator[Block]:
    """Variance components and the D study of each question, or why there are none."""
    if not found:
        return
    yield Heading("How reliably systems are told apart")
    if any(each.now for each in found):
        yield Paragraph(EXPLAINED)
    yield from in_section(drawn, "reach", "reliability")
    for each in found:
        if each.parts:
            yield _variance(each)
        if each.now:
            yield _sizes(each)
        else:
            yield Paragraph(f"{capital(each.question)}: {ended(each.note)}", "aside")


def _variance(each: Generalizability) -> Table:
    return Table(
        id=f"table-{each.question}-variance",
        caption=f"Where the variance of a single score on {each.question} comes from.",
        head=("Part", "Variance", "Share"),
        align="lrr",
        rows=tuple(
            (
                capital(part_name(part.facets)),
                number(part.variance, 3),
                "–" if part.share is None else f"{number(percent_of(part.share))}\u202f%",
            )
            for part in each.parts
        ),
        notes=tuple(
            dict.fromkeys(
                f"{capital(part_name(part.facets))}: {ended(part.note)}"
                for part in each.parts
                if part.note
            )
        ),
    )


def _sizes(each: Generalizability) -> Table:
    is_priced = each.currency is not None
    points = [
        (by, point)
        for by, points in (("participants", each.by_participants), ("items", each.by_items))
        for point in points
    ]
    cost = (f"Cost, {each.currency}",) if is_priced else ()
    return Table(
        id=f"table-{each.question}-reliability",
        caption=f"Reliability of the order of systems (Eρ²) and of their means (Φ) on "
        f"{each.question}, for studies with other numbers of participants or of items.",
        head=("Grows by", "Participants", "Items", "Order", "Means", *cost),
        align="lrrrr" + "r" * is_priced,
        rows=tuple(
            (
                by,
                f"{point.participants:,}",
                f"{point.items:,}",
                number(point.relative, 2),
                number(point.absolute, 2),
                *((number(point.cost, 0),) if is_priced else ()),
            )
            for by, point in points
        ),
        notes=tuple(ended(capital(text)) for text in (each.method, each.note) if text),
    )
