"""What proves who somebody is: signed cookies and forms, and a limit on failed logins."""

from __future__ import annotations

import hashlib
import hmac
from collections import OrderedDict
from dataclasses import dataclass
from datetime import datetime, timedelta
from threading import Lock

from itsdangerous import BadSignature, Signer


class DashboardSigner:
    """Signs the cookies and forms of the dashboard; those of participants open nothing here."""

    def __init__(self, secret: bytes, study: str) -> None:
        salt = f"dashboard {study}"
        self._cookie = Signer(
            secret, salt=salt, key_derivation="hmac", digest_method=hashlib.sha256
        )
        self._csrf = hashlib.sha256(b"dashboard-csrf " + study.encode() + b"\0" + secret).digest()

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
    return f"rejudge-dashboard-{study}"


FREE = 5  # failures before anybody has to wait
WINDOW = timedelta(minutes=1)  # in which they are counted
LONGEST = timedelta(minutes=5)
_FORGET = timedelta(minutes=15)
_MOST = 10_000  # clients that are remembered; nobody can fill the memory


@dataclass(frozen=True, slots=True)
class _Failures:
    count: int
    last: datetime


class Attempts:
    """Failed logins by client, in memory only: an address is never written down."""

    def __init__(self) -> None:
        self._failures: OrderedDict[str, _Failures] = OrderedDict()
        self._lock = Lock()

    def wait(self, client: str, now: datetime) -> timedelta:
        """How long this client has to wait before the next try; zero when it may."""
        with self._lock:
            failed = self._failures.get(client)
        if failed is None or failed.count < FREE:
            return timedelta(0)
        due = failed.last + _pause(failed.count)
        return max(due - now, timedelta(0))

    def fail(self, client: str, now: datetime) -> None:
        """Count one more failure; a few that lie long apart do not add up."""
        with self._lock:
            before = self._failures.pop(client, None)
            keeps = WINDOW if before is None or before.count < FREE else _FORGET
            is_new = before is None or now - before.last > keeps
            count = 1 if before is None or is_new else before.count + 1
            self._failures[client] = _Failures(count, now)
            while len(self._failures) > _MOST:
                self._failures.popitem(last=False)

    def forget(self, client: str) -> None:
        """After a good login."""
        with self._lock:
            self._failures.pop(client, None)


def _pause(failures: int) -> timedelta:
    """After the fifth failure a minute, doubled with each further one."""
    doubled: timedelta = WINDOW * 2 ** min(failures - FREE, 10)
    return min(doubled, LONGEST)
