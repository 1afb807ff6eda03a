"""Who is given a batch or let go: claims, screening, places kept during the qualification.

Everything here runs inside a transaction that holds the study's lock.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from sqlalchemy import bindparam, func, select, update

from rejudge.collect.assignment import (
    Assignment,
    PastAssignment,
    choose_batch,
    named_batch,
    next_on_list,
)
from rejudge.collect.qualification import count_right, open_gold_task
from rejudge.collect.visit import Origin, Visit, asks_first, needs_qualification
from rejudge.errors import Unfinished
from rejudge.store import arrivals, gate, origins, qualifying, seats, tables, visits, work
from rejudge.store.records import Happening, PageAnswers
from rejudge.store.registering import RegisteredStudy
from rejudge.store.statement import SqlStatement, Transaction
from rejudge.store.tables import stamp
from rejudge.store.work import answers

_a, _n, _v = tables.assignment, tables.answer, tables.visit
_LAPSED = SqlStatement(
    select(_a.c.batch, func.count().label("lapsed"))
    .where(
        _a.c.study == bindparam("study"),
        _a.c.status == "held",
        _a.c.expires_at <= bindparam("now"),
    )
    .group_by(_a.c.batch)
)
_HAS_ANSWERED = SqlStatement(
    select(_n.c.id).where(_n.c.visit == bindparam("visit"), _n.c.assignment.is_not(None)).limit(1)
)
_ATTEMPTS = SqlStatement(
    select(_n.c.question, _n.c.raw, _n.c.key)
    .where(_n.c.visit == bindparam("visit"), _n.c.task == bindparam("task"))
    .order_by(_n.c.id)
)
_SCREEN_OUT = SqlStatement(
    update(_v).where(_v.c.id == bindparam("of")).values(screened_out_at=bindparam("at"))
)


def claim(
    transaction: Transaction,
    known: RegisteredStudy,
    here: visits.VisitRecord,
    *,
    now: datetime,
    origin: Origin | None = None,
) -> Visit:
    """Keep the batch in hand alive, or give the next one, or turn the visit away.

    `origin`: where somebody comes from whom nothing proves.
    """
    visit = here.visit
    if not _takes_part(known, here):
        return visit
    current = visit.current
    if current is not None:
        _keep(transaction, known, current, now=now)
        return visits.look(transaction, known, visit.id).visit
    past = _past_of(transaction, known, here, now=now)
    if gate.holds_back(transaction, known, past):
        return visit
    if needs_qualification(known.study, visit):
        return _admit(transaction, known, here, past, origin=origin, now=now)
    batch = None
    if here.is_open:
        batch = _choose_batch_for(transaction, known, here, past, origin=origin, now=now)
    visit = _turn(transaction, known, visit, away=batch is None, now=now)
    if batch is None:
        return visit
    taken = seats.take(transaction, known, batch, participant=here.owner, visit=visit, now=now)
    return replace(visit, assignments=(*visit.assignments, taken))


def _turn(
    transaction: Transaction, known: RegisteredStudy, visit: Visit, *, away: bool, now: datetime
) -> Visit:
    """Note that there is no place for somebody, or that there is one again."""
    if away and not visit.is_turned_away:
        visits.tell(transaction, known, visit.id, "turned-away", now=now)
    if visit.is_turned_away != away:
        visits.turn(transaction, visit.id, away=away)
    return replace(visit, is_turned_away=away)


def _admit(
    transaction: Transaction,
    known: RegisteredStudy,
    here: visits.VisitRecord,
    past: Sequence[PastAssignment],
    *,
    origin: Origin | None,
    now: datetime,
) -> Visit:
    """Keep a place for somebody who has to qualify first; they get none before they pass."""
    visit = here.visit
    if visit.unqualified_at is not None:
        return visit
    has_place = False
    if here.is_open:
        origin = origins.note_origin(transaction, known, visit.id, origin, now=now)
        if origin is not None:
            qualifying.give_up_excess(transaction, known, origin, now=now)
        has_place = _finds_batch(transaction, known, here, past, now=now)
    if has_place:
        qualifying.keep_place(transaction, known, visit.id, now=now)
    return _turn(transaction, known, visit, away=not has_place, now=now)


def finish_attempt(
    transaction: Transaction,
    known: RegisteredStudy,
    here: visits.VisitRecord,
    *,
    attempt: int,
    now: datetime,
) -> Visit:
    """Count the right answers of an attempt, once; who passes gets a batch in the same step."""
    visit, asked = here.visit, known.study.spec.qualification
    is_next = attempt == visit.attempts + 1 and needs_qualification(known.study, visit)
    if (
        asked is None
        or not is_next
        or not _takes_part(known, here)
        or visit.unqualified_at is not None
    ):
        return visit
    given = answers(transaction, visit.id)
    missing = open_gold_task(known.study, asked, attempt, given)
    if missing is not None:
        raise Unfinished(f"task {missing} still needs an answer.")
    right = count_right(known.study, asked, attempt, given)
    has_passed, is_last = right >= asked.pass_mark, attempt >= asked.attempts
    visit = replace(
        visit,
        attempts=attempt,
        qualified_at=now if has_passed else None,
        unqualified_at=now if is_last and not has_passed else None,
    )
    qualifying.note_attempt(transaction, visit)
    what: Happening = "qualified" if has_passed else "not-qualified" if is_last else "attempted"
    detail = f"attempt {attempt}: {right} of {asked.gold_answers(attempt)}"
    visits.tell(transaction, known, visit.id, what, now=now, detail=detail)
    if not has_passed and not is_last:
        qualifying.prolong(transaction, known, visit.id, now=now)
        return visit
    if has_passed:
        visit = claim(transaction, known, replace(here, visit=visit), now=now)
    qualifying.give_up_place(transaction, visit.id)
    seats.fill_elsewhere(transaction, known, now=now)
    return visit


def _past_of(
    transaction: Transaction, known: RegisteredStudy, here: visits.VisitRecord, *, now: datetime
) -> tuple[PastAssignment, ...]:
    """What somebody has had, none of which may be in hand elsewhere."""
    seats.sweep(transaction, known, now=now)
    past = seats.past_assignments(transaction, known, here.owner)
    if any(each.status == "held" for each in past):
        raise arrivals.open_elsewhere()
    return past


def _choose_batch_for(
    transaction: Transaction,
    known: RegisteredStudy,
    here: visits.VisitRecord,
    past: Sequence[PastAssignment],
    *,
    origin: Origin | None,
    now: datetime,
) -> str | None:
    """The batch for somebody; who begins gives back what their network or browser has too much."""
    if gate.is_over(transaction, known):
        return None
    if known.plan.lists is not None:
        closed = seats.closed_batches(transaction, known)
        return next_on_list(known.plan, here.visit.own, past, closed=closed)
    if not past:
        origin = origins.note_origin(transaction, known, here.visit.id, origin, now=now)
        if origin is not None:
            origins.take_back_excess(transaction, known, origin, now=now)
    if here.visit.sent_to is not None:
        return _named_batch(transaction, known, here.visit.sent_to, past)
    return _nearest_batch(transaction, known, here, past, now=now)


def _nearest_batch(
    transaction: Transaction,
    known: RegisteredStudy,
    here: visits.VisitRecord,
    past: Sequence[PastAssignment],
    *,
    now: datetime,
) -> str | None:
    """The batch nearest to completion, of those that nobody may still be at where there are."""
    spare = seats.count_spare_places(transaction, known, here.owner, now=now)
    for occupancies in (
        seats.reserved_occupancies(transaction, known, now=now),
        seats.nearest_to_completion(transaction, known, past),
    ):
        batch = choose_batch(known.plan, occupancies, past, spare=spare)
        if batch is not None:
            return batch
    return None


def _named_batch(
    transaction: Transaction,
    known: RegisteredStudy,
    named: str,
    past: Sequence[PastAssignment],
    *,
    lapsed: Mapping[int, int] | None = None,
) -> str | None:
    """The batch for somebody whose link names one. `lapsed`: as in `count_spare_places`."""
    number = known.batch_ids.get(named)
    if number is None:
        return named_batch(known.plan, named, None, past)
    found = seats.occupancy(transaction, number)
    found = replace(found, held=found.held - (lapsed or {}).get(number, 0))
    return named_batch(known.plan, named, found, past)


def has_next(
    transaction: Transaction, known: RegisteredStudy, visit: int, *, now: datetime
) -> bool:
    """Whether a claim would give a batch; what has lapsed counts as free already."""
    here = visits.look(transaction, known, visit)
    if not _takes_part(known, here):
        return False
    if here.visit.current is not None:
        return True
    if not here.is_open or gate.is_waiting(transaction, known, here.owner):
        return False
    if needs_qualification(known.study, here.visit):
        return False
    past = seats.past_assignments(transaction, known, here.owner)
    return _finds_batch(transaction, known, here, past, now=now)


def _finds_batch(
    transaction: Transaction,
    known: RegisteredStudy,
    here: visits.VisitRecord,
    past: Sequence[PastAssignment],
    *,
    now: datetime,
) -> bool:
    """Whether there is a batch for somebody with this past; nothing is taken."""
    if gate.is_over(transaction, known):
        return False
    if known.plan.lists is not None:
        closed = seats.closed_batches(transaction, known)
        return next_on_list(known.plan, here.visit.own, past, closed=closed) is not None
    rows = transaction.rows(_LAPSED, study=known.id, now=stamp(now))
    lapsed = {row.batch: row.lapsed for row in rows}
    if (named := here.visit.sent_to) is not None:
        return _named_batch(transaction, known, named, past, lapsed=lapsed) is not None
    occupancies = [
        replace(occupancy, held=occupancy.held - lapsed.get(known.batch_ids[occupancy.batch], 0))
        for occupancy in seats.occupancies(transaction, known)
    ]
    spare = seats.count_spare_places(transaction, known, here.owner, now=now, lapsed=lapsed)
    return choose_batch(known.plan, occupancies, past, spare=spare) is not None


def _takes_part(known: RegisteredStudy, here: visits.VisitRecord) -> bool:
    """Whether somebody may take part, has agreed and has not left.

    Those with a list of their own can leave between two batches, and come back for the next.
    """
    visit = here.visit
    may = not here.is_barred and visit.screened_out_at is None
    is_admitted = visit.admitted_at is not None or not asks_first(known.study)
    is_here = visit.left_at is None or visit.own is not None
    return may and is_admitted and visit.consented_at is not None and is_here


def _keep(
    transaction: Transaction, known: RegisteredStudy, current: Assignment, *, now: datetime
) -> None:
    if current.status not in {"held", "expired"}:
        return
    held = seats.find_seat(transaction, known, current.id)
    if held is not None:
        has_begun = transaction.row(_HAS_ANSWERED, visit=current.visit) is not None
        lease = known.lease if has_begun else known.first_lease
        seats.move(transaction, known, held, "renew", now=now, lease=lease)


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
    return claim(transaction, known, admitted, now=now, origin=origin)


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
