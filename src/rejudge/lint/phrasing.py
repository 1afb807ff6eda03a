"""Lists and shares in words, the same in every finding."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def listed(things: Sequence[str], limit: int = 6, *, between: str = ", ") -> str:
    """Things in a row; of a long row the first ones and how many more there are."""
    if len(things) <= limit:
        return between.join(things)
    return f"{between.join(things[:limit])} and {len(things) - limit:,} more"


def quoted(words: Iterable[str]) -> str:
    """Words as they stand in a file, in a row."""
    return ", ".join(f"“{word}”" for word in words)


def percent(part: int, whole: int) -> str:
    """A share in whole percent; shares below one half per cent are not called 0."""
    share = 100 * part / whole
    return "under 1 %" if 0 < share < 1 else f"{share:.0f} %"
