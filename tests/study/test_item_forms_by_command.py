"""Items and batches in any form of table give the same study, checked and planned by command."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import openpyxl
import pyarrow as pa
import pytest
from click.testing import CliRunner
from pyarrow import parquet

from rejudge.cli import main
from rejudge.design.plan import Batch
from rejudge.files.step_files import open_plan

HEADER = ("id", "dataset", "input", "reference", "lexsimp", "rewriter", "dropper", "seq2seq")
FORMS = ("csv", "semicolons.csv", "cp1252.csv", "utf16.csv", "tsv", "jsonl", "xlsx", "parquet")


def run(*words: object, expect: int = 0) -> str:
    result = CliRunner().invoke(main, [str(word) for word in words])
    assert result.exit_code == expect, result.output
    return result.output


def write(path: Path, rows: list[dict[str, str]]) -> Path:
    """The rows in the form that the name of a file promises."""
    header = list(rows[0])
    if path.suffix == ".jsonl":
        path.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    elif path.suffix == ".xlsx":
        book = openpyxl.Workbook()
        for cells in (header, *(row.values() for row in rows)):
            book.active.append(list(cells))
        book.create_sheet("Notes")
        book.save(path)
    elif path.suffix == ".parquet":
        parquet.write_table(pa.table({name: [r[name] for r in rows] for name in header}), path)
    else:
        marks = {"items.tsv": "\t", "items.semicolons.csv": ";"}
        encodings = {"items.cp1252.csv": "cp1252", "items.utf16.csv": "utf-16"}
        text = io.StringIO(newline="")
        writer = csv.DictWriter(text, header, delimiter=marks.get(path.name, ","))
        writer.writeheader()
        writer.writerows(rows)
        path.write_bytes(text.getvalue().encode(encodings.get(path.name, "utf-8")))
    return path


@pytest.fixture
def study(tmp_path: Path) -> Path:
    folder = tmp_path / "study"
    run("new", folder)
    return folder


def with_items(folder: Path, form: str) -> tuple[list[str], tuple[Batch, ...]]:
    """What `check` says, and the plan, of the study with its items in another form."""
    rows = list(csv.DictReader((folder / "items.csv").read_text("utf-8").splitlines()))
    name = f"items.{form}"
    write(folder / name, [{**row, "dataset": "café"} for row in rows])
    text = (folder / "study.yaml").read_text("utf-8")
    (folder / "study.yaml").write_text(text.replace("items.csv  ", f"{name} "), "utf-8")
    said = json.loads(run("check", folder, "--json", "--only", "R109"))
    run("plan", folder)
    return [f["message"] for f in said["findings"]], open_plan(folder)[1].batches


@pytest.mark.parametrize("form", FORMS)
def test_items_in_any_form_give_the_same_plan(study: Path, tmp_path: Path, form: str):
    run("new", tmp_path / "usual")
    assert with_items(study, form)[1] == with_items(tmp_path / "usual", "csv")[1]


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ("csv", ""),
        ("jsonl", ""),
        ("cp1252.csv", "read as Windows-1252"),
        ("utf16.csv", "read as UTF-16"),
        ("xlsx", "the sheet 'Sheet' was read; there are 1 more"),
    ],
)
def test_checking_a_study_says_what_was_assumed_about_its_items(study: Path, form, words):
    notes, _ = with_items(study, form)
    assert words in " ".join(notes)
    assert bool(notes) == bool(words)


def test_an_address_on_any_sheet_of_a_workbook_keeps_it_out_of_a_bundle(
    study: Path, tmp_path: Path
):
    with_items(study, "xlsx")
    table = openpyxl.load_workbook(study / "items.xlsx")
    table["Notes"]["A1"] = "ask ann.lee@university.nl"
    table.save(study / "items.xlsx")
    run("plan", study, "--force")
    run("simulate", study)
    run("analyse", study)
    out = tmp_path / "b.zip"
    said = run("bundle", study, "--licence", "CC-BY-4.0", "--out", out, expect=2)
    assert "items.xlsx" in said
    assert "e-mail" in said


@pytest.mark.parametrize("form", ["csv", "jsonl", "xlsx", "parquet"])
def test_batches_in_any_form_give_the_same_plan(study: Path, tmp_path: Path, form: str):
    rows = list(csv.DictReader((study / "items.csv").read_text("utf-8").splitlines()))
    names = [row["id"] for row in rows]
    batches = [{"batch": "1", "item": name, "a": "dropper", "b": "lexsimp"} for name in names]
    file = write(tmp_path / f"given.{form}", batches)
    run("plan", study, "--from", file)
    (batch,) = open_plan(study)[1].batches
    assert [task.item for task in batch.tasks] == names


def test_a_fault_in_a_workbook_of_items_has_its_line(study: Path):
    write(study / "items.xlsx", [dict.fromkeys(HEADER, "x") | {"dropper": ""}])
    text = (study / "study.yaml").read_text("utf-8")
    (study / "study.yaml").write_text(text.replace("items.csv  ", "items.xlsx "), "utf-8")
    assert "items.xlsx:2" in run("check", study, expect=2)


def test_results_are_grouped_by_any_column_of_the_items(study: Path):
    rows = list(csv.DictReader((study / "items.csv").read_text("utf-8").splitlines()))
    hard = [{**row, "difficulty": ("easy", "hard")[n % 2]} for n, row in enumerate(rows)]
    write(study / "items.csv", hard)
    text = (study / "study.yaml").read_text("utf-8")
    grouped = re.sub(r"(?m)^analysis:.*$", "analysis:\n  groups: [difficulty]", text)
    (study / "study.yaml").write_text(grouped, "utf-8")
    run("plan", study)
    run("simulate", study)
    run("analyse", study)
    results = (study / "results.json").read_text("utf-8")
    assert {'"difficulty"', '"easy"', '"hard"'} <= set(re.findall(r'"\w+"', results))


def test_a_column_for_groups_that_the_items_lack_is_named(study: Path):
    text = (study / "study.yaml").read_text("utf-8")
    grouped = re.sub(r"(?m)^analysis:.*$", "analysis:\n  groups: [difficulty]", text)
    (study / "study.yaml").write_text(grouped, "utf-8")
    said = run("check", study, expect=2)
    assert "the column 'difficulty' is missing, but analysis.groups names it" in said
