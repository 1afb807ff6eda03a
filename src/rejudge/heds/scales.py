"""Scales as people write them: "1, 2, 3, 4, 5", "[0, 100]", "1 (bad) to 5 (good)", "A, B, tie"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

_NUMBER: Final = r"[-−+]?\d+(?:[.,]\d+)?"
_LABEL: Final = r"(?:\s*[(\[:=][^,;]*?|\s+[^\d\s,;–-][^,;]*?)?"
_BRACKETS: Final = re.compile(rf"[\[({{]\s*({_NUMBER})\s*[,;]\s*({_NUMBER})\s*[\])}}]")
_RANGE: Final = re.compile(
    rf"[\[(]?\s*({_NUMBER})({_LABEL})\s*(?:-|–|—|−|\bto\b|\.\.+|…)\s*({_NUMBER})({_LABEL})\s*[\])]?",
    re.IGNORECASE,
)
_ITEM: Final = re.compile(
    rf"[\[({{]?({_NUMBER})[\])}}]?(?:\s*[:=.)(\[–—-]\s*(.*)|\s+(.*))?", re.DOTALL
)
_FEW: Final = 2


@dataclass(frozen=True, slots=True)
class ParsedScale:
    """The values of a scale."""

    kind: Literal["numbers", "range", "labels"]
    values: tuple[str, ...]  # of a range, its ends
    labels: tuple[str, ...] = ()

    @property
    def size(self) -> int | None:
        """How many values there are; None for a range whose ends are not whole numbers."""
        if self.kind != "range":
            return len(self.values)
        low, high = (float(value) for value in self.values)
        whole = low.is_integer() and high.is_integer() and high >= low
        return int(high - low) + 1 if whole else None


def parse_scale(text: str) -> ParsedScale | None:
    """The scale that a text describes; None where it cannot be recognised."""
    words = " ".join(text.split()).rstrip(".")
    ends = _BRACKETS.fullmatch(words)
    if ends:
        return ParsedScale("range", (_plain(ends[1]), _plain(ends[2])))
    span = _RANGE.fullmatch(words)
    if span:
        labels = tuple(label.strip(" :=()[]") for label in (span[2], span[4]))
        return ParsedScale("range", (_plain(span[1]), _plain(span[3])), _said(labels))
    return _listed(_parts(text))


def _listed(parts: list[str]) -> ParsedScale | None:
    if len(parts) < _FEW:
        return None
    items = [_ITEM.fullmatch(part) for part in parts]
    if all(items):
        found = [item for item in items if item]
        labels = tuple((item[2] or item[3] or "").strip(" ()[]") for item in found)
        return ParsedScale("numbers", tuple(_plain(item[1]) for item in found), _said(labels))
    return ParsedScale("labels", tuple(parts), tuple(parts))


def _parts(text: str) -> list[str]:
    """The items of a list, separated by semicolons or lines, else by commas or slashes."""
    inner = text.strip().strip("[]{}")
    for sign in (";", "\n", ",", "/", "|"):
        parts = [part.strip() for part in _split_outside(inner, sign)]
        kept = [part for part in parts if part]
        if len(kept) >= _FEW:
            return kept
    return []


def _split_outside(text: str, sign: str) -> list[str]:
    """Split at a sign that is not inside parentheses."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "([") - (letter in ")]" and depth > 0)
        if letter == sign and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


def _plain(number: str) -> str:
    value = float(number.replace("−", "-").replace(",", "."))
    return f"{value:g}"


def _said(labels: tuple[str, ...]) -> tuple[str, ...]:
    return labels if any(labels) else ()
