"""Columns of a read table as numpy arrays: words as codes and labels, numbers, truths, moments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC
from typing import TYPE_CHECKING

from rejudge.judgments.moments import read_moments
from rejudge.judgments.table import Coded
from rejudge.judgments.written import plain_numbers, plain_scores

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

MISSING = frozenset(
    {"", "na", "n/a", "n.a.", "#n/a", "<na>", "nan", "null", "missing", "-", "–", "."}
)  # where a number or a choice should be
_TRUE = frozenset({"true", "t", "yes", "y", "1"})
_FALSE = frozenset({"false", "f", "no", "n", "0", ""})


@dataclass(frozen=True, eq=False, slots=True)
class Numbers:
    """A column of numbers: NaN where the cell is empty, and where it holds something else."""

    value: NDArray[np.float64]
    is_wrong: NDArray[np.bool_]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False, slots=True)
class Moments:
    """A column of times in UTC, and which cells hold something else."""

    value: NDArray[np.datetime64]
    is_wrong: NDArray[np.bool_]
    lacks_zone: bool
    notes: tuple[str, ...] = ()


def as_text(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column as words, as they stand; whole numbers without a decimal point."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type
    if pa.types.is_dictionary(kind):
        if pa.types.is_string(kind.value_type):
            return column
        column = column.cast(kind.value_type)
        kind = column.type
    if pa.types.is_floating(kind):
        whole = pc.all(pc.equal(pc.floor(column), column)).as_py()
        column = column.cast(pa.int64(), safe=False) if whole and _is_small(column) else column
    return column.cast(pa.string())


def coded(column: pa.ChunkedArray, first: Sequence[str] = ()) -> Coded:
    """A column of words as codes; an empty cell is absent."""
    codes, words = distinct(column)
    known = set(first)
    labels = (*first, *sorted({word for word in words if word and word not in known}))
    return Coded(Coded(codes, tuple(words)).recoded(labels), labels)


def distinct(column: pa.ChunkedArray) -> tuple[NDArray[np.int32], list[str]]:
    """The distinct words of a column, and for each row the place of its word, −1 for none."""
    import numpy as np
    import pyarrow as pa

    cells = column if pa.types.is_integer(column.type) else as_text(column)
    if not pa.types.is_dictionary(cells.type):
        cells = cells.dictionary_encode()
    whole = cells.unify_dictionaries().combine_chunks()
    if isinstance(whole, pa.ChunkedArray):  # of no rows
        whole = pa.DictionaryArray.from_arrays(pa.array([], pa.int32()), pa.array([], pa.string()))
    codes = whole.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    words = [word or "" for word in whole.dictionary.cast(pa.string()).to_pylist()]
    return codes.astype(np.int32, copy=False), words


def numbers(column: pa.ChunkedArray, *, are_scores: bool = False) -> Numbers:
    """A column of numbers, whether written as such or as words; scores may have labels."""
    import numpy as np
    import pyarrow as pa

    kind = column.type
    if pa.types.is_boolean(kind) or pa.types.is_integer(kind) or pa.types.is_floating(kind):
        value = column.cast(pa.float64()).to_numpy()
        return Numbers(value, np.isinf(value))
    fast = None if pa.types.is_dictionary(kind) else _cast(column, pa.float64())
    if fast is not None:
        value = fast.to_numpy()
        return Numbers(value, np.isinf(value))
    codes, words = distinct(column)
    plain = plain_scores(words, is_missing) if are_scores else plain_numbers(words)
    value = np.array([*map(number, plain.words), np.nan])
    is_wrong = np.array([*(not is_missing(word) for word in words), False]) & ~np.isfinite(value)
    return Numbers(np.where(is_wrong, np.nan, value)[codes], is_wrong[codes], plain.notes)


def number(word: str) -> float:
    """A number as people write it, NaN for all else: Python would read 1_0 as 10."""
    try:
        return float(word) if word.isascii() and "_" not in word else float("nan")
    except ValueError:
        return float("nan")


def by_word(
    column: pa.ChunkedArray, read: Callable[[str], float | None], *, absent: float = float("nan")
) -> Numbers:
    """A number for each word; what `read` gives None for is wrong."""
    import numpy as np

    codes, words = distinct(column)
    found = [absent if not word else read(word) for word in words]
    value = np.array([*(np.nan if each is None else each for each in found), absent])
    is_wrong = np.array([*(each is None for each in found), False])
    return Numbers(value[codes], is_wrong[codes])


def truth(word: str) -> float | None:
    """1 for true, 0 for false, None for neither."""
    bare = word.strip().casefold()
    return 1.0 if bare in _TRUE else 0.0 if bare in _FALSE else None


def is_truth(column: pa.ChunkedArray) -> bool:
    """Whether a column holds true and false, not words or numbers."""
    import pyarrow as pa

    return bool(pa.types.is_boolean(column.type))


def is_missing(word: str) -> bool:
    """Whether a cell says that there is no number or choice."""
    return word.strip().casefold() in MISSING


def moments(column: pa.ChunkedArray) -> Moments:
    """A column of times; one without a zone is taken to be in UTC."""
    import numpy as np
    import pyarrow as pa

    kind = column.type
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        naive = pa.types.is_date(kind) or kind.tz is None
        value = column.cast(pa.timestamp("us")).to_numpy()
        return Moments(value, np.zeros(len(value), dtype=np.bool_), lacks_zone=naive)
    codes, words = distinct(column)
    read = read_moments(words)
    in_utc = [each.astimezone(UTC).replace(tzinfo=None) if each else None for each in read.found]
    pairs = zip(read.found, words, strict=True)
    is_wrong = np.array([*(not each and bool(word) for each, word in pairs), False])
    return Moments(
        np.array([*in_utc, None], dtype="datetime64[us]")[codes],
        is_wrong.astype(np.bool_)[codes],
        lacks_zone=read.lacks_zone,
        notes=read.notes,
    )


def _is_small(column: pa.ChunkedArray) -> bool:
    import pyarrow.compute as pc

    largest = pc.max(pc.abs(column)).as_py()
    return largest is not None and largest < 2**53  # exact as a whole number


def _cast(column: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray | None:
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        text = column.cast(pa.string())
        return pc.if_else(pc.equal(text, ""), None, text).cast(kind)
    except pa.ArrowInvalid:
        return None
