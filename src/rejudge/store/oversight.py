"""What researchers do: decide about work, open and close the study, grant access."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Iterable
from datetime import datetime, timedelta

from sqlalchemy import bindparam, delete, func, select, update

from rejudge import english
from rejudge.collect.assignment import FINISHED, Assignment, Event, Occupancy
from rejudge.collect.receipts import read_receipt, receipt_code
from rejudge.collect.visit import recruiters
from rejudge.errors import DataError, Problem
from rejudge.store import origins, seats, tables
from rejudge.store.records import Role, State, Token, Tombstone
from rejudge.store.registering import RegisteredStudy
from rejudge.store.statement import Row, SqlStatement, Transaction, insert_into
from rejudge.store.tables import maybe_moment, moment, stamp

_a, _v, _p, _n = tables.assignment, tables.visit, tables.participant, tables.answer
_DECISIONS: frozenset[Event] = frozenset({"accept", "exclude", "return", "expire"})

_ADD_LOG = insert_into(tables.log)
_SET_STATE = SqlStatement(
    update(tables.study).where(tables.study.c.id == bindparam("of")).values(state=bindparam("to"))
)
_FIND_PERSON = SqlStatement(
    select(_p.c.id).where(_p.c.study == bindparam("study"), _p.c.name == bindparam("name"))
)
_NAMED = SqlStatement(
    select(_p.c.name).where(_p.c.study == bindparam("study"), _p.c.mark == bindparam("mark"))
)
_ALL_NAMES = SqlStatement(select(_p.c.name).where(_p.c.study == bindparam("study")))
_GONE_NAMES = SqlStatement(
    select(tables.tombstone.c.participant.label("name")).where(
        tables.tombstone.c.study == bindparam("study")
    )
)
_IS_BARRED = SqlStatement(
    select(tables.barred.c.mark).where(
        tables.barred.c.study == bindparam("study"), tables.barred.c.mark == bindparam("mark")
    )
)
_BAR = insert_into(tables.barred)
_OWN = SqlStatement(
    select(_a.c.id, _a.c.batch, _a.c.status, _a.c.submitted_at).where(
        _a.c.study == bindparam("study"), _a.c.participant == bindparam("participant")
    )
)
_own_visits = select(_v.c.id).where(_v.c.participant == bindparam("participant"))
_COUNT_ANSWERS = SqlStatement(
    select(func.count()).select_from(_n).where(_n.c.visit.in_(_own_visits))
)
_FORGET = tuple(
    SqlStatement(part)
    for part in (
        delete(_n).where(_n.c.visit.in_(_own_visits)),
        delete(tables.event).where(tables.event.c.visit.in_(_own_visits)),
        delete(tables.origin).where(tables.origin.c.visit.in_(_own_visits)),
        delete(tables.identity).where(tables.identity.c.visit.in_(_own_visits)),
        delete(tables.submission).where(tables.submission.c.visit.in_(_own_visits)),
        delete(_a).where(_a.c.participant == bindparam("participant")),
        delete(_v).where(_v.c.participant == bindparam("participant")),
        delete(_p).where(_p.c.id == bindparam("participant")),
    )
)
_SCRUB_LOG = SqlStatement(  # that something was decided stays; about whom and why does not
    update(tables.log)
    .where(tables.log.c.study == bindparam("of"), tables.log.c.participant == bindparam("name"))
    .values(participant=None, reason="")
)
_ADD_TOMBSTONE = insert_into(tables.tombstone)


def note(
    transaction: Transaction,
    known: RegisteredStudy,
    what: str,
    *,
    who: str,
    now: datetime,
    participant: str | None = None,
    batch: str | None = None,
    reason: str = "",
) -> None:
    """Write a line into the audit log."""
    transaction.do(
        _ADD_LOG,
        study=known.id,
        at=stamp(now),
        who=who,
        what=what,
        participant=participant,
        batch=batch,
        reason=reason,
    )


def change(
    transaction: Transaction,
    known: RegisteredStudy,
    assignment: int,
    event: Event,
    *,
    who: str,
    reason: str,
    now: datetime,
) -> Assignment:
    """Accept, exclude, return or expire one assignment."""
    if event not in _DECISIONS:
        raise DataError(
            f"'{event}' cannot be set by hand. Use one of {', '.join(sorted(_DECISIONS))}."
        )
    held = seats.find_seat(transaction, known, assignment)
    if held is None:
        raise DataError(f"there is no assignment {assignment}; its participant may have withdrawn.")
    changed = seats.move(transaction, known, held, event, now=now, reason=reason)
    note(
        transaction,
        known,
        event if changed.status != "surplus" else f"{event}: surplus",
        who=who,
        now=now,
        participant=changed.participant,
        batch=changed.batch,
        reason=reason,
    )
    return changed


def set_state(
    transaction: Transaction,
    known: RegisteredStudy,
    state: State,
    *,
    who: str,
    reason: str,
    now: datetime,
) -> None:
    """Open, pause or close the study."""
    transaction.do(_SET_STATE, of=known.id, to=state)
    note(transaction, known, f"study {state}", who=who, now=now, reason=reason)


def add_place(
    transaction: Transaction,
    known: RegisteredStudy,
    batch: str,
    *,
    who: str,
    reason: str,
    now: datetime,
) -> Occupancy:
    """One more person for a batch than was planned."""
    number = known.batch_ids.get(batch)
    if number is None:
        raise DataError(f"the plan has no batch '{batch}'.")
    occupancy = seats.widen(transaction, known, number, now=now)
    note(transaction, known, "place added", who=who, now=now, batch=batch, reason=reason)
    return occupancy


def release_unanswered(
    transaction: Transaction,
    known: RegisteredStudy,
    *,
    before: datetime,
    who: str,
    reason: str,
    now: datetime,
) -> int:
    """Take back the places that were given before a moment and have no answer."""
    count = origins.release_all(transaction, known, before=before, now=now)
    note(
        transaction,
        known,
        f"{english.count(count, 'place')} released",
        who=who,
        now=now,
        reason=reason,
    )
    return count


def exclude_ids(
    transaction: Transaction,
    known: RegisteredStudy,
    persons: Iterable[str],
    *,
    who: str,
    now: datetime,
) -> int:
    """Turn people away from now on; gives how many are new on the list."""
    count = 0
    for person in sorted({person.strip() for person in persons} - {""}):
        marks = [known.mark(recruiter, person) for recruiter in recruiters()]
        missing = [m for m in marks if transaction.row(_IS_BARRED, study=known.id, mark=m) is None]
        transaction.do_all(_BAR, [{"study": known.id, "mark": mark} for mark in missing])
        count += bool(missing)
    note(transaction, known, "ids excluded", who=who, now=now, reason=f"{count} new")
    return count


def pseudonyms_of(transaction: Transaction, known: RegisteredStudy, person: str) -> tuple[str, ...]:
    """Under which pseudonyms a platform id is kept: one, unless recruiters share an id."""
    marks = [known.mark(recruiter, person.strip()) for recruiter in recruiters()]
    rows = (transaction.row(_NAMED, study=known.id, mark=mark) for mark in marks)
    return tuple(sorted(row.name for row in rows if row is not None))


def participant_of_receipt(
    transaction: Transaction, known: RegisteredStudy, typed: str
) -> str | None:
    """Whose receipt code this is, also of somebody who has withdrawn; None: nobody's here."""
    wanted = read_receipt(typed)
    if wanted is None:
        return None
    named = (
        row.name
        for statement in (_ALL_NAMES, _GONE_NAMES)
        for row in transaction.rows(statement, study=known.id)
    )
    return next(
        (name for name in named if hmac.compare_digest(receipt_code(known.secret, name), wanted)),
        None,
    )


