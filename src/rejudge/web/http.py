"""The requests that handlers receive and the replies they return."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, quote

from starlette.requests import Request
from starlette.responses import Response

LARGEST_BODY = 1 << 20  # bytes; a batch of a thousand tasks needs a tenth of it
_FORM = "application/x-www-form-urlencoded"
_JSON = "application/json"
_MOST_FIELDS = 20_000
_PATIENCE_SECONDS = 5.0
_KEPT_SECONDS = 60 * 24 * 3600  # some studies take weeks
_SAFE = ":/%#?=@[]!$&'()*+,;"  # in an address, as it is
_TABLET = re.compile(r"iPad|Tablet|PlayBook|Silk|Android(?!.*Mobile)")
_PHONE = re.compile(r"Mobi|iPhone|iPod|Android")
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*")


class InvalidRequest(Exception):  # noqa: N818 - it is a reply, not a fault of ours
    """A request that is rejected, with its HTTP status."""

    def __init__(self, status: int) -> None:
        super().__init__(str(status))
        self.status = status


@dataclass(frozen=True, slots=True)
class Call:
    """A request. Its sender is unknown until the cookie is read; it is never logged."""

    query: Mapping[str, str]
    cookie: str = ""
    form: Mapping[str, str] = field(default_factory=dict)
    sent: Mapping[str, Any] = field(default_factory=dict)  # what the script sends: JSON values
    csrf: str = ""
    agent: str = ""  # what the browser says of itself; only its class is kept
    accepts: str = ""  # languages
    place: str = ""  # of a task, from the path
    address: str = ""  # of the internet, as the connection or a trusted proxy says; never kept
    is_proven: bool = True  # False: the platform signs its links, and did not make this one

    @property
    def device(self) -> str:
        """Phone, tablet or desktop."""
        return device_class(self.agent)

    @property
    def language(self) -> str | None:
        """The browser's preferred language."""
        found = _LANGUAGE.match(self.accepts)
        return found[0] if found else None


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply to a request."""

    body: str = ""
    status: int = 200
    kind: str = "text/html"
    location: str | None = None
    cookie: str | None = None
    retry_seconds: int | None = None
    headers: tuple[tuple[str, str], ...] = ()  # instead of those that every reply carries


def redirect(path: str, *, cookie: str | None = None) -> Reply:
    """Redirect the browser to another page, without posting the form again."""
    return Reply(status=303, location=path, cookie=cookie)


def outcome_reply(outcome: str, *, status: int = 200, **more: object) -> Reply:
    """A JSON reply to the page's script: the outcome and further values."""
    return Reply(json.dumps({"outcome": outcome, **more}), status=status, kind=_JSON)


async def read_call(request: Request, cookie: str) -> Call:
    """Read the request; raise InvalidRequest if it is too large, garbled or of the wrong type."""
    headers = request.headers
    form: Mapping[str, str] = {}
    sent: Mapping[str, Any] = {}
    if request.method == "POST":
        body = await read_body(request)
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind == _FORM:
            form = parse_fields(body)
        elif kind == _JSON:
            sent = _object(body)
        elif body:
            raise InvalidRequest(415)
    return Call(
        query=dict(request.query_params),
        cookie=request.cookies.get(cookie, ""),
        form=form,
        sent=sent,
        csrf=headers.get("x-csrf", ""),
        agent=headers.get("user-agent", ""),
        accepts=headers.get("accept-language", ""),
        place=request.path_params.get("place", ""),
        address=request.client.host if request.client else "",
    )


def device_class(agent: str) -> str:
    """Phone, tablet or desktop, from the browser's name, which is not kept."""
    if _TABLET.search(agent):
        return "tablet"
    return "phone" if _PHONE.search(agent) else "desktop"


@dataclass(frozen=True, slots=True)
class Cookie:
    """The session cookie: its name, and where the browser may send it."""

    name: str
    path: str
    is_secure: bool


def as_response(reply: Reply, cookie: Cookie) -> Response:
    """The reply as it is sent; scripts cannot read its cookie."""
    made = Response(reply.body, reply.status, dict(reply.headers), media_type=reply.kind)
    if reply.location is not None:
        made.headers["location"] = quote(reply.location, safe=_SAFE)
    if reply.retry_seconds is not None:
        made.headers["retry-after"] = str(reply.retry_seconds)
    if reply.cookie is not None:
        made.set_cookie(
            cookie.name,
            reply.cookie,
            max_age=_KEPT_SECONDS,
            path=cookie.path,
            secure=cookie.is_secure,
            httponly=True,
        )
    return made


async def read_body(request: Request, *, limit: int = LARGEST_BODY) -> bytes:
    """What was sent, up to a limit; who sends more is heard out, and refused."""
    announced = request.headers.get("content-length") or "0"
    is_too_large = not announced.isdigit() or int(announced) > limit
    body = bytearray()
    stream = request.stream()
    if not is_too_large:
        async for part in stream:
            body += part
            if len(body) > limit:
                is_too_large = True
                break
    if is_too_large:
        await _drain(stream)
        raise InvalidRequest(413)
    return bytes(body)


async def _drain(stream: AsyncIterator[bytes]) -> None:
    """Read the rest of a rejected body for a while, so that the client can read the reply."""
    with suppress(TimeoutError):
        async with asyncio.timeout(_PATIENCE_SECONDS):
            async for _ in stream:
                pass


def parse_fields(body: bytes) -> dict[str, str]:
    """The fields of a form; of several with one name, the last."""
    try:
        text = body.decode("utf-8")
        return dict(parse_qsl(text, keep_blank_values=True, max_num_fields=_MOST_FIELDS))
    except ValueError:
        raise InvalidRequest(400) from None


def _object(body: bytes) -> dict[str, Any]:
    try:
        sent = json.loads(body)
    except (ValueError, RecursionError):
        raise InvalidRequest(400) from None
    if not isinstance(sent, dict):
        raise InvalidRequest(400)
    return sent
