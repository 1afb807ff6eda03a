"""Files that the official form cannot load, misreads, hides or cuts off."""

from __future__ import annotations

import pytest

from heds_files import as_bytes, entry
from rejudge.heds.answers import SheetAnswer
from rejudge.heds.lint import lint
from rejudge.heds.sheet import blank_sheet, read

_LIST = "heds-criteria-criterion"
_EVALUATORS = "heds-sample_evaluators_design-evaluators-number_of_evaluators"
_PAYMENT = "heds-sample_evaluators_design-evaluators-evaluators-payment"
_NAME = "heds-paper_and_resources-names_and_affiliations-person_completing_this_sheet-name"


def _found(entries: object) -> list[tuple[str, str]]:
    return [(each.rule, each.severity) for each in lint(read(as_bytes(entries)))]


@pytest.mark.parametrize(
    ("entries", "rule", "severity"),
    [
        ({_EVALUATORS: {"control": {}}}, "unloadable", "error"),
        ({f"{_PAYMENT}-1": entry(False)}, "unloadable", "error"),
        ({_LIST: {"data": {}}}, "unloadable", "error"),
        ({_LIST: {"control": {"A": False}}}, "open-criterion", "error"),
        ({_LIST: {"control": {"A": True, "B": True}}}, "open-criterion", "warning"),
        ({_LIST: {"control": {"Q&A": True}}}, "criterion-name", "error"),
        ({_LIST: {"control": {"2": True}}}, "criterion-name", "error"),
        ({f"{_PAYMENT}-1": entry("false", text={"": ""})}, "stored-type", "error"),
        ({f"{_PAYMENT}-3": entry(True, text={"": "3. free"})}, "option-text", "error"),
        ({_EVALUATORS: entry(24)}, "stored-type", "warning"),
        ({_EVALUATORS: entry("    ")}, "blanks-only", "error"),
        ({_NAME: entry("A\nB", number="1.3.1.1")}, "line-break", "error"),
        ({f"{_PAYMENT}-other_text": entry("Vouchers.")}, "hidden-text", "warning"),
        ({_EVALUATORS: entry("24"), "heds-more": 1}, "unknown-key", "warning"),
        ({_EVALUATORS: entry("2"), "x-rejudge": {"answers": [1]}}, "provenance", "warning"),
    ],
)
def test_each_defect_is_found(entries, rule, severity):
    assert _found(entries) == [(rule, severity)]


def test_two_ticked_radios_are_found():
    ticked = {
        f"{_PAYMENT}-{key}": entry(True, text={"": value})
        for key, value in ((1, "1. paid (monetary compensation)"), (3, "3. not paid"))
    }
    assert ("two-options", "error") in _found(ticked)


def test_a_line_break_in_the_older_form_is_no_defect():
    assert _found({_NAME: entry("A\nB")}) == []


def test_stray_blanks_of_an_untouched_form_are_a_note(card):
    (found,) = lint(read(card("form3_blank_export")))
    assert (found.rule, found.severity) == ("stray-blank", "note")


def test_a_repeated_key_is_found():
    content = b'{"x": 1, "x": 2, "' + _EVALUATORS.encode() + b'": {"data": {"": "3"}}}'
    found = [each.rule for each in lint(read(content))]
    assert found == ["unknown-key", "repeated-key"]


def test_the_explanation_of_no_time_constraint_is_not_hidden():
    sheet = blank_sheet("3.0").with_answer("3.3.5", SheetAnswer("Any time.", (5,)))
    assert lint(sheet) == ()


def test_a_misread_sheet_shows_what_it_became():
    entries = {
        _EVALUATORS: entry("2", number="3.2.1"),
        "heds-system-input_languages-42": entry(True, text={"": "41. English"}, number="2.4"),
        "heds-ethics-personal_data": entry("No"),
    }
    found = lint(read(as_bytes(entries)))
    assert found[0].rule == "mixed-version"
    assert "English" in found[0].says
