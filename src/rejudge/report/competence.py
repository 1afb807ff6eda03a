"""How far each participant's answers agree with those of the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rejudge.analysis import Competence, ParticipantCompetence
from rejudge.english import as_sentence, capital, count
from rejudge.layout import file_name
from rejudge.report.blocks import Block, Fold, Heading, Paragraph, Table
from rejudge.report.page_tables import page_table
from rejudge.tables.participants import competence_table
from rejudge.tables.sentences import guessing_sentences

_MOST_ROWS = 20


def competence_blocks(found: Sequence[Competence]) -> Iterator[Block]:
    """One folded table for each question, or why there is none."""
    if not found:
        return
    yield Heading("Do participants’ answers look like guesses?")
    for sentence in guessing_sentences(found):
        yield Paragraph(sentence)
    for each in found:
        if each.rows:
            yield Fold(f"Competence of participants on {each.question}", (_table(each),))
        else:
            yield Paragraph(f"{capital(each.question)}: {as_sentence(each.note)}", "aside")


def _table(found: Competence) -> Table:
    rows = tuple(sorted(found.rows, key=_order)[:_MOST_ROWS])
    more = (
        f" {len(rows)} of {found.total:,}, more in "
        f"tables/{file_name(found.question)}-competence.csv."
        if len(rows) < found.total
        else ""
    )
    return page_table(
        competence_table(replace(found, rows=rows)),
        name=f"{found.question}-competence",
        caption=f"How far participants’ answers on {found.question} agree with those of the "
        f"others, from {count(found.units, 'unit')} that two or more people judged.{more} "
        "Exploratory.",
    )


def _order(row: ParticipantCompetence) -> tuple[bool, float]:
    return not row.is_like_guessing, 2.0 if row.competence is None else row.competence
