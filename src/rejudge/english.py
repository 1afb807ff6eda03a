"""Counts in words, the same in every message, finding and report."""

from __future__ import annotations

from collections.abc import Sequence

_IRREGULAR = {
    "batch": "batches",
    "criterion": "criteria",
    "person": "people",
    "study": "studies",
}


def count(number: int, noun: str) -> str:
    """A number with its noun in the right form, such as `1 pair` or `1,800 pairs`."""
    return f"{number:,} {noun if number == 1 else plural(noun)}"


def span(numbers: list[int], noun: str) -> str:
    """From the smallest to the largest, with the noun: `32 tasks`, `28–32 tasks`."""
    low, high = min(numbers), max(numbers)
    return count(low, noun) if low == high else f"{low:,}–{high:,} {plural(noun)}"


def plural(noun: str) -> str:
    """The noun for several."""
    return _IRREGULAR.get(noun, f"{noun}s")


def verb(number: int, one: str, several: str) -> str:
    """The form of a verb that goes with a count: was or were, depends or depend."""
    return one if number == 1 else several


def versus(names: Sequence[str], measure: str) -> str:
    """Two systems as a row of a table: `a over b` for shares of wins, `a – b` for a difference."""
    is_ratio = measure in {"win-percent", "strength"}
    return (" over " if is_ratio else " – ").join(names)
