"""How large a plan is, in one line, wherever a command says it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rejudge.english import count, span

if TYPE_CHECKING:
    from rejudge.design import Plan


def size(plan: Plan) -> str:
    """Such as `60 batches × 32 tasks × 3 participants = 180 places`."""
    tasks = span([len(batch.tasks) for batch in plan.main], "task")
    people = span([batch.participants for batch in plan.main], "participant")
    places = count(plan.places, "place")
    return f"{count(len(plan.main), 'batch')} × {tasks} × {people} = {places}"
