"""Whole visits and several studies in one store."""

from __future__ import annotations

from promises import broken
from walking import (
    LEASE,
    MINUTE,
    NOW,
    begin,
    come,
    complete,
    counts,
    in_hand,
    page,
    person,
)


def test_several_studies_live_in_one_database_apart(open_one):
    one, two = open_one(1, name="one"), open_one(1, name="two")
    complete(one, 1)
    mine = begin(two, 1)
    assert (counts(one), counts(two)) == ({"b1": (1, 1, 0)}, {"b1": (1, 0, 1)})
    assert one.assignment(mine.id) is None
    assert one.visit(mine.visit) is None
    assert [each.participant for each in two.people(now=NOW)] == ["p0001"]


LATE = NOW + LEASE + MINUTE


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
