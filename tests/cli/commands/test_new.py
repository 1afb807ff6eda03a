"""rejudge new: writes all or nothing, overwrites nothing unasked, and says what to do next."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from rejudge.cli import main
from rejudge.files.step_files import open_study
from rejudge.starters.folders import LIKES, folder_files


def run(*words: object):
    return CliRunner().invoke(main, ["new", *map(str, words)])


def all_files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_a_new_study_is_pairwise_and_named_after_its_folder(tmp_path):
    result = run(tmp_path / "first-study")
    assert result.exit_code == 0, result.output
    study = open_study(tmp_path / "first-study")
    assert (study.spec.id, study.spec.title) == ("first-study", "First study")
    assert study.spec.questions[0].kind == "pairwise"


def test_it_says_what_was_written_and_what_to_do_next(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said = run("mine").output
    assert "study.yaml" in said
    assert "items.csv" in said
    assert "rejudge check mine" in said
    assert "rejudge plan mine" in said


def test_the_json_names_every_file_and_the_next_commands(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said = json.loads(run("two words", "--kind", "rating", "--json").output)
    assert said == {
        "folder": "two words",
        "starter": "rating",
        "written": list(folder_files("rating")),
        "replaced": [],
        "next": ["rejudge check 'two words'", "rejudge plan 'two words'"],
    }


@pytest.mark.parametrize("like", LIKES)
def test_a_study_like_a_published_one_keeps_its_own_name(tmp_path, like):
    assert run(tmp_path / "mine", "--like", like).exit_code == 0
    assert all_files(tmp_path / "mine") == folder_files(like)
    assert open_study(tmp_path / "mine").spec.id == like


def test_folders_on_the_way_are_made(tmp_path):
    assert run(tmp_path / "a" / "b" / "c").exit_code == 0
    assert (tmp_path / "a" / "b" / "c" / "study.yaml").is_file()


def test_an_empty_folder_may_be_there_already(tmp_path):
    (tmp_path / "mine").mkdir()
    assert run(tmp_path / "mine").exit_code == 0
    assert open_study(tmp_path / "mine").spec.id == "mine"


def test_a_folder_that_is_not_empty_is_refused_and_left_alone(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    result = run(tmp_path)
    assert result.exit_code == 2
    assert "is not empty" in result.output
    assert "--force" in result.output
    assert all_files(tmp_path) == {"notes.txt": b"mine"}


def test_force_replaces_files_of_the_same_name_and_deletes_nothing(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "items.csv").write_text("old")
    result = run(tmp_path, "--kind", "slider", "--force", "--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.output)["replaced"] == ["items.csv"]
    found = all_files(tmp_path)
    assert found["notes.txt"] == b"mine"
    assert found["items.csv"] == folder_files("slider")["items.csv"]


def test_kind_and_like_cannot_be_combined(tmp_path):
    result = run(tmp_path / "mine", "--kind", "rating", "--like", "definitions")
    assert result.exit_code == 2
    assert "cannot be combined" in result.output
    assert not (tmp_path / "mine").exists()


@pytest.mark.parametrize(("option", "value"), [("--kind", "likert"), ("--like", "summaries")])
def test_an_unknown_starter_is_answered_with_the_known_ones(tmp_path, option, value):
    result = run(tmp_path / "mine", option, value)
    assert result.exit_code == 2
    assert "'pairwise'" in result.output or "'definitions'" in result.output
    assert not (tmp_path / "mine").exists()


def test_a_file_in_the_place_of_the_folder_is_refused(tmp_path):
    (tmp_path / "mine").write_text("a file")
    result = run(tmp_path / "mine")
    assert result.exit_code == 2
    assert "is a file, not a folder" in result.output
    assert (tmp_path / "mine").read_text() == "a file"


def test_the_error_is_json_when_json_is_asked_for(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    result = run(tmp_path, "--json")
    assert result.exit_code == 2
    assert "is not empty" in json.loads(result.output)["error"][0]["what"]


def test_a_disk_that_fills_up_leaves_nothing_behind(tmp_path, monkeypatch):
    """The fourth file cannot be written; the folder itself must be gone again."""
    written = []

    def full(descriptor: int) -> None:
        written.append(descriptor)
        if len(written) == 4:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    result = run(tmp_path / "new" / "mine")
    assert result.exit_code == 2
    assert "no space left" in result.output.lower()
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_replaced_by_a_file_is_reported_and_nothing_is_written(tmp_path):
    (tmp_path / "items.csv").mkdir()
    result = run(tmp_path, "--force")
    assert result.exit_code == 2
    assert "items.csv" in result.output
    assert [path.name for path in tmp_path.iterdir()] == ["items.csv"]


@pytest.mark.parametrize("name", ["-x", "--force"])
def test_a_name_that_other_commands_take_for_an_option_is_refused(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    result = run("--", name)
    assert result.exit_code == 2
    assert "does not begin with a hyphen" in result.output
    assert list(tmp_path.iterdir()) == []
