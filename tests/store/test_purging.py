"""What a purge deletes, byte by byte, and what it leaves usable."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from walking import MINUTE, NOW, begin, come, finish

from rejudge.collect.visit import COMMENT, EXIT
from rejudge.store.records import PageAnswers

SAID = "a sentence that nobody else would write"


def leave_remark(store, visit: int) -> None:
    page = PageAnswers(visit, None, EXIT, 1, {COMMENT: SAID}, "remark", NOW, None, 0, 0)
    store.record(page, now=NOW)


def fill(store) -> None:
    done = begin(store, 1)
    finish(store, done, now=NOW + 3 * MINUTE)
    leave_remark(store, done.visit)
    begin(store, 2, now=NOW + 90 * MINUTE)
    store.exclude_ids(["somebody-barred"], who="owner", now=NOW)


def disk(store) -> bytes:
    """All bytes of an SQLite file and what lies beside it."""
    file = Path(store._database.file)
    return b"".join(path.read_bytes() for path in file.parent.glob(f"{file.name}*"))


@pytest.fixture
def two(open_one):
    """Two studies in one database, with the same people."""
    stores = open_one(2, 2), open_one(2, 2, name="other")
    for store in stores:
        fill(store)
    return stores


def test_platform_ids_and_their_hashes_go_and_judgments_stay(two):
    store, other = two
    before = list(store.all_answers())
    assert store.count_erasable(["platform-ids"]) == {"platform ids": 2, "hashes of ids": 6}
    store.purge(["platform-ids"], who="owner", now=NOW)
    assert store.count_erasable(["platform-ids"]) == {}
    assert store.identities() == ()
    assert store.pseudonyms_of("person-1") == ()
    assert list(store.all_answers()) == before
    assert store.state == "closed"
    assert len(other.identities()) == 2
    assert other.pseudonyms_of("person-1") == ("p0001",)
    assert store.participant_of_receipt(store.receipt("p0001")) == "p0001"  # they can still ask


def test_times_go_but_durations_stay(two):
    store, other = two
    before = [(each.participant, each.raw, each.seconds) for each in store.all_answers()]
    store.purge(["times"], who="owner", now=NOW)
    assert [(each.participant, each.raw, each.seconds) for each in store.all_answers()] == before
    assert store.events() == ()
    seen = [each.arrived_at for each in store.people(now=NOW)]
    assert {each.year for each in seen} == {2000}
    assert len(set(seen)) == 1
    assert {each.submitted_at.year for each in store.all_answers()} == {2000}
    assert store.count_erasable(["times"]) == {}
    assert {each.submitted_at for each in other.all_answers()} == {NOW + 3 * MINUTE}
    assert len(store.identities()) == 2


def test_free_text_goes_and_nothing_else(two):
    store, other = two
    assert store.count_erasable(["free-text"]) == {"answers in own words": 1}
    store.purge(["free-text"], who="owner", now=NOW)
    assert not [row for row in store.answer_rows() if row.task == EXIT]
    assert [row.raw for row in other.answer_rows() if row.task == EXIT] == [SAID]
    assert len(list(store.all_answers())) == 3
    assert len(store.identities()) == 2


def test_everything_goes_and_the_other_study_stays(two):
    store, other = two
    store.withdraw("p0002", who="owner", now=NOW)
    store.purge(["everything"], who="owner", now=NOW)
    assert store.people(now=NOW) == ()
    assert store.tombstones() == ()
    assert list(store.answer_rows()) == []
    assert [each.done for each in store.occupancies()] == [0, 0]
    assert store.count_erasable(["everything"]) == {}
    assert [each.what for each in store.log()][-1] == "study closed"
    assert not [each for each in store.log() if each.participant]
    assert len(other.people(now=NOW)) == 2
    store.set_state("open", who="owner", now=NOW)
    assert come(store, 9).participant == "p0003"  # no number comes back


@pytest.mark.parametrize("erased", [("platform-ids", "free-text"), ("everything",)])
def test_no_byte_is_left_in_the_file_or_its_log(open_one, erased):
    store = open_one(2, 2)
    if not store.reads_at_once:
        pytest.skip("PostgreSQL writes its files itself; only SQLite's can be searched")
    fill(store)
    for secret in (b"person-1", b"session-1-1", SAID.encode()):
        assert secret in disk(store)
    mark = store._known.mark("prolific", "person-1").encode()
    assert mark in disk(store)
    assert store.purge(erased, who="owner", now=NOW)
    for secret in (b"person-1", b"person-2", b"session-1-1", SAID.encode(), mark):
        assert secret not in disk(store)


def test_the_last_answer_is_known_until_nothing_is(open_one):
    store = open_one(2, 2)
    assert store.last_answer() is None
    fill(store)
    assert store.last_answer() == NOW + timedelta(minutes=3)
    store.purge(["everything"], who="owner", now=NOW)
    assert store.last_answer() is None
    store.purge(["everything"], who="owner", now=NOW)  # once more does no harm
