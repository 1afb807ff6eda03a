"""Counts, lists and dates in words, the same in every message, finding and report."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date

_IRREGULAR = {
    "batch": "batches",
    "criterion": "criteria",
    "person": "people",
    "study": "studies",
}


def count(number: int, noun: str) -> str:
    """A number with its noun in the correct form, such as `1 pair` or `1,800 pairs`."""
    return f"{number:,} {noun if number == 1 else plural(noun)}"


def span(numbers: list[int], noun: str) -> str:
    """From the smallest to the largest, with the noun: `32 tasks`, `28–32 tasks`."""
    low, high = min(numbers), max(numbers)
    return count(low, noun) if low == high else f"{low:,}–{high:,} {plural(noun)}"


def natural_order(words: Iterable[str]) -> list[str]:
    """Names in natural order: `list 2` before `list 10`."""
    return sorted(words, key=lambda word: ([*map(_place, re.split(r"(\d+)", word))], word))


def _place(piece: str) -> tuple[int, str]:
    return (int(piece), "") if piece.isdecimal() else (-1, piece)


def join_notes(*notes: str) -> str:
    """Notes as one text; empty ones are left out."""
    return " ".join(note for note in notes if note)


def plural(noun: str) -> str:
    """The plural of a noun."""
    return _IRREGULAR.get(noun, f"{noun}s")


def verb(number: int, one: str, several: str) -> str:
    """The form of a verb that agrees with a count: was or were, depends or depend."""
    return one if number == 1 else several


def versus(names: Sequence[str], measure: str) -> str:
    """Two systems as a row of a table: `a over b` for win rates, `a – b` for a difference."""
    is_ratio = measure in {"win-percent", "strength"}
    return (" over " if is_ratio else " – ").join(names)


def value_in_words(value: object) -> str:
    """A value of a study in words: `none`, `yes`, `inputs 5, kind gold`."""
    if value is None or value in ("", [], (), {}):
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        known = ((key, each) for key, each in value.items() if each is not None)
        return ", ".join(f"{str(key).replace('_', ' ')} {_nested(each)}" for key, each in known)
    if isinstance(value, list | tuple):
        several = [value_in_words(each) for each in value]
        return ("; " if any(", " in each for each in several) else ", ").join(several)
    return f"{value:g}" if isinstance(value, float) else str(value)


def _nested(value: object) -> str:
    words = value_in_words(value)
    is_part = isinstance(value, Mapping | list | tuple) and len(value) > 1
    return f"({words})" if is_part else words


def join_words(words: Sequence[str], conjunction: str = "and") -> str:
    """Such as a, b and c."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {conjunction} {words[-1]}"


def number_word(number: int) -> str:
    """A small number as a word, as papers write it."""
    return _NUMBERS[number] if 0 <= number < len(_NUMBERS) else f"{number:,}"


_NUMBERS = (
    "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve",
)  # fmt: skip


def capital(text: str) -> str:
    """The text with a capital first letter."""
    return text[:1].upper() + text[1:]


def as_sentence(text: str) -> str:
    """The text with a full stop, unless it ends with a mark already."""
    words = text.strip()
    return words if not words or words.endswith((".", "!", "?", "…")) else f"{words}."


def shorten(text: str, most: int) -> str:
    """The text with at most this many characters; an ellipsis shows where it was cut."""
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def day(when: date) -> str:
    """Such as 3 May 2026, in any locale."""
    return f"{when.day} {_MONTHS[when.month - 1]} {when.year}"


_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A hint at the nearest known word, or nothing when none is near."""
    near = nearest(word, known)
    return f"Did you mean '{near}'?" if near else ""


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that was probably meant; capitals do not matter."""
    folded: dict[str, str] = {}
    for candidate in known:
        folded.setdefault(candidate.strip().casefold(), candidate)
    near = difflib.get_close_matches(word.strip().casefold(), folded, n=1, cutoff=0.6)
    return folded[near[0]] if near else None


def join_quoted(words: Iterable[str]) -> str:
    """Words in quotes, with commas between; a long list is cut."""
    quoted = [f"'{word}'" for word in words]
    shown, rest = quoted[:_MANY], len(quoted) - _MANY
    return ", ".join(shown) + (f" and {rest} more" if rest > 0 else "")


_MANY = 30
