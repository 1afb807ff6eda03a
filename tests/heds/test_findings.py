"""Findings say where they are."""

from __future__ import annotations

from rejudge.heds import SheetFinding, blank_sheet
from rejudge.heds.findings import finding


def test_a_finding_on_an_answer_has_its_number_and_criterion():
    cell = blank_sheet("3.0").cell("4.3.7", "Fluency")
    assert finding("rule", "note", "Odd.", at=cell) == SheetFinding(
        "rule", "note", "4.3.7", "Fluency", "Odd.", "", "lint"
    )


def test_a_finding_on_the_sheet_has_none():
    assert finding("rule", "error", "Odd.").question == ""
