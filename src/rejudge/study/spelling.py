"""“Did you mean”: the known word that is nearest to a mistyped one."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


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


def listed(words: Iterable[str]) -> str:
    """Words in quotes, with commas between; a long list is cut."""
    quoted = [f"'{word}'" for word in words]
    shown, rest = quoted[:_MANY], len(quoted) - _MANY
    return ", ".join(shown) + (f" and {rest} more" if rest > 0 else "")


_MANY = 30
