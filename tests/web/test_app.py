"""The application: its queue of requests, and what every reply carries."""

from __future__ import annotations

import asyncio
import re
import sqlite3
from collections.abc import Callable
from contextlib import closing, contextmanager
from functools import partial
from threading import Event, get_ident

import pytest

from participants import Browser
from rejudge.errors import DataError, StoreUnavailable
from rejudge.web.app import RequestQueue, create_app
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
        self.opens.wait()
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
        await asyncio.to_thread(disk.is_held.wait)
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


def test_the_store_knows_the_visits_of_the_requests(disk):
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
        ended, beside = await asyncio.gather(
            queue.reply(end), queue.reply(partial(disk.write, "beside")), return_exceptions=True
        )
        later = await queue.reply(partial(disk.write, "later"))
        return ended, [beside, later]

    ended, replies = asyncio.run(one_after_another())
    assert isinstance(ended, RuntimeError)
    assert error.__name__ in str(ended)
    assert replies == [Reply("BESIDE"), Reply("LATER")]


def test_without_a_disk_every_request_fails_at_once_and_can_explain_that(disk):
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
        await asyncio.to_thread(disk.is_held.wait)
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


@pytest.mark.parametrize("path", ["/save", "/consent", "/dashboard/login", "/dashboard/state"])
def test_whose_connection_breaks_while_sending_is_no_mishap(opened, path):
    """The application would raise: the server writes that into its log as a fault."""
    heard = []

    async def hang_up() -> dict[str, str]:
        return {"type": "http.disconnect"}

    async def send(sent) -> None:
        heard.append(sent["type"])

    headers = [(b"content-type", b"application/json"), (b"content-length", b"9")]
    scope = {
        "type": "http", "method": "POST", "path": path, "raw_path": path.encode(),
        "query_string": b"", "headers": headers, "client": ("127.0.0.1", 1),
    }  # fmt: skip
    asyncio.run(opened().app(scope, hang_up, send))
    assert heard == ["http.response.start", "http.response.body"]


@pytest.mark.parametrize(
    "path", ["/consent/", "/thanks/", "/dashboard/people/", "/dashboard/login/"]
)
def test_no_address_leads_out_of_the_path_of_the_site(opened, path):
    site = opened(base_url="https://example.org/meaning")
    reply = site.person().client.get(path, follow_redirects=False)
    assert reply.status_code == 404


def test_every_reply_carries_the_headers_that_keep_others_out(opened):
    person = opened().person()
    for path in ("/", "/?p=abc", "/nothing", "/task/1", "/about", "/healthz", "/dashboard/login"):
        headers = person.client.get(path, follow_redirects=False).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cache-control"] == "no-store"


def test_static_files_are_kept_for_ever_under_the_name_of_their_content(opened):
    person = opened().person()
    person.arrive()
    for path in re.findall(r'(?:href|src)="(/static/[^"]+)"', person.page.text):
        reply = person.client.get(path)
        assert reply.status_code == 200
        assert "immutable" in reply.headers["cache-control"]
    assert person.client.get("/static/0000/site.css").status_code == 404
    assert person.client.get("/static/0000/..%2fapp.py").status_code == 404


def test_a_site_below_a_path_stays_below_it(opened):
    site = opened(base_url="https://example.org/study/")
    reply = (person := site.person()).client.get(person.link, follow_redirects=False)
    assert reply.headers["location"] == "/study/consent"
    assert "path=/study/" in reply.headers["set-cookie"].lower()


def test_the_site_is_not_healthy_while_another_program_holds_the_database(opened):
    site = opened()
    impatient = create_app(site.app.state.pages.site, health_seconds=0.01)
    other = sqlite3.connect(site.database, isolation_level=None)
    with closing(Browser(impatient)) as monitor, closing(other):
        other.execute("begin immediate")
        reply = monitor.get("/healthz")
        other.execute("rollback")
    assert (reply.status_code, reply.text) == (503, "The database is busy: nothing can be saved.")
    assert site.person().client.get("/healthz").text == "ok"


def test_the_site_is_healthy_only_while_it_can_save(opened):
    """Reading goes on when a file is gone or a disk is full; people's answers would be lost."""
    site = opened()
    person = site.person()
    assert site.store.state == "open"  # through a connection that stays
    assert person.client.get("/healthz").text == "ok"
    away = site.database.rename(site.database.with_name("away.db"))
    assert site.store.state == "open"
    assert person.client.get("/healthz").status_code == 503
    away.rename(site.database)
    assert person.client.get("/healthz").status_code == 200