def withdraw(
    transaction: Transaction, known: RegisteredStudy, participant: str, *, who: str, now: datetime
) -> Tombstone:
    """Remove every row of somebody; their places are free again."""
    left = count_kept(transaction, known, participant, now=now)
    person = _person(transaction, known, participant)
    own = transaction.rows(_OWN, study=known.id, participant=person.id)
    for row in own:
        held = seats.find_seat(transaction, known, row.id)
        if held is not None:
            seats.release(transaction, held)
    transaction.finish()  # what others in this transaction have yet to write of this person
    for statement in _FORGET:
        transaction.do(statement, participant=person.id)
    for row in own:
        seats.fill(transaction, known, row.batch, now=now)
    transaction.do(_SCRUB_LOG, of=known.id, name=participant)
    transaction.do(
        _ADD_TOMBSTONE,
        study=known.id,
        participant=participant,
        at=stamp(now),
        assignments=left.assignments,
        finished=left.finished,
        answers=left.answers,
    )
    note(transaction, known, "withdrawn", who=who, now=now, participant=participant)
    return left


def count_kept(
    transaction: Transaction, known: RegisteredStudy, participant: str, *, now: datetime
) -> Tombstone:
    """How much is kept of somebody: what a withdrawal would remove."""
    person = _person(transaction, known, participant)
    own = transaction.rows(_OWN, study=known.id, participant=person.id)
    return Tombstone(
        participant=participant,
        at=now,
        assignments=len(own),
        finished=sum(r.status in FINISHED or r.submitted_at is not None for r in own),
        answers=transaction.number(_COUNT_ANSWERS, participant=person.id),
    )


def _person(transaction: Transaction, known: RegisteredStudy, participant: str) -> Row:
    person = transaction.row(_FIND_PERSON, study=known.id, name=participant)
    if person is None:
        raise DataError(
            Problem(f"there is no participant '{participant}'.", "`rejudge status` lists them.")
        )
    return person


