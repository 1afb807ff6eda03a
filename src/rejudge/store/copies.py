"""Backups, and bringing the tables of a database up to date."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import (
    Boolean,
    Column,
    Connection,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    bindparam,
    func,
    insert,
    inspect,
    select,
)

from rejudge.errors import DataError, FileError, Problem
from rejudge.store import tables
from rejudge.store.database import Database
from rejudge.store.statement import Row, SqlStatement, Transaction, Value
from rejudge.store.tables import HEAD

STARTING = 7_265_756_467  # any number that nobody else takes: one process starts at a time
_REVISION = Table(  # as Alembic makes it
    "alembic_version",
    MetaData(),
    Column("version_num", String(32), nullable=False),
    PrimaryKeyConstraint("version_num", name="alembic_version_pkc"),
)


def revision_of(database: Database) -> str | None:
    """The revision of the tables; None where there are none."""
    with database.failing_in_words(), database.engine().connect() as connection:
        if not inspect(connection).has_table(_REVISION.name):
            return None
        return connection.execute(select(_REVISION.c.version_num)).scalar()


@dataclass(frozen=True, slots=True)
class DatabaseUpgrade:
    """That the tables of a database were changed for this version of rejudge."""

    before: str  # the revision
    after: str
    copy: Path | None  # of the SQLite file as it was


def create_tables(database: Database) -> None:
    """Make the tables where there are none; DataError where they are of another version."""
    database.create_file()
    revision = revision_of(database)
    if revision is not None:
        _refuse_other_version(database, revision)
        return
    with _starting_alone(database) as connection:
        if not inspect(connection).has_table(_REVISION.name):  # nobody was faster
            _create_tables(connection)


def upgrade(database: Database) -> DatabaseUpgrade | None:
    """Change older tables to what this version knows; None where there is nothing to change.

    A file is copied before.
    """
    before = revision_of(database) if database.is_there else None
    if before is None or before == HEAD:
        return None
    if before > HEAD:
        raise _of_newer_version(database.name)
    with database.failing_in_words():
        copy = None if database.file is None else _copy_file(database.file, before)
    with _starting_alone(database) as connection:
        _upgrade(connection, database.name)
    return DatabaseUpgrade(before, HEAD, copy)


def refuse_unreadable(database: Database) -> None:
    """Raise a DataError where no study is kept, or tables of another version."""
    revision = revision_of(database) if database.is_there else None
    if revision is None:
        raise DataError(
            Problem("there is no study here.", "Check the address.", file=database.name)
        )
    _refuse_other_version(database, revision)


@contextmanager
def _starting_alone(database: Database) -> Iterator[Connection]:
    """A transaction in which no other process makes or changes tables."""
    with database.failing_in_words(), database.engine().connect() as connection:
        if database.is_sqlite:
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        else:
            connection.exec_driver_sql("BEGIN")
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({STARTING})")
        try:
            yield connection
        except BaseException:
            connection.exec_driver_sql("ROLLBACK")
            raise
        connection.exec_driver_sql("COMMIT")


def _copy_file(file: Path, revision: str) -> Path:
    """The file with all that is committed, beside it under a name that is free."""
    copy, number = file.with_name(f"{file.stem}-{revision}{file.suffix}"), 2
    while copy.exists():
        copy, number = file.with_name(f"{file.stem}-{revision}-{number}{file.suffix}"), number + 1
    os.close(os.open(copy, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    with closing(sqlite3.connect(file)) as source, closing(sqlite3.connect(copy)) as target:
        source.backup(target)
    return copy


def _refuse_other_version(database: Database, revision: str) -> None:
    if revision > HEAD:
        raise _of_newer_version(database.name)
    if revision < HEAD:
        raise DataError(
            Problem(
                "the database was created by an earlier version of rejudge.",
                "`rejudge serve STUDY` brings it up to date and keeps a copy; stop a site of the "
                "earlier version first. Nothing else changes it.",
                file=database.name,
            )
        )


def _create_tables(connection: Connection) -> None:
    """Make the newest tables at once. Running all migrations takes ten times as long."""
    tables.metadata.create_all(connection, checkfirst=False)
    _REVISION.create(connection)
    connection.execute(insert(_REVISION).values(version_num=HEAD))


def _upgrade(connection: Connection, name: str) -> None:
    """Run the migrations that are missing."""
    from alembic import command
    from alembic.config import Config
    from alembic.util import CommandError

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    try:
        command.upgrade(config, "head")
    except CommandError:
        raise _of_newer_version(name) from None


def _of_newer_version(name: str) -> DataError:
    return DataError(
        Problem(
            "the database was created by a newer version of rejudge.",
            "Install that version of rejudge.",
            file=name,
        )
    )


_OF_A_STUDY: tuple[Table, ...] = (  # what is named is copied before what names it
    tables.study, tables.batch, tables.participant, tables.visit, tables.identity,
    tables.assignment, tables.answer, tables.event, tables.log, tables.consent_text,
    tables.barred, tables.tombstone, tables.token, tables.submission, tables.delivery,
    tables.look,
)  # fmt: skip
_SALT = SqlStatement(select(tables.setting.c.value).where(tables.setting.c.name == "salt"))
_ADD_SALT = SqlStatement(insert(tables.setting).values(name="salt", value=bindparam("salt")))
_STUDIES = SqlStatement(select(tables.study.c.id, tables.study.c.name))
_AT_ONCE = 1000
_NAMED_OUTSIDE = (tables.visit, tables.assignment, tables.token)  # by what browsers keep
_APART = 1_000_000  # more than anybody gives out between two backups


def backup(source: Database, study: int, path: Path) -> Path:
    """Copy a study as it stands at one moment; the file appears when it is whole."""
    if path.exists():
        raise FileError(Problem("this file already exists.", "Give another name.", file=str(path)))
    unfinished = path.with_name(path.name + ".part")
    unfinished.unlink(missing_ok=True)
    target = Database(str(unfinished))
    try:
        create_tables(target)
        with source.snapshot() as reading, target.writing() as writing:
            _copy_salt(reading, writing)
            for table in _OF_A_STUDY:
                _copy(reading, writing, table, study=study, shifts={})
        target.close()
        target.make_single_file()
    except BaseException:
        target.close()
        for ending in ("", "-wal", "-shm"):  # it holds people's ids
            unfinished.with_name(unfinished.name + ending).unlink(missing_ok=True)
        raise
    unfinished.replace(path)
    return path


def restore(path: Path, url: str) -> str:
    """Put a backup into a database that does not know its study; gives the id of the study."""
    with TemporaryDirectory(prefix="rejudge-restore-") as folder:
        return _restore(_current(path, Path(folder)), url)


def _current(path: Path, folder: Path) -> Path:
    """The backup, or a copy of an older one whose tables were brought up to date."""
    source = Database(str(path), is_left_alone=True)
    try:
        revision = revision_of(source) if source.is_there else None
        if revision is None or revision >= HEAD:
            refuse_unreadable(source)
            return path
    finally:
        source.close()
    copied = folder / "backup.db"
    shutil.copyfile(path, copied)
    copied.chmod(0o600)
    newer = Database(str(copied))
    try:
        upgrade(newer)
    finally:
        newer.close()
    return copied


def _restore(path: Path, url: str) -> str:
    source, target = Database(str(path), is_left_alone=True), Database(url)
    try:
        create_tables(target)
        with source.snapshot() as reading, target.writing() as writing:
            kept = reading.row(_STUDIES)
            if kept is None:
                raise DataError(Problem("the backup contains no study.", file=str(path)))
            _refuse_clash(writing, kept.name)
            _copy_salt(reading, writing)
            shifts = {table.name: _last_id(writing, table) for table in _OF_A_STUDY}
            for table in _OF_A_STUDY:
                _copy(reading, writing, table, study=kept.id, shifts=shifts)
                if _is_counted(table):
                    _count_on(writing, table)
        return str(kept.name)
    finally:
        source.close()
        target.close()


def _refuse_clash(writing: Transaction, name: str) -> None:
    if any(row.name == name for row in writing.rows(_STUDIES)):
        raise DataError(
            Problem(f"the database already contains the study '{name}'.", "Give another database.")
        )


def _copy_salt(reading: Transaction, writing: Transaction) -> None:
    """Hashes of people are made with the database's own salt, so it must be the same one."""
    given, kept = reading.row(_SALT), writing.row(_SALT)
    if kept is None and given is not None:
        writing.do(_ADD_SALT, salt=given.value)
    elif given is not None and kept is not None and given.value != kept.value:
        raise DataError(
            Problem(
                "the database contains other studies, so participants could be confused.",
                "Restore into a new database.",
            )
        )


