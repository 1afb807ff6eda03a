"""The application: which path leads to which handler, and what every reply carries.

Requests that arrive at the same moment are handled together, by one thread. What they send becomes
durable by one write to the disk, and one call wakes the event loop for all of them. A thread for
each would be woken, and would wake others, several times for every answer.
"""

from __future__ import annotations

from asyncio import AbstractEventLoop, Future, get_running_loop, wait_for
from collections.abc import Awaitable, Callable, Collection, MutableMapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from threading import Lock
from typing import Any, Protocol, TypeAlias

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route, Router
from starlette.types import ASGIApp, Receive, Scope, Send

from rejudge.collect.submissions import SubmissionReport
from rejudge.errors import DataError, ElsewhereOpen, RejudgeError, StoreUnavailable
from rejudge.web import admission, participant, practice, tasks
from rejudge.web.http import (
    Call,
    Cookie,
    InvalidRequest,
    Reply,
    as_response,
    outcome_reply,
    read_call,
    redirect,
)
from rejudge.web.navigation import ReplyInstead, message
from rejudge.web.recruiting import (
    NOTIFICATIONS,
    ask_before_full,
    check_link,
    notification_endpoint,
)
from rejudge.web.rendering import SiteContext, SitePages, assets

Handle: TypeAlias = Callable[[], Reply]
OpenTransaction: TypeAlias = Callable[[Collection[int]], AbstractContextManager[None]]
_MOST = 64  # at a time, so that later requests do not wait for a hundred others


class QueueStore(Protocol):
    """What the queue needs from a store."""

    def unavailable(self, error: StoreUnavailable) -> AbstractContextManager[None]:
        """Make every use of the store by this thread fail at once with this error."""


@dataclass(frozen=True, slots=True)
class _Request:
    """A waiting request: its handler, its visit, and the future that receives the reply."""

    handle: Handle
    visit: int | None
    reply: Future[Reply]
    loop: AbstractEventLoop


class RequestQueue:
    """One thread that handles all waiting requests in one transaction of the store.

    `transaction` opens it for the visits that the requests belong to. Every request gets a reply,
    even if its handler ends the thread's work.
    """

    def __init__(self, store: QueueStore, transaction: OpenTransaction) -> None:
        self._store = store
        self._transaction = transaction
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="requests")
        self._mutex = Lock()
        self._waiting: list[_Request] = []
        self._is_busy = False

    async def reply(self, handle: Handle, visit: int | None = None) -> Reply:
        """Handle a request; the reply is sent once what the request stored is durable."""
        loop = get_running_loop()
        request = _Request(handle, visit, loop.create_future(), loop)
        with self._mutex:
            self._waiting.append(request)
            starts, self._is_busy = not self._is_busy, True
        if starts:
            self._thread.submit(self._work)
        return await request.reply

    def _work(self) -> None:
        try:
            while requests := self._take():
                handled = zip(requests, self._outcomes(requests), strict=True)
                for loop, replies in groupby(handled, key=lambda each: each[0].loop):
                    with suppress(RuntimeError):  # the server has stopped, and nobody waits
                        loop.call_soon_threadsafe(_deliver, list(replies))
        except BaseException:
            with self._mutex:  # the next request starts the work again
                self._is_busy = False
            raise

    def _take(self) -> list[_Request]:
        with self._mutex:
            taken, self._waiting = self._waiting[:_MOST], self._waiting[_MOST:]
            self._is_busy = bool(taken)
        return taken

    def _outcomes(self, requests: Sequence[_Request]) -> list[Reply | Exception]:
        """The reply or error of each request; what they store becomes durable in one go.

        If anything but an expected error occurs, everything is rolled back and each request is
        handled on its own. Without a database each fails at once and can tell its participant.
        """
        visits = {request.visit for request in requests if request.visit is not None}
        try:
            with self._transaction(visits):
                return [_outcome(request.handle, RejudgeError) for request in requests]
        except StoreUnavailable as error:
            with self._store.unavailable(error):
                return [_outcome(request.handle, BaseException) for request in requests]
        except BaseException:  # noqa: BLE001 - it becomes the outcome of the request that raised it
            return [_outcome(request.handle, BaseException) for request in requests]


