"""Simulate whole studies one by one: every answer, every exclusion, the planned analysis itself.

It takes about a thousand times as long as the fast simulation, but it is right for any plan, any
kind of question and any planned test. If the fast simulation is not accurate for a study,
its power is that of complete studies; elsewhere a sample of them can confirm it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from rejudge.analysis.partial_analysis import single_test
from rejudge.design.plan import Plan
from rejudge.english import count
from rejudge.findings.model import Finding
from rejudge.judgments.answers import tabulate
from rejudge.judgments.exclude import exclude
from rejudge.power.fast import why_not_fast
from rejudge.power.planned_power import SizePower
from rejudge.power.planned_tests import SimulatedTest
from rejudge.power.resize import resize_study
from rejudge.power.sizes import planned_shape
from rejudge.power.studies import SimulatedStudies, StudyShape
from rejudge.power.tallies import PowerTask, SizeTally, count_findings
from rejudge.simulate.parameters import Parameters
from rejudge.simulate.people import judge
from rejudge.study.analysis_plan import PlannedTest
from rejudge.study.model import Study

_EVEN = 50.0
_PAIR = 2
_SCORES = frozenset({"mean", "best-worst-score"})


def why_complete(
    study: Study, shape: StudyShape, parameters: Parameters, planned: PlannedTest
) -> str:
    """Why a planned test needs complete studies; empty if the fast simulation is accurate."""
    question = next(each for each in study.spec.questions if each.id == planned.question)
    if question.is_segmented:
        return "Each segment of a text has a score of its own."
    if study.spec.design.inputs != "together":
        return "Not every participant judges all systems on the same items."
    if study.spec.design.calibration:
        return "Everybody judges the calibration items, so the table is not balanced."
    if planned.slopes == "free" or planned.df == "kenward-roger":
        return "Free slopes and Kenward and Roger's degrees of freedom have no closed form."
    rules = study.spec.analysis.exclude if study.spec.analysis else None
    if parameters.careless > 0 and rules is not None and rules.failed_checks is not None:
        return "Participants who fail checks are excluded, so the table is not balanced."
    if shape.items == 1:
        return "There is only one item, so the table is not that of a crossed design."
    return why_not_fast(shape, parameters, question, planned.test, unit=planned.unit)


def complete_reasons(study: Study, task: PowerTask, shape: StudyShape) -> tuple[str, ...]:
    """Why studies of a size are simulated one by one; empty if they need not be."""
    found = {
        why_complete(study, shape, task.parameters[test.question], planned_test(study, test)): None
        for test in task.plan.tests
    }
    return tuple(reason for reason in found if reason)


def complete_notes(
    reasons: Sequence[str], sizes: Sequence[SizePower], *, is_whole_grid: bool
) -> list[str]:
    """Why and how often complete studies were simulated, in sentences."""
    which = "each size" if is_whole_grid else f"{count(len(sizes), 'size')}"
    how = (
        f"Therefore {sizes[0].studies:,} complete studies of {which} were simulated, with "
        "the planned exclusions and the planned analysis itself."
    )
    return [" ".join([*reasons, how])]


def complete_tally(  # noqa: PLR0917 - as below
    study: Study,
    plan: Plan,
    task: PowerTask,
    shape: StudyShape,
    studies: int,
    seed: tuple[int, ...],
) -> SizeTally:
    """Simulate some complete studies of one size and count what their planned tests came to."""
    if shape != planned_shape(study, plan):
        study, plan = resize_study(study, plan, shape)
    own = replace(task, plan=task.plan.without_stand_ins)
    tests = [planned_test(study, test) for test in own.plan.tests]
    found = _simulate(study, plan, _for_all_questions(study, own), tests, studies, seed)
    return count_findings(own, dict(zip(own.plan.tests, found, strict=True)))


def _for_all_questions(study: Study, task: PowerTask) -> Mapping[str, Parameters]:
    """Questions that are not tested are answered as well."""
    usual = next(iter(task.parameters.values()))
    return {
        question.id: task.parameters.get(question.id, usual) for question in study.spec.questions
    }


def planned_test(study: Study, test: SimulatedTest) -> PlannedTest:
    """The test as the study plans it."""
    plan = study.spec.analysis
    for each in plan.tests if plan else ():
        is_same = (each.question, each.test, each.alternative) == (
            test.question, test.planned, test.alternative,
        )  # fmt: skip
        if is_same and (not each.pairs or tuple(each.pairs) == test.pairs):
            return each.model_copy(update={"alternative": "two-sided", "pairs": ()})
    return PlannedTest(question=test.question, test=test.planned)


def simulate_complete(  # noqa: PLR0917 - what is simulated, for whom, how often
    study: Study,
    plan: Plan,
    parameters: Parameters | Mapping[str, Parameters],
    planned: PlannedTest,
    studies: int,
    seed: tuple[int, ...],
    *,
    progress: Callable[[float], None] | None = None,
) -> SimulatedStudies:
    """Fill the places of a plan again and again, and run one planned test on the answers.

    Each study has its own seed, so any part of the studies can be simulated elsewhere.
    """
    return _simulate(study, plan, parameters, [planned], studies, seed, progress=progress)[0]


def _simulate(  # noqa: PLR0917 - as above
    study: Study,
    plan: Plan,
    parameters: Parameters | Mapping[str, Parameters],
    planned: Sequence[PlannedTest],
    studies: int,
    seed: tuple[int, ...],
    *,
    progress: Callable[[float], None] | None = None,
) -> list[SimulatedStudies]:
    """Several tests of the same answers."""
    found: list[list[SimulatedStudies]] = [[] for _ in planned]
    for number in range(studies):
        rng = np.random.default_rng(np.random.SeedSequence((*seed, number)))
        answers = judge(study, plan, rng=rng, parameters=parameters)
        kept = exclude(study, plan, tabulate(study, plan, answers, origin="simulated")).kept
        for own, test in zip(found, planned, strict=True):
            own.append(_as_arrays(study, single_test(study, kept, test)))
        if progress is not None:
            progress((number + 1) / studies)
    return [SimulatedStudies.joined(own) for own in found]


def _as_arrays(study: Study, findings: Sequence[Finding]) -> SimulatedStudies:
    """One study's findings in the order of pairs and systems; what is undefined is NaN."""
    pairs = {frozenset(each.systems): each for each in findings if len(each.systems) == _PAIR}
    scores = {
        each.systems[0]: each.value
        for each in findings
        if each.measure in _SCORES and len(each.systems) == 1
    }
    rows = [
        _numbers(pairs.get(frozenset(pair)), pair) for pair in combinations(study.system_ids, _PAIR)
    ]
    value, error, df, p = (np.array([column]) for column in zip(*rows, strict=True))
    own = [[_or_nan(scores.get(system)) for system in study.system_ids]]
    return SimulatedStudies(value, error, df, p, np.array(own), engine="complete")


def _numbers(finding: Finding | None, pair: tuple[str, ...]) -> tuple[float, float, float, float]:
    """Value, error, df and p of a pair, the first system first."""
    if finding is None:
        return (math.nan,) * 4
    value = _or_nan(finding.value) - (_EVEN if finding.measure == "win-percent" else 0.0)
    turned = -value if finding.systems != pair else value
    error = _or_nan(finding.standard_error)
    df = math.inf if finding.df is None and finding.standard_error else _or_nan(finding.df)
    return turned, error, df, _or_nan(finding.p)


def _or_nan(number: float | None) -> float:
    return math.nan if number is None else float(number)
