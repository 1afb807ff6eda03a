"""rejudge check: says what is wrong, what it costs and how long it takes; writes nothing."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from rejudge.cli import main
from rejudge.lint.rules import RULES

STUDY = """
id: small
title: Which question means the same?
contact: {name: A. Researcher, email: study@uni.example.edu}
ethics: Board of Ethics, 17/2026
systems: [alder, birch]
items: {sample: {inputs: 6}}
questions:
  - {id: meaning, kind: pairwise, prompt: "Which keeps the meaning better?"}
design: {seed: 7, batch: {inputs: 3}, participants_per_batch: 3}
checks:
  - {id: told, kind: instruction, question: meaning}
recruitment: {platform: prolific}
retention: {days: 365}
payment: {currency: GBP, hourly: 15, minutes: 4, fee_percent: 25}
analysis:
  tests: [{question: meaning, test: cluster-robust}]
  exclude: {failed_checks: 1}
"""
PAGES = {
    "information": "We study how well programs rewrite questions.",
    "consent": "I consent to take part. I can stop at any time.",
    "instructions": "Choose the version that means the same.",
    "thanks": "Thank you.",
}


@pytest.fixture
def folder(tmp_path):
    """A sound study: six of ten inputs are judged, one pair each, and four are left for checks."""
    home = tmp_path / "small"
    (home / "pages").mkdir(parents=True)
    (home / "study.yaml").write_text(STUDY, encoding="utf-8")
    lines = [
        f"q{n},Where is number {n}?,Number {n} is where?,At which place is {n}?,Is {n} anywhere?"
        for n in range(1, 11)
    ]
    table = "\n".join(["id,input,reference,alder,birch", *lines, ""])
    (home / "items.csv").write_text(table, encoding="utf-8")
    for role, text in PAGES.items():
        (home / "pages" / f"{role}.md").write_text(text, encoding="utf-8")
    return home


def run(*words: str):
    return CliRunner().invoke(main, ["check", *map(str, words)], env={"COLUMNS": "200"})


def spoil(folder, before, after):
    """Change some words of study.yaml."""
    path = folder / "study.yaml"
    text = path.read_text(encoding="utf-8")
    assert before in text
    path.write_text(text.replace(before, after), encoding="utf-8")


def contents(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_sound_study_is_reported_as_sound_with_its_size_its_minutes_and_its_price(folder):
    """Six inputs in batches of three: 2 batches of 3 tasks and a check, 3 people each: 6 places.

    15 an hour for 4 minutes is 1.00; six rewards are 6.00, the fee of 25 % is 1.50.
    """
    result = run(folder)
    assert result.exit_code == 0, result.output
    assert "✓ Nothing found." in result.output
    assert "2 batches × 4 tasks × 3 participants = 6 places (drawn in memory)" in result.output
    assert "6 or more" in result.output
    assert "4 per batch (stated); about" in result.output
    assert "1.00 GBP per batch (15.00 an hour, which meets the own rate of 15" in result.output
    assert "7.50 GBP (rewards 6.00, fee 1.50)" in result.output


def test_the_wage_is_met_in_the_longest_batch_too(folder):
    """One answer of 2,380 words, in one of two batches, takes ten minutes more to read."""
    items = folder / "items.csv"
    items.write_text(
        items.read_text("utf-8").replace("At which place is 1?", "word " * 2380), "utf-8"
    )
    spoil(folder, "hourly: 15, minutes: 4,", "hourly: 15,")
    spoil(folder, "items: {sample: {inputs: 6}}", "items: {}")
    told = json.loads(run(folder, "--json").output)
    longest = told["minutes"]["longest"]
    assert longest > told["minutes"]["estimated"] + 9
    assert float(told["pay"]["reward"]) >= 15 * longest / 60
    assert "15.00 an hour in the longest batch, which meets" in run(folder).output


def test_a_wage_that_only_the_stated_minutes_meet_is_not_said_of_every_batch(folder):
    spoil(folder, "minutes: 4,", "minutes: 0.2,")
    assert "an hour for the stated minutes, which meets" in run(folder).output


def test_nothing_is_written(folder):
    before = contents(folder)
    run(folder)
    assert contents(folder) == before


def test_warnings_and_errors_end_with_1_and_say_the_remedy(folder):
    spoil(folder, "contact: {name: A. Researcher, email: study@uni.example.edu}", "")
    spoil(folder, "question: meaning}\nrec", "question: style}\nrec")
    result = run(folder)
    assert result.exit_code == 1
    assert "1 warning" in result.output
    assert "R402" in result.output
    assert "→ Add `contact: {name: …, email: …}` to study.yaml." in result.output
    assert result.output.index("R301") < result.output.index("R402")


def test_notes_alone_end_with_0(folder):
    spoil(folder, "ethics: Board of Ethics, 17/2026", "")
    result = run(folder)
    assert result.exit_code == 0
    assert "1 note" in result.output
    assert "R406" in result.output


def test_the_json_has_the_documented_keys(folder):
    """Amounts are text; the reward and the cost are those of the table above."""
    said = json.loads(run(folder, "--json").output)
    keys = ["study", "plan", "counts", "findings", "size", "minutes", "pay", "qualification"]
    assert list(said) == [*keys, "detectable", "looks"]
    assert (said["study"], said["plan"]) == ("small", "drawn")
    assert said["counts"] == {"error": 0, "warning": 0, "note": 0}
    assert said["size"] == {
        "batches": 2,
        "tasks_per_batch": [4],
        "calibration_tasks": 0,
        "participants_per_batch": [3],
        "places": 6,
        "participants_at_least": 6,
        "judgments_per_question": 18,
        "notes": [],
        "selection": None,
    }
    assert said["minutes"]["stated"] == 4
    assert said["pay"]["reward"] == "1.00"
    assert said["pay"]["cost"] == {
        "rewards": "6.00",
        "calibration": "0.00",
        "fee": "1.50",
        "vat": "0.00",
        "total": "7.50",
    }


def test_a_finding_in_json_has_its_code_places_and_remedy(folder):
    spoil(folder, "test: cluster-robust", "test: t-test")
    (finding,) = json.loads(run(folder, "--json").output)["findings"]
    assert list(finding) == [
        "code", "name", "severity", "message", "places", "place_count", "remedy",
    ]  # fmt: skip
    assert (finding["code"], finding["name"]) == ("R605", "pooled-tests")
    assert finding["places"] == ["analysis.tests[0]"]


def test_long_lists_of_places_are_cut(folder):
    """151 identical pairs: JSON keeps the first hundred and their number, the table five."""
    lines = [f"q{n},Where is {n}?,Reference {n}?,Same {n}?,Same {n}?" for n in range(1, 152)]
    table = "\n".join(["id,input,reference,alder,birch", *lines, ""])
    (folder / "items.csv").write_text(table, encoding="utf-8")
    spoil(folder, "items: {sample: {inputs: 6}}", "")
    spoil(folder, "checks:\n  - {id: told, kind: instruction, question: meaning}", "")
    spoil(folder, "platform: prolific", "platform: link")
    spoil(folder, "exclude: {failed_checks: 1}", "")
    (finding,) = json.loads(run(folder, "--json").output)["findings"]
    assert (len(finding["places"]), finding["place_count"]) == (100, 151)
    assert "and 146 more" in run(folder).output


def test_one_code_can_be_looked_for_alone(folder):
    spoil(folder, "contact: {name: A. Researcher, email: study@uni.example.edu}", "")
    spoil(folder, "test: cluster-robust", "test: t-test")
    found = json.loads(run(folder, "--only", "r402", "--json").output)["findings"]
    assert [finding["code"] for finding in found] == ["R402"]
    assert run(folder, "--only", "R101").exit_code == 0


def test_a_code_is_explained_without_a_study():
    result = run("--explain", "R101")
    assert result.exit_code == 0
    assert result.output.startswith("R101 identical-outputs (warning)")
    words = " ".join(result.output.split())
    assert "182 of 1,800 pairs" in words
    assert "Remedy: set `tie: true`" in words


@pytest.mark.parametrize("code", RULES)
def test_every_code_can_be_explained(code):
    said = json.loads(run("--explain", code, "--json").output)
    assert list(said) == ["code", "name", "severity", "summary", "explanation"]
    assert said["code"] == code


@pytest.mark.parametrize("words", [("--explain", "R1O1"), ("--only", "R999", "somewhere")])
def test_an_unknown_code_ends_with_2(words):
    result = run(*words)
    assert result.exit_code == 2
    assert "There is no code" in result.output


def test_a_folder_is_needed():
    result = run()
    assert result.exit_code == 2
    assert "rejudge check STUDY" in result.output


def test_a_folder_that_is_not_there_ends_with_2(tmp_path):
    result = run(tmp_path / "nowhere")
    assert result.exit_code == 2
    assert "rejudge new" in result.output


def test_a_stored_plan_is_used(folder):
    assert CliRunner().invoke(main, ["plan", str(folder)]).exit_code == 0
    assert "(plan.json)" in run(folder).output


def test_a_stale_plan_is_an_error_and_the_price_is_that_of_a_new_one(folder):
    """Four people instead of three: 2 × 4 = 8 places."""
    CliRunner().invoke(main, ["plan", str(folder)])
    spoil(folder, "participants_per_batch: 3", "participants_per_batch: 4")
    result = run(folder)
    assert result.exit_code == 1
    assert "R702" in result.output
    assert "= 8 places (drawn again in memory)" in result.output


def test_changes_since_the_freeze_are_reported(folder):
    CliRunner().invoke(main, ["plan", str(folder)])
    assert CliRunner().invoke(main, ["freeze", str(folder)]).exit_code == 0
    assert run(folder).exit_code == 0
    spoil(folder, "test: cluster-robust", "test: sign-flip")
    result = run(folder)
    assert result.exit_code == 1
    assert "R701" in result.output
    assert "cluster-robust → sign-flip" in result.output


def test_a_study_that_cannot_be_planned_is_still_looked_at(folder):
    spoil(folder, "inputs: 6", "inputs: 60")
    spoil(folder, "contact: {name: A. Researcher, email: study@uni.example.edu}", "")
    said = json.loads(run(folder, "--json").output)
    assert [finding["code"] for finding in said["findings"]] == ["R201", "R402"]
    assert (said["plan"], said["size"], said["pay"]) == ("none", None, None)


def test_a_wage_that_is_not_known_is_a_finding(folder):
    spoil(folder, "hourly: 15", "living_wage: AQ")
    said = json.loads(run(folder, "--json").output)
    assert [finding["code"] for finding in said["findings"]] == ["R201"]
    assert said["size"]["batches"] == 2
