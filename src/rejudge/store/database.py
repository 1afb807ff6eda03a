"""One database: how it is reached, read and written; and what its failures mean.

Reads have connections of their own and never wait for a writer. A process writes through one
connection, in one transaction at a time. A thread that serves several people opens one transaction
for all of them: what they send becomes durable by one write to the disk. Whatever the thread reads
and writes meanwhile goes through it.
"""

from __future__ import annotations

import os
import sqlite3
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from threading import Lock, Semaphore, local
from typing import Any, TypeVar
from urllib.parse import quote

from sqlalchemy import URL, Engine, create_engine, exc, make_url
from sqlalchemy.engine.interfaces import Dialect
from sqlalchemy.pool import NullPool

from rejudge.errors import Problem, RejudgeError, StoreUnavailable, UsageError
from rejudge.store.statement import SqlStatement, Transaction, Value
from rejudge.store.tables import metadata

_WAIT_SECONDS = 30  # for another process that writes
_READERS = {"sqlite": 72, "postgresql": 16}  # of one process at a time; more wait


class Database:
    """An SQLite file or a PostgreSQL database."""

    def __init__(
        self, address: str, *, is_durable: bool = True, is_left_alone: bool = False
    ) -> None:
        """`is_left_alone`: a file that is only read, such as a backup, stays as it is."""
        self._url = _parse_address(address)
        self._is_durable = is_durable
        self._is_left_alone = is_left_alone
        self.file = Path(self._url.database or "") if self.is_sqlite else None
        self.name = str(self.file or self._url.render_as_string(hide_password=True))
        self._file_id: tuple[int, int] | None = None
        self._engine = self._create_engine()
        self._dialect = self._engine.dialect
        self._readers = Readers(self._connect, self._dialect)
        self._writer: Any = None  # the driver's connection
        self._opening = Lock()

    @property
    def is_sqlite(self) -> bool:
        """Whether it is a file."""
        return self._url.get_backend_name() == "sqlite"

    @property
    def is_there(self) -> bool:
        """Whether the file exists; of a server nothing is known before it is asked."""
        return self.file is None or self.file.is_file()

    @contextmanager
    def reading(self) -> Iterator[Transaction]:
        """Read; each statement sees what is committed when it runs."""
        with self.failing_in_words(), self._readers.one() as transaction:
            yield transaction

    @contextmanager
    def snapshot(self) -> Iterator[Transaction]:
        """Read; all statements see the same moment."""
        with self.reading() as transaction:
            begin = "BEGIN" if self.is_sqlite else "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
            transaction.plain(begin)
            yield transaction
            transaction.plain("COMMIT")

    @contextmanager
    def writing(self, lock: SqlStatement | None = None, **values: Value) -> Iterator[Transaction]:
        """Write; committed at the end, or undone. One at a time: the caller sees to that.

        `lock`: what takes the lock on PostgreSQL. On SQLite the transaction itself is the lock.
        """
        with self.failing_in_words():
            transaction = self._begin(lock, values)
            try:
                yield transaction
                transaction.finish()
                self._writer.commit()
            except BaseException:
                self._undo()
                raise
            finally:
                transaction.let_go()

    @contextmanager
    def alone(self) -> Iterator[Transaction]:
        """Run what cannot run inside a transaction. One at a time, as for `writing`."""
        with self.failing_in_words(), self.reading() as transaction:
            yield transaction

    def purge(self) -> bool:
        """Free removed rows on the disk; False when a long read kept older pages of an SQLite file.

        SQLite then holds no byte of them. PostgreSQL may keep bytes in unused space of its files.
        """
        with self.alone() as transaction:
            transaction.plain("VACUUM")
            if not self.is_sqlite:
                return True
            emptied = transaction.pragma("wal_checkpoint(TRUNCATE)")  # older pages lie in the log
            return not emptied[0]

    def rewrite(self) -> bool:
        """Rewrite all tables, without removed rows; False when older pages of a file were kept.

        On a server this locks each table for a moment. Its write-ahead log and its own backups
        keep what was there for as long as it is set to.
        """
        if self.is_sqlite:
            return self.purge()
        with self.alone() as transaction:
            transaction.plain(f"VACUUM FULL {', '.join(sorted(metadata.tables))}")
        return False

    def engine(self) -> Engine:
        """For making the tables, with SQLAlchemy's own connections."""
        return self._engine

    def create_file(self) -> None:
        """Make an empty SQLite file that only its owner can read, where there is none."""
        if self.file is not None and not self.file.exists():
            with self.failing_in_words():
                os.close(os.open(self.file, os.O_CREAT | os.O_RDWR, 0o600))

    def make_single_file(self) -> None:
        """Leave nothing beside an SQLite file that all have closed, so that it can be carried."""
        with self.failing_in_words(), closing(self._open_file()) as connection:
            connection.execute("PRAGMA journal_mode=DELETE")

    def close(self) -> None:
        """Give all connections back."""
        self._drop_writer()
        self._readers.close()
        self._engine.dispose()

    def _begin(self, lock: SqlStatement | None, values: Mapping[str, Value]) -> Transaction:
        if self.file is not None:
            self._check_file(self.file)
            transaction = Transaction(self._connection(), self._dialect)
            transaction.plain("BEGIN IMMEDIATE")
            return transaction
        try:
            return self._begin_on_server(lock, values)
        except self._errors:  # it may have closed an idle connection
            self._drop_writer()
            return self._begin_on_server(lock, values)

    def _begin_on_server(
        self, lock: SqlStatement | None, values: Mapping[str, Value]
    ) -> Transaction:
        transaction = Transaction(self._connection(), self._dialect)
        transaction.plain("BEGIN")
        if lock is not None:
            transaction.row(lock, **values)
        return transaction

    def _connection(self) -> Any:
        if self._writer is None:
            with self._opening:
                self._writer = self._connect()
        return self._writer

    def _connect(self) -> Any:
        """A connection of the driver, in nobody's keeping: SQLAlchemy's own costs as much to lend
        as a statement costs to run."""
        lent = self._engine.raw_connection()
        connection = lent.driver_connection
        lent.detach()
        if not self.is_sqlite:
            _read_numeric_as_float(connection)
        return connection

    def _undo(self) -> None:
        try:
            self._writer.rollback()
        except Exception:  # noqa: BLE001 - the connection is broken, and its end undoes it too
            self._drop_writer()

    def _drop_writer(self) -> None:
        writer, self._writer = self._writer, None
        if writer is not None:
            with suppress(Exception):
                writer.close()

    def _check_file(self, file: Path) -> None:
        """A file that was removed or replaced would still take writes, and lose them."""
        try:
            found = file.stat()
        except OSError:
            found = None
        here = None if found is None else (found.st_dev, found.st_ino)
        if self._file_id is None:
            self._file_id = here
        if here is None or here != self._file_id:
            self._drop_writer()
            self._readers.close()
            raise StoreUnavailable(
                Problem(
                    "the database file was removed or replaced.",
                    "Put the file back, or restart with the new one.",
                    file=str(file),
                )
            )

    def _create_engine(self) -> Engine:
        if self.file is not None:
            return create_engine("sqlite://", creator=self._open_file, poolclass=NullPool)
        try:
            return create_engine(
                self._url,
                poolclass=NullPool,
                connect_args={
                    "connect_timeout": 15,
                    "autocommit": True,  # transactions begin where `BEGIN` is said
                    "client_encoding": "utf8",
                    "prepare_threshold": 0,  # the statements are few, and each is used often
                    "options": f"-c lock_timeout={_WAIT_SECONDS}s",
                    "application_name": "rejudge",
                },
            )
        except ModuleNotFoundError as error:
            raise UsageError(
                "PostgreSQL needs its driver. Install it with: pip install 'rejudge[postgres]'"
            ) from error

    def _open_file(self) -> sqlite3.Connection:
        is_fixed = self._is_left_alone and not os.access(self.file or "", os.W_OK)
        connection = sqlite3.connect(
            f"file:{quote(str(self.file))}?mode={'ro' if is_fixed else 'rw'}",
            uri=True,
            timeout=_WAIT_SECONDS,
            isolation_level=None,  # transactions begin where `BEGIN` is said
            check_same_thread=False,  # the pool and the writer see to it
        )
        if self._is_left_alone:
            return connection
        for pragma in (
            "journal_mode=WAL",
            # people's paid work: a commit survives a loss of power; a rehearsal need not
            "synchronous=FULL" if self._is_durable else "synchronous=OFF",
            "foreign_keys=ON",
            "secure_delete=ON",  # what is withdrawn is overwritten
            "temp_store=MEMORY",  # nothing personal in temporary files
            "cache_size=-256",  # kilobytes each; the system keeps the file in memory anyway
        ):
            connection.execute(f"PRAGMA {pragma}")
        return connection

    @contextmanager
    def failing_in_words(self) -> Iterator[None]:
        """Say what a failure of the database means; never a value that a row holds."""
        try:
            yield
        except RejudgeError:
            raise
        except self._errors as error:
            raise self._unavailable(getattr(error, "orig", None) or error) from None

    @property
    def _errors(self) -> tuple[type[Exception], ...]:
        driver: Any = self._engine.dialect.dbapi  # the module of the driver
        # a damaged file can hold words that are not UTF-8
        return (exc.DBAPIError, exc.TimeoutError, OSError, UnicodeDecodeError, driver.Error)

    def _unavailable(self, error: BaseException) -> Exception:
        diagnosis = getattr(error, "diag", None)  # psycopg keeps values of rows out of this one
        said = getattr(diagnosis, "message_primary", None) or str(error)
        if self._is_refusal(error):
            return DatabaseRefusal(type(error).__name__, said)
        what = f"the database is not available ({' '.join(said.split())})."
        remedy = "Check that it is running, can be reached and has space on its disk."
        if self.is_sqlite and "readonly" in said:
            what = "the database cannot be written to."
            remedy = "Check the permissions of the file and of its folder."
        elif self.is_sqlite and "unable to open database file" in said and self.is_there:
            what = "the database cannot be opened, since files are written beside it."
            remedy = "Check the permissions of its folder, or copy it to a folder of your own."
        return StoreUnavailable(Problem(what, remedy, file=self.name))

    def _is_refusal(self, error: BaseException) -> bool:
        """Whether the database works but does not take this: a fault of ours, not an outage."""
        driver: Any = self._engine.dialect.dbapi
        kinds = (driver.IntegrityError, driver.ProgrammingError, driver.DataError)
        return isinstance(error, kinds)


