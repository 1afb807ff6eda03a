"""Every test that can be planned, by name; what cannot be computed is listed with the reason."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from rejudge import stats
from rejudge.analysis.analysis_plan import AnalysisPlan, FurtherTest, Piece
from rejudge.analysis.choice_models import (
    bradley_terry_findings,
    choice_models,
    plackett_luce_findings,
)
from rejudge.analysis.classical_tests import cells, pair_tests, variance_tests
from rejudge.analysis.clear_differences import clear_differences, test_of_clear_differences
from rejudge.analysis.columns import are_choices, has_participants, levels, scores
from rejudge.analysis.decide import unit_of_few
from rejudge.analysis.estimates import sign_flips
from rejudge.analysis.findings import (
    on_planned_pairs,
    population_of_unit,
    texts,
    undefined_finding,
)
from rejudge.analysis.outline import AnalysedQuestion
from rejudge.analysis.score_models import score_model_findings
from rejudge.findings.model import EffectSize, Finding, Key, Statistic
from rejudge.findings.planned_keys import method_of
from rejudge.findings.words import How
from rejudge.judgments.table import Judgments
from rejudge.stats.reasons import Reason, Why
from rejudge.study.analysis_plan import PlannedTest, Unit
from rejudge.study.methods import Test

if TYPE_CHECKING:
    from numpy.typing import NDArray

Tester: TypeAlias = Callable[
    [AnalysisPlan, AnalysedQuestion, Judgments, PlannedTest], Iterator[Finding]
]
_NAMES = {
    "friedman": "Friedman's test",
    "repeated-measures": "repeated measures, corrected after Greenhouse & Geisser",
    "hotelling": "Hotelling's test",
}


def test_findings(
    analysis: AnalysisPlan, asked: AnalysedQuestion, judgments: Judgments
) -> Iterator[Finding]:
    """The tests of a question. (The cluster-robust one comes with the estimates.)"""
    for planned in _tests_of(analysis, asked, judgments):
        yield from _findings_of_test(analysis, asked, judgments, planned)


def test_pieces(
    analysis: AnalysisPlan, asked: AnalysedQuestion, judgments: Judgments
) -> list[Piece]:
    """What `test_findings` computes, in pieces: one for each test."""
    return [
        Piece(_findings_of_test, (asked, judgments, each))
        for each in _tests_of(analysis, asked, judgments)
    ]


def _tests_of(
    analysis: AnalysisPlan, asked: AnalysedQuestion, judgments: Judgments
) -> list[PlannedTest]:
    listed = (
        *analysis.tests(asked),
        *_test_of_few(analysis, asked, judgments),
        *test_of_clear_differences(analysis, asked, judgments),
    )
    return [each for each in listed if each.test != "cluster-robust"]


def _findings_of_test(
    analysis: AnalysisPlan, asked: AnalysedQuestion, judgments: Judgments, planned: PlannedTest
) -> tuple[Finding, ...]:
    if asked.is_named:
        return (undefined_finding(analysis, asked, planned.test, Why.NO_ORDER()),)
    compute = partial(_findings_of, asked=asked, judgments=judgments, planned=planned)
    return tuple(on_planned_pairs(analysis, asked, planned, compute))


def _findings_of(
    analysis: AnalysisPlan, *, asked: AnalysedQuestion, judgments: Judgments, planned: PlannedTest
) -> Iterator[Finding]:
    return TEST_FUNCTIONS[planned.test](analysis, asked, judgments, planned)


def _test_of_few(
    analysis: AnalysisPlan, asked: AnalysedQuestion, judgments: Judgments
) -> Iterator[PlannedTest]:
    """The test that decides where participants or items are few and nothing was planned."""
    if asked.is_comparison or asked.is_named or analysis.is_planned(asked):
        return
    if not has_participants(judgments):
        return
    if analysis.outline.by_items_alone or not len(judgments):
        return
    table = scores(analysis.outline, judgments)
    unit = unit_of_few(levels(table.item), levels(table.participant))
    if unit and FurtherTest("paired-t", unit) not in analysis.further.tests:
        yield analysis.exploratory_test(asked, FurtherTest("paired-t", unit))


def _flips(
    analysis: AnalysisPlan, asked: AnalysedQuestion, judgments: Judgments, planned: PlannedTest
) -> Iterator[Finding]:
    if not asked.is_comparison and planned.unit and not analysis.is_planned(asked):
        yield from clear_differences(analysis, asked, judgments, planned)
    elif not asked.is_comparison:
        reason = Why.WRONG_KIND(
            what="the test", needs="choices, whose signs it flips", has="a score (use wilcoxon)"
        )
        yield undefined_finding(analysis, asked, planned.test, reason)
    elif not are_choices(judgments):
        yield undefined_finding(analysis, asked, planned.test, Why.SHARES())
    else:
        yield from sign_flips(analysis, asked, judgments)


def _mixed_model(
    analysis: AnalysisPlan, asked: AnalysedQuestion, judgments: Judgments, planned: PlannedTest
) -> Iterator[Finding]:
    if not asked.is_comparison:
        yield from score_model_findings(analysis, asked, judgments, planned)
        return
    ignored = {
        "Kenward and Roger's adjustment": analysis.df_of(asked, planned) == "kenward-roger",
        "free slopes": analysis.slopes_of(asked, planned) == "free",
    }
    unused = tuple(Why.ONLY_OF_SCORES(what=what) for what, is_asked in ignored.items() if is_asked)
    for finding in choice_models(analysis, asked, judgments, planned):
        yield replace(finding, reasons=(*finding.reasons, *unused))


def block_tests(
    analysis: AnalysisPlan, asked: AnalysedQuestion, judgments: Judgments, planned: PlannedTest
) -> Iterator[Finding]:
    """Friedman's test, repeated measures or Hotelling's, on one score per item and system."""
    unit: Unit = "batch" if planned.unit == "batch" else "item"
    table = cells(analysis.outline, asked, judgments, unit)
    used, place = np.unique(table.system, return_inverse=True)
    blocks = len(np.unique(table.unit))
    scores = type(table)(table.value, place, table.unit).matrix(len(used))
    p, statistic, effect, reasons = _block_test(planned.test, scores)
    lost = blocks - len(scores)
    left_out = Why.LEFT_OUT(n=lost, total=blocks, what=f"{_plural(unit)} lack a system")
    yield Finding(
        key=Key(asked.id, "test", method_of(planned)),
        by=planned.test,
        value=statistic.value if statistic else None,
        n=len(scores),
        n_of="batches" if unit == "batch" else "items",
        how=(
            How.TEST_OF_ALL(test=_NAMES[planned.test], n=len(used)),
            How.UNITS(what=f"one mean score per {unit} and system"),
        ),
        p=p,
        is_planned=analysis.is_planned(asked, planned.test),
        statistic=statistic,
        effect=effect,
        population=population_of_unit(unit),
        reasons=(*reasons, *((left_out,) if lost else ())),
    )


def _block_test(
    test: str, scores: NDArray[np.float64]
) -> tuple[float | None, Statistic | None, EffectSize | None, tuple[Reason, ...]]:
    """p, the statistic, an effect where the test has one, and its note."""
    if test == "friedman":
        ranked = stats.friedman(scores)
        statistic = _statistic_of("chi²", ranked.chi_squared, ranked.df)
        agreed = None if ranked.concordance is None else EffectSize("W", ranked.concordance)
        return ranked.p, statistic, agreed, texts(ranked.note)
    if test == "repeated-measures":
        repeated = stats.repeated_measures(scores)
        epsilon = repeated.epsilon or 1.0
        statistic = _statistic_of(
            "F", repeated.f, epsilon * repeated.df, epsilon * repeated.df_error
        )
        return repeated.p_corrected, statistic, _partial_eta(repeated), texts(repeated.note)
    joint = stats.hotelling(scores)
    return joint.p, _statistic_of("F", joint.f, joint.df, joint.df_error), None, texts(joint.note)


def _partial_eta(found: stats.RepeatedMeasures) -> EffectSize | None:
    """Partial eta²; its interval is known for independent groups only."""
    if found.f is None:
        return None
    size = stats.partial_eta_squared(found.f, (found.df, found.df_error))
    return None if size.value is None else EffectSize(size.measure, size.value)


def _statistic_of(name: str, value: float | None, *df: float) -> Statistic | None:
    return None if value is None else Statistic(name, value, tuple(float(each) for each in df))


def _plural(unit: str) -> str:
    return "batches" if unit == "batch" else "items"


TEST_FUNCTIONS: dict[Test, Tester] = {
    "sign-flip": _flips,
    "bradley-terry": bradley_terry_findings,
    "plackett-luce": plackett_luce_findings,
    "friedman": block_tests,
    "hotelling": block_tests,
    "repeated-measures": block_tests,
    "mixed-model": _mixed_model,
    "joint-mixed-model": choice_models,
    "ordinal-mixed-model": score_model_findings,
    "binary-mixed-model": score_model_findings,
    "one-way-anova": variance_tests,
    "t-test": pair_tests,
    "welch": pair_tests,
    "paired-t": pair_tests,
    "wilcoxon": pair_tests,
    "mann-whitney": pair_tests,
}
