"""The scores of systems alone: what claims are judged on, without tests and intervals of pairs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rejudge.analysis.analysis_plan import DEFAULT_SEED, AnalysisPlan
from rejudge.analysis.derived_scores import add_derived
from rejudge.analysis.estimates import means, standings
from rejudge.analysis.outline import outline_of_study, with_segments
from rejudge.analysis.results import Finding
from rejudge.judgments import Judgments
from rejudge.study import Study

SCORES: Final = frozenset({"mean", "best-worst-score"})  # measures, on the scale of claims


def system_scores(
    study: Study, judgments: Judgments, questions: Sequence[str] = ()
) -> tuple[Finding, ...]:
    """The score of each system on some questions (all, if none is named), quickly."""
    outline = outline_of_study(study, questions)
    rows, derived = add_derived(judgments, outline.derived)
    outline = with_segments(outline, derived)
    analysis = AnalysisPlan(outline, study.spec.analysis, DEFAULT_SEED)
    real = rows.of_kind("real")
    found = (
        finding
        for asked in outline.questions
        for finding in (standings if asked.is_comparison else means)(
            analysis, asked, real.of_question(asked.id)
        )
    )
    return scores_in(tuple(found))


def scores_in(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Those findings that are the score of one system."""
    return tuple(f for f in findings if f.measure in SCORES and len(f.systems) == 1)
