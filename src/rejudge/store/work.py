"""A batch in somebody's hands: given, answered page by page, handed in.

Everything here runs inside a transaction that holds the study's lock.
"""

from __future__ import annotations

import math
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from sqlalchemy import bindparam, delete, func, or_, select, update

from rejudge.collect.assignment import FINISHED, Assignment
from rejudge.collect.visit import EXIT, Visit, first_open
from rejudge.errors import Unfinished
from rejudge.store import qualifying, seats, tables, visits
from rejudge.store.records import PageAnswers, Saved
from rejudge.store.registering import Checks, RegisteredStudy
from rejudge.store.statement import Row, SqlStatement, Transaction, Value, insert_into
from rejudge.store.tables import moment, stamp

MOST_CHANGES = 200  # of one answer in one visit that are kept: the first and the latest
_a, _v, _n = tables.assignment, tables.visit, tables.answer
_STATE = SqlStatement(select(tables.study.c.state).where(tables.study.c.id == bindparam("study")))
_PAGE = SqlStatement(
    select(
        _v.c.left_at,
        _v.c.consented_at,
        _a.c.id.label("assignment"),
        _a.c.status,
        _a.c.submitted_at,
        _a.c.expires_at,
        select(_n.c.saved_at)
        .where(_n.c.visit == bindparam("visit"), _n.c.key == bindparam("key"))
        .limit(1)
        .scalar_subquery()
        .label("saved_at"),
        select(func.count())
        .select_from(_n)
        .where(_n.c.visit == bindparam("visit"))
        .scalar_subquery()
        .label("stored"),
    )
    .select_from(_v.outerjoin(_a, (_a.c.id == bindparam("assignment")) & (_a.c.visit == _v.c.id)))
    .where(_v.c.id == bindparam("visit"), _v.c.study == bindparam("study"))
)
_PROBE_BYTES = 24_000  # written as twice as many characters
_PROBE = SqlStatement(
    update(tables.setting)
    .where(tables.setting.c.name == bindparam("of"))
    .values(value=bindparam("new"))
    .returning(tables.setting.c.name)
)
_ADD_PROBE = insert_into(tables.setting)
_ADD = insert_into(_n)
_VALUES = SqlStatement(
    select(_n.c.id)
    .where(
        _n.c.visit == bindparam("visit"),
        _n.c.task == bindparam("task"),
        _n.c.question == bindparam("question"),
    )
    .order_by(_n.c.id)
)
_REMOVE = SqlStatement(delete(_n).where(_n.c.id == bindparam("of")))
_RENEW = SqlStatement(
    update(_a).where(_a.c.id == bindparam("of")).values(expires_at=bindparam("until"))
)
_PROLONG = SqlStatement(
    update(_a)
    .where(
        _a.c.visit == bindparam("of"), _a.c.status == "held", _a.c.expires_at < bindparam("until")
    )
    .values(expires_at=bindparam("until"))
)
_ANSWERS = SqlStatement(
    select(_n.c.task, _n.c.question, _n.c.raw)
    .where(_n.c.visit == bindparam("visit"))
    .order_by(_n.c.id)
)
_ANSWERS_OF = SqlStatement(
    select(_n.c.task, _n.c.question, _n.c.raw, _n.c.key, _n.c.saved_at)
    .where(_n.c.visit == bindparam("visit"), _n.c.assignment == bindparam("assignment"))
    .order_by(_n.c.id)
)
_FAILED = SqlStatement(
    select(_a.c.id, _a.c.failed_strict).where(
        _a.c.study == bindparam("study"),
        _a.c.participant == bindparam("participant"),
        or_(*(_a.c.status == status for status in sorted(FINISHED))),
    )
)


def state(transaction: Transaction, known: RegisteredStudy) -> str:
    """Whether batches are handed out: open, paused or closed."""
    row = transaction.row(_STATE, study=known.id)
    return "closed" if row is None else str(row.state)


def probe(transaction: Transaction, known: RegisteredStudy) -> None:
    """Write a row that nobody reads, which needs at least what saving an answer needs.

    It is random, since what is there already would not be written, and takes more pages of the
    database than an answer with its indexes: a disk may have room for a few bytes more.
    """
    name, value = f"probe of study {known.id}", secrets.token_hex(_PROBE_BYTES)
    if transaction.row(_PROBE, of=name, new=value) is None:
        transaction.do(_ADD_PROBE, name=name, value=value)


