"""Who is let go before the tasks, by their own answers: screening questions and practice.

Everything here runs inside a transaction that holds the study's lock.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import bindparam, select, update

from rejudge.collect import Origin, Visit
from rejudge.store import claiming, seats, tables, visits, work
from rejudge.store.records import PageAnswers
from rejudge.store.registering import RegisteredStudy
from rejudge.store.statement import SqlStatement, Transaction
from rejudge.store.tables import stamp

_n, _v = tables.answer, tables.visit
_ATTEMPTS = SqlStatement(
    select(_n.c.question, _n.c.raw, _n.c.key)
    .where(_n.c.visit == bindparam("visit"), _n.c.task == bindparam("task"))
    .order_by(_n.c.id)
)
_SCREEN_OUT = SqlStatement(
    update(_v).where(_v.c.id == bindparam("of")).values(screened_out_at=bindparam("at"))
)


def screen(
    transaction: Transaction,
    known: RegisteredStudy,
    here: visits.VisitRecord,
    page: PageAnswers,
    *,
    admit: bool,
    now: datetime,
    origin: Origin | None,
) -> Visit:
    """Keep the answers to screening questions; then give a batch, or let the person go.

    The first answers count.
    """
    visit = here.visit
    is_asked = visit.consented_at is not None and visit.admitted_at is None
    if not is_asked or visit.screened_out_at is not None:
        return visit
    work.record(transaction, known, page, now=now)
    if not admit:
        return screen_out(transaction, known, here, now=now)
    visits.pass_step(transaction, known, visit, "screening", now=now)
    admitted = visits.look(transaction, known, visit.id)
    return claiming.claim(transaction, known, admitted, now=now, origin=origin)


def screen_out(
    transaction: Transaction, known: RegisteredStudy, here: visits.VisitRecord, *, now: datetime
) -> Visit:
    """Let somebody go who may not take part; the place they hold becomes free."""
    visit = here.visit
    has_done = any(each.is_finished for each in visit.assignments)
    if visit.consented_at is None or visit.screened_out_at is not None or has_done:
        return visit
    transaction.do(_SCREEN_OUT, of=visit.id, at=stamp(now))
    visits.tell(transaction, known, visit.id, "screened-out", now=now)
    for each in visit.assignments:
        held = seats.find_seat(transaction, known, each.id)
        if held is not None and held.status in {"held", "expired"}:
            seats.move(transaction, known, held, "return", now=now, reason="screened out")
    transaction.prefetched.pop(visit.id, None)
    return visits.look(transaction, known, visit.id).visit


def attempts(transaction: Transaction, visit: int, task: str) -> list[dict[str, str]]:
    """What somebody answered to a task of practice each time, by question, the first one first."""
    found: dict[str, dict[str, str]] = {}
    for row in transaction.rows(_ATTEMPTS, visit=visit, task=task):
        found.setdefault(row.key, {})[row.question] = row.raw
    return list(found.values())
