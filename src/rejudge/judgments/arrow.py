"""Columns of a read table as numpy arrays: codes and labels, numbers, truths and times.

Numbers and times are read as people and spreadsheets write them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from rejudge.judgments.table import LARGEST, SMALLEST, Coded

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

_NUMBER = r"[-+]?\d+(?:[.,]\d+)?"
_LABELLED = re.compile(rf"({_NUMBER})\s*[-–—:=.)(\]\s]\s*([^\d\s][^\d]*)")  # 5 - very good
_IN_BRACKETS = re.compile(rf"([^\d]*[^\d\s(\[])\s*[(\[]\s*({_NUMBER})\s*[)\]]")  # very good (5)
_WITH_COMMA = re.compile(r"[-+]?\d+,\d+")
_THOUSANDS = re.compile(r"[-+]?[1-9]\d{0,2}(?:,\d{3})+")


@dataclass(frozen=True, slots=True)
class PlainWords:
    """Words with their numbers spelt for a computer, and what was done to them."""

    words: list[str]
    notes: tuple[str, ...] = ()


def plain_numbers(words: Sequence[str]) -> PlainWords:
    """Decimal commas as points, where a whole column allows no other reading.

    Commas are decimal if no number has a point and at least one cannot be a group of thousands:
    `1,500` alone may be 1.5 or 1500, and stays as it is.
    """
    bare = [word.strip().replace("\N{MINUS SIGN}", "-") for word in words]
    commas = [word for word in bare if "," in word]
    is_decimal = (
        commas
        and all(_WITH_COMMA.fullmatch(word) for word in commas)
        and not all(_THOUSANDS.fullmatch(word) for word in commas)
        and not any("." in word for word in bare)
    )
    if not is_decimal:
        return PlainWords(bare)
    note = f"Decimal commas are read as points: '{commas[0]}' is {commas[0].replace(',', '.')}."
    return PlainWords([word.replace(",", ".") for word in bare], (note,))


def plain_scores(words: Sequence[str], is_missing: Callable[[str], bool]) -> PlainWords:
    """The same for scores, which may carry a label or, all of them, a percent sign."""
    bare = [word.strip() for word in words]
    notes: list[str] = []
    pairs = [_split_label(word) for word in bare]
    found = {pair for pair in pairs if pair is not None}
    count = sum(not is_missing(word) for word in bare)
    if found and (_is_consistent(found) or _is_unit(pairs, count)):
        place = next(n for n, pair in enumerate(pairs) if pair is not None)
        bare = [word if pair is None else pair[0] for word, pair in zip(bare, pairs, strict=True)]
        notes.append(f"Labels of scores are dropped: '{words[place]}' is {bare[place]}.")
    given = [word for word in bare if not is_missing(word)]
    if given and all(word.endswith("%") for word in given):
        bare = [word.removesuffix("%").rstrip() for word in bare]
        notes.append(f"Percent signs are dropped: '{given[0]}' is {given[0][:-1].rstrip()}.")
    plain = plain_numbers(bare)
    return PlainWords(plain.words, (*notes, *plain.notes))


def _split_label(word: str) -> tuple[str, str] | None:
    """The number and the label of a point such as `5 - very good` or `very good (5)`."""
    before = _LABELLED.fullmatch(word)
    if before and "%" not in before[2]:
        return before[1], before[2].rstrip(") ]").casefold()
    behind = _IN_BRACKETS.fullmatch(word)
    return (behind[2], behind[1].casefold()) if behind else None


def _is_unit(pairs: Sequence[tuple[str, str] | None], given: int) -> bool:
    """Whether every number is followed by the same word, such as stars."""
    labels = [pair[1].removesuffix("s") for pair in pairs if pair is not None]
    return len(labels) == given and len(set(labels)) == 1


def _is_consistent(pairs: set[tuple[str, str]]) -> bool:
    """Whether each number has one label and each label one number: `3 min` and `3 h` have not."""
    return len(pairs) == len({n for n, _ in pairs}) == len({label for _, label in pairs})


_CLOCK = r"(?:[ T,]+(\d{1,2}):(\d{2})(?::(\d{2}))?(?:\.\d+)?)?"
_DOTTED = re.compile(rf"(\d{{1,2}})\.(\d{{1,2}})\.(\d{{4}}){_CLOCK}")
_SLASHED = re.compile(rf"(\d{{1,2}})/(\d{{1,2}})/(\d{{4}}){_CLOCK}")
_SERIAL = re.compile(r"\d{5}(?:[.,]\d+)?")
_DAY_ZERO = datetime(1899, 12, 30, tzinfo=UTC)  # of Excel
_SERIALS = range(20_000, 80_000)  # from 1954 to 2119
_MONTHS = 12


@dataclass(frozen=True, slots=True)
class ReadMoments:
    """Times, word by word, or None; whether some lack a zone; what was assumed."""

    found: list[datetime | None]
    lacks_zone: bool
    notes: tuple[str, ...] = ()


def read_moments(words: Sequence[str]) -> ReadMoments:
    """Times in ISO 8601, with dots (day first), with slashes, or as Excel counts days.

    Slashes are read only if some date in the column shows which number is the day.
    """
    bare = [word.strip() for word in words]
    given = [word for word in bare if word]
    for fits, read, note in (
        (_DOTTED.fullmatch, _read_dotted, ""),
        (_SLASHED.fullmatch, *_slash_reader(given)),
        (_is_serial, _serial, "Numbers are read as the day numbers of Excel."),
    ):
        if given and read is not None and all(fits(word) for word in given):
            found = [read(word) if word else None for word in bare]
            return ReadMoments(found, lacks_zone=True, notes=(note,) if note else ())
    return ReadMoments([_iso(word) for word in bare], any(map(_lacks_zone, bare)))


def is_date(word: str) -> bool:
    """Whether a word is a date and nothing else, as a spreadsheet makes of 3/4."""
    return bool(re.match(r"\d{4}-\d{2}-\d{2}", word)) or bool(_DOTTED.fullmatch(word))


def _iso(word: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(word)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):  # in UTC it may lie before the year 1
        return None


def _lacks_zone(word: str) -> bool:
    try:
        return datetime.fromisoformat(word).tzinfo is None
    except ValueError:
        return False


def _datetime(day: str, month: str, year: str, clock: Sequence[str | None]) -> datetime | None:
    hour, minute, second = (int(part or 0) for part in clock)
    try:
        return datetime(int(year), int(month), int(day), hour, minute, second, tzinfo=UTC)
    except ValueError:
        return None


def _read_dotted(word: str) -> datetime | None:
    found = _DOTTED.fullmatch(word)
    return _datetime(found[1], found[2], found[3], found.groups()[3:]) if found else None


def _slash_reader(words: Sequence[str]) -> tuple[Callable[[str], datetime | None] | None, str]:
    """How to read dates with slashes, if that can be decided, and the note on it."""
    found = [match for word in words if (match := _SLASHED.fullmatch(word))]
    firsts, seconds = (max((int(m[place]) for m in found), default=0) for place in (1, 2))
    if (firsts > _MONTHS) == (seconds > _MONTHS):
        return None, ""
    day, month = (1, 2) if firsts > _MONTHS else (2, 1)

    def read(word: str) -> datetime | None:
        match = _SLASHED.fullmatch(word)
        return _datetime(match[day], match[month], match[3], match.groups()[3:]) if match else None

    order = "the day" if day == 1 else "the month"
    return read, f"In dates such as '{found[0][0]}', {order} comes first."


def _is_serial(word: str) -> bool:
    return bool(_SERIAL.fullmatch(word)) and int(word[:5]) in _SERIALS


def _serial(word: str) -> datetime | None:
    return _DAY_ZERO + timedelta(seconds=round(float(word.replace(",", ".")) * 86_400))


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
class ParsedMoments:
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


def encode_words(column: pa.ChunkedArray, first: Sequence[str] = ()) -> Coded:
    """A column of words as codes; an empty cell is absent."""
    codes, words = distinct(column)
    known = set(first)
    labels = (*first, *sorted({word for word in words if word and word not in known}))
    return Coded(Coded(codes, tuple(words)).recode(labels), labels)


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


def moments(column: pa.ChunkedArray) -> ParsedMoments:
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
        return ParsedMoments(
            np.where(is_wrong, np.datetime64("NaT"), value), is_wrong, lacks_zone=naive
        )
    codes, words = distinct(column)
    read = read_moments(words)
    in_utc = [each.astimezone(UTC).replace(tzinfo=None) if each else None for each in read.found]
    pairs = zip(read.found, words, strict=True)
    is_wrong = np.array([*(not each and bool(word) for each, word in pairs), False])
    return ParsedMoments(
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