def keep_unbegun(
    transaction: Transaction, known: RegisteredStudy, visit: int, *, now: datetime
) -> None:
    """Reading and practising keep the place of somebody who has not begun with the tasks."""
    transaction.prefetched.pop(visit, None)
    transaction.do(_PROLONG, of=visit, until=stamp(now + known.first_lease))
    qualifying.prolong(transaction, known, visit, now=now)


def record(
    transaction: Transaction, known: RegisteredStudy, page: PageAnswers, *, now: datetime
) -> Saved:
    """Add the answers of a page, and keep the batch alive."""
    key = clean(page.key)
    row = transaction.row(
        _PAGE, visit=page.visit, study=known.id, assignment=page.assignment, key=key
    )
    if row is not None and row.saved_at is not None:
        return Saved(moment(row.saved_at), "repeated")
    if row is None or _is_closed(row, page):
        return Saved(now, "closed")
    _add(transaction, [page], stored=row.stored, now=now)
    if page.assignment is None:
        keep_unbegun(transaction, known, page.visit, now=now)
    _keep_alive(transaction, known, page.visit, row, now=now)
    return Saved(now, "saved")


def record_all(
    transaction: Transaction, known: RegisteredStudy, pages: Sequence[PageAnswers], *, now: datetime
) -> Saved:
    """Add the answers of several pages of one assignment, and keep the batch alive."""
    if not pages:
        return Saved(now, "saved")
    one = pages[0]
    row = transaction.row(
        _PAGE, visit=one.visit, study=known.id, assignment=one.assignment, key=clean(one.key)
    )
    before = transaction.rows(_ANSWERS_OF, visit=one.visit, assignment=one.assignment)
    stored = {each.key: each.saved_at for each in before}
    fresh = [page for page in pages if clean(page.key) not in stored]
    if not fresh:
        return Saved(moment(stored[clean(one.key)]), "repeated")
    if row is None or _is_closed(row, one):
        return Saved(now, "closed")
    _add(transaction, fresh, stored=row.stored, now=now)
    _keep_alive(transaction, known, one.visit, row, now=now)
    return Saved(now, "saved")


def _keep_alive(
    transaction: Transaction, known: RegisteredStudy, visit: int, row: Row, *, now: datetime
) -> None:
    if row.status == "held":
        until = stamp(now + known.lease)
        # a hundredth of the lease sooner or later is not worth a write with every answer
        if 100 * (until - row.expires_at) >= until - stamp(now):
            transaction.prefetched.pop(visit, None)
            transaction.do(_RENEW, of=row.assignment, until=until)
    elif row.status == "expired":
        held = seats.find_seat(transaction, known, row.assignment)
        if held is not None:
            seats.move(transaction, known, held, "renew", now=now)


def _is_closed(row: Row, page: PageAnswers) -> bool:
    if row.consented_at is None:  # nothing is collected before somebody has agreed
        return True
    if page.assignment is None:
        return row.left_at is not None
    return row.assignment is None or row.status in FINISHED or row.submitted_at is not None


def add_ticks(transaction: Transaction, ticks: PageAnswers, *, now: datetime) -> None:
    """Keep what was ticked on the consent page, with the decision itself."""
    _add(transaction, [ticks], stored=0, now=now)


def _add(
    transaction: Transaction, pages: Sequence[PageAnswers], *, stored: int, now: datetime
) -> None:
    """Add the answers; `stored` is how many the visit has at least.

    Nobody can fill the disk: of an answer that is changed very often, the first value and the
    latest are kept. Exit questions may be sent many times until the form is complete: each value
    replaces the one before.
    """
    rows = [row for page in pages for row in _rows(page, stamp(now))]
    for row in rows:
        most = 1 if row["task"] == EXIT else MOST_CHANGES
        if stored >= most:
            _make_room(transaction, row, most)
    transaction.do_all(_ADD, rows)


def _make_room(transaction: Transaction, row: Mapping[str, Value], most: int) -> None:
    """Remove the oldest change but the first value. The latest stay, so that one of them that the
    browser sends once more is recognised by its key and does not replace a later one."""
    place = {name: row[name] for name in ("visit", "task", "question")}
    values = transaction.rows(_VALUES, **place)
    if len(values) >= most:
        transaction.do(_REMOVE, of=values[min(1, most - 1)].id)


