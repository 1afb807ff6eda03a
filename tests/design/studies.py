"""Small studies made in code, for tests that draw plans."""

from __future__ import annotations

from typing import Any

from rejudge.study import Item, Spec, Study

PAIRWISE = {"id": "meaning", "kind": "pairwise", "prompt": "Which keeps the meaning better?"}
RATING = {"id": "fluency", "kind": "rating", "prompt": "How fluent is it?", "points": 4}


def make_study(
    *,
    inputs: int = 10,
    systems: int = 4,
    datasets: int = 1,
    items_per_input: int = 1,
    questions: list[dict[str, Any]] | None = None,
    sample: int | None = None,
    design: dict[str, Any] | None = None,
    checks: list[dict[str, Any]] | None = None,
    seed: int = 1,
) -> Study:
    """A study of so many inputs, systems and datasets, with texts that are all different."""
    names = [f"sys{number}" for number in range(systems)]
    spec = Spec.model_validate(
        {
            "id": "study",
            "title": "A study",
            "systems": names,
            "items": {"sample": None if sample is None else {"inputs": sample}},
            "questions": questions or [PAIRWISE],
            "design": {"seed": seed, "batch": {"inputs": 5}, **(design or {})},
            "checks": checks or [],
        }
    )
    items = tuple(
        Item(
            id=f"i{number}-{part}" if items_per_input > 1 else f"i{number}",
            group=f"i{number}",
            dataset=f"set{number % datasets}" if items_per_input == 1 else f"set{part}",
            input=f"Input {number}, part {part}, says something.",
            reference=f"Reference {number}. It has part {part} in it.",
            outputs=tuple(f"Output {number}/{part} of {name[3:]}. And more." for name in names),
            language="en",
            line=number + 2,
        )
        for number in range(inputs)
        for part in range(items_per_input)
    )
    return Study(spec=spec, items=items, pages={})
