"""One thread that handles all requests that wait: each gets its own reply, in one transaction."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import contextmanager
from functools import partial
from threading import Event, get_ident

import pytest

from rejudge.errors import DataError, StoreUnavailable
from rejudge.web.app import RequestQueue
from rejudge.web.http import Reply


class Disk:
    """A store of words: what is written in a transaction stays once it is committed."""

    def __init__(self) -> None:
        self.committed, self.visits, self.threads, self.opened = [], [], set(), 0
        self.fails = 0
        self.is_gone = False
        self.is_held, self.opens = Event(), Event()
        self._open = None

    @contextmanager
    def transaction(self, visits):
        self.opened += 1
        self.visits.append(sorted(visits))
        self.threads.add(get_ident())
        self._open = []
        try:
            yield
            if self.fails and self._open:
                self.fails -= 1
                raise StoreUnavailable("the disk is full.")
            self.committed.append(self._open)
        finally:
            self._open = None

    @contextmanager
    def unavailable(self, _error):
        self.is_gone = True
        yield
        self.is_gone = False

    def hold(self) -> Reply:
        """Keep the thread busy until `opens` is set."""
        self.is_held.set()
        self.opens.wait(30)
        return Reply()

    def write(self, word) -> Reply:
        if self.is_gone:
            raise StoreUnavailable("the disk is full.")
        if self._open is None:
            self.committed.append([word])
        else:
            self._open.append(word)
        return Reply(word.upper())

    def breaks(self) -> Reply:
        self.write("broken")
        raise ZeroDivisionError


@pytest.fixture
def disk():
    return Disk()


def together(disk, *handles: Callable[[], Reply], visits=()):
    """What becomes of requests that wait at the same moment: replies, or what they raised."""

    async def all_at_once() -> list[Reply | BaseException]:
        queue = RequestQueue(disk, disk.transaction)
        first = asyncio.create_task(queue.reply(disk.hold))
        await asyncio.to_thread(disk.is_held.wait, 30)
        whose = [*visits, *[None] * (len(handles) - len(visits))]
        waiting = [
            asyncio.create_task(queue.reply(handle, visit))
            for handle, visit in zip(handles, whose, strict=True)
        ]
        await asyncio.sleep(0)  # all wait
        disk.opens.set()
        await first
        return await asyncio.gather(*waiting, return_exceptions=True)

    given = asyncio.run(all_at_once())
    return [each.body if isinstance(each, Reply) else type(each) for each in given]


def writes(disk, *words: str):
    return [lambda word=word: disk.write(word) for word in words]


def refuses() -> Reply:
    raise DataError("no.")


def test_everybody_gets_their_own_reply_from_one_thread(disk):
    given = together(disk, *writes(disk, *(f"n{n}" for n in range(300))))
    assert given == [f"N{n}" for n in range(300)]
    assert len(disk.threads) == 1
    assert sum(map(len, disk.committed)) == 300
    assert disk.opened < 10
    assert max(map(len, disk.committed)) <= 64


def test_the_store_is_told_whose_visits_are_asked_for(disk):
    together(disk, *[Reply] * 5, visits=(None, 8, 3, 8, None))
    assert sorted({visit for each in disk.visits for visit in each}) == [3, 8]


def test_a_refused_request_keeps_nobody_else_from_theirs(disk):
    first, last = writes(disk, "a", "b")
    given = together(disk, first, refuses, last)
    assert given == ["A", DataError, "B"]
    assert disk.committed == [[], ["a", "b"]]


def test_a_request_that_breaks_is_undone_and_the_others_are_handled_by_themselves(disk):
    first, last = writes(disk, "a", "b")
    given = together(disk, first, disk.breaks, last)
    assert given == ["A", ZeroDivisionError, "B"]
    assert sorted(word for group in disk.committed for word in group) == ["a", "b", "broken"]


@pytest.mark.parametrize("error", [SystemExit, KeyboardInterrupt, StopIteration])
def test_a_handler_that_ends_the_thread_leaves_nobody_waiting(disk, error):
    def end() -> Reply:
        raise error

    async def one_after_another() -> tuple[BaseException, list[Reply]]:
        queue = RequestQueue(disk, disk.transaction)
        ended, beside = await asyncio.wait_for(
            asyncio.gather(
                queue.reply(end), queue.reply(partial(disk.write, "beside")), return_exceptions=True
            ),
            10,
        )
        later = await asyncio.wait_for(queue.reply(partial(disk.write, "later")), 10)
        return ended, [beside, later]

    ended, replies = asyncio.run(one_after_another())
    assert isinstance(ended, RuntimeError)
    assert error.__name__ in str(ended)
    assert replies == [Reply("BESIDE"), Reply("LATER")]


def test_without_a_disk_every_request_is_told_at_once_and_can_say_what_that_means(disk):
    disk.fails = 1

    def explained() -> Reply:
        try:
            return disk.write("a")
        except StoreUnavailable:
            return Reply("keep this page open")

    given = together(disk, explained, *writes(disk, "b"))
    assert given == ["keep this page open", StoreUnavailable]
    assert disk.committed == [[]]
    assert disk.opened == 2  # what held the thread, then once for both


def test_who_goes_away_is_served_all_the_same_and_nobody_waits_for_them(disk):
    async def one_leaves() -> Reply:
        queue = RequestQueue(disk, disk.transaction)
        leave, stay = writes(disk, "left", "here")
        first = asyncio.create_task(queue.reply(disk.hold))
        await asyncio.to_thread(disk.is_held.wait, 30)
        leaving = asyncio.create_task(queue.reply(leave))
        staying = asyncio.create_task(queue.reply(stay))
        await asyncio.sleep(0)
        leaving.cancel()
        disk.opens.set()
        await first
        return await staying

    assert asyncio.run(one_leaves()).body == "HERE"
    assert ["left" in group for group in disk.committed].count(True) == 1


def test_a_queue_serves_people_of_several_event_loops(disk):
    queue = RequestQueue(disk, disk.transaction)
    disk.opens.set()
    bodies = [asyncio.run(queue.reply(lambda n=n: Reply(str(n)))).body for n in range(3)]
    assert bodies == ["0", "1", "2"]
