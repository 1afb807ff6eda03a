"""Several people in one transaction: each with their own outcome, on both databases."""

from __future__ import annotations

import random
import sqlite3
from concurrent.futures import ThreadPoolExecutor

import pytest
from walking import (
    LEASE,
    MINUTE,
    NOW,
    begin,
    come,
    counts,
    given_or_refused,
    look_together,
    page,
    person,
    plan_of,
    study_of,
    together,
)

from rejudge.collect.visit import Visit
from rejudge.errors import (
    ElsewhereOpen,
    StoreUnavailable,
    UsageError,
)
from rejudge.store.database import Database, hide_password
from rejudge.store.store import open_store


def test_people_who_come_together_get_places_of_their_own(store):
    given = together(store, [lambda n=n: begin(store, n) for n in range(4)])
    assert sorted((each.batch, each.seat) for each in given) == [
        ("b1", 0), ("b1", 1), ("b2", 0), ("b2", 1),
    ]  # fmt: skip
    assert counts(store) == {"b1": (2, 0, 2), "b2": (2, 0, 2)}


def test_what_was_just_written_is_read_back_before_anybody_else_can_see_it(store):
    seen = []

    def arrive_and_look() -> Visit:
        visit = store.arrive(person(1), now=NOW)
        seen.append(store.visit(visit.id))
        return visit

    [visit] = together(store, [arrive_and_look])
    assert seen == [visit]


def test_a_second_session_is_refused_and_the_others_are_served(store):
    begin(store, 1)
    refused, other = together(
        store, [lambda: store.arrive(person(1, session=2), now=NOW), lambda: come(store, 2)]
    )
    assert isinstance(refused, ElsewhereOpen)
    assert store.visit(other.id) == other


def test_what_leaves_a_transaction_by_an_error_is_undone_for_all(store):
    mine, yours = begin(store, 1), begin(store, 2)

    def break_off() -> None:
        with store.transaction():
            store.record(page(mine, "b1-1", "a"), now=NOW)
            store.record(page(yours, "b1-1", "b"), now=NOW)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        break_off()
    assert list(store.answer_rows()) == []
    assert store.record(page(yours, "b1-1", "b"), now=NOW).outcome == "saved"


def test_an_interrupt_undoes_what_was_shared_and_locks_nobody_out(store):
    mine, yours = begin(store, 1), begin(store, 2)

    def break_off() -> None:
        with store.transaction():
            store.record(page(mine, "b1-1", "a"), now=NOW)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        break_off()
    assert list(store.answer_rows()) == []
    with ThreadPoolExecutor(1) as pool:  # the lock is free for other threads too
        saved = pool.submit(store.record, page(yours, "b1-1", "b"), now=NOW).result(30)
    assert saved.outcome == "saved"
    assert [row.raw for row in store.answer_rows()] == ["b"]


def test_what_was_written_before_a_refusal_stays(open_one):
    """Who holds a batch elsewhere is refused one; the place that lapsed meanwhile is free."""
    store = open_one(2)
    begin(store, 1)
    first = store.arrive(person(2, session=1), now=NOW)
    second = store.arrive(person(2, session=2), now=NOW)
    for visit in (first, second):
        store.consent(visit, agreed=True, version=store.consent_version, now=NOW)
    later = NOW + 2 * LEASE
    store.claim(first, now=later - MINUTE)
    with pytest.raises(ElsewhereOpen):
        store.claim(second, now=later)
    assert [each.status for each in store.assignments()] == ["expired", "held"]


def test_without_a_database_everything_fails_at_once(store):
    mine = begin(store, 1)
    with store.unavailable(StoreUnavailable("gone.")):
        with pytest.raises(StoreUnavailable, match="gone"):
            store.visit(mine.visit)
        with pytest.raises(StoreUnavailable, match="gone"):
            store.record(page(mine, "b1-1", "a"), now=NOW)
    assert store.visit(mine.visit) is not None


def test_many_threads_get_each_their_own_outcome(store):
    mine = begin(store, 1)
    sent = [page(mine, "b1-1", "a", key=f"k{n}") for n in range(100)]
    with ThreadPoolExecutor(8) as pool:
        given = list(pool.map(lambda each: store.record(each, now=NOW).outcome, sent))
    assert given == ["saved"] * 100
    assert len(list(store.answer_rows())) == 100


def test_those_who_only_look_see_what_is_stored(store):
    mine = begin(store, 1)
    looks = [lambda: store.visit(mine.visit), lambda: store.answers(mine)]
    visit, answers = look_together(store, looks)
    assert visit.current == mine
    assert answers == {}


@pytest.mark.parametrize("rows", [1, 2, 40])
def test_a_page_of_many_answers_is_stored_as_it_was_given(store, rows):
    """PostgreSQL takes several rows as one JSON text: nothing of them may change on the way."""
    mine = begin(store, 1)
    words = ["a", 'b "quoted" \\ back', "ß 漢字 🙂 \u202e rtl", "line\nbreak\ttab", "1e5", ""]
    answers = {f"q{n}": words[n % len(words)] for n in range(rows)}
    sent = page(mine, "b1-1", "a")
    stored = store.record(
        type(sent)(
            visit=sent.visit, assignment=sent.assignment, task=sent.task, position=7,
            answers=answers, key="k", shown_at=NOW, active_seconds=0.1 + 0.2, changes=3, blurs=2,
        ),
        now=NOW,
    )  # fmt: skip
    assert stored.outcome == "saved"
    found = list(store.answer_rows())
    assert {row.question: row.raw for row in found} == answers
    assert {(row.position, row.active_seconds, row.changes, row.blurs) for row in found} == {
        (7, 0.1 + 0.2, 3, 2)
    }


