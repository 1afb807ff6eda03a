"""How far each participant's answers go with those of the others: sentences, tables, files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rejudge.analysis import Competence, ParticipantCompetence
from rejudge.english import count
from rejudge.report.blocks import Block, Fold, Heading, Paragraph, Table
from rejudge.report.sheet import Column, Sheet, file_name
from rejudge.report.wording import capital, ended, number, p_value

_MOST_ROWS = 20
_IN_PRINT = 40
_TITLE = "Can participants’ answers be told from guesses?"
_COLUMNS = (
    (Column("participant"), "participant"),
    (Column("judgments", 0), "judgments"),
    (Column("shared judgments", 0), "shared"),
    (Column("competence (MACE)", 3), "competence"),
    (Column("accuracy (Dawid–Skene)", 3), "accuracy"),
    (Column("reliability (Dawid–Skene)", 3), "reliability"),
    (Column("p, guessing", 4), "p_guessing"),
    (Column("p, below the others (Holm)", 4), "p_below"),
)


def guessing_sentences(found: Sequence[Competence]) -> Iterator[str]:
    """How many answer like guessing on each question, with what that does not mean."""
    for each in found:
        if each.rows and each.like_guessing:
            yield (
                f"On {each.question}, the answers of {each.like_guessing:,} of "
                f"{count(each.total, 'participant')} look like guesses (exploratory; disagreement "
                "with the others is not proof of careless work)."
            )
        elif each.rows:
            yield (
                f"On {each.question}, nobody’s answers look like guesses "
                f"({count(each.total, 'participant')}, exploratory)."
            )


def competence_blocks(found: Sequence[Competence]) -> Iterator[Block]:
    """One folded table for each question, or why there is none."""
    if not found:
        return
    yield Heading(_TITLE)
    for sentence in guessing_sentences(found):
        yield Paragraph(sentence)
    for each in found:
        if each.rows:
            yield Fold(f"Competence of participants on {each.question}", (_table(each),))
        else:
            yield Paragraph(f"{capital(each.question)}: {ended(each.note)}", "aside")


def competence_sheets(found: Sequence[Competence]) -> Iterator[Sheet]:
    """The numbers of every listed participant, by question."""
    for each in found:
        yield Sheet(
            f"{file_name(each.question)}-competence",
            f"How far participants’ answers on {each.question} go with those of the others. "
            f"{capital(ended(each.method))} {each.note}",
            (*(column for column, _ in _COLUMNS), Column("like guessing")),
            tuple(
                (
                    *(getattr(row, field) for _, field in _COLUMNS),
                    "yes" if row.is_like_guessing else "no",
                )
                for row in each.rows
            ),
            _IN_PRINT,
        )


def _table(each: Competence) -> Table:
    rows = sorted(each.rows, key=_order)[:_MOST_ROWS]
    more = (
        f" {len(rows)} of {each.total:,}, more in tables/{file_name(each.question)}-competence.csv."
        if len(rows) < each.total
        else ""
    )
    units = count(each.units, "unit")
    return Table(
        id=f"table-{each.question}-competence",
        caption=f"How far participants’ answers on {each.question} go with those of the others, "
        f"from {units} that two or more people judged.{more} Exploratory.",
        head=(
            "Participant",
            "n",
            "Shared",
            "Competence",
            "Accuracy",
            "Reliability",
            "p, guessing",
            "p, below others",
            "Like guessing",
        ),
        align="lrrrrrrrl",
        rows=tuple(_row(row) for row in rows),
        notes=tuple(capital(ended(text)) for text in (each.note, each.method) if text),
    )


def _row(row: ParticipantCompetence) -> tuple[str, ...]:
    return (
        row.participant,
        f"{row.judgments:,}",
        f"{row.shared:,}",
        number(row.competence, 2),
        number(row.accuracy, 2),
        number(row.reliability, 2),
        p_value(row.p_guessing),
        p_value(row.p_below),
        "yes" if row.is_like_guessing else "–",
    )


def _order(row: ParticipantCompetence) -> tuple[bool, float]:
    return not row.is_like_guessing, 2.0 if row.competence is None else row.competence
