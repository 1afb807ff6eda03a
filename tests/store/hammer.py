"""A process of the hammer: many clients at once at one store. Started by the tests.

    python hammer.py claim ADDRESS FIRST THREADS PEOPLE [unlocked]
        lets people arrive and claim; the same number in two processes is one person in two tabs
    python hammer.py save ADDRESS FIRST THREADS PEOPLE
        saves answers until it is killed, and prints each that was acknowledged

It says when it is ready, and begins when it is told to.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import count
from typing import TypeVar

from walking import NOW, begin, come, page, plan_of, study_of

from rejudge.errors import ElsewhereOpen
from rejudge.store.database import DatabaseRefusal
from rejudge.store.statement import Transaction
from rejudge.store.store import Store, open_existing

T = TypeVar("T")
PLACES = (6,) * 10


def main() -> None:
    """Do what the command line says, then say how many were served."""
    what, address, share, threads, people, *unlocked = sys.argv[1:]
    if unlocked:
        Store._write = _unlocked  # type: ignore[method-assign]  # the lock is taken out
    study = study_of()
    store = open_existing(address, study, plan_of(study, *PLACES))
    print("ready", flush=True)
    sys.stdin.readline()
    numbers = range(int(share), int(share) + int(people))
    with ThreadPoolExecutor(int(threads)) as pool:
        work = {"claim": _claim, "save": _save}[what]
        print(sum(pool.map(lambda number: work(store, number), numbers)), flush=True)
    store.close()


def _unlocked(self: Store, work: Callable[[Transaction], T]) -> T:
    """Every statement for itself, as if there were no lock."""
    with self._database.alone() as transaction:
        return work(transaction)


def _claim(store: Store, number: int) -> int:
    with suppress(ElsewhereOpen, DatabaseRefusal):
        return len(store.claim(come(store, number), now=NOW).assignments)
    return 0


def _save(store: Store, number: int) -> int:
    mine = begin(store, number)
    for each in count():
        sent = page(mine, f"{mine.batch}-1", "a", key=f"{number}-{each}")
        if store.record(sent, now=NOW).outcome == "saved":
            sys.stdout.write(f"{sent.key}\n")
            sys.stdout.flush()
    return 0


if __name__ == "__main__":
    main()
