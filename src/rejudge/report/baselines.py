"""The section on baselines: how much of the result rules reproduce."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rejudge.layout import Table
from rejudge.report.blocks import (
    Block,
    Fold,
    PageFigure,
    Paragraph,
    Section,
    figures_in,
    page_table,
)
from rejudge.report.drawing import WIDTH, Picture
from rejudge.report.figures.baselines import baseline_pictures
from rejudge.report.subject import Subject
from rejudge.simulate import Baselines
from rejudge.tables import baseline_sentences, baseline_tables

_FOLDED = ("baseline-scores", "baseline-claims")
_WHAT = (
    "Baselines are rules that answer every task without judging, such as “the longer output wins”. "
    "If a rule gives the result that participants gave, the study does not show that they "
    "judged what they were asked to judge; where a rule passes a check, the check does not either."
)


def baseline_sections(subject: Subject, drawn: Sequence[PageFigure]) -> Iterator[Section]:
    """The section, where there are baselines."""
    if subject.baselines is not None:
        blocks = tuple(_blocks(subject.baselines, subject.labels, drawn))
        yield Section("baselines", "What rules would answer", blocks)


def pictures_of_baselines(subject: Subject, *, width: float = WIDTH) -> tuple[Picture, ...]:
    """The figures of the section; none without baselines."""
    if subject.baselines is None or subject.designed is None:
        return ()
    return baseline_pictures(subject.baselines, subject.designed.study, width=width)


def tables_of_baselines(subject: Subject) -> tuple[Table, ...]:
    """The tables of the section; none without baselines."""
    return () if subject.baselines is None else baseline_tables(subject.baselines, subject.labels)


def _blocks(
    baselines: Baselines, labels: Mapping[str, str], drawn: Sequence[PageFigure]
) -> Iterator[Block]:
    yield Paragraph(" ".join(baseline_sentences(baselines)))
    yield Paragraph(_WHAT, "aside")
    yield from figures_in(drawn, "baselines")
    tables = {
        table.name: page_table(table.columns_as_notes("note"))
        for table in baseline_tables(baselines, labels)
    }
    yield from (table for name, table in tables.items() if name not in _FOLDED)
    folded = tuple(table for name, table in tables.items() if name in _FOLDED)
    if folded:
        yield Fold("Scores and claims by each baseline", folded)
    yield from (Paragraph(note, "aside") for note in baselines.notes)
