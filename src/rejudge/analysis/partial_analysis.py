"""Parts of an analysis computed alone: one test, the scores, and a check of stored findings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from rejudge.analysis import estimates
from rejudge.analysis.analysis_plan import DEFAULT_SEED, AnalysisPlan, Further
from rejudge.analysis.data import split
from rejudge.analysis.derived_scores import add_derived
from rejudge.analysis.estimates import cluster_robust
from rejudge.analysis.item_selection import selection_of
from rejudge.analysis.outline import outline_of_study, with_segments
from rejudge.analysis.results import Results
from rejudge.analysis.tests import test_findings
from rejudge.design.plan import Plan
from rejudge.findings.model import Finding
from rejudge.judgments.table import Judgments
from rejudge.study.analysis_plan import Analysis, PlannedTest
from rejudge.study.model import Study
from rejudge.version import __version__

SCORES: Final = frozenset({"mean", "best-worst-score"})  # measures, on the scale of claims
_TOLERANCE: Final = 1e-9  # relative: other machines add up in another order


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
    (data,) = split(analysis, rows)
    if planned.test == "cluster-robust":
        compared = cluster_robust(analysis, data, planned)
    else:
        compared = test_findings(analysis, data)
    return (*estimates.system_scores(analysis, data), *compared)


def system_scores(
    study: Study, judgments: Judgments, questions: Sequence[str] = ()
) -> tuple[Finding, ...]:
    """The score of each system on some questions (all, if none is named), quickly."""
    outline = outline_of_study(study, questions)
    rows, derived = add_derived(judgments, outline.derived)
    outline = with_segments(outline, derived)
    analysis = AnalysisPlan(outline, study.spec.analysis, DEFAULT_SEED)
    found = (
        finding
        for data in split(analysis, rows)
        if not data.question.is_named
        for finding in estimates.system_scores(analysis, data)
    )
    return scores_in(tuple(found))


def scores_in(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Those findings that are the score of one system."""
    return tuple(f for f in findings if f.measure in SCORES and len(f.systems) == 1)


def altered_findings(
    results: Results, study: Study, kept: Judgments, *, plan: Plan | None = None
) -> tuple[str, ...]:
    """Ids of scores and differences that cannot be recomputed from the judgments that counted.

    It takes little time, so it is done whenever results are read with their judgments. Everything
    else is computed again by `rejudge verify`. Another version may give other intervals, and other
    differences where systems were judged on different items.
    """
    outline = replace(
        outline_of_study(study, results.questions), selection=selection_of(study, plan)
    )
    analysis = AnalysisPlan(
        outline, study.spec.analysis, results.signature.seed, results.coding, Further()
    )
    rows = add_derived(kept, outline.derived)[0]
    looks = None if results.stopping is None else results.stopping.correction
    again = {
        finding.id: finding if looks is None else looks.widen(finding)
        for data in split(analysis, rows)
        for finding in estimates.estimates(analysis, data)
    }
    is_same_version = results.signature.version == __version__
    return tuple(
        stored.id
        for stored in results.select()
        if stored.id in again
        and (is_same_version or len(stored.systems) == 1)
        and not _is_same(stored, again[stored.id], is_same_version)
    )


def _is_same(stored: Finding, again: Finding, is_same_version: bool) -> bool:  # noqa: FBT001
    numbers = [(stored.value, again.value), (stored.n, again.n)]
    if is_same_version and stored.interval and again.interval:
        numbers += [
            (stored.interval.low, again.interval.low),
            (stored.interval.high, again.interval.high),
        ]
    return all(_is_close(*pair) for pair in numbers)


def _is_close(one: float | None, two: float | None) -> bool:
    if one is None or two is None:
        return one is two
    return math.isclose(one, two, rel_tol=_TOLERANCE, abs_tol=_TOLERANCE)
