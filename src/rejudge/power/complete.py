"""Simulate whole studies one by one: every answer, every exclusion, the planned analysis itself.

It takes about a thousand times as long as the closed form, but it is right for any plan, any kind
of question and any planned test. Where tables are not balanced or the planned test has no closed
form, the power is that of complete studies; elsewhere a sample of them can confirm it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Final

import numpy as np

from rejudge import parallel
from rejudge.analysis.partial_analysis import SCORES, single_test
from rejudge.design.plan import Plan
from rejudge.findings.model import Finding
from rejudge.judgments.answers import tabulate
from rejudge.judgments.exclusions import exclude
from rejudge.power.balanced import why_not_balanced
from rejudge.power.plan import PowerTask
from rejudge.power.results import PlannedPower
from rejudge.power.sizes import StudyShape, planned_shape, resize_study
from rejudge.power.tally import SimulatedStudies, SizeTally, comparison_powers, count_findings
from rejudge.simulate.parameters import Parameters
from rejudge.simulate.people import judge
from rejudge.study.analysis_plan import PlannedTest
from rejudge.study.model import Study

if TYPE_CHECKING:
    from rejudge.power.grid import GridRequest

_COMPLETE: Final = "The power of the planned size is from complete studies: --confirm adds nothing."
_PER_PART: Final = 10
_SEED: Final = 1_000_003  # so that complete studies do not share chance with others
_EVEN: Final = 50.0
_PAIR: Final = 2


def why_complete(
    study: Study, shape: StudyShape, parameters: Parameters, planned: PlannedTest
) -> str:
    """Why a planned test needs complete studies; empty if it has a closed form."""
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
    return why_not_balanced(shape, parameters, question, planned.test, unit=planned.unit)


def complete_reasons(study: Study, task: PowerTask, shape: StudyShape) -> tuple[str, ...]:
    """Why studies of a size are simulated one by one; empty if they need not be."""
    reasons = (
        why_complete(study, shape, task.parameters[test.question], test.planned)
        for test in task.plan.tests
    )
    return tuple(dict.fromkeys(reason for reason in reasons if reason))


def complete_tally(
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
    usual = next(iter(task.parameters.values()))  # questions that are not tested are answered too
    truth = {each.id: task.parameters.get(each.id, usual) for each in study.spec.questions}
    tests = [test.of_all_pairs for test in task.plan.tests]
    return count_findings(task, _simulate(study, plan, truth, tests, studies, seed))


def simulate_complete(
    study: Study,
    plan: Plan,
    parameters: Parameters | Mapping[str, Parameters],
    planned: PlannedTest,
    studies: int,
    seed: tuple[int, ...],
) -> SimulatedStudies:
    """Fill the places of a plan again and again, and run one planned test on the answers.

    Each study has its own seed, so any part of the studies can be simulated elsewhere.
    """
    return _simulate(study, plan, parameters, [planned], studies, seed)[0]


def _simulate(
    study: Study,
    plan: Plan,
    parameters: Parameters | Mapping[str, Parameters],
    planned: Sequence[PlannedTest],
    studies: int,
    seed: tuple[int, ...],
) -> list[SimulatedStudies]:
    """Several tests of the same answers."""
    results: list[list[SimulatedStudies]] = [[] for _ in planned]
    for number in range(studies):
        rng = np.random.default_rng(np.random.SeedSequence((*seed, number)))
        answers = judge(study, plan, rng=rng, parameters=parameters)
        kept = exclude(study, plan, tabulate(study, plan, answers, origin="simulated")).kept
        for own, test in zip(results, planned, strict=True):
            own.append(_as_arrays(study, single_test(study, kept, test)))
    return [SimulatedStudies.joined(own) for own in results]


def _as_arrays(study: Study, findings: Sequence[Finding]) -> SimulatedStudies:
    """One study's findings in the order of pairs and systems; what is undefined is NaN."""
    pairs = {frozenset(each.systems): each for each in findings if len(each.systems) == _PAIR}
    scores = {
        each.systems[0]: each.value
        for each in findings
        if each.measure in SCORES and len(each.systems) == 1
    }
    rows = [
        _numbers(pairs.get(frozenset(pair)), pair) for pair in combinations(study.system_ids, _PAIR)
    ]
    value, error, df, p = (np.array([column]) for column in zip(*rows, strict=True))
    own = [[_or_nan(scores.get(system)) for system in study.system_ids]]
    return SimulatedStudies(value, error, df, p, np.array(own))


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


def confirm(
    request: GridRequest,
    power: PlannedPower,
    studies: int,
    *,
    executor: Executor | None = None,
    progress: Callable[[float], None] | None = None,
) -> PlannedPower:
    """The power analysis with the same numbers from complete studies of the planned size.

    Where studies of the planned size are complete already, a note says so.
    """
    if power.engine == "complete":
        return replace(power, notes=(*power.notes, _COMPLETE))
    shape = planned_shape(request.study, request.plan)
    sizes = [min(_PER_PART, studies - start) for start in range(0, studies, _PER_PART)]
    parts = [
        (request.study, request.plan, request.task, shape, size, (request.seed, _SEED, number))
        for number, size in enumerate(sizes)
    ]
    whole: SizeTally | None = None
    for done, tally in enumerate(parallel.run(complete_tally, parts, executor), start=1):
        whole = tally if whole is None else whole + tally
        if progress is not None:
            progress(done / len(parts))
    if whole is None or not power.planned.is_planned:
        return power
    confirmed = comparison_powers(request.task, whole)
    return replace(power, confirmed=confirmed, confirmed_studies=whole.studies)
