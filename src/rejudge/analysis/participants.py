"""How each participant worked: monotony, speed, sides, and agreement with themselves and others."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

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
from rejudge.analysis.details import Flag, Likeness
from rejudge.analysis.outline import AnalysedQuestion
from rejudge.analysis.times import MOST_PEOPLE, pages_of
from rejudge.design.duration import FLOOR_IN_WORDS
from rejudge.findings.frame import Frame
from rejudge.judgments.table import Judgments

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_IN_PAIRS = 60  # participants; of more, only the mean of each over the others is given
FEWEST_TO_FLAG = 10  # judgments; a few may well be the same

_MOST_MEETINGS = 240_000_000  # pairs of judgments of one unit


def participant_frames(
    analysis: AnalysisPlan,
    asked: AnalysedQuestion,
    rows: Judgments,
    table: UnitAnswers,
    *,
    hasty: Collection[str] | None = None,
) -> Iterator[Frame]:
    """How participants worked on a question; `table` has the answers of its real judgments.

    `hasty` are those who did a batch faster than its texts can be read; None: texts not known.
    """
    judgments = rows.of_kind("real")
    names = judgments.participant.labels
    seen, _ = stats.number_codes(judgments.participant.codes)
    if not len(judgments) or seen[0] < 0:
        return
    measure = _measure(asked)
    speed, fast_below, slow_note = _speed(judgments, len(names))
    likeness, reason = _company(asked, table)
    columns = (
        _monotony(asked, judgments),
        speed,
        _sides(asked, judgments),
        _repetition(rows, len(names)),
        _with_others(table, len(names)),
        _with_majority(table, len(names)),
        {} if measure == "percent" else _means(likeness),
    )
    conduct = []
    for who in seen.tolist():
        known = dict(_NOTHING, participant=names[who])
        for column in columns:
            known |= column.get(who, {})
        known["flags"] = tuple(_flags(analysis, known, hasty or ()))
        del known["compared"], known["is_fast"]
        conduct.append(known)
    notes = (
        slow_note,
        "" if hasty is None else f"Faster than reading: {FLOOR_IN_WORDS}.",
        reason,
        _too_many(likeness),
    )
    yield Frame.of(
        "people",
        _at_most(conduct),
        question=asked.id,
        total=len(conduct),
        facts={"measure": measure, "fast_below": fast_below},
        notes=tuple(each for each in notes if each),
    )
    if likeness is not None and len(likeness.first) and len(likeness.people) <= MOST_IN_PAIRS:
        yield _pair_frame(asked, table, likeness, names)


Column: TypeAlias = dict[int, dict[str, Any]]  # values by code of the participant and by name

_NOTHING: dict[str, Any] = {  # of a participant about whom nothing more is known
    "participant": "",
    "judgments": 0,
    "longest_run": 0,  # of the same answer (of a comparison: side), in the order given
    "modal_share": 0.0,  # of the most frequent answer, in percent
    "pages": 0,  # with a time
    "seconds": None,  # on all these pages together
    "first_shown": None,  # chosen, in percent; ties do not count
    "first_shown_n": 0,
    "first_shown_p": None,  # exact, against 50 %
    "first_shown_p_adjusted": None,  # over participants, Holm
    "repeats": 0,  # units judged again
    "same_again": None,  # in percent
    "agreement": None,  # other people's judgments that say the same, in percent
    "agreement_n": 0,  # own judgments that others judged, too
    "with_majority": None,  # own judgments that most others share, in percent
    "with_majority_n": 0,  # own judgments of units on which most others agree
    "correlation": None,  # mean over the others
    "others": 0,  # with whom it is defined
    "flags": (),
    "is_fast": False,
    "compared": 0,
}


def _flags(
    analysis: AnalysisPlan, known: Mapping[str, Any], hasty: Collection[str]
) -> Iterator[Flag]:
    """What a participant stands out by."""
    if known["modal_share"] == 100 and known["compared"] >= FEWEST_TO_FLAG:
        yield "one-answer"
    if known["is_fast"]:
        yield "fast"
    if known["participant"] in hasty:
        yield "faster-than-reading"
    p = known["first_shown_p_adjusted"]
    if p is not None and p < analysis.alpha:
        yield "one-side"


def _monotony(asked: AnalysedQuestion, judgments: Judgments) -> Column:
    """Straight-lining: runs of the same score, or of the same side."""
    value = judgments.value
    if asked.is_comparison:
        first, known = choices_of_first_shown(judgments)
        value = undirected_values(judgments)
        value[known] = first
    place = judgments.position.astype(np.float64)
    order = np.where(place < 0, np.arange(len(place)), place)
    given = _judgment_counts(asked, judgments)
    return {
        each.participant: {
            "judgments": int(given[each.participant]),
            "compared": each.n,
            "longest_run": each.longest_run,
            "modal_share": 100 * each.modal_share,
        }
        for each in stats.straight_lines(value, order, judgments.participant.codes)
    }


def _judgment_counts(asked: AnalysedQuestion, judgments: Judgments) -> NDArray[np.int64]:
    """How many judgments each participant gave; a ranking is one."""
    who = judgments.participant.codes
    if asked.is_implied:
        who = who[np.unique(answers(judgments), return_index=True)[1]]
    return np.bincount(who, minlength=len(judgments.participant.labels))


def _speed(judgments: Judgments, size: int) -> tuple[Column, float | None, str]:
    """Times on pages, with who was much faster than the rest, below which limit, and a note."""
    count, seconds = pages_of(judgments).by_person(size)
    who = np.flatnonzero(count)
    if not len(who):
        return {}, None, ""
    flags = stats.speed_flags(seconds[who] / count[who])
    fast = set(who[list(flags.flagged)].tolist())
    column = {
        each: {"pages": int(count[each]), "seconds": float(seconds[each]), "is_fast": each in fast}
        for each in who.tolist()
    }
    return column, flags.limit_seconds, flags.note


def _sides(asked: AnalysedQuestion, judgments: Judgments) -> Column:
    if not asked.is_comparison:
        return {}
    first, known = choices_of_first_shown(judgments)
    return {
        each.participant: {
            "first_shown": None if each.share is None else 100 * each.share,
            "first_shown_n": each.n,
            "first_shown_p": each.p,
            "first_shown_p_adjusted": each.p_adjusted,
        }
        for each in stats.side_bias(first, judgments.participant.codes[known])
    }


def _repetition(judgments: Judgments, size: int) -> Column:
    """How often each participant gave the same answer to what they judged twice."""
    kinds = (judgments.kind.code("real"), judgments.kind.code("repeat"))
    judgments = judgments.take(np.isin(judgments.kind.codes, kinds))
    is_repeat = judgments.kind.codes == kinds[1]
    if not is_repeat.any():
        return {}
    twice = stats.find_passes(
        things(judgments), judgments.participant.codes, is_repeat.astype(np.int64)
    )
    value, who = undirected_values(judgments), judgments.participant.codes[twice.first]
    same = value[twice.first] == value[twice.second]
    return _shares(who, same.astype(np.float64), size, ("repeats", "same_again"))


def _with_others(table: UnitAnswers, size: int) -> Column:
    """How many of the others' judgments of the same units are the same."""
    found = stats.agreement_with_others(table.value, table.unit, table.participant)
    who = table.participant[found.rows]
    return _shares(who, found.share, size, ("agreement_n", "agreement"))


