"""Scale, mode and agreement of a criterion must not contradict each other."""

from __future__ import annotations

import pytest

from rejudge.heds import SheetAnswer, add_criterion, blank_sheet, lint


def _rules(*answers: tuple[str, SheetAnswer | str]) -> list[tuple[str, str]]:
    sheet = add_criterion(blank_sheet("3.0"), "Fluency")
    for number, answer in answers:
        sheet = sheet.with_answer(number, answer, criterion="Fluency")
    return [(each.rule, each.question) for each in lint(sheet) if each.severity != "note"]


def _choice(*options: int, text: str = "") -> SheetAnswer:
    return SheetAnswer(text, options)


@pytest.mark.parametrize(
    ("size", "values", "rules"),
    [
        ("20", "0-20", ["scale-size"]),
        ("5", "1, 2, 3, 4", ["scale-size"]),
        ("21", "0-20", []),
        ("5", "1 (bad) to 5 (good)", []),
        ("2", "A better, B better", []),
        ("continuous", "[0, 100]", []),
        ("5", "Likert", ["scale-values"]),
    ],
)
def test_size_and_values_of_a_scale_fit(size, values, rules):
    assert [rule for rule, _ in _rules(("4.3.3", size), ("4.3.4", values))] == rules


def test_a_scale_without_labels_is_a_note():
    sheet = add_criterion(blank_sheet("3.0"), "A").with_answer("4.3.4", "1, 2, 3", criterion="A")
    assert [(each.rule, each.severity) for each in lint(sheet)] == [("scale-labels", "note")]


def test_no_scale_but_a_slider():
    assert _rules(("4.3.3", "N/A"), ("4.3.5", _choice(3))) == [("scale-or-task", "4.3.5")]
    assert _rules(("4.3.3", "N/A"), ("4.3.5", _choice(4))) == []


def test_neither_scale_nor_task_and_both():
    assert _rules(("4.3.3", "N/A"), ("4.3.6", "N/A")) == [("scale-or-task", "4.3.6")]
    assert _rules(("4.3.3", "5"), ("4.3.6", "Mark errors.")) == [("scale-or-task", "4.3.6")]
    assert _rules(("4.3.3", "5"), ("4.3.6", "N/A")) == []


@pytest.mark.parametrize(
    ("answers", "found"),
    [
        ([("4.2.2", _choice(2)), ("4.3.8", _choice(2))], [("mode", "4.3.8")]),
        ([("4.2.2", _choice(1)), ("4.3.8", _choice(3))], [("mode", "4.2.2")]),
        ([("4.2.2", _choice(1)), ("4.3.4", "A better, B better")], [("mode", "4.2.2")]),
        ([("4.2.2", _choice(2)), ("4.3.8", _choice(3))], []),
        ([("4.2.2", _choice(2))], []),
    ],
)
def test_mode_and_form_of_response_fit(answers, found):
    assert _rules(*answers) == found


@pytest.mark.parametrize(
    ("method", "value", "rules"),
    [
        ("Krippendorff's alpha", "InterAA not assessed", ["agreement"]),
        ("InterAA not assessed", "0.4", ["agreement"]),
        ("Krippendorff's alpha", "1.4", ["agreement"]),
        ("Krippendorff's alpha", "−0.1", []),
        ("percentage", "85%", []),
        ("Fleiss' kappa", "0.4 with 3 evaluators", []),
        ("InterAA not assessed", "N/A", []),
    ],
)
def test_method_and_value_of_agreement_fit(method, value, rules):
    found = _rules(("4.3.11.1", method), ("4.3.11.2", value))
    assert [rule for rule, _ in found] == rules


def test_one_evaluator_agrees_with_nobody():
    sheet = add_criterion(blank_sheet("3.0"), "A").with_answer("3.2.1", "1")
    sheet = sheet.with_answer("4.3.11.1", "kappa", criterion="A")
    assert [each.question for each in lint(sheet)] == ["4.3.11.1"]


def test_the_same_definition_for_all_criteria_is_found():
    sheet = add_criterion(add_criterion(blank_sheet("3.0"), "A"), "B")
    for name in ("A", "B"):
        sheet = sheet.with_answer("4.3.2", "How good it is.", criterion=name)
    assert [(each.rule, each.question) for each in lint(sheet)] == [("same-answer", "4.3.2")]
    other = sheet.with_answer("4.3.2", "How true it is.", criterion="B")
    assert lint(other) == ()
