"""Planned looks: which were made, when the next one is due, and the stage that it opens.

The places of a batch are those of the stages that are open, so everything that deals with places,
from claiming to recruiting, keeps to the stage without knowing of it.
"""

from __future__ import annotations

from datetime import datetime
from functools import cache
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import bindparam, func, select, update

from rejudge.collect.looks import Look, LookLog, LookState, Peek, look_state
from rejudge.design.stages import stages_of
from rejudge.errors import DataError, Problem
from rejudge.store import oversight, seats, tables
from rejudge.store.registering import RegisteredStudy
from rejudge.store.statement import SqlStatement, Transaction, insert_into
from rejudge.store.tables import moment, stamp

PEEKED = "results analysed between looks"
_k, _l, _b, _a = tables.look, tables.log, tables.batch, tables.assignment
_LOOKS = SqlStatement(
    select(_k.c.body).where(_k.c.study == bindparam("study")).order_by(_k.c.number)
)
_PEEKS = SqlStatement(
    select(_l.c.at, _l.c.who, _l.c.reason)
    .where(_l.c.study == bindparam("study"), _l.c.what == PEEKED)
    .order_by(_l.c.id)
)
_ADD = insert_into(_k)
_OPEN = SqlStatement(
    update(_b).where(_b.c.id == bindparam("of")).values(places=_b.c.places + bindparam("more"))
)
_HELD = SqlStatement(
    select(func.count())
    .select_from(_a)
    .where(_a.c.study == bindparam("study"), _a.c.status == "held")
)


def look_log(transaction: Transaction, known: RegisteredStudy) -> LookLog:
    """Everything that was seen of the results so far."""
    made = tuple(_adapter().validate_json(row.body) for row in _rows(transaction, _LOOKS, known))
    peeks = tuple(_as_peek(row) for row in _rows(transaction, _PEEKS, known))
    return LookLog(made, peeks)


def _rows(transaction: Transaction, statement: SqlStatement, known: RegisteredStudy) -> Any:
    return transaction.rows(statement, study=known.id)


@cache
def _adapter() -> TypeAdapter[Look]:
    return TypeAdapter(Look)


def _as_peek(row: Any) -> Peek:
    done, _, planned = row.reason.partition(" of ")
    return Peek(moment(row.at), row.who, int(done), int(planned))


def state(transaction: Transaction, known: RegisteredStudy) -> LookState | None:
    """How far the study is on the way to its next look; None where none are planned."""
    if known.study.spec.stop is None:
        return None
    places = seats.occupancies(transaction, known)
    done = {each.batch: each.done for each in places}
    # Places that a researcher added belong to the stage as well.
    lacking = any(
        each.done < each.places
        for each in places
        if not known.plan.batch[each.batch].is_calibration
    )
    held = transaction.number(_HELD, study=known.id) + lacking
    return look_state(known.study, known.plan, done, look_log(transaction, known), held=held)


def record_look(
    transaction: Transaction, known: RegisteredStudy, look: Look, *, now: datetime
) -> LookLog:
    """Keep a look, and open the next stage where the study goes on. DataError: it was made before.

    In one transaction: two processes that find the same look due keep it once.
    """
    log = look_log(transaction, known)
    stages = stages_of(known.study, known.plan)
    if stages is None or log.is_over or look.number != len(log.looks) + 1:
        what = f"look {look.number} has already been made."
        raise DataError(Problem(what, "Nothing was changed."))
    body = _adapter().dump_json(look).decode()
    transaction.do(
        _ADD,
        study=known.id,
        number=look.number,
        at=stamp(now),
        decision=look.decision,
        body=body,
    )
    oversight.note(
        transaction,
        known,
        f"look {look.number} of {look.looks}: {look.decision}",
        who=look.who,
        now=now,
        reason=f"{look.places} of {look.planned_places} places, {look.boundary} boundary",
    )
    if not look.is_final:
        for batch, more in stages.added(look.number + 1).items():
            if more:
                transaction.do(_OPEN, of=known.batch_ids[batch], more=more)
                seats.fill(transaction, known, known.batch_ids[batch], now=now)
    return look_log(transaction, known)


def note_peek(transaction: Transaction, known: RegisteredStudy, *, who: str, now: datetime) -> None:
    """Keep that the results were analysed before the study was over."""
    places = seats.occupancies(transaction, known)
    done = sum(e.done for e in places if not known.plan.batch[e.batch].is_calibration)
    reason = f"{done} of {known.plan.places}"
    oversight.note(transaction, known, PEEKED, who=who, now=now, reason=reason)
