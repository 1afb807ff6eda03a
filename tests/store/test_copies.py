"""Backups: made while people work, restored with everything in them."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import NoReturn

import pytest
from promises import broken
from walking import (
    NOW,
    answer,
    begin,
    complete,
    opened,
    person,
)

from rejudge.errors import DataError, FileError
from rejudge.store.database import Database
from rejudge.store.store import open_existing, open_store, restore


def test_a_backup_is_restored_with_everything_in_it(store, tmp_path):
    complete(store, 1)
    mine = begin(store, 2)
    answer(store, mine)
    secret = store.grant("owner", now=NOW)
    copy = store.backup(tmp_path / "copy.db")
    assert sorted(file.name for file in tmp_path.glob("copy*")) == ["copy.db"]
    fresh = str(tmp_path / "fresh.db")
    assert restore(copy, fresh) == "small"
    again = open_store(fresh, store.study, store.plan, now=NOW)
    assert list(again.answer_rows()) == list(store.answer_rows())
    assert again.assignments() == store.assignments()
    assert again.events() == store.events()
    assert again.identities() == store.identities()
    assert (again.codes, again.secret) == (store.codes, store.secret)
    assert again.login(secret, now=NOW)
    assert again.arrive(person(2), now=NOW).id == mine.visit
    assert begin(again, 3).id > mine.id
    assert broken(again) == []
    again.close()


def test_a_backup_is_made_however_often_the_site_was_started(store, tmp_path):
    for _ in range(3):
        store.grant("owner", now=NOW, one_time=True)
    copy = store.backup(tmp_path / "copy.db")
    assert [file.name for file in tmp_path.glob("copy*")] == [copy.name]


def test_after_a_restore_no_number_that_a_browser_may_keep_becomes_somebody_elses(store, tmp_path):
    begin(store, 1)
    copy = store.backup(tmp_path / "copy.db")
    lost = begin(store, 2)
    restore(copy, str(tmp_path / "restored.db"))
    restored = open_store(str(tmp_path / "restored.db"), store.study, store.plan, now=NOW)
    new = begin(restored, 3)
    restored.close()
    assert new.visit > lost.visit
    assert new.id > lost.id


def test_a_backup_that_nobody_may_write_is_restored_and_stays_as_it_is(
    store, tmp_path, monkeypatch
):
    """Root may write everything, so the system is asked in its place."""
    complete(store, 1)
    copy = store.backup(tmp_path / "copy.db")
    before, may = copy.read_bytes(), os.access
    monkeypatch.setattr(os, "access", lambda file, mode: file != copy and may(file, mode))
    restore(copy, str(tmp_path / "restored.db"))
    assert copy.read_bytes() == before
    assert [file.name for file in tmp_path.glob("copy*")] == [copy.name]


def test_a_backup_that_fails_leaves_nothing_behind(store, tmp_path, monkeypatch):
    def fail(_) -> NoReturn:
        raise OSError("no space left on device")

    monkeypatch.setattr(Database, "make_single_file", fail)
    with pytest.raises(OSError, match="no space"):
        store.backup(tmp_path / "copy.db")
    assert list(tmp_path.glob("copy*")) == []


def test_a_backup_made_while_people_work_is_of_one_moment(open_one, tmp_path):
    """People claim, answer and hand in all the time; the copy must agree with itself."""
    store = open_one(*(3,) * 20)
    has_enough = Event()

    def work(first: int) -> None:
        for number in range(first, first + 12):
            complete(store, number)
            if number == first + 3:
                has_enough.set()

    with ThreadPoolExecutor(3) as pool:
        running = [pool.submit(work, 100 * n) for n in range(3)]
        has_enough.wait()
        told = {(each.participant, each.task) for each in store.answer_rows()}
        copy = store.backup(tmp_path / "copy.db")
        [each.result() for each in running]
    fresh = str(tmp_path / "fresh.db")
    restore(copy, fresh)
    again = open_existing(fresh, store.study, store.plan)
    assert broken(again) == []
    assert told <= {(each.participant, each.task) for each in again.answer_rows()}
    done = [each for each in again.assignments() if each.status == "submitted"]
    assert all(len(again.answers(each)) == 3 for each in done)
    again.close()


def test_a_backup_goes_into_the_other_kind_of_database(store, tmp_path, postgres_server):
    complete(store, 1)
    copy = store.backup(tmp_path / "copy.db")
    address = postgres_server.new_database()
    restore(copy, address)
    again = open_store(address, store.study, store.plan, now=NOW)
    assert list(again.answer_rows()) == list(store.answer_rows())
    assert complete(again, 2).id > 1
    assert broken(again) == []
    again.close()


def test_a_backup_overwrites_nothing_and_is_not_restored_over_a_study(store, database, tmp_path):
    copy = store.backup(tmp_path / "copy.db")
    with pytest.raises(FileError, match="already exists"):
        store.backup(copy)
    with pytest.raises(DataError, match="already contains the study 'small'"):
        restore(copy, database)


def test_a_study_is_restored_beside_others_of_the_same_database(open_one, database, tmp_path):
    one, two = open_one(1, name="one"), open_one(2, name="two")
    complete(one, 1)
    done = complete(two, 1)
    copy = two.backup(tmp_path / "copy.db")
    fresh = str(tmp_path / "fresh.db")
    restore(one.backup(tmp_path / "one.db"), fresh)
    restore(copy, fresh)
    again = open_existing(fresh, two.study, two.plan)
    assert again.states() == {("p0001", done.batch): "submitted"}
    assert len(list(again.answer_rows())) == 3
    again.close()


def test_a_backup_of_another_database_is_not_mixed_in(open_one, tmp_path):
    one = open_one(1, name="one")
    opened(str(tmp_path / "other.db"), 1, name="two").close()
    with pytest.raises(DataError, match="new database"):
        restore(one.backup(tmp_path / "one.db"), str(tmp_path / "other.db"))
