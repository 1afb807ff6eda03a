"""A rule and the size of a plan, in words, wherever a command prints them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rejudge.cli.console import Outcome

if TYPE_CHECKING:
    from rejudge.rules import Rule
from typing import TYPE_CHECKING

from rejudge.english import count, span

if TYPE_CHECKING:
    from rejudge.design import Plan


def explain_rule(rule: Rule[Any]) -> Outcome:  # whatever it looks at
    """What a rule finds, why that matters, and the remedy."""
    from rich.text import Text

    return Outcome(
        {
            "code": rule.code,
            "name": rule.name,
            "severity": rule.severity,
            "summary": rule.summary,
            "explanation": rule.explanation,
        },
        (Text(f"{rule.code} {rule.name} ({rule.severity})\n", "bold"), Text(rule.explanation)),
    )


def plan_size(plan: Plan) -> str:
    """Such as `60 batches × 32 tasks × 3 participants = 180 places`."""
    tasks = span([len(batch.tasks) for batch in plan.main], "task")
    people = span([batch.participants for batch in plan.main], "participant")
    places = count(plan.places, "place")
    return f"{count(len(plan.main), 'batch')} × {tasks} × {people} = {places}"
