"""Tables of batches as earlier studies had them, made in code."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest

from rejudge.design.given_batches import GivenPlan, plan_from_batches
from rejudge.design.plan import Plan
from rejudge.errors import RejudgeError
from rejudge.spreadsheet import csv_text
from rejudge.study.model import Item, Spec, Study
from rejudge.tables_in import NamedFile

SYSTEMS = ("separator", "vae", "dips", "lbow")
DATASETS = {"mscoco": 102, "paralex": 98, "qqp": 100}  # as many inputs as the original drew


def paraphrase_study(**changes: Any) -> Study:
    """300 inputs, four systems, three criteria and the two control tasks of each batch."""
    asked = [
        {"id": name, "kind": "pairwise", "prompt": f"Which is better in {name}?", "ties": "none"}
        for name in ("meaning", "fluency", "dissimilarity")
    ]
    for question in asked:
        question.pop("ties")
    spec = Spec.model_validate(
        {
            "id": "paraphrases",
            "title": "Which sentence is better?",
            "systems": list(SYSTEMS),
            "questions": asked,
            "design": {"seed": 1, "batch": {"tasks": 30}, "inputs": "anywhere"},
            "checks": [
                {"kind": "gold", "id": "other", "question": "meaning"},
                {"kind": "gold", "id": "copy", "question": "dissimilarity", "contrast": "input"},
            ],
            **changes,
        }
    )
    items = [
        Item(
            id=f"{dataset}-{number}",
            group=f"{dataset}-{number}",
            dataset=dataset,
            input=f"What is {dataset} number {number}?",
            reference=f"Which {dataset} has the number {number}?",
            outputs=tuple(f"{system} asks for {dataset} {number}" for system in SYSTEMS),
            language="en",
            line=line,
        )
        for line, (dataset, number) in enumerate(
            ((d, n) for d, many in DATASETS.items() for n in range(many)), start=2
        )
    ]
    return Study(spec=spec, items=tuple(items), pages={})


def mturk_input(study: Study, *, batches: int = 60) -> str:
    """One row per batch with 32 × 7 columns: 30 comparisons and two controls, sides alternating."""
    pairs = [(item, pair) for item in study.items for pair in combinations(SYSTEMS, 2)]
    size = len(pairs) // batches
    fields = ("systema", "systemb", "dataset", "ix", "input", "outputa", "outputb")
    rows: list[list[str]] = [[f"{f}{slot}" for slot in range(size + 2) for f in fields]]
    for number in range(batches):
        tasks = [
            _comparison(study, item, pair[:: 1 if (place + number) % 2 else -1])
            for place, (item, pair) in enumerate(pairs[number::batches])
        ]
        spare = study.items[(number * 7 + 3) % len(study.items)]
        other = study.items[(number * 11 + 5) % len(study.items)]
        tasks.insert(7, _control(spare, "gold", spare.reference, "other", other.reference))
        tasks.insert(20, _control(other, "input", other.input, "gold", other.reference))
        rows.append([cell for task in tasks for cell in task])
    return csv_text(rows)


def _comparison(study: Study, item: Item, pair: tuple[str, ...]) -> list[str]:
    texts = [study.output(item.id, system) or "" for system in pair]
    return [*pair, item.dataset, item.id.partition("-")[2], item.input, *texts]


def _control(item: Item, a: str, text_a: str | None, b: str, text_b: str | None) -> list[str]:
    number = item.id.partition("-")[2]
    return [a, b, item.dataset, number, item.input, text_a or "", text_b or ""]


def long_table(plan: Plan) -> str:
    """A plan of pairs as one row per task."""
    rows: list[list[str]] = [["batch", "item", "a", "b"]]
    rows += [[b.id, task.item, *task.options] for b in plan.batches for task in b.tasks]
    return csv_text(rows)


def read(study: Study, text: str | bytes, participants: str | None = None) -> GivenPlan:
    """What a table of batches says, with a table of participants where there is one."""
    content = text if isinstance(text, bytes) else text.encode()
    people = None if participants is None else NamedFile("people.csv", participants.encode())
    return plan_from_batches(study, NamedFile("batches.csv", content), people)


def problems(study: Study, text: str | bytes, participants: str | None = None) -> list[str]:
    """What is wrong with the tables, with lines."""
    with pytest.raises(RejudgeError) as caught:
        read(study, text, participants)
    return [str(problem) for problem in caught.value.problems]
