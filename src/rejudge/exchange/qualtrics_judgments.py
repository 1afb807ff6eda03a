"""From sessions of Qualtrics to judgments: whose answers count, and what happened to the others.

The first finished session of a person and list counts, by its end. Later ones are kept as repeats,
with which a person's agreement with themselves is measured. Unfinished ones are kept apart.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median

from rejudge.english import count, verb
from rejudge.errors import FileError, Problem
from rejudge.exchange.formats import Rejected
from rejudge.exchange.pseudonyms import (
    describe_pseudonyms,
    is_assigned_number,
    pseudonym_key,
    pseudonyms,
)
from rejudge.exchange.qualtrics_responses import Responses, Session, idle_limit, minutes_by_person
from rejudge.spreadsheet import csv_text

SESSIONS = "sessions.csv"
UNFINISHED = "unfinished.csv"
_SHOWN = 10


@dataclass(frozen=True, slots=True)
class Attempt:
    """What one person answered in one list in one session, and which attempt that was."""

    participant: str  # pseudonym
    batch: str
    number: int  # 1 counts, the others are repeats
    session: Session
    tags: tuple[str, ...]  # of the answers that belong to the list
    seconds: float | None = None  # on the list; None if others were done in the same session


@dataclass(frozen=True, slots=True)
class SessionSet:
    """All sessions of an import, sorted by what becomes of them."""

    attempts: tuple[Attempt, ...]
    unfinished: tuple[tuple[str, Session], ...]  # with pseudonyms
    previews: tuple[Session, ...]
    rejected: tuple[Rejected, ...]
    notes: tuple[str, ...]
    people: Mapping[str, str]  # pseudonym by id


def sort_sessions(
    responses: Sequence[Responses], batch_of: Callable[[str], str | None]
) -> SessionSet:
    """Decide which sessions count. `batch_of` gives the list of a tag, None for other columns."""
    sessions, repeated_rows = _distinct(responses)
    named, rejected, unnamed = _with_people(sessions)
    key = pseudonym_key()
    people = _pseudonyms(named, key)
    finished = [s for s in named if s.standing == "finished"]
    attempts = tuple(_attempts(finished, people, batch_of))
    unfinished = tuple((people[s.person], s) for s in named if s.standing == "unfinished")
    previews = tuple(s for s in sessions if s.standing == "preview")
    notes = [
        *repeated_rows,
        *unnamed,
        *_standing_notes(len(previews), len(unfinished), finished),
        *_attempt_notes(attempts),
        *_people_notes(people, key),
        *_time_notes(attempts),
    ]
    return SessionSet(attempts, unfinished, previews, tuple(rejected), tuple(notes), people)


def session_files(found: SessionSet, is_mapped: Callable[[str], bool]) -> dict[str, bytes]:
    """The times of every session, and the answers of unfinished ones."""
    limit = idle_limit(each.session for each in found.attempts)
    head = ("participant", "list", "attempt", "standing", "started_at", "ended_at", "seconds",
            "answers", "left_open")  # fmt: skip
    rows = [
        _session_row((a.participant, a.batch, a.number), a.session, len(a.tags), limit)
        for a in found.attempts
    ]
    rows += [
        _session_row((person, "", None), s, sum(map(is_mapped, s.answers)), limit)
        for person, s in found.unfinished
    ]
    rows += [_session_row(("", "", None), s, 0, limit) for s in found.previews]
    files = {SESSIONS: csv_text([head, *rows]).encode()}
    left = [
        (person, tag, answer)
        for person, session in found.unfinished
        for tag, answer in session.answers.items()
        if is_mapped(tag)
    ]
    if left:
        files[UNFINISHED] = csv_text([("participant", "tag", "answer"), *left]).encode()
    return files


def lists_of(responses: Sequence[Responses], tags: Sequence[str]) -> dict[str, str]:
    """Which list a tag belongs to, seen from what finished sessions answered together."""
    first = {tag: tag for tag in tags}

    def root(tag: str) -> str:
        while first[tag] != tag:
            first[tag] = first[first[tag]]
            tag = first[tag]
        return tag

    for each in responses:
        for session in (s for s in each.sessions if s.standing == "finished"):
            together = [tag for tag in session.answers if tag in first]
            for tag in together[1:]:
                first[root(tag)] = root(together[0])
    roots = {each: number for number, each in enumerate(dict.fromkeys(map(root, tags)), start=1)}
    return {tag: f"list {roots[root(tag)]}" for tag in tags}


def unmapped_columns(
    responses: Sequence[Responses], is_mapped: Callable[[str], bool]
) -> Iterator[str]:
    """Columns with answers that no judgment was made from, and how many answers they have."""
    used = Counter(
        tag
        for each in responses
        for session in each.sessions
        for tag in session.answers
        if not is_mapped(tag)
    )
    listed = [f"{tag} ({count(number, 'answer')})" for tag, number in sorted(used.items())]
    yield from listed[:_SHOWN]
    if len(listed) > _SHOWN:
        yield f"and {len(listed) - _SHOWN} more columns"


def file_notes(responses: Sequence[Responses]) -> Iterator[str]:
    """Notes on time zones and personal columns."""
    zones = sorted({each.zone for each in responses})
    yield f"Dates were converted to UTC from {' and '.join(zones)}."
    personal = sorted({column for each in responses for column in each.personal})
    if personal:
        yield f"Personal columns were left out: {', '.join(personal)}."


def _session_row(
    whose: tuple[str, str, int | None], session: Session, answers: int, limit: float | None
) -> tuple[str | int | float | None, ...]:
    """One row of the table of times; `whose` is the person, the list and the attempt."""
    moments = (session.started_at, session.ended_at)
    times = [None if moment is None else moment.isoformat() for moment in moments]
    is_long = limit is not None and session.seconds is not None and session.seconds > limit
    left_open = "yes" if is_long and session.standing == "finished" else "no"
    return *whose, session.standing, *times, session.seconds, answers, left_open


def _distinct(responses: Sequence[Responses]) -> tuple[list[Session], list[str]]:
    """Every session once, in the order of their ends; exports may overlap."""
    by_id: dict[str, Session] = {}
    again = 0
    for each in responses:
        for session in each.sessions:
            name = session.response or f"{session.file}:{session.row}"
            again += name in by_id
            kept = by_id.setdefault(name, session)
            if kept.answers != session.answers:
                what = "two rows have the same ResponseId but different answers."
                raise FileError(
                    Problem(what, "Keep one of them.", session.file, field=f"row {session.row}")
                )
    notes = [f"{count(again, 'row')} occurred in several files and counted once."] if again else []
    return sorted(by_id.values(), key=lambda session: session.key_of_time), notes


def _with_people(
    sessions: Sequence[Session],
) -> tuple[list[Session], list[Rejected], list[str]]:
    """Sessions whose participant is known; where no column names people, each row is one."""
    real = [s for s in sessions if s.standing != "preview"]
    if not any(s.person for s in real):
        note = "No column names the participants, so every row counts as a person."
        alone = [replace(s, person=s.response or f"row {s.row}") for s in real]
        return alone, [], [note] if real else []
    rejected = [
        Rejected(
            "the participant id is empty, so it is not known whose answers these are.",
            "Find out from the times who it was, and fill it in.",
            s.file,
            s.row,
        )
        for s in real
        if not s.person and s.standing == "finished"
    ]
    return [s for s in real if s.person], rejected, []


def _pseudonyms(sessions: Iterable[Session], key: bytes | None) -> dict[str, str]:
    """Numbers that were given out stay; every other id is replaced.

    Beside numbers that stay, a new one could be taken for one of them: `other001` cannot.
    """
    ids = list(dict.fromkeys(s.person for s in sessions))
    hidden = pseudonyms((each for each in ids if not is_assigned_number(each)), key=key)
    is_mixed = len(hidden) < len(ids) and key is None
    return {
        each: each if each not in hidden
        else f"other{hidden[each].removeprefix('p')}" if is_mixed
        else hidden[each]
        for each in ids
    }  # fmt: skip


def _attempts(
    finished: Iterable[Session],
    people: Mapping[str, str],
    batch_of: Callable[[str], str | None],
) -> Iterator[Attempt]:
    done: Counter[tuple[str, str]] = Counter()
    for session in finished:
        lists: dict[str, list[str]] = defaultdict(list)
        for tag in session.answers:
            batch = batch_of(tag)
            if batch is not None:
                lists[batch].append(tag)
        for batch, tags in lists.items():
            done[session.person, batch] += 1
            number = done[session.person, batch]
            seconds = session.seconds if len(lists) == 1 else None
            yield Attempt(people[session.person], batch, number, session, tuple(tags), seconds)


def _standing_notes(previews: int, unfinished: int, finished: Sequence[Session]) -> Iterator[str]:
    if previews:
        yield f"{count(previews, 'preview or test session')} left out."
    if unfinished:
        yield (
            f"{count(unfinished, 'unfinished session')} kept apart: times in {SESSIONS}, "
            f"answers in {UNFINISHED}."
        )
    spam = sum(session.is_spam for session in finished)
    if spam:
        were = verb(spam, "was", "were")
        yield f"{count(spam, 'session')} that Qualtrics marks as possible spam {were} kept."


def _attempt_notes(attempts: Sequence[Attempt]) -> Iterator[str]:
    again = [each for each in attempts if each.number > 1]
    if again:
        people = sorted({each.participant for each in again})
        yield (
            f"{count(len(again), 'list')} done again by {', '.join(people[:_SHOWN])}: the first "
            "session by its end counts, later ones are kept as repeats."
        )


def _people_notes(people: Mapping[str, str], key: bytes | None) -> Iterator[str]:
    hidden = [pseudonym for name, pseudonym in people.items() if name != pseudonym]
    if 0 < len(hidden) < len(people):
        listed = ", ".join(hidden[:_SHOWN])
        more = " and others" if len(hidden) > _SHOWN else ""
        stand = verb(len(hidden), "stands for another id", "stand for other ids")
        yield f"Numbers that were given out are kept; {listed}{more} {stand}."
    if hidden:
        yield describe_pseudonyms("Participant ids" if len(hidden) == len(people) else "These",
                                  key=key)  # fmt: skip
    plain: dict[str, list[str]] = defaultdict(list)
    for name, pseudonym in people.items():
        plain[name.casefold().lstrip("0 ")].append(pseudonym)
    for same in plain.values():
        if len(same) > 1:
            yield f"{' and '.join(same)} may be one person who typed the id in different ways."


def _time_notes(attempts: Sequence[Attempt]) -> Iterator[str]:
    sessions = {id(a.session): (a.participant, a.session) for a in attempts}.values()
    seconds = [session.seconds for _, session in sessions if session.seconds is not None]
    if not seconds:
        return
    limit = idle_limit(session for _, session in sessions) or 0.0
    long = sum(each > limit for each in seconds)
    total = minutes_by_person(sessions)
    yield (
        f"A session took {median(seconds) / 60:.1f} minutes (median), a person "
        f"{median(total.values()):.0f} minutes in all."
    )
    if long:
        yield (
            f"{count(long, 'session')} took more than four times the median and were probably left "
            f"open: see {SESSIONS}."
        )
