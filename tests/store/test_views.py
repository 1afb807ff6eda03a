"""What researchers see: people, progress, times and the log."""

from __future__ import annotations

from dataclasses import replace

import pytest
from walking import (
    MINUTE,
    NOW,
    begin,
    complete,
    finish,
    page,
    person,
)

from rejudge.store.records import PageAnswers

SECOND = MINUTE / 60


def test_people_are_told_with_their_place_and_time(store):
    mine = begin(store, 1)
    store.record(page(mine, "b1-1", "a"), now=NOW + MINUTE)
    store.arrive(person(2), now=NOW)
    first, second = store.people(now=NOW + 2 * MINUTE)
    assert (first.participant, first.step, first.batch) == ("p0001", "task", "b1")
    assert (first.answered, first.tasks, first.wall_minutes) == (1, 3, 1.0)
    assert first.active_minutes == pytest.approx(4 / 60)
    assert first.statuses == {"b1": "held"}
    assert first.is_now
    assert (second.step, second.batch, second.answered) == ("consent", None, 0)
    assert not store.people(now=NOW + 60 * MINUTE)[0].is_now


def test_what_others_do_with_somebodys_work_is_no_sign_of_life_of_theirs(open_one):
    store = open_one(2)
    mine, slow = begin(store, 1), begin(store, 2)
    finish(store, mine, now=NOW + 6 * MINUTE)
    tomorrow = NOW + 1440 * MINUTE
    store.expire(now=tomorrow)
    store.change(mine.id, "exclude", who="me", reason="a slip", now=tomorrow)
    store.change(mine.id, "accept", who="me", reason="no slip", now=tomorrow)
    first, second = store.people(now=tomorrow)
    assert (first.last_seen_at, first.wall_minutes) == (NOW + 6 * MINUTE, 6.0)
    assert (second.participant, second.wall_minutes, second.is_now) == (slow.participant, 0, False)


def test_the_time_between_two_sessions_is_nobodys_work(open_one):
    store = open_one(2)
    mine = begin(store, 1)
    finish(store, mine, now=NOW + 6 * MINUTE)
    later = NOW + 1440 * MINUTE
    store.arrive(replace(person(1), session="another"), now=later)
    [told] = store.people(now=later)
    assert (told.last_seen_at, told.wall_minutes) == (later, 6.0)
    assert "second-session" in told.flags


def test_time_on_a_page_grows_while_it_is_open_and_adds_up_over_showings(store):
    """Shown once, saved after 5 and 9 s; shown again for 3 s: 9 + 3 = 12."""
    mine = begin(store, 1)
    for shown, seconds in ((NOW, 5.0), (NOW, 9.0), (NOW + MINUTE, 3.0)):
        said = PageAnswers(
            mine.visit, mine.id, "b1-1", 1, {"meaning": "a"}, f"{seconds}", shown, seconds, 1, 2
        )
        store.record(said, now=shown + seconds * SECOND)
    [given] = store.all_answers()
    assert given.seconds == 12.0
    [told] = store.people(now=NOW)
    assert (told.active_minutes, told.changes, told.blurs) == (12 / 60, 2, 4)


@pytest.mark.parametrize(
    ("told", "passed", "seconds"),
    [
        (None, 7.0, 7.0),  # no script: our own clock
        (None, 4000.0, 300.0),  # a pause is cut
        (5.0, 7.0, 5.0),  # the rest was a pause
        (30.0, 0.2, 0.2),  # a script that claims to have read
    ],
)
def test_nobody_is_longer_on_a_page_than_our_own_clock_says(open_one, told, passed, seconds):
    store = open_one(2)
    mine = begin(store, 1)
    page = PageAnswers(mine.visit, mine.id, "b1-1", 1, {"meaning": "a"}, "k", NOW, told)
    store.record(page, now=NOW + passed * SECOND)
    [given] = store.all_answers()
    assert given.seconds == pytest.approx(seconds)


def test_tasks_on_one_page_share_its_time(open_one):
    """As with a list and without a script: both were shown at once and came after 8 seconds."""
    store = open_one(2)
    mine = begin(store, 1)
    for task in (1, 2):
        page = PageAnswers(
            mine.visit, mine.id, f"b1-{task}", task, {"meaning": "a"}, f"k{task}", NOW, None
        )
        store.record(page, now=NOW + 8 * SECOND)
    assert [given.seconds for given in store.all_answers()] == [4.0, 4.0]


def test_progress_adds_up(open_one):
    store = open_one(2, 1)
    complete(store, 1)
    complete(store, 2, right=False)
    begin(store, 3)
    store.arrive(person(4), now=NOW)
    store.withdraw("p0004", who="me", now=NOW)
    told = store.progress(now=NOW)
    assert (told.batches, told.places, told.done, told.held) == (2, 3, 1, 1)
    assert told.assignments == {"submitted": 1, "excluded": 1, "held": 1}
    assert (told.participants, told.withdrawn) == (3, 1)
    assert told.share == pytest.approx(1 / 3)
    assert told.last_submission_at == NOW


def test_paces_tell_how_long_finished_work_took(store):
    mine = begin(store, 1)
    finish(store, mine, now=NOW + 6 * MINUTE)
    [pace] = store.paces()
    assert (pace.participant, pace.batch, pace.wall_minutes) == ("p0001", "b1", 6.0)
    assert pace.active_minutes == pytest.approx(3 * 4 / 60)  # three pages of 4 s


def test_what_happened_is_told_in_order(store):
    done = complete(store, 1)
    store.change(done.id, "accept", who="Ada", reason="good", now=NOW)
    assert [each.what for each in store.events()] == [
        "arrived", "consented", "instructed", "claimed", "submitted", "accepted",
    ]  # fmt: skip
    [entry] = store.log()
    assert (entry.who, entry.what, entry.participant, entry.reason) == (
        "Ada", "accept", "p0001", "good",
    )  # fmt: skip


def test_platform_ids_are_told_only_where_they_are_asked_for(store):
    done = complete(store, 1)
    [who] = store.identities()
    assert (who.participant, who.person) == ("p0001", "person-1")
    assert store.pseudonym_of("person-1") == "p0001"
    assert store.pseudonym_of("person-2") is None
    told = [store, done, store.people(now=NOW), store.events(), store.log(), who]
    assert not any("person-" in f"{each!r}" for each in told)
