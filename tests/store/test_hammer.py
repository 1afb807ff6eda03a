"""Many clients in several processes, and processes that are killed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hammer import PLACES
from promises import broken
from walking import opened

from rejudge.store.store import Store


def start(what: str, database: str, *more: object) -> subprocess.Popen[str]:
    """A process that is ready and waits for the word."""
    here = Path(__file__).parent
    return subprocess.Popen(
        [sys.executable, str(here / "hammer.py"), what, database, *map(str, more)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(here), str(here.parent)])},
    )


def go(running: subprocess.Popen[str]) -> None:
    """Give the word."""
    assert running.stdin is not None
    running.stdin.write("go\n")
    running.stdin.flush()


def wait_for(running: subprocess.Popen[str]) -> None:
    """Until it is ready."""
    assert running.stdout is not None
    assert running.stdout.readline() == "ready\n", running.communicate()[1]


def hammer(database: str, *more: object) -> Store:
    """Four processes of 50 clients; each of 100 people comes in two of them at once."""
    store = opened(database, *PLACES)
    processes = [start("claim", database, first, 50, 50, *more) for first in (0, 0, 50, 50)]
    for step in (wait_for, go):
        for process in processes:
            step(process)
    for process in processes:
        said, complaint = process.communicate()
        assert said.strip().isdigit(), complaint
    return store


@pytest.mark.slow
def test_two_hundred_clients_in_four_processes_never_share_a_place(database):
    store = hammer(database)
    try:
        assert broken(store) == []
        assert sum(occupancy.held for occupancy in store.occupancies()) == sum(
            PLACES
        )  # 60 places, 100 people
        assert len(store.people(now=store.events()[0].at)) == 100
    finally:
        store.close()


@pytest.mark.slow
def test_the_hammer_finds_over_assignment_when_the_lock_is_taken_out(database):
    store = hammer(database, "unlocked")
    try:
        assert broken(store, over_assignment_only=True)
    finally:
        store.close()


@pytest.mark.parametrize(
    "database",
    ["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)],
    indirect=True,
)
def test_a_killed_process_loses_no_acknowledged_answer(database):
    store = opened(database, *PLACES)
    try:
        running = start("save", database, 0, 8, 8)
        wait_for(running)
        go(running)
        assert running.stdout is not None
        told = [running.stdout.readline().strip() for _ in range(200)]
        running.kill()
        rest, complaint = running.communicate()
        told += rest.split("\n")[:-1]
        assert all(told), complaint
        kept = {key for (key,) in _keys(store)}
        assert set(told) <= kept
        assert len(told) == len(set(told))
        assert broken(store) == []
    finally:
        store.close()


def _keys(store: Store) -> list[tuple[str]]:
    from sqlalchemy import select

    from rejudge.store import tables
    from rejudge.store.statement import SqlStatement

    with store._database.reading() as transaction:
        return [tuple(row) for row in transaction.rows(SqlStatement(select(tables.answer.c.key)))]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_four_processes_start_at_once_on_an_empty_database(kind, tmp_path, request):
    sqlite = str(tmp_path / "new.db")
    server = request.getfixturevalue("postgres_server") if kind == "postgresql" else None
    address = sqlite if server is None else server.new_database()
    here = Path(__file__).parent
    script = (
        "import sys; sys.path[:0] = sys.argv[2:]; from walking import opened; "
        "opened(sys.argv[1], 2).close()"
    )
    command = [sys.executable, "-c", script, address, str(here), str(here.parent)]
    running = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(4)]
    assert [process.communicate()[1] for process in running] == [""] * 4
    store = opened(address, 2)
    assert [occupancy.batch for occupancy in store.occupancies()] == ["b1"]
    store.close()
