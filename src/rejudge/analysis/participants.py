"""How each participant worked: monotony, speed, sides, and agreement with themselves and others."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from rejudge import stats
from rejudge.analysis.analysis_plan import AnalysisPlan, over_size
from rejudge.analysis.columns import (
    UnitAnswers,
    answers,
    choices_of_first_shown,
    things,
    undirected_values,
)
from rejudge.analysis.details import Conduct, Flag, Likeness, PairOfPeople, ParticipantDetails
from rejudge.analysis.outline import AnalysedQuestion
from rejudge.analysis.times import MOST_PEOPLE, pages_of
from rejudge.design.duration import FLOOR_IN_WORDS
from rejudge.english import join_notes
from rejudge.judgments.table import Judgments

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_IN_PAIRS = 60  # participants; of more, only the mean of each over the others is given
FEWEST_TO_FLAG = 10  # judgments; a few may well be the same

_MOST_MEETINGS = 240_000_000  # pairs of judgments of one unit


def participant_details(
    analysis: AnalysisPlan,
    asked: AnalysedQuestion,
    rows: Judgments,
    table: UnitAnswers,
    *,
    hasty: Collection[str] | None = None,
) -> ParticipantDetails | None:
    """How participants worked on a question; `table` has the answers of its real judgments.

    `hasty` are those who did a batch faster than its texts can be read; None: texts not known.
    """

    judgments = rows.of_kind("real")
    names = judgments.participant.labels
    seen, _ = stats.number_codes(judgments.participant.codes)
    if not len(judgments) or seen[0] < 0:
        return None
    columns = [
        _monotony(asked, judgments),
        _sides(asked, judgments),
        _repetition(rows, len(names)),
        _with_others(table, len(names)),
        _with_majority(table, len(names)),
    ]
    haste = _haste(judgments, len(names))
    likeness, reason = _company(asked, table)
    means = _Column() if _measure(asked) == "percent" else _means(likeness)
    columns += [haste.column, means, _haste_by_reading(names, hasty)]
    conduct = [_conduct(analysis, names[who], who, columns) for who in seen.tolist()]
    return ParticipantDetails(
        total=len(conduct),
        measure=_measure(asked),
        rows=_at_most(conduct),
        pairs=_pairs(likeness, names),
        fast_below=haste.below,
        note=join_notes(
            haste.note,
            "" if hasty is None else f"Faster than reading: {FLOOR_IN_WORDS}.",
            reason,
            _too_many(likeness),
        ),
    )


@dataclass(frozen=True, slots=True)
class _Column:
    """Some fields of a participant's conduct, by their code."""

    of: dict[int, dict[str, Any]] = field(default_factory=dict)  # fields of Conduct


@dataclass(frozen=True, slots=True)
class _Haste:
    column: _Column
    below: float | None
    note: str = ""


def _conduct(analysis: AnalysisPlan, name: str, who: int, columns: list[_Column]) -> Conduct:
    known: dict[str, Any] = {}  # fields of Conduct
    for column in columns:
        known |= column.of.get(who, {})
    compared = known.pop("compared")
    flags: list[Flag] = [*known.pop("flags", ()), *known.pop("unread", ())]
    if known["modal_share"] == 100 and compared >= FEWEST_TO_FLAG:
        flags.insert(0, "one-answer")
    p = known.get("first_shown_p_adjusted")
    if p is not None and p < analysis.alpha:
        flags.append("one-side")
    return Conduct(name, **known, flags=tuple(flags))


def _monotony(asked: AnalysedQuestion, judgments: Judgments) -> _Column:
    """Straight-lining: runs of the same score, or of the same side."""
    value = judgments.value
    if asked.is_comparison:
        first, known = choices_of_first_shown(judgments)
        value = undirected_values(judgments)
        value[known] = first
    place = judgments.position.astype(np.float64)
    order = np.where(place < 0, np.arange(len(place)), place)
    given = _judgment_counts(asked, judgments)
    return _Column(
        {
            each.participant: {
                "judgments": int(given[each.participant]),
                "compared": each.n,
                "longest_run": each.longest_run,
                "modal_share": 100 * each.modal_share,
            }
            for each in stats.straight_lines(value, order, judgments.participant.codes)
        }
    )


def _judgment_counts(asked: AnalysedQuestion, judgments: Judgments) -> NDArray[np.int64]:
    """How many judgments each participant gave; a ranking is one."""
    who = judgments.participant.codes
    if asked.is_implied:
        who = who[np.unique(answers(judgments), return_index=True)[1]]
    return np.bincount(who, minlength=len(judgments.participant.labels))


def _haste(judgments: Judgments, size: int) -> _Haste:
    """Who was much faster than the rest, by seconds per page."""
    count, seconds = pages_of(judgments).by_person(size)
    who = np.flatnonzero(count)
    if not len(who):
        return _Haste(_Column(), None)
    flags = stats.speed_flags(seconds[who] / count[who])
    fast = set(who[list(flags.flagged)].tolist())
    column = {
        each: {
            "pages": int(count[each]),
            "seconds": float(seconds[each]),
            "flags": ("fast",) if each in fast else (),
        }
        for each in who.tolist()
    }
    return _Haste(_Column(column), flags.limit_seconds, flags.note)


