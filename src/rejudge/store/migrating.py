"""Bring the tables of a database up to date, from code."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection, inspect, text

from rejudge.errors import DataError, Problem
from rejudge.store.database import Database
from rejudge.store.tables import HEAD

STARTING = 7_265_756_467  # any number that nobody else takes: one process starts at a time


def revision_of(database: Database) -> str | None:
    """The revision of the tables; None where there are none."""
    with database.failing_in_words(), database.engine().connect() as connection:
        if not inspect(connection).has_table("alembic_version"):
            return None
        return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()


def migrate(database: Database) -> None:
    """Make the tables, or change them to what this version of rejudge knows."""
    database.create_file()
    if revision_of(database) == HEAD:
        return
    with database.failing_in_words(), database.engine().connect() as connection:
        if database.is_sqlite:
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        else:
            connection.exec_driver_sql("BEGIN")
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({STARTING})")
        try:
            _upgrade(connection, database.name)
        except BaseException:
            connection.exec_driver_sql("ROLLBACK")
            raise
        connection.exec_driver_sql("COMMIT")


def refuse_without_tables(database: Database) -> None:
    """Raise a DataError where no study is kept."""
    if not database.is_there or revision_of(database) is None:
        raise DataError(
            Problem("no study is kept here.", "Look at the address.", file=database.name)
        )


def _upgrade(connection: Connection, name: str) -> None:
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
        raise _of_another_version(name) from None


def _of_another_version(name: str) -> DataError:
    return DataError(
        Problem(
            "the database was made by a later version of rejudge.",
            "Install the newer version of rejudge.",
            file=name,
        )
    )
