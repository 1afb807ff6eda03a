"""Small studies made in code, for tests that draw plans."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from rejudge.study.model import Item, Spec, Study

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


GOLD = {"id": "gold", "kind": "gold", "question": "meaning"}
BEST_WORST = {"id": "best", "kind": "best-worst", "prompt": "Best and worst?", "of": 3}
RANKING = {"id": "rank", "kind": "ranking", "prompt": "Put them in order."}


@st.composite
def studies(draw_value):
    """Studies of many shapes: kinds of question, ways of dealing, checks, repeats, orders."""
    question = draw_value(st.sampled_from([PAIRWISE, RATING, BEST_WORST, RANKING]))
    inputs = draw_value(st.integers(8, 40))
    has_checks = draw_value(st.booleans())
    design = {
        "inputs": draw_value(st.sampled_from(["together", "apart", "anywhere"])),
        "batch": {"inputs": draw_value(st.integers(1, 7))},
        "participants_per_batch": draw_value(st.integers(1, 4)),
        "order": draw_value(st.sampled_from(["batch", "participant", "latin-square", "listed"])),
        "calibration": draw_value(st.integers(0, 3)),
    }
    if draw_value(st.booleans()):
        design["repeats"] = {"share": draw_value(st.floats(0.01, 0.5))}
    return make_study(
        inputs=inputs + 4,
        sample=inputs if has_checks else None,
        systems=draw_value(st.integers(3, 6)),
        datasets=draw_value(st.integers(1, 4)),
        questions=[question],
        design=design,
        checks=[{**GOLD, "question": question["id"], "per_batch": 1}] if has_checks else [],
        seed=draw_value(st.integers(0, 10**6)),
    )
