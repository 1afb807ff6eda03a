"""rejudge restore: a backup goes into an empty database of either kind."""

from __future__ import annotations

from served import run, said


def test_a_backup_restores_into_both_kinds_of_database(folder, tmp_path, database):
    file = tmp_path / "backup.db"
    said("backup", folder, file)
    said("restore", file, "--database", database)
    assert said("status", folder, "--database", database)["progress"]["done"] == 2


def test_nothing_is_restored_over_answers_that_are_there(folder, tmp_path):
    file = tmp_path / "backup.db"
    said("backup", folder, file)
    assert run("restore", file, "--database", folder / "study.db").exit_code == 2


def test_what_is_no_backup_is_refused_in_words(tmp_path):
    file = tmp_path / "letter.txt"
    file.write_text("Dear all", encoding="utf-8")
    result = run("restore", file, "--database", tmp_path / "new.db")
    assert result.exit_code == 2
    assert "Traceback" not in result.output
