"""Stages and looks in the database, on SQLite and PostgreSQL."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from datetime import timedelta

import pytest
from walking import NOW, begin, come, complete, page

from rejudge.collect.looks import Look
from rejudge.errors import DataError
from rejudge.store.analysis_input import make_due_look, make_last_look
from rejudge.store.store import open_existing, open_store, restore
from rejudge.study.sample_size import Stop

RULE = {"looks": 2, "question": "meaning"}


@pytest.fixture
def staged(open_one, database):
    """Two batches with two places each, of which one batch is open before the first look."""
    plain = open_one(2, 2)
    store = open_store(database, with_rule(plain.study), plain.plan, now=NOW)
    yield store
    store.close()


def with_rule(study, boundary="obrien-fleming"):
    systems = study.system_ids[:2]
    question = study.spec.questions[0].id
    stop = Stop(**{**RULE, "question": question, "systems": systems, "boundary": boundary})
    return replace(study, spec=study.spec.model_copy(update={"stop": stop}))


def made(store, decision="go on", number=1):
    return Look(
        number=number, looks=2, at=NOW, who="ada", decision=decision, boundary="obrien-fleming",
        question="meaning", systems=store.study.system_ids[:2], places=2, planned_places=4,
        fraction=0.5, level=0.005, alpha=0.05, judgments="f",
    )  # fmt: skip


def places(store):
    return sorted(each.places for each in store.occupancies())


def test_only_the_first_stage_is_open(staged):
    assert places(staged) == [0, 2]
    state = staged.look_state()
    assert (state.number, state.is_due, state.open, state.planned) == (1, False, 2, 4)
    begin(staged, 1), begin(staged, 2)
    assert staged.claim(come(staged, 3), now=NOW).is_turned_away


def test_a_look_is_due_when_everybody_has_finished(staged):
    complete(staged, 1)
    second = begin(staged, 2)
    assert not staged.look_state().is_due
    staged.change(second.id, "return", who="x", reason="", now=NOW)
    assert not staged.look_state().is_due
    complete(staged, 3)
    assert staged.look_state().is_due


def test_work_that_expires_is_replaced_before_the_look(staged):
    complete(staged, 1)
    begin(staged, 2)
    later = NOW + timedelta(days=1)
    staged.expire(now=later)
    assert not staged.look_state().is_due
    complete(staged, 3, now=later)
    assert staged.look_state().is_due


def test_going_on_opens_the_next_stage_once(staged):
    complete(staged, 1), complete(staged, 2)
    log = staged.record_look(made(staged), now=NOW)
    assert (len(log.looks), log.is_over, places(staged)) == (1, False, [2, 2])
    with pytest.raises(DataError, match="look 1 has already been made"):
        staged.record_look(made(staged), now=NOW)
    assert places(staged) == [2, 2]
    assert not staged.claim(come(staged, 3), now=NOW).is_turned_away
    assert [entry.what for entry in staged.log()][-1] == "look 1 of 2: go on"
    assert staged.look_log().looks[0] == made(staged)


def test_after_a_stop_nobody_gets_a_batch(staged):
    complete(staged, 1), complete(staged, 2)
    staged.record_look(made(staged, "stop"), now=NOW)
    assert places(staged) == [0, 2]
    staged.withdraw(staged.assignments()[0].participant, who="x", now=NOW)  # a place is free again
    visit = staged.claim(come(staged, 3), now=NOW)
    assert visit.is_turned_away
    assert not staged.has_next_batch(visit, now=NOW)
    assert staged.look_state().is_over
    assert make_due_look(staged, who="x", now=NOW) is None
    with pytest.raises(DataError, match="ended at look 1 of 2"):
        make_last_look(staged, who="x", now=NOW)


def test_a_batch_whose_questions_were_all_skipped_does_not_hold_up_the_look(open_one, database):
    plain = open_one(2, 2)
    (question,) = plain.study.spec.questions
    optional = question.model_copy(update={"required": False})
    spec = plain.study.spec.model_copy(update={"questions": (optional,)})
    study = with_rule(replace(plain.study, spec=spec))
    with closing(open_store(database, study, plain.plan, now=NOW)) as store:
        complete(store, 1)
        skipping = begin(store, 2)
        store.record(page(skipping, f"{skipping.batch}-3", "a"), now=NOW)  # the check, rightly
        store.submit(skipping, now=NOW)
        assert store.look_state().is_due
        assert make_due_look(store, who="x", now=NOW) is not None


def test_a_place_added_by_hand_belongs_to_the_stage(staged):
    complete(staged, 1), complete(staged, 2)
    batch = next(each.batch for each in staged.occupancies() if each.places)
    staged.add_place(batch, who="x", reason="one more", now=NOW)
    assert not staged.look_state().is_due
    complete(staged, 3)
    assert staged.look_state().is_due


def test_the_rule_cannot_change_once_people_have_begun(staged, database):
    begin(staged, 1)
    other = with_rule(staged.study, boundary="pocock")
    for study in (
        other,
        replace(staged.study, spec=staged.study.spec.model_copy(update={"stop": None})),
    ):
        with pytest.raises(DataError, match="different stopping rule"):
            open_store(database, study, staged.plan, now=NOW)
        with pytest.raises(DataError, match="different stopping rule"):
            open_existing(database, study, staged.plan)


def test_before_that_it_can(staged, database):
    plain = replace(staged.study, spec=staged.study.spec.model_copy(update={"stop": None}))
    again = open_store(database, plain, staged.plan, now=NOW)
    assert places(again) == [2, 2]
    assert again.look_state() is None
    again.close()


def test_analyses_in_between_are_kept(staged):
    complete(staged, 1)
    staged.note_peek(who="ada", now=NOW)
    (peek,) = staged.look_log().peeks
    assert (peek.who, peek.at, peek.places, peek.planned_places) == ("ada", NOW, 1, 4)


def test_looks_travel_in_a_backup(staged, tmp_path):
    complete(staged, 1), complete(staged, 2)
    staged.record_look(made(staged), now=NOW)
    staged.backup(tmp_path / "copy.db")
    restore(tmp_path / "copy.db", str(tmp_path / "other.db"))
    other = open_existing(str(tmp_path / "other.db"), staged.study, staged.plan)
    assert other.look_log() == staged.look_log()
    assert places(other) == [2, 2]
    other.close()


def test_a_study_without_looks_has_none(store):
    assert store.look_state() is None
    assert store.look_log().looks == ()
    assert make_due_look(store, who="x", now=NOW) is None
    with pytest.raises(DataError, match="plans no looks"):
        make_last_look(store, who="x", now=NOW)
