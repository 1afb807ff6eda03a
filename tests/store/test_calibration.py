"""Whoever is let into calibration and stays in time finds a batch afterwards."""

from __future__ import annotations

import shutil
import tempfile
from datetime import datetime, timedelta
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from promises import broken
from walking import NOW, begin, come, complete, finish, opened, plan_of, study_of

from property_settings import examples
from rejudge.store.store import Store, open_store

PEOPLE = st.integers(1, 5)
STEP = st.one_of(
    st.tuples(st.sampled_from(["come", "finish", "return", "exclude"]), PEOPLE),
    st.tuples(st.just("wait"), st.sampled_from([1, 16, 31])),
)


@settings(max_examples=examples(30))
@given(
    steps=st.lists(STEP, min_size=4, max_size=25),
    places=st.lists(st.integers(1, 2), min_size=1, max_size=2),
    cap=st.integers(1, 2),
)
def test_nobody_who_keeps_calibration_in_hand_finds_nothing_afterwards(
    tables_on_sqlite, steps, places, cap
):
    study = study_of(failed_checks=None)
    plan = plan_of(study, *places, cap=cap, calibration=True)
    with tempfile.TemporaryDirectory() as folder:
        file = str(shutil.copyfile(tables_on_sqlite, Path(folder) / "study.db"))
        store = open_store(file, study, plan, now=NOW, is_rehearsal=True)
        now = NOW
        for what, which in steps:
            now = _done(store, what, which, now=now)
        assert broken(store) == []
        store.close()


def _done(store: Store, what: str, which: int, *, now: datetime) -> datetime:
    if what == "wait":
        return now + timedelta(minutes=which)
    store.expire(now=now)
    visit = store.claim(come(store, which, now=now), now=now)
    held = visit.current
    if held is None or what == "come" or held.status == "returned":
        return now
    if what in {"return", "exclude"}:
        store.change(held.id, what, who="me", reason="", now=now)
        return now
    finish(store, held, now=now)
    after = store.claim(store.visit(visit.id), now=now)
    was_kept = held.batch == "calibration" and held.status == "held"
    has_own = any(each.batch != "calibration" for each in visit.assignments)
    assert not was_kept or has_own or after.current is not None
    return now


def test_a_new_place_in_another_batch_frees_one_that_was_kept_for_somebody_else(database):
    """Two in calibration keep both places, so late work finds none until there is a third."""
    store = opened(database, 1, 1, calibration=True, failed_checks=None)
    calibrated, late = complete(store, 1), begin(store, 1)
    store.change(calibrated.id, "exclude", who="me", reason="", now=NOW)
    complete(store, 2)
    afterwards = NOW + timedelta(minutes=31)
    store.expire(now=afterwards)
    assert begin(store, 3, now=afterwards).batch == "calibration"
    assert finish(store, late, now=afterwards).status == "surplus"
    other = "b2" if late.batch == "b1" else "b1"
    store.add_place(other, who="me", reason="", now=afterwards)
    assert store.assignment(late.id).status == "submitted"
    store.close()
