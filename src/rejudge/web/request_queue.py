"""Those who come at the same moment are served together, by one thread.

What they send becomes durable by one write to the disk, and one call wakes the event loop for all
of them. A thread for each would be woken, and would wake others, several times for every answer.
"""

from __future__ import annotations

from asyncio import AbstractEventLoop, Future, get_running_loop
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby
from threading import Lock
from typing import TypeAlias

from rejudge.web.exchange import Reply

Act: TypeAlias = Callable[[], Reply]
_MOST = 64  # at a time: whoever comes later does not wait for a hundred others


@dataclass(frozen=True, slots=True)
class _Guest:
    """What is to be done for somebody, and who waits for the reply."""

    act: Act
    visit: int | None
    reply: Future[Reply]
    loop: AbstractEventLoop


class Counter:
    """One thread that serves all who wait.

    `serve` gives what each act gives or raises; it is also told whose visits these are.
    """

    def __init__(
        self, serve: Callable[[Sequence[Act], Collection[int]], Sequence[Reply | Exception]]
    ) -> None:
        self._together = serve
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="counter")
        self._mutex = Lock()
        self._waiting: list[_Guest] = []
        self._is_busy = False

    async def reply(self, act: Act, visit: int | None = None) -> Reply:
        """The reply to somebody, once what they sent is stored."""
        loop = get_running_loop()
        guest = _Guest(act, visit, loop.create_future(), loop)
        with self._mutex:
            self._waiting.append(guest)
            starts, self._is_busy = not self._is_busy, True
        if starts:
            self._thread.submit(self._serve)
        return await guest.reply

    def _serve(self) -> None:
        while guests := self._taken():
            known = {guest.visit for guest in guests if guest.visit is not None}
            outcomes = self._together([guest.act for guest in guests], known)
            served = zip(guests, outcomes, strict=True)
            for loop, replies in groupby(served, key=lambda each: each[0].loop):
                with suppress(RuntimeError):  # the server has ended, and nobody waits
                    loop.call_soon_threadsafe(_hand_over, list(replies))

    def _taken(self) -> list[_Guest]:
        with self._mutex:
            taken, self._waiting = self._waiting[:_MOST], self._waiting[_MOST:]
            self._is_busy = bool(taken)
        return taken


def _hand_over(served: Sequence[tuple[_Guest, Reply | Exception]]) -> None:
    for guest, outcome in served:
        if guest.reply.done():  # whoever asked has gone
            continue
        if isinstance(outcome, Exception):
            guest.reply.set_exception(outcome)
        else:
            guest.reply.set_result(outcome)
