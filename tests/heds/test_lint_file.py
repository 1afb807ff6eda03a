"""What a file holds beside its answers, and what the official form misreads."""

from __future__ import annotations

import pytest

from heds_files import as_bytes, entry
from rejudge.heds.check import lint
from rejudge.heds.sheet import SheetAnswer, blank_sheet, read

_EVALUATORS = "heds-sample_evaluators_design-evaluators-number_of_evaluators"
_PAYMENT = "heds-sample_evaluators_design-evaluators-evaluators-payment"


def _found(entries: object) -> list[tuple[str, str]]:
    return [(each.rule, each.severity) for each in lint(read(as_bytes(entries)))]


@pytest.mark.parametrize(
    ("entries", "rule", "severity"),
    [
        ({f"{_PAYMENT}-other_text": entry("Vouchers.")}, "hidden-text", "warning"),
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
