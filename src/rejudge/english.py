"""Counts in words, the same in every message, finding and report."""

from __future__ import annotations

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
