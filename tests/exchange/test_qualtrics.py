"""Surveys in the shape of a published study: 300 items in 10 lists of 30, ten people."""

from __future__ import annotations

import csv
import io
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qualtrics_files import rows_in_published_shape, tables_of, write
from rejudge.analysis.analyse import analyse
from rejudge.exchange.formats import Reader, Writer
from rejudge.exchange.qualtrics import FORMAT
from rejudge.judgments.read import read_judgments
from rejudge.judgments.table import Judgments


def test_the_format_can_be_read_and_written() -> None:
    assert isinstance(FORMAT, Reader)
    assert isinstance(FORMAT, Writer)


@given(st.binary(max_size=400))
def test_recognising_never_raises(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    file = tmp_path_factory.mktemp("any") / "file"
    file.write_bytes(content)
    assert FORMAT.recognises(file) in {True, False}


def test_the_published_responses_give_the_published_durations_and_the_same_analysis(
    tmp_path: Path, published: Callable[[str], tuple[Path, dict[str, Any]]]
) -> None:
    """Seed 004: sums of minutes and numbers of lists by participant, from the raw export."""
    table = published("august2022_miltenburg2024")[0] / "judgments.csv"
    rows = list(csv.DictReader(io.StringIO(table.read_text(encoding="utf-8"))))
    text, mapping = tables_of(rows)
    (tmp_path / "mapping.csv").write_text(mapping)
    imported = FORMAT.read([write(tmp_path, text), tmp_path / "mapping.csv"], study=None, plan=None)
    minutes: defaultdict[str, float] = defaultdict(float)
    lists: Counter[str] = Counter()
    for row in csv.DictReader(io.StringIO(imported.files["sessions.csv"].decode())):
        minutes[row["participant"]] += float(row["seconds"]) / 60
        lists[row["participant"]] += 1
    people = sorted(minutes)
    assert [round(minutes[p]) for p in people] == [10500, 156, 19, 1437, 37, 40, 62, 26, 55, 76]
    assert [lists[p] for p in people] == [10, 13, 4, 4, 4, 4, 4, 4, 10, 10]
    direct = read_judgments(table)
    assert findings(imported.judgments) == findings(direct)


def findings(judgments: Judgments) -> object:
    """Every number of an analysis that depends on what was judged by whom, but not on times."""
    rows = sorted(judgments.rows(), key=lambda r: (r.kind, r.participant or "", r.item))
    results = analyse(Judgments.from_rows(rows))  # in one order: sums differ in the last digit
    kept = [each for each in results.findings if each.by != "seconds-by-position"]
    return kept, len(judgments.of_kind("real")), len(judgments.of_kind("repeat"))


@pytest.mark.slow
def test_a_survey_in_the_published_shape_gives_the_analysis_of_the_equivalent_table(
    tmp_path: Path,
) -> None:
    """300 items in 10 lists of 30, ten people with 4 or 10 lists, three lists done twice."""
    rows = rows_in_published_shape()
    text, mapping = tables_of(rows)
    (tmp_path / "mapping.csv").write_text(mapping)
    imported = FORMAT.read([write(tmp_path, text), tmp_path / "mapping.csv"], study=None, plan=None)
    with (tmp_path / "table.csv").open("w", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    assert findings(imported.judgments) == findings(read_judgments(tmp_path / "table.csv"))


def test_the_time_of_a_session_is_that_of_its_list(
    tmp_path: Path, published: Callable[[str], tuple[Path, dict[str, Any]]]
) -> None:
    """Table 2 of seed 004, in minutes: person 3 did four lists in 19 minutes, one in three."""
    table = published("august2022_miltenburg2024")[0] / "judgments.csv"
    rows = list(csv.DictReader(io.StringIO(table.read_text(encoding="utf-8"))))
    text, mapping = tables_of(rows)
    (tmp_path / "mapping.csv").write_text(mapping)
    imported = FORMAT.read([write(tmp_path, text), tmp_path / "mapping.csv"], study=None, plan=None)
    times = {
        row["participant"]: row for row in analyse(imported.judgments).frame("times-people").rows
    }
    third = times["003"]
    assert (third["pages"], round(third["seconds"] / 60)) == (4, 19)
    assert (round(third["least"] / 60), round(third["median"] / 60)) == (3, 3)
