"""What a purge deletes of a folder, file by file, and what it says may remain elsewhere."""

from __future__ import annotations

import sqlite3
from datetime import UTC, datetime
from pathlib import Path

import pytest

from rejudge.cli.commands.backup import BACKUP
from rejudge.cli.commands.privacy import EXPORTED
from rejudge.cli.purged_files import FolderContents, find_files, remainders
from rejudge.files.step_files import open_plan
from rejudge.store.records import LogEntry
from rejudge.study.conduct import Erasure

NOW = datetime(2026, 3, 4, tzinfo=UTC)
NOTHING = FolderContents((), (), ())


@pytest.fixture
def purged(folder) -> Path:
    """A study folder with personal files of several kinds, and files of the user's own."""
    (folder / "invitations").mkdir()
    (folder / "invitations" / "anna.txt").write_text("Dear Anna", "utf-8")
    (folder / "demographics.csv").write_text("participant,age\np0001,34\n", "utf-8")
    (folder / "results.json").write_text("{}", "utf-8")
    (folder / "excluded.csv").write_text("", "utf-8")
    (folder / "notes.md").write_text("mine", "utf-8")
    (folder / "broken.zip").write_bytes(b"PK\3\4 not an archive")
    return folder


def deleted(folder: Path, *erased: Erasure) -> set[str]:
    study, plan = open_plan(folder)
    contents = find_files(folder, erased, study=study, plan=plan)
    return {str(path.relative_to(folder)) for path in contents.deleted}


def remains(folder: Path, *log: LogEntry, database: str | None = None, contents=NOTHING):
    _, plan = open_plan(folder)
    address = database or str(folder / "study.db")
    return list(remainders(folder, contents, log, plan=plan, database=address))


def entry(what: str, reason: str = "") -> LogEntry:
    return LogEntry(1, NOW, "anna", what, reason=reason)


def test_platform_ids_are_also_in_invitations(purged):
    assert deleted(purged, "platform-ids") == {"invitations/anna.txt"}


@pytest.mark.parametrize("erased", ["times", "free-text"])
def test_what_was_computed_with_times_and_texts_is_deleted(purged, erased):
    assert deleted(purged, erased) == {"results.json", "excluded.csv"}


def test_everything_includes_demographics_but_nothing_of_the_users_own(purged):
    gone = deleted(purged, "everything")
    assert gone == {"invitations/anna.txt", "results.json", "excluded.csv", "demographics.csv"}


def test_nothing_is_deleted_where_nothing_was_promised(purged):
    assert deleted(purged) == set()


def test_an_archive_that_cannot_be_read_is_named(purged):
    study, plan = open_plan(purged)
    contents = find_files(purged, ["everything"], study=study, plan=plan)
    assert contents.unread == (purged / "broken.zip",)
    assert f"Could not be searched: {purged / 'broken.zip'}" in remains(purged, contents=contents)


def test_backups_are_named_whether_they_are_there_or_not(purged, tmp_path):
    here, gone = tmp_path / "here.db", tmp_path / "gone.db"
    here.write_bytes(b"")
    said = remains(purged, entry(BACKUP, str(here)), entry(BACKUP, str(gone)))
    assert f"Backup of 2026-03-04: {here} (delete it, or keep it as safe as before)" in said
    assert f"Backup of 2026-03-04: {gone} (no longer there)" in said


def test_another_database_in_the_folder_is_named_and_its_own_is_not(purged):
    with sqlite3.connect(purged / "copy.sqlite") as other:
        other.execute("CREATE TABLE t (x)")
    other.close()
    said = [line for line in remains(purged) if "database" in line]
    assert said == [f"Another database in the folder: {purged / 'copy.sqlite'}"]


def test_downloads_and_exports_are_counted(purged):
    log = [entry("downloaded judgments"), entry("downloaded events"), entry(EXPORTED)]
    said = remains(purged, *log)
    assert "2 downloads from the dashboard, wherever they were saved" in said
    assert "1 export for participants who asked for their data" in said


def test_on_postgresql_its_log_may_remain(purged):
    assert "write-ahead log" in " ".join(remains(purged, database="postgresql://localhost/x"))
    assert "write-ahead log" not in " ".join(remains(purged))
