"""What the cells of a column say: words as codes, numbers, truths, times, choices and labels.

Numbers and times are read as people and spreadsheets write them. A column is looked at as a whole:
what one cell leaves open, such as `1,5` or `3/4/2024`, the others decide.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from rejudge.collect.assignment import STATUSES
from rejudge.errors import Problem, UsageError
from rejudge.judgments.table import KINDS, LARGEST, ORIGINS, SIDES, SMALLEST, Coded, Kind

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


# Choices between two systems

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


def choice_notes(by: ChoiceReading | None, words: Sequence[str]) -> Iterator[str]:
    """How the answers to comparisons were read."""
    yield _READINGS[by]
    if _counts_from_zero(words):
        yield "Of the answers 0 and 1, 1 is read as system_a and 0 as system_b."


_READINGS: Mapping[ChoiceReading | None, str] = {
    "system": "Choices are read as the ids of systems.",
    "side": "Choices are read as sides: a, left or 1 is system_a; b, right or 2 is system_b.",
    None: "Choices are read as the ids of systems in some rows, as sides in others.",
}


def _counts_from_zero(words: Sequence[str]) -> bool:
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


# Words of a closed list

_KIND_WORDS: Mapping[Kind, str] = {
    "real": "real main normal item",
    "check": "check control gold attention attention-check distractor catch",
    "practice": "practice training train example warm-up",
    "repeat": "repeat repeated retest duplicate",
    "dropped": "dropped",
}
CLOSED: Final[Mapping[str, tuple[str, ...]]] = {
    "kind": KINDS, "side": SIDES, "origin": ORIGINS, "state": STATUSES,
}  # fmt: skip
_CLOSED_CODES: Mapping[str, Mapping[str, int]] = {
    **{name: {word: code for code, word in enumerate(words)} for name, words in CLOSED.items()},
    "kind": {w: KINDS.index(kind) for kind, words in _KIND_WORDS.items() for w in words.split()},
}


def closed_codes(name: str, column: pa.ChunkedArray, *, absent: int) -> Numbers:
    """The codes of a column of kinds, sides, origins or states; `absent` is an empty cell's."""
    codes = _CLOSED_CODES[name]
    return by_word(
        column, lambda word: codes.get(word.strip().casefold().replace("_", "-")), absent=absent
    )


# Scores that are written as words, such as “Agree”

_LABEL: Final = re.compile(r"\s*(.+?)\s*=\s*([-+]?(?:\d+\.?\d*|\.\d+))\s*(?:,|$)")
_MOST_WORDS: Final = 12  # a scale has hardly more labels
_EXAMPLE: Final = "Write for instance --labels 'Disagree=1,Neutral=2,Agree=3'."


def parse_labels(typed: str) -> dict[str, float]:
    """Read `Disagree=1,Neutral=2,Agree=3`; a label may contain commas."""
    found: dict[str, float] = {}
    for match in _LABEL.finditer(typed):
        label, number = match[1], float(match[2])
        if found.setdefault(label, number) != number:
            what = f"'{label}' has two numbers, {found[label]:g} and {number:g}."
            raise UsageError(Problem(what, "Give each label one number.", field="--labels"))
    unread = _LABEL.sub("", typed).strip(", ")
    if unread or not found:
        raise UsageError(Problem(f"'{unread}' is unclear.", _EXAMPLE, field="--labels"))
    return found


def labelled_scores(column: pa.ChunkedArray, labels: Mapping[str, float]) -> Numbers:
    """A column of labels as numbers; a cell may also be a number itself."""
    by_label = _by_bare_label(labels)

    def read(word: str) -> float | None:
        if _bare_label(word) in by_label:
            return by_label[_bare_label(word)]
        if is_missing(word):
            return math.nan
        found = number(word)
        return None if math.isnan(found) else found

    return by_word(column, read)


def words_for_scores(words: Sequence[str]) -> bool:
    """Whether the words of a column are the labels of a scale: few, and none with a number."""
    said = {_bare_label(word) for word in words if not is_missing(word)}
    is_plain = not any(re.search(r"\d", word) or is_date(word) for word in said)
    return 1 < len(said) <= _MOST_WORDS and is_plain


def labels_remedy(words: Sequence[str]) -> str:
    """What to type for a column of labels, with the numbers left open."""
    said = sorted({word.strip() for word in words if not is_missing(word)})
    option = ",".join(f"{word}=…" for word in said)
    return f"State the score of each one: --labels '{option}'."


def _by_bare_label(labels: Mapping[str, float]) -> dict[str, float]:
    found: dict[str, float] = {}
    for label, number in labels.items():
        if not math.isfinite(number):
            what, remedy = f"the score of '{label}' is {number}.", "Give each label a number."
            raise UsageError(Problem(what, remedy, field="--labels"))
        if found.setdefault(_bare_label(label), number) != number:
            what = f"'{label}' is given twice, with different numbers."
            remedy = (
                "Labels that differ only in capitals count as equal. Give each label one number."
            )
            raise UsageError(Problem(what, remedy, field="--labels"))
    return found


def _bare_label(word: str) -> str:
    return " ".join(word.split()).casefold()