class Readers:
    """Connections to read with, kept open once they are: opening one costs more than reading."""

    def __init__(self, connect: Callable[[], Any], dialect: Dialect) -> None:
        self._connect = connect
        self._dialect = dialect
        self._free = Semaphore(_READERS[dialect.name])
        self._idle: deque[Transaction] = deque()

    @contextmanager
    def one(self) -> Iterator[Transaction]:
        """Read with one of them; after a failure it is not used again."""
        if not self._free.acquire(timeout=_WAIT_SECONDS):
            raise TimeoutError("all connections are in use")
        transaction: Transaction | None = None
        try:
            transaction = self._take()
            yield transaction
        except BaseException:
            if transaction is not None:
                transaction.end()
            raise
        else:
            self._idle.append(transaction)
        finally:
            self._free.release()

    def close(self) -> None:
        """End all that nobody reads with now."""
        with suppress(IndexError):
            while True:
                self._idle.pop().end()

    def _take(self) -> Transaction:
        try:
            resting = self._idle.pop()
        except IndexError:
            return Transaction(self._connect(), self._dialect)
        if not resting.was_closed:
            return resting
        resting.end()
        self.close()  # those that rest beside it too: nobody hears of a server that is back
        return self._take()


class DatabaseRefusal(Exception):  # noqa: N818 - says what is the case
    """The database did not take a statement: a fault in this program."""


