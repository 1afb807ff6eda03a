"""Options that say where the parameters of a simulation come from."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from rejudge.cli import main


def run(*words: str | Path):
    return CliRunner().invoke(main, [str(word) for word in words])


@pytest.fixture(scope="module")
def planned_once(tmp_path_factory):
    folder = tmp_path_factory.mktemp("planned") / "study"
    assert run("new", folder, "--kind", "rating").exit_code == 0
    assert run("plan", folder).exit_code == 0
    return folder


@pytest.fixture
def planned(planned_once, tmp_path):
    return Path(shutil.copytree(planned_once, tmp_path / "study"))


def shown(*words: str | Path):
    result = run("simulate", *words, "--show", "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def of(document, question):
    return next(each for each in document["parameters"] if each["question"] == question)


def test_what_is_shown_is_what_a_file_of_it_gives(planned, tmp_path):
    text = run("simulate", planned, "--show", "--set", "noise=0.4").stdout
    path = tmp_path / "parameters.yaml"
    path.write_text(text, encoding="utf-8")
    assert of(shown(planned, "--parameters", path), "fluency")["noise"] == 0.4
    assert not (planned / "judgments.csv").exists()


def test_a_file_of_the_values_in_use_gives_the_same_judgments(planned, tmp_path):
    (tmp_path / "p.yaml").write_text(run("simulate", planned, "--show").stdout, encoding="utf-8")
    assert run("simulate", planned).exit_code == 0
    before = (planned / "judgments.csv").read_bytes()
    again = run("simulate", planned, "--parameters", tmp_path / "p.yaml", "--force")
    assert again.exit_code == 0
    assert (planned / "judgments.csv").read_bytes() == before


@pytest.mark.slow
def test_a_pilot_is_a_study_a_folder_of_results_or_a_table(planned, tmp_path):
    assert run("simulate", planned, "--seed", 4).exit_code == 0
    pilot = Path(shutil.copytree(planned, tmp_path / "pilot"))
    table = pilot / "judgments.csv"
    assert run("analyse", table, "--out", tmp_path / "results").exit_code == 0
    sources = (pilot, table, tmp_path / "results", tmp_path / "results" / "results.json")
    found = [shown(planned, "--from", source) for source in sources]
    noises = {of(each, "fluency")["noise"] for each in found}
    assert len(noises) == 1
    assert "288 judgments by 12 participants" in found[0]["source"]
    assert any("uncertain" in sentence for sentence in found[0]["assumptions"])


def test_a_pilot_is_not_changed_by_being_read(planned, tmp_path):
    assert run("simulate", planned).exit_code == 0
    before = {path.name: path.read_bytes() for path in planned.iterdir() if path.is_file()}
    shown(planned, "--from", planned)
    assert {path.name: path.read_bytes() for path in planned.iterdir() if path.is_file()} == before


def test_a_paper_is_a_file_or_comes_with_rejudge(planned, tmp_path):
    from rejudge.paper.paper_file import shipped_text

    path = tmp_path / "paper.yaml"
    path.write_text(shipped_text("august-2022"), encoding="utf-8")
    document = shown(planned, "--from", "august-2022")
    assert document["source"] == "August, Reinecke and Smith 2022 (august-2022)"
    assert shown(planned, "--from", path) == document


def test_presets_are_listed_and_used(planned):
    listed = json.loads(run("simulate", "--preset", "list", "--json").stdout)["presets"]
    assert [each["name"] for each in listed] == ["arvan-2025", "miltenburg-2024"]
    assert "https://" in run("simulate", "--preset", "list").stdout
    result = run("simulate", planned, "--preset", "arvan-2025")
    assert "Parameters from preset arvan-2025" in result.stdout


def test_values_set_by_hand_come_last_and_are_named(planned):
    found = shown(
        planned, "--preset", "arvan-2025", "--set", "fluency.noise=0.1", "--set", "careless=0.3"
    )
    assert of(found, "fluency")["noise"] == 0.1
    assert of(found, "meaning")["noise"] != 0.1
    assert of(found, "meaning")["careless"] == 0.3
    assert found["assumptions"][-1] == "Set by hand: fluency.noise=0.1, careless=0.3."


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--set", "nose=1"], "Did you mean 'noise'?"),
        (["--set", "noise"], "Write a number"),
        (["--set", "noise=-1"], "0 or more"),
        (["--set", "noise=nan"], "not a number"),
        (["--set", "careless=2"], "from 0 to 1"),
        (["--set", "fluensy.noise=1"], "Did you mean 'fluency'?"),
        (["--set", "fluency.dropout=0.5"], "about people"),
        (["--preset", "none"], "The presets are"),
        (["--preset", "arvan-2025", "--from", "x"], "cannot be combined"),
        (["--from", "no-such-paper"], "there is no paper"),
        (["--from", "no/such/folder"], "no/such/folder"),
        (["--parameters", "absent.yaml"], "absent.yaml"),
        (["--set", "quality.nobody=1"], "there is no system 'nobody'"),
    ],
)
def test_what_cannot_be_used_is_refused_with_one_message(planned, words, message):
    result = run("simulate", planned, *words)
    assert result.exit_code == 2
    assert message in result.output
    assert "Traceback" not in result.output
    assert not (planned / "judgments.csv").exists()


def test_an_empty_folder_is_no_pilot(planned, tmp_path):
    (tmp_path / "empty").mkdir()
    result = run("simulate", planned, "--from", tmp_path / "empty")
    assert result.exit_code == 2
    assert "neither study.yaml nor judgments.csv" in result.output


def test_without_a_folder_the_command_says_what_is_missing():
    result = run("simulate")
    assert result.exit_code == 2
    assert "STUDY" in result.output


def test_a_case_that_names_a_participant_can_be_rehearsed(planned):
    """From plan to simulated judgments to an analysis that counts p0001 where several judged."""
    path = planned / "study.yaml"
    text = path.read_text(encoding="utf-8")
    cases = 'analysis:\n  cases:\n    - {id: first, multiple: "participant:p0001"}\n'
    changed = re.sub(r"^analysis:.*\n", cases, text, count=1, flags=re.MULTILINE)
    path.write_text(changed, encoding="utf-8")
    assert run("plan", planned, "--force").exit_code == 0
    assert run("simulate", planned).exit_code == 0
    result = run("analyse", planned, "--json")
    assert result.exit_code == 0, result.output
    (case,) = json.loads(result.stdout)["cases"]
    assert case["multiple"] == "participant:p0001"
    assert case["rows"] > 0
