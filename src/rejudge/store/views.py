"""What researchers see: people, progress, times, the log, and the answers for analysis."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import groupby
from operator import attrgetter

from sqlalchemy import and_, bindparam, func, select

from rejudge.collect.assignment import Assignment, Occupancy, PastAssignment, Status
from rejudge.collect.visit import Visit, is_at_gate, step_of
from rejudge.judgments.answers import Answer
from rejudge.store import gate, seats, tables, work
from rejudge.store.records import (
    AnswerRow,
    BatchPace,
    EventRow,
    Happening,
    Identity,
    LogEntry,
    ParticipantStatus,
    Progress,
    State,
    Tombstone,
)
from rejudge.store.registering import RegisteredStudy
from rejudge.store.statement import Row, SqlStatement, Transaction
from rejudge.store.tables import moment
from rejudge.store.visits import ASSIGNMENT_COLUMNS, VISIT_COLUMNS, as_assignment, as_visit

_LONGEST_PAUSE = 300.0  # seconds of a page that count where no page tells
_NOW = timedelta(minutes=5)  # whoever gave a sign of life since then is here

_a, _v, _p, _n, _e = (
    tables.assignment, tables.visit, tables.participant, tables.answer, tables.event,
)  # fmt: skip
_WITH_NAME = _a.join(_p, _p.c.id == _a.c.participant)
_ASSIGNMENTS = SqlStatement(
    select(*ASSIGNMENT_COLUMNS, _p.c.name.label("participant"))
    .select_from(_WITH_NAME)
    .where(_a.c.study == bindparam("study"))
    .order_by(_a.c.id)
)
_VISITS = SqlStatement(
    select(
        *VISIT_COLUMNS,
        *ASSIGNMENT_COLUMNS,
        _v.c.device,
        _v.c.language,
        _v.c.time_zone,
        _v.c.is_zone_odd,
    )
    .select_from(_v.join(_p, _p.c.id == _v.c.participant).outerjoin(_a, _a.c.visit == _v.c.id))
    .where(_v.c.study == bindparam("study"))
    .order_by(_v.c.participant, _v.c.id, _a.c.id)
)
# A page may be saved several times while it is open; what it tells of itself grows meanwhile, so
# the largest value of a showing counts, and showings of a page add up.
_pages = (
    select(
        _n.c.visit,
        _n.c.assignment,
        _n.c.task,
        func.max(_n.c.active_seconds).label("seconds"),
        func.max(_n.c.changes).label("changes"),
        func.max(_n.c.blurs).label("blurs"),
        func.max(_n.c.saved_at).label("saved_at"),
    )
    .select_from(_n.join(_v, _v.c.id == _n.c.visit))
    .where(_v.c.study == bindparam("study"))
    .group_by(_n.c.visit, _n.c.assignment, _n.c.task, _n.c.shown_at)
    .subquery()
)
_TIMES = SqlStatement(
    select(
        _pages.c.visit,
        _pages.c.assignment,
        func.count(_pages.c.task.distinct()).label("tasks"),
        func.sum(_pages.c.seconds).label("seconds"),
        func.sum(_pages.c.changes).label("changes"),
        func.sum(_pages.c.blurs).label("blurs"),
        func.max(_pages.c.saved_at).label("saved_at"),
    ).group_by(_pages.c.visit, _pages.c.assignment)
)
_DONE_BY_OTHERS: tuple[Happening, ...] = (  # no sign of life
    "expired", "failed", "filled", "accepted", "excluded", "returned",
)  # fmt: skip
_LAST_EVENTS = SqlStatement(
    select(_e.c.visit, func.max(_e.c.at).label("last"))
    .where(_e.c.study == bindparam("study"), and_(*(_e.c.what != what for what in _DONE_BY_OTHERS)))
    .group_by(_e.c.visit)
)
_ANSWERS = SqlStatement(
    select(
        _n.c.id,
        _n.c.assignment,
        _n.c.task,
        _n.c.question,
        _n.c.raw,
        _n.c.position,
        _n.c.shown_at,
        _n.c.saved_at,
        _n.c.active_seconds,
        _a.c.batch,
        _a.c.status,
        _a.c.submitted_at,
        _p.c.name,
    )
    .select_from(_n.join(_a, _a.c.id == _n.c.assignment).join(_p, _p.c.id == _a.c.participant))
    .where(_a.c.study == bindparam("study"))
    .order_by(_n.c.assignment, _n.c.id)
)
_EVERY_ANSWER = SqlStatement(
    select(_n, _a.c.batch, _p.c.name)
    .select_from(
        _n.join(_v, _v.c.id == _n.c.visit)
        .join(_p, _p.c.id == _v.c.participant)
        .outerjoin(_a, _a.c.id == _n.c.assignment)
    )
    .where(_v.c.study == bindparam("study"))
    .order_by(_n.c.id)
)
_EVENTS = SqlStatement(
    select(_e, _p.c.name)
    .select_from(_e.join(_v, _v.c.id == _e.c.visit).join(_p, _p.c.id == _v.c.participant))
    .where(_e.c.study == bindparam("study"))
    .order_by(_e.c.id)
)
_i = tables.identity
_IDENTITIES = SqlStatement(
    select(
        _p.c.name,
        _i.c.visit,
        _i.c.recruiter,
        _i.c.person,
        _i.c.session,
        _v.c.sent_to,
        _v.c.consented_at,
    )
    .select_from(_i.join(_v, _v.c.id == _i.c.visit).join(_p, _p.c.id == _v.c.participant))
    .where(_i.c.study == bindparam("study"))
    .order_by(_i.c.visit)
)
_LOG = SqlStatement(
    select(tables.log).where(tables.log.c.study == bindparam("study")).order_by(tables.log.c.id)
)
_TOMBSTONES = SqlStatement(
    select(tables.tombstone)
    .where(tables.tombstone.c.study == bindparam("study"))
    .order_by(tables.tombstone.c.id)
)


def assignments(transaction: Transaction, known: RegisteredStudy) -> tuple[Assignment, ...]:
    """All assignments, in the order of claiming."""
    rows = transaction.rows(_ASSIGNMENTS, study=known.id)
    return tuple(as_assignment(known, row) for row in rows)


def people(
    transaction: Transaction, known: RegisteredStudy, *, now: datetime
) -> tuple[ParticipantStatus, ...]:
    """Everybody, in the order of arrival."""
    times = transaction.rows(_TIMES, study=known.id)
    last = {row.visit: row.last for row in transaction.rows(_LAST_EVENTS, study=known.id)}
    for row in times:
        last[row.visit] = max(last.get(row.visit, 0), row.saved_at)
    by_assignment = {row.assignment: row for row in times if row.assignment is not None}
    rows = transaction.rows(_VISITS, study=known.id)
    found = gate.gate(transaction, known)
    is_held = found is not None and not found.is_open
    return tuple(
        _as_person(known, list(own), by_assignment, last, now=now, is_held=is_held)
        for _, own in groupby(rows, key=attrgetter("participant"))
    )


def _as_person(
    known: RegisteredStudy,
    rows: list[Row],
    times: Mapping[int, Row],
    last: Mapping[int, int],
    *,
    now: datetime,
    is_held: bool,
) -> ParticipantStatus:
    visits = [as_visit(known, list(own)) for _, own in groupby(rows, key=attrgetter("id"))]
    visit, newest = visits[-1], rows[-1]
    own = [each for one in visits for each in one.assignments]
    shown = visit.current or (own[-1] if own else None)
    spent = [times[each.id] for each in own if each.id in times]
    past = [PastAssignment(each.batch, each.status) for each in own]
    is_waiting = is_held and is_at_gate(known.plan, past)
    step = step_of(known.study, visit, has_next_batch=False, is_waiting=is_waiting)
    seen = [moment(last[one.id]) if one.id in last else one.arrived_at for one in visits]
    spans = [there - one.arrived_at for one, there in zip(visits, seen, strict=True)]
    has_ended = step in {"thanks", "declined", "screened-out", "full", "not-qualified"}
    return ParticipantStatus(
        participant=visit.participant,
        visit=visit.id,
        arrived_at=visits[0].arrived_at,
        last_seen_at=max(seen),
        step=step,
        batch=shown.batch if shown else None,
        answered=times[shown.id].tasks if shown and shown.id in times else 0,
        tasks=len(known.plan.batch[shown.batch].tasks) if shown else 0,
        statuses={each.batch: each.status for each in own},
        assignments={each.batch: each.id for each in own},
        active_minutes=sum(row.seconds or 0.0 for row in spent) / 60,
        wall_minutes=sum(spans, start=timedelta()).total_seconds() / 60,
        failed_checks=sum(each.failed_checks or 0 for each in own),
        changes=sum(int(row.changes) for row in spent),
        blurs=sum(int(row.blurs) for row in spent),
        device=newest.device,
        language=newest.language,
        time_zone=newest.time_zone,
        flags=_flags(visits, own, newest),
        is_now=not has_ended and now - max(seen) <= _NOW,
    )


def _flags(visits: Sequence[Visit], own: Sequence[Assignment], newest: Row) -> tuple[str, ...]:
    holds = {
        "time-zone": bool(newest.is_zone_odd),
        "surplus": any(each.status == "surplus" for each in own),
        "failed-checks": any(each.failed_checks for each in own),
        "second-session": len(visits) > 1,
        "barred": bool(newest.is_barred),
    }
    return tuple(flag for flag, is_so in holds.items() if is_so)


def identities(transaction: Transaction, known: RegisteredStudy) -> tuple[Identity, ...]:
    """Which platform id is behind which pseudonym."""
    return tuple(
        Identity(
            row.name,
            row.visit,
            row.recruiter,
            row.person,
            row.session,
            row.sent_to,
            has_consented=row.consented_at is not None,
        )
        for row in transaction.rows(_IDENTITIES, study=known.id)
    )


def paces(transaction: Transaction, known: RegisteredStudy) -> tuple[BatchPace, ...]:
    """How long the finished assignments took, in the order of submission."""
    seconds = {row.assignment: row.seconds for row in transaction.rows(_TIMES, study=known.id)}
    done = sorted(
        (each.submitted_at, each.id, each)
        for each in assignments(transaction, known)
        if each.submitted_at is not None
    )
    return tuple(
        BatchPace(
            participant=each.participant,
            batch=each.batch,
            status=each.status,
            active_minutes=None if (active := seconds.get(number)) is None else active / 60,
            wall_minutes=(at - each.claimed_at).total_seconds() / 60,
            submitted_at=at,
        )
        for at, number, each in done
    )


def progress(transaction: Transaction, known: RegisteredStudy, *, now: datetime) -> Progress:
    """How far the study is."""
    main = [
        occupancy
        for occupancy in seats.occupancies(transaction, known)
        if not known.plan.batch[occupancy.batch].is_calibration
    ]
    everybody = people(transaction, known, now=now)
    given = assignments(transaction, known)
    submitted = [each.submitted_at for each in given if each.submitted_at is not None]
    return Progress(
        state=_state(transaction, known),
        **_sums(main),
        assignments=dict(Counter(each.status for each in given)),
        participants=len(everybody),
        withdrawn=len(transaction.rows(_TOMBSTONES, study=known.id)),
        people_now=sum(person.is_now for person in everybody),
        finished_people=sum(person.step == "thanks" for person in everybody),
        turned_away=sum(person.step == "full" for person in everybody),
        declined=sum(person.step == "declined" for person in everybody),
        not_qualified=sum(person.step == "not-qualified" for person in everybody),
        qualifying=sum(person.step == "qualification" for person in everybody),
        screened_out=sum(person.step == "screened-out" for person in everybody),
        first_arrival_at=min((person.arrived_at for person in everybody), default=None),
        last_submission_at=max(submitted, default=None),
    )


def _sums(main: Collection[Occupancy]) -> dict[str, int]:
    return {
        "batches": len(main),
        "complete_batches": sum(0 < occupancy.places <= occupancy.done for occupancy in main),
        "places": sum(occupancy.places for occupancy in main),
        "done": sum(occupancy.done for occupancy in main),
        "held": sum(occupancy.held for occupancy in main),
    }


def _state(transaction: Transaction, known: RegisteredStudy) -> State:
    found = work.state(transaction, known)
    return "paused" if found == "paused" else "open" if found == "open" else "closed"


def answers(
    transaction: Transaction, known: RegisteredStudy, *, statuses: Iterable[Status] | None
) -> Iterator[Answer]:
    """The last answer to every question of every task, of assignments in these states."""
    wanted = None if statuses is None else frozenset(statuses)
    rows = transaction.stream(_ANSWERS, study=known.id)
    for _, own in groupby(rows, key=attrgetter("assignment")):
        given = list(own)
        if wanted is None or given[0].status in wanted:
            yield from _last_answers(known, given)


def _last_answers(known: RegisteredStudy, given: Sequence[Row]) -> Iterator[Answer]:
    last = {(row.task, row.question): row for row in given}
    seconds = _seconds_of(given)
    for row in last.values():
        yield Answer(
            participant=row.name,
            batch=known.batch_names[row.batch],
            task=row.task,
            question=row.question,
            raw=row.raw,
            position=row.position,
            seconds=seconds.get(row.task),
            submitted_at=None if row.submitted_at is None else moment(row.submitted_at),
            state=row.status,
        )


def _seconds_of(given: Sequence[Row]) -> dict[str, float]:
    """The seconds spent on each task of an assignment; the showings of a task add up.

    A page tells how long somebody was active on it, which is believed up to the time that passed on
    our own clock. Without a script it tells nothing, and our clock counts: a pause of more than
    five minutes is cut, and tasks on one page share its time.
    """
    told: dict[tuple[str, int], float | None] = {}
    saved: dict[int, int] = {}
    for row in given:
        key, active = (row.task, row.shown_at), row.active_seconds
        before = told.get(key)
        told[key] = before if active is None else max(before or 0.0, active)
        saved[row.shown_at] = max(saved.get(row.shown_at, 0), row.saved_at)
    tasks = Counter(shown for _, shown in told)
    seconds: dict[str, float] = {}
    for (task, shown), active in told.items():
        passed = max(0.0, (saved[shown] - shown) / 1_000_000)
        own = min(passed, _LONGEST_PAUSE) / tasks[shown] if active is None else active
        seconds[task] = seconds.get(task, 0.0) + min(own, passed)
    return seconds


def answer_rows(transaction: Transaction, known: RegisteredStudy) -> Iterator[AnswerRow]:
    """Every answer ever stored, as it came."""
    for row in transaction.stream(_EVERY_ANSWER, study=known.id):
        yield AnswerRow(
            participant=row.name,
            batch=None if row.batch is None else known.batch_names[row.batch],
            task=row.task,
            question=row.question,
            raw=row.raw,
            position=row.position,
            shown_at=moment(row.shown_at),
            saved_at=moment(row.saved_at),
            active_seconds=row.active_seconds,
            changes=row.changes,
            blurs=row.blurs,
        )


def events(transaction: Transaction, known: RegisteredStudy) -> tuple[EventRow, ...]:
    """What happened to participants, in order."""
    return tuple(
        EventRow(
            at=moment(row.at),
            participant=row.name,
            batch=None if row.batch is None else known.batch_names[row.batch],
            what=row.what,
            detail=row.detail,
        )
        for row in transaction.rows(_EVENTS, study=known.id)
    )


def log(transaction: Transaction, known: RegisteredStudy) -> tuple[LogEntry, ...]:
    """The audit log, in order."""
    return tuple(
        LogEntry(
            id=row.id,
            at=moment(row.at),
            who=row.who,
            what=row.what,
            participant=row.participant,
            batch=row.batch,
            reason=row.reason,
        )
        for row in transaction.rows(_LOG, study=known.id)
    )


def tombstones(transaction: Transaction, known: RegisteredStudy) -> tuple[Tombstone, ...]:
    """Who withdrew."""
    return tuple(
        Tombstone(
            participant=row.participant,
            at=moment(row.at),
            assignments=row.assignments,
            finished=row.finished,
            answers=row.answers,
        )
        for row in transaction.rows(_TOMBSTONES, study=known.id)
    )
