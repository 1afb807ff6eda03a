"""The tables of the code, and times as they keep them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from rejudge.store import tables
from rejudge.store.database import Database
from rejudge.store.tables import maybe_moment, moment, stamp


def test_migrations_lead_to_the_tables_of_the_code(database):
    kept = Database(database)
    with kept.engine().connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, tables.metadata) == []
    kept.close()


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