def _rows(page: PageAnswers, at: int) -> list[dict[str, Value]]:
    seconds = page.active_seconds
    shared: dict[str, Value] = {
        "visit": page.visit,
        "assignment": page.assignment,
        "task": clean(page.task),
        "position": page.position,
        "key": clean(page.key),
        "shown_at": stamp(page.shown_at),
        "saved_at": at,
        "active_seconds": seconds if seconds is not None and math.isfinite(seconds) else None,
        "changes": page.changes,
        "blurs": page.blurs,
    }
    return [
        {**shared, "question": clean(question), "raw": clean(raw)}
        for question, raw in page.answers.items()
    ]


def clean(text: str) -> str:
    """A text that both databases keep: without NUL and without halves of characters."""
    if text.isascii() and "\0" not in text:
        return text
    return text.replace("\0", "�").encode("utf-8", "replace").decode("utf-8")


def answers(
    transaction: Transaction, visit: int, assignment: int | None = None
) -> dict[tuple[str, str], str]:
    """The latest raw value by task and question."""
    if assignment is None:
        rows = transaction.rows(_ANSWERS, visit=visit)
    else:
        rows = transaction.rows(_ANSWERS_OF, visit=visit, assignment=assignment)
    return {(row.task, row.question): row.raw for row in rows}


def hand_in(
    transaction: Transaction,
    known: RegisteredStudy,
    here: visits.VisitRecord,
    *,
    assignment: int,
    pages: Sequence[PageAnswers],
    checks: Checks,
    now: datetime,
) -> Visit:
    """Add the last answers and hand in a batch: once, however often it is asked for."""
    row = next((each for each in here.rows if each.assignment == assignment), None)
    if row is None:
        return here.visit
    held = seats.HeldSeat(row, visits.as_assignment(known, row))
    if held.assignment.is_finished:
        return here.visit
    stored = transaction.rows(_ANSWERS_OF, visit=row.id, assignment=assignment)
    given = {(each.task, each.question): each.raw for each in stored}
    keys = {each.key for each in stored}
    fresh = [page for page in pages if clean(page.key) not in keys]
    _add(transaction, fresh, stored=len(stored), now=now)
    for page in fresh:
        given |= {(page.task, question): raw for question, raw in page.answers.items()}
    if fresh and held.status == "expired":
        renewed = seats.move(transaction, known, held, "renew", now=now)
        held = replace(held, assignment=renewed)
    done = _submit(transaction, known, held, given, checks=checks, now=now)
    return replace(
        here.visit,
        assignments=tuple(done if a.id == done.id else a for a in here.visit.assignments),
    )


def _submit(
    transaction: Transaction,
    known: RegisteredStudy,
    held: seats.HeldSeat,
    given: Mapping[tuple[str, str], str],
    *,
    checks: Checks,
    now: datetime,
) -> Assignment:
    """Hand in a batch that was not handed in, with all that was answered."""
    batch, seat = held.assignment.batch, held.assignment.seat
    missing = first_open(known.study, known.order(batch, seat), given.keys())
    if missing is not None:
        raise Unfinished(f"task {missing} still needs an answer.")
    failed = checks.count_failed(batch, given)
    handed_in = seats.move(transaction, known, held, "submit", now=now, failed=failed)
    if failed[1]:
        _replace_if_failed(transaction, known, held, checks.limit, now=now)
        again = seats.find_seat(transaction, known, handed_in.id)
        return handed_in if again is None else again.assignment
    return handed_in


def _replace_if_failed(
    transaction: Transaction,
    known: RegisteredStudy,
    held: seats.HeldSeat,
    limit: int | None,
    *,
    now: datetime,
) -> None:
    """Too many wrong checks: nothing of this person counts, and others take their places."""
    rows = transaction.rows(_FAILED, study=known.id, participant=held.row.participant_id)
    count = sum(row.failed_strict or 0 for row in rows)
    if limit is None or count < limit:
        return
    for row in rows:
        each = seats.find_seat(transaction, known, row.id)
        if each is not None and each.status in {"submitted", "surplus"}:
            reason = "1 failed check" if count == 1 else f"{count} failed checks"
            seats.move(transaction, known, each, "fail", now=now, reason=reason)
