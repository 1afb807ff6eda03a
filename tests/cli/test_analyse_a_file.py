"""rejudge analyse FILE: judgments that were collected anywhere."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import rejudge as rj
from rejudge.cli import main


def run(*words: str | Path):
    return CliRunner().invoke(main, ["analyse", *(str(word) for word in words)])


@pytest.fixture
def ratings(tmp_path):
    """Four people, five texts, two models."""
    lines = ["coder,doc,model,score"]
    lines += [
        f"c{c},d{d},{model},{(c * 2 + d * 3 + len(model)) % 5 + 1}"
        for c in range(4)
        for d in range(5)
        for model in ("old", "<new>")
    ]
    path = tmp_path / "ratings.csv"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def test_it_says_that_nothing_was_planned_and_writes_nothing(ratings):
    result = run(ratings)
    assert result.exit_code == 0
    assert "There is no plan of analysis" in result.stdout
    assert "Nothing written" in result.stdout
    assert [path.name for path in ratings.parent.iterdir()] == ["ratings.csv"]


def test_the_printed_and_the_written_numbers_are_the_same(ratings, tmp_path):
    out = tmp_path / "out"
    said = json.loads(run(ratings, "--out", out, "--json").stdout)
    written = json.loads((out / "results.json").read_bytes())
    assert written["made_from"] == {"judgments": said["signature"]["judgments"]}
    assert [f["value"] for f in said["findings"]] == [
        f["value"] for f in written["content"]["findings"]
    ]
    assert said["basis"] == "default"
    assert not any(finding["is_planned"] for finding in said["findings"])
    assert (out / "tables/judgment-systems.tex").exists()


def test_the_same_in_python(ratings):
    said = json.loads(run(ratings, "--scale", "1..5", "--json").stdout)
    results = rj.analyse(rj.read_judgments(ratings), scale=(1, 5), seed=1)
    assert [f["value"] for f in said["findings"]] == [f.value for f in results.findings]


def test_a_notebook_shows_an_escaped_table(ratings):
    html = rj.analyse(rj.read_judgments(ratings))._repr_html_()
    assert html.startswith("<table>")
    assert "&lt;new&gt;" in html
    assert "<new>" not in html


def test_the_ends_of_the_scale_cut_intervals(ratings):
    def highest(*options: str) -> float:
        said = json.loads(run(ratings, *options, "--json").stdout)
        return max(f["interval"]["high"] for f in said["findings"] if f["measure"] == "mean")

    assert highest("--scale", "1..3.5") == 3.5
    assert highest() > 3.5


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--scale", "five"), "is no scale"),
        (("--scale", "5..1"), "is no scale"),
        (("--columns", "coder"), "is unclear"),
        (("--exclude", "lazy=1"), "there is no rule 'lazy'"),
        (("--columns", "participant=nobody"), "nobody"),
    ],
)
def test_what_cannot_be_read_is_told_without_a_traceback(ratings, options, said):
    result = run(ratings, *options)
    assert result.exit_code == 2
    assert said in result.output
    assert "Traceback" not in result.output


def test_options_of_a_table_are_refused_for_a_study(tmp_path):
    result = run(tmp_path, "--scale", "1..4")
    assert result.exit_code == 2
    assert "--scale is for a table" in result.output


def test_rows_can_be_left_out_by_a_rule_and_both_ways_are_given(ratings):
    said = json.loads(run(ratings, "--exclude", "participants=c0", "--json").stdout)
    assert said["flow"]["real_rows_kept"] == 30
    assert {f["id"] for f in said["without_exclusions"]} == {f["id"] for f in said["findings"]}


def test_only_the_wanted_question_is_analysed(tmp_path):
    path = tmp_path / "two.csv"
    rows = [f"p{p},i{i},s{s},{q},{(p + i + s) % 4}" for p in range(3) for i in range(3)
            for s in range(2) for q in ("fluency", "meaning")]  # fmt: skip
    path.write_text("participant,item,system,question,value\n" + "\n".join(rows) + "\n", "utf-8")
    said = json.loads(run(path, "--question", "fluency", "--json").stdout)
    assert {f["question"] for f in said["findings"]} == {"fluency"}
    refused = run(path, "--question", "fluency", "--question", "style")
    assert refused.exit_code == 2
    assert "The table has: fluency, meaning" in refused.output
