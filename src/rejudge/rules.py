"""Rules of lint and audit: a code that is never reused, a name, a severity."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Generic, Literal, TypeAlias, TypeVar

from rejudge.errors import Problem, UsageError

Severity: TypeAlias = Literal["error", "warning", "note"]
SEVERITIES: Final[tuple[Severity, ...]] = ("error", "warning", "note")  # the gravest first

F = TypeVar("F", bound=Callable[..., Any])  # how it looks for something


@dataclass(frozen=True, slots=True)
class Rule(Generic[F]):
    """One kind of problem."""

    code: str
    name: str
    severity: Severity
    find: F
    summary: str

    @property
    def explanation(self) -> str:
        """What it finds, why that matters, and how to fix it; one line per paragraph."""
        paragraphs = inspect.cleandoc(self.find.__doc__ or self.summary).split("\n\n")
        return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


def find_rule(rules: Mapping[str, Rule[F]], word: str) -> Rule[F]:
    """The rule with a code or a name; if there is none, the error suggests the nearest."""
    wanted = word.strip()
    for rule in rules.values():
        if wanted.upper() == rule.code or wanted.lower() == rule.name:
            return rule
    import difflib

    known = [each for rule in rules.values() for each in (rule.code, rule.name)]
    alike = str.maketrans("OoIl", "0011")  # digits are mistyped as the letters they look like
    typed = [rule.code for rule in rules.values() if wanted.translate(alike).upper() == rule.code]
    near = typed or difflib.get_close_matches(wanted, known, n=1)
    hint = f"Did you mean {near[0]}?" if near else f"Known codes: {', '.join(rules)}."
    raise UsageError(Problem(f"There is no code '{word}'.", hint))
