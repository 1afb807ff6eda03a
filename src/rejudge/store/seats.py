"""The places of a batch: who takes one, who gives one back, and the counters beside the rows.

Everything here runs inside a transaction that holds the study's lock.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from sqlalchemy import bindparam, func, or_, select, update

from rejudge.collect.assignment import (
    TAKES_PLACE,
    Assignment,
    Event,
    Occupancy,
    PastAssignment,
    Status,
    barred_batches,
    free_seat,
    has_place,
    may_resume,
    next_status,
    spare_places,
)
from rejudge.collect.visit import Visit
from rejudge.errors import DataError
from rejudge.store import qualifying, tables
from rejudge.store.records import Happening
from rejudge.store.registering import RegisteredStudy
from rejudge.store.statement import Row, SqlStatement, Transaction, insert_into
from rejudge.store.tables import stamp
from rejudge.store.visits import ASSIGNMENT_COLUMNS, as_assignment, tell

_a, _b, _p, _v = tables.assignment, tables.batch, tables.participant, tables.visit
_WITH_NAME = _a.join(_p, _p.c.id == _a.c.participant)
_ASSIGNMENT = SqlStatement(
    select(*ASSIGNMENT_COLUMNS, _p.c.name.label("participant"))
    .select_from(_WITH_NAME)
    .where(_a.c.id == bindparam("assignment"), _a.c.study == bindparam("study"))
)
_LAPSED = SqlStatement(
    select(*ASSIGNMENT_COLUMNS, _p.c.name.label("participant"))
    .select_from(_WITH_NAME)
    .where(
        _a.c.study == bindparam("study"),
        _a.c.status == "held",
        _a.c.expires_at <= bindparam("now"),
    )
    .order_by(_a.c.expires_at, _a.c.id)
)
_WAITING = SqlStatement(
    select(*ASSIGNMENT_COLUMNS, _p.c.name.label("participant"))
    .select_from(_WITH_NAME)
    .where(_a.c.batch == bindparam("batch"), _a.c.status == "surplus", _a.c.returned_at.is_(None))
    .order_by(_a.c.submitted_at, _a.c.id)
)
_PAST = SqlStatement(
    select(_a.c.id, _a.c.batch, _a.c.status).where(
        _a.c.study == bindparam("study"), _a.c.participant == bindparam("participant")
    )
)
_ROOM = SqlStatement(select(_b).where(_b.c.id == bindparam("batch")))
_ROOMS = SqlStatement(select(_b).where(_b.c.study == bindparam("study")).order_by(_b.c.id))
_NEAREST = SqlStatement(
    select(_b)
    .where(_b.c.study == bindparam("study"), _b.c.done + _b.c.held < _b.c.places)
    .order_by(_b.c.places - _b.c.done, _b.c.id)
    .limit(bindparam("count"))
)
_RESERVED = SqlStatement(
    select(_a.c.batch, func.count().label("reserved"))
    .where(
        _a.c.study == bindparam("study"),
        _a.c.status == "expired",
        _a.c.expires_at > bindparam("now"),
    )
    .group_by(_a.c.batch)
)
_all = _a.alias("every")
_CALIBRATED = SqlStatement(  # who is in calibration, or through with it, and has not gone
    select(
        _a.c.participant,
        select(func.count())
        .where(_all.c.participant == _a.c.participant)
        .scalar_subquery()
        .label("had"),
    )
    .select_from(_a.join(_v, _v.c.id == _a.c.visit))
    .where(
        _a.c.batch == bindparam("batch"),
        _a.c.participant != bindparam("beside"),
        _v.c.left_at.is_(None),
        _v.c.is_turned_away.is_(False),
        or_(
            _a.c.status == "submitted",
            _a.c.status == "accepted",
            (_a.c.status == "held") & (_a.c.expires_at > bindparam("now")),
        ),
    )
)
_WITH_SURPLUS = SqlStatement(
    select(_a.c.batch).where(_a.c.study == bindparam("study"), _a.c.status == "surplus").distinct()
)
_SEATS = SqlStatement(select(_a.c.seat, _a.c.status).where(_a.c.batch == bindparam("batch")))
_ADD = insert_into(_a, gives_id=True)
_COUNT = SqlStatement(
    update(_b)
    .where(_b.c.id == bindparam("of"))
    .values(held=_b.c.held + bindparam("holding"), done=_b.c.done + bindparam("doing"))
)
_MOVE = SqlStatement(
    update(_a)
    .where(_a.c.id == bindparam("of"))
    .values(
        status=bindparam("to"),
        expires_at=bindparam("until"),
        submitted_at=bindparam("at"),
        returned_at=bindparam("back"),
        failed_checks=bindparam("failed"),
        failed_strict=bindparam("strict"),
        reason=bindparam("why"),
    )
)
_WIDEN = SqlStatement(update(_b).where(_b.c.id == bindparam("of")).values(places=_b.c.places + 1))

_DONE: frozenset[Status] = TAKES_PLACE - {"held"}
_HAPPENS: dict[Event, Happening] = {
    "renew": "renewed",
    "expire": "expired",
    "submit": "submitted",
    "fail": "failed",
    "fill": "filled",
    "accept": "accepted",
    "exclude": "excluded",
    "return": "returned",
}


@dataclass(frozen=True, slots=True)
class HeldSeat:
    """An assignment with what only the tables know of it."""

    row: Row
    assignment: Assignment

    @property
    def status(self) -> Status:
        """Its state."""
        return self.assignment.status


def find_seat(transaction: Transaction, known: RegisteredStudy, assignment: int) -> HeldSeat | None:
    """An assignment by its number."""
    row = transaction.row(_ASSIGNMENT, assignment=assignment, study=known.id)
    return None if row is None else HeldSeat(row, as_assignment(known, row))


def occupancies(transaction: Transaction, known: RegisteredStudy) -> tuple[Occupancy, ...]:
    """How every batch stands, in the order of the plan."""
    return tuple(_as_occupancy(row) for row in transaction.rows(_ROOMS, study=known.id))


def nearest_to_completion(
    transaction: Transaction, known: RegisteredStudy, past: Collection[PastAssignment]
) -> tuple[Occupancy, ...]:
    """The free batches nearest to completion: as many as `choose_batch` may have to pass over."""
    calibration = sum(batch.is_calibration for batch in known.plan.batches)
    count = len(barred_batches(known.plan, past)) + calibration + 1
    rows = transaction.rows(_NEAREST, study=known.id, count=count)
    return tuple(_as_occupancy(row) for row in rows)


def reserved_occupancies(
    transaction: Transaction, known: RegisteredStudy, *, now: datetime
) -> tuple[Occupancy, ...]:
    """How every batch stands when those count whose place was taken back before its time was over.

    They may still be at it, and should find a place while others are free. Empty when there are
    no such places.
    """
    rows = transaction.rows(_RESERVED, study=known.id, now=stamp(now))
    counts = {known.batch_names[row.batch]: row.reserved for row in rows}
    if not counts:
        return ()
    found = occupancies(transaction, known)
    return tuple(replace(each, held=each.held + counts.get(each.batch, 0)) for each in found)


def count_spare_places(
    transaction: Transaction,
    known: RegisteredStudy,
    participant: int,
    *,
    now: datetime,
    lapsed: Mapping[int, int] | None = None,
) -> int | None:
    """How many places are free and not kept for others in calibration or in the qualification.

    None for a study that has neither. `lapsed`: by batch, how many held places count as free
    already.
    """
    qualifying_others = qualifying.count_kept_places(
        transaction, known, beside=participant, now=now
    )
    if not known.calibration and qualifying_others is None:
        return None
    had: Counter[int] = Counter()
    total: dict[int, int] = {}
    for batch in known.calibration:
        rows = transaction.rows(_CALIBRATED, batch=batch, beside=participant, now=stamp(now))
        had.update(row.participant for row in rows)
        total |= {row.participant: row.had for row in rows}
    waiting = sum(total[person] == count for person, count in had.items())
    given = lapsed or {}
    found = [
        replace(each, held=each.held - given.get(known.batch_ids[each.batch], 0))
        for each in occupancies(transaction, known)
    ]
    return spare_places(known.plan, found, waiting, qualifying=qualifying_others)


def closed_batches(transaction: Transaction, known: RegisteredStudy) -> frozenset[str]:
    """The batches of stages that are not open yet; none where no looks are planned."""
    if known.study.spec.stop is None:
        return frozenset()
    found = occupancies(transaction, known)
    return frozenset(each.batch for each in found if not each.places)


def occupancy(transaction: Transaction, batch: int) -> Occupancy:
    """How one batch stands."""
    return _as_occupancy(transaction.row(_ROOM, batch=batch))


def _as_occupancy(row: Row) -> Occupancy:
    return Occupancy(batch=row.name, places=row.places, done=row.done, held=row.held)


def past_assignments(
    transaction: Transaction, known: RegisteredStudy, participant: int, *, beside: int | None = None
) -> tuple[PastAssignment, ...]:
    """What somebody has or had, one assignment left aside."""
    rows = transaction.rows(_PAST, study=known.id, participant=participant)
    return tuple(
        PastAssignment(known.batch_names[row.batch], row.status) for row in rows if row.id != beside
    )


def take(
    transaction: Transaction,
    known: RegisteredStudy,
    batch: str,
    *,
    participant: int,
    visit: Visit,
    now: datetime,
) -> Assignment:
    """Hold a batch for somebody; until they begin, for a shorter time."""
    has_begun = any(each.is_finished for each in visit.assignments)
    number = known.batch_ids[batch]
    until = now + (known.lease if has_begun else known.first_lease)
    seat = free_seat([(row.seat, row.status) for row in transaction.rows(_SEATS, batch=number)])
    assignment = transaction.number(
        _ADD,
        study=known.id,
        participant=participant,
        visit=visit.id,
        batch=number,
        seat=seat,
        status="held",
        claimed_at=stamp(now),
        expires_at=stamp(until),
        submitted_at=None,
        returned_at=None,
        failed_checks=None,
        failed_strict=None,
        reason="",
    )
    transaction.do(_COUNT, of=number, holding=1, doing=0)
    tell(transaction, known, visit.id, "claimed", now=now, batch=number)
    return Assignment(
        id=assignment,
        visit=visit.id,
        participant=visit.participant,
        batch=batch,
        seat=seat,
        status="held",
        claimed_at=now,
        expires_at=until,
    )


def move(
    transaction: Transaction,
    known: RegisteredStudy,
    held: HeldSeat,
    event: Event,
    *,
    now: datetime,
    reason: str | None = None,
    failed: tuple[int, int] | None = None,
    lease: timedelta | None = None,
) -> Assignment:
    """Do what an event does to an assignment; DataError where it cannot happen.

    `lease`: for how long it is held again; the study's own when left out.
    `failed`: how many checks were wrong, and how many of those by checks that do more than flag.
    """
    before = held.assignment
    if event == "accept" and before.submitted_at is None:
        raise DataError("work that was not submitted cannot be accepted.")
    place_is_free = before.status in TAKES_PLACE or _place_is_free(
        transaction, known, held, event, now=now
    )
    status = next_status(before.status, event, place_is_free=place_is_free)
    if status is None:
        raise DataError(f"work that is {before.status} cannot be changed by '{event}'.")
    changed = replace(
        before,
        status=status,
        expires_at=now + (lease or known.lease)
        if event == "renew" and status == "held"
        else before.expires_at,
        submitted_at=now if event == "submit" and not before.submitted_at else before.submitted_at,
        failed_checks=before.failed_checks if failed is None else failed[0],
        reason=before.reason if reason is None else reason,
    )
    if changed == before:
        return before
    transaction.prefetched.pop(before.visit, None)
    returned = stamp(now) if event == "return" else held.row.returned_at
    transaction.do(
        _MOVE,
        of=before.id,
        to=status,
        until=stamp(changed.expires_at),
        at=None if changed.submitted_at is None else stamp(changed.submitted_at),
        back=None if event == "accept" else returned,
        failed=changed.failed_checks,
        strict=held.row.failed_strict if failed is None else failed[1],
        why=changed.reason,
    )
    _recount(transaction, held, status)
    if status != before.status:
        detail = status if event in {"submit", "accept"} else ""
        tell(
            transaction, known, before.visit, _HAPPENS[event],
            now=now, batch=held.row.batch, detail=detail,
        )  # fmt: skip
    if before.status in TAKES_PLACE and status not in TAKES_PLACE:
        _give_on(transaction, known, held, now=now)
    return changed


def _place_is_free(
    transaction: Transaction, known: RegisteredStudy, held: HeldSeat, event: Event, *, now: datetime
) -> bool:
    others = past_assignments(
        transaction, known, held.row.participant_id, beside=held.assignment.id
    )
    place = occupancy(transaction, held.row.batch)
    decide = may_resume if event == "renew" else has_place
    kept = count_spare_places(transaction, known, held.row.participant_id, now=now)
    return decide(known.plan, place, others, spare=kept)


def _recount(transaction: Transaction, held: HeldSeat, status: Status) -> None:
    holding = (status == "held") - (held.status == "held")
    doing = (status in _DONE) - (held.status in _DONE)
    if holding or doing:
        transaction.do(_COUNT, of=held.row.batch, holding=holding, doing=doing)


def _give_on(
    transaction: Transaction, known: RegisteredStudy, held: HeldSeat, *, now: datetime
) -> None:
    """Fill the place that became free, and what only this person's share had kept from filling."""
    fill(transaction, known, held.row.batch, now=now)
    for own in past_assignments(
        transaction, known, held.row.participant_id, beside=held.assignment.id
    ):
        if own.status == "surplus":
            fill(transaction, known, known.batch_ids[own.batch], now=now)
    fill_elsewhere(transaction, known, now=now)


