"""Studies and parameters for tests of simulated power."""

from __future__ import annotations

from typing import Any

from rejudge.simulate import Parameters
from rejudge.study import Item, Question, Spec, Study

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
