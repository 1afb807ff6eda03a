"""How far participants agree, and how each of them worked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rejudge.analysis import Conduct, Details, People, Results
from rejudge.english import count
from rejudge.report.blocks import Block, Fold, Heading, Paragraph, Table
from rejudge.report.sheet import file_name
from rejudge.report.wording import (
    between,
    digits_of,
    ended,
    name_of_coefficient,
    number,
    p_value,
)

_MOST_PEOPLE = 6
_MOST_QUESTIONS = 3  # whose tables are open on the screen
_FLAGS = {
    "one-answer": "always the same answer",
    "fast": "much faster than the others",
    "faster-than-reading": "faster than reading",
    "one-side": "leans to one side",
}
_LIKENESS = {"spearman": "Spearman’s correlation", "pearson": "Pearson’s correlation"}


def agreement_blocks(results: Results) -> Iterator[Block]:
    """Coefficients of agreement with both their intervals."""
    found = [f for f in results.findings if f.measure == "agreement" and not f.systems]
    found += [f for each in results.pooled_agreement for f in each.findings]
    if not any(f.value is not None for f in found):
        reasons = dict.fromkeys(ended(f.note) for f in found if f.note)
        yield Paragraph(" ".join(["How far participants agree is not known.", *reasons]))
        return
    notes = [f"{name_of_coefficient(f)}, {f.question}: {ended(f.note)}" for f in found if f.note]
    yield Table(
        id="table-agreement",
        caption="How far participants agree. A unit is an output, or a pair of outputs, that two "
        "or more people judged. The first interval speaks for these participants and other units, "
        "or other items where several units belong to one; the second for new participants too.",
        head=("Question", "Coefficient", "Units", "Value", "Interval", "For new participants"),
        align="llrrrr",
        rows=tuple(
            (
                f.question,
                name_of_coefficient(f),
                f"{f.n:,}",
                number(f.value, digits_of(f)),
                between(f.interval, digits_of(f)),
                between(f.interval_for_new_people, digits_of(f)),
            )
            for f in found
        ),
        notes=tuple(notes),
    )


def conduct_blocks(results: Results) -> Iterator[Block]:
    """Who stands out by haste, monotony or a pull to one side, question by question."""
    known = [details for details in results.details if details.people]
    if not known:
        return
    yield Heading("How participants worked")
    for details in known:
        yield from _of_question(details, is_folded=len(known) > _MOST_QUESTIONS)


def _of_question(details: Details, *, is_folded: bool) -> Iterator[Block]:
    people = details.people
    if people is None:
        return
    yield Paragraph(_standing_out_words(details.question, people))
    if people.total > 1:
        table = _conduct(details.question, people, _standing_out(people))
        title = f"How participants worked on {details.question}"
        yield Fold(title, (table,)) if is_folded else table


def _standing_out_words(question: str, people: People) -> str:
    flagged = [row for row in people.rows if row.flags]
    out = "out by haste, monotony or a pull to one side"
    if not flagged:
        return f"On {question}, none of {count(people.total, 'participant')} stands {out}."
    stand = "stands" if len(flagged) == 1 else "stand"
    unread = sum("faster-than-reading" in row.flags for row in flagged)
    haste = f"{unread:,} did a batch faster than its texts can be read. " if unread else ""
    return (
        f"On {question}, {len(flagged):,} of {count(people.total, 'participant')} {stand} {out}. "
        f"{haste}Their judgments count all the same."
    )


def _conduct(question: str, people: People, rows: Sequence[Conduct]) -> Table:
    has = {
        "time": any(row.seconds is not None for row in rows),
        "side": any(row.first_shown is not None for row in rows),
        "again": any(row.same_again is not None for row in rows),
        "alike": people.measure != "pearson",  # the very same score says little on a fine scale
        "majority": people.measure != "pearson"
        and any(row.with_majority is not None for row in rows),
        "correlation": any(row.correlation is not None for row in rows),
    }
    more = f" {len(rows)} of {people.total:,}, more in tables/{file_name(question)}-people.csv."
    correlation = (
        f" The correlation is the mean of {_LIKENESS[people.measure]} with each other participant."
        if has["correlation"]
        else ""
    )
    return Table(
        id=f"table-{question}-people",
        caption=f"How participants worked on {question}, those who stand out or agree least with "
        f"others first.{more if len(rows) < people.total else ''}{correlation} Exploratory.",
        head=(
            "Participant",
            "n",
            "Longest run",
            "Most frequent, %",
            *(("Seconds per page",) if has["time"] else ()),
            *(("First shown, %", "p (Holm)") if has["side"] else ()),
            *(("Same again, %",) if has["again"] else ()),
            *(("Like others, %",) if has["alike"] else ()),
            *(("With the majority, % (n)",) if has["majority"] else ()),
            *(("Correlation",) if has["correlation"] else ()),
            "Stands out by",
        ),
        align="lrrr" + "r" * (sum(has.values()) + has["side"]) + "l",
        rows=tuple(_row(row, has) for row in rows),
        notes=(people.note,) if people.note else (),
    )


def _row(row: Conduct, has: Mapping[str, bool]) -> tuple[str, ...]:
    side = (number(row.first_shown), p_value(row.first_shown_p_adjusted)) if has["side"] else ()
    return (
        row.participant,
        f"{row.judgments:,}",
        f"{row.longest_run:,}",
        number(row.modal_share, 0),
        *((number(row.seconds / row.pages if row.seconds else None),) if has["time"] else ()),
        *side,
        *((number(row.same_again, 0),) if has["again"] else ()),
        *((number(row.agreement, 0),) if has["alike"] else ()),
        *((_with_majority(row),) if has["majority"] else ()),
        *((number(row.correlation, 2),) if has["correlation"] else ()),
        ", ".join(_FLAGS[flag] for flag in row.flags) or "–",
    )


def _with_majority(row: Conduct) -> str:
    if row.with_majority is None:
        return "–"
    return f"{number(row.with_majority, 0)} ({row.with_majority_n:,})"


def _standing_out(people: People) -> list[Conduct]:
    """Those with flags first, then those least like the others."""
    is_fine = people.measure == "pearson"

    def order(row: Conduct) -> tuple[int, float]:
        likeness = row.correlation if is_fine else row.agreement
        return -len(row.flags), 101.0 if likeness is None else likeness

    return sorted(people.rows, key=order)[:_MOST_PEOPLE]
