"""The commands after the plan: simulate, analyse, report."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from findings_by_key import by_key
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
    """A study with its plan."""
    return Path(shutil.copytree(planned_once, tmp_path / "study"))


@pytest.fixture(scope="module")
def analysed_once(planned_once, tmp_path_factory):
    folder = shutil.copytree(planned_once, tmp_path_factory.mktemp("analysed") / "study")
    assert run("simulate", folder, "--set", "careless=0.2").exit_code == 0
    assert run("analyse", folder).exit_code == 0
    return folder


@pytest.fixture
def analysed(analysed_once, tmp_path):
    """A study with simulated judgments and results."""
    return Path(shutil.copytree(analysed_once, tmp_path / "study"))


def files_of(folder):
    return {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}


def test_simulated_people_judge_the_plan(planned):
    result = run("simulate", planned, "--seed", 3, "--json")
    said = json.loads(result.stdout)
    assert said["simulated"] is True
    assert said["participants"] > 1
    lines = (planned / "judgments.csv").read_text(encoding="utf-8").splitlines()
    assert len(lines) == said["judgments"] + 1


def test_the_same_seed_writes_the_same_file_and_another_needs_force(planned):
    assert run("simulate", planned, "--seed", 3).exit_code == 0
    before = (planned / "judgments.csv").read_bytes()
    assert run("simulate", planned, "--seed", 3).exit_code == 0
    refused = run("simulate", planned, "--seed", 4)
    assert refused.exit_code == 2
    assert (planned / "judgments.csv").read_bytes() == before
    assert run("simulate", planned, "--seed", 4, "--force").exit_code == 0
    assert (planned / "judgments.csv").read_bytes() != before


def test_no_force_replaces_judgments_by_people(analysed):
    path = analysed / "judgments.csv"
    path.write_text(path.read_text(encoding="utf-8").replace("simulated", "people", 1), "utf-8")
    before = path.read_bytes()
    result = run("simulate", analysed, "--force")
    assert result.exit_code == 2
    assert "judgments by real participants" in result.output
    assert path.read_bytes() == before


@pytest.mark.parametrize("given", ["rewriter", "rewriter=much", "nobody=1"])
def test_a_quality_that_cannot_be_read_is_refused(planned, given):
    before = files_of(planned)
    result = run("simulate", planned, "--set", f"quality.{given}")
    assert result.exit_code == 2
    assert "Traceback" not in result.output
    assert files_of(planned) == before


def test_a_quality_decides_who_is_best(planned):
    systems = [
        line.split("id: ")[1].split()[0]
        for line in (planned / "study.yaml").read_text(encoding="utf-8").splitlines()
        if line.startswith("  - id: ")
    ]
    assert run("simulate", planned, "--set", f"quality.{systems[-1]}=3").exit_code == 0
    findings = by_key(json.loads(run("analyse", planned, "--json").stdout))
    first = next(iter(findings)).question
    means = {
        key.systems[0]: finding["value"]
        for key, finding in findings.items()
        if key.question == first and key.measure in {"mean", "win-percent"}
        if len(key.systems) == 1 and not key.case
    }
    assert max(means, key=lambda system: means[system]) == systems[-1]


def test_analysis_prints_and_writes_the_same_numbers(planned):
    assert run("simulate", planned).exit_code == 0
    said = json.loads(run("analyse", planned, "--json").stdout)
    written = json.loads((planned / "results.json").read_bytes())["content"]
    assert [f["value"] for f in said["findings"]] == [f["value"] for f in written["findings"]]
    assert said["signature"] == {"options": {}, **written["signature"]}


def test_analyze_is_analyse(analysed):
    assert run("analyze", analysed).exit_code == 0


@pytest.mark.slow
def test_the_report_is_written_and_tells_the_answer(analysed):
    result = run("report", analysed, "--json")
    said = json.loads(result.stdout)
    page = Path(said["written"]).read_text(encoding="utf-8")
    assert said["simulated"] is True
    assert said["answer"][0].startswith("In these simulated judgments")
    assert "not frozen" in page


def test_without_plan_judgments_or_results_the_next_command_is_named(planned):
    missing = {
        "analyse": "judgments.csv",
        "report": "results.json",
    }
    for command, file in missing.items():
        result = run(command, planned)
        assert result.exit_code == 2
        assert file in result.output
        assert "rejudge " in result.output
    (planned / "plan.json").unlink()
    result = run("simulate", planned)
    assert result.exit_code == 2
    assert "rejudge plan" in result.output


def test_a_report_of_stale_results_is_refused(analysed):
    assert run("simulate", analysed, "--seed", 9, "--force").exit_code == 0
    result = run("report", analysed)
    assert result.exit_code == 2
    assert "an earlier version of the judgments" in result.output
    assert "rejudge analyse" in result.output
    assert not (analysed / "report" / "index.html").exists()


def test_judgments_of_another_plan_are_refused(analysed):
    text = (analysed / "study.yaml").read_text(encoding="utf-8")
    seed = next(line for line in text.splitlines() if line.strip().startswith("seed:"))
    number = seed.split("seed:")[1].split()[0]
    (analysed / "study.yaml").write_text(text.replace(seed, seed.replace(number, "77", 1)), "utf-8")
    assert run("plan", analysed, "--force").exit_code == 0
    result = run("analyse", analysed, "--force")
    assert result.exit_code == 2
    assert "made with another plan" in result.output


def test_a_broken_table_is_reported_line_by_line(analysed):
    path = analysed / "judgments.csv"
    lines = path.read_text(encoding="utf-8").splitlines()
    lines[3] = lines[3].replace(",real,", ",unreal,").replace(",check,", ",unreal,")
    path.write_text("\n".join(lines) + "\n", "utf-8")
    result = run("analyse", analysed, "--force")
    assert result.exit_code == 2
    assert "judgments.csv:4" in result.output
    assert "Traceback" not in result.output


def test_a_table_that_is_not_utf_8_is_reported(analysed):
    (analysed / "judgments.csv").write_bytes(b"participant,item\n\xff\xfe")
    result = run("analyse", analysed, "--force")
    assert result.exit_code == 2
    assert "not UTF-8" in result.output
