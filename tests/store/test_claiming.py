"""Claims: who is given a batch, who keeps one and who is turned away."""

from __future__ import annotations

from dataclasses import replace

import pytest
from promises import broken
from walking import (
    LATE,
    LEASE,
    MINUTE,
    NOW,
    begin,
    come,
    complete,
    finish,
    in_hand,
    page,
    person,
)

from rejudge.collect.visit import EXIT, Visit
from rejudge.errors import ElsewhereOpen
from rejudge.store.records import PageAnswers


def test_whoever_declined_gets_no_batch_and_leaves_no_answer(store):
    visit = store.arrive(person(1), now=NOW)
    declined = store.consent(visit, agreed=False, version="v", now=NOW)
    assert declined.declined_at == NOW
    assert store.claim(declined, now=NOW).assignments == ()
    said = PageAnswers(visit.id, None, EXIT, 1, {"@comment": "hm"}, "k", NOW)
    assert store.record(said, now=NOW).outcome == "closed"


def test_whoever_has_left_gets_no_further_batch(open_one):
    store = open_one(1, 1, cap=2)
    done = complete(store, 1)
    left = store.pass_step(store.visit(done.visit), "exit", now=NOW)
    assert not store.has_next_batch(left, now=NOW)
    assert store.claim(left, now=NOW) == left


def test_a_pause_hands_out_nothing_but_lets_people_finish(store):
    mine = begin(store, 1)
    store.set_state("paused", who="me", reason="lunch", now=NOW)
    assert (store.state, store.is_open) == ("paused", False)
    other = come(store, 2)
    assert not store.has_next_batch(other, now=NOW)
    assert store.claim(other, now=NOW).assignments == ()
    assert finish(store, mine).status == "submitted"
    store.set_state("open", who="me", now=NOW)
    assert in_hand(store.claim(other, now=NOW))


def test_whether_there_is_a_next_batch_is_told_without_writing(open_one):
    store = open_one(1)
    first, other = come(store, 1), come(store, 2)
    assert store.has_next_batch(first, now=NOW)
    store.claim(first, now=NOW)
    events = store.events()
    assert store.has_next_batch(first, now=NOW)
    assert not store.has_next_batch(other, now=NOW)
    assert store.has_next_batch(other, now=NOW + LEASE)  # lapsed by then
    assert store.events() == events


def test_somebody_who_meets_a_full_study_is_turned_away_kindly_and_may_try_again(open_one):
    """They met a page of errors; here they get a visit that says so, and its own code."""
    store = open_one(1)
    mine = begin(store, 1)
    other = come(store, 2)
    assert store.claim(other, now=NOW).is_turned_away
    assert store.codes.full not in {store.codes.completed, store.codes.declined, None}
    store.change(mine.id, "return", who="Prolific", reason="returned", now=NOW)
    again = store.claim(other, now=NOW)
    assert not again.is_turned_away
    assert in_hand(again).batch == "b1"


def test_reopening_after_finishing_gives_no_new_batch_and_the_same_code(store):
    """Only unfinished rows were looked for, so that a finished person got a new batch."""
    done = complete(store, 1)
    visit = store.pass_step(store.visit(done.visit), "exit", now=NOW)
    code = store.codes.completed
    again = store.arrive(person(1), now=NOW + MINUTE)
    assert again == visit
    assert again.left_at is not None
    assert [each.id for each in store.claim(again, now=NOW + MINUTE).assignments] == [done.id]
    assert store.codes.completed == code


def test_whoever_timed_out_and_comes_back_goes_on_where_they_were_if_the_place_is_free(open_one):
    store = open_one(1)
    mine = begin(store, 1)
    store.record(page(mine, "b1-1", "a"), now=NOW)
    store.expire(now=LATE)
    back = in_hand(store.claim(store.arrive(person(1), now=LATE), now=LATE))
    assert (back.id, back.status) == (mine.id, "held")
    assert broken(store) == []


def test_the_same_person_never_gets_a_batch_twice_however_many_sessions(open_one):
    store = open_one(3, cap=3)
    complete(store, 1)
    again = store.claim(come(store, 1, session=2), now=NOW)
    assert again.is_turned_away
    assert again.participant == "p0001"
    assert broken(store) == []


def test_the_batch_nearest_to_completion_goes_first(open_one):
    store = open_one(2, 2)
    mine = begin(store, 1)
    store.change(mine.id, "return", who="me", reason="", now=NOW)
    batches = []
    for number in (2, 3, 4, 5):
        done = complete(store, number)
        batches.append(done.batch)
    assert batches == ["b1", "b1", "b2", "b2"]


def test_a_returned_place_is_given_again(open_one):
    """Replacements met “no tasks” because a returned batch never freed its place."""
    store = open_one(1)
    mine = begin(store, 1)
    store.change(mine.id, "return", who="Prolific", reason="returned", now=NOW)
    assert begin(store, 2).batch == mine.batch
    assert broken(store) == []


def test_a_lapsed_place_is_free_for_the_next_arrival_without_waiting_for_a_sweep(open_one):
    """The sweep ran only as often as the longest lease."""
    store = open_one(1)
    mine = begin(store, 1)
    other = begin(store, 2, now=LATE)
    assert other.batch == mine.batch
    assert store.assignment(mine.id).status == "expired"


def test_the_same_person_in_a_second_session_does_not_get_a_second_batch_in_hand(open_one):
    """A rater did three lists twice."""
    store = open_one(1, 1, cap=2)
    begin(store, 1)
    with pytest.raises(ElsewhereOpen):
        store.arrive(person(1, session=2), now=NOW)


def test_a_link_that_names_a_batch_gives_that_one_or_nothing(open_one):
    store = open_one(1, 1)

    def come_to(number: int, batch: str) -> Visit:
        visit = store.arrive(replace(person(number), batch=batch), now=NOW)
        visit = store.consent(visit, agreed=True, version=store.consent_version, now=NOW)
        return store.claim(visit, now=NOW)

    assert in_hand(come_to(1, "b2")).batch == "b2"
    assert come_to(2, "b2").is_turned_away
    assert come_to(3, "elsewhere").is_turned_away
    assert in_hand(come_to(4, "b1")).batch == "b1"
    assert broken(store) == []