ONE_TIME_LASTS = timedelta(hours=24)  # a link that opens once, until it is used
TOKEN_LASTS = timedelta(days=90)
SESSION_LASTS = timedelta(hours=12)

_t, _s = tables.token, tables.session
_ADD = insert_into(_t, gives_id=True)
_ALL = SqlStatement(select(_t).where(_t.c.study == bindparam("study")).order_by(_t.c.id))
_BY_HASH = SqlStatement(
    select(_t).where(_t.c.study == bindparam("study"), _t.c.hash == bindparam("hashed"))
)
_USE = SqlStatement(update(_t).where(_t.c.id == bindparam("of")).values(used_at=bindparam("at")))
_REVOKE = SqlStatement(
    update(_t)
    .where(_t.c.id == bindparam("of"), _t.c.study == bindparam("here"), _t.c.revoked_at.is_(None))
    .values(revoked_at=bindparam("at"))
    .returning(_t.c.id)
)
_BEGIN = insert_into(_s)
_IN_SESSION = SqlStatement(
    select(_t)
    .select_from(_s.join(_t, _t.c.id == _s.c.token))
    .where(
        _s.c.study == bindparam("study"),
        _s.c.hash == bindparam("hashed"),
        _s.c.began_at > bindparam("after"),
    )
)
_END = SqlStatement(
    delete(_s).where(_s.c.study == bindparam("of"), _s.c.hash == bindparam("hashed"))
)
_END_OLD = SqlStatement(
    delete(_s).where(_s.c.study == bindparam("of"), _s.c.began_at <= bindparam("before"))
)


def grant(
    transaction: Transaction, known: RegisteredStudy, role: Role, *, now: datetime, one_time: bool
) -> str:
    """A new secret."""
    secret = secrets.token_urlsafe(24)
    expires_at = now + (ONE_TIME_LASTS if one_time else TOKEN_LASTS)
    transaction.number(
        _ADD,
        study=known.id,
        role=role,
        hash=_hash(secret),
        is_one_time=one_time,
        granted_at=stamp(now),
        used_at=None,
        revoked_at=None,
        expires_at=stamp(expires_at),
    )
    return secret


def login(
    transaction: Transaction, known: RegisteredStudy, secret: str, *, now: datetime
) -> Token | None:
    """The token of a secret, which a one-time secret opens once; None when it opens nothing."""
    row = transaction.row(_BY_HASH, study=known.id, hashed=_hash(secret))
    if row is None or _as_token(row).state(now) != "holds":
        return None
    transaction.do(_USE, of=row.id, at=stamp(now))
    return _as_token(row)


def is_known(transaction: Transaction, known: RegisteredStudy, secret: str) -> bool:
    """Whether a secret was ever granted; so that guessing writes nothing."""
    return transaction.row(_BY_HASH, study=known.id, hashed=_hash(secret)) is not None


def begin_session(
    transaction: Transaction, known: RegisteredStudy, token: int, *, now: datetime
) -> str:
    """Log a token in; gives what the browser keeps. Sessions that have ended are removed."""
    transaction.do(_END_OLD, of=known.id, before=stamp(now - SESSION_LASTS))
    nonce = secrets.token_urlsafe(24)
    transaction.do(_BEGIN, study=known.id, token=token, hash=_hash(nonce), began_at=stamp(now))
    return nonce


def token_of_session(
    transaction: Transaction, known: RegisteredStudy, nonce: str, *, now: datetime
) -> Token | None:
    """The token with which somebody is logged in; None when the session has ended."""
    after = stamp(now - SESSION_LASTS)
    row = transaction.row(_IN_SESSION, study=known.id, hashed=_hash(nonce), after=after)
    return None if row is None or row.revoked_at is not None else _as_token(row)


def end_session(transaction: Transaction, known: RegisteredStudy, nonce: str) -> None:
    """Log out."""
    transaction.do(_END, of=known.id, hashed=_hash(nonce))


def all_tokens(transaction: Transaction, known: RegisteredStudy) -> tuple[Token, ...]:
    """All tokens."""
    return tuple(_as_token(row) for row in transaction.rows(_ALL, study=known.id))


def revoke(transaction: Transaction, known: RegisteredStudy, token: int, *, now: datetime) -> bool:
    """Revoke a token; gives whether it was valid before."""
    return transaction.row(_REVOKE, of=token, here=known.id, at=stamp(now)) is not None


def _as_token(row: Row) -> Token:
    return Token(
        id=row.id,
        role=row.role,
        granted_at=moment(row.granted_at),
        is_one_time=bool(row.is_one_time),
        used_at=maybe_moment(row.used_at),
        revoked_at=maybe_moment(row.revoked_at),
        expires_at=maybe_moment(row.expires_at),
    )


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()
