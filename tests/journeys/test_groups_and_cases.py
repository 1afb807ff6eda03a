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


def of_cases(found, measure: str, **wanted: object):
    """The findings about the original and each case, by who answered alone in it."""
    return {
        each["key"]["case"].rpartition(":")[2]: each
        for each in found["findings"]
        if each["key"]["measure"] == measure
        and wanted.items() <= each["key"].items()
        and len(each["key"]["runs"]) == 2
        and "participant" in each["key"]["case"]
    }


def criteria(found, measure: str = "mean", **wanted: object) -> set[str]:
    """The criteria of the original on which there are such numbers."""
    names = {
        json.dumps([each["asks"] or each["id"], each["group"]]): each["id"]
        for each in found["criteria"]
    }
    return {
        names[json.dumps([key["question"], key["group"]])]
        for key in (each["key"] for each in found["findings"])
        if key["measure"] == measure and wanted.items() <= key.items()
    }


def test_every_question_in_every_role_is_compared_in_every_case(found):
    assert criteria(found) == {each.id for each in open_shipped("lin-2022").criteria}
    assert [each["id"] for each in found["runs"]] == ["lin-2022", "lab"]
    cases = ["", *(f"participant:{person}" for person in PEOPLE), "mean"]
    assert found["runs"][1]["cases"] == cases


def test_correlations_and_matching_are_those_that_the_reproduction_printed(found):
    """Ito et al. (2023), Table 2. In the third case two scores that are printed as 0.64, overall of
    the user's summaries, are 1.93 / 3 and 1.92 / 3 and so in the same order as in the original: 10
    of 16, where 9 were printed (0.56)."""
    r = of_cases(found, "pearson", method="together")
    assert {person: each["value"] for person, each in r.items()} == pytest.approx(
        {"p1": 0.90, "p2": 0.89, "p3": 0.90}, abs=0.005
    )
    matched = of_cases(found, "matching-accuracy")
    assert {person: (m["extra"]["matched"], m["n"]) for person, m in matched.items()} == {
        "p1": (12, 16),
        "p2": (11, 16),
        "p3": (10, 16),
    }


def test_significance_is_held_against_the_four_stars_of_the_original(found):
    """In the first case one of them is significant again, and nothing else: 2 / (1 + 4)."""
    first = of_cases(found, "significance-f1")["p1"]
    assert first["value"] == pytest.approx(0.4)
    assert list(first["extra"].values()) == [1, 1, 4]


def test_only_the_pairs_of_the_plan_are_compared(found):
    """Two pairs on eight criteria, of the six pairs that four systems make."""
    whole = of_cases(found, "confirmed-share", method="pairwise-ranks", question="")
    assert (whole["p1"]["extra"]["confirmed"], whole["p1"]["n"]) == (12, 16)
    (note,) = [each for each in found["notes"] if "only the pairs of systems that" in each]
    assert "lab plans to compare" in note


def test_a_derived_score_has_cv_star_in_every_role(found):
    about = {"question": "overall", "group": [{"column": "role", "name": "agent"}]}
    about |= {"systems": ["pgn-both"]}
    spread = of_cases(found, "cv-star", **about)
    assert set(spread) == set(PEOPLE)
    assert all(each["value"] is not None for each in spread.values())
    scores = {
        (*each["key"]["runs"], each["key"]["case"]): each["value"]
        for each in found["findings"]
        if each["key"]["measure"] == "mean" and about.items() <= each["key"].items()
    }
    assert scores["lin-2022", ""] == 0.70
    assert scores["lab", "participant:p1"] == pytest.approx((0.64 + 0.59 + 0.74) / 3)


def test_cases_are_neither_compared_with_each_other_nor_pooled(found):
    runs = {tuple(each["key"]["runs"]) for each in found["findings"]}
    every = [each["key"]["measure"] for each in found["findings"] if len(each["key"]["runs"]) > 2]
    assert {each for each in runs if len(each) < 3} == {
        ("lin-2022",), ("lab",), ("lin-2022", "lab")
    }  # fmt: skip
    assert set(every) == {"confirmed-everywhere"}


def test_groups_of_other_names_are_matched_by_their_column(tmp_path):
    """The roles are called by letters: neither columns nor names agree."""
    lab = analysed(tmp_path, "part", {"user": "user", "agent": "shop"})
    failed = CliRunner().invoke(main, ["compare", "lin-2022", str(lab)])
    assert failed.exit_code == 2
    assert "--match role=part" in " ".join(failed.stderr.split())
    found = json.loads(run("compare", "lin-2022", lab, "--match", "role=part", "--json"))
    assert criteria(found, runs=["lab"], case="") == {
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
    assert found["runs"][1]["cases"] == ["", "average", "single"]
    assert criteria(found) == {f"good-{each}" for each in DATASETS}
    testable = {each["case"] for each in found["claims"] if each["verdict"] != "not-testable"}
    assert testable == {"", "average", "single"}
    stability = [
        " ".join(fact["text"] for fact in each["how"])
        for each in found["findings"]
        if each["key"]["measure"] == "same-order"
        and (each["key"]["runs"], each["key"]["case"]) == (["study"], "")
    ]
    assert stability
    assert all("raw judgments" in method for method in stability)


def test_totals_over_two_studies_count_the_groups_of_a_question_once(study, tmp_path):
    """Two questions and a derived score with two groups each: nine rows, and three in the mean."""
    again = tmp_path / "again"
    run("bundle", study, "--licence", "CC-BY-4.0", "--out", tmp_path / "first.zip")
    run("reproduce", tmp_path / "first.zip", "--as", "again", "--out", again)
    for step in ("plan", "simulate", "analyse"):
        run(step, again, *(("--seed", "7") if step == "simulate" else ()))
    found = json.loads(run("compare", tmp_path / "first.zip", again, "--json"))
    keys = {each["id"]: each for each in found["criteria"]}
    assert set(keys) == {
        name
        for q in ("fluency", "meaning", "both")
        for name in (q, *(f"{q}-{d}" for d in DATASETS))
    }
    (whole,) = [
        each
        for each in found["findings"]
        if each["key"]["measure"] == "cv-star"
        and not each["key"]["question"]
        and not each["key"]["case"].strip("+")
    ]
    assert (whole["n"], whole["extra"]["of"]) == (3, 3)
    labels = [
        " ".join(fact["text"] for fact in each["how"])
        for each in found["findings"]
        if each["key"]["measure"] == "agreement"
        and (each["key"]["question"], each["key"]["group"]) == ("both", [])
        and len(each["key"]["runs"]) == 2
        and each["value"] is not None
    ]
    assert any("interval distances" in method for method in labels)
