"""The responses that Qualtrics exports: sessions with their times in UTC, without personal columns.

An export has three header rows: export tags, question texts, and import ids in JSON, which name the
time zone of the dates. A row is a session, so one person can have several.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from statistics import median
from typing import Any, Final, Literal, TypeAlias
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from rejudge.errors import FileError, Problem
from rejudge.exchange.survey_tables import SurveyTable

Standing: TypeAlias = Literal["finished", "unfinished", "preview"]

_HEADER_ROWS: Final = 3
_INVISIBLE: Final = "\u2062"  # stands for an empty label
_IDLE_TIMES: Final = 4  # as long as the median session: probably left open
PERSONAL: Final = frozenset(
    {
        "ipaddress", "recipientlastname", "recipientfirstname", "recipientemail",
        "externalreference", "externaldatareference", "locationlatitude", "locationlongitude",
    }
)  # fmt: skip
_FRAME: Final = frozenset(  # what describes a session and not an answer
    {
        "startdate", "enddate", "status", "progress", "duration (in seconds)", "finished",
        "recordeddate", "responseid", "distributionchannel", "userlanguage",
    }
)  # fmt: skip
_TESTS: Final = frozenset({"1", "2", "9", "17"})  # previews, tests, and both as possible spam
_SPAM: Final = frozenset({"8", "12", "40"})
_AGAIN = "Export it again in Qualtrics (Data & Analysis, Export data, CSV) and do not change it."


@dataclass(frozen=True, slots=True)
class Session:
    """One row of an export: who answered what, from when to when."""

    file: str
    row: int  # as a spreadsheet counts, from 1
    response: str  # Qualtrics' own id of the row
    person: str  # as typed or embedded; never leaves the reader of the file
    standing: Standing
    is_spam: bool  # Qualtrics calls it possible spam
    started_at: datetime | None
    ended_at: datetime | None
    seconds: float | None  # from start to end, however many days
    answers: Mapping[str, str]  # by export tag, blank ones left out

    @property
    def key_of_time(self) -> tuple[datetime, str, int]:
        """Sorts sessions by when they ended."""
        return self.ended_at or datetime.max.replace(tzinfo=UTC), self.file, self.row


@dataclass(frozen=True, slots=True)
class Responses:
    """All sessions of one export, and what its columns say about it."""

    sessions: tuple[Session, ...]
    tags: tuple[str, ...]  # columns that may hold answers
    zone: str
    has_choice_text: bool  # whether choices were exported as text; otherwise as numbers
    is_certain: bool  # whether the columns say which of the two it is
    personal: tuple[str, ...]  # columns that were left out


def is_export(rows: Sequence[Sequence[str]]) -> bool:
    """Whether rows begin as an export does: the third has import ids."""
    return len(rows) >= _HEADER_ROWS and any('"ImportId"' in cell for cell in rows[2])


def read_responses(table: SurveyTable, *, person_columns: Sequence[str]) -> Responses:
    """The sessions of an export. `person_columns` may name the participant, the best first."""
    if not is_export(table.rows):
        what = "this is not a Qualtrics export: the third row has no import ids."
        raise FileError(Problem(what, _AGAIN, file=table.file, line=1))
    header, _, imports = table.rows[:_HEADER_ROWS]
    ids = {tag: _import_id(cell) for tag, cell in zip(header, imports, strict=False)}
    personal = tuple(tag for tag in header if _is_personal(tag, ids))
    zone = _zone(ids, file=table.file)
    reader = _SessionReader(table.file, personal, zone, _first_used(table, person_columns))
    records = table.records(skip=_HEADER_ROWS)
    numbers = table.numbers[_HEADER_ROWS:]
    sessions = [reader.read(row, place) for row, place in zip(records, numbers, strict=True)]
    if reader.problems:
        raise FileError(*reader.problems[:20])
    kind = _choice_text(records)
    return Responses(
        tuple(sessions),
        tuple(tag for tag in header if tag and reader.may_answer(tag)),
        zone.key,
        has_choice_text=bool(kind),
        is_certain=kind is not None,
        personal=personal,
    )


def idle_limit(sessions: Iterable[Session]) -> float | None:
    """Sessions longer than this were probably left open: four times the median."""
    durations = [s.seconds for s in sessions if s.seconds is not None]
    return _IDLE_TIMES * median(durations) if durations else None


def minutes_by_person(sessions: Iterable[tuple[str, Session]]) -> dict[str, float]:
    """The minutes that each person's sessions took together."""
    total: dict[str, float] = {}
    for person, session in sessions:
        total[person] = total.get(person, 0.0) + (session.seconds or 0.0) / 60
    return total


def _first_used(table: SurveyTable, columns: Sequence[str]) -> tuple[str, ...]:
    known = {tag.casefold(): tag for tag in table.header}
    return tuple(known[name.casefold()] for name in columns if name.casefold() in known)


