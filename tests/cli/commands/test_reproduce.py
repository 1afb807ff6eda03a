"""rejudge reproduce: a bundle becomes a study of another lab, with reasons for changes."""

from __future__ import annotations

import shutil
from shlex import quote

import pytest

import bundled
from rejudge.bundle.original import run_of
from rejudge.files.step_files import open_plan, open_study
from served import run, said


def test_reproduce_writes_a_study_that_is_ready_to_be_rehearsed(archive, tmp_path):
    folder = tmp_path / "ours"
    found = said("reproduce", archive, "--as", "Our Lab", "--out", folder)
    assert (found["study"], found["reproduces"]) == ("trees-our-lab", "trees")
    assert found["same_plan"] is True
    assert found["deviations"] == []
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
    (deviation,) = found["deviations"]
    assert deviation == {
        "key": "payment.reward", "original": "1.5", "here": "2", "reason": "Prices rose.",
        "impact": "none",
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
    note = open_study(folder).spec.deviations["payment.reward"]
    assert (note.reason, note.impact) == ("Prices rose.", "low")
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
    bundled.judged(folder, seed=8)
    found = said("bundle", folder, "--licence", "CC-BY-4.0", "--out", tmp_path / "first.zip")
    assert any("pages[instructions]" in note for note in found["notes"])
    text = (folder / "study.yaml").read_text("utf-8")
    (folder / "study.yaml").write_text(f"{text}  pages.instructions: It was too long.\n", "utf-8")
    bundled.judged(folder, seed=8)
    found = said("bundle", folder, "--licence", "CC-BY-4.0", "--out", tmp_path / "second.zip")
    assert not any("pages[instructions]" in note for note in found["notes"])
    reasons = {e["property"]: e["reason"] for e in said("compare", folder)["deviations"]}
    assert reasons["consent"] == "Our board asked for it."
    assert reasons["instructions"] == "It was too long."


@pytest.fixture
def own(trees, tmp_path):
    """A copy of the study that a test may change."""
    return shutil.copytree(trees, tmp_path / "own")


def test_a_study_names_the_paper_it_reproduces_after_it_was_judged(own):
    """No fingerprint knows of it, so nothing has to be computed again."""
    before = open_study(own).fingerprint
    text = (own / "study.yaml").read_text("utf-8")
    stated = """
reproduces: hosking-2021
deviations:
  platform: Nobody could pay for more.
  interface: {original: forms, here: forms}
  pages.instructions: {reason: Ours are new., impact: high}
"""
    (own / "study.yaml").write_text(f"{text}{stated}", "utf-8")
    assert open_study(own).fingerprint == before
    run_here = run_of(own)
    reasons = {each.property: each.reason for each in run_here.deviations}
    assert run_here.reproduces == "hosking-2021"
    assert reasons == {
        "platform": "Nobody could pay for more.", "interface": "", "instructions": "Ours are new.",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("key", "hint"), [("paymnt.reward", "payment"), ("interfase", "interface"), ("colour", "key")]
)
def test_a_reason_for_nothing_is_an_error_with_a_hint(own, key, hint):
    text = (own / "study.yaml").read_text("utf-8")
    (own / "study.yaml").write_text(f"{text}\ndeviations: {{{key}: Because.}}\n", "utf-8")
    found = run("check", own)
    assert "R448" in found.output
    assert hint in found.output
    result = run("bundle", own, "--licence", "MIT", "--out", own / "x.zip")
    assert result.exit_code == 2
    assert key in result.output


def test_a_corrected_condition_is_no_deviation_any_more(archive, tmp_path):
    folder = tmp_path / "ours"
    said(
        "reproduce", archive, "--as", "us", "--out", folder,
        "--change", "recruitment.platform=prolific", "--reason", "recruitment.platform=As usual.",
    )  # fmt: skip
    text = (folder / "study.yaml").read_text("utf-8")
    (folder / "study.yaml").write_text(f"{text}  platform: {{original: Prolific}}\n", "utf-8")
    bundled.judged(folder, seed=8)
    found = said("compare", folder)
    assert "platform" not in {each["property"] for each in found["deviations"]}
    shown = next(each for each in found["conditions"] if each["property"] == "platform")
    assert shown["values"] == {"trees": "Prolific", "trees-us": "Prolific"}


def test_a_folder_without_judgments_is_bundled_and_reproduced(own, tmp_path):
    for name in ("judgments.csv", "excluded.csv", "results.json"):
        (own / name).unlink()
    found = said("reproduce", own, "--as", "us", "--out", tmp_path / "ours")
    assert found["reproduces"] == "trees"
    original = tmp_path / "ours" / open_study(tmp_path / "ours").spec.reproduces.original
    assert original.resolve() == own.resolve()
    packed = said("bundle", own, "--licence", "MIT", "--out", tmp_path / "planned.zip")
    assert "judgments.csv" not in {each["name"] for each in packed["files"]}
    assert said("verify", tmp_path / "planned.zip")["sound"]
    again = said("reproduce", tmp_path / "planned.zip", "--as", "us", "--out", tmp_path / "z")
    assert again["same_plan"]
