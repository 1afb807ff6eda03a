"""Numbers and times as people and spreadsheets write them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

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
        (_is_serial, _serial, "Numbers are read as the days that Excel counts."),
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
