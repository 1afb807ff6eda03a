"""The page on tables and figures of papers names only what the commands write."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from rejudge.cli import main

PAGE = Path(__file__).parents[1] / "docs" / "guide" / "tables-and-figures-of-papers.md"
NAMES = re.compile(r"(figures?|tables?)(?: and (figures?|tables?))? ((?:`[^`]+`(?:, | and )?)+)")
NEEDS_A_STUDY = "`rejudge report DIR`"


def claims(section):
    """What the rows of a section name: (row, kind, name); a study of one's own is left out."""
    text = PAGE.read_text(encoding="utf-8").partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    rows = [line.split("|") for line in text.splitlines() if line.startswith("| ")]
    for row, _, made in (cells[1:4] for cells in rows):
        for one, two, names in NAMES.findall("" if NEEDS_A_STUDY in made else made):
            for name in re.findall(r"`([^`]+)`", names):
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


def missing(section, found):
    return [
        (row, kind, name)
        for row, kind, name in claims(section)
        if not any(each == name or each.endswith(name) for each in found[kind])
    ]


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
def test_what_is_named_for_the_choices_is_written(place, published):
    folder, _ = published("hosking2021_arvan2025")
    shutil.copy(folder / "judgments.csv", place / "choices.csv")
    run("analyse", "choices.csv", "--exclude", "chose=distractor", "--out", "choices")
    run("report", "choices")
    run("compare", "hosking-2021", "steen-2025", "--out", "c")
    named = list(claims("Steen & Markert 2025"))
    assert len(named) >= 4
    assert missing("Steen & Markert 2025", written(place / "choices", place / "c")) == []


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
    found = written(place / "first", place / "ratings")
    assert len(list(claims("van Miltenburg et al. 2024"))) >= 8
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


def test_every_command_of_the_page_exists():
    commands = set(re.findall(r"`rejudge ([a-z]+)", PAGE.read_text(encoding="utf-8")))
    assert commands <= set(main.list_commands(None))  # type: ignore[arg-type]  # needs no context
