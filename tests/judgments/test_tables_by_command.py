"""Tables of every kind and shape through `rejudge analyse`: the same judgments, same numbers."""

from __future__ import annotations

import json
from pathlib import Path

import openpyxl
import pyarrow as pa
import pytest
from click.testing import CliRunner
from pyarrow import csv as arrow_csv
from pyarrow import parquet

from findings_by_key import by_id
from rejudge.cli import main

# Three people score two systems on four texts by two criteria; 3 × 2 × 4 × 2 = 48 judgments.
LONG = [
    {"rater": f"r{r}", "item": f"i{i}", "model": model, "criterion": criterion,
     "score": 1 + (r + i * len(model) + len(criterion)) % 5}
    for r in range(3) for i in range(4) for model in ("old", "newer")
    for criterion in ("fluency", "meaning")
]  # fmt: skip


def analysed(path: Path, *options: str):
    words = ["analyse", str(path), *options, "--question", "fluency", "--json"]
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def numbers(said):
    return {name: finding["value"] for name, finding in by_id(said).items()}


def table_of(rows) -> pa.Table:
    return pa.Table.from_pylist(rows)


def csv_of(rows, path: Path, separator: str = ",") -> Path:
    options = arrow_csv.WriteOptions(delimiter=separator)
    arrow_csv.write_csv(table_of(rows), path, write_options=options)
    return path


def tsv(folder):
    return csv_of(LONG, folder / "table.tsv", "\t")


def jsonl(folder):
    path = folder / "table.jsonl"
    path.write_text("\n".join(map(json.dumps, LONG)), "utf-8")
    return path


def parquet_file(folder):
    parquet.write_table(table_of(LONG), folder / "table.parquet")
    return folder / "table.parquet"


def excel(folder):
    book = openpyxl.Workbook()
    for row in [LONG[0].keys(), *(row.values() for row in LONG)]:
        book.active.append(list(row))
    book.save(folder / "table.xlsx")
    return folder / "table.xlsx"


@pytest.fixture
def expected(tmp_path):
    """The numbers of the long table as CSV."""
    return numbers(analysed(csv_of(LONG, tmp_path / "long.csv")))


@pytest.mark.parametrize("make", [tsv, jsonl, parquet_file, excel])
def test_every_kind_of_file_gives_the_same_numbers(make, tmp_path, expected):
    assert numbers(analysed(make(tmp_path))) == expected


def test_the_sheet_of_a_workbook_can_be_named(tmp_path, expected):
    path = excel(tmp_path)
    book = openpyxl.load_workbook(path)
    book.create_sheet("Notes", 0)["A1"] = "nothing"
    book.save(path)
    assert numbers(analysed(path, "--sheet", "Sheet")) == expected


def widened(column: str, value: str = "score"):
    """One row for what stands beside a column, and one column for each of its values."""
    found: dict[tuple, dict] = {}
    for row in LONG:
        beside = {name: cell for name, cell in row.items() if name not in (column, value)}
        found.setdefault(tuple(beside.values()), beside)[row[column]] = row[value]
    return list(found.values())


@pytest.mark.parametrize(
    ("column", "wide"),
    [
        ("criterion", "criterion=fluency,meaning"),
        ("rater", "participant=r*"),
        ("model", "system=old,newer"),
    ],
)
def test_a_wide_table_gives_the_numbers_of_the_long_one(column, wide, tmp_path, expected):
    path = csv_of(widened(column), tmp_path / "wide.csv")
    found = numbers(analysed(path, "--wide", wide))
    known = {name: value for name, value in expected.items() if value is not None}
    assert {name: found.pop(name) for name in known} == pytest.approx(known, rel=1e-6)
    assert found == dict.fromkeys(set(expected) - set(known))  # undefined in both


def test_thirty_two_numbered_comparisons_in_a_row_are_thirty_two_judgments(tmp_path):
    """As crowd platforms give them back: systema0 … systema31 beside each other."""
    pairs = [("x", "y"), ("y", "x")]
    row = {"HITId": "h1"} | {
        f"Input.{name}{n}": cell
        for n in range(32)
        for name, cell in zip(("systema", "systemb", "ix"), (*pairs[n % 2], n), strict=True)
    }
    rows = [
        {**row, "WorkerId": f"W{w}"} | {f"Answer.choice{n}": "AB"[(n + w) % 2] for n in range(32)}
        for w in range(3)
    ]
    said = analysed(csv_of(rows, tmp_path / "hits.csv"), "--wide", "numbered")
    assert (said["flow"]["participants"], said["flow"]["real_rows"]) == (3, 96)


def test_controls_repeats_and_practice_are_kept_apart_and_still_there(tmp_path):
    """One of each beside the 24 judgments of fluency: four more rows, none more that counts."""
    fluent = [row | {"kind": "real"} for row in LONG if row["criterion"] == "fluency"]
    others = [fluent[0] | {"kind": kind} for kind in ("control", "repeat", "training", "check")]
    plain = analysed(csv_of(fluent, tmp_path / "plain.csv"))
    said = analysed(csv_of([*fluent, *others], tmp_path / "all.csv"))
    assert (said["flow"]["rows"], said["flow"]["real_rows"]) == (28, 24)
    assert numbers(said).items() >= numbers(plain).items()
