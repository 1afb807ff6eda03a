"""What one network or browser may hold of unfinished work."""

from __future__ import annotations

from datetime import timedelta

import pytest
from walking import MINUTE, NOW, come, finish, in_hand, opened, page

from rejudge.collect.assignment import Assignment
from rejudge.collect.visit import Origin
from rejudge.store.store import Store


@pytest.fixture
def store(database):
    """One batch with four places, of which one address holds at most two unanswered."""
    with_limit = opened(database, 4, places_per_address=2)
    yield with_limit
    with_limit.close()


def claim(store: Store, number: int, origin: Origin, *, minute: int = 0) -> Assignment:
    """Somebody from an origin comes and gets a place."""
    now = NOW + minute * MINUTE
    return in_hand(store.claim(come(store, number, now=now), now=now, origin=origin))


def statuses(store: Store) -> dict[str, str]:
    """What became of everybody's place."""
    return {each.participant: each.status for each in store.assignments()}


def test_a_browser_that_asks_again_gives_back_what_it_held(store):
    first = claim(store, 1, Origin("10.0.0.1", "firefox"))
    second = claim(store, 2, Origin("10.0.0.1", "firefox"), minute=1)
    assert statuses(store) == {first.participant: "expired", second.participant: "held"}


def test_a_network_holds_as_many_unanswered_places_as_the_study_allows(store):
    mine = [claim(store, n, Origin("10.0.0.1", f"browser-{n}"), minute=n) for n in (1, 2, 3)]
    elsewhere = claim(store, 4, Origin("10.0.0.2", "browser-4"), minute=4)
    assert statuses(store) == {
        mine[0].participant: "expired",
        mine[1].participant: "held",
        mine[2].participant: "held",
        elsewhere.participant: "held",
    }


def test_a_place_with_an_answer_is_not_taken_back_from_its_network(store):
    first = claim(store, 1, Origin("10.0.0.1", "browser-1"))
    store.record(page(first, "b1-1", "a"), now=NOW)
    others = [claim(store, n, Origin("10.0.0.1", f"browser-{n}"), minute=n) for n in (2, 3)]
    assert set(statuses(store).values()) == {"held"}
    assert len(others) == 2


def test_who_lost_a_place_gets_it_back_with_the_next_answer(store):
    first = claim(store, 1, Origin("10.0.0.1", "firefox"))
    claim(store, 2, Origin("10.0.0.1", "firefox"), minute=1)
    saved = store.record(page(first, "b1-1", "a"), now=NOW + 2 * MINUTE)
    assert saved.outcome == "saved"
    assert statuses(store)[first.participant] == "held"


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_origins_are_forgotten_once_the_work_is_done_or_a_day_old(store):
    def kept() -> int:
        with store._database.reading() as transaction:
            transaction.plain("SELECT count(*) FROM origin")
            return int(transaction._cursor.fetchone()[0])

    first = claim(store, 1, Origin("10.0.0.1", "firefox"))
    claim(store, 2, Origin("10.0.0.2", "firefox-2"))
    assert kept() == 2
    finish(store, first)
    store.expire(now=NOW)
    assert kept() == 1
    store.expire(now=NOW + timedelta(days=1, seconds=1))
    assert kept() == 0
