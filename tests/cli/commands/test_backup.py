"""rejudge backup: one file with everything, made while the site may be running."""

from __future__ import annotations

from served import run, said


def test_a_backup_restores_everything_into_a_new_database(folder, tmp_path):
    file = tmp_path / "backup.db"
    assert said("backup", folder, file)["done"] == 2
    restored = tmp_path / "again.db"
    assert said("restore", file, "--database", restored)["study"] == "served"
    before, after = (said("status", folder, *more) for more in ((), ("--database", restored)))
    assert after["people"] == before["people"]


def test_a_backup_does_not_replace_a_file(folder, tmp_path):
    file = tmp_path / "thesis.txt"
    file.write_text("years of work", encoding="utf-8")
    assert run("backup", folder, file).exit_code == 2
    assert file.read_text(encoding="utf-8") == "years of work"
