"""Who may use the dashboard: logins, sessions, roles, and forms that one of its pages sent."""

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
from rejudge.store.oversight import SESSION_LASTS
from rejudge.store.records import Role, Token
from rejudge.web.dashboard.context import Dashboard, cookie_name, render

LONGEST_FORM = 20_000  # bytes; a reason is a sentence
_MOST_DIGITS = 18  # of a number that databases keep


@dataclass(frozen=True, slots=True)
class DashboardRequest:
    """A request from someone who is logged in."""

    who: Token
    session: str
    path: Mapping[str, str]
    query: Mapping[str, str]
    form: Mapping[str, str]
    now: datetime

    @property
    def name(self) -> str:
        """The name under which the log records their actions."""
        return f"{self.who.role} {self.who.id}"

    @property
    def is_owner(self) -> bool:
        """Whether they may make changes."""
        return self.who.role == "owner"

    def number(self, name: str) -> int:
        """A number from the path."""
        text = self.path[name]
        if not (text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS):
            raise RequestRefused(404, "No such page", "Check the address.")
        return int(text)

    def field(self, name: str) -> str:
        """A field of the form, without surrounding white space."""
        return self.form.get(name, "").strip()


Handler: TypeAlias = Callable[[Dashboard, DashboardRequest], Response]
Endpoint: TypeAlias = Callable[[Request], Awaitable[Response]]


class RequestRefused(Exception):  # noqa: N818 - it is a reply, not a fault of ours
    """The request is refused, with a page that says why."""

    def __init__(self, status: int, title: str, words: str) -> None:
        super().__init__(title)
        self.status, self.title, self.words = status, title, words


def protect(dashboard: Dashboard, handler: Handler, needs: Role) -> Endpoint:
    """Limit a handler to people who are logged in with this role; POST needs a valid form."""

    async def endpoint(request: Request) -> Response:
        form = await _form(request) if request.method == "POST" else {}
        return await run_in_threadpool(
            _answer, dashboard, handler, needs, _RawRequest(request, form)
        )

    return endpoint


@dataclass(frozen=True, slots=True)
class _RawRequest:
    """A request and its form; None if the form was too long."""

    request: Request
    form: Mapping[str, str] | None = field(default=None)


def _answer(dashboard: Dashboard, handler: Handler, needs: Role, raw: _RawRequest) -> Response:
    try:
        admitted = _admit(dashboard, raw, needs)
        if admitted is None:
            return _to_login(dashboard, raw.request)
        return handler(dashboard, admitted)
    except RequestRefused as refused:
        return _refusal(dashboard, refused)
    except StoreUnavailable:
        words = "The database is not answering. Nothing was changed; try again in a moment."
        return _refusal(dashboard, RequestRefused(503, "Not available right now", words))
    except RejudgeError as error:
        return _refusal(dashboard, RequestRefused(409, "This cannot be done", str(error)))


def _admit(dashboard: Dashboard, raw: _RawRequest, needs: Role) -> DashboardRequest | None:
    """The token of the request's session; None if it is not logged in."""
    now = dashboard.site.now()
    name = cookie_name(dashboard.site.study.spec.id)
    session = dashboard.seal.session(raw.request.cookies.get(name, ""))
    token = None if session is None else dashboard.site.store.session(session, now=now)
    if session is None or token is None:
        return None
    if raw.form is None:
        raise RequestRefused(413, "Too much text", "Keep the reason to a sentence or two.")
    if raw.request.method == "POST" and not dashboard.seal.is_csrf(
        raw.form.get("csrf", ""), session
    ):
        words = "This form has expired or was not sent from here. Reload the page and try again."
        raise RequestRefused(403, "Not accepted", words)
    if needs == "owner" and token.role != "owner":
        raise RequestRefused(
            403,
            "Only owners can do this",
            "Your token lets you look at the dashboard but not make changes.",
        )
    request = raw.request
    path = {name: str(value) for name, value in request.path_params.items()}
    return DashboardRequest(token, session, path, dict(request.query_params), raw.form, now)


async def _form(request: Request) -> dict[str, str] | None:
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > LONGEST_FORM:
            return None
    text = body.decode("utf-8", "replace")
    fields = parse_qsl(text, keep_blank_values=True)
    return {name: value.replace("\0", "\ufffd") for name, value in fields}  # no database keeps NUL


def _to_login(dashboard: Dashboard, request: Request) -> Response:
    """Redirect to the login form; the script that updates the page gets a 401 and stops."""
    if request.headers.get("x-dashboard") == "live":
        return Response("Log in again.", 401)
    return RedirectResponse(f"{dashboard.site.prefix}/dashboard/login", 303)


def _refusal(dashboard: Dashboard, refused: RequestRefused) -> HTMLResponse:
    text = render(dashboard, None, "refused.html", title=refused.title, words=refused.words)
    return HTMLResponse(text, refused.status)


# ── coming in and going out ──


def login(dashboard: Dashboard) -> Endpoint:
    """The login page: a form for a token, which is exchanged for a session."""

    async def endpoint(request: Request) -> Response:
        if request.method != "POST":
            return HTMLResponse(render(dashboard, None, "login.html", title="Log in", words=""))
        form = await _form(request) or {}
        return await run_in_threadpool(_log_in, dashboard, request, form.get("token", "").strip())

    return endpoint


def _log_in(dashboard: Dashboard, request: Request, secret: str) -> Response:
    now = dashboard.site.now()
    client = request.client.host if request.client else ""
    wait = dashboard.attempts.wait(client, now)
    if wait:
        words = f"Too many attempts. Wait {wait.total_seconds():.0f} seconds."
        return _login_form(dashboard, words, 429, {"Retry-After": f"{wait.total_seconds():.0f}"})
    if request.headers.get("sec-fetch-site") == "cross-site":
        return _login_form(dashboard, "Log in on this page.", 403)
    try:
        token = dashboard.site.store.login(secret, now=now) if secret else None
    except StoreUnavailable:
        return _login_form(dashboard, "The database is not answering. Try again in a moment.", 503)
    if token is None:
        dashboard.attempts.fail(client, now)
        words = "This token is unknown, was revoked, has expired or has already been used."
        return _login_form(dashboard, words, 403)
    dashboard.attempts.forget(client)
    dashboard.site.store.note("logged in", who=f"{token.role} {token.id}", now=now)
    response = RedirectResponse(f"{dashboard.site.prefix}/dashboard/", 303)
    response.set_cookie(
        cookie_name(dashboard.site.study.spec.id),
        dashboard.seal.cookie(dashboard.site.store.begin_session(token, now=now)),
        max_age=int(SESSION_LASTS.total_seconds()),
        path=f"{dashboard.site.prefix}/dashboard",
        secure=dashboard.site.is_secure,
        httponly=True,
        samesite="lax",
    )
    return response


def _login_form(
    dashboard: Dashboard, words: str, status: int, headers: Mapping[str, str] | None = None
) -> HTMLResponse:
    text = render(dashboard, None, "login.html", title="Log in", words=words)
    return HTMLResponse(text, status, headers=headers)


def log_out(dashboard: Dashboard, request: DashboardRequest) -> Response:
    """End the session, in every browser that has its cookie; the token remains."""
    dashboard.site.store.end_session(request.session)
    dashboard.site.store.note("logged out", who=request.name, now=request.now)
    response = RedirectResponse(f"{dashboard.site.prefix}/dashboard/login", 303)
    response.delete_cookie(
        cookie_name(dashboard.site.study.spec.id), path=f"{dashboard.site.prefix}/dashboard"
    )
    return response
