"""The tables that migrations make are the tables that the code knows."""

from __future__ import annotations

from pathlib import Path

import pytest
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import text
from walking import NOW, complete, opened, plan_of, study_of

from rejudge import store as store_room
from rejudge.errors import DataError
from rejudge.store import tables
from rejudge.store.copies import revision_of
from rejudge.store.database import Database
from rejudge.store.store import open_existing, restore, upgrade_database


def test_the_newest_revision_is_the_one_the_code_expects():
    config = Config()
    config.set_main_option("script_location", str(Path(store_room.__file__).parent / "migrations"))
    config.set_main_option("path_separator", "os")
    assert ScriptDirectory.from_config(config).get_current_head() == tables.HEAD


def test_a_database_of_a_later_version_is_refused(database):
    opened(database, 2).close()
    kept = Database(database)
    with kept.engine().connect() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    kept.close()
    study = study_of()
    with pytest.raises(DataError, match="newer version"):
        open_existing(database, study, plan_of(study, 2))
    with pytest.raises(DataError, match="newer version"):
        opened(database, 2, now=NOW)
    kept = Database(database)
    with kept.engine().connect() as connection:  # both kinds of database are left as they were
        connection.execute(
            text("UPDATE alembic_version SET version_num = :head"), {"head": tables.HEAD}
        )
    kept.close()


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_only_the_owner_can_read_a_new_file(database, tmp_path):
    opened(str(tmp_path / "new.db"), 2).close()
    assert (tmp_path / "new.db").stat().st_mode & 0o077 == 0


def _make_older(address: str) -> None:
    """Take away what the revisions after the first added."""
    kept = Database(address)
    with kept.engine().begin() as connection:
        for change in (
            "DROP TABLE look",
            "ALTER TABLE study DROP COLUMN stop_rule",
            "DROP INDEX visit_qualifying_idx",
            "ALTER TABLE visit DROP COLUMN qualifying_until",
            "ALTER TABLE visit DROP COLUMN unqualified_at",
            "ALTER TABLE visit DROP COLUMN qualified_at",
            "ALTER TABLE visit DROP COLUMN attempts",
            "ALTER TABLE study DROP COLUMN code_not_qualified",
            "ALTER TABLE visit DROP COLUMN sent_to",
            "ALTER TABLE visit DROP COLUMN screened_out_at",
            "ALTER TABLE visit DROP COLUMN admitted_at",
            "ALTER TABLE study DROP COLUMN code_failed_checks",
            "ALTER TABLE study DROP COLUMN code_screened_out",
            "DROP TABLE delivery",
            "DROP TABLE submission",
            "DROP TABLE session",
            "DROP TABLE origin",
            "ALTER TABLE token DROP COLUMN expires_at",
            "UPDATE alembic_version SET version_num = '0001'",
        ):
            connection.execute(text(change))
    kept.close()


def test_a_database_of_an_older_version_opens_with_everything_in_it(database):
    store = opened(database, 2)
    done = complete(store, 1)
    secret = store.grant("owner", now=NOW)
    store.close()
    _make_older(database)
    upgrade_database(database)
    study = study_of()
    again = open_existing(database, study, plan_of(study, 2))
    assert [(each.id, each.status) for each in again.assignments()] == [(done.id, "submitted")]
    assert again.login(secret, now=NOW).state(NOW) == "holds"
    again.close()


def _revision(address: str) -> str | None:
    kept = Database(address)
    try:
        return revision_of(kept)
    finally:
        kept.close()


def test_opening_a_database_of_an_older_version_changes_nothing(database):
    opened(database, 2).close()
    _make_older(database)
    study = study_of()
    with pytest.raises(DataError, match=r"earlier version.*`rejudge serve STUDY`"):
        open_existing(database, study, plan_of(study, 2))
    with pytest.raises(DataError, match="earlier version"):
        opened(database, 2, now=NOW)
    assert _revision(database) == "0001"
    upgrade_database(database)  # both kinds of database are left as they were


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_a_file_is_copied_before_its_tables_are_changed(database):
    opened(database, 2).close()
    for copy in ("small-0001.db", "small-0001-2.db"):
        _make_older(database)
        found = upgrade_database(database)
        assert (found.before, found.after) == ("0001", tables.HEAD)
        assert found.copy.name == copy.replace("small", Path(database).stem)
        assert _revision(str(found.copy)) == "0001"
        assert found.copy.stat().st_mode & 0o077 == 0
    assert _revision(database) == tables.HEAD
    assert upgrade_database(database) is None


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_a_backup_of_an_older_version_is_restored_and_left_as_it_is(database, tmp_path):
    store = opened(database, 2)
    complete(store, 1)
    copy = store.backup(tmp_path / "copy.db")
    store.close()
    _make_older(str(copy))
    Database(str(copy)).make_single_file()
    before = copy.read_bytes()
    fresh = str(tmp_path / "fresh.db")
    assert restore(copy, fresh) == "small"
    assert copy.read_bytes() == before
    study = study_of()
    again = open_existing(fresh, study, plan_of(study, 2))
    assert len(again.assignments()) == 1
    again.close()
