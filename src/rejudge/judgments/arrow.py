"""Columns of a read table as numpy arrays: words as codes and labels, numbers, truths, moments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC
from typing import TYPE_CHECKING, Any

from rejudge.judgments.notation import plain_numbers, plain_scores, read_moments
from rejudge.judgments.table import LARGEST, SMALLEST, Coded
from rejudge.spreadsheet import unescaped

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray


MISSING = frozenset(
    {"", "na", "n/a", "n.a.", "#n/a", "<na>", "nan", "null", "missing", "-", "–", "."}
)  # where a number or a choice should be
_FIRST_SECOND, _LAST_SECOND = -62_135_596_800, 253_402_300_799  # of the years 1 to 9999
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


def plain_column(column: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """A column of words, numbers, truths or times, whatever type it has; None for any other.

    Bytes are words when they are UTF-8, as many programs write their words.
    """
    import pyarrow as pa

    kind = column.type
    try:
        if isinstance(kind, pa.BaseExtensionType):
            return plain_column(column.cast(kind.storage_type))
        if pa.types.is_dictionary(kind):
            is_plain = pa.types.is_string(kind.value_type)
            return column if is_plain else plain_column(column.cast(kind.value_type))
        if _is_as_it_should_be(kind):
            return column
        if pa.types.is_float16(kind):
            return column.cast(pa.float64())
        return None if pa.types.is_nested(kind) else column.cast(pa.string())
    except (pa.ArrowException, UnicodeDecodeError):
        return None


def _is_as_it_should_be(kind: pa.DataType) -> bool:
    from pyarrow import types

    is_number = types.is_integer(kind) or types.is_float32(kind) or types.is_float64(kind)
    is_time = types.is_timestamp(kind) or types.is_date(kind)
    return bool(is_number or is_time or types.is_string(kind) or types.is_boolean(kind))


def unescaped_column(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column of CSV with its words as they were before they were made safe for spreadsheets."""
    import pyarrow as pa

    if not pa.types.is_dictionary(column.type):
        return column
    chunks = [_unescaped_chunk(chunk) for chunk in column.chunks]
    return pa.chunked_array(chunks, column.type)


def _unescaped_chunk(chunk: pa.DictionaryArray) -> pa.DictionaryArray:
    import pyarrow as pa

    words = chunk.dictionary.to_pylist()
    plain = [word and unescaped(word) for word in words]
    if plain == words:
        return chunk
    places = {word: place for place, word in enumerate(dict.fromkeys(plain))}
    indices = pa.array([places[word] for word in plain], pa.int32()).take(chunk.indices)
    return pa.DictionaryArray.from_arrays(indices, pa.array(list(places), pa.string()))


def as_text(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column as words, as they are; whole numbers without a decimal point."""
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
    codes = as_array(whole.indices.fill_null(-1) if whole.indices.null_count else whole.indices)
    words = [word or "" for word in whole.dictionary.cast(pa.string()).to_pylist()]
    return codes.astype(np.int32, copy=False), words


def as_array(column: pa.Array | pa.ChunkedArray) -> NDArray[Any]:  # of the type of the column
    """A column of numbers as an array. Where no cell is empty its memory is read directly, since
    PyArrow's own conversion first loads pandas, if that is installed (0.2 s)."""
    import numpy as np
    import pyarrow as pa

    chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    if column.null_count or len(chunks) != 1:
        return np.asarray(column.to_numpy(zero_copy_only=False))
    kind = np.dtype(column.type.to_pandas_dtype())
    (only,) = chunks
    return np.frombuffer(only.buffers()[1], kind, len(only), only.offset * kind.itemsize)


def numbers(column: pa.ChunkedArray, *, are_scores: bool = False) -> Numbers:
    """A column of numbers, whether written as such or as words; scores may have labels."""
    import numpy as np
    import pyarrow as pa

    kind = column.type
    if pa.types.is_boolean(kind) or pa.types.is_integer(kind) or pa.types.is_floating(kind):
        value = as_array(column.cast(pa.float64(), safe=False))
        return Numbers(value, _is_out_of_range(value))
    fast = None if pa.types.is_dictionary(kind) else _cast(column, pa.float64())
    if fast is not None:
        value = as_array(fast)
        return Numbers(value, _is_out_of_range(value))
    codes, words = distinct(column)
    plain = plain_scores(words, is_missing) if are_scores else plain_numbers(words)
    value = np.array([*map(number, plain.words), np.nan])
    is_unread = np.array([*(not is_missing(word) for word in words), False]) & np.isnan(value)
    is_wrong = is_unread | _is_out_of_range(value)
    return Numbers(np.where(is_wrong, np.nan, value)[codes], is_wrong[codes], plain.notes)


def _is_out_of_range(value: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which numbers are so large or so small that their squares would be lost."""
    import numpy as np

    return np.asarray((np.abs(value) > LARGEST) | ((value != 0) & (np.abs(value) < SMALLEST)))


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
        value = column.cast(pa.timestamp("us"), safe=False).to_numpy()
        # Checked in seconds: in microseconds a time that is out of range may come round again.
        seconds = column.cast(pa.timestamp("s"), safe=False).cast(pa.int64()).to_numpy()
        is_wrong = (seconds < _FIRST_SECOND) | (seconds > _LAST_SECOND)
        return Moments(np.where(is_wrong, np.datetime64("NaT"), value), is_wrong, lacks_zone=naive)
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
