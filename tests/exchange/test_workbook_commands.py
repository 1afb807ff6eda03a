"""From `rejudge export` to `rejudge analyse`, with workbooks in between."""

from __future__ import annotations

import json
import shutil
from datetime import datetime
from pathlib import Path

import openpyxl
import pytest
from click.testing import CliRunner

from filled_workbooks import cell_at, fill, layouts, put_in_form, simulated, tab_of
from rejudge.cli import main
from rejudge.files.step_files import open_plan
from rejudge.spreadsheet import csv_rows

NAMES = ("Ada", "李雷", "Grace")
BEGIN, END = datetime(2026, 3, 1, 9, 30), datetime(2026, 3, 2, 18)  # noqa: DTZ001 - a cell has no zone
PEOPLE = "name,mail\nAda,ada@example.org\n李雷,lei@example.org\nGrace,g@example.org\n"


def run(*words: str | Path, code: int = 0) -> str:
    result = CliRunner().invoke(main, [str(word) for word in words])
    assert result.exit_code == code, result.output
    return result.output


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """A study with its workbooks as they came back from three people."""
    home = tmp_path_factory.mktemp("exported")
    folder = home / "study"
    run("new", folder, "--kind", "segments")
    run("plan", folder)
    (home / "people.csv").write_text(PEOPLE, "utf-8")
    said = run("export", folder, "--to", "xlsx", "--participants", home / "people.csv")
    assert "Written: 4 files" in said
    study, plan = open_plan(folder)
    for name, book in zip(NAMES, layouts(study, plan, NAMES), strict=True):
        fill(folder / "xlsx" / f"{name}.xlsx", book, simulated(study, plan, book))
    return home


@pytest.fixture
def returned(exported, tmp_path):
    """A copy of the folder, and the workbooks in it."""
    shutil.copytree(exported, tmp_path, dirs_exist_ok=True)
    folder = tmp_path / "study"
    return folder, [folder / "xlsx" / f"{name}.xlsx" for name in NAMES]


def damage(folder: Path, path: Path, value: object) -> None:
    """Type something else into the first cell of the first workbook."""
    study, plan = open_plan(folder)
    sheet = layouts(study, plan, NAMES)[0].sheets[0]
    book = openpyxl.load_workbook(path)
    row = sheet.rows[0]
    cell_at(tab_of(book, sheet), row.key, next(iter(row.cells))).value = value
    book.save(path)


@pytest.mark.slow
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
    book = layouts(study, plan, NAMES)[0]
    fill(copy, book, simulated(study, plan, book))
    after = run("import", folder, copy, *paths[1:], "--force", "--json")
    assert json.loads(after)["judgments"] == json.loads(before)["judgments"]


@pytest.mark.slow
def test_importing_the_same_workbooks_again_changes_nothing(returned):
    folder, paths = returned
    damage(folder, paths[0], 7)
    run("import", folder, *paths, code=1)
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    said = json.loads(run("import", folder, *paths, "--json", code=1))
    assert said["written"] == []
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_a_bad_file_among_good_ones_is_listed_and_the_good_ones_are_kept(returned, tmp_path):
    folder, paths = returned
    paths[1].write_bytes(paths[1].read_bytes()[:2000])
    people = tmp_path / "people.csv"
    said = run("import", folder, *paths, people, code=1)
    assert "by 2 participants, 0 cells rejected, 2 files not read" in said
    assert "李雷.xlsx: the workbook is damaged" in said
    told = json.loads(run("import", folder, *paths, people, "--json", code=1))
    assert told["rejected"][0]["file"] == str(people)
    assert told["rejected"][0]["reason"] == "the format of the file was not recognised."
    written = (folder / "rejected.csv").read_text("utf-8")
    assert "Ask for the file again" in written


def test_bad_files_alone_import_nothing(returned):
    folder, paths = returned
    for path in paths[:2]:
        path.write_bytes(path.read_bytes()[:2000])
    said = run("import", folder, *paths[:2], code=2)
    assert "Ada.xlsx: the workbook is damaged" in said
    assert "李雷.xlsx: the workbook is damaged" in said
    assert not (folder / "judgments.csv").exists()


@pytest.mark.slow
def test_copies_to_correct_go_when_the_corrected_file_is_here(returned, tmp_path):
    folder, paths = returned
    damage(folder, paths[0], 7)
    run("import", folder, *paths, code=1)
    copy = folder / "to-correct" / "Ada.xlsx"
    study, plan = open_plan(folder)
    book = layouts(study, plan, NAMES)[0]
    corrected = tmp_path / "Ada (1).xlsx"
    corrected.write_bytes(copy.read_bytes())
    fill(corrected, book, simulated(study, plan, book))
    others = run("import", folder, *paths[1:], "--force", "--json")
    assert json.loads(others)["removed"] == []  # nothing is known of her answers yet
    assert copy.exists()
    said = json.loads(run("import", folder, corrected, *paths[1:], "--force", "--json"))
    assert [Path(each).name for each in said["removed"]] == ["Ada.xlsx", "Ada.txt"]
    assert not any((folder / "to-correct").iterdir())


