"""A rule explained, for people and for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rejudge.cli.console import Outcome

if TYPE_CHECKING:
    from rejudge.rules import Rule


def explained(rule: Rule[Any]) -> Outcome:  # whatever it looks at
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
