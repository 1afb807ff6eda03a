"""One row for each answer."""

from __future__ import annotations

from heds_files import filled_sheet
from rejudge.heds import SheetAnswer, record_answer, to_csv_sheet
from rejudge.spreadsheet import csv_rows


def test_every_answer_has_its_row_with_its_provenance():
    sheet = filled_sheet("3.0", "Fluency", "流暢さ").with_answer("5.1", "N/A")
    sheet = sheet.with_answer("3.2.2.2", SheetAnswer("=1+1\nline", (4,)))
    sheet = record_answer(sheet, "3.2.1", source="judgments", time="2026-11-17T10:00:00Z")
    head, *rows = csv_rows(to_csv_sheet(sheet))
    by_place = {(row[0], row[2]): dict(zip(head, row, strict=True)) for row in rows}
    assert len(rows) == 41 + 2 * 21
    assert by_place["3.2.1", ""]["source"] == "judgments"
    assert by_place["3.2.1", ""]["edited"] == "no"
    assert by_place["3.2.2.2", ""]["option_keys"] == "4"
    assert by_place["3.2.2.2", ""]["text"] == "=1+1\nline"
    assert by_place["5.1", ""]["state"] == "absent"
    assert by_place["4.3.7", "流暢さ"]["answer"] == "Measured."


def test_an_edited_answer_is_marked():
    sheet = filled_sheet("3.0", "Fluency")
    sheet = record_answer(sheet, "3.2.1", source="judgments", time="t").with_answer("3.2.1", "9")
    head, *rows = csv_rows(to_csv_sheet(sheet))
    (row,) = [row for row in rows if row[0] == "3.2.1"]
    assert dict(zip(head, row, strict=True))["edited"] == "yes"
