"""Visits of participants: how they are read, and each step from consent to the code."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any, Literal, TypeAlias
from zoneinfo import TZPATH

from sqlalchemy import ARRAY, BigInteger, any_, bindparam, func, select, update

from rejudge.collect.assignment import Assignment
from rejudge.collect.visit import Visit
from rejudge.errors import DataError
from rejudge.store import tables
from rejudge.store.records import Happening
from rejudge.store.registering import RegisteredStudy, keep_consent_text
from rejudge.store.statement import Row, SqlStatement, Transaction, insert_into
from rejudge.store.tables import maybe_moment, moment, stamp


def is_odd(time_zone: str | None, regions: Iterable[str]) -> bool | None:
    """Whether none of the regions has this zone; None when that cannot be told."""
    wanted = {region.split("-", maxsplit=1)[0].upper() for region in regions}
    countries = _countries().get(time_zone or "")
    if not wanted or countries is None:
        return None
    return not wanted & countries


@cache
def _countries() -> Mapping[str, frozenset[str]]:
    """The countries of each zone, as the system's table of zones has them; empty without one."""
    found: dict[str, set[str]] = {}
    for folder in map(Path, TZPATH):
        for table in ("zone.tab", "zone1970.tab"):
            file = folder / table
            if file.is_file():
                for line in file.read_text("utf-8").splitlines():
                    codes, *rest = line.split("\t")
                    if not line.startswith("#") and len(rest) > 1:
                        found.setdefault(rest[1], set()).update(codes.split(","))
    return {zone: frozenset(codes) for zone, codes in found.items()}


PassedStep: TypeAlias = Literal["screening", "instructions", "practice", "exit"]
_SEVERAL = 2  # visits: one alone is read when it is asked for

_v, _a, _p = tables.visit, tables.assignment, tables.participant
VISIT_COLUMNS = (
    _v.c.id, _v.c.arrived_at, _v.c.consented_at, _v.c.declined_at, _v.c.instructed_at,
    _v.c.practised_at, _v.c.attempts, _v.c.qualified_at, _v.c.unqualified_at, _v.c.left_at,
    _v.c.is_turned_away, _v.c.is_barred, _v.c.admitted_at, _v.c.screened_out_at, _v.c.sent_to,
    _p.c.name.label("participant"), _p.c.mark,
)  # fmt: skip
ASSIGNMENT_COLUMNS = (
    _a.c.id.label("assignment"), _a.c.visit, _a.c.batch, _a.c.seat, _a.c.status, _a.c.claimed_at,
    _a.c.expires_at, _a.c.submitted_at, _a.c.failed_checks, _a.c.reason, _a.c.returned_at,
    _a.c.failed_strict, _a.c.participant.label("participant_id"),
)  # fmt: skip
_EVERY = (
    select(
        *VISIT_COLUMNS, *ASSIGNMENT_COLUMNS, _v.c.participant.label("owner"), tables.study.c.state
    )
    .select_from(
        _v.join(_p, _p.c.id == _v.c.participant)
        .join(tables.study, tables.study.c.id == _v.c.study)
        .outerjoin(_a, _a.c.visit == _v.c.id)
    )
    .where(_v.c.study == bindparam("study"))
    .order_by(_v.c.id, _a.c.id)
)
_READ = SqlStatement(_EVERY.where(_v.c.id == bindparam("visit")))
_READ_SOME = SqlStatement(
    _EVERY.where(_v.c.id == any_(bindparam("visits", type_=ARRAY(BigInteger))))  # PostgreSQL's
)
_ADD_EVENT = insert_into(tables.event)
_CONSENT = SqlStatement(
    update(_v)
    .where(_v.c.id == bindparam("of"))
    .values(
        consented_at=bindparam("agreed"),
        declined_at=bindparam("declined"),
        consent_version=bindparam("version"),
    )
)


def _step_statement(column: str) -> SqlStatement:
    return SqlStatement(
        update(_v).where(_v.c.id == bindparam("of")).values({column: bindparam("at")})
    )


_STEPS: dict[PassedStep, tuple[str, SqlStatement, Happening]] = {
    "screening": ("admitted_at", _step_statement("admitted_at"), "admitted"),
    "instructions": ("instructed_at", _step_statement("instructed_at"), "instructed"),
    "practice": ("practised_at", _step_statement("practised_at"), "practised"),
    "exit": ("left_at", _step_statement("left_at"), "left"),
}
_TURN = SqlStatement(
    update(_v).where(_v.c.id == bindparam("of")).values(is_turned_away=bindparam("turned"))
)
_NOTE_CLIENT = SqlStatement(
    update(_v)
    .where(_v.c.id == bindparam("of"))
    .values(
        time_zone=func.coalesce(_v.c.time_zone, bindparam("zone", type_=_v.c.time_zone.type)),
        offset_minutes=func.coalesce(
            _v.c.offset_minutes, bindparam("offset", type_=_v.c.offset_minutes.type)
        ),
        device=func.coalesce(_v.c.device, bindparam("kind", type_=_v.c.device.type)),
        language=func.coalesce(_v.c.language, bindparam("tongue", type_=_v.c.language.type)),
        is_zone_odd=func.coalesce(_v.c.is_zone_odd, bindparam("odd", type_=_v.c.is_zone_odd.type)),
    )
)


@dataclass(frozen=True, slots=True)
class VisitRecord:
    """A visit with what only the tables know of it."""

    visit: Visit
    owner: int  # the number of the participant
    is_barred: bool  # may not take part at all
    is_open: bool  # batches of the study are handed out
    rows: Sequence[Row]  # one for each assignment


