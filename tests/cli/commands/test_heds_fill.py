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


ABOUT_THE_CHANNEL = {  # by origin of the judgments: 3.3.5, 3.3.6, 3.3.7, 4.3.5, and words of others
    "workbook": ((), (2,), (), (5,), {"3.3.2": "Workbooks", "3.2.4": "the first sheet"}),
    "qualtrics": ((), (2,), (1,), (1,), {"3.3.2": "A survey in Qualtrics", "3.2.4": "a page"}),
    "mturk": ((), (), (1,), (), {"3.3.2": "Amazon Mechanical Turk"}),
    "table": ((), (), (), (), {"3.3.2": "Outside rejudge"}),
}


@pytest.mark.slow
@pytest.mark.parametrize("channel", ABOUT_THE_CHANNEL)
def test_nothing_is_said_that_the_channel_of_the_judgments_did_not_do(study, channel):
    (study / "pages" / "instructions.md").write_text("请读这段文字。Ask {contact}.\n", "utf-8")
    assert run("heds", "fill", study).exit_code == 0
    planned = read_sheet(study / "heds-planned.json")
    assert [planned.answer(each).options for each in ("3.3.5", "3.3.7")] == [(5,), (1,)]
    assert planned.answer("4.3.5", "fluency").options == (1,)
    assert run("simulate", study).exit_code == 0
    judgments = study / "judgments.csv"
    judgments.write_text(judgments.read_text("utf-8").replace(",simulated,", f",{channel},"))
    assert run("analyse", study).exit_code == 0
    assert run("heds", "fill", study).exit_code == 0
    limits, feedback, place, control, words = ABOUT_THE_CHANNEL[channel]
    sheet = read_sheet(study / "heds.json")
    assert sheet.answer("3.3.5").options == limits
    assert sheet.answer("3.3.6").options == feedback
    assert sheet.answer("3.3.7").options == place
    assert sheet.answer("3.3.8").text == planned.answer("3.3.8").text * bool(place)
    assert sheet.answer("4.3.5", "fluency").options == control
    assert "recruited through a link" not in sheet.answer("3.2.3").text
    assert all(said in sheet.answer(number).text for number, said in words.items())
    assert "characters" in sheet.answer("3.2.4").text or "3.2.4" not in words


def test_a_line_that_leaves_the_profile_takes_its_answer_with_it(study):
    (study / "datasheet.yaml").write_text(
        "tasks: [Summarisation]\npreregistration: https://x.org\n"
    )
    assert run("heds", "fill", study).exit_code == 0
    (study / "datasheet.yaml").write_text("ethics: Board 7\n")
    again = run("heds", "fill", study)
    assert "edited by hand" not in again.output
    sheet = read_sheet(study / "heds-planned.json")
    assert (sheet.answer("2.3").state, sheet.answer("3.3.1").options) == ("blank", (2,))


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("tasks: [Sumarisation]", 2),
        ("tasks: ['Other: satire']", 0),
        ("reference: {kind: unpublished}", 0),
        ("reference: {kind: paper}", 2),
    ],
)
def test_names_that_the_form_does_not_have_are_refused_with_those_it_has(study, line, code):
    (study / "datasheet.yaml").write_text(f"{line}\n")
    result = run("heds", "fill", study)
    assert result.exit_code == code, result.output
    assert ("Summarisation (text-to-text)" in result.output) == ("Sumarisation" in line)
