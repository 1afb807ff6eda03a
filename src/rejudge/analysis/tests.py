"""Every test that can be planned, by name; what cannot be computed is listed with the reason."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from rejudge import stats
from rejudge.analysis.analysis_plan import AnalysisPlan, FurtherTest
from rejudge.analysis.choice_models import (
    bradley_terry_findings,
    choice_models,
    plackett_luce_findings,
)
from rejudge.analysis.classical_tests import cells, pair_tests, variance_tests
from rejudge.analysis.clear_differences import (
    clear_differences,
    has_sweep,
    test_of_clear_differences,
)
from rejudge.analysis.data import QuestionData
from rejudge.analysis.decide import unit_of_few
from rejudge.analysis.estimates import sign_flips
from rejudge.analysis.findings import (
    population_of_unit,
    undefined_pair,
    undefined_test,
)
from rejudge.analysis.score_models import score_model_findings
from rejudge.findings.model import EffectSize, Finding, Statistic
from rejudge.findings.planned_keys import method_of
from rejudge.findings.words import How
from rejudge.stats.reasons import Reason, Why
from rejudge.study.analysis_plan import PlannedTest, Unit
from rejudge.study.methods import Test

if TYPE_CHECKING:
    from numpy.typing import NDArray

Tester: TypeAlias = Callable[[AnalysisPlan, QuestionData, PlannedTest], Iterator[Finding]]
_NAMES = {
    "friedman": "Friedman's test",
    "repeated-measures": "repeated measures, corrected after Greenhouse & Geisser",
    "hotelling": "Hotelling's test",
}


def test_findings(analysis: AnalysisPlan, data: QuestionData) -> Iterator[Finding]:
    """The tests of a question. (The cluster-robust one comes with the estimates.)"""
    for planned in tests_of(analysis, data):
        yield from findings_of_test(analysis, data, planned)


def tests_of(analysis: AnalysisPlan, data: QuestionData) -> list[PlannedTest]:
    """The planned tests or the default ones, and those that decide where the data are few."""
    listed = (
        *analysis.tests(data.question, by_group=bool(data.group)),
        *_test_of_few(analysis, data),
        *test_of_clear_differences(analysis, data),
    )
    return [
        each for each in listed if each.test != "cluster-robust" and each.test not in data.left_out
    ]


def findings_of_test(
    analysis: AnalysisPlan, data: QuestionData, planned: PlannedTest
) -> tuple[Finding, ...]:
    """What one test finds, on all pairs of systems or on those that it is limited to."""
    if data.question.is_named:
        return (undefined_test(analysis, data, planned.test, Why.NO_ORDER()),)
    found = tuple(TEST_FUNCTIONS[planned.test](analysis, data, planned))
    if not all(each.systems for each in found):
        return found
    known = {each.systems for each in found}
    missing = [pair for pair in planned.pairs if pair not in known]
    return (*found, *(undefined_pair(analysis, data, planned, pair) for pair in missing))


def _test_of_few(analysis: AnalysisPlan, data: QuestionData) -> Iterator[PlannedTest]:
    """The test that decides where participants or items are few and nothing was planned."""
    question = data.question
    if question.is_named or analysis.is_planned(question):
        return
    if not len(data.rows):
        return
    items, people = data.sizes
    unit = None if people is None else unit_of_few(items, people)
    if question.is_comparison:
        flips = FurtherTest("sign-flip")  # by item
        is_asked = any(each.test == flips.test for each in analysis.further.tests)
        if (unit == "item" or has_sweep(data)) and not is_asked:
            yield analysis.exploratory_test(question, flips)
    elif data.outline.by_items_alone or not data.has_participants:
        return
    elif unit and FurtherTest("paired-t", unit) not in analysis.further.tests:
        yield analysis.exploratory_test(question, FurtherTest("paired-t", unit))


def _flips(analysis: AnalysisPlan, data: QuestionData, planned: PlannedTest) -> Iterator[Finding]:
    if not data.question.is_comparison and planned.unit and not analysis.is_planned(data.question):
        yield from clear_differences(data, planned)
    elif not data.question.is_comparison:
        reason = Why.WRONG_KIND(
            what="the test", needs="choices, whose signs it flips", has="a score (use wilcoxon)"
        )
        yield undefined_test(analysis, data, planned.test, reason)
    elif not data.are_choices:
        yield undefined_test(analysis, data, planned.test, Why.SHARES())
    else:
        yield from sign_flips(analysis, data, planned)


def _mixed_model(
    analysis: AnalysisPlan, data: QuestionData, planned: PlannedTest
) -> Iterator[Finding]:
    if not data.question.is_comparison:
        yield from score_model_findings(analysis, data, planned)
        return
    ignored = {
        "Kenward and Roger's adjustment": analysis.df_of(data.question, planned) == "kenward-roger",
        "free slopes": analysis.slopes_of(data.question, planned) == "free",
    }
    unused = tuple(Why.ONLY_OF_SCORES(what=what) for what, is_asked in ignored.items() if is_asked)
    for finding in choice_models(analysis, data, planned):
        yield replace(finding, reasons=(*finding.reasons, *unused))


def block_tests(
    analysis: AnalysisPlan, data: QuestionData, planned: PlannedTest
) -> Iterator[Finding]:
    """Friedman's test, repeated measures or Hotelling's, on one score per item and system."""
    unit: Unit = "batch" if planned.unit == "batch" else "item"
    table = cells(data, unit)
    used, place = np.unique(table.system, return_inverse=True)
    blocks = len(np.unique(table.unit))
    scores = type(table)(table.value, place, table.unit).matrix(len(used))
    p, statistic, effect, reasons = _block_test(planned.test, scores)
    lost = blocks - len(scores)
    left_out = Why.LEFT_OUT(n=lost, total=blocks, what=f"{_plural(unit)} lack a system")
    yield Finding(
        key=data.key("test", method_of(planned)),
        by=planned.test,
        value=statistic.value if statistic else None,
        n=len(scores),
        n_of="batches" if unit == "batch" else "items",
        how=(
            How.TEST_OF_ALL(test=_NAMES[planned.test], n=len(used)),
            How.UNITS(what=f"one mean score per {unit} and system"),
        ),
        p=p,
        is_planned=analysis.is_planned(data.question, planned.test),
        statistic=statistic,
        effect=effect,
        population=population_of_unit(unit),
        reasons=(*reasons, *((left_out,) if lost else ())),
    )


def _block_test(
    test: str, scores: NDArray[np.float64]
) -> tuple[float | None, Statistic | None, EffectSize | None, tuple[Reason, ...]]:
    """p, the statistic, an effect where the test has one, and its note."""
    found: stats.Test = _BLOCK_TESTS[test](scores)
    statistic = None
    if found.statistic is not None:
        statistic = Statistic(found.name, found.statistic, found.df)
    size = found.effects[0] if found.effects else None
    effect = None if size is None or size.value is None else EffectSize(size.measure, size.value)
    return found.p, statistic, effect, found.reasons


_BLOCK_TESTS: dict[str, Callable[[NDArray[np.float64]], stats.Test]] = {
    "friedman": stats.friedman,
    "repeated-measures": stats.repeated_measures,
    "hotelling": stats.hotelling,
}


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
