"""After calibration nobody goes on before an owner opens the rest, on both databases."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from promises import broken
from walking import NOW, begin, come, complete, finish, opened

from rejudge.errors import DataError
from rejudge.store.store import Store


def gated(database: str, *places: int, **parts: Any) -> Store:
    wanted = {"calibration": True, "failed_checks": None, "hold_after_calibration": True}
    return opened(database, *places, **(wanted | parts))


def again(store: Store, number: int, *, now=NOW):
    return store.claim(come(store, number, now=now), now=now)


def test_whoever_is_through_with_calibration_waits(database):
    store = gated(database, 2, 2)
    assert complete(store, 1).batch == "calibration"
    visit = again(store, 1)
    assert visit.current is None
    assert not visit.is_turned_away
    assert store.is_waiting(visit)
    assert not store.has_next_batch(visit, now=NOW)
    assert [person.step for person in store.people(now=NOW)] == ["waiting"]
    assert store.progress(now=NOW).finished_people == 0
    assert "turned-away" not in {event.what for event in store.events()}
    store.close()


def test_somebody_in_calibration_does_not_wait(database):
    store = gated(database)
    held = begin(store, 1)
    assert not store.is_waiting(store.visit(held.visit))
    store.close()


def test_an_opened_rest_lets_everybody_on_and_is_on_record(database):
    store = gated(database, 1, 1)
    for number in (1, 2):
        complete(store, number)
    later = NOW + timedelta(hours=3)
    gate = store.set_gate(is_open=True, who="owner 1", now=later, reason="α is 0.8")
    assert (gate.is_open, gate.at, gate.who, gate.reason) == (True, later, "owner 1", "α is 0.8")
    assert {again(store, n, now=later).current.batch for n in (1, 2)} == {"b1", "b2"}
    line = store.log()[-1]
    assert (line.at, line.who, line.what) == (later, "owner 1", "calibration: rest opened")
    assert broken(store) == []
    store.close()


def test_the_decision_survives_a_restart_and_a_backup(database, tmp_path):
    store = gated(database)
    assert not store.gate().is_open
    store.set_gate(is_open=True, who="owner 1", now=NOW)
    copy = store.backup(tmp_path / "copy.db")
    store.close()
    for where in (database, str(copy)):
        once_more = gated(where)
        assert once_more.gate().is_open
        once_more.close()


def test_deciding_twice_is_deciding_once(database):
    store = gated(database)
    store.set_gate(is_open=True, who="owner 1", now=NOW)
    store.set_gate(is_open=True, who="owner 2", now=NOW + timedelta(minutes=1))
    assert [line.who for line in store.log() if line.what.startswith("calibration")] == ["owner 1"]
    store.close()


def test_the_rest_can_be_held_back_again_and_work_in_hand_goes_on(database):
    store = gated(database, 2, 2)
    complete(store, 1)
    complete(store, 2)
    store.set_gate(is_open=True, who="owner 1", now=NOW)
    own = again(store, 1).current
    store.set_gate(is_open=False, who="owner 1", now=NOW)
    assert finish(store, own).status == "submitted"
    assert again(store, 2).current is None
    store.close()


def test_places_are_kept_for_those_who_wait(database):
    store = gated(database, 1)
    complete(store, 1)
    turned = store.claim(come(store, 2), now=NOW)
    assert turned.is_turned_away
    store.set_gate(is_open=True, who="owner 1", now=NOW)
    assert again(store, 1).current.batch == "b1"
    store.close()


def test_whoever_does_not_want_to_wait_makes_way_for_somebody_else(database):
    store = gated(database, 1)
    work = complete(store, 1)
    store.pass_step(store.visit(work.visit), "exit", now=NOW)
    assert [person.step for person in store.people(now=NOW)] == ["thanks"]
    assert begin(store, 2).batch == "calibration"
    store.close()


@pytest.mark.parametrize(
    "parts", [{"hold_after_calibration": False}, {"calibration": False}], ids=["off", "no items"]
)
def test_other_studies_have_no_gate(database, parts):
    store = gated(database, 1, 1, **parts)
    assert store.gate() is None
    complete(store, 1)
    assert not store.is_waiting(come(store, 1))
    with pytest.raises(DataError, match="hold_after_calibration"):
        store.set_gate(is_open=True, who="me", now=NOW)
    store.close()