def _outcome(handle: Handle, expected: type[BaseException]) -> Reply | Exception:
    try:
        return handle()
    except expected as error:
        if isinstance(error, Exception) and not isinstance(error, StopIteration):
            return error
        # asyncio takes no StopIteration, and SystemExit would end the server
        return RuntimeError(f"a request handler raised {error!r}")


def _deliver(handled: Sequence[tuple[_Request, Reply | Exception]]) -> None:
    for request, outcome in handled:
        if request.reply.done():  # the client has gone
            continue
        if isinstance(outcome, Exception):
            request.reply.set_exception(outcome)
        else:
            request.reply.set_result(outcome)


Handler: TypeAlias = Callable[[SitePages, Call], Reply]
Endpoint: TypeAlias = Callable[[Request], Awaitable[Response]]

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "font-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; "
    "base-uri 'none'"
)
_HEADERS = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=()"),
    (b"cross-origin-opener-policy", b"same-origin"),
)
_NO_STORE = (b"cache-control", b"no-store")
_FOREVER = "public, max-age=31536000, immutable"
_RETRY_SECONDS = 10
_HEALTH_SECONDS = 5.0

# Path, what a visit of it shows, what a form or the script sent to it does. Busy ones first.
_PAGES: tuple[tuple[str, Handler | None, Handler | None], ...] = (
    ("/save", None, tasks.save_answer),
    ("/task/all", tasks.show_all, tasks.submit_all),
    ("/task/{place}", tasks.show, tasks.submit_task),
    ("/tasks", tasks.fetch, None),
    ("/layout", tasks.show_layout, None),
    ("/", participant.enter, None),
    ("/consent", participant.consent, participant.save_consent),
    ("/instructions", participant.instructions, participant.save_instructions_read),
    ("/practice", practice.show, practice.submit_answer),
    ("/qualification", admission.show_start, None),
    ("/qualification/{place}", admission.show_task, admission.submit_task),
    ("/qualified", admission.show_passed, None),
    ("/break", tasks.show_break, None),
    ("/submit", None, tasks.hand_in),
    ("/more", participant.more, participant.choose_more_or_finish),
    ("/exit", participant.show_exit, participant.save_exit),
    ("/thanks", participant.thanks, None),
    ("/declined", participant.show_declined, None),
    ("/screening", admission.show_screening, admission.submit_screening),
    ("/screened-out", participant.show_screened_out, None),
    ("/full", participant.full, participant.try_again),
    ("/not-qualified", participant.show_not_qualified, None),
    ("/elsewhere", participant.elsewhere, None),
    ("/switch", None, participant.switch_visit),
    ("/paused", participant.show_paused, None),
    ("/about", participant.about, None),
    ("/waiting", admission.show_waiting, admission.finish_instead),
)


def create_app(site: SiteContext, *, health_seconds: float = _HEALTH_SECONDS) -> Starlette:
    """The site of one study: the participants' pages, and the dashboard under /dashboard.

    `health_seconds`: how long /healthz waits for a test write.
    """
    pages, queues = SitePages(site), _Queues(site)
    routes: list[BaseRoute] = []
    for path, shown, sent in _PAGES:
        methods = [m for m, handler in (("GET", shown), ("POST", sent)) if handler is not None]
        routes.append(Route(path, PageEndpoint(pages, queues, shown, sent), methods=methods))
    routes += [
        Route("/static/{fingerprint}/{name}", static_file),
        Route("/healthz", _health(site, queues, health_seconds)),
        *_notifications(site, queues),
        Route("/dashboard{rest:path}", LazyDashboard(site), include_in_schema=False),
    ]
    app = Starlette(
        routes=routes,
        middleware=[Middleware(SecurityHeaders, has_frames=site.study.layout is not None)],
        exception_handlers={
            HTTPException: _on_http_error(pages),
            ClientDisconnect: _on_disconnect,
            StoreUnavailable: _on_unavailable(pages),
            Exception: _on_error(pages),
        },
    )
    app.router.redirect_slashes = False  # it would lead to another host's name, or out of a path
    app.state.pages = pages
    return app