def _read_numeric_as_float(connection: Any) -> None:
    """A mean is a float on SQLite; on PostgreSQL it would be a Decimal."""
    from psycopg.types.numeric import FloatLoader

    connection.adapters.register_loader("numeric", FloatLoader)


def hide_password(address: str) -> str:
    """The address of a database as it may be written down: whole, but without a password."""
    url = _parse_address(address)
    if url.get_backend_name() == "sqlite":
        return str(url.database)
    shown = URL.create(
        "postgresql", url.username, None, url.host, url.port, url.database,
        {name: value for name, value in url.query.items() if "password" not in name},
    )  # fmt: skip
    return shown.render_as_string()


def _parse_address(address: str) -> URL:
    if "://" not in address:
        return URL.create("sqlite", database=str(Path(address).absolute()))
    try:
        url = make_url(address)
    except (exc.ArgumentError, ValueError):
        raise UsageError("the database address cannot be read. Write it as in " + _SHAPES) from None
    if url.get_backend_name() == "sqlite":
        if not url.database or url.database == ":memory:":
            raise UsageError("SQLite needs a file here. Write " + _SHAPES)
        return url.set(database=str(Path(url.database).absolute()))
    if url.get_backend_name() == "postgresql":
        return url.set(drivername="postgresql+psycopg")
    raise UsageError(f"'{url.get_backend_name()}' is not a supported database. Write " + _SHAPES)


_SHAPES = "study.db or postgresql://name:password@host/database"


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
