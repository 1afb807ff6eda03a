"""A request as handlers take it, and a reply as they give it."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import Response

LARGEST_BODY = 1 << 20  # bytes; a batch of a thousand tasks needs a tenth of it
_FORM = "application/x-www-form-urlencoded"
_JSON = "application/json"
_MOST_FIELDS = 20_000
_PATIENCE_SECONDS = 5.0
_TABLET = re.compile(r"iPad|Tablet|PlayBook|Silk|Android(?!.*Mobile)")
_PHONE = re.compile(r"Mobi|iPhone|iPod|Android")
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*")


class Refused(Exception):  # noqa: N818 - it is a reply, not a fault of ours
    """A request that is not listened to, with the status that says why."""

    def __init__(self, status: int) -> None:
        super().__init__(str(status))
        self.status = status


@dataclass(frozen=True, slots=True)
class Call:
    """What came in. Who asks is not trusted until the cookie is read; never logged."""

    query: Mapping[str, str]
    cookie: str = ""
    form: Mapping[str, str] = field(default_factory=dict)
    sent: Mapping[str, Any] = field(default_factory=dict)  # what the script sends: JSON values
    csrf: str = ""
    agent: str = ""  # what the browser says of itself; only its class is kept
    accepts: str = ""  # languages
    place: str = ""  # of a task, from the path

    @property
    def device(self) -> str:
        """Phone, tablet or desktop."""
        return device_class(self.agent)

    @property
    def language(self) -> str | None:
        """The first that the browser asks for."""
        found = _LANGUAGE.match(self.accepts)
        return found[0] if found else None


@dataclass(frozen=True, slots=True)
class Reply:
    """What goes out."""

    body: str = ""
    status: int = 200
    kind: str = "text/html"
    location: str | None = None
    cookie: str | None = None
    retry_seconds: int | None = None


def goto(path: str, *, cookie: str | None = None) -> Reply:
    """Send the browser to another page; whatever was posted is not posted again."""
    return Reply(status=303, location=path, cookie=cookie)


def told(outcome: str, *, status: int = 200, **more: object) -> Reply:
    """What the script is told."""
    return Reply(json.dumps({"outcome": outcome, **more}), status=status, kind=_JSON)


async def read_call(request: Request, cookie: str) -> Call:
    """The request, or a refusal: too large, of another type, or garbled."""
    headers = request.headers
    form: Mapping[str, str] = {}
    sent: Mapping[str, Any] = {}
    if request.method == "POST":
        body = await _body(request)
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind == _FORM:
            form = _fields(body)
        elif kind == _JSON:
            sent = _object(body)
        elif body:
            raise Refused(415)
    return Call(
        query=dict(request.query_params) if request.scope["query_string"] else {},
        cookie=request.cookies.get(cookie, ""),
        form=form,
        sent=sent,
        csrf=headers.get("x-csrf", ""),
        agent=headers.get("user-agent", ""),
        accepts=headers.get("accept-language", ""),
        place=request.path_params.get("place", ""),
    )


def device_class(agent: str) -> str:
    """Phone, tablet or desktop, as far as a browser tells; nothing else of it is kept."""
    if _TABLET.search(agent):
        return "tablet"
    return "phone" if _PHONE.search(agent) else "desktop"


def to_response(reply: Reply, cookie: str, *, path: str, is_secure: bool) -> Response:
    """The reply as it is sent."""
    response = Response(reply.body, reply.status, media_type=reply.kind)
    if reply.location is not None:
        response.headers["location"] = reply.location
    if reply.retry_seconds is not None:
        response.headers["retry-after"] = str(reply.retry_seconds)
    if reply.cookie is not None:
        response.set_cookie(
            cookie,
            reply.cookie,
            max_age=60 * 24 * 3600,  # some studies take weeks
            path=path,
            secure=is_secure,
            httponly=True,
            samesite="lax",
        )
    return response


async def _body(request: Request) -> bytes:
    announced = request.headers.get("content-length", "0")
    is_too_large = not announced.isdigit() or int(announced) > LARGEST_BODY
    body = bytearray()
    stream = request.stream()
    if not is_too_large:
        async for part in stream:
            body += part
            if len(body) > LARGEST_BODY:
                is_too_large = True
                break
    if is_too_large:
        await _hear_out(stream)
        raise Refused(413)
    return bytes(body)


async def _hear_out(stream: AsyncIterator[bytes]) -> None:
    """Let somebody finish, for a while: who is cut off while sending never reads why."""
    with suppress(TimeoutError):
        async with asyncio.timeout(_PATIENCE_SECONDS):
            async for _ in stream:
                pass


def _fields(body: bytes) -> dict[str, str]:
    try:
        text = body.decode("utf-8")
        return dict(parse_qsl(text, keep_blank_values=True, max_num_fields=_MOST_FIELDS))
    except ValueError:
        raise Refused(400) from None


def _object(body: bytes) -> dict[str, Any]:
    try:
        sent = json.loads(body)
    except (ValueError, RecursionError):
        raise Refused(400) from None
    if not isinstance(sent, dict):
        raise Refused(400)
    return sent
