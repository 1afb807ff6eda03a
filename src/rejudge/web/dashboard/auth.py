"""The door of the dashboard: who asks, may they, and did a page of ours send the form."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeAlias
from urllib.parse import parse_qsl

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from rejudge.errors import RejudgeError, StoreUnavailable
from rejudge.store import SESSION_LASTS, Role, Token
from rejudge.web.dashboard.access import cookie_name
from rejudge.web.dashboard.context import Desk
from rejudge.web.dashboard.rendering import rendered

LONGEST_FORM = 20_000  # bytes; a reason is a sentence
_MOST_DIGITS = 18  # of a number that databases keep


@dataclass(frozen=True, slots=True)
class Ask:
    """One request of somebody who is let in."""

    who: Token
    session: str
    path: Mapping[str, str]
    query: Mapping[str, str]
    form: Mapping[str, str]
    now: datetime

    @property
    def name(self) -> str:
        """Under which name the audit log keeps what they do."""
        return f"{self.who.role} {self.who.id}"

    @property
    def is_owner(self) -> bool:
        """Whether they may act and not only look."""
        return self.who.role == "owner"

    def number(self, name: str) -> int:
        """A number in the path."""
        text = self.path[name]
        if not (text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS):
            raise Refused(404, "There is no such page", "Look at the address.")
        return int(text)

    def said(self, name: str) -> str:
        """A field of the form, without blanks around it."""
        return self.form.get(name, "").strip()


Handler: TypeAlias = Callable[[Desk, Ask], Response]
Endpoint: TypeAlias = Callable[[Request], Awaitable[Response]]


class Refused(Exception):  # noqa: N818 - it is a reply, not a fault of ours
    """The request is not answered as asked; says so on a page of its own."""

    def __init__(self, status: int, title: str, words: str) -> None:
        super().__init__(title)
        self.status, self.title, self.words = status, title, words


def guarded(desk: Desk, handler: Handler, needs: Role) -> Endpoint:
    """The handler behind the door: for those logged in, with the role, from our own form."""

    async def endpoint(request: Request) -> Response:
        form = await _form(request) if request.method == "POST" else {}
        return await run_in_threadpool(_answered, desk, handler, needs, _Raw(request, form))

    return endpoint


@dataclass(frozen=True, slots=True)
class _Raw:
    """A request whose form was read; None: it was too long."""

    request: Request
    form: Mapping[str, str] | None = field(default=None)


def _answered(desk: Desk, handler: Handler, needs: Role, raw: _Raw) -> Response:
    try:
        ask = _admitted(desk, raw, needs)
        return _to_login(desk, raw.request) if ask is None else handler(desk, ask)
    except Refused as refused:
        return _told(desk, refused)
    except StoreUnavailable:
        words = "The database does not answer. Nothing was changed; try again in a moment."
        return _told(desk, Refused(503, "Not available just now", words))
    except RejudgeError as error:
        return _told(desk, Refused(409, "This cannot be done", str(error)))


def _admitted(desk: Desk, raw: _Raw, needs: Role) -> Ask | None:
    """Who asks; None when nobody is logged in, or no longer."""
    now = desk.site.now()
    name = cookie_name(desk.site.study.spec.id)
    session = desk.seal.session(raw.request.cookies.get(name, ""))
    token = None if session is None else desk.site.store.session(session, now=now)
    if session is None or token is None:
        return None
    if raw.form is None:
        raise Refused(413, "Too much text", "A reason is a sentence or two.")
    if raw.request.method == "POST" and not desk.seal.is_csrf(raw.form.get("csrf", ""), session):
        words = "This form is too old or came from elsewhere. Go back, reload the page, try again."
        raise Refused(403, "Not accepted", words)
    if needs == "owner" and token.role != "owner":
        raise Refused(403, "Only owners can do this", "Your token lets you look, not act.")
    request = raw.request
    path = {name: str(value) for name, value in request.path_params.items()}
    return Ask(token, session, path, dict(request.query_params), raw.form, now)


async def _form(request: Request) -> dict[str, str] | None:
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > LONGEST_FORM:
            return None
    text = body.decode("utf-8", "replace")
    fields = parse_qsl(text, keep_blank_values=True)
    return {name: value.replace("\0", "\ufffd") for name, value in fields}  # no database keeps NUL


def _to_login(desk: Desk, request: Request) -> Response:
    """To the form; a script that only asks for news is told so and asks no further."""
    if request.headers.get("x-desk") == "live":
        return Response("Log in again.", 401)
    return RedirectResponse(f"{desk.site.prefix}/desk/login", 303)


def _told(desk: Desk, refused: Refused) -> HTMLResponse:
    text = rendered(desk, None, "refused.html", title=refused.title, words=refused.words)
    return HTMLResponse(text, refused.status)


# ── coming in and going out ──


def login(desk: Desk) -> Endpoint:
    """The form for a token, and what changes a token for a session."""

    async def endpoint(request: Request) -> Response:
        if request.method != "POST":
            return HTMLResponse(rendered(desk, None, "login.html", title="Log in", words=""))
        form = await _form(request) or {}
        return await run_in_threadpool(_logged_in, desk, request, form.get("token", "").strip())

    return endpoint


def _logged_in(desk: Desk, request: Request, secret: str) -> Response:
    now = desk.site.now()
    client = request.client.host if request.client else ""
    wait = desk.attempts.wait(client, now)
    if wait:
        words = f"Too many tries. Wait {wait.total_seconds():.0f} seconds."
        return _again(desk, words, 429, {"Retry-After": f"{wait.total_seconds():.0f}"})
    if request.headers.get("sec-fetch-site") == "cross-site":
        return _again(desk, "Log in from this page.", 403)
    try:
        token = desk.site.store.login(secret, now=now) if secret else None
    except StoreUnavailable:
        return _again(desk, "The database does not answer. Try again in a moment.", 503)
    if token is None:
        desk.attempts.fail(client, now)
        words = "This token is not known, was revoked, has expired, or has been used already."
        return _again(desk, words, 403)
    desk.attempts.forget(client)
    desk.site.store.note("logged in", who=f"{token.role} {token.id}", now=now)
    response = RedirectResponse(f"{desk.site.prefix}/desk/", 303)
    response.set_cookie(
        cookie_name(desk.site.study.spec.id),
        desk.seal.cookie(desk.site.store.begin_session(token, now=now)),
        max_age=int(SESSION_LASTS.total_seconds()),
        path=f"{desk.site.prefix}/desk",
        secure=desk.site.is_secure,
        httponly=True,
        samesite="lax",
    )
    return response


def _again(
    desk: Desk, words: str, status: int, headers: Mapping[str, str] | None = None
) -> HTMLResponse:
    text = rendered(desk, None, "login.html", title="Log in", words=words)
    return HTMLResponse(text, status, headers=headers)


def log_out(desk: Desk, ask: Ask) -> Response:
    """End the session, in every browser that has its cookie; the token remains."""
    desk.site.store.end_session(ask.session)
    desk.site.store.note("logged out", who=ask.name, now=ask.now)
    response = RedirectResponse(f"{desk.site.prefix}/desk/login", 303)
    response.delete_cookie(cookie_name(desk.site.study.spec.id), path=f"{desk.site.prefix}/desk")
    return response
