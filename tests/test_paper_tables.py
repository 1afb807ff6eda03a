"""The commands write the tables and figures of four published reproductions."""

from __future__ import annotations

import csv
import shutil
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

import pytest
from click.testing import CliRunner

from rejudge.cli import main

pytestmark = pytest.mark.usefixtures("undrawn_figures")

STEEN = {"table": ["agreement", "wins"],
         "figure": ["agreement-percent", "scores-meaning", "meaning-wins"]}  # fmt: skip
STEEN_STUDY = {"table": ["copied-inputs"], "figure": ["profile-country", "baseline-meaning"]}
ITO = {"table": ["summary-by-role", "agreement", "systems-by-role", "pairs-by-role"],
       "figure": []}  # fmt: skip
ARVAN_STUDY = {"table": ["times", "times-pages"], "figure": ["times", "times-shares"]}
MILTENBURG = {
    "table": ["systems", "pairs", "times-people", "times-batches", "times-pages",
              "effects", "model-1", "model-1-contrasts", "people", "scores"],
    "figure": ["fluency-people", "fluency-scores"],
}  # fmt: skip


def run(*words: str):
    found = CliRunner().invoke(main, words, catch_exceptions=False)
    assert found.exit_code == 0, found.output


def written(*folders: Path):
    """The names of the tables and of the figures in these folders."""
    return {
        "table": {p.stem for folder in folders for p in folder.rglob("tables/*.csv")},
        "figure": {p.stem for folder in folders for p in folder.rglob("figures/*.svg")},
    }


def rows_of(path: Path):
    return list(csv.DictReader(path.read_text("utf-8").splitlines()))


def missing(names, found):
    return [name for kind in names for name in names[kind] if name not in found[kind]]


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
def test_the_tables_and_figures_of_the_choices_are_written(place, published):
    folder, _ = published("hosking2021_arvan2025")
    shutil.copy(folder / "judgments.csv", place / "choices.csv")
    times = ("--columns", "seconds=task_page_seconds")
    run("analyse", "choices.csv", "--exclude", "chose=distractor", *times, "--out", "choices")
    run("report", "choices")
    run("compare", "hosking-2021", "steen-2025", "--out", "c")
    assert missing(STEEN, written(place / "choices", place / "c")) == []
    rows = rows_of(place / "choices/report/tables/times.csv")
    seconds = {row["share"]: float(row["seconds"]) for row in rows}
    assert (seconds["0.8"], seconds["0.9"]) == pytest.approx((543, 647.2))


@pytest.mark.slow
def test_the_tables_and_figures_of_the_ratings_are_written(place, published):
    folder, _ = published("august2022_miltenburg2024")
    shutil.copy(folder / "judgments.csv", place / "ratings.csv")
    model = "score ~ system + category + domain + (1 | rater)"
    left_out = "participants=003,004,005,006,007,008,009,010"
    scale = ("--scale", "1..4", "--items-dealt-at-random")
    run(
        "analyse",
        "ratings.csv",
        *scale,
        "--test",
        "t-test",
        "--exclude",
        left_out,
        "--out",
        "first",
    )
    run("analyse", "ratings.csv", *scale, "--columns", "seconds=published_duration_seconds",
        "--model", model, "--out", "ratings")  # fmt: skip
    run("report", "ratings")
    run("compare", "august-2022", "miltenburg-2024", "miltenburg-2024-second", "--out", "c")
    found = written(place / "first", place / "ratings", place / "c")
    assert missing(MILTENBURG, found) == []


def test_the_tables_and_figures_of_scores_by_role_are_written(place):
    """Made-up scores of the shape of Ito et al. 2023: the command is the one for that paper."""
    systems = ("PGN-multi", "PGN-both", "BERT-multi", "BERT-both")
    rows = ["rater,item,role,system,criterion,score"]
    rows += [
        f"p{p},d{i}-{role},{role},{system},{criterion},{(2 * p + 3 * i + 5 * s + p * i * s) % 3}"
        for p in range(3)
        for i in range(10)
        for role in ("user", "agent")
        for s, system in enumerate(systems)
        for criterion in ("info", "nonred", "flu")
    ]
    (place / "scores.csv").write_text("\n".join(rows), encoding="utf-8")
    run("analyse", "scores.csv", "--pairs", "PGN-both:PGN-multi", "--pairs", "BERT-both:BERT-multi",
        "--by", "role", "--derive", "overall = (info + nonred + flu) / 3", "--agreement",
        "cohen-kappa", "--pooled-agreement", "--out", "scores")  # fmt: skip
    run("report", "scores")
    assert missing(ITO, written(place / "scores")) == []


