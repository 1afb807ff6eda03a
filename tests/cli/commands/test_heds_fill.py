"""rejudge heds fill and profile, and check against a study."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from rejudge.cli import main
from rejudge.heds.sheet import read_sheet


def run(*words: str | Path):
    return CliRunner().invoke(main, [str(word) for word in words])


@pytest.fixture(scope="module")
def study_once(tmp_path_factory):
    folder = tmp_path_factory.mktemp("studies") / "study"
    for words in (("new", folder, "--kind", "rating"), ("plan", folder)):
        assert run(*words).exit_code == 0
    return folder


@pytest.fixture
def study(study_once, tmp_path):
    return Path(shutil.copytree(study_once, tmp_path / "study"))


def test_before_data_collection_the_sheet_says_what_is_planned(study):
    found = run("heds", "fill", study)
    assert found.exit_code == 0, found.output
    assert "Written:" in found.output
    sheet = read_sheet(study / "heds-planned.json")
    assert sheet.criteria == ("fluency", "meaning")
    assert sheet.answer("3.2.1").text == "12"
    assert not (study / "heds.json").exists()


@pytest.mark.slow
def test_after_data_collection_it_says_what_was_done(study):
    assert run("heds", "fill", study).exit_code == 0
    edited = read_sheet(study / "heds-planned.json").with_answer("5.4", "None was needed.")
    (study / "heds-planned.json").write_bytes(edited.write())
    assert run("simulate", study).exit_code == 0
    assert run("analyse", study).exit_code == 0
    found = json.loads(run("heds", "fill", study, "--json").output)
    assert (found["written"], found["planned"]) == (str(study / "heds.json"), False)
    sheet = read_sheet(study / "heds.json")
    assert sheet.answer("4.3.11.2", "fluency").state == "value"
    assert sheet.answer("5.4").text == "None was needed."
    assert run("heds", "check", study / "heds.json", "--study", study, "--json").exit_code == 1
    wrong = sheet.with_answer("3.2.1", "99")
    (study / "heds.json").write_bytes(wrong.write())
    found = run("heds", "check", study / "heds.json", "--study", study)
    assert "The answer is 99, but in the study 12 evaluators" in " ".join(found.output.split())
    again = " ".join(run("heds", "fill", study).output.split())
    assert "3.2.1 Number of evaluators: edited by hand; the study says “12”." in again
    assert read_sheet(study / "heds.json").answer("3.2.1").text == "99"


def test_the_profile_is_written_once_and_then_used(study):
    assert run("heds", "profile", study).exit_code == 0
    (study / "datasheet.yaml").write_text("tasks: [Machine translation]\n")
    assert run("heds", "profile", study).exit_code == 2
    assert run("heds", "fill", study).exit_code == 0
    assert read_sheet(study / "heds-planned.json").answer("2.3").options == (15,)


def test_faults_in_the_profile_change_nothing(study):
    (study / "datasheet.yaml").write_text("task: [Machine translation]\n")
    found = run("heds", "fill", study)
    assert found.exit_code == 2
    assert "task" in found.output
    assert not (study / "heds-planned.json").exists()


@pytest.mark.parametrize("content", [b"[]", b"{", b'{"heds-ethics-review_body": 3}'])
def test_a_damaged_sheet_is_refused_and_left_as_it_is(study, content):
    (study / "heds-planned.json").write_bytes(content)
    assert run("heds", "fill", study).exit_code == 2
    assert (study / "heds-planned.json").read_bytes() == content


def test_a_folder_without_a_plan_is_refused(tmp_path):
    assert run("heds", "fill", tmp_path / "nowhere").exit_code == 2
