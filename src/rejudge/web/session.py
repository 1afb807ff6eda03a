"""Who a browser belongs to: links, signed cookies and the stamps in forms."""

from __future__ import annotations

import hmac
import ipaddress
import re
import secrets
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial

from rejudge.collect.assignment import BATCH_PARAMETER, read_batch
from rejudge.collect.visit import (
    PERSONAL_NAME,
    Arrival,
    Oddity,
    Origin,
    platform_arrival,
    recruiter_of,
)
from rejudge.study.model import Study
from rejudge.web.http import Call

PERSONAL = "p"  # in the query: NAME.SIGNATURE
RESUME = "r"  # 〃: the signed number of a visit
_IPV6_NETWORK = 56  # bits; what one household gets, or more (RIPE-690)
_WITH_PORT = re.compile(r"\[([^\]]*)\](?::\d+)?|([\d.]+):\d+")  # as some gateways pass it on


class ArrivalReader:
    """Reads who arrives from the parameters of a link."""

    def __init__(self, study: Study, seal: Seal, *, is_rehearsal: bool, is_preview: bool) -> None:
        self.recruiter = recruiter_of(study)
        self._seal = seal
        self._is_rehearsal = is_rehearsal
        self._is_preview = is_preview

    @property
    def is_open(self) -> bool:
        """Whether anyone may take part without an id."""
        return self._is_preview or self.recruiter == "open"

    def arrival(self, query: Mapping[str, str]) -> Arrival | Oddity:
        """Who arrives, or why that is unknown. Simulated people always have personal links."""
        if self._is_preview or (self.recruiter == "open" and PERSONAL not in query):
            return _platform_person()
        if self.recruiter in {"link", "open"} or (self._is_rehearsal and PERSONAL in query):
            return self._personal(query)
        found = platform_arrival(self.recruiter, query)
        if isinstance(found, str) or BATCH_PARAMETER not in query:
            return found
        batch = self._seal.batch(query[BATCH_PARAMETER].strip())
        return "odd" if batch is None else replace(found, batch=batch)

    def _personal(self, query: Mapping[str, str]) -> Arrival | Oddity:
        if PERSONAL not in query:
            return "missing"
        name = self._seal.personal_name(query[PERSONAL].strip())
        return "odd" if name is None else Arrival("link", name, name)

    def resume_visit(self, query: Mapping[str, str]) -> int | None:
        """The visit that a resume link names."""
        return self._seal.resume_visit(query[RESUME].strip()) if RESUME in query else None

    def origin(self, call: Call) -> Origin | None:
        """Address and browser of an arrival that no signed link proves; None otherwise."""
        if self._is_rehearsal or self._is_preview or self.recruiter == "link":
            return None
        browser = self._seal.browser(call.cookie)
        return Origin(
            address=self._seal.mark(f"address {network(call.address)}"),
            browser=self._seal.mark(f"browser {browser or secrets.token_hex(8)}"),
        )


def personal_path(seal: Seal, name: str) -> str:
    """The path of a personal link, for starting and coming back."""
    return f"/?{PERSONAL}={seal.personal(name)}"


def resume_path(seal: Seal, visit: int) -> str:
    """The path of a link for continuing on another device."""
    return f"/?{RESUME}={seal.resume(visit)}"


def network(address: str) -> str:
    """The network of an internet address, which identifies one household or institution."""
    port = _WITH_PORT.fullmatch(address)
    try:
        found = ipaddress.ip_address(address if port is None else port[1] or port[2])
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv6Address):
        if found.ipv4_mapped is not None:
            return str(found.ipv4_mapped)
        return str(ipaddress.ip_network((found, _IPV6_NETWORK), strict=False))
    return str(found)


def _platform_person() -> Arrival:
    name = secrets.token_urlsafe(12)
    return Arrival("open", name, name)


_BETWEEN = "~"  # in no id of a batch that `design` makes, and in no number
_KEY_BYTES = 12
_BROWSER_BYTES = 9
_SHORT = 22  # characters of a signature: 132 bits, and a link that can be copied


@dataclass(frozen=True, slots=True)
class Stamp:
    """What a page records about itself: visit, batch, time and key."""

    visit: int
    shown_at: datetime
    key: str  # random; every save of the page has a key that begins with it
    assignment: int | None = None
    seat: int = 0
    batch: str = ""
    step: str = ""  # in practice: which example, and which try


