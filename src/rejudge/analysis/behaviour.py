"""How participants answered a question: consistency and order effects."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from rejudge import stats
from rejudge.analysis.agreement import OVER_UNITS, RESAMPLED
from rejudge.analysis.analysis_plan import AnalysisPlan
from rejudge.analysis.columns import (
    answers_by_unit,
    choices_of_first_shown,
    has_participants,
    things,
    undirected_values,
)
from rejudge.analysis.data import QuestionData
from rejudge.analysis.estimates import first_position_bias
from rejudge.analysis.findings import texts
from rejudge.analysis.outline import AnalysedQuestion
from rejudge.findings.model import Finding, Key
from rejudge.findings.words import How
from rejudge.judgments.table import Judgments
from rejudge.stats.reasons import Why

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SERIES = {
    "score-by-position": "score",
    "first-shown-by-position": "share of choices of the output shown first",
    "agreement-by-position": "share of others who gave the same answer",
    "seconds-by-position": "seconds on the page",
}


def order_effects(
    analysis: AnalysisPlan, asked: AnalysedQuestion, judgments: Judgments
) -> Iterator[Finding]:
    """Effects of position and order on the answers; always exploratory."""
    if asked.is_comparison:
        yield from first_position_bias(analysis, QuestionData(analysis, asked, judgments))
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
    found = stats.self_consistency(
        value[again.first],
        value[again.second],
        measured=asked.level,
        rng=analysis.rng(f"{asked.id}.self-consistency"),
        level=analysis.level,
    )
    for kind, part, how in (
        ("percent", found.percent, ("percentage of units judged the same again", OVER_UNITS)),
        (
            "alpha",
            found.alpha,
            (f"Krippendorff's alpha of both passes, for {asked.level} values", RESAMPLED),
        ),
    ):
        what, interval = how
        yield Finding(
            key=Key(asked.id, "agreement", f"self-consistency.{kind}"),
            by=f"self-consistency, {kind}",
            value=part.value,
            n=part.n,
            n_of="units",
            how=(How.AGREEMENT(coefficient=what), interval),
            interval=part.interval,
            is_planned=False,
            participants=len(np.unique(rows.participant.codes[again.first])),
            reasons=texts(part.note),
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
    what = "participants had fewer than three positions"
    people = found.participants + found.left_out
    left_out = Why.LEFT_OUT(n=found.left_out, total=people, what=what)
    is_part = found.left_out and found.slope is not None
    return Finding(
        key=Key(asked.id, "order-effect", name),
        by=name,
        value=found.slope,
        n=len(value),
        n_of="comparisons" if asked.is_implied else "judgments",
        how=(How.SLOPE(what=_SERIES[name]), How.AGAINST(null="0")),
        interval=found.interval,
        p=found.p,
        is_planned=False,
        participants=found.participants,
        reasons=(*texts(found.note), *((left_out,) if is_part else ())),
    )
