"""rejudge look, and what `check` and `analyse` say of planned looks."""

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner

from looked_study import judged, looked_study
from rejudge.cli import main
from rejudge.collect.looks import LookLog
from rejudge.files.disk import write_files
from rejudge.files.step_files import JUDGMENTS, LOOKS, PLAN, read, write

STUDY_TEXT = """
id: story
title: Which is better?
systems: [north, south]
questions: [{id: meaning, kind: pairwise, prompt: 'Which keeps the meaning?'}]
design: {seed: 1, batch: {inputs: 3}, participants_per_batch: 3}
site: {comment: false, minutes_held: 30, exclude_studies: [], places_per_address: 99}
payment: {currency: GBP, minutes: 10, hourly: 12}
analysis: {tests: [{question: meaning, test: cluster-robust}]}
stop: {looks: 2, boundary: obrien-fleming, question: meaning, systems: [north, south]}
recruitment: {platform: spreadsheet}
"""
ITEMS = "id,input,north,south\n" + "".join(
    f"i{n},input {n},north {n},south {n}\n" for n in range(24)
)
PAGES = {f"pages/{name}.md": b"Read and choose." for name in ("consent", "instructions")}


def run(*words: str, code: int = 0):
    result = CliRunner().invoke(main, [*words, "--json"], env={"COLUMNS": "100"})
    assert result.exit_code == code, result.output
    return json.loads(result.output)


@pytest.fixture
def folder(tmp_path) -> Path:
    files = {"study.yaml": STUDY_TEXT.encode(), "items.csv": ITEMS.encode(), **PAGES}
    write_files(tmp_path, files, force=False)
    run("plan", str(tmp_path))
    return tmp_path


def collected(folder: Path, stage: int | None, gap: float = 0.0) -> None:
    """Put judgments of people into a folder, as an import does."""
    from rejudge.files.step_files import open_plan

    study, plan = open_plan(folder)
    judgments = judged(study, plan, stage, gap=gap)
    write(judgments, folder / JUDGMENTS, made_from={"plan": plan.fingerprint}, force=True)


def test_a_look_is_made_when_it_is_due_and_once(folder):
    assert run("look", str(folder))["next"]["done"] == 0
    assert not (folder / LOOKS).exists()
    collected(folder, 1)
    made = run("look", str(folder))
    assert (made["made"]["number"], made["made"]["decision"]) == (1, "go on")
    assert made["next"] | {"batches": None} == {
        "look": 2, "looks": 2, "is_due": False, "done": 12, "due_at": 24, "planned": 24,
        "batches": None,
    }  # fmt: skip
    assert run("look", str(folder))["made"] is None
    collected(folder, 2)
    last = run("look", str(folder))
    assert (last["made"]["decision"], last["is_over"], last["next"]) == ("end", True, None)
    assert run("look", str(folder))["made"] is None
    assert len(json.loads((folder / LOOKS).read_text("utf-8"))["content"]["looks"]) == 2


def test_every_key_is_documented(folder):
    collected(folder, 1)
    said = run("look", str(folder))
    page = Path(__file__).parents[3].joinpath("docs/reference/commands.md").read_text("utf-8")
    files = Path(__file__).parents[3].joinpath("docs/reference/files.md").read_text("utf-8")
    section = page.split("\n## look\n")[1].split("\n## ")[0]
    for key in (*said, *said["next"]):
        assert f"`{key}`" in section
    for key in said["made"]:
        assert f"`{key}`" in files


def test_a_study_can_be_ended_by_hand(folder):
    collected(folder, 1)
    run("look", str(folder))
    again = CliRunner().invoke(main, ["look", str(folder), "--end"])
    assert again.exit_code == 2
    assert "nothing was collected since look 1" in " ".join(again.output.split())


def test_an_edited_log_is_refused(folder):
    collected(folder, 1)
    run("look", str(folder))
    text = (folder / LOOKS).read_text("utf-8")
    (folder / LOOKS).write_text(text.replace("go on", "stop"), "utf-8")
    result = CliRunner().invoke(main, ["look", str(folder)])
    assert result.exit_code == 2
    assert "edited" in result.output


