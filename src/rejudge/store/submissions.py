"""What a platform says about submissions: kept as a status under a keyed hash, with its effect.

A report and what it changes are one transaction. A report that is older than what is known, or that
was delivered before, changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from sqlalchemy import bindparam, select, update

from rejudge.collect.assignment import Assignment
from rejudge.collect.submissions import SubmissionReport, submission_event
from rejudge.collect.visit import Recruiter, Visit
from rejudge.store import oversight, qualifying, seats, tables, visits
from rejudge.store.records import FollowedReport
from rejudge.store.registering import RegisteredStudy
from rejudge.store.statement import SqlStatement, Transaction, insert_into
from rejudge.store.tables import stamp

_ENDED = frozenset({"returned", "rejected", "timed-out", "screened-out"})
_s, _d, _i = tables.submission, tables.delivery, tables.identity
_ADD = insert_into(_s)
_ADD_DELIVERY = insert_into(_d)
_KNOWN = SqlStatement(
    select(_s.c.status, _s.c.reported_at, _s.c.visit).where(
        _s.c.study == bindparam("of"), _s.c.mark == bindparam("about")
    )
)
_CHANGE = SqlStatement(
    update(_s)
    .where(_s.c.study == bindparam("of"), _s.c.mark == bindparam("about"))
    .values(status=bindparam("said"), reported_at=bindparam("at"), visit=bindparam("who"))
)
_DELIVERED = SqlStatement(
    select(_d.c.received_at).where(_d.c.study == bindparam("of"), _d.c.name == bindparam("called"))
)
_VISIT = SqlStatement(
    select(_i.c.visit).where(
        _i.c.study == bindparam("of"),
        _i.c.recruiter == bindparam("platform"),
        _i.c.session == bindparam("called"),
    )
)


def follow(
    transaction: Transaction,
    known: RegisteredStudy,
    recruiter: Recruiter,
    reports: Iterable[SubmissionReport],
    *,
    now: datetime,
) -> tuple[FollowedReport, ...]:
    """Do what a platform's reports mean for our places, each report at most once."""
    return tuple(_follow_one(transaction, known, recruiter, each, now=now) for each in reports)


def _follow_one(
    transaction: Transaction,
    known: RegisteredStudy,
    recruiter: Recruiter,
    report: SubmissionReport,
    *,
    now: datetime,
) -> FollowedReport:
    if report.delivery is not None:
        if transaction.row(_DELIVERED, of=known.id, called=report.delivery) is not None:
            return FollowedReport(report, is_news=False)
        transaction.do(_ADD_DELIVERY, study=known.id, name=report.delivery, received_at=stamp(now))
    visit = _find_visit(transaction, known, recruiter, report.session)
    if visit is None and report.delivery is not None:  # of another study, or not here yet: polls
        return FollowedReport(report, is_news=False)  # of this study will say it again
    mark = known.mark(recruiter, report.session)
    if not _keep(transaction, known, mark, report, visit=None if visit is None else visit.id):
        return FollowedReport(report, is_news=False)
    if visit is None:
        return FollowedReport(report, is_news=True)
    if report.status in _ENDED and not visit.assignments:  # no place is kept for them any more
        qualifying.give_up_place(transaction, visit.id)
    changed = [_apply(transaction, known, each, report, now=now) for each in visit.assignments]
    return FollowedReport(
        report,
        is_news=True,
        participant=visit.participant,
        changed=tuple(each for each in changed if each is not None),
    )


def _find_visit(
    transaction: Transaction, known: RegisteredStudy, recruiter: Recruiter, session: str
) -> Visit | None:
    """The visit of a submission; None while the person has not arrived at our site."""
    found = transaction.row(_VISIT, of=known.id, platform=recruiter, called=session)
    return None if found is None else visits.read(transaction, known, found.visit)


def _keep(
    transaction: Transaction,
    known: RegisteredStudy,
    mark: str,
    report: SubmissionReport,
    *,
    visit: int | None,
) -> bool:
    """Keep the newest word about a submission; whether it says something new.

    A word that was followed is not followed again: a researcher may have decided since.
    """
    before = transaction.row(_KNOWN, of=known.id, about=mark)
    at = stamp(report.reported_at)
    if before is None:
        transaction.do(
            _ADD, study=known.id, mark=mark, visit=visit, status=report.status, reported_at=at
        )
        return True
    if at < before.reported_at:
        return False
    transaction.do(_CHANGE, of=known.id, about=mark, said=report.status, at=at, who=visit)
    return bool(before.status != report.status or before.visit != visit)


def _apply(
    transaction: Transaction,
    known: RegisteredStudy,
    assignment: Assignment,
    report: SubmissionReport,
    *,
    now: datetime,
) -> Assignment | None:
    """Do to one batch what the platform's word means; None: nothing."""
    event = submission_event(report.status, assignment.status)
    if event is None:
        return None
    held = seats.find_seat(transaction, known, assignment.id)
    if held is None or submission_event(report.status, held.status) != event:
        return None
    reason = f"{report.status} on the platform"
    changed = seats.move(transaction, known, held, event, now=now, reason=reason)
    oversight.note(
        transaction, known, event, who="platform", now=now,
        participant=changed.participant, batch=changed.batch, reason=reason,
    )  # fmt: skip
    return changed