CASES = """  correction: none
  show: normalised
  groups: [dataset]
  derived:
    - {id: overall, formula: "(informativeness + 'non-redundancy' + fluency) / 3"}
  cases:
    - {id: case-1, multiple: participant:p0001}
    - {id: case-2, multiple: participant:p0002}
    - {id: case-3, multiple: participant:p0003}
    - {id: case-4, multiple: mean}
"""
QUESTIONS = ("informativeness", "non-redundancy", "fluency")
PAIRS = "[[copynet-roles, copynet], [bertsum-roles, bertsum]]"


def test_scores_by_role_and_case_are_a_table_of_the_paper(place):
    """Table 1 of Ito et al. (2023): criteria by roles, cases as blocks, from 0 to 1, stars."""
    run("new", "study", "--like", "dialogue-summaries")
    file = place / "study" / "study.yaml"
    text = file.read_text("utf-8")
    for question in QUESTIONS:
        planned = f"{{question: {question}, test: mixed-model}}"
        paired = f"{{question: {question}, test: paired-t, unit: item, pairs: {PAIRS}}}"
        text = text.replace(planned, paired)
    overall = f"    - {{question: overall, test: paired-t, unit: item, pairs: {PAIRS}}}\n"
    file.write_text(text.replace("  correction: holm  ", f"{overall}{CASES}  #"), "utf-8")
    run("plan", "study")
    run("simulate", "study")
    run("analyse", "study")
    tables = place / "study/report/tables"
    rows = rows_of(tables / "summary-by-dataset.csv")
    assert len(rows) == 4 * 2 * 4 * 4  # cases, roles, criteria and systems
    assert all(float(row["normalised"]) == pytest.approx(float(row["value"]) / 2) for row in rows)
    cells = {(r["case"], r["group"], r["question"], r["system"]): r for r in rows}
    for (*where, system), row in cells.items():
        other = system.removesuffix(" with roles") if "with" in system else f"{system} with roles"
        values = [f"{float(each['normalised']):.9f}" for each in (row, cells[*where, other])]
        assert (row["best"] == "True") == (printed(values[0]) >= printed(values[1]))
        assert row["best"] == "True" or row["supported"] == "False"
    tex = (tables / "summary-by-dataset.tex").read_text("utf-8")
    assert all(f"\\emph{{case-{number}}}" in tex for number in (1, 2, 3, 4))
    first = cells["case-1", "agent", "informativeness", "Copy network"]
    second = cells["case-1", "user", "informativeness", "Copy network"]
    pieces = [
        f"\\textbf{{{printed(row['normalised'])}{'*' * (row['supported'] == 'True')}}}"
        for row in (first, second)
    ]
    assert f"Copy network & {' / '.join(pieces)} &" in tex


def printed(value: str) -> Decimal:
    """As people round."""
    return Decimal(f"{float(value):.9f}").quantize(Decimal("0.01"), ROUND_HALF_UP)


def test_the_tables_and_figures_of_a_comparison_of_papers_are_written(place):
    run("compare", "hosking-2022", "arvan-2024", "--out", "c")
    assert "scores-meaning" in written(place / "c")["figure"]


@pytest.mark.slow
def test_the_tables_and_figures_of_a_study_that_was_served_are_written(place):
    """Simulated people walk the pages of a small study, in which one system copies its inputs."""
    run("new", "study", "--kind", "pairwise")
    study = place / "study" / "study.yaml"
    country = "{id: country, prompt: 'Where do you live?', options: [here, there]}"
    site = f"site: {{exit_questions: [{country}]}}\n"
    study.write_text(study.read_text("utf-8") + site, "utf-8")
    items = place / "study" / "items.csv"
    rows = list(csv.DictReader(items.read_text("utf-8").splitlines()))
    copied = [row | {"dropper": row["input"]} for row in rows]
    with items.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, list(rows[0]))
        table.writeheader()
        table.writerows(copied)
    run("plan", "study")
    run("rehearse", "study", "--participants", "30")
    run("analyse", "study")
    run("baseline", "study", "--rules", "copy-wins,unknown-loses,random")
    run("report", "study")
    found = written(place / "study")
    assert missing(STEEN_STUDY, found) + missing(ARVAN_STUDY, found) == []
    shares = rows_of(place / "study/report/tables/copied-inputs.csv")
    assert {row["system"]: row["identical to input"] for row in shares} == {
        "Word substitution": "0",
        "Rewriter": "0",
        "Sentence compression": "12",
        "Sequence to sequence": "0",
    }
    times = rows_of(place / "study/report/tables/times.csv")
    assert {"0.8", "0.9"} <= {row["share"] for row in times}
