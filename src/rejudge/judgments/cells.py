"""What a cell of each column may say, and the remedy when it says something else."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from rejudge.collect import STATUSES
from rejudge.judgments.arrow import Numbers, distinct, is_missing
from rejudge.judgments.table import KINDS, ORIGINS, SIDES, Coded, Kind

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray


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


ChoiceReading: TypeAlias = Literal["side", "system"]

CHOICE_REMEDY = "Write a, b or tie, left or right, 1 or 2 (0: tie), or the id of the better system."

_SIDE = "(system|model|option|output|text|response|candidate|assistant)?"
_A = re.compile(f"{_SIDE}(a|left|first|1)")
_B = re.compile(f"{_SIDE}(b|right|second|2)")
_TIES = re.compile(
    r"tied?|equals?|same|draw|both|neither|no(preference|difference)|(tie)?both(good|bad)|0?\.5"
)


@dataclass(frozen=True, eq=False, slots=True)
class ReadChoices:
    """The answers to comparisons, how they were read, and where that is not clear."""

    preference: Numbers
    unclear: NDArray[np.bool_]  # ids and sides both fit the column and say different things here
    by: ChoiceReading | None  # None: some rows can only be read as ids, others only as sides


def choices(
    column: pa.ChunkedArray, system_a: Coded, system_b: Coded, *, by: ChoiceReading | None = None
) -> ReadChoices:
    """How far each answer prefers system_a: 1, ½ for a tie, or 0.

    An answer is the id of one of the row's two systems, or a side: a, left, first, 1 for system_a;
    b, right, second, 2 for system_b. Either way tie, equal, both, neither, 0.5 are a tie. 0 is a
    tie in a column that has a 2, else it is system_b (so that 1, 0.5, 0 are preferences for
    system_a).

    Ids and sides can mean opposite things (system `b` in the first place), so a column is read one
    way only: `by` says which; without it, the one that fits every row. Where both fit and differ,
    the rows that differ are `unclear`.
    """
    import numpy as np

    codes, words = distinct(column)
    said = np.array([*_outcomes(words), np.nan])[codes]
    tied = np.array([*(0.5 if _TIES.fullmatch(_bare(w)) else np.nan for w in words), np.nan])[codes]
    named = _match_systems(words, system_a.labels)[codes]
    is_a, is_b = (_is_one_of(named, each) for each in (system_a, system_b))
    by_id = np.where(is_a, 1.0, np.where(is_b, 0.0, tied))
    missing = np.array([*map(is_missing, words), True])[codes] & ~is_a & ~is_b
    differs = ~np.isnan(by_id) & ~np.isnan(said) & (by_id != said)
    if by is None and differs.any():
        answered = ~missing & (system_a.codes >= 0) & (system_b.codes >= 0)
        by = _fitting_reading(by_id[answered], said[answered])
    unclear = differs if by is None else np.zeros_like(differs)
    either = np.where(np.isnan(by_id), said, by_id)
    value = {"system": by_id, "side": said, None: either}[by]
    read = Numbers(np.where(missing, np.nan, value), np.isnan(value) & ~missing)
    return ReadChoices(read, unclear, by or _only(by_id, said))


def _fitting_reading(
    by_id: NDArray[np.float64], by_side: NDArray[np.float64]
) -> ChoiceReading | None:
    """The one way in which every answer can be read; None where both or neither can."""
    import numpy as np

    ids, sides = (not np.isnan(read).any() for read in (by_id, by_side))
    if ids == sides:
        return None
    return "system" if ids else "side"


def _only(by_id: NDArray[np.float64], by_side: NDArray[np.float64]) -> ChoiceReading | None:
    """The way in which all answers were read, where one way reads them all."""
    import numpy as np

    if (np.isnan(by_id) & ~np.isnan(by_side)).any():
        return None if (np.isnan(by_side) & ~np.isnan(by_id)).any() else "side"
    return "system"


def counts_from_zero(words: Sequence[str]) -> bool:
    """Whether answers are 0 and 1 alone, which others may mean the other way round."""
    return {word.strip().removesuffix(".0") for word in words if not is_missing(word)} == {"0", "1"}


def _outcomes(words: Sequence[str]) -> list[float]:
    bare = [_bare(word) for word in words]
    has_two = "2" in bare
    return [_outcome(word, has_two=has_two) for word in bare]


def _bare(word: str) -> str:
    """Without capitals and separators; a number without its empty decimals."""
    trimmed = re.sub(r"^(\d)\.0+$", r"\1", word.strip().casefold())
    return trimmed if trimmed in {"0.5", ".5"} else re.sub(r"[\W_]+", "", trimmed)


def _outcome(word: str, *, has_two: bool) -> float:
    if _TIES.fullmatch(word):
        return 0.5
    if word == "0":
        return 0.5 if has_two else 0.0
    if _A.fullmatch(word):
        return 1.0
    return 0.0 if _B.fullmatch(word) else float("nan")


def _match_systems(words: Sequence[str], systems: Sequence[str]) -> NDArray[np.int64]:
    """The code of the system that each word names; −2 for none."""
    import numpy as np

    place = {name.casefold(): code for code, name in reversed(tuple(enumerate(systems)))}
    exact = {name: code for code, name in enumerate(systems)}
    found = [exact.get(word, place.get(word.strip().casefold(), -2)) for word in words]
    return np.array([*found, -2], dtype=np.int64)


def _is_one_of(named: NDArray[np.int64], system: Coded) -> NDArray[np.bool_]:
    import numpy as np

    return np.asarray(named == system.codes)
