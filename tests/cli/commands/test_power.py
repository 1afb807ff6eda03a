"""rejudge power: from a study to what it can find, its files, and refusals."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from rejudge.cli import main
from rejudge.files.step_files import open_study, read_power

DOCS = Path(__file__).parents[3] / "docs"
QUICK = (
    "--items",
    "12,24",
    "--per-item",
    "3",
    "--precision",
    "0.2",
    "--processes",
    "1",
)


def run(*words: str | Path):
    return CliRunner().invoke(main, [str(word) for word in words])


@pytest.fixture(scope="module")
def made_once(tmp_path_factory):
    folder = tmp_path_factory.mktemp("power") / "study"
    assert run("new", folder, "--kind", "rating").exit_code == 0
    assert run("plan", folder).exit_code == 0
    return folder


@pytest.fixture
def made(made_once, tmp_path):
    """A study with its plan."""
    return Path(shutil.copytree(made_once, tmp_path / "study"))


@pytest.mark.usefixtures("undrawn_figures")
def test_it_writes_power_tables_and_a_figure(made):
    found = run("power", made, "--effect", "0.8", *QUICK, "--json")

    assert found.exit_code == 0, found.output
    document = json.loads(found.stdout)
    assert [size["items"] for size in document["sizes"]] == [12, 24]
    (planned,) = (size for size in document["sizes"] if size["is_planned"])
    assert planned["cost"] == "27.00"
    assert document["seed"] == 1
    assert {Path(name).name for name in document["written"]} >= {
        "power.json", "power.csv", "power.tex", "power.md", "power-cost.svg",
    }  # fmt: skip
    page = (DOCS / "reference" / "commands.md").read_text("utf-8")
    named = {*document, *document["sizes"][0], *document["sizes"][0]["comparisons"][0]}
    assert not [key for key in named if f"`{key}`" not in page]
    stored = read_power(made, open_study(made))
    assert stored is not None
    assert stored.planned.power == planned["power"]
    assert (
        stored.command
        == "rejudge power DIR --effect 0.8 --items 12,24 --per-item 3 --precision 0.2"
    )
    assert not stored.is_after_data


def test_check_power_and_analyse_correct_for_equally_many_tests(made):
    """By hand: two questions with six pairs, each tested in all, in two datasets and between."""
    path = made / "study.yaml"
    text = path.read_text(encoding="utf-8").replace("ordinal-mixed-model", "mixed-model")
    path.write_text(text.replace("analysis:", "analysis:\n  groups: [dataset]", 1), "utf-8")
    checked = json.loads(run("check", made, "--json").stdout)
    power = run("power", made, "--effect", "0.5", *QUICK, "--precision", "0.4", "--json")
    assert run("simulate", made).exit_code == 0
    found = json.loads(run("analyse", made, "--json").stdout)["findings"]
    tested = [f for f in found if f["is_planned"] and not f["key"]["case"] and f["p"] is not None]

    assert {each["tests"] for each in checked["detectable"]} == {48}
    assert json.loads(power.stdout)["family"] == 48
    assert len(tested) == 48


def test_a_changed_design_makes_it_stale(made):
    assert run("power", made, "--effect", "0.8", *QUICK).exit_code == 0
    path = made / "study.yaml"
    path.write_text(
        path.read_text().replace("participants_per_batch: 3", "participants_per_batch: 4")
    )

    assert read_power(made, open_study(made)) is None


def test_a_dry_run_writes_nothing(made):
    before = set(made.rglob("*"))
    found = run("power", made, "--effect", "0.8", *QUICK, "--dry-run")

    assert found.exit_code == 0
    assert "The cheapest size that reaches 80 % is 24 items" in " ".join(found.output.split())
    assert set(made.rglob("*")) == before


def test_another_analysis_is_not_replaced_and_not_computed_first(made, monkeypatch):
    assert run("power", made, "--effect", "0.8", *QUICK).exit_code == 0
    before = (made / "power.json").read_bytes()
    monkeypatch.setattr("rejudge.power.grid.compute_power", None)  # it would be called in vain
    found = run("power", made, "--effect", "0.7", *QUICK)

    assert found.exit_code == 2
    assert "power.json: there is a power analysis of another design" in found.output
    assert (made / "power.json").read_bytes() == before


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "no effect of interest is stated for fluency"),
        (("--effect", "observed"), "power is not computed at the effect that was observed"),
        (("--effect", "-1"), "'-1' is not an effect"),
        (("--effect", "nan"), "'nan' is not an effect"),
        (("--effect", "=1"), "'=1' is not an effect"),
        (("--effect", "1", "--effect", "2"), "two effects are stated, 1 and 2"),
        (
            ("--effect", "meaning=1", "--effect", "meaning=2"),
            "two effects are stated for meaning, 1 and 2",
        ),
        (("--effect", "1", "--pair", "lexsimp"), "'lexsimp' is not a pair of systems"),
        (
            ("--effect", "1", "--items", "1000000", "--per-item", "1000000"),
            "1,000,000 items × 1,000,000 participants each are too many to simulate",
        ),
        (
            ("--fill", "--effect", "1", "--items", "9"),
            "--effect and --items cannot be combined with",
        ),
        (("--effect", "fluent=1"), "no planned test of 'fluent'"),
        (("--effect", "3"), "beyond the scale"),
        (("--effect", "1", "--pair", "x:y"), "there is no system 'x'"),
        (("--effect", "1", "--question", "none"), "no question 'none'"),
        (("--effect", "1", "--items", "a"), "not a list of numbers"),
        (("--effect", "1", "--items", "0"), "between 1 and"),
        (("--effect", "1", "--precision", "0"), "cannot be reached"),
        (("--fill",), "no rule for its size"),
    ],
)
def test_what_cannot_be_computed_is_refused_with_the_reason(made_once, words, message):
    found = run("power", made_once, *words, "--processes", "1")

    assert found.exit_code == 2
    assert message in " ".join(found.output.split())


def test_the_studys_own_answers_are_no_pilot(made):
    assert run("simulate", made).exit_code == 0
    found = run("power", made, "--effect", "0.8", "--from", made)

    assert found.exit_code == 2
    assert "answers of the study itself" in found.output
    assert "Hoenig & Heisey" in found.output


def test_check_says_in_one_line_what_can_be_detected(made_once):
    said = " ".join(run("check", made_once).output.split())
    document = json.loads(run("check", made_once, "--json").stdout)

    assert "can detect differences of 1.39 points of the scale on fluency and meaning" in said
    assert "in studies as small as this one, the planned model detects less" in said
    assert [each["question"] for each in document["detectable"]] == ["fluency", "meaning"]


@pytest.mark.slow
def test_a_rule_is_frozen_filled_in_by_a_pilot_and_followed(made, tmp_path):
    """The whole way: rule, freeze, pilot, size, plan, answers, report, datasheet, bundle."""
    shutil.copytree(made, made / "pilot")
    assert run("simulate", made / "pilot").exit_code == 0
    path = made / "study.yaml"
    rule = "sample_size: {effect: {fluency: 0.9, meaning: 0.9}, pilot: pilot, inputs: [6, 12]}\n"
    path.write_text(path.read_text().replace("ordinal-mixed-model", "mixed-model") + rule)
    assert run("freeze", made).exit_code == 0

    found = run("power", made, "--fill", "--json")
    assert found.exit_code == 0, found.output
    size = json.loads(found.stdout)["filled"]
    assert size["inputs"] in {6, 12}
    again = run("power", made, "--fill")
    assert again.exit_code == 0  # the same content is not a change
    assert run("plan", made, "--force").exit_code == 0
    codes = [each["code"] for each in json.loads(run("check", made, "--json").stdout)["findings"]]
    assert "R701" not in codes

    assert run("simulate", made).exit_code == 0
    assert run("analyse", made).exit_code == 0
    assert run("report", made).exit_code == 0
    page = (made / "report" / "index.html").read_text()
    assert "a pilot filled it in" in page
    assert "power was computed by simulating" in page
    assert run("heds", "fill", made).exit_code == 0
    assert "rejudge power DIR --fill" in (made / "heds.json").read_text()
    bundle = tmp_path / "study.zip"
    packed = run("bundle", made, "--licence", "CC-BY-4.0", "--out", bundle)
    assert packed.exit_code == 0, packed.output
    assert run("verify", bundle).exit_code == 0
