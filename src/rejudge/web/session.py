"""Who is asking: a signed cookie; and what a page carries: a signed stamp and a token.

Nothing is written when a page is opened. When it was shown, to whom and under which assignment
travels in the page, signed, and comes back with the answers.
"""

from __future__ import annotations

import hmac
import secrets
from base64 import urlsafe_b64encode
from dataclasses import dataclass
from datetime import UTC, datetime

from rejudge.collect import PERSONAL_NAME

_BETWEEN = "~"  # in no id of a batch that `design` makes, and in no number
_KEY_BYTES = 12
_BROWSER_BYTES = 9
_SHORT = 22  # characters of a signature: 132 bits, and a link that can be copied


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
        self._cookie = _key(secret, f"cookie {study}")
        self._personal = _key(secret, f"personal link {study}")
        self._resume = _key(secret, f"resume {study}")
        self._mark = _key(secret, f"mark {study}")
        self._stamp = _key(secret, f"stamp {study}")
        self._csrf = _key(secret, f"csrf {study}")

    def cookie(self, visit: int, *, before: str = "") -> str:
        """The value of the session cookie. It also names the browser, as the cookie before did."""
        browser = self.browser(before) or secrets.token_urlsafe(_BROWSER_BYTES)
        return _signed(self._cookie, f"{visit}{_BETWEEN}{browser}")

    def visit(self, cookie: str) -> int | None:
        """Whose cookie it is; None when it was not made here."""
        content = _read(self._cookie, cookie)
        return None if content is None else int(content.partition(_BETWEEN)[0])

    def browser(self, cookie: str) -> str | None:
        """In which browser the cookie was set; None when it was not made here."""
        content = _read(self._cookie, cookie)
        return None if content is None else content.partition(_BETWEEN)[2] or None

    def personal(self, name: str) -> str:
        """What a personal link carries: the name and a signature that nobody else can make."""
        return f"{name}.{_signature(self._personal, name)[:_SHORT]}"

    def personal_name(self, text: str) -> str | None:
        """Whose personal link it is; None when it was not made here."""
        name = text.partition(".")[0]
        is_ours = hmac.compare_digest(_bytes(text), _bytes(self.personal(name)))
        return name if is_ours and PERSONAL_NAME.fullmatch(name) else None

    def resume(self, visit: int) -> str:
        """What a link carries with which somebody goes on elsewhere."""
        return _signed(self._resume, str(visit))

    def resumed(self, text: str) -> int | None:
        """Which visit goes on; None when the link was not made here."""
        content = _read(self._resume, text)
        return None if content is None else int(content)

    def mark(self, text: str) -> str:
        """What stands for a text that is not to be kept: told apart, but not read back."""
        return _signature(self._mark, text)[:_SHORT]

    def csrf(self, visit: int) -> str:
        """What a form of this visit must bring back."""
        return _signature(self._csrf, str(visit))

    def is_csrf(self, given: str, visit: int) -> bool:
        """Whether a form came from one of our pages."""
        return hmac.compare_digest(_bytes(given), _bytes(self.csrf(visit)))

    def stamp(self, stamp: Stamp) -> str:
        """A stamp as it stands in a page."""
        moment = int(stamp.shown_at.timestamp() * 1000)
        assignment = "" if stamp.assignment is None else stamp.assignment
        parts = (stamp.visit, moment, stamp.key, assignment, stamp.seat, stamp.step, stamp.batch)
        return _signed(self._stamp, _BETWEEN.join(map(str, parts)))

    def read_stamp(self, text: str, visit: int) -> Stamp | None:
        """The stamp of a page that was shown to this visit; None when it was not."""
        content = _read(self._stamp, text)
        if content is None:
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


def _key(secret: bytes, purpose: str) -> bytes:
    """A key for one purpose: what is signed for one is worth nothing for another."""
    return hmac.digest(secret, purpose.encode(), "sha256")


def _signed(key: bytes, content: str) -> str:
    return f"{content}.{_signature(key, content)}"


def _read(key: bytes, text: str) -> str | None:
    """What was signed; None when it was not signed with this key."""
    content, _, given = text.rpartition(".")
    is_ours = hmac.compare_digest(_bytes(given), _bytes(_signature(key, content)))
    return content if is_ours else None


def _signature(key: bytes, content: str) -> str:
    return urlsafe_b64encode(hmac.digest(key, _bytes(content), "sha256")).rstrip(b"=").decode()


def _bytes(text: str) -> bytes:
    """Whatever a browser sends has bytes, halves of characters too."""
    return text.encode("utf-8", "surrogatepass")