@contextmanager
def prefetch(
    transaction: Transaction, known: RegisteredStudy, numbers: Collection[int]
) -> Iterator[None]:
    """Read several visits in one go, before each of them is asked for.

    Only where a question costs more than its answer. Each serves once, for whoever comes first, and
    not after it was changed on behalf of another (`seats.move`).
    """
    if transaction.dialect.name == "postgresql" and len(numbers) >= _SEVERAL:
        listed = "{" + ",".join(map(str, numbers)) + "}"
        rows = transaction.rows(_READ_SOME, visits=listed, study=known.id)
        for number, own in groupby(rows, key=attrgetter("id")):
            transaction.prefetched[number] = list(own)
    try:
        yield
    finally:
        transaction.prefetched.clear()


def _rows_of(transaction: Transaction, known: RegisteredStudy, visit: int) -> list[Row]:
    prefetched = transaction.prefetched.pop(visit, None)
    return prefetched or transaction.rows(_READ, visit=visit, study=known.id)


def read(transaction: Transaction, known: RegisteredStudy, visit: int) -> Visit | None:
    """A visit with its assignments."""
    rows = _rows_of(transaction, known, visit)
    return as_visit(known, rows) if rows else None


def look(transaction: Transaction, known: RegisteredStudy, visit: int) -> VisitRecord:
    """A visit that must be there, with all that is needed to decide about it."""
    rows = _rows_of(transaction, known, visit)
    if not rows:
        raise DataError("this visit no longer exists. Start again from the link.")
    first = rows[0]
    return VisitRecord(
        visit=as_visit(known, rows),
        owner=first.owner,
        is_barred=bool(first.is_barred),
        is_open=first.state == "open",
        rows=rows,
    )


def as_visit(known: RegisteredStudy, rows: list[Row]) -> Visit:
    """The rows of one visit, one for each of its assignments or one without."""
    first = rows[0]
    return Visit(
        id=first.id,
        participant=first.participant,
        arrived_at=moment(first.arrived_at),
        consented_at=maybe_moment(first.consented_at),
        declined_at=maybe_moment(first.declined_at),
        admitted_at=maybe_moment(first.admitted_at),
        screened_out_at=maybe_moment(first.screened_out_at),
        instructed_at=maybe_moment(first.instructed_at),
        practised_at=maybe_moment(first.practised_at),
        attempts=first.attempts,
        qualified_at=maybe_moment(first.qualified_at),
        unqualified_at=maybe_moment(first.unqualified_at),
        left_at=maybe_moment(first.left_at),
        is_turned_away=bool(first.is_turned_away),
        sent_to=first.sent_to,
        assignments=tuple(as_assignment(known, row) for row in rows if row.assignment is not None),
        own=known.lists.get(first.mark),
    )


def as_assignment(known: RegisteredStudy, row: Row) -> Assignment:
    """One assignment from its row."""
    return Assignment(
        id=row.assignment,
        visit=row.visit,
        participant=row.participant,
        batch=known.batch_names[row.batch],
        seat=row.seat,
        status=row.status,
        claimed_at=moment(row.claimed_at),
        expires_at=moment(row.expires_at),
        submitted_at=maybe_moment(row.submitted_at),
        failed_checks=row.failed_checks,
        reason=row.reason,
    )


def is_undecided(visit: Visit) -> bool:
    """Whether somebody can still agree or decline."""
    has_decided = visit.consented_at is not None or visit.declined_at is not None
    return not has_decided and visit.screened_out_at is None and not visit.is_turned_away


def consent(
    transaction: Transaction,
    known: RegisteredStudy,
    visit: Visit,
    *,
    agreed: bool,
    version: str,
    now: datetime,
) -> Visit:
    """Keep the decision and the version of the text; the first one counts."""
    if not is_undecided(visit):
        return visit
    at = stamp(now)
    if visit.own is not None:
        text = known.consent_text(visit.own)
        keep_consent_text(transaction, known, text)
        version = text.version
    transaction.do(
        _CONSENT,
        of=visit.id,
        agreed=at if agreed else None,
        declined=None if agreed else at,
        version=version,
    )
    tell(transaction, known, visit.id, "consented" if agreed else "declined", now=now)
    return replace(visit, consented_at=now) if agreed else replace(visit, declined_at=now)


def pass_step(
    transaction: Transaction,
    known: RegisteredStudy,
    visit: Visit,
    step: PassedStep,
    *,
    now: datetime,
) -> Visit:
    """Note the first time that somebody who has agreed comes past a page."""
    column, statement, happening = _STEPS[step]
    if visit.consented_at is None or getattr(visit, column) is not None:
        return visit
    transaction.do(statement, of=visit.id, at=stamp(now))
    tell(transaction, known, visit.id, happening, now=now)
    passed: dict[str, Any] = {column: now}  # one of the times
    return replace(visit, **passed)


def turn(transaction: Transaction, visit: int, *, away: bool) -> None:
    """Note that there was no batch for somebody, or that there is one again."""
    transaction.do(_TURN, of=visit, turned=away)


def note_client(
    transaction: Transaction,
    visit: int,
    *,
    zone: str | None,
    offset: int | None,
    kind: str | None,
    tongue: str | None,
    odd: bool | None,
) -> None:
    """Keep what the browser tells of itself; what is known already stays."""
    transaction.do(
        _NOTE_CLIENT, of=visit, zone=zone, offset=offset, kind=kind, tongue=tongue, odd=odd
    )


def tell(
    transaction: Transaction,
    known: RegisteredStudy,
    visit: int,
    what: Happening,
    *,
    now: datetime,
    batch: int | None = None,
    detail: str = "",
) -> None:
    """Add to what happened."""
    transaction.do_later(
        _ADD_EVENT,
        study=known.id,
        visit=visit,
        at=stamp(now),
        what=what,
        batch=batch,
        detail=detail,
    )
