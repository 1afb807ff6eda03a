"""From `rejudge export` to `rejudge analyse`, with workbooks in between."""

from __future__ import annotations

import json
from pathlib import Path

import openpyxl
import pytest
from click.testing import CliRunner

from filled_workbooks import cell_at, fill, layouts, simulated, tab_of
from rejudge.cli import main
from rejudge.files import open_plan

PEOPLE = "name,mail\nAda,ada@example.org\n李雷,lei@example.org\nGrace,g@example.org\n"


def run(*words: str | Path, code: int = 0) -> str:
    result = CliRunner().invoke(main, [str(word) for word in words])
    assert result.exit_code == code, result.output
    return result.output


@pytest.fixture
def returned(tmp_path):
    """The folder of a study, and its workbooks as they came back from three people."""
    folder = tmp_path / "study"
    run("new", folder, "--kind", "segments")
    run("plan", folder)
    (tmp_path / "people.csv").write_text(PEOPLE, "utf-8")
    said = run("export", folder, "--to", "xlsx", "--people", tmp_path / "people.csv")
    assert "Written: 4 files" in said
    study, plan = open_plan(folder)
    names = ("Ada", "李雷", "Grace")
    paths = [folder / "xlsx" / f"{name}.xlsx" for name in names]
    for path, book in zip(paths, layouts(study, plan, names), strict=True):
        fill(path, book, simulated(study, plan, book))
    return folder, paths


def damage(folder: Path, path: Path, value: object) -> None:
    """Type something else into the first cell of the first workbook."""
    study, plan = open_plan(folder)
    sheet = layouts(study, plan, ("Ada", "李雷", "Grace"))[0].sheets[0]
    book = openpyxl.load_workbook(path)
    row = sheet.rows[0]
    cell_at(tab_of(book, sheet), row.key, next(iter(row.cells))).value = value
    book.save(path)


def test_workbooks_become_results(returned):
    folder, paths = returned
    said = run("import", folder, *paths)
    assert "by 3 participants, 0 cells rejected" in said
    assert not (folder / "to-correct").exists()
    judgments = (folder / "judgments.csv").read_text("utf-8")
    assert {"p0001", "p0002", "p0003"} <= set(judgments.replace("\n", ",").split(","))
    assert not any(name in judgments for name in ("Ada", "李雷", "Grace"))
    assert "3 of 3 participants" in run("analyse", folder)


def test_a_correction_goes_out_and_comes_back(returned):
    folder, paths = returned
    before = run("import", folder, *paths, "--json")
    damage(folder, paths[0], "2，1")
    said = run("import", folder, *paths, "--force", "--json", code=1)
    (rejected,) = json.loads(said)["rejected"]
    assert (rejected["file"], rejected["value"]) == ("Ada.xlsx", "2，1")
    assert "there are 2 scores in one cell" in (folder / "to-correct/Ada.txt").read_text("utf-8")
    copy = folder / "to-correct" / "Ada.xlsx"
    study, plan = open_plan(folder)
    book = layouts(study, plan, ("Ada", "李雷", "Grace"))[0]
    fill(copy, book, simulated(study, plan, book))
    after = run("import", folder, copy, *paths[1:], "--force", "--json")
    assert json.loads(after)["judgments"] == json.loads(before)["judgments"]


def test_importing_the_same_workbooks_again_changes_nothing(returned):
    folder, paths = returned
    damage(folder, paths[0], 7)
    run("import", folder, *paths, code=1)
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    said = json.loads(run("import", folder, *paths, "--json", code=1))
    assert said["written"] == []
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_a_bad_file_among_good_ones_imports_nothing(returned):
    folder, paths = returned
    paths[1].write_bytes(paths[1].read_bytes()[:2000])
    said = run("import", folder, *paths, code=2)
    assert "李雷.xlsx: the workbook is damaged" in said
    assert not (folder / "judgments.csv").exists()


def test_the_file_that_is_not_recognised_is_named(returned, tmp_path):
    folder, paths = returned
    said = run("import", folder, paths[0], tmp_path / "people.csv", code=2)
    assert "people.csv: the format of the file was not recognised." in said
    assert "Ada.xlsx" not in said


def test_answers_of_the_site_are_not_hidden_by_an_import(returned):
    folder, paths = returned
    (folder / "study.db").write_bytes(b"")
    said = run("import", folder, *paths, code=2)
    assert "participants have answered on the site" in said