# ── visits that are read ahead ───────────────────────────────────────────────────────────────────


def test_what_one_tab_did_is_seen_by_the_other(store):
    mine, other = begin(store, 1), begin(store, 2)
    later = NOW + 20 * MINUTE
    _, visit = together(
        store,
        [
            lambda: store.record(page(mine, "b1-1", "a"), now=later),
            lambda: store.visit(mine.visit),
        ],
        [mine.visit, other.visit],
    )
    assert visit.current.expires_at == later + LEASE


@pytest.mark.parametrize("seed", range(12))
def test_served_together_or_one_by_one_the_same_becomes_of_them(open_one, seed):
    """Whatever several people do in whatever order: what is read ahead changes nothing."""
    chance = random.Random(seed)  # noqa: S311 - a script
    stores = [open_one(1, 2, 1, name=name) for name in ("together", "alone")]
    visits = [[come(store, n) for n in range(6)] for store in stores]
    script = [(chance.randrange(6), chance.choice(DEEDS)) for _ in range(60)]
    now = NOW
    while script:
        size = chance.randrange(2, 9)
        group, script = script[:size], script[size:]
        now += chance.choice([MINUTE, 10 * MINUTE, 2 * LEASE])
        acts, alone = (
            [lambda s=store, v=own[who], d=deed, t=now: d(s, v, t) for who, deed in group]
            for store, own in zip(stores, visits, strict=True)
        )
        numbers = {visits[0][who].id for who, _ in group}
        given = together(stores[0], acts, numbers)
        assert [*map(told, given)] == [*map(told, map(given_or_refused, alone))]
        assert counts(stores[0]) == counts(stores[1])
    assert standing(stores[0]) == standing(stores[1])


def claims(store, visit, now):
    return store.claim(visit, now=now)


def saves(store, visit, now):
    held = store.visit(visit.id).current
    if held is None:
        return None
    task = store.order(held)[0].id
    return store.record(page(held, task, "a", key=f"{visit.participant} {now}"), now=now)


def hands_in(store, visit, now):
    held = store.visit(visit.id).current
    if held is None:
        return None
    pages = [page(held, task.id, "a") for task in store.order(held)]
    return store.hand_in(visit.id, held.id, pages, now=now)


def looks_again(store, visit, now):
    return store.visit(visit.id)


DEEDS = (claims, saves, hands_in, looks_again)


def told(outcome):
    """The parts of an outcome that are the same in two studies: no numbers of rows."""
    if isinstance(outcome, Visit):
        return (
            outcome.is_turned_away,
            [(a.batch, a.seat, a.status, a.expires_at) for a in outcome.assignments],
        )
    return (outcome.outcome, outcome.at) if hasattr(outcome, "outcome") else str(outcome)


def standing(store):
    return [(a.participant, a.batch, a.seat, a.status, a.expires_at) for a in store.assignments()]


@pytest.mark.parametrize(
    "address", ["mysql://host/x", "sqlite://", "post gres://%%%", "sqlite://:memory:"]
)
def test_an_address_we_cannot_use_is_answered_with_one_we_can(address):
    study = study_of()
    with pytest.raises(UsageError, match=r"study\.db or postgresql"):
        open_store(address, study, plan_of(study, 2), now=NOW)


def test_an_unreachable_server_is_told_without_its_password():
    study = study_of()
    address = "postgresql://ada:verysecret@127.0.0.1:1/none"
    with pytest.raises(StoreUnavailable) as told:
        open_store(address, study, plan_of(study, 2), now=NOW)
    assert "127.0.0.1" in str(told.value)
    assert "verysecret" not in str(told.value)


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (sqlite3.OperationalError("unable to open database file"), "permissions of its folder"),
        (UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte"), "not available"),
    ],
    ids=["folder", "damaged"],
)
def test_a_database_that_cannot_be_read_is_told_with_its_file(tmp_path, error, told):
    path = tmp_path / "study.db"
    path.touch()
    database = Database(str(path))
    with pytest.raises(StoreUnavailable, match=told) as refused, database.failing_in_words():
        raise error
    assert refused.value.problems[0].file == str(path)
    database.close()


def test_a_database_that_may_not_be_written_is_called_so(tmp_path):
    """The message of a server that is down would not help."""
    path = tmp_path / "study.db"
    study = study_of()
    open_store(str(path), study, plan_of(study, 1), now=NOW).close()
    database = Database(str(path))
    readonly = sqlite3.OperationalError("attempt to write a readonly database")
    with pytest.raises(StoreUnavailable, match="cannot be written to"):  # noqa: SIM117
        with database.failing_in_words():
            raise readonly
    database.close()


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("postgresql://ada:secret@host:5433/studies", "postgresql://ada@host:5433/studies"),
        ("postgresql://ada@/studies", "postgresql://ada@/studies"),
        ("postgresql://ada@/s?host=/run&password=secret", "postgresql://ada@/s?host=%2Frun"),
        ("/srv/study.db", "/srv/study.db"),
        ("sqlite:////srv/study.db", "/srv/study.db"),
    ],
)
def test_an_address_is_written_down_without_its_password(address, shown):
    assert hide_password(address) == shown
