"""Single answers that are doubtful."""

from __future__ import annotations

import pytest

from rejudge.heds.check import lint
from rejudge.heds.sheet import SheetAnswer, add_criterion, blank_sheet


def _rules(*answers: tuple[str, SheetAnswer | str]) -> list[tuple[str, str]]:
    sheet = blank_sheet("3.0")
    for number, answer in answers:
        sheet = sheet.with_answer(number, answer)
    return [(each.rule, each.question) for each in lint(sheet)]


@pytest.mark.parametrize("text", ["TBA", "tba.", "TODO", "?", "...", "TBD", "xxx"])
def test_a_placeholder_is_found(text):
    assert _rules(("1.1.2", text)) == [("placeholder", "1.1.2")]


@pytest.mark.parametrize("text", ["TBA model", "The TODO app", "Who?", "N/A"])
def test_a_sentence_is_no_placeholder(text):
    assert _rules(("1.1.2", text)) == []


@pytest.mark.parametrize(
    "text",
    ["see http://example.org", "https://docs.google.com/document/d/1", "https://forms.gle/x"],
)
def test_links_that_are_not_lasting_are_found(text):
    assert _rules(("3.3.4.1", text)) == [("link", "3.3.4.1")]


def test_good_links_are_not():
    assert _rules(("3.3.4.1", "https://doi.org/10.1/a and https://aclanthology.org/")) == []


def test_an_address_where_none_is_asked_for_is_found():
    assert _rules(("3.2.3", "Write to ada@example.org.")) == [("e-mail", "3.2.3")]
    assert _rules(("1.3.1.3", "ada@example.org")) == []


@pytest.mark.parametrize("text", ["ada at example.org", "@example", "ada@example"])
def test_a_malformed_address_is_found(text):
    assert _rules(("1.3.1.3", text)) == [("e-mail", "1.3.1.3")]


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("1.2", ["power"]),
        ("0.5", ["power"]),
        ("50%", ["power"]),
        (".79", ["power"]),
        ("0.8", []),
        ("95 %", []),
        ("N/A", []),
        ("with an effect of 0.2, power = 0.91", []),
        ("power of 0.652 at alpha 0.05", ["power"]),
    ],
)
def test_low_and_impossible_power_is_found(text, rules):
    assert [rule for rule, _ in _rules(("3.1.3.2", text))] == rules


def test_a_sample_that_does_not_begin_with_its_size_is_found():
    assert _rules(("3.1.1", "about 100")) == [("sample-size", "3.1.1")]
    assert _rules(("3.1.1", "100 of each")) == []


@pytest.mark.parametrize(
    "text", ["£9.60 per hour", "12 USD", "EUR 10", "10€", "15 dollars", "paid 9 an hour"]
)
def test_pay_without_an_amount_is_found(text):
    paid = ("3.2.2.2", SheetAnswer(options=(1,)))
    assert _rules(paid) == [("pay", "3.2.2.2")]
    assert _rules(paid, ("3.2.5", text)) == []


def test_platform_workers_who_are_authors_are_found():
    answers = [("3.2.3", "On Prolific."), ("3.2.2.4", SheetAnswer(options=(1,)))]
    assert _rules(*answers) == [("crowd", "3.2.2.4")]


def test_quality_assurance_that_is_denied_and_described_is_found():
    none = ("3.3.3.1", SheetAnswer("Not needed.", (7,)))
    assert _rules(none, ("3.3.3.2", "Ten attention checks.")) == [("quality-assurance", "3.3.3.2")]
    assert _rules(none, ("3.3.3.2", "N/A")) == []


def test_conditions_that_cannot_be_equal_are_found():
    online = ("3.3.7", SheetAnswer(options=(1,)))
    assert _rules(online, ("3.3.8", "N/A")) == [("conditions", "3.3.8")]


def _criterion_rules(*answers: tuple[str, SheetAnswer | str]) -> list[tuple[str, str]]:
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
    assert [rule for rule, _ in _criterion_rules(("4.3.3", size), ("4.3.4", values))] == rules


def test_a_scale_without_labels_is_a_note():
    sheet = add_criterion(blank_sheet("3.0"), "A").with_answer("4.3.4", "1, 2, 3", criterion="A")
    assert [(each.rule, each.severity) for each in lint(sheet)] == [("scale-labels", "note")]


def test_no_scale_but_a_slider():
    assert _criterion_rules(("4.3.3", "N/A"), ("4.3.5", _choice(3))) == [("scale-or-task", "4.3.5")]
    assert _criterion_rules(("4.3.3", "N/A"), ("4.3.5", _choice(4))) == []


def test_neither_scale_nor_task_and_both():
    assert _criterion_rules(("4.3.3", "N/A"), ("4.3.6", "N/A")) == [("scale-or-task", "4.3.6")]
    assert _criterion_rules(("4.3.3", "5"), ("4.3.6", "Mark errors.")) == [
        ("scale-or-task", "4.3.6")
    ]
    assert _criterion_rules(("4.3.3", "5"), ("4.3.6", "N/A")) == []


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
    assert _criterion_rules(*answers) == found


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
    found = _criterion_rules(("4.3.11.1", method), ("4.3.11.2", value))
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
