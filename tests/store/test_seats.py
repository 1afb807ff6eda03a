"""Every event in every state, as the store does it."""

from __future__ import annotations

import pytest
from promises import broken
from walking import (
    LATE,
    LEASE,
    MINUTE,
    NOW,
    answer,
    begin,
    come,
    complete,
    counts,
    finish,
    in_hand,
)

from rejudge.collect.assignment import Event, Status
from rejudge.errors import DataError
from rejudge.store.store import Store


def bring(store: Store, status: Status):
    """An assignment of the first batch, which has one place, in this state."""
    if status == "surplus":
        late = begin(store, "late")
        store.expire(now=LATE)
        complete(store, "other", now=LATE)
        return finish(store, late, now=LATE)
    mine = begin(store, "mine")
    if status == "expired":
        store.expire(now=LATE)
    elif status in {"submitted", "accepted", "excluded"}:
        finish(store, mine)
    if status == "excluded":
        store.change(mine.id, "exclude", who="me", reason="", now=NOW)
    elif status == "accepted":
        store.change(mine.id, "accept", who="me", reason="", now=NOW)
    elif status == "returned":
        store.change(mine.id, "return", who="me", reason="", now=NOW)
    return store.assignment(mine.id)


ALLOWED: list[tuple[Status, Event, Status]] = [
    ("held", "expire", "expired"),
    ("held", "exclude", "excluded"),
    ("held", "return", "returned"),
    ("submitted", "accept", "accepted"),
    ("submitted", "exclude", "excluded"),
    ("submitted", "return", "returned"),
    ("accepted", "accept", "accepted"),
    ("accepted", "exclude", "excluded"),
    ("accepted", "return", "returned"),
    ("excluded", "accept", "accepted"),
    ("excluded", "exclude", "excluded"),
    ("excluded", "return", "returned"),
    ("expired", "exclude", "excluded"),
    ("expired", "return", "returned"),
    ("surplus", "accept", "surplus"),  # no place is free
    ("surplus", "exclude", "excluded"),
    ("surplus", "return", "returned"),
    ("returned", "return", "returned"),
]
REFUSED: list[tuple[Status, Event]] = [
    ("held", "accept"),
    ("expired", "accept"),
    ("expired", "expire"),
    ("submitted", "expire"),
    ("accepted", "expire"),
    ("excluded", "expire"),
    ("surplus", "expire"),
    ("returned", "accept"),
    ("returned", "exclude"),
    ("returned", "expire"),
    ("submitted", "withdraw"),  # that is done to a person, not to a batch
    ("submitted", "fill"),
    ("submitted", "fail"),
]


@pytest.mark.parametrize(("before", "event", "after"), ALLOWED)
def test_a_decision_leads_where_the_state_machine_says(open_one, before, event, after):
    store = open_one(1, 1)
    mine = bring(store, before)
    assert mine.status == before
    changed = store.change(mine.id, event, who="me", reason="because", now=LATE)
    assert changed.status == after
    assert store.assignment(mine.id) == changed
    assert broken(store) == []


@pytest.mark.parametrize(("before", "event"), REFUSED)
def test_a_decision_that_cannot_be_is_refused_and_changes_nothing(open_one, before, event):
    store = open_one(1, 1)
    mine = bring(store, before)
    log = store.log()
    with pytest.raises(DataError):
        store.change(mine.id, event, who="me", reason="", now=LATE)
    assert store.assignment(mine.id) == mine
    assert store.log() == log


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("held", "submitted"),
        ("expired", "submitted"),  # the place was still free
        ("returned", "surplus"),
        ("submitted", "submitted"),
        ("accepted", "accepted"),
        ("excluded", "excluded"),
        ("surplus", "surplus"),
    ],
)
def test_handing_in_leads_where_the_state_machine_says(open_one, before, after):
    store = open_one(1, 1)
    mine = bring(store, before)
    answer(store, mine, now=LATE)
    assert store.submit(mine, now=LATE).status == after
    assert broken(store) == []


def test_an_unknown_assignment_cannot_be_changed(store):
    with pytest.raises(DataError, match="no assignment 4711"):
        store.change(4711, "accept", who="me", reason="", now=NOW)


