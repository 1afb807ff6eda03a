"""The tables of a database: refused where they are of another schema; times as they keep them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from sqlalchemy import select, text
from walking import NOW, opened, plan_of, study_of

from rejudge.errors import DataError
from rejudge.store.database import Database
from rejudge.store.store import open_existing, restore
from rejudge.store.tables import maybe_moment, metadata, moment, stamp


@pytest.fixture(params=["sqlite", "postgresql"])
def own_database(request, tmp_path) -> str:
    """The address of a database that no other test uses, of both kinds in turn."""
    if request.param == "sqlite":
        return str(tmp_path / "study.db")
    return request.getfixturevalue("postgres_server").new_database()


def change_schema(address: str, statement: str) -> None:
    kept = Database(address)
    with kept.engine().connect() as connection:
        connection.execute(text(statement))
    kept.close()


def rows_of(address: str) -> list[list[tuple[object, ...]]]:
    """Everything in a database."""
    kept = Database(address)
    with kept.engine().connect() as connection:
        rows = [
            [tuple(row) for row in connection.execute(select(table))]
            for table in metadata.sorted_tables
        ]
    kept.close()
    return rows


@pytest.mark.parametrize(
    ("statement", "number"),
    [
        ("UPDATE setting SET value = '2' WHERE name = 'schema'", "2"),
        ("DELETE FROM setting WHERE name = 'schema'", "unknown"),
    ],
)
def test_a_database_of_another_schema_is_refused_and_left_as_it_is(
    own_database, tmp_path, statement, number
):
    opened(own_database, 2).close()
    opened(str(tmp_path / "copy.db"), 1, name="other").close()
    change_schema(own_database, statement)
    before = rows_of(own_database)
    study = study_of()
    for use in (
        lambda: open_existing(own_database, study, plan_of(study, 2)),
        lambda: opened(own_database, 2, now=NOW),
        lambda: restore(tmp_path / "copy.db", own_database),
    ):
        with pytest.raises(DataError, match=f"has tables of schema {number}; .* reads 1"):
            use()
    assert rows_of(own_database) == before


def test_a_backup_of_another_schema_is_refused_and_nothing_is_made(tmp_path):
    copy, fresh = tmp_path / "copy.db", tmp_path / "fresh.db"
    opened(str(copy), 2).close()
    change_schema(str(copy), "UPDATE setting SET value = '2' WHERE name = 'schema'")
    with pytest.raises(DataError, match="has tables of schema 2"):
        restore(copy, str(fresh))
    assert not fresh.exists()


def test_only_the_owner_can_read_a_new_file(tmp_path):
    opened(str(tmp_path / "new.db"), 2).close()
    assert (tmp_path / "new.db").stat().st_mode & 0o077 == 0


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
