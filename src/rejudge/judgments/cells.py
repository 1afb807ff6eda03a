"""What a cell of each column may say, and the remedy when it says something else."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from rejudge.collect import STATUSES
from rejudge.judgments.arrow import Numbers
from rejudge.judgments.table import KINDS, ORIGINS, SIDES, Kind

_KIND_WORDS: Mapping[Kind, str] = {
    "real": "real main normal item",
    "check": "check control gold attention attention-check distractor catch",
    "practice": "practice training train example warm-up",
    "repeat": "repeat repeated retest duplicate",
    "dropped": "dropped",
}
_KIND_CODES = {
    word: KINDS.index(kind) for kind, words in _KIND_WORDS.items() for word in words.split()
}

REMEDIES: Mapping[str, str] = {
    "segment": "Write a whole number from 1.",
    "position": "Write a whole number from 1.",
    "attempt": "Write a whole number from 1.",
    "seconds": "Write a number of seconds, 0 or more.",
    "submitted_at": "Write a time such as 2026-03-01T09:30:00+00:00.",
    "kind": f"Write one of {', '.join(KINDS)}.",
    "side": f"Write one of {', '.join(SIDES)}.",
    "origin": f"Write one of {', '.join(ORIGINS)}.",
    "state": f"Write one of {', '.join(STATUSES)}.",
    "control": "Write true or false.",
    "passed": "Write true or false.",
    "expected": "Write it as the answers are written.",
}


def emptiness(name: str) -> Callable[[int], str]:
    """Words for an empty cell of a column."""
    return lambda _: f"{name} is empty."


def whole_numbers(found: Numbers) -> Numbers:
    """Whole numbers from 0, as far as 32 bits go; all else is wrong."""
    import numpy as np

    value = found.value
    is_whole = (value >= 0) & (value < 2**31 - 1) & (value == np.floor(value))
    is_wrong = found.is_wrong | ~is_whole & ~np.isnan(value)
    return Numbers(np.where(is_wrong, np.nan, value), is_wrong)


def not_negative(found: Numbers) -> Numbers:
    """Numbers from 0; all else is wrong."""
    import numpy as np

    is_wrong = found.is_wrong | (found.value < 0)
    return Numbers(np.where(is_wrong, np.nan, found.value), is_wrong)


def kind_code(word: str) -> float | None:
    """The place of a kind among KINDS, by our names and common others."""
    return _KIND_CODES.get(word.strip().casefold().replace("_", "-"))


def side_code(word: str) -> float | None:
    """The place of a side among SIDES."""
    return {"a": 0.0, "b": 1.0}.get(word.strip().casefold())


def origin_code(word: str) -> float | None:
    """The place of an origin among ORIGINS."""
    return {"people": 0.0, "simulated": 1.0}.get(word.strip().casefold())


def state_code(word: str) -> float | None:
    """The place of a state among STATUSES."""
    bare = word.strip().casefold()
    return float(STATUSES.index(bare)) if bare in STATUSES else None
