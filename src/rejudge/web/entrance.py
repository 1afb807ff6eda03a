"""Who is let in: by the ids of the study's platform, by a link of their own, or by an open link.

A name alone opens nothing: a personal link is signed, so nobody can make one for somebody else.
"""

from __future__ import annotations

import ipaddress
import re
import secrets
from collections.abc import Mapping

from rejudge.collect import Arrival, Oddity, Origin, platform_arrival, recruiter_of
from rejudge.study import Study
from rejudge.web.exchange import Call
from rejudge.web.session import Seal

PERSONAL = "p"  # in the query: NAME.SIGNATURE
RESUME = "r"  # 〃: the signed number of a visit
_IPV6_NETWORK = 56  # bits; what one household gets, or more (RIPE-690)
_WITH_PORT = re.compile(r"\[([^\]]*)\](?::\d+)?|([\d.]+):\d+")  # as some gateways pass it on


class Entrance:
    """The door of one site."""

    def __init__(self, study: Study, seal: Seal, *, is_rehearsal: bool, is_preview: bool) -> None:
        self.recruiter = recruiter_of(study)
        self._seal = seal
        self._is_rehearsal = is_rehearsal
        self._is_preview = is_preview

    @property
    def is_open(self) -> bool:
        """Whether anybody may come in, without ids."""
        return self._is_preview or self.recruiter == "open"

    def arrival(self, query: Mapping[str, str]) -> Arrival | Oddity:
        """Who comes, or why that cannot be told. Simulated people always have personal links."""
        if self._is_preview or (self.recruiter == "open" and PERSONAL not in query):
            return _somebody()
        if self.recruiter in {"link", "open"} or (self._is_rehearsal and PERSONAL in query):
            return self._personal(query)
        return platform_arrival("prolific" if self.recruiter == "prolific" else "mturk", query)

    def _personal(self, query: Mapping[str, str]) -> Arrival | Oddity:
        if PERSONAL not in query:
            return "missing"
        name = self._seal.personal_name(query[PERSONAL].strip())
        return "odd" if name is None else Arrival("link", name, name)

    def resumed(self, query: Mapping[str, str]) -> int | None:
        """The visit that a link to go on elsewhere names."""
        return self._seal.resumed(query[RESUME].strip()) if RESUME in query else None

    def origin(self, call: Call) -> Origin | None:
        """Where somebody comes from, while nothing proves who they are; else None."""
        if self._is_rehearsal or self._is_preview or self.recruiter == "link":
            return None
        browser = self._seal.browser(call.cookie)
        return Origin(
            address=self._seal.mark(f"address {network(call.address)}"),
            browser=self._seal.mark(f"browser {browser or secrets.token_hex(8)}"),
        )


def personal_path(seal: Seal, name: str) -> str:
    """Where somebody begins and comes back: their own link, without the host."""
    return f"/?{PERSONAL}={seal.personal(name)}"


def resume_path(seal: Seal, visit: int) -> str:
    """Where somebody goes on with another device."""
    return f"/?{RESUME}={seal.resume(visit)}"


def network(address: str) -> str:
    """What stands for everybody behind an internet address."""
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


def _somebody() -> Arrival:
    name = secrets.token_urlsafe(12)
    return Arrival("open", name, name)
