"""What a platform says about submissions, and what it does to places. On both databases."""

from __future__ import annotations

from datetime import timedelta

import pytest
from promises import broken
from walking import MINUTE, NOW, begin, come, complete, counts, finish, person

from rejudge.collect.submissions import SubmissionReport
from rejudge.store.store import open_existing


def said(number, status, *, minutes=1, delivery=None):
    session = person(number).session
    return SubmissionReport(session, status, NOW + minutes * MINUTE, delivery)


def follow(store, *reports: SubmissionReport, minutes=1):
    return store.follow("prolific", reports, now=NOW + minutes * MINUTE)


@pytest.mark.parametrize("status", ["returned", "timed-out", "screened-out", "rejected"])
def test_the_place_of_somebody_who_is_gone_goes_to_the_next(open_one, status):
    store = open_one(1)
    mine = begin(store, 1)
    (followed,) = follow(store, said(1, status))
    assert [each.id for each in followed.changed] == [mine.id]
    assert begin(store, 2).batch == mine.batch
    assert broken(store) == []


@pytest.mark.parametrize("status", ["reserved", "active", "submitted", "approved", "unknown"])
def test_other_words_change_nothing(open_one, status):
    store = open_one(1)
    begin(store, 1)
    (followed,) = follow(store, said(1, status))
    assert (followed.is_news, followed.changed) == (True, ())
    assert counts(store) == {"b1": (1, 0, 1)}


def test_complete_work_that_timed_out_there_is_kept(open_one):
    store = open_one(1)
    complete(store, 1)
    follow(store, said(1, "timed-out"))
    assert store.states() == {("p0001", "b1"): "submitted"}


def test_work_returned_after_handing_in_is_withdrawn_and_replaced(open_one):
    store = open_one(1)
    complete(store, 1)
    follow(store, said(1, "returned"))
    assert store.states() == {("p0001", "b1"): "returned"}
    complete(store, 2)
    assert counts(store) == {"b1": (1, 1, 0)}


def test_a_notification_is_followed_once_however_often_it_is_delivered(open_one):
    store = open_one(1)
    mine = begin(store, 1)
    report = said(1, "timed-out", delivery="event-1")
    assert follow(store, report)[0].changed
    finish(store, mine)
    assert not follow(store, report)[0].is_news
    assert store.states() == {("p0001", "b1"): "submitted"}


def test_an_older_word_that_arrives_late_changes_nothing(open_one):
    store = open_one(1)
    complete(store, 1)
    follow(store, said(1, "approved", minutes=5))
    assert not follow(store, said(1, "returned", minutes=2), minutes=9)[0].is_news
    assert store.states() == {("p0001", "b1"): "submitted"}


def test_a_researchers_decision_is_not_undone_by_the_next_poll(open_one):
    store = open_one(1)
    mine = complete(store, 1)
    follow(store, said(1, "rejected"))
    store.change(mine.id, "accept", who="me", reason="rejected by mistake", now=NOW + 2 * MINUTE)
    assert not follow(store, said(1, "rejected", minutes=3))[0].is_news
    assert store.states() == {("p0001", "b1"): "accepted"}


def test_a_word_about_somebody_who_arrives_later_takes_effect_then(open_one):
    store = open_one(1)
    (first,) = follow(store, said(1, "returned"))
    assert (first.participant, first.changed) == (None, ())
    begin(store, 1)
    (again,) = follow(store, said(1, "returned", minutes=2))
    assert len(again.changed) == 1
    assert counts(store) == {"b1": (1, 0, 0)}


def test_a_notification_about_a_stranger_is_not_kept(open_one):
    store = open_one(1)
    assert not follow(store, said(9, "returned", delivery="event-9"))[0].is_news
    begin(store, 9)
    assert follow(store, said(9, "returned", minutes=2))[0].changed


def test_only_the_session_that_is_meant_is_touched(open_one):
    store = open_one(2)
    begin(store, 1)
    begin(store, 2)
    follow(store, said(2, "returned"))
    assert store.states() == {("p0001", "b1"): "held", ("p0002", "b1"): "returned"}


def test_no_platform_id_is_kept_outside_identities(open_one, database):
    store = open_one(1)
    come(store, 1)
    follow(store, said(1, "active", delivery="event-9"), said(77, "active"))
    follow(store, said(1, "returned", minutes=2))
    assert all(person(1).session not in str(entry) for entry in store.log())
    assert person(1).session not in repr(follow(store, said(1, "active", minutes=3)))


def test_what_was_said_about_somebody_goes_when_they_withdraw(open_one):
    store = open_one(1)
    complete(store, 1)
    follow(store, said(1, "submitted"))
    store.withdraw("p0001", who="me", now=NOW + timedelta(hours=1))
    assert store.states() == {}


def test_a_backup_keeps_what_was_said(open_one, tmp_path):
    store = open_one(1)
    begin(store, 1)
    follow(store, said(1, "timed-out", delivery="event-1"))
    copy = open_existing(str(store.backup(tmp_path / "copy.db")), store.study, store.plan)
    assert not follow(copy, said(1, "timed-out", delivery="event-1"))[0].is_news
    copy.close()
