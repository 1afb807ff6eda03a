"""A small study of three systems, made in code, for tests of what comes after the plan."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from rejudge.analysis.analyse import analyse
from rejudge.analysis.results import Results
from rejudge.design.draw import draw
from rejudge.design.plan import REFERENCE, Batch, Expected, Plan, Task, reference_of
from rejudge.judgments.answers import tabulate
from rejudge.judgments.exclusions import Cleaned, exclude
from rejudge.judgments.table import Judgment, Judgments
from rejudge.simulate.people import judge
from rejudge.study.model import Item, Spec, Study

SYSTEMS = ("ash", "beech", "cedar")

PAIRWISE = {"id": "meaning", "kind": "pairwise", "prompt": "Which keeps the meaning?", "tie": True}
RATING = {"id": "fluency", "kind": "rating", "prompt": "How fluent is it?", "points": 5}
SLIDER = {"id": "ease", "kind": "slider", "prompt": "How easy is it?", "low": "No", "high": "Yes"}
BEST_WORST = {"id": "best", "kind": "best-worst", "prompt": "Best and worst?", "of": 3}
RANKING = {"id": "rank", "kind": "ranking", "prompt": "Put them in order."}
SEGMENTS = {"id": "facts", "kind": "segments", "prompt": "Is it so?", "points": 3, "lowest": 0}
EVERY_KIND = (PAIRWISE, RATING, SLIDER, BEST_WORST, RANKING, SEGMENTS)


def small_study(
    *questions: dict[str, Any], inputs: int = 12, **parts: Any
) -> Study:  # of study.yaml
    """This many inputs in two datasets; four more are kept for checks."""
    asked = list(questions) or [PAIRWISE]
    spec = Spec.model_validate(
        {
            "id": "small",
            "title": "A small study",
            "systems": [
                {"id": "ash", "name": "Ash <tree>"},
                {"id": "beech", "name": "Beech"},
                {"id": "cedar", "name": "Cedar"},
            ],
            "items": {"sample": {"inputs": inputs}},
            "questions": asked,
            "design": {"seed": 5, "batch": {"inputs": 3}, **parts.pop("design", {})},
            "analysis": {
                "tests": [{"question": q["id"], "test": "cluster-robust"} for q in asked],
                **parts.pop("analysis", {}),
            },
            **parts,
        }
    )
    items = tuple(
        Item(
            id=f"i{number}",
            group=f"i{number}",
            dataset=("woods", "hills")[number % 2],
            input=f"The path number {number} goes up the hill. It is long.",
            reference=f"Path {number} climbs a hill.",
            outputs=tuple(f"By {name}: path {number} climbs. It is long." for name in SYSTEMS),
            language="en",
            line=number + 2,
        )
        for number in range(inputs + 4)
    )
    return Study(spec=spec, items=items, pages={})


def checked_study(*questions: dict[str, Any], **parts: Any) -> Study:  # parts of study.yaml
    """The same with one gold check per batch, one failure of which excludes."""
    first = (questions or (PAIRWISE,))[0]["id"]
    analysis = {"exclude": {"failed_checks": 1}, **parts.pop("analysis", {})}
    check = {"kind": "gold", "id": "gold", "question": first}
    return small_study(*questions, checks=[check], analysis=analysis, **parts)


def drawn(study: Study) -> Plan:
    """Its plan."""
    return draw(study)


def hand_plan(study: Study, *tasks: Task, participants: int = 2) -> Plan:
    """One batch of the given tasks."""
    return Plan(
        study=study.design_fingerprint,
        seed=5,
        order="listed",
        batches_per_participant=1,
        batches=(Batch("b1", tasks, participants),),
        texts={},
        segments={"i0/ash": (20, 33), "i1/ash": (33,)},
        conflicts={},
    )


def gold_task(name: str = "c1", best: str = "a") -> Task:
    """A check on meaning: the item's own reference must win."""
    options = (REFERENCE, reference_of("i9"))
    return Task(
        name,
        "i8",
        options if best == "a" else options[::-1],
        "check",
        "gold",
        Expected("meaning", best=best),
    )


def analysed(study, *, seed=1, parameters=None):
    """The results of a study that simulated people judged."""
    plan = drawn(study)
    rng = np.random.default_rng(seed)
    answers = judge(study, plan, rng=rng, parameters=parameters)
    cleaned = exclude(study, plan, tabulate(study, plan, answers, origin="simulated"))
    return analyse(cleaned, study=study, plan=plan, seed=seed)


def by_id(results):
    """Findings by their ids."""
    return {finding.id: finding for finding in results.findings}


def of_rows(study: Study, rows: Iterable[Judgment]) -> Results:
    """The analysis of rows written by hand, nothing left out."""
    table = Judgments.from_rows(rows, systems=study.system_ids)
    nothing = table.take(np.zeros(len(table), dtype=bool))
    plan = hand_plan(study, Task("t1", "i0", ("ash", "beech")))
    return analyse(Cleaned(table, table, nothing, (), ()), study=study, plan=plan)


def chosen(
    participant: str,
    item: str,
    value: Any,
    pair: tuple[str, str] = ("ash", "beech"),
    **columns: Any,
) -> Judgment:
    """A choice between two systems by their meaning."""
    first, second = pair
    return Judgment(participant, item, "meaning", value, system_a=first, system_b=second, **columns)


def scored(participant: str, item: str, system: str, value: float, **columns: Any) -> Judgment:
    """A score of a system for its fluency."""
    return Judgment(participant, item, "fluency", value, system=system, **columns)


def planned(question, *tests: dict[str, str], **analysis: Any):
    """A study of one question with these tests."""
    listed = [{"question": question["id"], **test} for test in tests]
    return small_study(question, analysis={"tests": listed, **analysis})


def rated(*rows: tuple[str, str, str, float], **columns: Any):
    """Scores of fluency: who, of which item and system, how many points."""
    return [
        Judgment(person, item, "fluency", float(value), system=system, **columns)
        for person, item, system, value in rows
    ]


def found_in(study, rows):
    """The findings of these rows in a study, by their ids."""
    return by_id(analyse(Judgments.from_rows(rows, systems=study.system_ids), study=study))
