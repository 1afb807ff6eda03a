"""Named participants do exactly the batches on their lists, in their order, on both databases."""

from __future__ import annotations

from dataclasses import replace

import pytest
from promises import broken
from walking import LEASE, MINUTE, NOW, finish, in_hand, plan_of, study_of

from rejudge.collect.visit import Arrival
from rejudge.store.store import Store, open_store

LISTS = {"r1": ("b3", "b1"), "r2": ("b1", "b2", "b3", "b4")}


def listed(database: str, *, calibration: bool = False) -> Store:
    study = study_of(failed_checks=None)
    plan = plan_of(study, 2, 1, 2, 1, cap=4, calibration=calibration)
    return open_store(database, study, replace(plan, lists=LISTS), now=NOW)


def come(store: Store, name: str, *, now=NOW):
    visit = store.arrive(Arrival("link", name, name), now=now)
    visit = store.consent(visit, agreed=True, version=store.consent_version, now=now)
    return store.claim(store.pass_step(visit, "instructions", now=now), now=now)


def work_through(store: Store, name: str) -> list[str]:
    done = []
    visit = come(store, name)
    while visit.current is not None:
        done.append(visit.current.batch)
        finish(store, visit.current)
        visit = store.claim(store.visit(visit.id), now=NOW)
    return done


@pytest.mark.parametrize("first", ["r1", "r2"])
def test_everybody_does_their_own_list_whoever_comes_first(database, first):
    store = listed(database)
    names = [first, *(name for name in LISTS if name != first)]
    assert {name: tuple(work_through(store, name)) for name in names} == LISTS
    assert all(each.done == each.places for each in store.occupancies())
    assert broken(store) == []
    store.close()


def test_shared_items_come_before_the_list(database):
    store = listed(database, calibration=True)
    assert work_through(store, "r1") == ["calibration", "b3", "b1"]
    store.close()


def test_somebody_without_a_list_gets_nothing(database):
    store = listed(database)
    visit = come(store, "r9")
    assert visit.current is None
    assert visit.is_turned_away
    assert not store.has_next_batch(visit, now=NOW)
    store.close()


def test_a_list_waits_for_whoever_comes_late(database):
    store = listed(database)
    held = in_hand(come(store, "r1"))
    late = NOW + LEASE + MINUTE
    store.expire(now=late)
    assert work_through(store, "r2") == list(LISTS["r2"])
    again = in_hand(come(store, "r1", now=late))
    assert (again.id, again.status) == (held.id, "held")
    assert store.has_next_batch(store.visit(again.visit), now=late)
    store.close()


def test_lists_survive_a_restart(database):
    store = listed(database)
    finish(store, in_hand(come(store, "r1")))
    store.close()
    again = listed(database)
    assert work_through(again, "r1") == ["b1"]
    again.close()
