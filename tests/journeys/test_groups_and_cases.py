"""A reproduction by roles and in several cases, compared with the paper that it reproduces.

The judgments have the means that Ito et al. (2023) print in Table 1: one person for each of 90
dialogues, and three for each of ten, of whom one counts in each of the first three cases.
"""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from rejudge.cli import main
from rejudge.paper.paper_file import open_shipped

PEOPLE = ("p1", "p2", "p3")
TESTED = ("pgn-both:pgn-multi", "bert-both:bert-multi")
DATASETS = ("science", "town")


def run(*words: object) -> str:
    done = CliRunner().invoke(main, [str(word) for word in words])
    assert done.exit_code == 0, done.output
    return done.stdout


def evenly(total: int, outputs: int) -> list[int]:
    """As many points for every output as possible."""
    return [total * (n + 1) // outputs - total * n // outputs for n in range(outputs)]


def printed_means() -> dict[tuple[str, str, str], list[float]]:
    """By question, role and system: the mean in each of the first three cases."""
    found: dict[tuple[str, str, str], list[float]] = {}
    for case in open_shipped("ito-2023").cases[:3]:
        for score in case.known:
            question, _, role = score.criterion.rpartition("-")
            found.setdefault((question, role, score.system), []).append(score.number.value)
    return found


def judgments(column: str, names: dict[str, str]) -> list[dict[str, object]]:
    """Points from 0 to 2 for 100 dialogues, so that a mean of 0.69 is a sum of 138."""
    rows: list[dict[str, object]] = []
    for (question, role, system), means in printed_means().items():
        if question == "overall":
            continue
        sums = [round(200 * mean) for mean in means]
        alone = min(sums) - 3
        shown = {"system": system, "question": question, column: names[role]}
        for n, value in enumerate(evenly(alone, 90)):
            rows.append(
                {"participant": PEOPLE[n // 30], "item": f"{role}{n}", "value": value} | shown
            )
        for person, whole in zip(PEOPLE, sums, strict=True):
            for n, value in enumerate(evenly(whole - alone, 10)):
                rows.append({"participant": person, "item": f"{role}-{n}", "value": value} | shown)
    return rows


def analysed(folder: Path, column: str, names: dict[str, str]) -> Path:
    rows = judgments(column, names)
    with (folder / "table.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    options = [word for pair in TESTED for word in ("--pairs", pair)]
    cases = [*(f"participant:{person}" for person in PEOPLE), "mean"]
    options += [word for case in cases for word in ("--cases", case)]
    run(
        "analyse", folder / "table.csv", "--by", column, "--scale", "0..2", "--test",
        "paired-t:item", "--derive", 'overall=(info + "non-red" + flu) / 3', *options, "--out",
        folder / "lab",
    )  # fmt: skip
    return folder / "lab"


@pytest.fixture(scope="module")
def lab(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("roles")
    return analysed(folder, "dataset", {"user": "User", "agent": "Agent"})


@pytest.fixture(scope="module")
def found(lab):
    """The paper beside the results: groups of the same names are the same groups."""
    return json.loads(run("compare", "lin-2022", lab, "--json"))


def of_cases(found, section: str, **wanted: object):
    listed = [each for each in found[section] if wanted.items() <= each.items()]
    last = [each.get("run") or each["runs"][-1] for each in listed]
    return {
        name.rpartition(":")[2]: each
        for name, each in zip(last, listed, strict=True)
        if "participant" in name
    }


def test_every_question_in_every_role_is_compared_in_every_case(found):
    names = {each["criterion"] for each in found["scores"]}
    assert names == {each.id for each in open_shipped("lin-2022").criteria}
    assert [each["id"] for each in found["runs"]] == [
        "lin-2022", "lab", *(f"lab:participant:{person}" for person in PEOPLE), "lab:mean"
    ]  # fmt: skip


def test_correlations_and_matching_are_those_that_the_reproduction_printed(found):
    """Ito et al. (2023), Table 2. In the third case two scores that are printed as 0.64, overall of
    the user's summaries, are 1.93 / 3 and 1.92 / 3 and so in the same order as in the original: 10
    of 16, where 9 were printed (0.56)."""
    r = of_cases(found, "correlations", measure="pearson", criterion=None, n=32)
    assert {person: each["value"] for person, each in r.items()} == pytest.approx(
        {"p1": 0.90, "p2": 0.89, "p3": 0.90}, abs=0.005
    )
    matched = of_cases(found, "matching")
    assert {person: (m["matched"], m["pairs"]) for person, m in matched.items()} == {
        "p1": (12, 16),
        "p2": (11, 16),
        "p3": (10, 16),
    }


def test_significance_is_held_against_the_four_stars_of_the_original(found):
    """In the first case one of them is significant again, and nothing else: 2 / (1 + 4)."""
    first = of_cases(found, "matching")["p1"]
    assert (first["true_positives"], first["predicted"], first["actual"]) == (1, 1, 4)
    assert first["f1"] == pytest.approx(0.4)


def test_only_the_pairs_of_the_plan_are_compared(found):
    """Two pairs on eight criteria, of the six pairs that four systems make."""
    ranks = [each for each in found["confirmed"] if each["family"] == "pairwise-ranks"]
    whole = {each["run"]: each for each in ranks if each["criterion"] is None}
    first = whole["lab:participant:p1"]
    assert (first["confirmed"], first["assessable"]) == (12, 16)
    (note,) = [each for each in found["notes"] if "only the pairs of systems that" in each]
    assert "lab plans to compare" in note


def test_a_derived_score_has_cv_star_in_every_role(found):
    spread = of_cases(found, "variations", criterion="overall-agent", system="pgn-both")
    assert spread["p1"]["scores"]["lin-2022"] == 0.70
    assert spread["p1"]["scores"]["lab:participant:p1"] == pytest.approx((0.64 + 0.59 + 0.74) / 3)
    assert all(each["value"] is not None for each in spread.values())


def test_cases_are_neither_compared_with_each_other_nor_pooled(found):
    for section in ("variations", "correlations", "effects", "equivalence", "pooled"):
        assert all(sum(run != "lin-2022" for run in e["runs"]) == 1 for e in found[section])


def test_groups_of_other_names_are_matched_by_their_column(tmp_path):
    """The roles are called by letters: neither columns nor names agree."""
    lab = analysed(tmp_path, "part", {"user": "user", "agent": "shop"})
    failed = CliRunner().invoke(main, ["compare", "lin-2022", str(lab)])
    assert failed.exit_code == 2
    assert "--match role=part" in " ".join(failed.stderr.split())
    found = json.loads(run("compare", "lin-2022", lab, "--match", "role=part", "--json"))
    assert {each["criterion"] for each in found["scores"] if each["run"] == "lab"} == {
        "info-user", "non-red-user", "flu-user", "overall-user"
    }  # fmt: skip


PAPER = """
id: first-lab
reference: {{authors: Example, year: 2020, title: A study of simplification}}
systems: [{{id: lexsimp}}, {{id: seq2seq}}]
criteria:
  - id: good-{0}
    question: fluency
    group: {{column: domain, name: {0}}}
    scale: {{kind: rating, low: 1, high: 5}}
  - id: good-{1}
    question: fluency
    group: {{column: domain, name: {1}}}
    scale: {{kind: rating, low: 1, high: 5}}
cases:
  - scores:
    - {{criterion: good-{0}, system: lexsimp, value: 4.0}}
    - {{criterion: good-{0}, system: seq2seq, value: 3.0}}
    - {{criterion: good-{1}, system: lexsimp, value: 4.1}}
    - {{criterion: good-{1}, system: seq2seq, value: 3.1}}
claims: [{{id: better, says: lexsimp > seq2seq on good-{0}}}]
conditions: {{platform: Prolific}}
"""


@pytest.fixture(scope="module")
def study(tmp_path_factory) -> Path:
    """A study that plans groups and cases, judged by simulated people."""
    folder = tmp_path_factory.mktemp("planned") / "study"
    run("new", folder, "--kind", "rating")
    text = (folder / "study.yaml").read_text("utf-8")
    cases = "[{id: average, multiple: mean}, {id: single, multiple: first}]"
    derived = "[{id: both, formula: (fluency + meaning) / 2}]"
    plan = f"  groups: [dataset]\n  cases: {cases}\n  derived: {derived}\n  correction: holm"
    text = text.replace("  correction: holm", plan, 1)
    (folder / "study.yaml").write_text(
        text.replace("ordinal-mixed-model", "paired-t, unit: item"), "utf-8"
    )
    for step in ("plan", "simulate", "analyse"):
        run(step, folder)
    return folder


def test_planned_groups_and_cases_of_a_study_are_compared_with_a_paper(study, tmp_path):
    (tmp_path / "paper.yaml").write_text(PAPER.format(*DATASETS), "utf-8")
    found = json.loads(run("compare", tmp_path / "paper.yaml", study, "--json"))
    assert [each["id"] for each in found["runs"][2:]] == ["study:average", "study:single"]
    assert {each["criterion"] for each in found["scores"]} == {f"good-{each}" for each in DATASETS}
    assert {each["run"] for each in found["claims"] if each["verdict"] != "not-testable"} == {
        "study", "study:average", "study:single"
    }  # fmt: skip
    differences = [each for each in found["stability"] if each["run"] == "study"]
    assert all("raw judgments" in each["method"] for each in differences)


def test_totals_over_two_studies_count_the_groups_of_a_question_once(study, tmp_path):
    """Two questions and a derived score with two groups each: nine rows, and three in the mean."""
    again = tmp_path / "again"
    run("bundle", study, "--licence", "CC-BY-4.0", "--out", tmp_path / "first.zip")
    run("reproduce", tmp_path / "first.zip", "--as", "again", "--out", again)
    for step in ("plan", "simulate", "analyse"):
        run(step, again, *(("--seed", "7") if step == "simulate" else ()))
    found = json.loads(run("compare", tmp_path / "first.zip", again, "--json"))
    second = found["runs"][1]["id"]
    pair = [each for each in found["variations"] if each["runs"][1] == second]
    assert {each["criterion"] for each in pair} - {None} == {
        name
        for q in ("fluency", "meaning", "both")
        for name in (q, *(f"{q}-{d}" for d in DATASETS))
    }
    (whole,) = [each for each in pair if each["criterion"] is None]
    assert (whole["n"], whole["of"]) == (3, 3)
    labels = {each["criterion"]: each for each in found["agreement"] if each["is_between"]}
    assert "interval distances" in labels["both"]["method"]
    assert "ordinal distances" in labels["fluency-town"]["method"]
