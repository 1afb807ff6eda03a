"""The qualification in the tables: places kept for people in it, and what they have achieved.

Nobody in the qualification has a batch, but a place is kept for each of them, so that those who
pass find one. It is kept for as long as a batch is that nobody has begun. Everything here runs
inside a transaction that holds the study's lock.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import bindparam, func, or_, select, update

from rejudge.collect.visit import Arrival, Origin, Visit
from rejudge.store import tables
from rejudge.store.registering import RegisteredStudy
from rejudge.store.statement import Row, SqlStatement, Transaction
from rejudge.store.tables import stamp

_v, _o = tables.visit, tables.origin
_is_kept = (_v.c.study == bindparam("study")) & (_v.c.qualifying_until > bindparam("now"))
_COUNT = SqlStatement(
    select(func.count()).select_from(_v).where(_is_kept, _v.c.participant != bindparam("beside"))
)
_OF_PERSON = SqlStatement(
    select(_v.c.id).where(
        _v.c.participant == bindparam("participant"), _v.c.qualifying_until > bindparam("now")
    )
)
_STANDING = SqlStatement(
    select(
        func.max(_v.c.attempts).label("attempts"),
        func.max(_v.c.qualified_at).label("qualified_at"),
        func.max(_v.c.unqualified_at).label("unqualified_at"),
    ).where(_v.c.participant == bindparam("participant"))
)
_KEEP = SqlStatement(
    update(_v).where(_v.c.id == bindparam("of")).values(qualifying_until=bindparam("until"))
)
_PROLONG = SqlStatement(
    update(_v)
    .where(_v.c.id == bindparam("of"), _v.c.qualifying_until < bindparam("until"))
    .values(qualifying_until=bindparam("until"))
)
_LAPSE = SqlStatement(
    update(_v)
    .where(_v.c.study == bindparam("of"), _v.c.qualifying_until <= bindparam("now"))
    .values(qualifying_until=None)
    .returning(_v.c.id)
)
_FINISH = SqlStatement(
    update(_v)
    .where(_v.c.id == bindparam("of"))
    .values(
        attempts=bindparam("tried"),
        qualified_at=bindparam("passed"),
        unqualified_at=bindparam("failed"),
    )
)
_with_origin = _v.join(_o, _o.c.visit == _v.c.id)
_OF_ORIGIN = SqlStatement(
    select(_v.c.id, _o.c.address, _o.c.browser)
    .select_from(_with_origin)
    .where(
        _is_kept, or_(_o.c.address == bindparam("address"), _o.c.browser == bindparam("browser"))
    )
    .order_by(_v.c.qualifying_until, _v.c.id)
)


@dataclass(frozen=True, slots=True)
class QualificationStanding:
    """What somebody achieved in earlier visits."""

    attempts: int = 0
    qualified_at: int | None = None
    unqualified_at: int | None = None


def standing(transaction: Transaction, participant: int) -> QualificationStanding:
    """What somebody achieved in all their visits."""
    row: Row = transaction.row(_STANDING, participant=participant)
    return QualificationStanding(row.attempts or 0, row.qualified_at, row.unqualified_at)


def achieved(
    transaction: Transaction,
    known: RegisteredStudy,
    arrival: Arrival,
    participant: int | None,
    *,
    now: datetime,
) -> QualificationStanding:
    """What somebody has done of the qualification before; whoever passed elsewhere has passed."""
    if known.study.spec.qualification is None:
        return QualificationStanding()
    before = QualificationStanding()
    if participant is not None:
        before = standing(transaction, participant)
    has_passed = known.panels is not None and known.panels.qualifies(
        arrival.recruiter, arrival.person
    )
    if has_passed and before.qualified_at is None:
        return replace(before, qualified_at=stamp(now), unqualified_at=None)
    return before


def is_at_it(transaction: Transaction, participant: int, *, now: datetime) -> bool:
    """Whether a place is kept for somebody in one of their visits."""
    return transaction.row(_OF_PERSON, participant=participant, now=stamp(now)) is not None


def count_kept_places(
    transaction: Transaction, known: RegisteredStudy, *, beside: int, now: datetime
) -> int | None:
    """How many places are kept for others in the qualification; None for a study without one."""
    if known.study.spec.qualification is None:
        return None
    return transaction.number(_COUNT, study=known.id, beside=beside, now=stamp(now))


def keep_place(
    transaction: Transaction, known: RegisteredStudy, visit: int, *, now: datetime
) -> None:
    """Keep a place for somebody who begins with the qualification."""
    transaction.do(_KEEP, of=visit, until=stamp(now + known.first_lease))


def prolong(transaction: Transaction, known: RegisteredStudy, visit: int, *, now: datetime) -> None:
    """Keep a place that is kept, for longer."""
    if known.study.spec.qualification is not None:
        transaction.do(_PROLONG, of=visit, until=stamp(now + known.first_lease))


def give_up_place(transaction: Transaction, visit: int) -> None:
    """Keep no place any more; whoever goes on and passes gets one if one is free then."""
    transaction.do(_KEEP, of=visit, until=None)


def sweep(transaction: Transaction, known: RegisteredStudy, *, now: datetime) -> bool:
    """Give up the places of those of whom nothing was heard for too long; whether any were."""
    if known.study.spec.qualification is None:
        return False
    return bool(transaction.rows(_LAPSE, of=known.id, now=stamp(now)))


def note_attempt(transaction: Transaction, visit: Visit) -> None:
    """Write down what the last attempt changed."""
    transaction.prefetched.pop(visit.id, None)
    passed, failed = visit.qualified_at, visit.unqualified_at
    transaction.do(
        _FINISH,
        of=visit.id,
        tried=visit.attempts,
        passed=None if passed is None else stamp(passed),
        failed=None if failed is None else stamp(failed),
    )


def give_up_excess(
    transaction: Transaction, known: RegisteredStudy, origin: Origin, *, now: datetime
) -> None:
    """Before one more place is kept for an origin: give up what is kept for its browser, and the
    oldest ones of its network beyond `site.places_per_address`."""
    rows = transaction.rows(
        _OF_ORIGIN,
        study=known.id,
        now=stamp(now),
        address=origin.address,
        browser=origin.browser,
    )
    beyond = [row for row in rows if row.browser == origin.browser]
    others = [row for row in rows if row.address == origin.address and row not in beyond]
    most = known.study.spec.site.places_per_address
    for row in (*beyond, *others[: max(0, len(others) + 1 - most)]):
        give_up_place(transaction, row.id)
