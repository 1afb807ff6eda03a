"""The tables of the code, and times as they keep them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import inspect, text

from rejudge.store import copies, tables
from rejudge.store.database import Database
from rejudge.store.tables import maybe_moment, moment, stamp


@pytest.fixture(params=["sqlite", "postgresql"])
def new_database(request, tmp_path):
    """Makes databases without tables, of both kinds in turn."""
    if request.param == "sqlite":
        return lambda: Database(str(tmp_path / "empty.db"))
    server = request.getfixturevalue("postgres_server")
    return lambda: Database(server.new_database())


def test_migrations_lead_to_the_tables_of_the_code(new_database):
    kept = new_database()
    kept.create_file()
    with kept.engine().begin() as connection:
        copies._upgrade(connection, kept.name)
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, tables.metadata) == []
    kept.close()


def test_new_tables_are_those_that_migrations_make(new_database):
    """Only the order of columns may differ."""
    migrated = new_database()
    migrated.create_file()
    with migrated.engine().begin() as connection:
        copies._upgrade(connection, migrated.name)
        expected = describe_tables(connection)
        connection.execute(text("DROP TABLE alembic_version"))
        tables.metadata.drop_all(connection)
    copies.create_tables(migrated)
    with migrated.engine().connect() as connection:
        assert describe_tables(connection) == expected
    assert copies.revision_of(migrated) == tables.HEAD
    migrated.close()


def describe_tables(connection):
    found = inspect(connection)
    return {
        table: [
            sorted(
                (each["name"], str(each["type"]), each["nullable"])
                for each in found.get_columns(table)
            ),
            found.get_pk_constraint(table),
            *(
                sorted((each["name"] or "", str(each.get("constrained_columns"))) for each in part)
                for part in (
                    found.get_foreign_keys(table),
                    found.get_unique_constraints(table),
                    found.get_check_constraints(table),
                )
            ),
            sorted(
                (each["name"], each["column_names"], bool(each["unique"]))
                for each in found.get_indexes(table)
            ),
        ]
        for table in found.get_table_names()
    }


@pytest.mark.parametrize(
    "written",
    [
        datetime(2026, 3, 1, 9, 30, 0, 123_456, tzinfo=UTC),
        datetime(1, 1, 1, tzinfo=UTC),
        datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC),
        datetime(2026, 3, 1, 11, 30, tzinfo=timezone(timedelta(hours=2))),
    ],
)
def test_a_time_comes_back_to_the_microsecond(written):
    read = moment(stamp(written))
    assert read == written
    assert read.tzinfo is UTC
    assert maybe_moment(stamp(written)) == written
    assert maybe_moment(None) is None


def test_later_times_have_larger_numbers():
    first = datetime(1969, 12, 31, 23, 59, tzinfo=UTC)
    assert stamp(first) < 0 < stamp(first + timedelta(minutes=2))
