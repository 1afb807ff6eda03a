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


def test_once_the_answers_are_elsewhere_the_old_file_is_not_taken_for_them(folder, tmp_path):
    """As after a move: the site has the variable, and the nightly backup has not."""
    said("backup", folder, tmp_path / "moved.db")
    moved = tmp_path / "again.db"
    said("restore", tmp_path / "moved.db", "--database", moved)
    said("links", folder, "dora", "--database", moved)
    assert (folder / "database.txt").read_text("utf-8") == f"{moved}\n"
    for words in (
        ("backup", folder, tmp_path / "night.db"),
        ("status", folder),
        ("analyse", folder),
        ("withdraw", folder, "p0001", "--yes"),
        ("serve", folder),
    ):
        refused = run(*words)
        assert refused.exit_code == 2, words
        assert "REJUDGE_DATABASE" in refused.output
    assert not (tmp_path / "night.db").exists()
    assert said("backup", folder, tmp_path / "day.db", "--database", moved)["done"] == 2


def test_going_back_to_the_file_of_the_folder_is_possible(folder, tmp_path):
    said("links", folder, "dora", "--database", tmp_path / "other.db")
    assert run("status", folder).exit_code == 2
    said("links", folder, "dora", "--database", folder / "study.db")
    assert said("status", folder)["progress"]["done"] == 2


def test_a_backup_does_not_replace_a_file(folder, tmp_path):
    file = tmp_path / "thesis.txt"
    file.write_text("years of work", encoding="utf-8")
    assert run("backup", folder, file).exit_code == 2
    assert file.read_text(encoding="utf-8") == "years of work"
