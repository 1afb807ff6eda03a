"""How participants answered a question: consistency, order effects and competence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from rejudge import stats
from rejudge.analysis.agreement import OVER_UNITS, RESAMPLED
from rejudge.analysis.analysis_plan import AnalysisPlan, over_limit, seconds_of_labels
from rejudge.analysis.columns import (
    NOBODY,
    UnitAnswers,
    answers_by_unit,
    choices_of_first_shown,
    has_participants,
    things,
    undirected_values,
)
from rejudge.analysis.details import Competence, ParticipantCompetence
from rejudge.analysis.estimates import first_position_bias
from rejudge.analysis.outline import MOST_POINTS, AnalysedQuestion
from rejudge.analysis.results import Finding
from rejudge.analysis.times import MOST_PEOPLE
from rejudge.english import join_notes
from rejudge.judgments.table import Judgments

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SERIES = {
    "score-by-position": "score",
    "first-shown-by-position": "share of choices of the output shown first",
    "agreement-by-position": "share of others who gave the same answer",
    "seconds-by-position": "seconds on the page",
}
FEWEST_PEOPLE = 3
FEWEST_UNITS = 10  # that two or more people judged
FEWEST_JUDGMENTS = 10  # of somebody who is flagged
_TWO = 2  # labels that there are at least
_SHARE = 1 / 60  # of the time limit, for what decides nothing and nobody planned
_METHOD = (
    "competence: MACE, EM with smoothing 0.1 / labels, 5 starts; accuracy and reliability: "
    "Dawid–Skene, EM with smoothing 0.01; like guessing: 10 or more shared judgments, neither "
    "closer to the others' answers nor farther from them than guesses (p > 0.05 each), and less "
    "close than everybody together (p < 0.05 after Holm); answers are treated as unordered labels"
)
_MEANING = (
    "Exploratory. Low competence means disagreement with the others, not careless work: if systems "
    "are equally good, no answer is right, and people with a different taste can look like "
    "guessers. It is not a reason to exclude somebody or refuse pay; no other number uses it."
)
_FEW_PEOPLE = "Left out: with fewer than three participants nobody can tell who is right."
_FEW_UNITS = (
    f"Left out: fewer than {FEWEST_UNITS} outputs or pairs were judged by two participants or more."
)
_FINE = (
    f"Left out: more than {MOST_POINTS} different scores; people rarely give exactly the same one."
)
_IMPLIED = "Left out: the comparisons that one ranking decides are not independent judgments."
_SAME = "Left out: everybody always gave the same answer."


def order_effects(
    analysis: AnalysisPlan, asked: AnalysedQuestion, judgments: Judgments
) -> Iterator[Finding]:
    """Effects of position and order on the answers; always exploratory."""
    if asked.is_comparison:
        yield from first_position_bias(analysis, asked, judgments)
    if not has_participants(judgments):
        return
    for name, value, rows in _series(asked, judgments):
        has_place = judgments.position[rows] >= 0
        if has_place.any():
            taken = judgments.take(rows[has_place])
            yield _trend(analysis, asked, taken, name=name, value=value[has_place])


def self_consistencies(
    analysis: AnalysisPlan, asked: AnalysedQuestion, judgments: Judgments
) -> Iterator[Finding]:
    """How consistently people judge the same thing twice; nothing without repeats."""
    is_repeat = judgments.kind.codes == judgments.kind.code("repeat")
    is_real = judgments.kind.codes == judgments.kind.code("real")
    rows = judgments.take(is_real | is_repeat)
    attempt = is_repeat[is_real | is_repeat].astype(np.int64)
    if not attempt.any():
        return
    again = stats.find_passes(things(rows), rows.participant.codes, attempt)
    value = undirected_values(rows)
    name = f"{asked.id}.self-consistency"
    found = stats.self_consistency(
        value[again.first],
        value[again.second],
        measured=asked.level,
        rng=analysis.rng(name),
        level=analysis.level,
    )
    for kind, part, how in (
        ("percent", found.percent, f"percentage of units judged the same again; {OVER_UNITS}"),
        (
            "alpha",
            found.alpha,
            f"Krippendorff's alpha of both passes, for {asked.level} values; {RESAMPLED}",
        ),
    ):
        yield Finding(
            id=f"{name}.{kind}",
            question=asked.id,
            measure="agreement",
            by=f"self-consistency, {kind}",
            systems=(),
            value=part.value,
            n=part.n,
            n_of="units",
            method=how,
            interval=part.interval,
            is_planned=False,
            participants=len(np.unique(rows.participant.codes[again.first])),
            note=part.note,
        )


def _series(
    asked: AnalysedQuestion, judgments: Judgments
) -> Iterator[tuple[str, NDArray[np.float64], NDArray[np.int64]]]:
    """Series that may change over time: name, values, and the rows they belong to."""
    everything = np.arange(len(judgments))
    if asked.is_comparison:
        first, known = choices_of_first_shown(judgments)
        yield "first-shown-by-position", first, np.flatnonzero(known)
    elif not asked.is_named:
        yield "score-by-position", judgments.value, everything
    if len(judgments):
        table = answers_by_unit(judgments)
        peers = stats.agreement_with_others(table.value, table.unit, table.participant)
        yield "agreement-by-position", peers.share, np.asarray(peers.rows, dtype=np.int64)
    timed = np.flatnonzero(~np.isnan(judgments.seconds))
    yield "seconds-by-position", judgments.seconds[timed], timed


def _trend(
    analysis: AnalysisPlan,
    asked: AnalysedQuestion,
    rows: Judgments,
    *,
    name: str,
    value: NDArray[np.float64],
) -> Finding:
    found = stats.trend_by_position(
        value, rows.position.astype("float64"), rows.participant.codes, level=analysis.level
    )
    left_out = (
        f"{found.left_out} participants with fewer than three positions left out."
        if found.left_out and found.slope is not None
        else ""
    )
    return Finding(
        id=f"{asked.id}.{name}",
        question=asked.id,
        measure="order-effect",
        by=name,
        systems=(),
        value=found.slope,
        n=len(value),
        n_of="comparisons" if asked.is_implied else "judgments",
        method=f"change of the {_SERIES[name]} from one task to the next: mean over participants "
        "of their least-squares slopes, t over participants; p against 0",
        interval=found.interval,
        p=found.p,
        is_planned=False,
        participants=found.participants,
        note=join_notes(found.note, left_out),
    )


def competence_of(
    analysis: AnalysisPlan, asked: AnalysedQuestion, judgments: Judgments
) -> Competence:
    """Everybody's competence on one question, or why it is left out."""
    blank = Competence(asked.id)
    if not len(judgments) or not has_participants(judgments):
        return replace(blank, note=NOBODY if len(judgments) else "Undefined: no judgments.")
    if asked.is_implied:
        return replace(blank, note=_IMPLIED)
    limit = analysis.further.time_limit * _SHARE
    reason = _too_long(len(judgments), _TWO, limit)
    if reason:  # before anything is counted
        return replace(blank, note=reason)
    table = answers_by_unit(judgments)
    blank = replace(
        blank, total=stats.count_distinct(table.participant), units=_shared_units(table)
    )
    reason = _why_unsuited(table, blank, limit)
    if reason:
        return replace(blank, note=reason)
    return _estimates(analysis, blank, table, judgments.participant.labels)