def _haste_by_reading(names: Sequence[str], hasty: Collection[str] | None) -> _Column:
    """Who did a batch faster than its texts can be read."""
    flag: tuple[Flag, ...] = ("faster-than-reading",)
    return _Column(
        {who: {"unread": flag} for who, name in enumerate(names) if name in (hasty or ())}
    )


def _sides(asked: AnalysedQuestion, judgments: Judgments) -> _Column:
    if not asked.is_comparison:
        return _Column()
    first, known = choices_of_first_shown(judgments)
    return _Column(
        {
            each.participant: {
                "first_shown": None if each.share is None else 100 * each.share,
                "first_shown_n": each.n,
                "first_shown_p": each.p,
                "first_shown_p_adjusted": each.p_adjusted,
            }
            for each in stats.side_bias(first, judgments.participant.codes[known])
        }
    )


def _repetition(judgments: Judgments, size: int) -> _Column:
    """How often each participant gave the same answer to what they judged twice."""
    kinds = (judgments.kind.code("real"), judgments.kind.code("repeat"))
    judgments = judgments.take(np.isin(judgments.kind.codes, kinds))
    is_repeat = judgments.kind.codes == kinds[1]
    if not is_repeat.any():
        return _Column()
    twice = stats.find_passes(
        things(judgments), judgments.participant.codes, is_repeat.astype(np.int64)
    )
    value, who = undirected_values(judgments), judgments.participant.codes[twice.first]
    same = value[twice.first] == value[twice.second]
    return _shares(who, same.astype(np.float64), size, ("repeats", "same_again"))


def _with_others(table: UnitAnswers, size: int) -> _Column:
    """How many of the others' judgments of the same units are the same."""
    found = stats.agreement_with_others(table.value, table.unit, table.participant)
    who = table.participant[found.rows]
    return _shares(who, found.share, size, ("agreement_n", "agreement"))


def _with_majority(table: UnitAnswers, size: int) -> _Column:
    """How often each participant agreed with the majority of the others."""
    found = stats.agreement_with_majority(table.value, table.unit, table.participant)
    who = table.participant[found.rows]
    return _shares(who, found.share, size, ("with_majority_n", "with_majority"))


def _shares(
    who: NDArray[np.integer], share: NDArray[np.float64], size: int, fields: tuple[str, str]
) -> _Column:
    """The mean share of each, in percent, with how many it is of."""
    count, total = np.bincount(who, minlength=size), np.bincount(who, share, size)
    return _Column(
        {
            each: {fields[0]: int(count[each]), fields[1]: 100 * float(total[each] / count[each])}
            for each in np.flatnonzero(count).tolist()
        }
    )


def _measure(asked: AnalysedQuestion) -> Likeness:
    if asked.is_comparison or asked.level == "nominal":
        return "percent"
    return "spearman" if asked.level == "ordinal" else "pearson"


def _company(asked: AnalysedQuestion, table: UnitAnswers) -> tuple[stats.Company | None, str]:
    """How each participant agrees with the others, where that can be computed."""
    size = np.bincount(table.unit).astype(np.float64)
    meetings = int((size * (size - 1) / 2).sum())
    what = "the comparison of participants in pairs"
    reason = over_size(meetings, _MOST_MEETINGS, "pairs of judgments of one unit", what)
    if reason:
        return None, reason
    found = stats.compare_participants(
        table.unit, table.participant, table.value, measure=_measure(asked)
    )
    return found, found.note


def _means(found: stats.Company | None) -> _Column:
    if found is None:
        return _Column()
    listed = zip(found.people.tolist(), found.mean.tolist(), found.others.tolist(), strict=True)
    return _Column(
        {
            who: {"correlation": None if np.isnan(mean) else mean, "others": others}
            for who, mean, others in listed
        }
    )


def _pairs(found: stats.Company | None, names: tuple[str, ...]) -> tuple[PairOfPeople, ...]:
    if found is None or len(found.people) > MOST_IN_PAIRS:
        return ()
    columns = (found.people[found.first], found.people[found.second], found.n, found.value)
    return tuple(
        PairOfPeople(names[a], names[b], n, None if np.isnan(value) else value)
        for a, b, n, value in zip(*(column.tolist() for column in columns), strict=True)
    )


def _too_many(found: stats.Company | None) -> str:
    if found is None or len(found.people) <= MOST_IN_PAIRS:
        return ""
    return f"Not listed pair by pair, because there are more than {MOST_IN_PAIRS} participants."


def _at_most(rows: list[Conduct]) -> tuple[Conduct, ...]:
    """All; of too many those with flags and those who agree least."""
    if len(rows) <= MOST_PEOPLE:
        return tuple(rows)

    def standing_out(place: int) -> tuple[int, float]:
        row = rows[place]
        return -len(row.flags), 101.0 if row.agreement is None else row.agreement

    chosen = sorted(range(len(rows)), key=standing_out)[:MOST_PEOPLE]
    return tuple(rows[place] for place in sorted(chosen))
