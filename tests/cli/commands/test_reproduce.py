"""rejudge reproduce: a bundle becomes a study of another lab, with reasons for changes."""

from __future__ import annotations

import json
from shlex import quote

import pytest

import bundled
from rejudge.bundle.manifest import origin_of
from rejudge.files.step_files import open_plan
from served import run, said


def test_reproduce_writes_a_study_that_is_ready_to_be_rehearsed(archive, tmp_path):
    folder = tmp_path / "ours"
    found = said("reproduce", archive, "--as", "Our Lab", "--out", folder)
    assert (found["study"], found["reproduces"]) == ("trees-our-lab", "trees")
    assert found["same_plan"] is True
    assert found["changes"] == []
    assert found["plan"] == open_plan(folder)[1].fingerprint
    assert found["next"][0] == f"rejudge check {quote(str(folder))}"
    assert run("check", folder).exit_code in {0, 1}


def test_reproduce_takes_changes_with_reasons(archive, tmp_path):
    folder = tmp_path / "ours"
    found = said(
        "reproduce", archive, "--as", "us", "--out", folder,
        "--change", "payment.reward=2", "--reason", "payment.reward=Prices rose.",
        "--impact", "payment.reward=none",
    )  # fmt: skip
    (change,) = found["changes"]
    assert change == {
        "key": "payment.reward", "before": 1.5, "after": 2.0, "reason": "Prices rose.",
        "impact": "none", "covers": [],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--change", "payment.reward=2"), '--reason payment.reward="…"'),
        (("--change", "payment.reward"), "--change payment.reward is unclear"),
        (("--reason", "payment.reward=x"), "this key is not changed"),
        (("--change", "ethics=1", "--impact", "ethics=big"), "'big' is not a level of impact"),
        (("--change", "colour=red", "--reason", "colour=x"), "colour"),
    ],
)
def test_reproduce_refuses_what_is_unclear_and_writes_nothing(archive, tmp_path, words, message):
    folder = tmp_path / "ours"
    result = run("reproduce", archive, "--as", "us", "--out", folder, *words)
    assert result.exit_code == 2
    assert message in result.output
    assert not folder.exists()


def test_at_a_terminal_reasons_and_the_licence_are_asked_for(trees, archive, tmp_path, monkeypatch):
    from click.testing import CliRunner

    from rejudge.cli import main

    monkeypatch.setattr("rejudge.cli.commands.reproduce.is_interactive", lambda: True)
    monkeypatch.setattr("rejudge.cli.commands.bundle.is_interactive", lambda: True)
    folder = tmp_path / "ours"
    words = ["reproduce", archive, "--as", "us", "--out", folder, "--change", "payment.reward=2"]
    result = CliRunner().invoke(main, [*map(str, words)], input="Prices rose.\nlow\n")
    assert result.exit_code == 0, result.output
    told = json.loads((folder / "reproduces.json").read_text(encoding="utf-8"))["content"]
    assert told["changes"][0]["reason"] == "Prices rose."
    assert told["changes"][0]["impact"] == "low"
    words = ["bundle", trees, "--out", tmp_path / "asked.zip"]
    result = CliRunner().invoke(main, [*map(str, words)], input="MIT\n")
    assert result.exit_code == 0, result.output


def test_reproduce_leaves_a_folder_that_is_not_empty_alone(archive, tmp_path):
    (tmp_path / "mine.txt").write_text("years of work", encoding="utf-8")
    result = run("reproduce", archive, "--as", "us", "--out", tmp_path)
    assert result.exit_code == 2
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_a_reproduced_study_is_compared_without_naming_its_original(archive, tmp_path):
    folder = tmp_path / "ours"
    said(
        "reproduce", archive, "--as", "us", "--out", folder,
        "--change", "recruitment.platform=prolific", "--reason", "recruitment.platform=As usual.",
    )  # fmt: skip
    bundled.judged(folder, seed=8)
    found = said("compare", folder)
    assert found["original"] == "trees"
    assert [card["id"] for card in found["runs"]] == ["trees", "trees-us"]
    platform = next(each for each in found["deviations"] if each["property"] == "platform")
    assert platform["reason"] == "As usual."
    assert said("compare", archive, folder)["original"] == "trees"


def test_reproduce_takes_pages_and_reasons_given_afterwards(archive, tmp_path):
    folder, ours = tmp_path / "ours", tmp_path / "ours.md"
    ours.write_text("I agree, and I am 18.\n", encoding="utf-8")
    said(
        "reproduce", archive, "--as", "us", "--out", folder,
        "--page", f"consent={ours}", "--reason", "pages.consent=Our board asked for it.",
    )  # fmt: skip
    assert (folder / "pages/consent.md").read_text("utf-8") == "I agree, and I am 18.\n"
    (folder / "pages/instructions.md").write_text("Just guess.\n", encoding="utf-8")
    found = said("reproduce", folder, "--reason", "pages.instructions=It was too long.")
    assert found["explained"] == ["pages.instructions"]
    keys = [each.key for each in origin_of(folder).changes]
    assert keys == ["pages.consent", "pages.instructions"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "--reason is missing"),
        (("--reason", "pages.thanks=Why not."), "'pages.thanks' already has this value"),
        (("--as", "us"), "--as is for a new reproduction"),
    ],
)
def test_reasons_that_explain_nothing_change_nothing(archive, tmp_path, words, message):
    folder = tmp_path / "ours"
    said("reproduce", archive, "--as", "us", "--out", folder)
    before = (folder / "reproduces.json").read_bytes()
    result = run("reproduce", folder, *words)
    assert result.exit_code == 2
    assert message in result.output
    assert (folder / "reproduces.json").read_bytes() == before