def _why_unsuited(table: UnitAnswers, found: Competence, limit: float) -> str:
    labels = stats.count_distinct(table.value)
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


def _shared_units(table: UnitAnswers) -> int:
    return int(np.count_nonzero(np.bincount(table.unit) > 1))


def _estimates(
    analysis: AnalysisPlan, blank: Competence, table: UnitAnswers, names: tuple[str, ...]
) -> Competence:
    columns = table.unit, table.participant, table.value
    known = stats.mace(*columns, rng=analysis.rng(f"{blank.question}.competence"))
    errors = stats.dawid_skene(*columns)
    guesses = stats.find_guessing(*columns, minimum=FEWEST_JUDGMENTS)
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
        rows=_at_most(rows),
        method=_METHOD,
        note=join_notes(_MEANING, known.note, errors.note),
    )


def _plain(column: NDArray[np.generic]) -> list[float | None]:
    """Numbers with None instead of NaN, for JSON."""
    return [None if each != each else each for each in column.tolist()]  # noqa: PLR0124 - NaN


def _at_most(rows: list[ParticipantCompetence]) -> tuple[ParticipantCompetence, ...]:
    """All rows; if there are too many, those like guessing and those least like the others."""
    if len(rows) <= MOST_PEOPLE:
        return tuple(rows)

    def order(place: int) -> tuple[bool, float, float]:
        row = rows[place]
        p = 2.0 if row.p_below is None else row.p_below
        return not row.is_like_guessing, p, row.competence or 0.0

    chosen = sorted(range(len(rows)), key=order)[:MOST_PEOPLE]
    return tuple(rows[place] for place in sorted(chosen))
