"""How a running study is going: agreement, first-position bias, and how participants work.

Looking at which system leads while a study is running invites stopping when the result looks good.
So nothing here compares systems: planned tests are removed before anything is computed, and the
estimates, contrasts and tests of the analysis are never called.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rejudge.analysis.agreement import overall_agreement
from rejudge.analysis.analysis_plan import DEFAULT_SEED, AnalysisPlan
from rejudge.analysis.behaviour import self_consistencies
from rejudge.analysis.columns import answers_by_unit, duplicates, has_participants, refuse_strangers
from rejudge.analysis.data import QuestionData
from rejudge.analysis.derived_scores import add_derived
from rejudge.analysis.details import Flag
from rejudge.analysis.estimates import first_position_bias
from rejudge.analysis.outline import outline_of_study, with_segments
from rejudge.analysis.participants import participant_frames
from rejudge.design.duration import ReadingFloor
from rejudge.design.plan import Plan
from rejudge.errors import DataError
from rejudge.findings.frame import Frame
from rejudge.findings.model import Finding
from rejudge.judgments.exclusions import Cleaned, exclude, find_fast_batches
from rejudge.judgments.table import Judgments
from rejudge.study.model import Study


@dataclass(frozen=True, slots=True)
class Monitoring:
    """What is known about the judgments collected so far, with all systems taken together."""

    cleaned: Cleaned
    findings: tuple[Finding, ...]  # agreement, self-consistency and first-position bias
    flags: dict[str, dict[str, tuple[Flag, ...]]]  # by question, then participant
    hasty: frozenset[str]  # who finished a batch faster than its texts can be read
    level: float  # of the intervals


def monitor(study: Study, plan: Plan, judgments: Judgments) -> Monitoring:
    """Summarise the judgments that count under the study's own exclusion rules."""
    cleaned = exclude(study, plan, judgments)
    analysis, kept = _prepare(study, cleaned.kept)
    floor = ReadingFloor(study, plan)
    return Monitoring(
        cleaned=cleaned,
        findings=tuple(_findings(analysis, kept)),
        flags=_flags(
            analysis, kept, frozenset(each.participant for each in find_fast_batches(kept, floor))
        ),
        hasty=frozenset(each.participant for each in find_fast_batches(judgments, floor)),
        level=analysis.level,
    )


def monitored_findings(study: Study, kept: Judgments) -> tuple[Finding, ...]:
    """Agreement and first-position bias of judgments from which exclusions are already removed."""
    return tuple(_findings(*_prepare(study, kept)))


def _prepare(study: Study, kept: Judgments) -> tuple[AnalysisPlan, Judgments]:
    """The judgments with derived scores, and an analysis plan from which tests are removed."""
    real = kept.of_kind("real")
    refuse_strangers(study, real)
    outline = outline_of_study(study)
    rows, derived = add_derived(kept, outline.derived)
    problem = duplicates(rows.of_kind("real"))
    if problem is not None:
        raise DataError(problem)
    planned = study.spec.analysis
    if planned is not None:
        planned = planned.model_copy(update={"tests": (), "cases": ()})
    return AnalysisPlan(with_segments(outline, derived), planned, DEFAULT_SEED), rows


def _findings(analysis: AnalysisPlan, judgments: Judgments) -> Iterator[Finding]:
    for asked in analysis.outline.questions:
        rows = judgments.of_question(asked.id)
        real = rows.of_kind("real")
        data = QuestionData(analysis, asked, rows)
        yield from overall_agreement(analysis, data)
        if has_participants(real):
            yield from self_consistencies(analysis, asked, rows)
        if asked.is_comparison:
            yield from first_position_bias(analysis, data)


def _flags(
    analysis: AnalysisPlan, judgments: Judgments, hasty: frozenset[str]
) -> dict[str, dict[str, tuple[Flag, ...]]]:
    found: dict[str, dict[str, tuple[Flag, ...]]] = {}
    for asked in analysis.outline.questions:
        rows = judgments.of_question(asked.id)
        frames = participant_frames(
            analysis, asked, rows, answers_by_unit(rows.of_kind("real")), hasty=hasty
        )
        people = next(frames, Frame("people")).rows
        found[asked.id] = {row["participant"]: row["flags"] for row in people}
    return found
