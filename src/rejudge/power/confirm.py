"""Confirm the fast simulation: complete studies of the planned size, analysed as planned.

Simulated people fill every place of the plan, exclusions are applied, and every planned test runs
as it will on the real answers. It takes about a thousand times as long for each study.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from rejudge.executors import Chunk, Executor, SerialExecutor
from rejudge.power.complete import simulate_complete, why_complete
from rejudge.power.grid import GridRequest
from rejudge.power.paired import as_planned
from rejudge.power.planned_power import Confirmation, PlannedPower
from rejudge.power.sizes import planned_shape
from rejudge.power.summaries import comparison_powers
from rejudge.power.tallies import PowerTask, SizeTally, count_findings
from rejudge.study import PlannedTest, Study

if TYPE_CHECKING:
    from rejudge.power.planned_tests import SimulatedTest
    from rejudge.simulate import Parameters

_IN_A_CHUNK: Final = 10
_SEED: Final = 1_000_003  # so that complete studies do not share chance with fast ones


def confirm(
    request: GridRequest,
    found: PlannedPower,
    studies: int,
    *,
    executor: Executor | None = None,
    progress: Callable[[float], None] | None = None,
) -> PlannedPower:
    """The power analysis with the same numbers from complete studies of the planned size."""
    chunks = [
        Chunk(
            f"complete-{number}",
            (request.seed, _SEED, number),
            (request.study, request.plan, request.task, min(_IN_A_CHUNK, studies - start)),
        )
        for number, start in enumerate(range(0, studies, _IN_A_CHUNK))
    ]
    tallies = (executor or SerialExecutor()).run(complete_chunk, chunks, progress=progress)
    if not tallies or not found.planned.is_planned:
        return found
    whole = tallies[0]
    for each in tallies[1:]:
        whole += each
    pairs = zip(
        comparison_powers(as_planned(request.task), whole), found.planned.comparisons, strict=True
    )
    return replace(
        found,
        confirmations=tuple(
            Confirmation(
                each.question, each.test, each.systems, whole.studies, each.power, each.mc,
                fast.power,
            )
            for each, fast in pairs
        ),
    )  # fmt: skip


def complete_chunk(chunk: Chunk) -> SizeTally:
    """Simulate some complete studies and count what their planned tests came to."""
    study, plan, task, studies = chunk.arguments
    parameters = _for_all_questions(study, task)
    found = {
        test: simulate_complete(
            study, plan, parameters, planned_test(study, test), studies, chunk.seed
        )
        for test in task.plan.tests
    }
    return count_findings(task, found)


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


def unmodelled(request: GridRequest) -> tuple[str, ...]:
    """What the fast simulation leaves out of this study, in sentences."""
    study, task = request.study, request.task
    shape = planned_shape(study, request.plan)
    found = {
        why_complete(study, shape, task.parameters[test.question], planned_test(study, test)): None
        for test in task.plan.tests
        if test.is_fitted or not test.is_stand_in
    }
    notes = [f"{reason} The fast simulation ignores this." for reason in found if reason]
    if study.spec.stop is not None:
        notes.append("Planned looks are left out: the power is that of all answers at the end.")
    sample = study.spec.items.sample
    if sample is not None and sample.method in {"weighted", "stratified"}:
        notes.append("Inputs are simulated as equally likely, whatever their probabilities.")
    return tuple(notes)
