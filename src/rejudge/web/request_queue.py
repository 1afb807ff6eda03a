"""Requests that arrive at the same moment are handled together, by one thread.

What they send becomes durable by one write to the disk, and one call wakes the event loop for all
of them. A thread for each would be woken, and would wake others, several times for every answer.
"""

from __future__ import annotations

from asyncio import AbstractEventLoop, Future, get_running_loop
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from itertools import groupby
from threading import Lock
from typing import Protocol, TypeAlias

from rejudge.errors import RejudgeError, StoreUnavailable
from rejudge.web.http import Reply

Handle: TypeAlias = Callable[[], Reply]
OpenTransaction: TypeAlias = Callable[[Collection[int]], AbstractContextManager[None]]
_MOST = 64  # at a time: whoever comes later does not wait for a hundred others


class Shareable(Protocol):
    """As much of a store as the queue needs."""

    def unavailable(self, error: StoreUnavailable) -> AbstractContextManager[None]:
        """Have everything that this thread does meanwhile fail with this error, at once."""


@dataclass(frozen=True, slots=True)
class _Request:
    """What is to be done, for which visit, and who waits for the reply."""

    handle: Handle
    visit: int | None
    reply: Future[Reply]
    loop: AbstractEventLoop


class RequestQueue:
    """One thread that handles all requests that wait, in one transaction of the store.

    `transaction` opens it, given the visits that will be asked for.
    """

    def __init__(self, store: Shareable, transaction: OpenTransaction) -> None:
        self._store = store
        self._transaction = transaction
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="requests")
        self._mutex = Lock()
        self._waiting: list[_Request] = []
        self._is_busy = False

    async def reply(self, handle: Handle, visit: int | None = None) -> Reply:
        """The reply to a request, once what it sent is stored."""
        loop = get_running_loop()
        request = _Request(handle, visit, loop.create_future(), loop)
        with self._mutex:
            self._waiting.append(request)
            starts, self._is_busy = not self._is_busy, True
        if starts:
            self._thread.submit(self._work)
        return await request.reply

    def _work(self) -> None:
        while requests := self._take():
            handled = zip(requests, self._outcomes(requests), strict=True)
            for loop, replies in groupby(handled, key=lambda each: each[0].loop):
                with suppress(RuntimeError):  # the server has ended, and nobody waits
                    loop.call_soon_threadsafe(_hand_over, list(replies))

    def _take(self) -> list[_Request]:
        with self._mutex:
            taken, self._waiting = self._waiting[:_MOST], self._waiting[_MOST:]
            self._is_busy = bool(taken)
        return taken

    def _outcomes(self, requests: Sequence[_Request]) -> list[Reply | Exception]:
        """What each request gives or raises; what they store becomes durable in one go.

        When anything but a refusal goes wrong, all is undone and each is handled by itself. Without
        a database each fails at once, and can explain that to its participant.
        """
        visits = {request.visit for request in requests if request.visit is not None}
        try:
            with self._transaction(visits):
                return [_outcome(request.handle, RejudgeError) for request in requests]
        except StoreUnavailable as error:
            with self._store.unavailable(error):
                return [_outcome(request.handle, Exception) for request in requests]
        except Exception:  # noqa: BLE001 - it is raised again by the request that it belongs to
            return [_outcome(request.handle, Exception) for request in requests]


def _outcome(handle: Handle, expected: type[Exception]) -> Reply | Exception:
    try:
        return handle()
    except expected as error:
        return error


def _hand_over(handled: Sequence[tuple[_Request, Reply | Exception]]) -> None:
    for request, outcome in handled:
        if request.reply.done():  # whoever asked has gone
            continue
        if isinstance(outcome, Exception):
            request.reply.set_exception(outcome)
        else:
            request.reply.set_result(outcome)
