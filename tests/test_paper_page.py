"""The page on tables and figures of papers names only what the commands write."""

from __future__ import annotations

import csv
import re
import shlex
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from rejudge.cli import main

PAGE = Path(__file__).parents[1] / "docs" / "guide" / "tables-and-figures-of-papers.md"
NAMES = re.compile(
    r"(figures?|tables?)(?: and (figures?|tables?))? ((?:`[^`]+`(?: \([^)]*\))?(?:, | and )?)+)"
)
pytestmark = pytest.mark.usefixtures("undrawn_figures")
NEEDS_A_STUDY = re.compile(r"`rejudge (?:report|analyse|simulate|baseline) STUDY")


def claims(section, *, of_a_study=False):
    """What the rows of a section name: (row, kind, name), made from a file or from a study."""
    text = PAGE.read_text(encoding="utf-8").partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    rows = [line.split("|") for line in text.splitlines() if line.startswith("| ")]
    for row, _, made in (cells[1:4] for cells in rows):
        is_wanted = bool(NEEDS_A_STUDY.search(made)) == of_a_study
        for one, two, names in NAMES.findall(made if is_wanted else ""):
            for name in re.findall(r"`([a-z0-9A-Z…-]+)`", names):
                for kind in filter(None, (one, two)):
                    yield row.strip(), kind.rstrip("s"), name.removeprefix("…")


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


def missing(section, found, *, of_a_study=False):
    return [
        (row, kind, name)
        for row, kind, name in claims(section, of_a_study=of_a_study)
        if not any(_is_called(each, name) for each in found[kind])
    ]


def _is_called(file: str, name: str) -> bool:
    """Whether the page may mean a file: `profile-…` stands for all that begin so."""
    return file.endswith(name) or (name.endswith("…") and file.startswith(name.rstrip("…")))


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
def test_what_is_named_for_the_choices_is_written(place, published):
    folder, _ = published("hosking2021_arvan2025")
    shutil.copy(folder / "judgments.csv", place / "choices.csv")
    times = ("--columns", "seconds=task_page_seconds")
    run("analyse", "choices.csv", "--exclude", "chose=distractor", *times, "--out", "choices")
    run("report", "choices")
    run("compare", "hosking-2021", "steen-2025", "--out", "c")
    named = list(claims("Steen & Markert 2025"))
    assert len(named) >= 4
    assert missing("Steen & Markert 2025", written(place / "choices", place / "c")) == []
    rows = rows_of(place / "choices/tables/times.csv")
    seconds = {row["share"]: float(row["seconds"]) for row in rows}
    assert (seconds["0.8"], seconds["0.9"]) == pytest.approx((543, 647.2))


@pytest.mark.slow
def test_what_is_named_for_the_ratings_is_written(place, published):
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
    assert len(list(claims("van Miltenburg et al. 2024"))) >= 12
    assert missing("van Miltenburg et al. 2024", found) == []


def test_what_is_named_for_scores_by_role_is_written(place):
    """Made-up scores of the shape of Ito et al. 2023: the command is the one on the page."""
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
    section = PAGE.read_text("utf-8").partition("\n## Ito et al. 2023\n")[2].partition("\n## ")[0]
    commands = re.findall(r"^rejudge (.+)$", section, re.MULTILINE)
    for command in commands:
        run(*shlex.split(command))
    named = list(claims("Ito et al. 2023"))
    assert (len(commands), len(named)) == (2, 4)
    assert missing("Ito et al. 2023", written(place / "scores")) == []


def test_what_is_named_for_a_comparison_of_papers_is_written(place):
    run("compare", "hosking-2022", "arvan-2024", "--out", "c")
    found = written(place / "c")
    figures = [each for each in claims("Arvan & Parde 2024") if each[0] == "Figure 2"]
    assert [name in found["figure"] for _, _, name in figures] == [True]


@pytest.mark.slow
def test_what_is_named_for_a_study_that_was_served_is_written(place):
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
    for section, least in (("Steen & Markert 2025", 3), ("Arvan & Parde 2024", 4)):
        assert len(list(claims(section, of_a_study=True))) >= least
        assert missing(section, found, of_a_study=True) == []
    shares = rows_of(place / "study/tables/copied-inputs.csv")
    assert {row["system"]: row["identical to input"] for row in shares} == {
        "Word substitution": "0",
        "Rewriter": "0",
        "Sentence compression": "12",
        "Sequence to sequence": "0",
    }
    times = rows_of(place / "study/tables/times.csv")
    assert {"0.8", "0.9"} <= {row["share"] for row in times}


def test_every_command_of_the_page_exists():
    commands = set(re.findall(r"`rejudge ([a-z]+)", PAGE.read_text(encoding="utf-8")))
    assert commands <= set(main.list_commands(None))  # type: ignore[arg-type]  # needs no context
