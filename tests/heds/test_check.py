"""Warnings and errors as many as in the official form."""

from __future__ import annotations

import pytest

from heds_files import as_bytes, entry, filled_sheet
from rejudge.heds.check import SheetFinding, check, finding
from rejudge.heds.convert import convert
from rejudge.heds.sheet import Sheet, SheetAnswer, add_criterion, blank_sheet, read

_EVALUATORS = "heds-sample_evaluators_design-evaluators-number_of_evaluators"
_PAYMENT = "heds-sample_evaluators_design-evaluators-evaluators-payment"


def _rules(sheet: Sheet, number: str) -> list[tuple[str, str]]:
    return [(found.rule, found.severity) for found in check(sheet) if found.question == number]


@pytest.mark.parametrize(("version", "blank", "more"), [("2.x", 42, 20), ("3.0", 41, 21)])
def test_an_untouched_sheet_has_the_warnings_of_the_form(version, blank, more):
    sheet = blank_sheet(version)
    assert len(check(sheet)) == blank
    for n in (1, 2, 3):
        sheet = add_criterion(sheet, f"Criterion {n}")
        assert len(check(sheet)) == blank + n * more
    assert {found.severity for found in check(sheet)} == {"warning"}


def test_an_untouched_file_of_the_older_form_has_them_too():
    assert len(check(read(b"{}"))) == 42


@pytest.mark.parametrize(
    ("name", "warnings"),
    [
        ("arvan_2025_0744-02", 0),
        ("miltenburg_2023_defcomplex_a", 0),
        ("miltenburg_2023_defcomplex_b", 0),
        ("form3_blank_export", 41),
        ("form3_converted_arvan_2025_0744-02", 1),
    ],
)
def test_real_sheets_have_the_warnings_of_the_form(card, name, warnings):
    assert len(check(read(card(name)))) == warnings


@pytest.mark.parametrize(
    "name",
    ["arvan_2025_0744-02", "miltenburg_2023_defcomplex_a", "miltenburg_2023_defcomplex_b"],
)
def test_after_conversion_only_the_new_question_is_open(card, name):
    sheet = convert(read(card(name))).sheet
    assert [(each.question, each.criterion) for each in check(sheet)] == [
        ("4.3.1.2", criterion) for criterion in sheet.criteria
    ]


@pytest.mark.parametrize("version", ["2.x", "3.0"])
def test_a_filled_sheet_has_none(version):
    assert check(filled_sheet(version, "Fluency", "Adequacy")) == ()


@pytest.mark.parametrize("text", ["NA", "n/a", "10 ", "1,000", "-1", "ten", "١٢"])
def test_a_count_that_is_not_in_digits_is_an_error(text):
    sheet = blank_sheet("3.0").with_answer("3.2.1", text)
    assert _rules(sheet, "3.2.1") == [("count", "error")]


@pytest.mark.parametrize("text", ["0", "24", "N/A"])
def test_a_count_in_digits_is_not(text):
    assert _rules(blank_sheet("3.0").with_answer("3.2.1", text), "3.2.1") == []


def test_the_number_nought_is_blank_as_in_the_form():
    sheet = read(as_bytes({_EVALUATORS: entry(0)}))
    assert _rules(sheet, "3.2.1") == [("blank", "warning")]


def test_an_option_that_asks_for_an_explanation_needs_one():
    sheet = blank_sheet("3.0").with_answer("3.2.2.2", SheetAnswer(options=(4,)))
    assert _rules(sheet, "3.2.2.2") == [("no-explanation", "warning")]
    explained = sheet.with_answer("3.2.2.2", SheetAnswer("Vouchers.", (4,)))
    assert _rules(explained, "3.2.2.2") == []


def test_explanations_are_looked_for_under_each_criterion():
    """The form looks at the open criterion only."""
    sheet = add_criterion(add_criterion(blank_sheet("3.0"), "Open"), "Other")
    sheet = sheet.with_answer("4.3.5", SheetAnswer("Drag and drop.", (5,)), criterion="Open")
    sheet = sheet.with_answer("4.3.5", SheetAnswer(options=(5,)), criterion="Other")
    found = [each.criterion for each in check(sheet) if each.rule == "no-explanation"]
    assert found == ["Other"]


@pytest.mark.parametrize(
    ("version", "number", "options"),
    [
        ("3.0", "2.4", (1, 2)),
        ("2.x", "2.5", (1, 185)),
        ("3.0", "3.3.3.1", (1, 7)),
        ("3.0", "3.3.5", (1, 5)),
        ("2.x", "3.3.5", (1, 3)),
        ("3.0", "3.3.6", (1, 5)),
    ],
)
def test_none_of_these_together_with_one_of_these_is_an_error(version, number, options):
    sheet = blank_sheet(version).with_answer(number, SheetAnswer("Because.", options))
    assert _rules(sheet, number) == [("exclusive", "error")]


def test_the_new_form_opens_no_box_for_none_of_the_time_constraints():
    sheet = blank_sheet("3.0").with_answer("3.3.5", SheetAnswer(options=(5,)))
    assert _rules(sheet, "3.3.5") == []


def test_the_older_form_does_not_count_a_tick_stored_as_text():
    sheet = read(as_bytes({f"{_PAYMENT}-1": entry("true", text={"": "1. paid"})}))
    assert sheet.version == "2.x"
    assert _rules(sheet, "3.2.2.2") == [("no-option", "warning")]


def test_deleted_criteria_are_not_checked(card):
    sheet = read(card("arvan_2025_0744-02"))
    assert {found.criterion for found in check(sheet)} <= {None, "Meaning"}


def test_a_finding_on_an_answer_has_its_number_and_criterion():
    cell = blank_sheet("3.0").cell("4.3.7", "Fluency")
    assert finding("rule", "note", "Odd.", at=cell) == SheetFinding(
        "rule", "note", "4.3.7", "Fluency", "Odd.", "", "lint"
    )


def test_a_finding_on_the_sheet_has_none():
    assert finding("rule", "error", "Odd.").question == ""
