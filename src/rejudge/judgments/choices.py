"""One rule for what a comparison's answer says, however it is spelt."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rejudge.judgments.arrow import Numbers, distinct, is_missing
from rejudge.judgments.table import Coded

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

CHOICE_REMEDY = "Write a, b or tie, left or right, 1 or 2 (0: tie), or the id of the better system."

_SIDE = "(system|model|option|output|text|response|candidate|assistant)?"
_A = re.compile(f"{_SIDE}(a|left|first|1)")
_B = re.compile(f"{_SIDE}(b|right|second|2)")
_TIES = re.compile(
    r"tied?|equals?|same|draw|both|neither|no(preference|difference)|(tie)?both(good|bad)|0?\.5"
)


def choices(column: pa.ChunkedArray, system_a: Coded, system_b: Coded) -> Numbers:
    """How far each answer prefers system_a: 1, ½ for a tie, or 0.

    In this order: the id of one of the row's two systems; a, left, first, 1 for system_a; b, right,
    second, 2 for system_b; tie, equal, both, neither, 0.5 for a tie. 0 is a tie in a column that
    has a 2, otherwise it is system_b (so that 1, 0.5, 0 are preferences for system_a).
    """
    import numpy as np

    codes, words = distinct(column)
    said = np.array([*_outcomes(words), np.nan])[codes]
    named = _named(words, system_a.labels)[codes]
    is_a, is_b = (_is_one_of(named, each) for each in (system_a, system_b))
    value = np.where(is_a, 1.0, np.where(is_b, 0.0, said))
    missing = np.array([*map(is_missing, words), True])[codes] & ~is_a & ~is_b
    return Numbers(np.where(missing, np.nan, value), np.isnan(value) & ~missing)


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


def _named(words: Sequence[str], systems: Sequence[str]) -> NDArray[np.int64]:
    """The code of the system that each word names; −2 for none."""
    import numpy as np

    place = {name.casefold(): code for code, name in reversed(tuple(enumerate(systems)))}
    exact = {name: code for code, name in enumerate(systems)}
    found = [exact.get(word, place.get(word.strip().casefold(), -2)) for word in words]
    return np.array([*found, -2], dtype=np.int64)


def _is_one_of(named: NDArray[np.int64], system: Coded) -> NDArray[np.bool_]:
    import numpy as np

    return np.asarray(named == system.codes)
