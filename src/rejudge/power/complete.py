"""Simulate whole studies one by one: every answer, every exclusion, the planned analysis itself.

It takes about a thousand times as long as the fast simulation, but it is right for any plan, any
kind of question and any planned test. A sample of complete studies confirms the fast simulation.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from rejudge.analysis import Finding, single_test
from rejudge.design import Plan, draw
from rejudge.errors import DesignError, Problem
from rejudge.judgments import exclude, tabulate
from rejudge.power.fast import why_not_fast
from rejudge.power.studies import SimulatedStudies, StudyShape
from rejudge.simulate import Parameters, judge
from rejudge.study import Item, PlannedTest, Study

if TYPE_CHECKING:
    pass

_EVEN = 50.0
_PAIR = 2
_SCORES = frozenset({"mean", "best-worst-score"})


def why_complete(
    study: Study, shape: StudyShape, parameters: Parameters, planned: PlannedTest
) -> str:
    """Why the fast simulation does not do justice to a planned test; empty if it does."""
    question = next(each for each in study.spec.questions if each.id == planned.question)
    if study.spec.design.inputs != "together":
        return "Not every participant judges all systems on the same items."
    if study.spec.design.calibration:
        return "Everybody judges the calibration items, so the table is not balanced."
    if planned.slopes == "free" or planned.df == "kenward-roger":
        return "Free slopes and Kenward and Roger's degrees of freedom have no closed form."
    rules = study.spec.analysis.exclude if study.spec.analysis else None
    if parameters.careless > 0 and rules is not None and rules.failed_checks is not None:
        return "Participants who fail checks are excluded, so the table is not balanced."
    return why_not_fast(shape, parameters, question, planned.test, unit=planned.unit)


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
    found = []
    for number in range(studies):
        rng = np.random.default_rng(np.random.SeedSequence((*seed, number)))
        answers = judge(study, plan, rng=rng, parameters=parameters)
        kept = exclude(study, plan, tabulate(study, plan, answers, origin="simulated")).kept
        found.append(_as_arrays(study, single_test(study, kept, planned)))
        if progress is not None:
            progress((number + 1) / studies)
    return SimulatedStudies.joined(found)


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


def resize_study(study: Study, shape: StudyShape) -> tuple[Study, Plan]:
    """The study with another number of items and participants, and its plan.

    Items are the first of the file; where there are too few, some are used again as if they were
    others. Each block of the shape is one batch.
    """
    if len(study.system_ids) != shape.systems:
        raise DesignError(
            Problem(f"the study has {len(study.system_ids)} systems, not {shape.systems}.")
        )
    design = study.spec.design
    size = design.batch.model_copy(update={"inputs": max(shape.block_sizes), "tasks": None})
    smaller = design.model_copy(
        update={
            "batch": size,
            "participants_per_batch": shape.participants_per_item,
            "batches_per_participant": 1,
        }
    )
    items = study.spec.items.model_copy(update={"sample": None})
    spec = study.spec.model_copy(update={"design": smaller, "items": items})
    resized = replace(study, spec=spec, items=_repeat_items(study.items, shape.items))
    return resized, draw(resized)


def _repeat_items(items: Sequence[Item], count: int) -> tuple[Item, ...]:
    """So many items, each an input of its own."""
    return tuple(
        replace(items[place % len(items)], id=f"i{place + 1}", group=f"i{place + 1}")
        for place in range(count)
    )
