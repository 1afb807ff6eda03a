"""rejudge baseline: before and after data collection, its files, and its section of the report."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from rejudge.cli import main

pytestmark = pytest.mark.usefixtures("undrawn_figures")


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
    """A study with its plan, and nobody has answered."""
    return Path(shutil.copytree(planned_once, tmp_path / "study"))


def test_before_data_collection_it_shows_what_rules_would_give(planned):
    result = run("baseline", planned, "--rules", "top", "--rules", "longer-wins,random", "--json")
    said = json.loads(result.stdout)
    assert [each["id"] for each in said["runs"]] == ["top", "longer-wins-random"]
    assert said["findings"] == []
    files = {Path(name).relative_to(planned).as_posix() for name in said["written"]}
    assert {"baseline.json", "tables/baselines.csv", "tables/baseline-checks.tex"} <= files
    assert "figures/baseline-fluency.svg" in files
    shown = run("baseline", planned, "--rules", "top", "--rules", "longer-wins,random").output
    assert "no judgments yet" in shown
    assert "Checks" in shown


def test_other_baselines_need_force(planned):
    assert run("baseline", planned, "--rules", "top").exit_code == 0
    refused = run("baseline", planned, "--rules", "middle")
    assert refused.exit_code == 2
    assert "--force" in refused.output
    assert run("baseline", planned, "--rules", "middle", "--force").exit_code == 0


def test_an_unknown_rule_is_answered_with_a_near_one(planned):
    result = run("baseline", planned, "--rules", "longer-win")
    assert result.exit_code == 2
    assert "there is no rule 'longer-win'" in result.output
    assert "longer-wins" in result.output
    assert not (planned / "baseline.json").exists()


def test_rules_are_followed_as_typed_where_the_input_must_lose(tmp_path):
    """Rules of study.yaml are reversed there; those of the command line are not."""
    folder = tmp_path / "study"
    assert run("new", folder, "--kind", "pairwise").exit_code == 0
    text = (folder / "study.yaml").read_text(encoding="utf-8")
    text = text.replace("contrast: other-reference", "contrast: input", 1)
    declared = "\nbaselines:\n  - {id: usual, rules: [longer-wins]}\n"
    (folder / "study.yaml").write_text(text + declared, encoding="utf-8")
    assert run("plan", folder).exit_code == 0
    (usual,) = json.loads(run("baseline", folder, "--json").stdout)["runs"]
    typed = run("baseline", folder, "--rules", "longer-wins", "--force", "--json")
    (typed,) = json.loads(typed.stdout)["runs"]
    assert [each["is_reversed"] for each in usual["questions"]].count(True) == 1
    assert not any(each["is_reversed"] for each in typed["questions"])
    scores = [
        {
            f["key"]["systems"][0]: f["value"]
            for f in each["findings"]
            if f["key"]["systems"] and f["key"]["question"] == each["questions"][0]["question"]
        }
        for each in (usual, typed)
    ]
    assert max(scores[1].values()) > 0
    assert scores[0] == {name: -value for name, value in scores[1].items()}


def test_a_folder_without_a_plan_says_what_to_do(tmp_path):
    assert run("new", tmp_path / "s", "--kind", "rating").exit_code == 0
    result = run("baseline", tmp_path / "s")
    assert result.exit_code == 2
    assert "rejudge plan" in result.output


def test_the_study_names_its_baselines(planned):
    text = (planned / "study.yaml").read_text(encoding="utf-8")
    declared = "\nbaselines:\n  - {id: lazy, rules: [middle]}\n"
    (planned / "study.yaml").write_text(text + declared, encoding="utf-8")
    said = json.loads(run("baseline", planned, "--json").stdout)
    assert ([each["id"] for each in said["runs"]], said["is_declared"]) == (["lazy"], True)


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        ("{id: lazy, rules: [medium]}", "rules"),
        ("{id: lazy, rules: [top], reversed: [flow]}", "there is no question 'flow'"),
        ("{id: lazy, rules: []}", "rules"),
        ("{id: lazy, rule: top}", "rule"),
    ],
)
def test_faults_of_baselines_are_found_with_their_line(planned, declared, message):
    text = (planned / "study.yaml").read_text(encoding="utf-8")
    (planned / "study.yaml").write_text(f"{text}\nbaselines:\n  - {declared}\n", encoding="utf-8")
    result = run("baseline", planned)
    assert result.exit_code == 2
    line = len(text.splitlines()) + 3
    assert f"study.yaml:{line}" in result.output
    assert message in result.output


@pytest.fixture(scope="module")
def judged_once(planned_once, tmp_path_factory):
    folder = shutil.copytree(planned_once, tmp_path_factory.mktemp("judged") / "study")
    for words in (("simulate", folder), ("analyse", folder)):
        assert run(*words).exit_code == 0
    assert run("baseline", folder, "--rules", "top", "--rules", "longer-wins").exit_code == 0
    return folder


@pytest.fixture
def judged(judged_once, tmp_path):
    """A study with results and baselines."""
    return Path(shutil.copytree(judged_once, tmp_path / "study"))


@pytest.mark.slow
def test_the_report_has_a_section_on_baselines(judged):
    result = run("report", judged, "--json")
    assert result.exit_code == 0, result.output
    page = (judged / "report" / "index.html").read_text(encoding="utf-8")
    assert 'id="baselines"' in page
    assert ">Baselines</h2>" in page
    files = [
        Path(name).relative_to(judged / "report").as_posix()
        for name in json.loads(result.stdout)["files"]
    ]
    assert {"tables/baselines.csv", "figures/baseline-fluency.svg"} <= set(files)


def test_baselines_of_other_judgments_are_noticed(judged):
    assert run("simulate", judged, "--seed", "9", "--force").exit_code == 0
    assert run("analyse", judged, "--force").exit_code == 0
    result = run("report", judged)
    assert result.exit_code == 2
    assert "earlier version of the judgments" in result.output
    assert "rejudge baseline" in result.output


def test_edited_baselines_are_refused(judged):
    path = judged / "baseline.json"
    path.write_text(path.read_text(encoding="utf-8").replace('"top"', '"pot"'), encoding="utf-8")
    result = run("report", judged)
    assert result.exit_code == 2
    assert "edited after rejudge wrote it" in result.output


def test_baselines_before_the_judgments_are_stale_once_there_are_some(planned):
    for words in (
        ("baseline", planned, "--rules", "top"),
        ("simulate", planned),
        ("analyse", planned),
    ):
        assert run(*words).exit_code == 0
    assert "earlier version of the judgments" in run("report", planned).output


def test_surface_rules_are_no_longer_simulated(planned):
    result = run("simulate", planned, "--surface")
    assert result.exit_code == 2
    assert "--surface" in result.output