def test_work_that_was_excluded_is_surplus_when_its_place_is_taken_and_it_is_accepted_again(
    open_one,
):
    store = open_one(1)
    first = complete(store, 1)
    store.change(first.id, "exclude", who="me", reason="odd", now=NOW)
    complete(store, 2)
    assert store.change(first.id, "accept", who="me", reason="fine", now=NOW).status == "surplus"
    assert counts(store) == {"b1": (1, 1, 0)}


def test_a_surplus_takes_a_place_as_soon_as_one_is_free_the_earliest_first(open_one):
    store = open_one(1)
    late = [begin(store, 1)]
    for number in (2, 3):
        store.expire(now=NOW + number * LEASE)
        late.append(begin(store, number, now=NOW + number * LEASE))
    done = finish(store, late.pop(), now=LATE + 3 * LEASE)
    second = finish(store, late.pop(), now=LATE + 3 * LEASE)
    first = finish(store, late.pop(), now=LATE + 4 * LEASE)
    assert (second.status, first.status) == ("surplus", "surplus")
    store.change(done.id, "exclude", who="me", reason="odd", now=LATE)
    assert store.assignment(second.id).status == "submitted"
    assert store.assignment(first.id).status == "surplus"
    assert broken(store) == []


def test_a_new_place_is_given_to_a_surplus_before_a_newcomer(open_one):
    store = open_one(1)
    surplus = bring(store, "surplus")
    occupancy = store.add_place("b1", who="me", reason="more", now=LATE)
    assert (occupancy.places, occupancy.done) == (2, 2)
    assert store.assignment(surplus.id).status == "submitted"


def test_work_handed_in_after_it_was_returned_takes_no_place_by_itself(open_one):
    store = open_one(1)
    mine = bring(store, "returned")
    assert finish(store, mine, now=LATE).status == "surplus"
    store.add_place("b1", who="me", reason="more", now=LATE)
    assert store.assignment(mine.id).status == "surplus"
    assert store.change(mine.id, "accept", who="me", reason="good", now=LATE).status == "accepted"


def test_a_surplus_that_only_its_persons_share_held_back_takes_its_place_when_that_is_free(
    open_one,
):
    """Somebody lapses, does another batch in a new session, and then finishes the first too."""
    store = open_one(1, 1)
    first = begin(store, 1)
    second = in_hand(store.claim(come(store, 1, session=2, now=LATE), now=LATE))
    finish(store, second, now=LATE)
    assert finish(store, first, now=LATE).status == "surplus"  # one batch is all they may do
    store.change(second.id, "exclude", who="me", reason="odd", now=LATE)
    assert store.assignment(first.id).status == "submitted"
    assert broken(store) == []


def test_calibration_comes_first_for_as_many_as_find_a_place_afterwards(open_one):
    store = open_one(1, 1, calibration=True)
    for number in (1, 2):
        mine = begin(store, number)
        assert mine.batch == "calibration"
        finish(store, mine)
    third = store.claim(come(store, 3), now=NOW)
    assert (third.current, third.is_turned_away) == (None, True)
    batches = [in_hand(store.claim(store.visit(number), now=NOW)).batch for number in (1, 2)]
    assert batches == ["b1", "b2"]
    assert broken(store) == []


def test_who_returns_or_leaves_calibration_keeps_no_place(open_one):
    store = open_one(1, calibration=True)
    mine = begin(store, 1)
    assert store.claim(come(store, 2), now=NOW).current is None
    store.change(mine.id, "return", who="me", reason="", now=NOW)
    second = in_hand(store.claim(store.visit(2), now=NOW))
    assert second.batch == "calibration"
    late = NOW + 16 * MINUTE  # the second has not begun
    third = in_hand(store.claim(come(store, 3, now=late), now=late))
    assert third.batch == "calibration"
    back = store.claim(store.visit(2), now=late)
    assert (back.current.status, back.current.batch) == ("expired", "calibration")
    assert broken(store) == []


def test_the_121st_annotation_is_surplus_and_never_silently_counted(open_one):
    """The platform had given a place again, and the first person finished after all."""
    store = open_one(1)
    first = begin(store, 1)
    store.change(first.id, "return", who="Prolific", reason="returned", now=NOW)
    complete(store, 2)
    assert finish(store, first).status == "surplus"
    assert counts(store) == {"b1": (1, 1, 0)}
    assert store.states() == {("p0001", "b1"): "surplus", ("p0002", "b1"): "submitted"}
    assert len(list(store.all_answers(statuses=["submitted"]))) == 3  # three tasks, one person
