"""rejudge paper: new, check, list, show."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from rejudge.cli import main
from rejudge.errors import FileError, UsageError
from rejudge.files.step_files import open_paper
from rejudge.paper.paper_file import shipped_ids, shipped_text


def run(*words: object):
    return CliRunner().invoke(main, ["paper", *map(str, words)], env={"COLUMNS": "80"})


def test_a_new_file_is_checked_until_it_is_filled_in(tmp_path):
    file = tmp_path / "Doe & Roe 2026.yaml"
    made = run("new", file, "--reproduces", "august-2022", "--json")
    assert made.exit_code == 0
    assert json.loads(made.stdout)["id"] == "Doe-Roe-2026"
    checked = run("check", file)
    assert checked.exit_code == 2
    assert f"{file}:7, reference.authors: 'authors' is empty." in checked.stderr


def test_a_file_that_is_there_is_not_replaced_without_force(tmp_path):
    file = tmp_path / "mine.yaml"
    file.write_text("mine", "utf-8")
    assert run("new", file).exit_code == 2
    assert file.read_text("utf-8") == "mine"
    assert run("new", file, "--force").exit_code == 0
    assert file.read_text("utf-8").startswith("# A published human evaluation as data.")


def test_an_unknown_original_is_reported_before_anything_is_written(tmp_path):
    result = run("new", tmp_path / "mine.yaml", "--reproduces", "agust-2022")
    assert result.exit_code == 2
    assert "Did you mean 'august-2022'?" in result.stderr
    assert not list(tmp_path.iterdir())


def test_a_number_that_cannot_be_is_listed_to_be_checked(tmp_path):
    mistyped = tmp_path / "mistyped.yaml"
    mistyped.write_text(shipped_text("steen-2025").replace("value: -0.46", "value: -1.46"), "utf-8")
    result = run("check", mistyped, "--json")
    assert result.exit_code == 0
    (doubt,) = json.loads(result.stdout)["papers"][0]["doubtful"]
    assert doubt.startswith("dips, meaning: -1.46 lies outside the scale. (A104, Table 2")


def test_papers_are_checked_together_and_every_fault_is_reported(tmp_path):
    faulty = tmp_path / "faulty.yaml"
    text = shipped_text("steen-2025").replace("system: dips", "system: dipps", 1)
    faulty.write_text(text.replace("platform:", "plattform:"), "utf-8")
    result = run("check", faulty, "steen-2025", tmp_path / "none.yaml", "--json")
    assert result.exit_code == 2
    files = [problem["file"] for problem in json.loads(result.stdout)["error"]]
    assert files == [str(faulty), str(faulty), str(tmp_path / "none.yaml")]


def test_missing_parts_that_a_comparison_needs_are_listed(tmp_path):
    file = tmp_path / "bare.yaml"
    file.write_text(
        "id: bare\nreference: {authors: Doe, year: 2024, title: Bare}\nsystems: [{id: a}]\n"
        "criteria: [{id: q, scale: {kind: percent, low: 0, high: 100}}]\n"
        "cases: [{scores: [{criterion: q, system: a, value: 50}]}]\n",
        "utf-8",
    )
    result = run("check", file)
    assert result.exit_code == 0
    assert "no conditions: a comparison needs them" in result.stdout
    assert "1 of 1 scores without the place in the paper" in result.stdout


@pytest.mark.parametrize("name", shipped_ids())
def test_the_papers_of_rejudge_are_sound_and_lack_nothing(name):
    (told,) = json.loads(run("check", name, "--json").stdout)["papers"]
    assert told["id"] == name
    assert told["missing"] == []


def test_the_list_has_each_original_above_its_reproductions():
    told = json.loads(run("list", "--json").stdout)["papers"]
    names = [paper["id"] for paper in told]
    assert set(names) == set(shipped_ids())
    for paper in told:
        if paper["reproduces"]:
            assert names.index(paper["reproduces"]) < names.index(paper["id"])


def test_the_list_fits_a_narrow_screen():
    lines = run("list").stdout.splitlines()
    assert len(lines) == 1 + len(shipped_ids())
    assert max(len(line.rstrip()) for line in lines) <= 80


def test_a_paper_is_shown_as_it_is_written():
    assert run("show", "lin-2022").stdout == shipped_text("lin-2022")
    read = json.loads(run("show", "lin-2022", "--json").stdout)
    assert read["cases"][0]["scores"][0]["value"] == "0.69"


def test_a_file_takes_precedence_over_a_paper_of_the_same_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = shipped_text("lin-2022").replace("id: lin-2022", "id: mine", 1)
    Path("lin-2022").write_text(text, "utf-8")
    assert open_paper("lin-2022").id == "mine"


def test_a_name_that_is_neither_file_nor_paper_is_reported(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="there is no paper 'lin'"):
        open_paper("lin")
    with pytest.raises(FileError, match="there is no such file"):
        open_paper("lin.yaml")
