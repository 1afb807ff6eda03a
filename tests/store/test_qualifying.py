"""Places during the qualification, on both databases: kept, given up, never given out twice."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from promises import broken
from walking import LEASE, MINUTE, NOW, finish, in_hand, person, plan_of, study_of

from rejudge.collect.panels import PanelKey, Panels
from rejudge.collect.qualification import attempt_order, gold_task_id
from rejudge.collect.submissions import SubmissionReport
from rejudge.collect.visit import Origin, Visit
from rejudge.errors import DataError, ElsewhereOpen, Unfinished
from rejudge.store.records import PageAnswers
from rejudge.store.store import Store, open_store
from rejudge.study.model import Study
from rejudge.study.qualification import Qualification

TASK = {"input": "Gold", "outputs": ["one", "two"], "answers": {"meaning": "a"}}
FIRST = 15 * MINUTE  # how long a place is kept for somebody who does nothing


def study_with_test(**asked: Any) -> Study:
    study = study_of(failed_checks=None)
    stage = Qualification.model_validate({"pass_mark": 2, "tasks": [TASK] * 3, **asked})
    return replace(study, spec=study.spec.model_copy(update={"qualification": stage}))


@pytest.fixture
def stage(database: str) -> Iterator[Callable[..., Store]]:
    """Opens stores of a study with a gold batch of three tasks, two of which must be right."""
    stores: list[Store] = []

    def made(*places: int, cap: int = 1, calibration: bool = False, **asked: Any) -> Store:
        study = study_with_test(**asked)
        plan = plan_of(study, *(places or (2,)), cap=cap, calibration=calibration)
        stores.append(open_store(database, study, plan, now=NOW))
        return stores[-1]

    yield made
    for store in stores:
        store.close()


def agree(store: Store, number: int | str, *, now=NOW, session: int = 1, origin=None) -> Visit:
    visit = store.arrive(person(number, session), now=now)
    visit = store.agree(visit, version=store.consent_version, now=now, origin=origin)
    return store.pass_step(visit, "instructions", now=now)


def attempt(store: Store, visit: Visit, number: int, *, right: int, now=NOW) -> Visit:
    """Answer so many tasks of an attempt rightly, and hand it in."""
    asked = store.study.spec.qualification
    assert asked is not None
    for place, at in enumerate(attempt_order(store.study, asked, number)):
        raw = "a" if place < right else "b"
        task = gold_task_id(number, at)
        key = f"{visit.id}-{number}-{place}"
        page = PageAnswers(visit.id, None, task, place + 1, {"meaning": raw}, key, now)
        store.record(page, now=now)
    return store.finish_attempt(visit, number, now=now)


def passed(store: Store, number: int | str, *, now=NOW) -> Visit:
    return attempt(store, agree(store, number, now=now), 1, right=3, now=now)


def happened(store: Store) -> list[tuple[str, str]]:
    told = {"attempted", "qualified", "not-qualified", "turned-away", "claimed"}
    return [(event.what, event.detail) for event in store.events() if event.what in told]


def test_whoever_passes_gets_a_batch_in_the_same_step(stage):
    store = stage(1)
    visit = passed(store, 1)
    assert (visit.attempts, visit.qualified_at) == (1, NOW)
    assert in_hand(visit).batch == "b1"
    assert happened(store) == [("qualified", "attempt 1: 3 of 3"), ("claimed", "")]
    finish(store, in_hand(visit))
    assert broken(store) == []


def test_exactly_the_pass_mark_is_enough(stage):
    store = stage(2)
    assert attempt(store, agree(store, 1), 1, right=2).qualified_at == NOW
    visit = attempt(store, agree(store, 2), 1, right=1)
    assert (visit.qualified_at, visit.unqualified_at, visit.attempts) == (None, None, 1)


def test_after_the_last_attempt_it_is_over_and_the_place_is_free(stage):
    store = stage(1)
    visit = agree(store, 1)
    assert agree(store, 2).is_turned_away
    visit = attempt(store, visit, 1, right=0)
    assert agree(store, 3).is_turned_away
    visit = attempt(store, visit, 2, right=0)
    assert visit.unqualified_at == NOW
    assert not agree(store, 4).is_turned_away
    assert store.assignments() == ()
    with_batch = store.claim(visit, now=NOW)
    assert (with_batch.assignments, with_batch.is_turned_away) == ((), False)


def test_an_attempt_counts_once_and_in_its_turn(stage):
    store = stage(1)
    visit = attempt(store, agree(store, 1), 1, right=0)
    for number in (1, 3, 0):
        assert store.finish_attempt(visit, number, now=NOW).attempts == 1
    assert len(happened(store)) == 1


def test_an_attempt_needs_every_answer(stage):
    store = stage(1)
    visit = agree(store, 1)
    with pytest.raises(Unfinished, match="task 1"):
        store.finish_attempt(visit, 1, now=NOW)


def test_a_place_is_kept_while_somebody_is_at_it(stage):
    store = stage(1)
    visit = agree(store, 1)
    assert agree(store, 2).is_turned_away
    late = NOW + FIRST - MINUTE
    store.record(
        PageAnswers(visit.id, None, gold_task_id(1, 0), 1, {"meaning": "a"}, "k", NOW), now=late
    )
    assert agree(store, 3, now=NOW + FIRST + MINUTE).is_turned_away
    assert in_hand(attempt(store, visit, 1, right=3, now=late + FIRST - MINUTE)).batch == "b1"


def test_a_place_that_lapsed_goes_to_somebody_else_and_nobody_is_lost(stage):
    store = stage(1)
    visit = agree(store, 1)
    later = NOW + FIRST + MINUTE
    assert in_hand(passed(store, 2, now=later)).batch == "b1"
    visit = attempt(store, visit, 1, right=3, now=later)
    assert (visit.qualified_at, visit.current, visit.is_turned_away) == (later, None, True)
    assert broken(store) == []


def test_somebody_who_lost_a_place_gets_the_next_free_one(stage):
    store = stage(1)
    visit = agree(store, 1)
    later = NOW + FIRST + MINUTE
    taken = in_hand(passed(store, 2, now=later))
    visit = attempt(store, visit, 1, right=3, now=later)
    store.change(taken.id, "return", who="me", reason="", now=later)
    assert in_hand(store.claim(visit, now=later)).batch == "b1"


def test_people_in_the_test_do_not_keep_people_with_batches_from_theirs(stage):
    store = stage(2)
    first = in_hand(passed(store, 1))
    agree(store, 2)
    finish(store, first)
    assert store.assignments()[0].status == "submitted"
    assert in_hand(passed(store, 2)).batch == "b1"


def test_a_further_batch_leaves_the_kept_places_alone(stage):
    store = stage(1, 1, cap=2)
    first = passed(store, 1)
    agree(store, 2)
    finish(store, in_hand(first))
    assert not store.has_next_batch(first, now=NOW)
    assert in_hand(passed(store, 2)).batch in {"b1", "b2"}


def test_calibration_comes_after_the_test(stage):
    store = stage(1, calibration=True)
    visit = passed(store, 1)
    assert in_hand(visit).batch == "calibration"
    finish(store, in_hand(visit))
    assert in_hand(store.claim(visit, now=NOW)).batch == "b1"
    assert broken(store) == []


def test_a_second_session_is_no_third_attempt(stage):
    store = stage(2)
    visit = attempt(store, agree(store, 1), 1, right=0)
    with pytest.raises(ElsewhereOpen):
        store.arrive(person(1, 2), now=NOW)
    later = NOW + FIRST + MINUTE
    again = agree(store, 1, session=2, now=later)
    assert (again.id != visit.id, again.attempts) == (True, 1)
    assert attempt(store, again, 2, right=0, now=later).unqualified_at == later


def test_whoever_passed_before_is_not_tested_again(stage):
    store = stage(2, cap=2)
    finish(store, in_hand(passed(store, 1)))
    again = store.arrive(person(1, 2), now=NOW + LEASE)
    assert again.qualified_at == NOW


def test_a_list_of_people_who_passed_elsewhere(stage):
    store = stage(2)
    key = PanelKey(b"a key that is long enough")
    store.use_panels(Panels(key, qualified=frozenset({key.hash_id("prolific", "person-1")})))
    assert in_hand(agree(store, 1)).batch == "b1"
    assert agree(store, 2).current is None


def test_what_the_platform_gives_back_keeps_no_place(stage):
    store = stage(1)
    agree(store, 1)
    report = SubmissionReport("session-1-1", "returned", NOW)
    store.follow("prolific", [report], now=NOW)
    assert not agree(store, 2).is_turned_away


def test_one_address_keeps_no_more_places_than_its_share(stage):
    store = stage(12)
    for number in range(12):
        agree(store, number, origin=Origin("network", f"browser-{number}"))
    elsewhere = [agree(store, f"x{n}", origin=Origin(f"n{n}", f"b{n}")) for n in range(2)]
    assert [visit.is_turned_away for visit in elsewhere] == [False, False]


def test_a_closed_study_tests_nobody(stage):
    store = stage(1)
    store.set_state("paused", who="me", reason="", now=NOW)
    assert agree(store, 1).is_turned_away


def test_withdrawal_removes_the_answers_of_the_test(stage):
    store = stage(1)
    visit = attempt(store, agree(store, 1), 1, right=0)
    gone = store.withdraw(visit.participant, who="me", now=NOW)
    assert (gone.answers, list(store.answer_rows())) == (3, [])
    assert not agree(store, 2).is_turned_away


def test_attempts_survive_a_backup(stage, tmp_path):
    store = stage(1)
    visit = attempt(store, agree(store, 1), 1, right=0)
    copied = store.backup(tmp_path / "copy.db")
    again = open_store(str(copied), store.study, store.plan, now=NOW)
    kept = again.visit(visit.id)
    assert kept is not None
    assert (kept.attempts, again.codes.not_qualified) == (1, store.codes.not_qualified)
    again.close()


def test_a_visit_that_is_gone_finishes_nothing(stage):
    store = stage(1)
    with pytest.raises(DataError):
        store.finish_attempt(99, 1, now=NOW)


_STEP = st.tuples(
    st.sampled_from(["come", "try", "wait", "finish"]), st.integers(1, 5), st.integers(0, 3)
)


def done(store: Store, what: str, number: int, right: int, *, now: datetime) -> datetime:
    """One step of somebody; gives the time after it."""
    if what == "wait":
        now += timedelta(minutes=9 * right)
        store.expire(now=now)
        return now
    visit = agree(store, number, now=now)
    is_open = visit.qualified_at is None and visit.unqualified_at is None
    if what == "try" and is_open and not visit.is_turned_away:
        attempt(store, visit, visit.attempts + 1, right=right, now=now)
    if what == "finish" and visit.current is not None:
        finish(store, visit.current, now=now)
    return now


@settings(max_examples=20, deadline=None)
@given(steps=st.lists(_STEP, max_size=20), places=st.integers(1, 3))
def test_no_order_of_events_gives_a_place_to_too_many(tables_on_sqlite, steps, places):
    study = study_with_test()
    with tempfile.TemporaryDirectory() as folder:
        file = shutil.copyfile(tables_on_sqlite, str(Path(folder) / "study.db"))
        store = open_store(file, study, plan_of(study, places), now=NOW, is_rehearsal=True)
        now = NOW
        for step in steps:
            now = done(store, *step, now=now)
        assert broken(store) == []
        qualified = {each.participant for each in store.events() if each.what == "qualified"}
        assert {each.participant for each in store.assignments()} <= qualified
        store.close()
