"""Keys to the dashboard, and who is logged in with one. Of every secret only the hash is kept."""

from __future__ import annotations

import hashlib
import secrets
from datetime import datetime, timedelta

from sqlalchemy import bindparam, delete, select, update

from rejudge.store import tables
from rejudge.store.records import Role, Token
from rejudge.store.registering import Registered
from rejudge.store.statement import Row, Statement, Transaction, adding
from rejudge.store.tables import maybe_moment, moment, stamp

ONE_TIME_LASTS = timedelta(hours=24)  # a link that opens once, until it is used
TOKEN_LASTS = timedelta(days=90)
SESSION_LASTS = timedelta(hours=12)

_t, _s = tables.token, tables.session
_ADD = adding(_t, gives_id=True)
_ALL = Statement(select(_t).where(_t.c.study == bindparam("study")).order_by(_t.c.id))
_BY_HASH = Statement(
    select(_t).where(_t.c.study == bindparam("study"), _t.c.hash == bindparam("hashed"))
)
_USE = Statement(update(_t).where(_t.c.id == bindparam("of")).values(used_at=bindparam("at")))
_REVOKE = Statement(
    update(_t)
    .where(_t.c.id == bindparam("of"), _t.c.study == bindparam("here"), _t.c.revoked_at.is_(None))
    .values(revoked_at=bindparam("at"))
    .returning(_t.c.id)
)
_BEGIN = adding(_s)
_IN_SESSION = Statement(
    select(_t)
    .select_from(_s.join(_t, _t.c.id == _s.c.token))
    .where(
        _s.c.study == bindparam("study"),
        _s.c.hash == bindparam("hashed"),
        _s.c.began_at > bindparam("after"),
    )
)
_END = Statement(delete(_s).where(_s.c.study == bindparam("of"), _s.c.hash == bindparam("hashed")))
_END_OLD = Statement(
    delete(_s).where(_s.c.study == bindparam("of"), _s.c.began_at <= bindparam("before"))
)


def grant(
    transaction: Transaction, known: Registered, role: Role, *, now: datetime, one_time: bool
) -> str:
    """A new secret."""
    secret = secrets.token_urlsafe(24)
    expires_at = now + (ONE_TIME_LASTS if one_time else TOKEN_LASTS)
    transaction.number(
        _ADD,
        study=known.id,
        role=role,
        hash=_hashed(secret),
        is_one_time=one_time,
        granted_at=stamp(now),
        used_at=None,
        revoked_at=None,
        expires_at=stamp(expires_at),
    )
    return secret


def login(
    transaction: Transaction, known: Registered, secret: str, *, now: datetime
) -> Token | None:
    """The token of a secret, which a one-time secret opens once; None when it opens nothing."""
    row = transaction.row(_BY_HASH, study=known.id, hashed=_hashed(secret))
    if row is None or _as_token(row).state(now) != "holds":
        return None
    transaction.do(_USE, of=row.id, at=stamp(now))
    return _as_token(row)


def is_known(transaction: Transaction, known: Registered, secret: str) -> bool:
    """Whether a secret was ever granted; so that guessing writes nothing."""
    return transaction.row(_BY_HASH, study=known.id, hashed=_hashed(secret)) is not None


def begin_session(transaction: Transaction, known: Registered, token: int, *, now: datetime) -> str:
    """Log a token in; gives what the browser keeps. Sessions that have ended are removed."""
    transaction.do(_END_OLD, of=known.id, before=stamp(now - SESSION_LASTS))
    nonce = secrets.token_urlsafe(24)
    transaction.do(_BEGIN, study=known.id, token=token, hash=_hashed(nonce), began_at=stamp(now))
    return nonce


def in_session(
    transaction: Transaction, known: Registered, nonce: str, *, now: datetime
) -> Token | None:
    """The token with which somebody is logged in; None when the session has ended."""
    after = stamp(now - SESSION_LASTS)
    row = transaction.row(_IN_SESSION, study=known.id, hashed=_hashed(nonce), after=after)
    return None if row is None or row.revoked_at is not None else _as_token(row)


def end_session(transaction: Transaction, known: Registered, nonce: str) -> None:
    """Log out."""
    transaction.do(_END, of=known.id, hashed=_hashed(nonce))


def every(transaction: Transaction, known: Registered) -> tuple[Token, ...]:
    """All tokens."""
    return tuple(_as_token(row) for row in transaction.rows(_ALL, study=known.id))


def revoke(transaction: Transaction, known: Registered, token: int, *, now: datetime) -> bool:
    """Close the door; gives whether it was open."""
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


def _hashed(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()
