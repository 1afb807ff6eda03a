"""The tables of a database: made, checked when it is opened, backed up and restored."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Boolean, Table, bindparam, func, insert, inspect, select

from rejudge.errors import DataError, FileError, Problem
from rejudge.store import tables
from rejudge.store.database import Database
from rejudge.store.statement import Row, SqlStatement, Transaction, Value

STARTING = 7_265_756_467  # any number that nobody else takes: one process starts at a time
_SCHEMA = select(tables.setting.c.value).where(tables.setting.c.name == "schema")


def create_tables(database: Database) -> None:
    """Make the tables where there are none; DataError where they are of another schema."""
    database.create_file()
    if _has_tables(database):
        return
    with database.failing_in_words(), database.engine().connect() as connection:
        if database.is_sqlite:
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        else:
            connection.exec_driver_sql("BEGIN")
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({STARTING})")
        try:
            if not inspect(connection).has_table(tables.setting.name):  # nobody was faster
                tables.metadata.create_all(connection, checkfirst=False)
                schema = insert(tables.setting).values(name="schema", value=tables.SCHEMA)
                connection.execute(schema)
        except BaseException:
            connection.exec_driver_sql("ROLLBACK")
            raise
        connection.exec_driver_sql("COMMIT")


def refuse_unreadable(database: Database) -> None:
    """Raise a DataError where no study is kept, or tables of another schema."""
    if not database.is_there or not _has_tables(database):
        raise DataError(
            Problem("there is no study here.", "Check the address.", file=database.name)
        )


def _has_tables(database: Database) -> bool:
    """Whether the tables are there; DataError where they are of another schema."""
    with database.failing_in_words(), database.engine().connect() as connection:
        if not inspect(connection).has_table(tables.setting.name):
            return False
        schema = connection.execute(_SCHEMA).scalar()
    if schema != tables.SCHEMA:
        raise DataError(
            Problem(
                f"the database has tables of schema {schema or 'unknown'}; this version of rejudge "
                f"reads {tables.SCHEMA}.",
                "Open it with the version of rejudge that made it, or give another database.",
                file=database.name,
            )
        )
    return True


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
    source, target = Database(str(path), is_left_alone=True), Database(url)
    try:
        refuse_unreadable(source)
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
