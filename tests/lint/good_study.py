"""A small sound study, and how to spoil one thing in it.

Three systems (alder, birch, cedar) rewrite questions; pairs are compared on meaning. Eight items,
four from each of two datasets (parks, rivers): items 1 to 4 are judged, 5 to 8 serve for checks.
Two batches of two inputs, each with all three pairs (6 real tasks) and two checks.

    batch  input  shown (first / second)
    b01    q1     alder/birch  birch/cedar  cedar/alder
           q2     birch/alder  cedar/birch  alder/cedar
    b02    q3     as q1
           q4     as q2

So each pair has each order once in a batch, and each system stands twice first and twice second.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from rejudge.design.plan import REFERENCE, Batch, Expected, Plan, Task, reference_of
from rejudge.lint.rules import LintFinding, check
from rejudge.study.model import Item, Spec, Study

SYSTEMS = ("alder", "birch", "cedar")
_ROUND = (("alder", "birch"), ("birch", "cedar"), ("cedar", "alder"))
_BACK = (("birch", "alder"), ("cedar", "birch"), ("alder", "cedar"))
_TOPICS = ("otters", "willows", "bridges", "benches", "trout", "meadows", "locks", "herons")

MEANING = {"id": "meaning", "kind": "pairwise", "prompt": "Which keeps the meaning better?"}
RATING = {"id": "fluency", "kind": "rating", "prompt": "How fluent is it?", "points": 5}
SLIDER = {
    "id": "fluency",
    "kind": "slider",
    "prompt": "How fluent is it?",
    "low": "Not at all",
    "high": "Very",
}
GOLD = {"id": "gold", "kind": "gold", "question": "meaning"}
INSTRUCTION = {"id": "told", "kind": "instruction", "question": "meaning"}
NONSENSE = {"id": "salad", "kind": "nonsense", "question": "meaning"}

SPEC: dict[str, Any] = {
    "id": "small",
    "title": "Which question means the same?",
    "contact": {"name": "A. Researcher", "email": "study@uni.example.edu"},
    "ethics": "Board of Ethics, 17/2026",
    "systems": list(SYSTEMS),
    "items": {"sample": {"inputs": 4}},
    "questions": [MEANING],
    "design": {"seed": 7, "batch": {"inputs": 2}, "participants_per_batch": 3},
    "checks": [GOLD, INSTRUCTION],
    "practice": {
        "attempts": 2,
        "examples": [
            {
                "input": "Where do swans sleep?",
                "outputs": ["In which place do swans sleep?", "Why do swans sleep?"],
                "answers": {"meaning": "a"},
                "explanation": "The second one asks for a reason.",
            }
        ],
    },
    "recruitment": {"platform": "prolific"},
    "retention": {"days": 365},
    "payment": {"currency": "GBP", "living_wage": "GB", "fee_percent": 33.3},
    "analysis": {
        "tests": [{"question": "meaning", "test": "cluster-robust"}],
        "exclude": {"failed_checks": 2, "faster_than_reading": True},
    },
    "claims": [{"id": "main", "says": "alder > birch on meaning"}],
}
PAGES = {
    "information": "We study how well programs rewrite questions. It takes a few minutes.",
    "consent": "I consent to take part. I can stop at any time without giving a reason.",
    "instructions": "Read the question and choose the version that means the same. {practice}",
    "thanks": "Thank you.",
}


def make_item(number: int, **changes: Any) -> Item:
    """Item number 1, 2, …: its texts differ from those of all other items."""
    topic = _TOPICS[(number - 1) % len(_TOPICS)] + ("" if number <= len(_TOPICS) else str(number))
    item = Item(
        id=f"q{number}",
        group=f"q{number}",
        dataset="parks" if number % 2 else "rivers",
        input=f"Where can people see {topic}?",
        reference=f"At which place can {topic} be watched?",
        outputs=(
            f"Where are {topic} to be seen?",
            f"What is a place to see {topic}?",
            f"Where might one look at {topic}?",
        ),
        language="en",
        line=number + 1,
    )
    return replace(item, **changes)


def make_study(
    changes: Mapping[str, Any] | None = None,
    *,
    items: Sequence[Item] = (),
    pages: Mapping[str, str] | None = None,
) -> Study:
    """The sound study, but for `changes` such as `{"payment.minutes": 3}`."""
    spec = copy.deepcopy(SPEC)
    for path, value in (changes or {}).items():
        *parents, last = path.split(".")
        part = spec
        for parent in parents:
            part = part.setdefault(parent, {})
        part[last] = value
    given = {item.id: item for item in items}
    usual = [make_item(number) for number in range(1, 9)]
    kept = [given.pop(item.id, item) for item in usual]
    count = len(spec["systems"])
    written = (replace(item, outputs=item.outputs[:count]) for item in (*kept, *given.values()))
    return Study(Spec.model_validate(spec), tuple(written), {**PAGES, **(pages or {})})


def make_plan(study: Study, batches: Sequence[Batch] | None = None, **changes: Any) -> Plan:
    """The sound plan of the sound study, or one with other batches."""
    plan = Plan(
        study=study.design_fingerprint,
        seed=7,
        order="batch",
        batches_per_participant=study.spec.design.batches_per_participant,
        batches=tuple(good_batches() if batches is None else batches),
        texts={},
        segments={},
        conflicts={},
    )
    return replace(plan, **changes)


def good_batches() -> list[Batch]:
    """Two batches of six real tasks and two checks, in the middle and at the end."""
    return [
        make_batch(
            "b01", [*paired_tasks("q1", "q2"), gold_task("q5", "q6", "a"), told_task("q7", "b")]
        ),
        make_batch(
            "b02", [*paired_tasks("q3", "q4"), gold_task("q7", "q8", "b"), told_task("q5", "a")]
        ),
    ]


def make_batch(name: str, tasks: Sequence[Task], **changes: Any) -> Batch:
    """A batch for three people, with ids given to its tasks."""
    named = tuple(replace(t, id=f"{name}-{n:02}") for n, t in enumerate(tasks, start=1))
    return replace(Batch(name, named, participants=3), **changes)


def real(item: str, *options: str) -> Task:
    """A task whose answers are judgments."""
    return Task("", item, options)


def paired_tasks(one: str, two: str) -> list[Task]:
    """All pairs of two inputs, the second with the sides of the first exchanged."""
    return [*(real(one, *pair) for pair in _ROUND), *(real(two, *pair) for pair in _BACK)]


def gold_task(item: str, other: str, right: str) -> Task:
    """A gold check whose right answer is the letter `right`."""
    options = (REFERENCE, reference_of(other))
    shown = options if right == "a" else options[::-1]
    return Task("", item, shown, "check", "gold", Expected("meaning", best=right))


def told_task(item: str, right: str) -> Task:
    """An instruction check whose right answer is the letter `right`."""
    expected = Expected("meaning", best=right)
    text = f"This is an attention check. Please choose {right.upper()}."
    return Task("", item, ("alder", "cedar"), "check", "told", expected, text)


def only(study: Study, plan: Plan | None = None, **known: Any) -> LintFinding:
    """The single finding of a study in which one thing is spoiled."""
    (finding,) = check(study, plan, **known)
    return finding


def codes(*findings: LintFinding) -> list[str]:
    """The codes of findings."""
    return [finding.code for finding in findings]
