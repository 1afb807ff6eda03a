"""What the patterns of study.yaml ask for, in words."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from rejudge.study.conduct import CURRENCY, EMAIL, LANGUAGE, REGION
from rejudge.study.parts import SLUG


def explain_pattern(pattern: str, value: str) -> tuple[str, str]:
    """What is wrong with a value that does not fit a pattern, and what would fit."""
    what, remedy, suggest = _WORDS[pattern]
    better = suggest(value)
    is_better = better != value and re.match(pattern, better) is not None
    hint = f", for instance {better}" if is_better else ""
    if not value.strip():
        return "the value is empty.", f"{remedy}."
    return f"'{value}' is {what}.", f"{remedy}{hint}."


def _slug(value: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", value).strip("-_.")[:64]


_WORDS: Mapping[str, tuple[str, str, Callable[[str], str]]] = {
    SLUG: (
        "no short name",
        "Use letters a–z, digits, '.', '_' and '-', at most 64, a letter or digit first",
        _slug,
    ),
    CURRENCY: ("no currency", "Write three capital letters such as GBP or EUR", str.upper),
    REGION: ("no region", "Write two capital letters such as GB, or GB-LND", str.upper),
    LANGUAGE: ("no language code", "Write for instance en, zh or pt-BR", str.lower),
    EMAIL: ("no e-mail address", "Write for instance ada@example.org", str),
}
