"""Who is asking: a signed cookie; and what a page carries: a signed stamp and a token.

Nothing is written when a page is opened. When it was shown, to whom and under which assignment
travels in the page, signed, and comes back with the answers.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime

from itsdangerous import BadSignature, Signer

_BETWEEN = "~"  # in no id of a batch that `design` makes, and in no number
_KEY_BYTES = 12


@dataclass(frozen=True, slots=True)
class Stamp:
    """What a page knows of itself."""

    visit: int
    shown_at: datetime
    key: str  # random; every save of the page has a key that begins with it
    assignment: int | None = None
    seat: int = 0
    batch: str = ""
    step: str = ""  # in practice: which example, and which try


class Seal:
    """Signs and reads what leaves the server and comes back."""

    def __init__(self, secret: bytes, study: str) -> None:
        self._cookie = _signer(secret, f"cookie {study}")
        self._stamp = _signer(secret, f"stamp {study}")
        self._csrf = hashlib.sha256(b"csrf " + study.encode() + b"\0" + secret).digest()

    def cookie(self, visit: int) -> str:
        """The value of the session cookie."""
        return self._cookie.sign(str(visit)).decode()

    def visit(self, cookie: str) -> int | None:
        """Whose cookie it is; None when it was not made here."""
        try:
            return int(self._cookie.unsign(cookie.encode()))
        except (BadSignature, ValueError):
            return None

    def csrf(self, visit: int) -> str:
        """What a form of this visit must bring back."""
        return hmac.new(self._csrf, str(visit).encode(), "sha256").hexdigest()[:32]

    def is_csrf(self, given: str, visit: int) -> bool:
        """Whether a form came from one of our pages."""
        return hmac.compare_digest(given.encode(), self.csrf(visit).encode())

    def stamp(self, stamp: Stamp) -> str:
        """A stamp as it stands in a page."""
        moment = int(stamp.shown_at.timestamp() * 1000)
        assignment = "" if stamp.assignment is None else stamp.assignment
        parts = (stamp.visit, moment, stamp.key, assignment, stamp.seat, stamp.step, stamp.batch)
        return self._stamp.sign(_BETWEEN.join(map(str, parts))).decode()

    def read_stamp(self, text: str, visit: int) -> Stamp | None:
        """The stamp of a page that was shown to this visit; None when it was not."""
        try:
            content = self._stamp.unsign(text.encode()).decode()
        except BadSignature:
            return None
        whose, moment, key, assignment, seat, step, batch = content.split(_BETWEEN, 6)
        if int(whose) != visit:
            return None
        return Stamp(
            visit=visit,
            shown_at=datetime.fromtimestamp(int(moment) / 1000, tz=UTC),
            key=key,
            assignment=int(assignment) if assignment else None,
            seat=int(seat),
            batch=batch,
            step=step,
        )


def new_key() -> str:
    """A key that nobody has had or can guess."""
    return secrets.token_urlsafe(_KEY_BYTES).replace(_BETWEEN, "-")


def _signer(secret: bytes, salt: str) -> Signer:
    return Signer(secret, salt=salt, key_derivation="hmac", digest_method=hashlib.sha256)