def test_a_study_without_looks_is_refused(tmp_path):
    text = "\n".join(line for line in STUDY_TEXT.splitlines() if not line.startswith("stop"))
    write_files(
        tmp_path, {"study.yaml": text.encode(), "items.csv": ITEMS.encode(), **PAGES}, force=False
    )
    run("plan", str(tmp_path))
    result = CliRunner().invoke(main, ["look", str(tmp_path)])
    assert result.exit_code == 2
    assert "no planned looks" in result.output


def test_check_explains_the_looks(folder):
    found = run("check", str(folder), code=1)["looks"]
    assert (found["places"], found["systems"]) == ([12, 24], ["north", "south"])
    assert found["levels"] == pytest.approx([0.00517, 0.04799], abs=2e-5)


def test_the_plan_of_the_folder_is_that_of_the_small_study(folder):
    """The judgments of these tests fit the folder because both draw the same plan."""
    assert json.loads((folder / PLAN).read_text("utf-8"))["kind"] == "plan"
    assert looked_study()[1].places == 24


def test_status_says_when_the_next_look_comes(folder):
    from rejudge.files.step_files import open_plan
    from rejudge.store.store import open_store

    study, plan = open_plan(folder)
    open_store(str(folder / "study.db"), study, plan, now=datetime.now(UTC)).close()
    looks = run("status", str(folder))["looks"]
    assert (looks["look"], looks["looks"], looks["done"]) == (1, 2, 0)
    assert looks["due_at"] == 12  # half of eight batches for three participants each
    printed = CliRunner().invoke(main, ["status", str(folder)], env={"COLUMNS": "100"}).output
    assert "Look 1 of 2 is due at 12 of 24 places; 0 are done." in printed


def test_processes_that_look_at_once_make_one_look_and_lose_no_analysis(folder):
    collected(folder, 1)
    at_once = [
        *(["look", str(folder), "--as", name] for name in ("ada", "ben")),
        *(["analyse", str(folder), "--out", str(folder / name)] for name in ("one", "two")),
    ]
    with ThreadPoolExecutor(4) as pool:
        codes = list(pool.map(_exit_code, at_once))
    log = read(LookLog, folder / LOOKS)
    assert codes == [0, 0, 0, 0]
    assert [look.number for look in log.looks] == [1]
    assert len(log.peeks) == 2


def _exit_code(words: list[str]) -> int:
    command = [sys.executable, "-m", "rejudge", *words]
    return subprocess.run(command, check=False, capture_output=True).returncode


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("looks: 2", "looks: 3"),
        ("obrien-fleming", "pocock"),
        ("systems: [north, south]}", "systems: [south, north]}"),
        ("systems: [north, south]}", "systems: [north, south], fractions: [0.25, 1]}"),
        ("analysis: {", "analysis: {alpha: 0.1, "),
    ],
)
def test_a_rule_that_was_changed_after_a_look_is_refused(folder, before, after):
    collected(folder, 1)
    run("look", str(folder))
    path = folder / "study.yaml"
    path.write_text(path.read_text("utf-8").replace(before, after), "utf-8")
    for command in ("look", "analyse"):
        (problem,) = run(command, str(folder), code=2)["error"]
        assert problem["what"] == "look 1 was made under another rule than study.yaml has now."
        assert (
            "2 looks, obrien-fleming, north and south on meaning, alpha 0.05" in problem["remedy"]
        )


def test_looks_of_another_plan_are_refused(folder):
    collected(folder, 1)
    run("look", str(folder))
    path = folder / "study.yaml"
    path.write_text(path.read_text("utf-8").replace("seed: 1", "seed: 2"), "utf-8")
    run("plan", str(folder), "--force")
    (folder / JUDGMENTS).unlink()
    (problem,) = run("look", str(folder), code=2)["error"]
    assert problem["what"] == "this was made from an earlier version of the plan."


def test_what_has_not_begun_cannot_be_ended(folder):
    (problem,) = run("look", str(folder), "--end", code=2)["error"]
    assert problem["what"] == "no judgments have been collected."


def test_a_look_in_the_database_is_shown_though_its_file_cannot_be_written(folder):
    from rejudge.files.step_files import open_plan
    from rejudge.store.store import open_store

    study, plan = open_plan(folder)
    store = open_store(str(folder / "study.db"), study, plan, now=datetime.now(UTC))
    store.note_peek(who="ada", now=datetime.now(UTC))
    store.close()
    (folder / LOOKS).mkdir()
    said = run("look", str(folder), code=1)
    assert len(said["peeks"]) == 1
    assert "looks.json is not up to date" in said["problems"][0]
