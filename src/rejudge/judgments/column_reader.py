"""Columns that mean the same in any table (names, numbers, times, kinds), and what a cell may say.

What is wrong in a cell is noted with its row; what was assumed is noted in words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rejudge.collect.assignment import STATUSES
from rejudge.judgments import arrow
from rejudge.judgments.arrow import Numbers, distinct, is_missing
from rejudge.judgments.columns import columns_option, trim_names, trimming_notes
from rejudge.judgments.table import KINDS, ORIGINS, SIDES, Coded, Kind

if TYPE_CHECKING:
    import pyarrow as pa

    Mask = NDArray[np.bool_]


SHOWN = 20  # so many faults are listed; a table of another kind would fill the screen
_LONGEST_SECONDS = 1000  # half of the judgments cannot well take longer
_LONGEST_SHOWN = 80  # characters of a cell


@dataclass(slots=True)
class Faults:
    """What is wrong in a table, as it is found: rows counted from 0, words and remedy."""

    count: int = 0
    found: list[tuple[int, str, str]] = field(default_factory=list)

    def add(self, is_wrong: Mask, say: Callable[[int], str], remedy: str) -> None:
        """Note each row that is marked; the first of them in words."""
        rows = np.flatnonzero(is_wrong)
        self.count += len(rows)
        self.found += [(row, say(row), remedy) for row in rows[:SHOWN].tolist()]


@dataclass(frozen=True)
class ColumnReader:
    """Reads the columns of a table that already have our names."""

    table: pa.Table
    names: Mapping[str, str]  # our name → the table's, for messages
    must_fit: frozenset[str]  # columns asked for by name: a cell that cannot be read is a fault
    is_own: bool = False  # a file in our own format, in which names are kept as they are
    faults: Faults = field(default_factory=Faults)
    notes: list[str] = field(default_factory=list)
    _read_words: dict[str, Coded] = field(default_factory=dict)

    def _words(self, name: str) -> Coded:
        if name not in self.table.column_names:
            return Coded(self._all(-1), ())
        if name not in self._read_words:
            found = arrow.encode_words(self.table[name])
            self._read_words[name] = found if self.is_own else self._trim(name, found)
        return self._read_words[name]

    def _trim(self, name: str, found: Coded) -> Coded:
        """Names without the spaces around them; where two would become one, both stay.

        A cell of spaces alone is empty.
        """
        spaced = trim_names(found.labels)
        self.notes.extend(trimming_notes(spaced, self.names[name]))
        words = [spaced.get(label, label) for label in found.labels]
        labels = tuple(sorted(word for word in words if word.strip()))
        return Coded(Coded(found.codes, tuple(words)).recode(labels), labels)

    def _whole(self, name: str) -> NDArray[np.int32]:
        read = self._read(name, lambda column: whole_numbers(arrow.numbers(column)))
        if read is None:
            return self._all(-1)
        if (read == 0).any():
            self.notes.append(f"{name}s are counted from 0 in the table, from 1 here.")
            read = read + 1
        return np.where(np.isnan(read), -1, read).astype(np.int32)

    def _seconds(self) -> NDArray[np.float64]:
        read = self._read("seconds", lambda column: not_negative(arrow.numbers(column)))
        if read is None or self._are_milliseconds(read):
            return np.broadcast_to(np.nan, len(self.table))
        return read

    def _are_milliseconds(self, read: NDArray[np.float64]) -> bool:
        """Whether a column whose name does not state its unit is hardly in seconds; noted."""
        name = self.names["seconds"]
        is_stated = "seconds" in self.must_fit or "second" in name.casefold()
        median = float(np.nanmedian(read)) if (~np.isnan(read)).any() else 0.0
        if is_stated or median <= _LONGEST_SECONDS:
            return False
        self.notes.append(
            f"the column '{name}' looked like seconds, but with a median of {median:,.0f} they may "
            "be milliseconds, so it is not read. If they are seconds: "
            f"{columns_option('seconds', name)}."
        )
        return True

    def _moments(self) -> NDArray[np.datetime64]:
        nothing = np.broadcast_to(np.datetime64("NaT", "us"), len(self.table))
        if "submitted_at" not in self.table.column_names:
            return nothing
        found = arrow.moments(self.table["submitted_at"])
        if not self._accepts("submitted_at", found.is_wrong):
            return nothing
        self.notes.extend(found.notes)
        if found.lacks_zone:
            self.notes.append("Times without a zone are taken to be in UTC.")
        return found.value

    def _kind(self, has_value: Mask) -> Coded:
        stated = self._read("kind", lambda column: arrow.by_word(column, kind_code, absent=0.0))
        codes = self._all(0) if stated is None else np.nan_to_num(stated)
        control = self._read(
            "control", lambda column: arrow.by_word(column, arrow.truth, absent=0.0)
        )
        if control is not None:
            codes = np.where((control > 0) & (codes == 0), KINDS.index("check"), codes)
        attempt = self._read("attempt", lambda column: whole_numbers(arrow.numbers(column)))
        if attempt is not None:
            again = (attempt > np.nanmin(attempt, initial=1)) & (codes == 0)
            codes = np.where(again, KINDS.index("repeat"), codes)
            count = int((again & has_value).sum())
            if count:
                self.notes.append(f"{count:,} rows of a later attempt are kept as repeats.")
        return Coded(codes.astype(np.int32, copy=False), KINDS)

    def _origin(self) -> Coded:
        read = self._read("origin", lambda column: arrow.by_word(column, origin_code, absent=0.0))
        return Coded(
            self._all(0) if read is None else np.nan_to_num(read).astype(np.int32), ORIGINS
        )

    def _state(self) -> Coded:
        """What became of the batch on our site; many tables call something else a state."""
        read = self._read("state", lambda column: arrow.by_word(column, state_code, absent=-1.0))
        if read is None:
            return Coded(self._all(-1), STATUSES)
        return Coded(np.nan_to_num(read, nan=-1).astype(np.int32), STATUSES)

    def _all(self, code: int) -> NDArray[np.int32]:
        """The same code in every row, kept once."""
        return np.broadcast_to(np.int32(code), len(self.table))

    def _read(
        self, name: str, read: Callable[[pa.ChunkedArray], Numbers]
    ) -> NDArray[np.float64] | None:
        """A column that need not be there, as numbers."""
        if name not in self.table.column_names:
            return None
        found = read(self.table[name])
        if not self._accepts(name, found.is_wrong):
            return None
        self.notes.extend(found.notes)
        return found.value

    def _accepts(self, name: str, is_wrong: Mask) -> bool:
        """Whether a column can be used; one that only looked like ours is left out with a note."""
        if not is_wrong.any():
            return True
        if name in self.must_fit:
            self.faults.add(
                is_wrong, lambda row: f"{name} is '{self._cell(name, row)}'.", REMEDIES[name]
            )
            return True
        cell = self._cell(name, int(is_wrong.argmax()))
        self.notes.append(
            f"the column '{self.names[name]}' looked like {name} but holds '{cell}', so it is not "
            "read."
        )
        return False

    def _cell(self, name: str, row: int) -> str:
        try:
            return _short(str(self.table[name][row].as_py()))
        except (ValueError, OverflowError):  # a time that Python does not know
            return "out of range"


def _short(cell: str) -> str:
    return cell if len(cell) <= _LONGEST_SHOWN else cell[: _LONGEST_SHOWN - 1] + "…"


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
    value = found.value
    is_whole = (value >= 0) & (value < 2**31 - 1) & (value == np.floor(value))
    is_wrong = found.is_wrong | ~is_whole & ~np.isnan(value)
    return Numbers(np.where(is_wrong, np.nan, value), is_wrong)


def not_negative(found: Numbers) -> Numbers:
    """Numbers from 0; all else is wrong."""
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
    bare = word.strip().casefold()
    return float(ORIGINS.index(bare)) if bare in ORIGINS else None


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
    ids, sides = (not np.isnan(read).any() for read in (by_id, by_side))
    if ids == sides:
        return None
    return "system" if ids else "side"


def _only(by_id: NDArray[np.float64], by_side: NDArray[np.float64]) -> ChoiceReading | None:
    """The way in which all answers were read, where one way reads them all."""
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
    place = {name.casefold(): code for code, name in reversed(tuple(enumerate(systems)))}
    exact = {name: code for code, name in enumerate(systems)}
    found = [exact.get(word, place.get(word.strip().casefold(), -2)) for word in words]
    return np.array([*found, -2], dtype=np.int64)


def _is_one_of(named: NDArray[np.int64], system: Coded) -> NDArray[np.bool_]:
    return np.asarray(named == system.codes)
