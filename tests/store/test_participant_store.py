"""What participants do, straight at the store; also while others hold its lock."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager

from promises import broken
from walking import (
    MINUTE,
    NOW,
    answer,
    begin,
    in_hand,
    page,
    person,
)


def test_agreeing_and_claiming_is_one_go(store):
    visit = store.arrive(person(1), now=NOW)
    assert store.claim(visit, now=NOW).assignments == ()  # nobody is given work before they agree
    agreed = store.agree(visit, version=store.consent_version, now=NOW)
    assert agreed.consented_at == NOW
    assert in_hand(agreed).batch == "b1"


def test_two_tabs_and_a_refresh_find_the_same_batch_and_the_saved_answers(store):
    """The back button or a second tab got another batch."""
    first = begin(store, 1)
    store.record(page(first, "b1-1", "b"), now=NOW)
    visit = store.arrive(person(1), now=NOW + MINUTE)
    tab = in_hand(store.claim(visit, now=NOW + MINUTE))
    assert (tab.id, tab.seat) == (first.id, first.seat)
    assert store.order(tab) == store.order(first)
    assert store.answers(visit) == {("b1-1", "meaning"): "b"}
    store.record(page(tab, "b1-1", "a"), now=NOW + 2 * MINUTE)
    assert store.answers(first) == {("b1-1", "meaning"): "a"}  # the last one counts


_HOLD_LOCK = """
import sys
address = sys.argv[1]
if "://" in address:
    import psycopg
    connection = psycopg.connect(address)
    connection.execute("SELECT id FROM study FOR UPDATE")
else:
    import sqlite3
    connection = sqlite3.connect(address, isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
print("locked", flush=True)
sys.stdin.readline()
connection.rollback()
connection.close()
"""


@contextmanager
def lock_held_elsewhere(address: str) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds the lock of the study until it reads a line."""
    command = [sys.executable, "-c", _HOLD_LOCK, address]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "locked\n"
            yield process
        finally:
            process.kill()


def test_answers_that_arrive_while_the_lock_is_held_are_all_saved_once_it_is_released(
    database, open_one
):
    """Several people answer in two servers; another process writes for a while."""
    servers = [open_one(6), open_one(6)]
    people = [begin(servers[0], n) for n in range(6)]
    with ThreadPoolExecutor(len(people)) as threads, lock_held_elsewhere(database) as process:
        pending = [
            threads.submit(answer, servers[n % 2], assignment)
            for n, assignment in enumerate(people)
        ]
        done, _ = wait(pending, timeout=0.3)
        assert not done
        assert list(servers[0].answer_rows()) == []
        process.communicate("release\n")
        outcomes = [saved.outcome for future in pending for saved in future.result()]
    assert outcomes == ["saved"] * 18
    rows = [(row.participant, row.task) for row in servers[1].answer_rows()]
    assert len(rows) == len(set(rows)) == 18
    assert all(len(servers[0].answers(assignment)) == 3 for assignment in people)
    assert broken(servers[0]) == []


def test_people_can_look_at_their_work_while_the_lock_is_held(database, open_one):
    store = open_one(2)
    mine = begin(store, 1)
    answer(store, mine)
    with lock_held_elsewhere(database), ThreadPoolExecutor(1) as threads:
        assert len(threads.submit(store.answers, mine).result()) == 3
        assert threads.submit(store.visit, mine.visit).result() is not None
