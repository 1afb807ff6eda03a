"""Who may look and who may act: a signed cookie for a token that holds, and a form's proof."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from itsdangerous import BadSignature, Signer

LASTS = timedelta(hours=12)  # a session; the token itself lasts until it is revoked
_BETWEEN = "~"


@dataclass(frozen=True, slots=True)
class Session:
    """Somebody who logged in: with which token, when, and which login of that token it was."""

    token: int
    began_at: datetime
    nonce: str


def new_session(token: int, now: datetime) -> Session:
    """The session of a login just made."""
    return Session(token, now.astimezone(UTC).replace(microsecond=0), secrets.token_urlsafe(9))


class DeskSeal:
    """Signs the cookies and forms of the dashboard; those of participants open nothing here."""

    def __init__(self, secret: bytes, study: str) -> None:
        salt = f"desk {study}"
        self._cookie = Signer(
            secret, salt=salt, key_derivation="hmac", digest_method=hashlib.sha256
        )
        self._csrf = hashlib.sha256(b"desk-csrf " + study.encode() + b"\0" + secret).digest()

    def cookie(self, session: Session) -> str:
        """The value of the cookie."""
        began = int(session.began_at.timestamp())
        parts = (session.token, began, session.nonce)
        return self._cookie.sign(_BETWEEN.join(map(str, parts))).decode()

    def session(self, cookie: str, now: datetime) -> Session | None:
        """Whose cookie it is; None when it was not made here or is too old."""
        try:
            token, began, nonce = self._cookie.unsign(cookie.encode()).decode().split(_BETWEEN)
        except (BadSignature, ValueError):
            return None
        session = Session(int(token), datetime.fromtimestamp(int(began), tz=UTC), nonce)
        return session if now - session.began_at <= LASTS else None

    def csrf(self, session: Session) -> str:
        """What a form of this session must bring back."""
        content = f"{session.token}{_BETWEEN}{session.nonce}".encode()
        return hmac.new(self._csrf, content, "sha256").hexdigest()[:32]

    def is_csrf(self, given: str, session: Session) -> bool:
        """Whether a form came from one of our pages."""
        return hmac.compare_digest(given.encode(), self.csrf(session).encode())


def cookie_name(study: str) -> str:
    """One name for each study, so that several dashboards can be open in one browser."""
    return f"rejudge-desk-{study}"
