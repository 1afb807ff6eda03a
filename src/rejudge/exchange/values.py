"""Answers of other tools: what a participant handed in, and the numbers, names and times in it."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

from rejudge.exchange.opening import Record
from rejudge.judgments.table import Choice, Kind

_LARGEST, _SMALLEST = 2.0**53, 1e-50  # of numbers that can be computed with
_MILLISECONDS: Final = 1e11  # a time above it is not in seconds: that would be the year 5138
_NUMBER: Final = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d{1,3})?", re.ASCII)
_SIDE = r"((system|model|option|output|text|response|candidate|assistant|answer)[\W_]*)?"
_FIRST: Final = re.compile(rf"{_SIDE}(a|left|first|1)([\W_]*(is )?better)?")
_SECOND: Final = re.compile(rf"{_SIDE}(b|right|second|2)([\W_]*(is )?better)?")
_TIE: Final = re.compile(
    r"tied?|equal(ly good)?|same|draw|both|neither|no[\W_]*(preference|difference)"
    r"|(tie[\W_]*)?both[\W_]*(are[\W_]*)?(good|bad)\)?"
)
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]+")
_LONGEST: Final = 40  # of an answer in a message


def number(value: object) -> float | None:
    """A number that can be computed with, also written as text; None for anything else."""
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        value = float(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    size = abs(value)
    return float(value) if size == 0 or _SMALLEST <= size <= _LARGEST else None


def outcome(word: str, pair: tuple[str, str]) -> Choice | None:
    """What an answer says about two systems: the name of one of them, a side, or a tie."""
    bare = word.strip().casefold()
    names = [name.casefold() for name in pair]
    if bare in names:
        return "a" if bare == names[0] else "b"
    if _TIE.fullmatch(bare):
        return "tie"
    if _FIRST.fullmatch(bare):
        return "a"
    return "b" if _SECOND.fullmatch(bare) else None


def moment(value: object) -> datetime | None:
    """A time: seconds or milliseconds since 1970, or text as in ISO 8601; UTC unless it says."""
    try:
        if isinstance(value, str) and not _NUMBER.fullmatch(value.strip()):
            found = datetime.fromisoformat(value.strip())
            return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)
        seconds = number(value)
        if seconds is None or seconds <= 0:
            return None
        return datetime.fromtimestamp(seconds / 1000 if seconds > _MILLISECONDS else seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return None


def clean(value: object) -> str | None:
    """A name as text that can be written and shown; None for what is empty or not a name.

    Names in two Unicode normal forms look the same and are the same.
    """
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    return unicodedata.normalize("NFC", _CONTROL.sub(" ", str(value))).strip() or None


def duration(seconds: object) -> float | None:
    """A number of seconds, 0 or more."""
    found = number(seconds)
    return None if found is None or not math.isfinite(found) or found < 0 else found


def shorten(value: object) -> str:
    """An answer as it is quoted in a message."""
    text = _CONTROL.sub(" ", str(value))
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def mappings(values: object) -> list[Mapping[str, Any]]:
    """The objects in a JSON list; nothing for anything else."""
    return [each for each in values if isinstance(each, dict)] if isinstance(values, list) else []


@dataclass(frozen=True, slots=True)
class ItemAnswers:
    """What one participant handed in about one item: where it is in the files, who, and when."""

    file: str
    row: int | None
    participant: str | None  # a pseudonym
    item: str
    data: Record = field(default_factory=dict)  # fields of the item
    dataset: str | None = None
    segment: int | None = None
    batch: str | None = None
    task: str | None = None
    position: int | None = None
    seconds: float | None = None
    submitted_at: datetime | None = None
    kind: Kind = "real"
    passed: bool | None = None
