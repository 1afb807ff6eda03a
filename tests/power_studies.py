"""Studies and parameters for tests of simulated power."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rejudge.design.draw import draw
from rejudge.design.plan import Plan
from rejudge.power.sizes import StudyShape
from rejudge.simulate.parameters import Parameters
from rejudge.study.kinds.question import Question
from rejudge.study.model import Item, Spec, Study

RATING = {"id": "q", "kind": "rating", "prompt": "How good is it?", "points": 5}
PAIRWISE = {"id": "q", "kind": "pairwise", "prompt": "Which is better?", "tie": True}
RANKING = {"id": "q", "kind": "ranking", "prompt": "Put them in order."}
BEST_WORST = {"id": "q", "kind": "best-worst", "prompt": "Best and worst?", "of": 3}


def study_of(question: dict[str, Any], *, systems: int = 2, inputs: int = 4) -> Study:
    """A study with one question, whose items are of no account."""
    names = [f"s{number}" for number in range(systems)]
    spec = Spec.model_validate(
        {
            "id": "simulated",
            "title": "A simulated study",
            "systems": [{"id": name} for name in names],
            "questions": [question],
            "design": {"seed": 5, "batch": {"inputs": 2}},
        }
    )
    items = tuple(
        Item(
            id=f"i{number}",
            group=f"i{number}",
            dataset="one",
            input=f"Input {number}.",
            reference=f"Reference {number}.",
            outputs=tuple(f"{name} on {number}." for name in names),
            language="en",
            line=number + 2,
        )
        for number in range(inputs)
    )
    return Study(spec=spec, items=items, pages={})


def question_of(question: dict[str, Any], *, systems: int = 2) -> Question:
    """The question by itself."""
    return study_of(question, systems=systems).spec.questions[0]


def parameters_of(*quality: float, **others: float) -> Parameters:
    """Parameters with these qualities, of systems s0, s1 and so on."""
    return Parameters({f"s{number}": each for number, each in enumerate(quality)}, **others)


def study_of_shape(question: dict[str, Any], shape: StudyShape) -> tuple[Study, Plan]:
    """A study in which each block of a shape is one batch, as the fast simulation has it."""
    study = study_of(question, systems=shape.systems, inputs=shape.items)
    design = study.spec.design
    size = design.batch.model_copy(update={"inputs": max(shape.block_sizes)})
    changes = {"batch": size, "participants_per_batch": shape.participants_per_item}
    spec = study.spec.model_copy(update={"design": design.model_copy(update=changes)})
    resized = replace(study, spec=spec)
    return resized, draw(resized)
