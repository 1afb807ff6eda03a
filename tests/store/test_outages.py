"""A full disk or a database that is gone: never a false “saved”."""

from __future__ import annotations

import pytest
from walking import NOW, answer, begin, opened, page

from rejudge.collect.visit import EXIT
from rejudge.errors import StoreUnavailable
from rejudge.store.records import PageAnswers


@pytest.fixture
def store(tmp_path):
    opened_one = opened(str(tmp_path / "study.db"), 2, 2)
    yield opened_one
    opened_one.close()


def test_a_full_disk_is_told_and_nothing_is_half_stored(store):
    """SQLite is allowed no page beyond those it has: the same error as a full disk."""
    mine = begin(store, 1)
    writer = store._database._connection()
    pages = writer.execute("PRAGMA page_count").fetchone()[0]
    writer.execute(f"PRAGMA max_page_count={pages}")
    long = PageAnswers(mine.visit, None, EXIT, 1, {"@comment": "x" * 100_000}, "k", NOW)
    with pytest.raises(StoreUnavailable, match="full"):
        store.record(long, now=NOW)
    assert list(store.answer_rows()) == []
    writer = store._database._connection()
    writer.execute("PRAGMA max_page_count=1000000")
    assert store.record(long, now=NOW).outcome == "saved"


def test_a_file_that_was_removed_takes_no_more_answers(store, tmp_path):
    """The open file would still take writes, and they would be gone with it."""
    mine = begin(store, 1)
    file = tmp_path / "study.db"
    file.rename(tmp_path / "moved.db")
    with pytest.raises(StoreUnavailable, match="removed or replaced"):
        store.record(page(mine, "b1-1", "a"), now=NOW)
    with pytest.raises(StoreUnavailable):
        store.record(page(mine, "b1-1", "a"), now=NOW)


def test_a_file_that_comes_back_is_taken_up_again(store, tmp_path):
    mine = begin(store, 1)
    file = tmp_path / "study.db"
    file.rename(tmp_path / "moved.db")
    with pytest.raises(StoreUnavailable):
        store.record(page(mine, "b1-1", "a"), now=NOW)
    (tmp_path / "moved.db").rename(file)
    assert len(answer(store, mine)) == 3
    assert len(list(store.answer_rows())) == 3


def test_another_file_in_its_place_is_not_written_to(store, tmp_path):
    mine = begin(store, 1)
    opened(str(tmp_path / "other.db"), 2, 2).close()
    (tmp_path / "other.db").replace(tmp_path / "study.db")
    for _ in range(2):
        with pytest.raises(StoreUnavailable, match="removed or replaced"):
            store.record(page(mine, "b1-1", "a"), now=NOW)


def test_a_server_that_is_gone_is_told_and_taken_up_again_when_it_is_back(postgres_server):
    address = postgres_server.new_database()
    store = opened(address, 2)
    mine = begin(store, 1)
    postgres_server.disconnect(address)  # an idle connection that the server closed: no error
    assert store.record(page(mine, "b1-1", "a"), now=NOW).outcome == "saved"
    postgres_server.drop(address)
    with pytest.raises(StoreUnavailable):
        store.record(page(mine, "b1-1", "b"), now=NOW)
    with pytest.raises(StoreUnavailable):
        store.visit(mine.visit)
    store.close()