def _copy(
    reading: Transaction,
    writing: Transaction,
    table: Table,
    *,
    study: int,
    shifts: dict[str, int],
) -> None:
    """Copy the study's rows of a table; ids go up by as much as the target has used."""
    add = SqlStatement(insert(table).values({c.name: bindparam(f"new_{c.name}") for c in table.c}))
    waiting: list[dict[str, Value]] = []
    for row in reading.stream(_rows_of(table), of=study):
        waiting.append(_shift_ids(table, row, shifts))
        if len(waiting) == _AT_ONCE:
            writing.do_all(add, waiting)
            waiting = []
    writing.do_all(add, waiting)


def _rows_of(table: Table) -> SqlStatement:
    if table is tables.study:
        return SqlStatement(select(table).where(table.c.id == bindparam("of")))
    if "study" in table.c:
        return SqlStatement(select(table).where(table.c.study == bindparam("of")))
    own = select(tables.visit.c.id).where(tables.visit.c.study == bindparam("of"))
    return SqlStatement(select(table).where(table.c.visit.in_(own)))


def _shift_ids(table: Table, row: Row, shifts: dict[str, int]) -> dict[str, Value]:
    given: dict[str, Value] = {}
    for column, value in zip(table.c, row, strict=True):
        named = table.name if column.name == "id" else None
        for key in column.foreign_keys:
            named = key.column.table.name
        shifted = value + shifts.get(named, 0) if named is not None and value is not None else value
        is_truth = isinstance(column.type, Boolean) and value is not None
        given[f"new_{column.name}"] = bool(value) if is_truth else shifted
    return given


def _is_counted(table: Table) -> bool:
    return "id" in table.c


def _last_id(transaction: Transaction, table: Table) -> int:
    if not _is_counted(table):
        return 0
    return transaction.number(SqlStatement(select(func.coalesce(func.max(table.c.id), 0))))


def _count_on(transaction: Transaction, table: Table) -> None:
    """Have the database go on counting, well after what may have been given out since the backup:
    cookies and open pages name visits by numbers that must not become somebody else's."""
    is_outside = table in _NAMED_OUTSIDE
    last = _last_id(transaction, table) + (_APART if is_outside else 0)
    if transaction.dialect.name == "postgresql":
        sequence = func.pg_get_serial_sequence(table.name, "id")
        transaction.row(SqlStatement(select(func.setval(sequence, max(last, 1)))))
    elif is_outside:
        transaction.plain(f"DELETE FROM sqlite_sequence WHERE name = '{table.name}'")  # noqa: S608 - our own name
        transaction.plain(f"INSERT INTO sqlite_sequence VALUES ('{table.name}', {last})")  # noqa: S608 - 〃
