"""Whoever withdraws leaves nothing behind but a count."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from promises import broken
from walking import (
    LEASE,
    MINUTE,
    NOW,
    begin,
    come,
    complete,
    counts,
    finish,
    person,
)

from rejudge.collect.visit import EXIT
from rejudge.errors import DataError
from rejudge.store import tables
from rejudge.store.records import PageAnswers
from rejudge.store.statement import SqlStatement

SAID = "a sentence that nobody else would write"


def leave_traces(store):
    """Somebody works, writes a comment, and is decided about; others work around them."""
    complete(store, 1)
    done = complete(store, "leaving")
    comment = PageAnswers(done.visit, None, EXIT, 1, {"@comment": SAID}, "traces", NOW)
    store.record(comment, now=NOW)
    store.note_client(store.visit(done.visit), time_zone="Pacific/Chatham", language="mi")
    store.change(done.id, "exclude", who="me", reason=f"wrote {SAID}", now=NOW)
    begin(store, 3)
    return done


def test_every_row_is_removed_and_a_counted_tombstone_is_left(store):
    done = leave_traces(store)
    left = store.withdraw("p0002", who="me", now=NOW + MINUTE)
    assert (left.participant, left.assignments, left.finished, left.answers) == ("p0002", 1, 1, 4)
    assert store.tombstones() == (left,)
    assert store.visit(done.visit) is None
    assert store.assignment(done.id) is None
    assert store.pseudonym_of(person("leaving").person) is None
    assert "p0002" not in {each.participant for each in store.people(now=NOW)}
    assert "p0002" not in {each.participant for each in store.answer_rows()}
    assert "p0002" not in {each.participant for each in store.events()}
    assert [(e.what, e.participant, e.reason) for e in store.log()] == [
        ("exclude", None, ""),
        ("withdrawn", "p0002", ""),
    ]
    assert broken(store) == []


def test_no_table_holds_a_word_of_them(store):
    from sqlalchemy import select

    leave_traces(store)
    store.withdraw("p0002", who="me", now=NOW)
    with store._database.reading() as transaction:
        rows = [
            f"{tuple(row)}"
            for table in tables.metadata.sorted_tables
            for row in transaction.rows(SqlStatement(select(table)))
        ]
    traces = (SAID, "person-leaving", "session-leaving", "Chatham")
    assert not [row for row in rows for trace in traces if trace in row]


def everything_in(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in sorted(folder.glob("study.db*")))


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_no_byte_of_them_is_left_in_the_files(store, tmp_path):
    leave_traces(store)
    mark = store._known.mark("prolific", person("leaving").person)
    traces = [text.encode() for text in (SAID, "person-leaving", "session-leaving", mark)]
    before = everything_in(tmp_path)
    assert all(trace in before for trace in traces)  # so the search can find them
    store.withdraw("p0002", who="me", now=NOW)
    after = everything_in(tmp_path)
    assert not [trace for trace in traces if trace in after]
    assert b"person-1" in after  # others are still there
    assert complete(store, 4).status == "submitted"


def test_a_place_that_is_withdrawn_is_free_again_and_a_surplus_takes_it(open_one):
    store = open_one(1)
    late = begin(store, 1)
    at = NOW + LEASE + MINUTE
    complete(store, 2, now=at)
    surplus = finish(store, late, now=at)
    assert surplus.status == "surplus"
    store.withdraw("p0002", who="me", now=at)
    assert store.assignment(surplus.id).status == "submitted"
    assert counts(store) == {"b1": (1, 1, 0)}


def test_somebody_who_is_working_can_withdraw(open_one):
    store = open_one(1)
    mine = begin(store, 1)
    store.withdraw("p0001", who="me", now=NOW)
    said = PageAnswers(mine.visit, mine.id, "b1-1", 1, {"meaning": "a"}, "k", NOW)
    assert store.record(said, now=NOW).outcome == "closed"
    with pytest.raises(DataError, match="no longer exists"):
        store.submit(mine, now=NOW)
    assert counts(store) == {"b1": (1, 0, 0)}


def test_withdrawing_from_one_study_leaves_another_alone(open_one):
    one, two = open_one(1, name="one"), open_one(1, name="two")
    complete(one, 1)
    complete(two, 1)
    one.withdraw("p0001", who="me", now=NOW)
    assert len(list(two.answer_rows())) == 3


def test_an_unknown_participant_is_answered_in_words(store):
    with pytest.raises(DataError, match="there is no participant 'p0404'"):
        store.withdraw("p0404", who="me", now=NOW)


def test_tokens_open_the_door_until_they_are_revoked(store):
    secret = store.grant("viewer", now=NOW)
    token = store.login(secret, now=NOW)
    session = store.begin_session(token, now=NOW)
    assert (token.role, token.state(NOW)) == ("viewer", "holds")
    assert store.session(session, now=NOW).id == token.id
    assert store.login(secret, now=NOW).id == token.id
    assert store.login("guessed", now=NOW) is None
    store.revoke(token.id, who="me", now=NOW)
    assert store.login(secret, now=NOW) is None
    assert store.session(session, now=NOW) is None
    assert [each.state(NOW) for each in store.tokens()] == ["revoked"]


def test_a_session_ends_when_somebody_logs_out_and_after_half_a_day(store):
    token = store.login(store.grant("owner", now=NOW), now=NOW)
    here, there = (store.begin_session(token, now=NOW) for _ in range(2))
    store.end_session(here)
    assert store.session(here, now=NOW) is None
    assert store.session(there, now=NOW + timedelta(hours=11)).id == token.id
    assert store.session(there, now=NOW + timedelta(hours=12)) is None
    assert store.session("guessed", now=NOW) is None


@pytest.mark.parametrize(
    ("one_time", "lasts"), [(True, timedelta(hours=24)), (False, timedelta(days=90))]
)
def test_a_secret_that_nobody_uses_ends_by_itself(store, one_time, lasts):
    secret = store.grant("owner", now=NOW, one_time=one_time)
    assert store.login(secret, now=NOW + lasts) is None
    assert store.tokens()[0].state(NOW + lasts) == "expired"
    assert store.login(secret, now=NOW + lasts - MINUTE) is not None


def test_a_one_time_token_opens_once_and_the_session_goes_on(store):
    secret = store.grant("owner", now=NOW, one_time=True)
    session = store.begin_session(store.login(secret, now=NOW), now=NOW)
    assert store.login(secret, now=NOW) is None
    assert store.session(session, now=NOW) is not None
    assert store.tokens()[0].state(NOW) == "used"


def test_a_token_of_one_study_does_not_open_another(open_one):
    secret = open_one(1, name="one").grant("owner", now=NOW)
    assert open_one(1, name="two").login(secret, now=NOW) is None


def test_a_receipt_code_finds_its_participant_in_its_own_study_only(open_one):
    one, two = open_one(2, 2), open_one(2, 2, name="other")
    for store in (one, two):
        come(store, 1)
        come(store, 2)
    code = one.receipt("p0002")
    assert code != two.receipt("p0002")
    assert one.participant_of_receipt(code.lower().replace("-", " ")) == "p0002"
    assert two.participant_of_receipt(code) is None
    assert one.participant_of_receipt("p0002") is None
    one.withdraw("p0002", who="owner", now=NOW)
    assert one.participant_of_receipt(code) == "p0002"  # so that they are told it was done