@pytest.mark.slow
def test_a_copy_that_was_edited_is_never_removed(returned):
    folder, paths = returned
    damage(folder, paths[0], 7)
    run("import", folder, *paths, code=1)
    copy = folder / "to-correct" / "Ada.xlsx"
    study, plan = open_plan(folder)
    book = layouts(study, plan, NAMES)[0]
    fill(copy, book, simulated(study, plan, book))
    kept = copy.read_bytes()
    fill(paths[0], book, simulated(study, plan, book))
    said = json.loads(run("import", folder, *paths, "--force", "--json"))
    assert said["removed"] == []
    assert copy.read_bytes() == kept


@pytest.mark.slow
def test_other_answers_of_the_same_person_are_reported_and_not_taken_over(returned):
    folder, paths = returned
    run("import", folder, *paths)
    before = (folder / "judgments.csv").read_bytes()
    study, plan = open_plan(folder)
    book = layouts(study, plan, NAMES)[0]
    fill(paths[0], book, simulated(study, plan, book, seed=99))
    said = " ".join(run("import", folder, *paths, code=2).split())
    assert "by p0001 have another value in these files" in said
    assert (folder / "judgments.csv").read_bytes() == before
    forced = " ".join(run("import", folder, *paths, "--force").split())
    assert "by p0001 have another value in these files" in forced


def test_a_later_import_says_whose_answers_it_would_lose(returned):
    folder, paths = returned
    run("import", folder, *paths[:2])
    said = " ".join(run("import", folder, paths[2], code=2).split())
    assert "by p0001, p0002 are not in these files" in said
    assert "Import all files together" in said


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (None, "there is no consent."),
        ("maybe", "there is no consent."),
        ("No", "the participant does not consent."),
    ],
)
def test_answers_without_consent_are_left_out_and_listed(returned, answer, reason):
    folder, paths = returned
    study, plan = open_plan(folder)
    book = layouts(study, plan, NAMES)[0]
    fill(paths[0], book, simulated(study, plan, book), consent=answer)
    said = json.loads(run("import", folder, *paths, "--json", code=1))
    (rejected,) = said["rejected"]
    assert (rejected["reason"], rejected["column"]) == (reason, "Consent")
    assert any("because there is no consent" in note for note in said["notes"])
    judgments = (folder / "judgments.csv").read_text("utf-8")
    assert "p0001" not in judgments
    assert "p0002" in judgments
    assert (folder / "to-correct/Ada.xlsx").exists() == (answer != "No")


def test_a_copy_asks_for_the_consent_and_keeps_the_answers(returned):
    folder, paths = returned
    study, plan = open_plan(folder)
    book = layouts(study, plan, NAMES)[0]
    fill(paths[0], book, simulated(study, plan, book), consent=None)
    run("import", folder, *paths, code=1)
    copy = folder / "to-correct" / "Ada.xlsx"
    opened = openpyxl.load_workbook(copy)
    cell = put_in_form(opened, "consent", "yes")
    assert "There is no consent" in cell.comment.text
    opened.save(copy)
    run("import", folder, copy, *paths[1:], "--force")
    assert "p0001" in (folder / "judgments.csv").read_text("utf-8")
    assert (folder / "consent.csv").read_text("utf-8").splitlines() == [
        "participant,consent,started,finished", "p0001,yes,,", "p0002,yes,,", "p0003,yes,,",
    ]  # fmt: skip


@pytest.mark.slow
def test_times_are_kept_as_they_were_written_and_never_become_seconds(returned):
    folder, paths = returned
    for path, started, finished in zip(
        paths,
        (BEGIN, "2026-03-01 09:30", "yesterday"),
        (END, "2026-02-28 10:00", None),
        strict=True,
    ):
        book = openpyxl.load_workbook(path)
        put_in_form(book, "started", started)
        put_in_form(book, "finished", finished)
        book.save(path)
    said = " ".join(run("import", folder, *paths, code=1).split())
    assert "Grace.xlsx, row" in said
    assert "'yesterday' is not a date and time." in said
    assert "the end (2026-02-28 10:00) is before the beginning" in said
    assert "p0001,yes,2026-03-01 09:30,2026-03-02 18:00" in (folder / "consent.csv").read_text()
    head, *rows = csv_rows((folder / "judgments.csv").read_text("utf-8"))
    assert {row[head.index("seconds")] for row in rows} == {""}
    assert {row[head.index("participant")] for row in rows} == {"p0001", "p0002", "p0003"}


def test_a_workbook_without_the_sheet_of_the_consent_has_none(returned):
    folder, paths = returned
    book = openpyxl.load_workbook(paths[0])
    book.remove(book["Consent"])
    book.save(paths[0])
    said = run("import", folder, *paths, code=1)
    assert "there is no consent" in said


def test_answers_of_the_site_are_not_hidden_by_an_import(returned):
    folder, paths = returned
    (folder / "study.db").write_bytes(b"")
    said = run("import", folder, *paths, code=2)
    assert "participants have answered on the site" in said