def fill_elsewhere(transaction: Transaction, known: RegisteredStudy, *, now: datetime) -> None:
    """Fill what was kept free, in any batch, for people in calibration or in the qualification."""
    if known.calibration or known.study.spec.qualification is not None:
        for row in transaction.rows(_WITH_SURPLUS, study=known.id):
            fill(transaction, known, row.batch, now=now)


def release(transaction: Transaction, held: HeldSeat) -> None:
    """Take somebody out of the counters, before their rows are removed."""
    status = next_status(held.status, "withdraw", place_is_free=True)
    if status is not None:
        _recount(transaction, held, status)


def fill(transaction: Transaction, known: RegisteredStudy, batch: int, *, now: datetime) -> None:
    """Give free places to finished work that found none, the earliest first."""
    waiting: Sequence[Row] = transaction.rows(_WAITING, batch=batch)
    for row in waiting:
        if not occupancy(transaction, batch).is_free:
            return
        move(transaction, known, HeldSeat(row, as_assignment(known, row)), "fill", now=now)


def widen(
    transaction: Transaction, known: RegisteredStudy, batch: int, *, now: datetime
) -> Occupancy:
    """One more place."""
    transaction.do(_WIDEN, of=batch)
    fill(transaction, known, batch, now=now)
    fill_elsewhere(transaction, known, now=now)
    return occupancy(transaction, batch)


def sweep(transaction: Transaction, known: RegisteredStudy, *, now: datetime) -> int:
    """Free the places of those of whom nothing was heard for too long."""
    lapsed = transaction.rows(_LAPSED, study=known.id, now=stamp(now))
    for row in lapsed:
        move(transaction, known, HeldSeat(row, as_assignment(known, row)), "expire", now=now)
    if qualifying.sweep(transaction, known, now=now):
        fill_elsewhere(transaction, known, now=now)
    return len(lapsed)
