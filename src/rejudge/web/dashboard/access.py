"""Who may look and who may act: a signed cookie for a session that holds, and a form's proof.

The session itself is kept in the store, so that logging out ends it whoever has the cookie.
"""

from __future__ import annotations

import hashlib
import hmac

from itsdangerous import BadSignature, Signer


class DeskSeal:
    """Signs the cookies and forms of the dashboard; those of participants open nothing here."""

    def __init__(self, secret: bytes, study: str) -> None:
        salt = f"desk {study}"
        self._cookie = Signer(
            secret, salt=salt, key_derivation="hmac", digest_method=hashlib.sha256
        )
        self._csrf = hashlib.sha256(b"desk-csrf " + study.encode() + b"\0" + secret).digest()

    def cookie(self, session: str) -> str:
        """The value of the cookie."""
        return self._cookie.sign(session).decode()

    def session(self, cookie: str) -> str | None:
        """Which session a cookie names; None when it was not made here."""
        try:
            return self._cookie.unsign(cookie.encode()).decode()
        except (BadSignature, ValueError):
            return None

    def csrf(self, session: str) -> str:
        """What a form of this session must bring back."""
        return hmac.new(self._csrf, session.encode(), "sha256").hexdigest()[:32]

    def is_csrf(self, given: str, session: str) -> bool:
        """Whether a form came from one of our pages."""
        return hmac.compare_digest(given.encode(), self.csrf(session).encode())


def cookie_name(study: str) -> str:
    """One name for each study, so that several dashboards can be open in one browser."""
    return f"rejudge-desk-{study}"
