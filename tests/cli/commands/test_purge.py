"""rejudge purge: what was promised is deleted from database and folder, and the rest is named."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
from click.testing import CliRunner

from rejudge.cli import main
from served import run, said


def promise(folder, words: str) -> None:
    path = folder / "study.yaml"
    path.write_text(f"{path.read_text('utf-8')}\nretention: {words}\n", "utf-8")


def on_disk(folder) -> bytes:
    return b"\n".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def test_platform_ids_go_from_the_file_and_results_stay_the_same(folder, tmp_path):
    promise(folder, "{until: 2020-01-01}")
    said("backup", folder, tmp_path / "kept.db")
    before = said("analyse", folder)
    (folder / "invitations").mkdir()
    (folder / "invitations" / "anna.txt").write_text("Dear Anna", "utf-8")
    shown = said("purge", folder, "--dry-run")
    assert shown["is_dry_run"]
    assert shown["deleted"]["platform ids"] == 3
    assert (folder / "invitations" / "anna.txt").exists()
    assert said("status", folder)["progress"]["state"] == "open"
    found = said("purge", folder, "--yes")
    assert (found["delete"], found["due"]) == (["platform-ids"], "2020-01-01")
    assert found["deleted"] == shown["deleted"]
    assert not (folder / "invitations" / "anna.txt").exists()
    assert any(
        str(tmp_path / "kept.db") in each and "delete it" in each for each in found["remains"]
    )
    assert said("status", folder)["progress"]["state"] == "closed"
    after = said("analyse", folder, "--force")
    assert {**after, "written": 0} == {**before, "written": 0}
    assert said("purge", folder, "--yes")["deleted"] == {}


def test_everything_goes_from_the_folder_too(folder):
    promise(folder, "{days: 0, delete: everything}")
    (folder / "demographics.csv").write_text("participant,age\np0001,34\n", "utf-8")
    said("analyse", folder)
    said("report", folder)
    said("bundle", folder, "--licence", "CC-BY-4.0", "--out", folder / "shared.zip")
    found = said("purge", folder, "--yes")
    assert found["deleted"]["participants"] == 3
    left = {path.name for path in folder.rglob("*") if path.is_file()}
    gone = {"judgments.csv", "results.json", "demographics.csv", "shared.zip", "index.html"}
    assert not left & gone
    assert b"p0001" not in on_disk(folder)
    assert run("analyse", folder).exit_code == 2


def test_before_the_date_nothing_is_deleted_unless_it_is_asked_for(folder):
    promise(folder, "{days: 3650}")
    result = run("purge", folder, "--yes")
    assert result.exit_code == 2
    assert "data are kept until" in " ".join(result.output.split())
    assert run("purge", folder, "--delete", "everything", "--yes").exit_code == 2
    assert said("purge", folder, "--dry-run")["deleted"]["platform ids"] == 3
    assert date.fromisoformat(said("purge", folder, "--dry-run")["due"]) > datetime.now(UTC).date()
    assert said("purge", folder, "--early", "--yes")["deleted"]["platform ids"] == 3


def test_without_a_promise_what_is_deleted_must_be_named(folder):
    result = run("purge", folder, "--yes")
    assert result.exit_code == 2
    assert "retention" in result.output
    assert said("purge", folder, "--delete", "free-text", "--yes")["delete"] == ["free-text"]


@pytest.mark.parametrize(("typed", "state"), [("y\n", "closed"), ("n\n", "open"), ("\n", "open")])
def test_it_asks_first(folder, monkeypatch, typed, state):
    promise(folder, "{until: 2020-01-01}")
    monkeypatch.setattr("rejudge.cli.commands.purge.is_interactive", lambda: True)
    result = CliRunner().invoke(main, ["purge", str(folder)], input=typed)
    assert "3 platform ids" in result.output
    assert said("status", folder)["progress"]["state"] == state


def test_without_a_terminal_it_needs_a_yes(folder):
    promise(folder, "{until: 2020-01-01}")
    result = run("purge", folder)
    assert result.exit_code == 2
    assert "--yes" in result.output
    assert said("status", folder)["progress"]["state"] == "open"


def test_the_log_names_nobody(folder):
    promise(folder, "{until: 2020-01-01, delete: [times, free-text]}")
    said("analyse", folder)
    found = said("purge", folder, "--yes")
    assert found["delete"] == ["times", "free-text"]
    assert str(folder / "judgments.csv") in found["files"]  # with the hour of each submission
    said("analyse", folder)
    assert "2000-01-01" in (folder / "judgments.csv").read_text("utf-8")
