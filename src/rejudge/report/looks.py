"""The planned looks of a study in its report: what was planned, seen, decided and saved."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import ROUND_HALF_UP, Decimal

from rejudge.report.blocks import Block, Paragraph, Section, page_table
from rejudge.report.subject import Subject
from rejudge.tables.looks import BOUNDARIES, look_table, stopping_sentences

_CENT = Decimal("0.01")


def look_sections(subject: Subject) -> Iterator[Section]:
    """A section on the looks; none for a study that planned none."""
    stopping = subject.results.stopping
    if stopping is not None:
        yield Section("looks", "Planned looks", tuple(_blocks(subject)))


def _blocks(subject: Subject) -> Iterator[Block]:
    stopping = subject.results.stopping
    if stopping is None:
        return
    for note in stopping.notes:
        yield Paragraph(note, "warn")
    yield Paragraph(" ".join((*stopping_sentences(stopping, subject.labels), *_saved(subject))))
    if stopping.log is not None and stopping.log.looks:
        yield page_table(look_table(stopping.log, subject.labels))


def _saved(subject: Subject) -> Iterator[str]:
    """What the places that were not needed would have cost."""
    stopping, designed = subject.results.stopping, subject.designed
    quote = None if designed is None else designed.quote
    if stopping is None or stopping.last is None or quote is None or quote.cost is None:
        return
    left = stopping.last.planned_places - stopping.last.places
    if left <= 0:
        return
    share = Decimal(left) / Decimal(stopping.last.planned_places)
    saved = (quote.cost.total * share).quantize(_CENT, ROUND_HALF_UP)
    yield (
        f"That saved about {quote.currency} {saved:,} of the {quote.currency} "
        f"{quote.cost.total:,} planned."
    )


def look_methods(subject: Subject) -> Iterator[str]:
    """A sentence for the methods paragraph."""
    stopping = subject.results.stopping
    if stopping is None:
        return
    correction = stopping.correction
    first, second = (subject.labels.get(s, s) for s in correction.systems)
    planned = (
        f"The study planned {correction.looks} looks at the comparison of {first} and {second} on "
        f"{correction.question} with {BOUNDARIES[correction.boundary]} boundaries at an overall "
        f"level of {correction.alpha:g}"
    )
    last = stopping.last
    if stopping.log is None:
        yield f"{planned}; no log of the looks was kept"
    elif last is None:
        yield f"{planned}; {len(stopping.log.looks)} have been made"
    else:
        verb = "stopped early" if last.decision == "stop" else "ended"
        yield (
            f"{planned}; it {verb} at look {last.number}, with {last.places:,} of "
            f"{last.planned_places:,} places done, and p values and intervals of comparisons are "
            "adjusted for all looks"
        )
