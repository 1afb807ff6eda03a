"""The transactions of one study: one writer at a time, and several people in one where they wait.

A thread that serves several people opens one transaction for all of them: what they send becomes
durable by one write to the disk. Whatever the thread reads and writes meanwhile goes through it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock, local
from typing import TypeVar

from rejudge.errors import RejudgeError, StoreUnavailable
from rejudge.store.database import Database
from rejudge.store.statement import SqlStatement, Transaction

T = TypeVar("T")


class Transactions:
    """Reads and writes of one study; safe to use from many threads."""

    def __init__(self, database: Database, lock: SqlStatement, study: int) -> None:
        """`lock`: the statement that locks this study in a database of several processes."""
        self._database = database
        self._lock = lock
        self._study = study
        self._turn = Lock()
        self._thread = local()

    @property
    def shared(self) -> Transaction | None:
        """The transaction that this thread has open for several people, if it has one."""
        shared: Transaction | StoreUnavailable | None = getattr(self._thread, "shared", None)
        if isinstance(shared, StoreUnavailable):
            raise shared
        return shared

    def read(self, look: Callable[[Transaction], T]) -> T:
        """What is stored; within a shared transaction also what was just written there."""
        shared = self.shared
        if shared is not None:
            return look(shared)
        with self._database.reading() as transaction:
            return look(transaction)

    def write(self, work: Callable[[Transaction], T]) -> T:
        """Give what the work gives, once it is durable.

        When the work refuses (a RejudgeError), what it wrote before that stays.
        """
        shared = self.shared
        if shared is not None:
            return work(shared)
        with self._turn, self._writing() as transaction:
            try:
                return work(transaction)
            except RejudgeError as refusal:
                refused = refusal
        raise refused

    @contextmanager
    def sharing(self) -> Iterator[Transaction]:
        """Make everything that this thread does meanwhile one transaction, durable at the end."""
        with self._turn, self._writing() as transaction, self._within(transaction):
            yield transaction

    @contextmanager
    def looking(self) -> Iterator[Transaction]:
        """Let everything that this thread reads meanwhile go through one connection."""
        with self._database.reading() as transaction, self._within(transaction):
            yield transaction

    @contextmanager
    def failing(self, error: StoreUnavailable) -> Iterator[None]:
        """Have everything that this thread does meanwhile fail at once, without trying again."""
        with self._within(error):
            yield

    @contextmanager
    def _within(self, shared: Transaction | StoreUnavailable) -> Iterator[None]:
        self._thread.shared = shared
        try:
            yield
        finally:
            self._thread.shared = None

    @contextmanager
    def _writing(self) -> Iterator[Transaction]:
        """A transaction that holds the study's lock: nobody else changes this study meanwhile."""
        with self._database.writing(self._lock, study=self._study) as transaction:
            yield transaction
