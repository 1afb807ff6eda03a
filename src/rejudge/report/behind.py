"""What lies behind the numbers on a question: how often each score was given, who beat whom."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rejudge.analysis import Covered, Details, Results, ScoreCounts
from rejudge.english import count, versus
from rejudge.report.answer import Told
from rejudge.report.blocks import Block, Table
from rejudge.report.detail_sheets import score_names
from rejudge.report.wording import between, known, number

_INFORMATION = (
    "Information within items: 100 % where both systems were judged equally often on every item; "
    "0 % where they share none, so that a difference between them is also one between items."
)
_MOST_SYSTEMS = 12  # of a win matrix that still fits the page


def details_of(results: Results, question: str) -> Details | None:
    """What lies behind the findings on a question; None in results of an older version."""
    return next((each for each in results.details if each.question == question), None)


def behind_blocks(tale: Told, details: Details) -> Iterator[Block]:
    """How often each score was given, or who beat whom."""
    name = tale.question.id
    said = "Simulated. " if tale.is_simulated else ""
    if details.scores:
        yield _scores(name, details.scores, tale.labels, said)
    if details.coverage and not details.coverage.is_even:
        yield _coverage(name, details.coverage, tale.labels, said)
    if details.own_differences:
        yield _own_differences(name, details, tale.labels, said)
    if details.duels:
        yield from _duels(name, details, tale.labels, said)


def _scores(name: str, scores: ScoreCounts, labels: Mapping[str, str], said: str) -> Table:
    names = score_names(scores)
    off = sum(each.off_scale for each in scores.systems)
    notes = [scores.note, f"{count(off, 'score')} not on the scale." if off else ""]
    return Table(
        id=f"table-{name}-scores",
        caption=f"{said}Scores on {name}, percent within systems.",
        head=("System", "n", *(name.replace("–", "\u2060–\u2060") for name in names)),
        align="lr" + "r" * len(names),
        rows=tuple(
            (
                labels.get(each.system, each.system),
                f"{each.n:,}",
                *(number(share) for share in each.shares or (None,) * len(names)),
            )
            for each in scores.systems
        ),
        notes=tuple(note for note in notes if note),
    )


def _coverage(name: str, found: Covered, labels: Mapping[str, str], said: str) -> Table:
    """What each two systems have in common."""
    alone = "; ".join(
        f"{labels.get(each.system, each.system)} {count(each.judgments, 'judgment')} of "
        f"{count(each.items, 'item')}"
        for each in found.systems
    )
    return Table(
        id=f"table-{name}-coverage",
        caption=f"{said}Who judged what on {name}: {alone}.",
        head=("Systems", "Shared items", "Shared participants", "Information within items, %"),
        align="lrrr",
        rows=tuple(
            (
                versus([labels.get(system, system) for system in (each.first, each.second)], ""),
                f"{each.shared_items:,}",
                known(each.shared_participants),
                number(100 * each.information_share, 0),
            )
            for each in found.pairs
        ),
        notes=(_INFORMATION,),
    )


def _own_differences(name: str, details: Details, labels: Mapping[str, str], said: str) -> Table:
    return Table(
        id=f"table-{name}-own-differences",
        caption=f"{said}Each participant’s own difference on {name}: first minus second, mean over "
        "the items judged for both. Each interval speaks for that participant alone.",
        head=("Participant", "Systems", "Items", "Difference", "Interval"),
        align="llrrr",
        rows=tuple(
            (
                each.participant,
                versus([labels.get(system, system) for system in (each.first, each.second)], ""),
                f"{each.items:,}",
                number(each.value, 2),
                between(each.interval, 2),
            )
            for each in details.own_differences
        ),
    )


def _duels(name: str, details: Details, labels: Mapping[str, str], said: str) -> Iterator[Block]:
    rows = list(dict.fromkeys(each.row for each in details.duels))
    if not 2 < len(rows) <= _MOST_SYSTEMS:  # noqa: PLR2004 - of two, the pair has said it already
        return
    won = {(each.row, each.column): each.win_percent for each in details.duels}
    yield Table(
        id=f"table-{name}-wins",
        caption=f"{said}Who beat whom on {name}: percent won by the row against the column, a tie "
        "as half.",
        head=("Row against column", *(labels.get(row, row) for row in rows)),
        align="l" + "r" * len(rows),
        rows=tuple(
            (labels.get(row, row), *(number(won.get((row, column))) for column in rows))
            for row in rows
        ),
    )
