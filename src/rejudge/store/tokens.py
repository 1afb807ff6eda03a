"""Keys to the dashboard. The secret is shown once; what is kept is its hash."""

from __future__ import annotations

import hashlib
import secrets
from datetime import datetime

from sqlalchemy import bindparam, select, update

from rejudge.store import tables
from rejudge.store.records import Role, Token
from rejudge.store.registering import Registered
from rejudge.store.statement import Row, Statement, Transaction, adding
from rejudge.store.tables import maybe_moment, moment, stamp

_t = tables.token
_ADD = adding(_t, gives_id=True)
_ALL = Statement(select(_t).where(_t.c.study == bindparam("study")).order_by(_t.c.id))
_ONE = Statement(select(_t).where(_t.c.study == bindparam("study"), _t.c.id == bindparam("token")))
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


def grant(
    transaction: Transaction, known: Registered, role: Role, *, now: datetime, one_time: bool
) -> str:
    """A new secret."""
    secret = secrets.token_urlsafe(24)
    transaction.number(
        _ADD,
        study=known.id,
        role=role,
        hash=_hashed(secret),
        is_one_time=one_time,
        granted_at=stamp(now),
        used_at=None,
        revoked_at=None,
    )
    return secret


def login(
    transaction: Transaction, known: Registered, secret: str, *, now: datetime
) -> Token | None:
    """The token of a secret, which a one-time secret opens once."""
    row = transaction.row(_BY_HASH, study=known.id, hashed=_hashed(secret))
    if row is None or row.revoked_at is not None or (row.is_one_time and row.used_at is not None):
        return None
    transaction.do(_USE, of=row.id, at=stamp(now))
    return one(transaction, known, row.id)


def is_known(transaction: Transaction, known: Registered, secret: str) -> bool:
    """Whether a secret was ever granted; so that guessing writes nothing."""
    return transaction.row(_BY_HASH, study=known.id, hashed=_hashed(secret)) is not None


def one(transaction: Transaction, known: Registered, token: int) -> Token | None:
    """A token by its number."""
    row = transaction.row(_ONE, study=known.id, token=token)
    return None if row is None else _as_token(row)


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
    )


def _hashed(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()