def _notifications(site: SiteContext, queues: _Queues) -> tuple[Route, ...]:
    """Where the platform that recruits says what became of submissions."""
    service = site.recruiting
    if service is None:
        return ()

    def follow(reports: Sequence[SubmissionReport]) -> object:
        return site.store.follow(service.recruiter, reports, now=site.now())

    endpoint = notification_endpoint(service, follow, queues.sending.reply)
    return (Route(NOTIFICATIONS, endpoint, methods=["POST"]),)


class _Queues:
    """The queues of requests: those that send something, and those that only read.

    Showing a page writes nothing (arriving does): where reading waits for nobody, handing it to
    another thread costs more than the reading.
    """

    def __init__(self, site: SiteContext) -> None:
        store = site.store
        self.sending = RequestQueue(store, store.transaction)
        self.reading = None if store.reads_at_once else RequestQueue(store, store.reading)


class PageEndpoint:
    """One path for participants: a handler for GET and one for POST."""

    def __init__(
        self, pages: SitePages, queues: _Queues, shown: Handler | None, sent: Handler | None
    ) -> None:
        site = pages.site
        self._pages = pages
        self._queues = queues
        self._handlers = {"GET": shown, "HEAD": shown, "POST": sent}
        self._cookie = Cookie(f"rejudge-{site.study.spec.id}", f"{site.prefix}/", site.is_secure)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Read the request, have it handled, and send the reply."""
        handler = self._handlers[scope["method"]]
        if handler is None:
            raise HTTPException(405)
        try:
            call = await read_call(Request(scope, receive), self._cookie.name)
        except InvalidRequest as refused:
            reply = _refusal(self._pages, scope["path"], refused.status)
        else:
            reply = await self._reply_to(handler, call, scope)
        await as_response(reply, self._cookie)(scope, receive, send)

    async def _reply_to(self, handler: Handler, call: Call, scope: Scope) -> Reply:
        """The reply, once the platform was asked what only it knows."""
        service = self._pages.site.recruiting
        if handler is participant.enter:
            call = await check_link(service, call)
        reply = await self._reply(handler, call, scope)
        full, start = self._pages.at("/full"), self._pages.at("/")
        return await ask_before_full(service, reply, full=full, start=start)

    async def _reply(self, handler: Handler, call: Call, scope: Scope) -> Reply:
        handle = partial(self._handle, handler, call, scope["path"])
        reading = self._queues.reading
        is_sending = scope["method"] == "POST" or handler is participant.enter
        if not is_sending and reading is None:
            return handle()
        queue = self._queues.sending if is_sending or reading is None else reading
        return await queue.reply(handle, self._pages.seal.visit(call.cookie))

    def _handle(self, handler: Handler, call: Call, path: str) -> Reply:
        try:
            return handler(self._pages, call)
        except ReplyInstead as instead:
            return instead.reply
        except InvalidRequest as refused:
            return _refusal(self._pages, path, refused.status)
        except ElsewhereOpen:
            return redirect(self._pages.at("/elsewhere"))
        except DataError:  # the visit was withdrawn while its page was open
            return message(self._pages, "gone", status=403)


def _refusal(pages: SitePages, path: str, status: int) -> Reply:
    if path.endswith("/save"):
        return outcome_reply("refused", status=status)
    return message(pages, "mistake" if status == 404 else "refused", status=status, leads_on=True)


async def static_file(request: Request) -> Response:
    """A file of the folder `static`."""
    asset = assets().get(request.path_params["name"])
    if asset is None or asset.fingerprint != request.path_params["fingerprint"]:
        return PlainTextResponse("not found", 404)
    return Response(asset.content, media_type=asset.kind, headers={"cache-control": _FOREVER})


def _health(site: SiteContext, queues: _Queues, seconds: float) -> Endpoint:
    """Whether answers can be saved: a test write goes through the same queue.

    An answer waits longer for another program that writes; whoever monitors the site does not.
    """

    def probe() -> Reply:
        site.store.probe()
        return Reply("ok", kind="text/plain")

    async def health(request: Request) -> Response:  # noqa: ARG001 - nothing is asked
        try:
            reply = await wait_for(queues.sending.reply(probe), seconds)
        except TimeoutError:
            return PlainTextResponse("The database is busy: nothing can be saved.", 503)
        return PlainTextResponse(reply.body, reply.status)

    return health


# ── when something goes wrong ────────────────────────────────────────────────────────────────────


def _on_http_error(pages: SitePages) -> Callable[[Request, Exception], Response]:
    def respond(request: Request, error: Exception) -> Response:  # noqa: ARG001 - all alike
        status = error.status_code if isinstance(error, HTTPException) else 500
        reply = message(pages, "mistake", status=status, leads_on=True)
        headers = error.headers if isinstance(error, HTTPException) else None
        return Response(reply.body, status, headers=headers, media_type=reply.kind)

    return respond


def _on_disconnect(request: Request, error: Exception) -> Response:  # noqa: ARG001 - all alike
    """The connection broke while the client was sending: nobody receives this reply."""
    return Response(status_code=400)


def _on_unavailable(pages: SitePages) -> Callable[[Request, Exception], Response]:
    """The store is unavailable: say that nothing was saved, never that it was."""

    def respond(request: Request, error: Exception) -> Response:  # noqa: ARG001 - all alike
        if request.url.path.endswith("/save"):
            reply = outcome_reply("unavailable", status=503)
        else:
            reply = message(pages, "unavailable", status=503, leads_on=True)
        headers = {"retry-after": str(_RETRY_SECONDS)}
        return Response(reply.body, 503, headers=headers, media_type=reply.kind)

    return respond


def _on_error(pages: SitePages) -> Callable[[Request, Exception], Response]:
    def respond(request: Request, error: Exception) -> Response:  # noqa: ARG001 - all alike
        reply = message(pages, "unavailable", status=500, leads_on=True)
        return Response(reply.body, 500, media_type=reply.kind, headers=dict(_plain_headers()))

    return respond


def _plain_headers() -> list[tuple[str, str]]:
    return [(name.decode(), value.decode()) for name, value in (*_HEADERS, _NO_STORE)]


class LazyDashboard:
    """The dashboard, loaded at its first request, because its libraries load slowly."""

    def __init__(self, site: SiteContext) -> None:
        self._site = site
        self._router: Router | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on to the dashboard."""
        if self._router is None:
            self._router = await run_in_threadpool(self._load)
        await self._router(scope, receive, send)

    def _load(self) -> Router:
        from rejudge.web.dashboard.routes import dashboard_routes

        return Router(dashboard_routes(self._site), redirect_slashes=False)


class SecurityHeaders:
    """Adds the security headers to every reply."""

    def __init__(self, app: ASGIApp, *, has_frames: bool = False) -> None:
        self._app = app
        framed = (b"content-security-policy", f"{POLICY}; frame-src 'self'".encode())
        self._headers = (*([framed] if has_frames else _HEADERS[:1]), *_HEADERS[1:], _NO_STORE)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle the request and add the headers to its reply."""

        async def send_with_headers(sent: MutableMapping[str, Any]) -> None:  # as ASGI says
            if sent["type"] == "http.response.start":
                headers = list(sent.get("headers", ()))
                names = {name for name, _ in headers}
                headers += [each for each in self._headers if each[0] not in names]
                sent = {**sent, "headers": headers}
            await send(sent)

        await self._app(scope, receive, send_with_headers)
