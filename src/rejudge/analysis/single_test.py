"""One planned test and nothing else: what is needed where thousands of tables are analysed."""

from __future__ import annotations

from collections.abc import Iterator

from rejudge.analysis.analysis_plan import DEFAULT_SEED, AnalysisPlan
from rejudge.analysis.derived_scores import add_derived
from rejudge.analysis.estimates import differences, means, rates, standings
from rejudge.analysis.findings import on_planned_pairs
from rejudge.analysis.outline import AnalysedQuestion, outline_of_study, with_segments
from rejudge.analysis.results import Finding
from rejudge.analysis.tests import test_findings
from rejudge.judgments import Judgments
from rejudge.study import Analysis, PlannedTest, Study


def single_test(study: Study, kept: Judgments, planned: PlannedTest) -> tuple[Finding, ...]:
    """The score of each system, and one test of each pair, as `analyse` computes them.

    `kept` are judgments from which exclusions are already removed. The test is taken as planned
    even if the study plans another. p values are those of each pair alone.
    """
    outline = outline_of_study(study, [planned.question])
    rows, derived = add_derived(kept, outline.derived)
    only = (study.spec.analysis or Analysis(tests=(planned,))).model_copy(
        update={"tests": (planned,)}
    )
    analysis = AnalysisPlan(with_segments(outline, derived), only, DEFAULT_SEED)
    asked = next(each for each in analysis.outline.questions if each.id == planned.question)
    return tuple(_findings(analysis, asked, rows.of_question(asked.id).of_kind("real")))


def _findings(
    analysis: AnalysisPlan, asked: AnalysedQuestion, judgments: Judgments
) -> Iterator[Finding]:
    (planned,) = analysis.tests(asked)
    yield from (standings if asked.is_comparison else means)(analysis, asked, judgments)
    if planned.test != "cluster-robust":
        yield from test_findings(analysis, asked, judgments)
        return
    pairs = rates if asked.is_comparison else differences
    yield from on_planned_pairs(
        analysis, asked, planned, lambda ordered: pairs(ordered, asked, judgments)
    )
