"""Answers that contradict the study."""

from __future__ import annotations

import pytest

from rejudge.heds import SheetAnswer, StudyFacts, add_criterion, blank_sheet, lint


def _says(sheet: object, **facts: object) -> list[str]:
    found = lint(sheet, StudyFacts(**facts))  # type: ignore[arg-type]  # by keyword
    return [each.question for each in found if each.rule == "study"]


@pytest.mark.parametrize(
    ("number", "text", "fact", "value", "found"),
    [
        ("3.2.1", "24", "evaluators", 24, []),
        ("3.2.1", "24", "evaluators", 23, ["3.2.1"]),
        ("3.2.1", "N/A", "evaluators", 23, []),
        ("3.2.1", "24", "evaluators", None, []),
        ("3.1.1", "100 per system", "outputs_per_system", 100, []),
        ("3.1.1", "102", "outputs_per_system", 100, ["3.1.1"]),
    ],
)
def test_numbers_are_compared(number, text, fact, value, found):
    assert _says(blank_sheet("3.0").with_answer(number, text), **{fact: value}) == found


@pytest.mark.parametrize(
    ("options", "facts", "found"),
    [
        ((4,), {"excluded_participants": 0}, ["3.3.3.1"]),
        ((4,), {"excluded_participants": 2}, []),
        ((5,), {"excluded_judgments": 0}, ["3.3.3.1"]),
        ((3,), {"has_attention_checks": True}, ["3.3.3.1"]),
        ((2,), {"has_attention_checks": True}, []),
        ((), {"has_attention_checks": True}, []),
    ],
)
def test_exclusions_and_checks_are_compared(options, facts, found):
    sheet = blank_sheet("3.0").with_answer("3.3.3.1", SheetAnswer(options=options))
    assert _says(sheet, **facts) == found


def test_scales_are_compared():
    sheet = add_criterion(blank_sheet("3.0"), "A").with_answer("4.3.3", "5", criterion="A")
    assert _says(sheet, scale_sizes={"A": 7, "B": 3}) == ["4.3.3"]
    assert _says(sheet, scale_sizes={"A": 5}) == []