def _with_majority(table: UnitAnswers, size: int) -> Column:
    """How often each participant agreed with the majority of the others."""
    found = stats.agreement_with_majority(table.value, table.unit, table.participant)
    who = table.participant[found.rows]
    return _shares(who, found.share, size, ("with_majority_n", "with_majority"))


def _shares(
    who: NDArray[np.integer], share: NDArray[np.float64], size: int, fields: tuple[str, str]
) -> Column:
    """The mean share of each, in percent, with how many it is of."""
    count, total = np.bincount(who, minlength=size), np.bincount(who, share, size)
    return {
        each: {fields[0]: int(count[each]), fields[1]: 100 * float(total[each] / count[each])}
        for each in np.flatnonzero(count).tolist()
    }


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
        return None, str(reason)
    found = stats.compare_participants(
        table.unit, table.participant, table.value, measure=_measure(asked)
    )
    return found, found.note


def _means(found: stats.Company | None) -> Column:
    if found is None:
        return {}
    listed = zip(found.people.tolist(), found.mean.tolist(), found.others.tolist(), strict=True)
    return {
        who: {"correlation": None if np.isnan(mean) else mean, "others": others}
        for who, mean, others in listed
    }


def _pair_frame(
    asked: AnalysedQuestion, table: UnitAnswers, found: stats.Company, names: tuple[str, ...]
) -> Frame:
    """Each two participants over the units both judged; None where it is undefined.

    Cohen's kappa stands beside it, but for values so fine that hardly any are the same.
    """
    measure = _measure(asked)
    people = [names[who] for who in found.people.tolist()]
    columns: dict[str, tuple[Any, ...]] = {
        "first": tuple(people[at] for at in found.first.tolist()),
        "second": tuple(people[at] for at in found.second.tolist()),
        "n": tuple(found.n.tolist()),
        measure: _none_if_nan(found.value),
    }
    facts: dict[str, Any] = {"measure": measure, "mean_kappa": None}
    if measure != "pearson":
        by_kappa = stats.compare_participants(
            table.unit, table.participant, table.value, measure="kappa"
        )
        columns["kappa"] = _none_if_nan(by_kappa.value)
        kappas = [kappa for kappa in columns["kappa"] if kappa is not None]
        facts["mean_kappa"] = math.fsum(kappas) / len(kappas) if kappas else None
    return Frame("people-pairs", columns, question=asked.id, facts=facts)


def _none_if_nan(values: NDArray[np.float64]) -> tuple[float | None, ...]:
    return tuple(None if math.isnan(value) else value for value in values.tolist())


def _too_many(found: stats.Company | None) -> str:
    if found is None or len(found.people) <= MOST_IN_PAIRS:
        return ""
    return f"Not listed pair by pair, because there are more than {MOST_IN_PAIRS} participants."


def _at_most(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """All; of too many those with flags and those who agree least."""
    if len(rows) <= MOST_PEOPLE:
        return rows

    def standing_out(place: int) -> tuple[int, float]:
        row = rows[place]
        return -len(row["flags"]), 101.0 if row["agreement"] is None else row["agreement"]

    chosen = sorted(range(len(rows)), key=standing_out)[:MOST_PEOPLE]
    return [rows[place] for place in sorted(chosen)]
