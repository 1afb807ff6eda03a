"""The commands around surveys and HITs: what a researcher types, from files to an analysis."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import mturk_files
import qualtrics_files
from rejudge.cli import main
from rejudge.exchange.qualtrics_survey import survey_questions
from rejudge.files import open_plan
from small_study import FILES


def run(*words: object, code: int = 0) -> dict[str, Any]:
    """The JSON that a command prints; it must end with this code."""
    result = CliRunner().invoke(main, [*map(str, words), "--json"])
    assert result.exit_code == code, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    home = tmp_path / "study"
    home.mkdir()
    for name, text in FILES.items():
        (home / name).write_text(text)
    run("plan", home)
    return home


def test_a_survey_goes_to_qualtrics_and_its_responses_are_analysed(folder: Path) -> None:
    said = run("export", folder, "--to", "qualtrics")
    assert {Path(name).name for name in said["written"]} == {
        "survey.txt",
        "manifest.csv",
        "steps.txt",
    }
    study, plan = open_plan(folder)
    rows = [
        qualtrics_files.session(
            f"{number:03}",
            {a.tag: str(a.codes[number % len(a.codes)]) for a in survey_questions(study, plan)},
            number=number,
        )
        for number in range(3)
    ]
    file = qualtrics_files.write(folder, qualtrics_files.export(rows))
    said = run("import", folder, file, "--from", "auto")
    assert said["format"] == "qualtrics"
    assert said["rejected"] == []
    assert (folder / "sessions.csv").exists()
    run("analyse", folder)


@pytest.fixture(scope="module")
def hits(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("hits")
    rows = mturk_files.hits(4)
    sent = mturk_files.random_answers(4, questions=("meaning",))
    (home / "layout.html").write_text(mturk_files.layout(questions=("meaning",)))
    (home / "input.csv").write_text(mturk_files.table(rows))
    (home / "results.csv").write_text(mturk_files.table(mturk_files.results(rows, sent)))
    return home


def test_hits_become_a_study_that_is_checked_and_analysed(tmp_path: Path, hits: Path) -> None:
    files = (hits / name for name in ("layout.html", "input.csv", "results.csv"))
    run("import", *files, "--from", "mturk", "--out", tmp_path / "study")
    found = run("check", tmp_path / "study", code=1)  # with warnings
    assert found["counts"]["error"] == 0
    run("analyse", tmp_path / "study")


def test_hits_without_results_become_a_study_without_judgments(tmp_path: Path, hits: Path) -> None:
    files = (hits / name for name in ("layout.html", "input.csv"))
    run("import", *files, "--from", "mturk", "--out", tmp_path / "study")
    assert not (tmp_path / "study" / "judgments.csv").exists()
    assert run("check", tmp_path / "study", code=1)["counts"]["error"] == 0


def test_a_check_that_no_question_is_about_has_no_right_answer(tmp_path: Path, hits: Path) -> None:
    """A reproduction of one criterion keeps the control texts that tested another."""
    files = (hits / name for name in ("layout.html", "input.csv"))
    said = run("import", *files, "--from", "mturk", "--out", tmp_path / "study")
    _, plan = open_plan(tmp_path / "study")
    right = {task.check: task.expected for task in plan.tasks() if task.kind == "check"}
    assert right["inputs"] is None
    assert right["distractor"] is not None
    assert any("'inputs' test no question" in note for note in said["notes"])


def test_a_bad_file_writes_nothing(tmp_path: Path, hits: Path) -> None:
    (tmp_path / "broken.csv").write_bytes(b"PK\x03\x04")
    words = ["import", str(hits / "input.csv"), str(tmp_path / "broken.csv"), "--from", "mturk"]
    result = CliRunner().invoke(main, [*words, "--out", str(tmp_path / "out")])
    assert result.exit_code == 2
    assert not (tmp_path / "out").exists()


def test_hits_are_written_for_a_plan(folder: Path) -> None:
    said = run("export", folder, "--to", "mturk")
    assert {Path(name).name for name in said["written"]} == {"layout.html", "input.csv"}
    text = (folder / "mturk" / "input.csv").read_text()
    _, plan = open_plan(folder)
    assert [row["batch"] for row in csv.DictReader(io.StringIO(text))] == [
        b.id for b in plan.batches
    ]
