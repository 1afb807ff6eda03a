"""rejudge plan: writes the plan once, says what is even, and overwrites nothing unasked."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from rejudge.cli import main


@pytest.fixture
def folder(tmp_path):
    target = tmp_path / "study"
    assert CliRunner().invoke(main, ["new", str(target)]).exit_code == 0
    return target


def run(*words: str):
    return CliRunner().invoke(main, [str(word) for word in words])


def test_a_plan_is_written_and_its_numbers_are_said(folder):
    result = run("plan", folder)
    assert result.exit_code == 0, result.output
    assert (folder / "plan.json").exists()
    assert "places" in result.output
    assert "✓ sides" in result.output


def test_drawing_twice_gives_the_same_bytes(folder):
    run("plan", folder)
    first = (folder / "plan.json").read_bytes()
    again = run("plan", folder, "--force")
    assert again.exit_code == 0
    assert (folder / "plan.json").read_bytes() == first


def test_drawing_the_same_plan_again_needs_no_force(folder):
    run("plan", folder)
    assert run("plan", folder).exit_code == 0


def test_another_plan_is_not_overwritten_without_force(folder):
    run("plan", folder)
    before = (folder / "plan.json").read_bytes()
    study = folder / "study.yaml"
    text = study.read_text(encoding="utf-8")
    study.write_text(text.replace("seed: ", "seed: 9"), encoding="utf-8")
    refused = run("plan", folder)
    assert refused.exit_code == 2
    assert "--force" in refused.output
    assert (folder / "plan.json").read_bytes() == before
    assert run("plan", folder, "--force").exit_code == 0
    assert (folder / "plan.json").read_bytes() != before


def test_a_dry_run_writes_nothing(folder):
    before = sorted(path.name for path in folder.iterdir())
    assert run("plan", folder, "--dry-run").exit_code == 0
    assert sorted(path.name for path in folder.iterdir()) == before


def test_the_json_says_the_same_as_the_table(folder):
    said = json.loads(run("plan", folder, "--json").output)
    assert said["places"] == said["batches"] * 3
    assert said["participants_at_least"] == said["places"]
    assert said["is_even"] is True
    assert set(said["tasks_by_kind"]) == {"real", "check"}


def test_a_plan_says_how_its_inputs_were_selected(folder):
    study = folder / "study.yaml"
    text = study.read_text("utf-8")
    assert "    balance: true" in text
    study.write_text(text.replace("    balance: true", "    method: random"), "utf-8")
    said = json.loads(run("plan", folder, "--dry-run", "--json").output)["selection"]
    assert (said["method"], said["effective_inputs"]) == ("random", said["selected"])
    assert said["lowest_probability"] == said["selected"] / said["inputs"]
    for command in ("plan", "check"):
        assert "were selected at random, each with" in " ".join(run(command, folder).output.split())


@pytest.fixture
def batches(folder):
    """The study's own plan as a table, batches and tasks in reverse order."""
    run("plan", folder)
    plan = json.loads((folder / "plan.json").read_text(encoding="utf-8"))["content"]
    (folder / "plan.json").unlink()
    lines = ["batch,item,a,b"]
    for batch in plan["batches"][::-1]:
        real = [task for task in batch["tasks"] if "check" not in task]
        lines += [f"{batch['id']},{t['item']},{','.join(t['options'])}" for t in real[::-1]]
    file = folder / "batches.csv"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def test_batches_from_a_file_become_the_plan(folder, batches):
    result = run("plan", folder, "--from", batches)
    assert result.exit_code == 0, result.output
    assert "batches.csv (" in result.output
    assert "✓ tasks per system" in result.output
    said = json.loads(run("plan", folder, "--from", batches, "--json").output)
    assert said["source"].startswith("batches.csv (")
    first = batches.read_text(encoding="utf-8").splitlines()[1].split(",")
    plan = json.loads((folder / "plan.json").read_text(encoding="utf-8"))["content"]
    assert plan["order"] == "listed"
    assert plan["batches"][0]["id"] == first[0]
    assert plan["batches"][0]["tasks"][0]["options"] == first[2:]


@pytest.mark.slow
def test_a_plan_from_a_file_is_checked_rehearsed_and_frozen_like_any_other(folder, batches):
    run("plan", folder, "--from", batches)
    assert '"plan": "stored"' in run("check", folder, "--json").output
    assert run("rehearse", folder, "--participants", 8).exit_code == 0
    assert run("freeze", folder).exit_code == 0, run("freeze", folder).output
    assert "frozen.json" not in run("plan", folder, "--from", batches).output


def test_a_plan_that_differs_from_the_frozen_one_is_said_to(folder, batches):
    run("plan", folder, "--from", batches)
    assert run("freeze", folder).exit_code == 0
    result = run("plan", folder, "--force")
    assert result.exit_code == 0
    assert "frozen.json records another plan" in " ".join(result.output.split())


def test_a_wrong_file_of_batches_leaves_the_plan_alone(folder, batches):
    run("plan", folder)
    before = (folder / "plan.json").read_bytes()
    batches.write_text("batch,item,a,b\nx,nowhere,one,two\n", encoding="utf-8")
    result = run("plan", folder, "--from", batches, "--force")
    assert result.exit_code == 2
    assert "batches.csv:2: the study has no item 'nowhere'" in result.output.replace("\n", " ")
    assert (folder / "plan.json").read_bytes() == before


def test_people_per_batch_need_batches(folder, tmp_path):
    result = run("plan", folder, "--participants", tmp_path / "people.csv")
    assert result.exit_code == 2
    assert "--participants needs --from" in result.output
