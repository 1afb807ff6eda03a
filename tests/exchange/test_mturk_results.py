"""Which assignments count, and whose they are."""

from __future__ import annotations

import csv
import io
from collections import Counter
from pathlib import Path

import pytest

import mturk_files as files
from rejudge.errors import FileError
from rejudge.exchange.mturk import FORMAT


def test_rejected_assignments_are_left_out_and_counted(tmp_path: Path) -> None:
    found = files.small(tmp_path, statuses={1: "Rejected", 2: "Submitted"})
    assert len(found.judgments.participant.used()) == 2
    assert "1 rejected assignment left out." in found.notes
    table = list(csv.DictReader(io.StringIO(found.files["assignments.csv"].decode())))
    assert Counter(row["status"] for row in table) == {"Approved": 1, "Rejected": 1, "Submitted": 1}


def test_the_same_assignment_in_two_files_counts_once(tmp_path: Path) -> None:
    rows = files.hits(1, 6)
    text = files.table(files.results(rows, files.random_answers(1, 8)))
    paths = files.put(tmp_path, one_csv=text, two_csv=text)
    assert len(FORMAT.read(paths, study=None, plan=None).judgments) == 3 * 8 * 3


def test_one_assignment_id_with_two_answers_is_an_error(tmp_path: Path) -> None:
    def change(found: list[dict[str, str]]) -> None:
        found[1]["AssignmentId"] = found[0]["AssignmentId"]

    with pytest.raises(FileError, match="occurs twice"):
        files.small(tmp_path, change)


def test_inputs_that_differ_within_a_hit_are_an_error(tmp_path: Path) -> None:
    def change(found: list[dict[str, str]]) -> None:
        found[2]["Input.outputa0"] = "something else"

    with pytest.raises(FileError, match="same HIT"):
        files.small(tmp_path, change)


def test_results_of_another_input_file_are_rejected_row_by_row(tmp_path: Path) -> None:
    def change(found: list[dict[str, str]]) -> None:
        for row in found:
            row["Input.outputa0"] = "something else"

    found = files.small(tmp_path, change)
    assert len(found.judgments) == 0
    assert [each.row for each in found.rejected] == [2, 3, 4]


def test_missing_and_unknown_answers_are_rejected_with_their_place(tmp_path: Path) -> None:
    def change(found: list[dict[str, str]]) -> None:
        found[0]["Answer.meaning3"] = ""

    found = files.small(tmp_path, change)
    (rejected,) = found.rejected
    assert (rejected.row, rejected.column) == (2, "Answer.meaning3")


def test_too_few_assignments_are_noted(tmp_path: Path) -> None:
    def change(found: list[dict[str, str]]) -> None:
        del found[2]

    found = files.small(tmp_path, change)
    assert any("MaxAssignments" in note for note in found.notes)


def test_a_hit_that_was_posted_again_is_the_same_batch(tmp_path: Path) -> None:
    def change(found: list[dict[str, str]]) -> None:
        found[2]["HITId"] = "3HITAGAIN"
        found[2]["WorkerId"] = found[0]["WorkerId"]

    found = files.small(tmp_path, change)
    assert found.judgments.batch.used() == ("b01",)
    assert len(found.judgments.of_kind("repeat")) == 6 * 3


def test_an_unknown_time_zone_is_an_error(tmp_path: Path) -> None:
    def change(found: list[dict[str, str]]) -> None:
        found[0]["SubmitTime"] = "Thu Oct 09 07:30:20 MARS 2025"

    with pytest.raises(FileError, match="not a time"):
        files.small(tmp_path, change)


def test_a_key_gives_keyed_pseudonyms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = files.small(tmp_path).judgments.participant.used()
    monkeypatch.setenv("REJUDGE_PSEUDONYM_KEY", "a secret of this test")
    keyed = files.small(tmp_path).judgments.participant.used()
    assert plain == ("p001", "p002", "p003")
    assert all(len(name) == 13 for name in keyed)
    assert keyed == files.small(tmp_path).judgments.participant.used()


@pytest.mark.parametrize("column", ["HITId", "AssignmentId", "WorkerId"])
def test_rows_of_nobody_are_refused_by_name(tmp_path: Path, column: str) -> None:
    def change(rows: list[dict[str, str]]) -> None:
        rows[1][column] = " "

    with pytest.raises(FileError, match=f"row 3.*{column} is empty"):
        files.small(tmp_path, change)


def test_results_without_answers_are_refused(tmp_path: Path) -> None:
    def change(rows: list[dict[str, str]]) -> None:
        for row in rows:
            for name in [name for name in row if name.startswith("Answer.")]:
                del row[name]

    with pytest.raises(FileError, match=r"no column that begins with Answer\."):
        files.small(tmp_path, change)


def test_an_export_of_another_platform_is_named(tmp_path: Path) -> None:
    import qualtrics_files

    text = qualtrics_files.export([qualtrics_files.session("1", {"q": "1"}, number=1)])
    with pytest.raises(FileError, match="Qualtrics export"):
        FORMAT.read([qualtrics_files.write(tmp_path, text)], study=None, plan=None)


def test_two_imports_with_a_key_name_a_worker_alike(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REJUDGE_PSEUDONYM_KEY", "a secret of this test\n")
    whole = files.small(tmp_path).judgments.participant.used()

    def change(rows: list[dict[str, str]]) -> None:
        del rows[:2]

    monkeypatch.setenv("REJUDGE_PSEUDONYM_KEY", "a secret of this test")
    part = files.small(tmp_path, change).judgments.participant.used()
    assert len(part) == 1
    assert set(part) < set(whole)
