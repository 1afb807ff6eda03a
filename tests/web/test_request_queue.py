"""One thread that serves all who wait: each gets their own reply."""

from __future__ import annotations

import asyncio
from threading import Event, get_ident

import pytest

from rejudge.web.exchange import Reply
from rejudge.web.request_queue import Counter


def raised_or_given(act):
    try:
        return act()
    except ValueError as error:
        return error


class Shop:
    """Serves, and remembers how many at a time and in which threads."""

    def __init__(self) -> None:
        self.groups, self.visits, self.threads = [], [], set()
        self.opens = Event()

    def serve(self, acts, visits):
        self.opens.wait(30)
        self.groups.append(len(acts))
        self.visits.append(sorted(visits))
        self.threads.add(get_ident())
        return [raised_or_given(act) for act in acts]


@pytest.fixture
def shop():
    return Shop()


def test_everybody_gets_their_own_reply_from_one_thread(shop):
    async def all_at_once() -> list[str]:
        counter = Counter(shop.serve)
        waiting = [
            asyncio.create_task(counter.reply(lambda n=n: Reply(str(n)))) for n in range(300)
        ]
        await asyncio.sleep(0)  # all stand in line
        shop.opens.set()
        return [each.body for each in await asyncio.gather(*waiting)]

    assert asyncio.run(all_at_once()) == [str(n) for n in range(300)]
    assert len(shop.threads) == 1
    assert sum(shop.groups) == 300
    assert len(shop.groups) < 10
    assert max(shop.groups) <= 64


def test_it_is_told_whose_visits_are_served(shop):
    async def three() -> None:
        counter = Counter(shop.serve)
        waiting = [
            asyncio.create_task(counter.reply(Reply, visit)) for visit in (None, 8, 3, 8, None)
        ]
        await asyncio.sleep(0)
        shop.opens.set()
        await asyncio.gather(*waiting)

    asyncio.run(three())
    assert sorted({visit for each in shop.visits for visit in each}) == [3, 8]


def test_what_an_act_raises_goes_to_whoever_asked(shop):
    def breaks() -> None:
        raise ValueError("mine")

    async def two() -> list[object]:
        counter = Counter(shop.serve)
        shop.opens.set()
        return await asyncio.gather(
            counter.reply(breaks), counter.reply(lambda: Reply("yours")), return_exceptions=True
        )

    broken, fine = asyncio.run(two())
    assert str(broken) == "mine"
    assert fine.body == "yours"


def test_who_goes_away_is_served_all_the_same_and_nobody_waits_for_them(shop):
    done = []

    async def one_leaves() -> Reply:
        counter = Counter(shop.serve)
        leaving = asyncio.create_task(counter.reply(lambda: done.append("left") or Reply()))
        staying = asyncio.create_task(counter.reply(lambda: Reply("here")))
        await asyncio.sleep(0)
        leaving.cancel()
        shop.opens.set()
        return await staying

    assert asyncio.run(one_leaves()).body == "here"
    assert done == ["left"]


def test_a_counter_serves_people_of_several_event_loops(shop):
    counter = Counter(shop.serve)
    shop.opens.set()
    bodies = [asyncio.run(counter.reply(lambda n=n: Reply(str(n)))).body for n in range(3)]
    assert bodies == ["0", "1", "2"]
