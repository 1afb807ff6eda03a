"""The demo, from an empty folder to the report."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from rejudge.cli import main
from rejudge.judgments.judgments_csv import read_csv
from shown import DOCS

pytestmark = pytest.mark.slow


def run(*words: str | Path):
    return CliRunner().invoke(main, [str(word) for word in words])


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """A demo that was run once, and what it printed."""
    folder = tmp_path_factory.mktemp("here") / "demo"
    return folder, run("demo", "--out", folder)


def test_it_ends_well_and_says_what_it_made(demo):
    folder, result = demo
    assert result.exit_code == 0, result.output
    assert result.stderr.count("✓") == 15
    for name in ("report/index.html", "study.yaml", "plan.json", "frozen.json", "judgments.csv"):
        assert (folder / name).is_file()
        assert name in result.stdout.replace("\n", "")
    assert "Nothing is left running." in result.stdout


def test_each_step_is_a_command_that_a_person_could_type(demo):
    _, result = demo
    commands = re.findall(r"rejudge (\w+) ", result.stderr)
    first = ["new", "check", "plan", "freeze", "heds", "rehearse", "analyse", "bundle", "verify"]
    assert commands == [*first, "reproduce", "rehearse", "analyse", "compare", "heds", "report"]


def test_its_study_is_sound(demo):
    folder, _ = demo
    result = run("check", folder, "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["counts"]["error"] == 0


def test_every_judgment_is_marked_as_simulated(demo):
    folder, _ = demo
    table = read_csv((folder / "judgments.csv").read_text(encoding="utf-8"))
    assert table.simulated == len(table) > 300


def test_the_report_holds_what_a_reader_needs(demo):
    folder, _ = demo
    page = (folder / "report" / "index.html").read_text(encoding="utf-8")
    for words in (
        "Simulated judgments.",
        "Design and conditions",
        "Participants and exclusions",
        "Results: meaning",
        "Agreement",
        "Checks, sides and order",
        "What the study could detect",
        "Comparison with a reproduction: Demo (demo-second-lab)",
        "Methods",
        "Limitations",
        "Signature",
        "and nothing has changed since",
        "Krippendorff",
    ):
        assert words in page


def test_the_second_lab_is_compared_with_the_first_and_simulation_is_said(demo):
    folder, _ = demo
    page = (folder / "comparison" / "report" / "index.html").read_text(encoding="utf-8")
    for words in ("Simulated judgments.", "12 of 12 pairwise orders", "fewer people"):
        assert words in page
    found = json.loads((folder / "comparison" / "comparison.json").read_bytes())["content"]
    assert [run["id"] for run in found["runs"]] == ["demo", "demo-second-lab"]
    changed = [each for each in found["deviations"] if each["reason"]]
    assert [each["property"] for each in changed] == ["participants-per-item"]
    assert run("verify", folder / "demo.zip").exit_code == 0


def test_the_report_calls_no_other_host(demo):
    folder, _ = demo
    page = (folder / "report" / "index.html").read_text(encoding="utf-8")
    assert not re.search(r"(?:src|href)=[\"'](?!#)", page)
    assert not re.search(r"url\((?!#)|@import|https?://|//[a-z]", page)


def test_the_numbers_are_the_same_when_computed_again(demo):
    folder, _ = demo
    before = (folder / "results.json").read_bytes()
    again = run("analyse", folder, "--seed", json.loads(before)["content"]["signature"]["seed"])
    assert again.exit_code == 0, again.output  # without --force: nothing else was to be written
    assert (folder / "results.json").read_bytes() == before


def test_kept_and_excluded_judgments_add_up(demo):
    folder, _ = demo
    flow = json.loads((folder / "results.json").read_bytes())["content"]["flow"]
    excluded = (folder / "excluded.csv").read_text(encoding="utf-8").splitlines()[1:]
    assert flow["rows"] == flow["rows_kept"] + len(excluded)
    assert excluded


@pytest.mark.slow
def test_it_is_made_anew_with_force_alone_and_as_json_names_its_steps_and_files(tmp_path):
    (tmp_path / ".rejudge-demo").touch()  # what an earlier one left
    refused = run("demo", "--out", tmp_path)
    assert refused.exit_code == 2
    assert "--force" in refused.output
    again = run("demo", "--out", tmp_path, "--force", "--json")
    assert again.exit_code == 0
    said = json.loads(again.stdout)
    assert [step["step"] for step in said["steps"]][-1] == "report"
    assert all(Path(name).is_file() for name in said["files"])
    assert said["seconds"] >= max(step["seconds"] for step in said["steps"])
    page = (DOCS / "reference" / "commands.md").read_text("utf-8")
    documented = page.split("\n## demo\n")[1].split("\n## ", maxsplit=1)[0]
    keys = {*said, *(key for step in said["steps"] for key in step)}
    assert [key for key in sorted(keys) if f"`{key}`" not in documented] == []


def test_a_folder_that_is_no_demo_is_never_touched(tmp_path):
    (tmp_path / "thesis.txt").write_text("years of work", encoding="utf-8")
    result = run("demo", "--out", tmp_path, "--force")
    assert result.exit_code == 2
    assert "not made by a demo" in result.output
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


@pytest.mark.browser
def test_the_report_fits_a_phone_and_makes_no_request(demo, open_page):
    folder, _ = demo
    page_address = (folder / "report" / "index.html").resolve().as_uri()
    asked: list[str] = []
    page = open_page(viewport={"width": 390, "height": 844})
    page.on("request", lambda request: asked.append(request.url))
    page.goto(page_address)
    assert asked == [page_address]
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
