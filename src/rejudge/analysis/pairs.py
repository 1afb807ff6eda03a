"""Pairs of systems, and which of them are tested where a plan names some."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

Pair: TypeAlias = tuple[str, str]  # of systems: the first against the second


@dataclass(frozen=True, slots=True)
class LimitedPairs:
    """The only pairs of systems that were tested on a question, though there are others."""

    question: str
    tests: tuple[str, ...]  # that are limited to them
    pairs: tuple[Pair, ...]
    is_every_test: bool = True  # False: other tests on the question compare all pairs, or others
