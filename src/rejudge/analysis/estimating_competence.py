"""Which participants' answers can be told from guesses, as exploratory numbers by question."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rejudge.analysis.analysis_plan import Agenda, joined
from rejudge.analysis.columns import NOBODY, Said, has_participants, said
from rejudge.analysis.competence import Competence, ParticipantCompetence
from rejudge.analysis.limits import over_limit, seconds_of_labels
from rejudge.analysis.outline import MOST_POINTS, Asked
from rejudge.analysis.timing import MOST_PEOPLE
from rejudge.judgments import Judgments
from rejudge.stats import dawid_skene, how_many, like_guessing, mace

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FEWEST_PEOPLE = 3
FEWEST_UNITS = 10  # that two or more people judged
FEWEST_JUDGMENTS = 10  # of somebody who is flagged
_TWO = 2  # labels that there are at least
_SHARE = 1 / 60  # of the time limit, for what decides nothing and nobody planned
_METHOD = (
    "competence: MACE, EM with smoothing 0.1 / labels, 5 starts; accuracy and reliability: "
    "Dawid–Skene, EM with smoothing 0.01; like guessing: 10 or more shared judgments, neither "
    "closer to the others' answers nor farther from them than guesses (p > 0.05 each), and less "
    "close than everybody together (p < 0.05 after Holm); answers as labels without order"
)
_MEANING = (
    "Exploratory. Low competence is disagreement with the others, not proof of careless work: "
    "where systems are equally good no answer is right, and people of another taste can look like "
    "guessers. It is not a reason to exclude somebody or to refuse pay; no other number uses it."
)
_FEW_PEOPLE = "Left out: with fewer than three participants nobody can tell who is right."
_FEW_UNITS = (
    f"Left out: fewer than {FEWEST_UNITS} outputs or pairs were judged by two participants or more."
)
_FINE = f"Left out: more than {MOST_POINTS} different scores; people seldom give the very same."
_IMPLIED = "Left out: the comparisons that one ranking decides are not independent judgments."
_SAME = "Left out: everybody always gave the same answer."


def competence_of(agenda: Agenda, asked: Asked, judgments: Judgments) -> Competence:
    """Everybody's competence on one question, or why it is left out."""
    blank = Competence(asked.id)
    if not len(judgments) or not has_participants(judgments):
        return replace(blank, note=NOBODY if len(judgments) else "Undefined: no judgments.")
    if asked.is_implied:
        return replace(blank, note=_IMPLIED)
    limit = agenda.further.time_limit * _SHARE
    reason = _too_long(len(judgments), _TWO, limit)
    if reason:  # before anything is counted
        return replace(blank, note=reason)
    table = said(judgments)
    blank = replace(blank, total=how_many(table.participant), units=_shared_units(table))
    reason = _unsuited(table, blank, limit)
    if reason:
        return replace(blank, note=reason)
    return _estimated(agenda, blank, table, judgments.participant.labels)


def _unsuited(table: Said, found: Competence, limit: float) -> str:
    labels = how_many(table.value)
    if found.total < FEWEST_PEOPLE:
        return _FEW_PEOPLE
    if found.units < FEWEST_UNITS:
        return _FEW_UNITS
    if labels < _TWO:
        return _SAME
    if labels > MOST_POINTS:
        return _FINE
    return _too_long(len(table.value), labels, limit)


def _too_long(judgments: int, labels: int, limit: float) -> str:
    return over_limit(seconds_of_labels(judgments, labels), limit, "competence of participants")


def _shared_units(table: Said) -> int:
    import numpy as np

    return int(np.count_nonzero(np.bincount(table.unit) > 1))


def _estimated(
    agenda: Agenda, blank: Competence, table: Said, names: tuple[str, ...]
) -> Competence:
    columns = table.unit, table.participant, table.value
    known = mace(*columns, rng=agenda.rng(f"{blank.question}.competence"))
    errors = dawid_skene(*columns)
    guesses = like_guessing(*columns, minimum=FEWEST_JUDGMENTS)
    fields = (
        known.judgments,
        guesses.shared,
        known.competence,
        errors.accuracy,
        errors.reliability,
        guesses.p_guessing,
        guesses.p_below,
        guesses.is_like_guessing,
    )
    listed = zip(*map(_plain, fields), strict=True)
    rows = [
        ParticipantCompetence(names[who], *each)
        for who, each in zip(known.participants.tolist(), listed, strict=True)
    ]
    return replace(
        blank,
        like_guessing=int(guesses.is_like_guessing.sum()),
        typical=guesses.typical,
        rows=_listed(rows),
        method=_METHOD,
        note=joined(_MEANING, known.note, errors.note),
    )


def _plain(column: NDArray[np.generic]) -> list[float | None]:
    """Numbers as JSON has them; NaN is None."""
    return [None if each != each else each for each in column.tolist()]  # noqa: PLR0124 - NaN


def _listed(rows: list[ParticipantCompetence]) -> tuple[ParticipantCompetence, ...]:
    """All; of too many those like guessing and those who go least with the others."""
    if len(rows) <= MOST_PEOPLE:
        return tuple(rows)

    def order(place: int) -> tuple[bool, float, float]:
        row = rows[place]
        p = 2.0 if row.p_below is None else row.p_below
        return not row.is_like_guessing, p, row.competence or 0.0

    chosen = sorted(range(len(rows)), key=order)[:MOST_PEOPLE]
    return tuple(rows[place] for place in sorted(chosen))
