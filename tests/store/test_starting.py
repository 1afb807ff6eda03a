"""A process that starts beside one that serves: neither is in the other's way."""

from __future__ import annotations

import time
from concurrent.futures import Future, ThreadPoolExecutor

import psycopg
from walking import NOW, opened, person

from rejudge.store import arrivals
from rejudge.store.statement import Transaction
from rejudge.store.store import Store

_WAITING = (
    "SELECT count(*) FROM pg_stat_activity "
    "WHERE datname = current_database() AND wait_event_type = 'Lock'"
)


def wait_until_somebody_waits(address: str) -> None:
    """Until a connection to this database waits for a lock."""
    with psycopg.connect(address, autocommit=True) as connection:
        while connection.execute(_WAITING).fetchone() == (0,):
            time.sleep(0.01)


def test_a_process_that_starts_and_one_that_serves_do_not_wait_for_each_other(postgres_server):
    """One starts between another's lock of the study and the count of who arrives there."""
    address = postgres_server.new_database()
    store = opened(address, 2)
    with ThreadPoolExecutor(1) as beside:

        def come(transaction: Transaction) -> Future[Store]:
            starting = beside.submit(opened, address, 2)
            wait_until_somebody_waits(address)
            arrivals.arrive(transaction, store._known, person(1), now=NOW, device=None)
            return starting

        store._write(come).result().close()
    assert store.pseudonym_of("person-1") is not None
    store.close()