class Seal:
    """Signs what is sent to browsers, and reads it when it comes back."""

    def __init__(self, secret: bytes, study: str) -> None:
        self._cookie = _key(secret, f"cookie {study}")
        self._personal = _key(secret, f"personal link {study}")
        self._resume = _key(secret, f"resume {study}")
        self._mark = _key(secret, f"mark {study}")
        self._stamp = _key(secret, f"stamp {study}")
        self._csrf = _key(secret, f"csrf {study}")
        self.batch = partial(read_batch, secret, study)  # that a link names; None: not signed

    def cookie(self, visit: int, *, before: str = "") -> str:
        """The value of the session cookie. It also names the browser, as the one before."""
        browser = self.browser(before) or secrets.token_urlsafe(_BROWSER_BYTES)
        return _sign(self._cookie, f"{visit}{_BETWEEN}{browser}")

    def visit(self, cookie: str) -> int | None:
        """The visit of a cookie; None if we did not sign it."""
        content = _read(self._cookie, cookie)
        return None if content is None else int(content.partition(_BETWEEN)[0])

    def browser(self, cookie: str) -> str | None:
        """The browser that a cookie was set in; None if we did not sign it."""
        content = _read(self._cookie, cookie)
        return None if content is None else content.partition(_BETWEEN)[2] or None

    def personal(self, name: str) -> str:
        """The parameter of a personal link: a name and its signature."""
        return f"{name}.{_signature(self._personal, name)[:_SHORT]}"

    def personal_name(self, text: str) -> str | None:
        """The name in a personal link; None if we did not sign it."""
        name = text.partition(".")[0]
        is_ours = hmac.compare_digest(_bytes(text), _bytes(self.personal(name)))
        return name if is_ours and PERSONAL_NAME.fullmatch(name) else None

    def resume(self, visit: int) -> str:
        """The parameter of a resume link."""
        return _sign(self._resume, str(visit))

    def resume_visit(self, text: str) -> int | None:
        """The visit of a resume link; None if we did not sign it."""
        content = _read(self._resume, text)
        return None if content is None else int(content)

    def mark(self, text: str) -> str:
        """A keyed hash of a text that must not be stored."""
        return _signature(self._mark, text)[:_SHORT]

    def csrf(self, visit: int) -> str:
        """The token that every form of this visit must send back."""
        return _signature(self._csrf, str(visit))

    def is_csrf(self, given: str, visit: int) -> bool:
        """Whether a form was sent from one of our pages."""
        return hmac.compare_digest(_bytes(given), _bytes(self.csrf(visit)))

    def stamp(self, stamp: Stamp) -> str:
        """A stamp as it is written into a page."""
        moment = int(stamp.shown_at.timestamp() * 1000)
        assignment = "" if stamp.assignment is None else stamp.assignment
        parts = (stamp.visit, moment, stamp.key, assignment, stamp.seat, stamp.step, stamp.batch)
        return _sign(self._stamp, _BETWEEN.join(map(str, parts)))

    def read_stamp(self, text: str, visit: int) -> Stamp | None:
        """Read the stamp of a page; None if it was not made for this visit."""
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
    """A new random key."""
    return secrets.token_urlsafe(_KEY_BYTES).replace(_BETWEEN, "-")


def _key(secret: bytes, purpose: str) -> bytes:
    """A key for one purpose, so that a signature is not valid for another."""
    return hmac.digest(secret, purpose.encode(), "sha256")


def _sign(key: bytes, content: str) -> str:
    return f"{content}.{_signature(key, content)}"


def _read(key: bytes, text: str) -> str | None:
    """The signed content; None if it was not signed with this key."""
    content, _, given = text.rpartition(".")
    is_ours = hmac.compare_digest(_bytes(given), _bytes(_signature(key, content)))
    return content if is_ours else None


def _signature(key: bytes, content: str) -> str:
    return urlsafe_b64encode(hmac.digest(key, _bytes(content), "sha256")).rstrip(b"=").decode()


def _bytes(text: str) -> bytes:
    """The bytes of any text that a browser sends, including lone surrogates."""
    return text.encode("utf-8", "surrogatepass")
