"""The recruiting platform of a running site: its notifications, and what it says about places.

The platform is asked outside the queue of requests: everybody else would wait for the reply.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import Protocol, TypeAlias

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from rejudge.collect.submissions import SubmissionReport
from rejudge.collect.visit import Recruiter
from rejudge.errors import StoreUnavailable
from rejudge.platforms import platform
from rejudge.store.store import Store
from rejudge.web.http import Call, InvalidRequest, Reply, read_body, redirect

NOTIFICATIONS = "/notifications"  # where the platform sends them
_LARGEST_NOTIFICATION = 1 << 16  # bytes
_OK = "ok"
_BETWEEN_POLLS = 300.0  # seconds
_LOG = logging.getLogger("rejudge.recruiting")

HandleInTurn: TypeAlias = Callable[[Callable[[], Reply]], Awaitable[Reply]]


class RecruitingService(Protocol):
    """What a platform does for a running site. All of it may take seconds."""

    @property
    def recruiter(self) -> Recruiter:
        """The platform's name."""

    def refresh(self) -> bool:
        """Ask about all submissions, and do what they mean; whether places became free."""

    def is_genuine(self, query: Mapping[str, str]) -> bool:
        """Whether a link was made by the platform; True where its links are not signed."""

    def read_notification(
        self, headers: Mapping[str, str], body: bytes
    ) -> Sequence[SubmissionReport] | None:
        """What a notification says; None if the platform did not send it."""


def open_recruiting(
    folder: Path, store: Store, *, now: Callable[[], datetime], base_url: str
) -> RecruitingService | None:
    """The service of the platform that recruits for a study; None where it has none."""
    module = platform(store.study.spec.recruitment.platform).service
    if module is None:
        return None
    found: RecruitingService | None = import_module(module).open_service(
        folder, store, environment=os.environ, now=now, base_url=base_url, report=_LOG.warning
    )
    return found


@contextmanager
def run_poller(service: RecruitingService | None) -> Iterator[None]:
    """Ask the platform every few minutes, which makes up for a lost notification."""
    stop = threading.Event()
    start_poller(service, stop)
    try:
        yield
    finally:
        stop.set()


def start_poller(service: RecruitingService | None, stop: threading.Event) -> None:
    """Ask in a thread of its own until it is stopped; nothing where no platform recruits."""
    if service is None:
        return

    def ask() -> None:
        while not stop.wait(_BETWEEN_POLLS):
            with suppress(StoreUnavailable):  # the pages say so
                service.refresh()

    threading.Thread(target=ask, name="poller", daemon=True).start()


async def check_link(service: RecruitingService | None, call: Call) -> Call:
    """The call, marked as unproven if the platform signs its links and this one is not genuine."""
    if service is None or not call.query:
        return call
    is_genuine = await run_in_threadpool(service.is_genuine, call.query)
    return call if is_genuine else replace(call, is_proven=False)


async def ask_before_full(
    service: RecruitingService | None, reply: Reply, *, full: str, start: str
) -> Reply:
    """Before somebody reads that no task is left, ask the platform who is gone; then try again."""
    if service is None or reply.location != full:
        return reply
    if not await run_in_threadpool(service.refresh):
        return reply
    return redirect(start, cookie=reply.cookie)


def notification_endpoint(
    service: RecruitingService,
    follow: Callable[[Sequence[SubmissionReport]], object],
    in_turn: HandleInTurn,
) -> Callable[[Request], Awaitable[Response]]:
    """Takes notifications: 200 once what they say is stored, so that a failed one is sent again."""

    async def receive(request: Request) -> Response:
        try:
            body = await read_body(request, limit=_LARGEST_NOTIFICATION)
        except InvalidRequest as rejected:
            return PlainTextResponse("refused", rejected.status)
        headers = {name.lower(): value for name, value in request.headers.items()}
        reports = await run_in_threadpool(service.read_notification, headers, body)
        if reports is None:
            return PlainTextResponse("refused", 401)
        if reports:
            await in_turn(lambda: _followed(follow, reports))
        return PlainTextResponse(_OK)

    return receive


def _followed(
    follow: Callable[[Sequence[SubmissionReport]], object], reports: Sequence[SubmissionReport]
) -> Reply:
    follow(reports)
    return Reply(_OK, kind="text/plain")
