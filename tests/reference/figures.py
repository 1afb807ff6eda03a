"""What the reference tests share: how a published figure is looked up and answered."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias


@dataclass(frozen=True)
class Cautioned:
    """A figure whose published definition is questionable: as published, and as it should be."""

    published: float
    right: float


Answer: TypeAlias = float | str | Cautioned  # True and False are numbers, too
Answerer: TypeAlias = Callable[..., Answer]  # of a folder and the parts that the pattern names


@dataclass(frozen=True)
class Entry:
    """Which ids are answered by which function."""

    pattern: str
    answer: Answerer


def answered(entries: tuple[Entry, ...], folder: Path, figure: str) -> Answer | None:
    """The value of a figure, by the first pattern that fits the whole id; None if nobody knows."""
    for entry in entries:
        found = re.fullmatch(entry.pattern, figure)
        if found:
            return entry.answer(folder, **found.groupdict())
    return None


def is_met(figure: dict[str, Any], value: float | str) -> bool:
    """Whether a value is the published one, but for the rounding in print."""
    wanted = figure["value"]
    if isinstance(wanted, bool | str):
        return value == wanted
    slack = 1e-9 * max(1e-300, abs(wanted), figure["tolerance"])  # a tie of rounding: 2.275
    return abs(float(value) - wanted) <= figure["tolerance"] + slack