def _import_id(cell: str) -> Mapping[str, Any]:  # JSON values
    try:
        found = json.loads(cell)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _is_personal(tag: str, ids: Mapping[str, Mapping[str, Any]]) -> bool:
    named = str(ids.get(tag, {}).get("ImportId", ""))
    return tag.casefold() in PERSONAL or named.casefold() in PERSONAL


def _zone(ids: Mapping[str, Mapping[str, Any]], *, file: str) -> ZoneInfo:
    zones = sorted({str(each["timeZone"]) for each in ids.values() if each.get("timeZone")})
    if len(zones) != 1:
        what = f"the third row names {len(zones)} time zones; it must name one."
        raise FileError(Problem(what, _AGAIN, file=file, line=3))
    if zones[0] == "Z":
        return ZoneInfo("UTC")
    try:
        return ZoneInfo(zones[0])
    except (ZoneInfoNotFoundError, ValueError):
        what = f"the time zone '{zones[0]}' is not known on this machine."
        raise FileError(Problem(what, "Install tzdata.", file=file, line=3)) from None


def _choice_text(records: Iterable[Mapping[str, str]]) -> bool | None:
    """Whether choices are words, seen from columns that every export has; None: not certain."""
    finished = {row.get("Finished", "").strip().casefold() for row in records} - {""}
    status = {row.get("Status", "").strip().casefold() for row in records} - {""}
    if finished & {"true", "false"} or "ip address" in status:
        return True
    if finished <= {"0", "1"} and finished:
        return False
    return None


class _SessionReader:
    """Reads rows; a fault is noted and the next row read, so that all are found."""

    def __init__(
        self, file: str, personal: Sequence[str], zone: ZoneInfo, people: Sequence[str]
    ) -> None:
        self.problems: list[Problem] = []
        self._file = file
        self._left_out = {*personal, *people}
        self._zone = zone
        self._people = people

    def read(self, row: Mapping[str, str], number: int) -> Session:
        named = {tag.casefold(): cell.strip() for tag, cell in row.items()}
        started = self._moment(named.get("startdate", ""), "StartDate", number)
        ended = self._moment(named.get("enddate", ""), "EndDate", number, after=started)
        return Session(
            file=self._file,
            row=number,
            response=named.get("responseid", ""),
            person=next((row[c].strip() for c in self._people if row[c].strip()), ""),
            standing=_standing(named),
            is_spam=named.get("status", "") in _SPAM or "spam" in named.get("status", "").lower(),
            started_at=started,
            ended_at=ended,
            seconds=_seconds(started, ended, named.get("duration (in seconds)", "")),
            answers=dict(self._answers(row)),
        )

    def _answers(self, row: Mapping[str, str]) -> Iterable[tuple[str, str]]:
        for tag, cell in row.items():
            answer = cell.replace(_INVISIBLE, "").strip()
            if answer and self.may_answer(tag):
                yield tag, answer

    def may_answer(self, tag: str) -> bool:
        """Whether a column can hold answers: not the frame, no id, nothing personal."""
        return tag.casefold() not in _FRAME and tag not in self._left_out

    def _moment(
        self, cell: str, column: str, number: int, *, after: datetime | None = None
    ) -> datetime | None:
        if not cell:
            return None
        try:
            local = _local_time(cell)
        except ValueError:
            what = f"'{cell}' is not a Qualtrics date (2024-01-31 13:05:00)."
            self.problems.append(Problem(what, _AGAIN, self._file, field=f"row {number}, {column}"))
            return None
        moment = local.replace(tzinfo=self._zone).astimezone(UTC)
        if after is not None and moment < after:  # clocks were put back: the hour's second time
            return local.replace(tzinfo=self._zone, fold=1).astimezone(UTC)
        return moment


@lru_cache(maxsize=1024)
def _local_time(cell: str) -> datetime:
    return datetime.strptime(cell, "%Y-%m-%d %H:%M:%S")  # noqa: DTZ007 - the zone is in the header


def _seconds(started: datetime | None, ended: datetime | None, duration: str) -> float | None:
    """The whole duration: `timedelta.seconds` would lose full days."""
    if started is not None and ended is not None:
        return max(ended - started, timedelta()).total_seconds()
    try:
        return float(duration)
    except ValueError:
        return None


def _standing(named: Mapping[str, str]) -> Standing:
    status, channel = named.get("status", "").lower(), named.get("distributionchannel", "").lower()
    if (
        status in _TESTS
        or "preview" in status
        or "test" in status
        or channel in {"preview", "test"}
    ):
        return "preview"
    finished = named.get("finished", "1").lower() in {"1", "true"}
    return "finished" if finished else "unfinished"
