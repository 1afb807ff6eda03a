"""Deleting data about participants when they have been kept for as long as was promised.

Judgments stay usable unless everything is deleted. Times are not emptied but shifted, so that
everybody arrives on the same day: how long an answer took remains, when it was given does not.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import UTC, datetime

from sqlalchemy import Table, bindparam, delete, func, literal, select, update

from rejudge.collect.visit import COMMENT, EXIT
from rejudge.store import oversight, tables
from rejudge.store.registering import RegisteredStudy
from rejudge.store.statement import SqlStatement, Transaction
from rejudge.store.tables import maybe_moment, stamp
from rejudge.study.conduct import Erasure

SAME_DAY = datetime(2000, 1, 1, tzinfo=UTC)  # on which everybody arrived once times are deleted
_MARK = "purged:"  # no hash begins so

_v, _p, _a, _n = tables.visit, tables.participant, tables.assignment, tables.answer
_own_visits = select(_v.c.id).where(_v.c.study == bindparam("of"))
_own_people_visits = select(_v.c.id).where(_v.c.participant == bindparam("person"))


def _count(table: Table) -> SqlStatement:
    own = table.c.visit.in_(_own_visits) if "study" not in table.c else None
    where = table.c.study == bindparam("of") if own is None else own
    return SqlStatement(select(func.count()).select_from(table).where(where))


def _drop(table: Table) -> SqlStatement:
    if "study" in table.c:
        return SqlStatement(delete(table).where(table.c.study == bindparam("of")))
    return SqlStatement(delete(table).where(table.c.visit.in_(_own_visits)))


_LAST_ANSWER = SqlStatement(select(func.max(_n.c.saved_at)).where(_n.c.visit.in_(_own_visits)))
_MARKED = (_p.c.study == bindparam("of"), ~_p.c.mark.like(f"{_MARK}%"))
_COUNT_MARKS = SqlStatement(select(func.count()).select_from(_p).where(*_MARKED))
_UNMARK = SqlStatement(update(_p).where(*_MARKED).values(mark=literal(_MARK) + _p.c.name))
_BY_PLATFORM = (
    tables.identity, tables.origin, tables.submission, tables.delivery, tables.barred,
)  # fmt: skip
_BY_PERSON = (  # what names another comes first
    _n, tables.event, tables.origin, tables.identity, tables.submission, tables.delivery,
    tables.barred, _a, _v, _p, tables.tombstone,
)  # fmt: skip
_SCRUB_REASONS = SqlStatement(
    update(tables.log)
    .where(tables.log.c.study == bindparam("of"), tables.log.c.participant.is_not(None))
    .values(reason="")
)
_SCRUB_LOG = SqlStatement(
    update(tables.log)
    .where(tables.log.c.study == bindparam("of"), tables.log.c.participant.is_not(None))
    .values(reason="", participant=None)
)
_EMPTY_BATCHES = SqlStatement(
    update(tables.batch).where(tables.batch.c.study == bindparam("of")).values(held=0, done=0)
)
_TEXTS = (
    _n.c.visit.in_(_own_visits),
    _n.c.task == EXIT,
    _n.c.question == bindparam("asked"),
)
_COUNT_TEXTS = SqlStatement(select(func.count()).select_from(_n).where(*_TEXTS))
_DROP_TEXTS = SqlStatement(delete(_n).where(*_TEXTS))
_ARRIVALS = SqlStatement(
    select(_v.c.participant, func.min(_v.c.arrived_at).label("first"))
    .where(_v.c.study == bindparam("of"))
    .group_by(_v.c.participant)
)
_FORGET_BROWSERS = SqlStatement(
    update(_v)
    .where(_v.c.study == bindparam("of"))
    .values(device=None, language=None, time_zone=None, offset_minutes=None, is_zone_odd=None)
)
_FORGET_WITHDRAWALS = SqlStatement(
    update(tables.tombstone)
    .where(tables.tombstone.c.study == bindparam("of"))
    .values(at=stamp(SAME_DAY))
)


def _shift(table: Table) -> SqlStatement:
    """Moves all times of one person; what is absent stays absent."""
    if "participant" in table.c:
        own = table.c.participant == bindparam("person")
    else:
        own = table.c.visit.in_(_own_people_visits)
    times = (each for each in table.c if each.name.endswith(("_at", "_until")))
    moved = {each.name: each + bindparam("by") for each in times}
    return SqlStatement(update(table).where(own).values(moved))


_SHIFTS = tuple(_shift(table) for table in (_n, tables.submission, _a, _v))


def last_answer(transaction: Transaction, known: RegisteredStudy) -> datetime | None:
    """When the last answer was saved; None where there is none."""
    row = transaction.row(_LAST_ANSWER, of=known.id)
    return None if row is None else maybe_moment(row[0])


def count_erasable(
    transaction: Transaction, known: RegisteredStudy, erased: Collection[Erasure]
) -> Mapping[str, int]:
    """How much of each kind a purge would delete; kinds of which there is nothing are left out."""

    def rows(table: Table) -> int:
        return transaction.number(_count(table), of=known.id)

    counts: dict[str, int] = {}
    if "everything" in erased:
        counts = {
            "participants": rows(_p),
            "answers": rows(_n),
            "events": rows(tables.event),
            "platform ids": rows(tables.identity),
            "withdrawals": rows(tables.tombstone),
        }
    if "platform-ids" in erased:
        hashes = sum(rows(table) for table in _BY_PLATFORM if table is not tables.identity)
        counts["platform ids"] = rows(tables.identity)
        counts["hashes of ids"] = hashes + transaction.number(_COUNT_MARKS, of=known.id)
    if "times" in erased:
        arrivals = transaction.rows(_ARRIVALS, of=known.id)
        counts["events"] = rows(tables.event)
        counts["participants with times"] = sum(row.first != stamp(SAME_DAY) for row in arrivals)
    if "free-text" in erased:
        counts["answers in own words"] = sum(
            transaction.number(_COUNT_TEXTS, of=known.id, asked=question)
            for question in _text_questions(known)
        )
    return {what: number for what, number in counts.items() if number}


def purge(
    transaction: Transaction,
    known: RegisteredStudy,
    erased: Collection[Erasure],
    *,
    who: str,
    now: datetime,
) -> None:
    """Delete them and close the study: nobody can be known again. The log says what, not whose."""
    transaction.finish()  # what others in this transaction have yet to write
    if "everything" in erased:
        _purge_everything(transaction, known)
    if "platform-ids" in erased:
        for table in _BY_PLATFORM:
            transaction.do(_drop(table), of=known.id)
        transaction.do(_UNMARK, of=known.id)
    if "times" in erased:
        _purge_times(transaction, known)
    if "free-text" in erased:
        for question in _text_questions(known):
            transaction.do(_DROP_TEXTS, of=known.id, asked=question)
        transaction.do(_SCRUB_REASONS, of=known.id)
    what = f"purged: {', '.join(erased)}"
    oversight.set_state(transaction, known, "closed", who=who, reason=what, now=now)


def _purge_everything(transaction: Transaction, known: RegisteredStudy) -> None:
    for table in _BY_PERSON:
        transaction.do(_drop(table), of=known.id)
    transaction.do(_EMPTY_BATCHES, of=known.id)
    transaction.do(_SCRUB_LOG, of=known.id)


def _purge_times(transaction: Transaction, known: RegisteredStudy) -> None:
    for table in (tables.event, tables.origin):
        transaction.do(_drop(table), of=known.id)
    moves = [
        {"person": row.participant, "by": stamp(SAME_DAY) - row.first}
        for row in transaction.rows(_ARRIVALS, of=known.id)
    ]
    for statement in _SHIFTS:
        transaction.do_all(statement, moves)
    transaction.do(_FORGET_BROWSERS, of=known.id)
    transaction.do(_FORGET_WITHDRAWALS, of=known.id)


def _text_questions(known: RegisteredStudy) -> tuple[str, ...]:
    asked = known.study.spec.site.exit_questions
    return (COMMENT, *(each.id for each in asked if each.kind == "text"))
