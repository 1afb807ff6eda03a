"""What one network or browser may hold of unfinished work.

Only arrivals that nothing proves have an origin (ids that a platform's link brings, open links). A
place that is one too many is taken back. Nothing is lost: whoever had it gets it back with the next
answer while one is free, or hands in as surplus.

Everything here runs inside a transaction that holds the study's lock.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import bindparam, delete, func, or_, select

from rejudge.collect.visit import Origin
from rejudge.store import seats, tables
from rejudge.store.registering import RegisteredStudy
from rejudge.store.statement import Row, SqlStatement, Transaction, insert_into
from rejudge.store.tables import stamp
from rejudge.store.visits import ASSIGNMENT_COLUMNS, as_assignment

_PER_BROWSER = 1  # nobody begins twice in one browser
_KEPT = timedelta(days=1)

_o, _a, _p, _n, _v = (
    tables.origin, tables.assignment, tables.participant, tables.answer, tables.visit,
)  # fmt: skip
_ANSWERS = (
    select(func.count())
    .where(_n.c.visit == _a.c.visit, _n.c.assignment.is_not(None))
    .scalar_subquery()
)
_UNFINISHED = (
    select(
        *ASSIGNMENT_COLUMNS,
        _p.c.name.label("participant"),
        _o.c.address,
        _o.c.browser,
        _ANSWERS.label("answers"),
    )
    .select_from(_a.join(_p, _p.c.id == _a.c.participant).outerjoin(_o, _o.c.visit == _a.c.visit))
    .where(_a.c.study == bindparam("study"), _a.c.status == "held")
    .order_by(_ANSWERS, _a.c.claimed_at, _a.c.id)
)
_ALL = SqlStatement(_UNFINISHED)
_OF_ORIGIN = SqlStatement(
    _UNFINISHED.where(
        or_(_o.c.address == bindparam("address"), _o.c.browser == bindparam("browser"))
    )
)
_NOTED = SqlStatement(select(_o.c.address, _o.c.browser).where(_o.c.visit == bindparam("visit")))
_NOTE = insert_into(_o)
_done_visits = select(_a.c.visit).where(_a.c.submitted_at.is_not(None))
_gone_visits = select(_v.c.id).where(
    or_(
        _v.c.left_at.is_not(None),
        _v.c.declined_at.is_not(None),
        _v.c.screened_out_at.is_not(None),
    )
)
_FORGET = SqlStatement(
    delete(_o).where(
        _o.c.study == bindparam("of"),
        or_(
            _o.c.noted_at <= bindparam("before"),
            _o.c.visit.in_(_done_visits.where(_a.c.visit == _o.c.visit)),
            _o.c.visit.in_(_gone_visits.where(_v.c.id == _o.c.visit)),
        ),
    )
)


def note_origin(
    transaction: Transaction,
    known: RegisteredStudy,
    visit: int,
    given: Origin | None,
    *,
    now: datetime,
) -> Origin | None:
    """Where a visit comes from: as it was first noted, else as given from now on."""
    row = transaction.row(_NOTED, visit=visit)
    if row is not None:
        return Origin(row.address, row.browser)
    if given is not None:
        transaction.do(
            _NOTE,
            visit=visit,
            study=known.id,
            address=given.address,
            browser=given.browser,
            noted_at=stamp(now),
        )
    return given


def take_back_excess(
    transaction: Transaction, known: RegisteredStudy, origin: Origin, *, now: datetime
) -> None:
    """Before one more place goes to an origin: take back what its browser holds, and the oldest
    unanswered places of its network beyond the share.

    They stay reserved while there are others (`seats.reserved_occupancies`), so people who begin at
    the same time behind one address do not take places from each other.
    """
    rows = transaction.rows(
        _OF_ORIGIN, study=known.id, address=origin.address, browser=origin.browser
    )
    same_browser = [row for row in rows if row.browser == origin.browser]
    beyond = {row.assignment: row for row in _first_beyond(same_browser, _PER_BROWSER)}
    unanswered = [
        row
        for row in rows
        if row.address == origin.address and row.answers == 0 and row.assignment not in beyond
    ]
    most = known.study.spec.site.places_per_address
    beyond |= {row.assignment: row for row in _first_beyond(unanswered, most)}
    _take_back(transaction, known, list(beyond.values()), now=now)


def _first_beyond(rows: list[Row], most: int) -> list[Row]:
    """The first of those that are too many, once there is one more."""
    return rows[: max(0, len(rows) + 1 - most)]


def release_all(
    transaction: Transaction, known: RegisteredStudy, *, before: datetime, now: datetime
) -> int:
    """Take back every place that was given before a moment and has no answer; gives how many."""
    rows = transaction.rows(_ALL, study=known.id)
    held = [row for row in rows if row.answers == 0 and row.claimed_at <= stamp(before)]
    _take_back(transaction, known, held, now=now)
    return len(held)


def forget(transaction: Transaction, known: RegisteredStudy, *, now: datetime) -> None:
    """Delete what is kept of those who have handed in, have gone, or came a day ago."""
    transaction.do(_FORGET, of=known.id, before=stamp(now - _KEPT))


def _take_back(
    transaction: Transaction, known: RegisteredStudy, rows: list[Row], *, now: datetime
) -> None:
    for row in rows:
        held = seats.HeldSeat(row, as_assignment(known, row))
        seats.move(transaction, known, held, "expire", now=now)
