"""What is wrong with a sheet: as the official form says it, and what the form does not notice."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import property_settings
from fuzzed import damaged, damages, is_read_or_refused
from heds_files import as_bytes, entry, files, filled_sheet
from rejudge.heds.check import StudyFacts, check, lint, parse_scale
from rejudge.heds.convert import convert
from rejudge.heds.diff import diff
from rejudge.heds.print import anonymise, to_csv_sheet, to_latex_sheet, to_markdown_sheet
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


def test_deleted_criteria_are_not_checked(card):
    sheet = read(card("arvan_2025_0744-02"))
    assert {found.criterion for found in check(sheet)} <= {None, "Meaning"}


def test_an_untouched_sheet_has_no_findings():
    assert lint(blank_sheet("2.x")) == lint(blank_sheet("3.0")) == ()


def test_a_real_sheet_is_found_to_promise_a_score(card):
    """Its agreement is to be announced, two criteria were deleted, and the pay is not stated."""
    found = lint(read(card("arvan_2025_0744-02")))
    assert [(each.severity, each.rule, each.question) for each in found] == [
        ("error", "placeholder", "4.3.11.2"),
        ("warning", "orphan", ""),
        ("warning", "orphan", ""),
        ("warning", "power", "3.1.3.2"),
        ("warning", "pay", "3.2.2.2"),
    ]


def test_findings_on_an_older_sheet_have_its_numbers():
    sheet = add_criterion(add_criterion(blank_sheet("2.x"), "A"), "B")
    for name in ("A", "B"):
        sheet = sheet.with_answer("4.3.1", "Quality", criterion=name)
    assert [(each.rule, each.question) for each in lint(sheet)] == [("same-answer", "4.3.1")]


def test_the_gravest_come_first():
    sheet = blank_sheet("3.0").with_answer("3.1.1", "many").with_answer("1.1.2", "TODO")
    assert [each.severity for each in lint(sheet)] == ["error", "warning"]


@pytest.mark.parametrize("version", ["2.x", "3.0"])
def test_a_sheet_is_compared_with_its_study(version):
    sheet = filled_sheet(version, "Fluency").with_answer("3.1.1", "100 of each system")
    facts = StudyFacts(evaluators=23, outputs_per_system=100)
    found = [each for each in lint(sheet, facts) if each.rule == "study"]
    assert [each.question for each in found] == ["3.2.1"]
    assert "24" in found[0].says
    assert "23" in found[0].says


def test_a_sheet_with_a_choice_and_two_answers_never_stops_lint():
    sheet = filled_sheet("2.x", "Fluency")
    both = sheet.with_stored(sheet.cell("3.2.2.2"), SheetAnswer(options=(2, 3)))
    assert "two-options" in {each.rule for each in lint(both)}


def _use_everywhere(content: bytes) -> None:
    """Everything that can be done with a sheet."""
    sheet = read(content)
    check(sheet)
    lint(sheet)
    newer = sheet if sheet.is_mixed else convert(sheet).sheet
    diff(newer, newer)
    for each in (to_latex_sheet, to_markdown_sheet, to_csv_sheet):
        each(newer).encode("utf-8", "replace")
    read(anonymise(sheet).sheet.write())
    assert read(sheet.write(), version=sheet.version).given == sheet.given


@given(what=damages)
@settings(max_examples=property_settings.examples(6))
def test_a_damaged_sheet_is_used_or_refused_in_words(what):
    content = damaged(_SMALL, what)
    assert is_read_or_refused(lambda: _use_everywhere(content))


@given(entries=files())
@settings(max_examples=property_settings.examples(6))
def test_any_sheet_can_be_checked_converted_compared_and_printed(entries):
    assert is_read_or_refused(lambda: _use_everywhere(as_bytes(entries)))


_SMALL = as_bytes(
    {
        key: value
        for key, value in json.loads(filled_sheet("2.x", "Fluency").write()).items()
        if "languages" not in key
    }
)


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


_EVALUATORS = "heds-sample_evaluators_design-evaluators-number_of_evaluators"
_PAYMENT = "heds-sample_evaluators_design-evaluators-evaluators-payment"


def _found(entries: object) -> list[tuple[str, str]]:
    return [(each.rule, each.severity) for each in lint(read(as_bytes(entries)))]


@pytest.mark.parametrize(
    ("entries", "rule", "severity"),
    [
        ({f"{_PAYMENT}-other_text": entry("Vouchers.")}, "hidden-text", "warning"),
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


def test_a_misread_sheet_shows_what_it_became():
    entries = {
        _EVALUATORS: entry("2", number="3.2.1"),
        "heds-system-input_languages-42": entry(True, text={"": "41. English"}, number="2.4"),
        "heds-ethics-personal_data": entry("No"),
    }
    found = lint(read(as_bytes(entries)))
    assert found[0].rule == "mixed-version"
    assert "English" in found[0].says


def _lint_rules(*answers: tuple[str, SheetAnswer | str]) -> list[tuple[str, str]]:
    sheet = blank_sheet("3.0")
    for number, answer in answers:
        sheet = sheet.with_answer(number, answer)
    return [(each.rule, each.question) for each in lint(sheet)]


@pytest.mark.parametrize("text", ["TBA", "tba.", "TODO", "?", "...", "TBD", "xxx"])
def test_a_placeholder_is_found(text):
    assert _lint_rules(("1.1.2", text)) == [("placeholder", "1.1.2")]


@pytest.mark.parametrize("text", ["TBA model", "The TODO app", "Who?", "N/A"])
def test_a_sentence_is_no_placeholder(text):
    assert _lint_rules(("1.1.2", text)) == []


@pytest.mark.parametrize(
    "text",
    ["see http://example.org", "https://docs.google.com/document/d/1", "https://forms.gle/x"],
)
def test_links_that_are_not_lasting_are_found(text):
    assert _lint_rules(("3.3.4.1", text)) == [("link", "3.3.4.1")]


def test_good_links_are_not():
    assert _lint_rules(("3.3.4.1", "https://doi.org/10.1/a and https://aclanthology.org/")) == []


def test_an_address_where_none_is_asked_for_is_found():
    assert _lint_rules(("3.2.3", "Write to ada@example.org.")) == [("e-mail", "3.2.3")]
    assert _lint_rules(("1.3.1.3", "ada@example.org")) == []


@pytest.mark.parametrize("text", ["ada at example.org", "@example", "ada@example"])
def test_a_malformed_address_is_found(text):
    assert _lint_rules(("1.3.1.3", text)) == [("e-mail", "1.3.1.3")]


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
    assert [rule for rule, _ in _lint_rules(("3.1.3.2", text))] == rules


def test_a_sample_that_does_not_begin_with_its_size_is_found():
    assert _lint_rules(("3.1.1", "about 100")) == [("sample-size", "3.1.1")]
    assert _lint_rules(("3.1.1", "100 of each")) == []


@pytest.mark.parametrize(
    "text", ["£9.60 per hour", "12 USD", "EUR 10", "10€", "15 dollars", "paid 9 an hour"]
)
def test_pay_without_an_amount_is_found(text):
    paid = ("3.2.2.2", SheetAnswer(options=(1,)))
    assert _lint_rules(paid) == [("pay", "3.2.2.2")]
    assert _lint_rules(paid, ("3.2.5", text)) == []


def test_platform_workers_who_are_authors_are_found():
    answers = [("3.2.3", "On Prolific."), ("3.2.2.4", SheetAnswer(options=(1,)))]
    assert _lint_rules(*answers) == [("crowd", "3.2.2.4")]


def test_quality_assurance_that_is_denied_and_described_is_found():
    none = ("3.3.3.1", SheetAnswer("Not needed.", (7,)))
    assert _lint_rules(none, ("3.3.3.2", "Ten attention checks.")) == [
        ("quality-assurance", "3.3.3.2")
    ]
    assert _lint_rules(none, ("3.3.3.2", "N/A")) == []


def test_conditions_that_cannot_be_equal_are_found():
    online = ("3.3.7", SheetAnswer(options=(1,)))
    assert _lint_rules(online, ("3.3.8", "N/A")) == [("conditions", "3.3.8")]


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


@pytest.mark.parametrize(
    ("text", "kind", "values", "size"),
    [
        ("1, 2, 3, 4, 5", "numbers", ("1", "2", "3", "4", "5"), 5),
        ("1,2,3", "numbers", ("1", "2", "3"), 3),
        ("1: bad, 2: fair, 3: good", "numbers", ("1", "2", "3"), 3),
        ("1 (not, at all); 2 (a bit); 3 (very)", "numbers", ("1", "2", "3"), 3),
        ("1 = bad\n2 = good", "numbers", ("1", "2"), 2),
        ("-1, 0, +1", "numbers", ("-1", "0", "1"), 3),
        ("[0, 100]", "range", ("0", "100"), 101),
        ("[0,1]", "range", ("0", "1"), 2),
        ("0-20", "range", ("0", "20"), 21),
        ("0–100", "range", ("0", "100"), 101),
        ("1 to 5", "range", ("1", "5"), 5),
        ("1 (worst) to 5 (best)", "range", ("1", "5"), 5),
        ("0.5 to 2.5", "range", ("0.5", "2.5"), None),
        ("A better, B better", "labels", ("A better", "B better"), 2),
        ("ja; nein; weiß nicht", "labels", ("ja", "nein", "weiß nicht"), 3),
        ("yes/no", "labels", ("yes", "no"), 2),
    ],
)
def test_a_scale_is_read(text, kind, values, size):
    scale = parse_scale(text)
    assert (scale.kind, scale.values, scale.size) == (kind, values, size)


@pytest.mark.parametrize("text", ["", "Likert", "Not at all - Very", "five points", "7"])
def test_what_is_no_list_and_no_range_is_not_read(text):
    assert parse_scale(text) is None


def test_labels_are_kept():
    assert parse_scale("1 (worst) to 5 (best)").labels == ("worst", "best")
    assert parse_scale("1: bad, 2, 3: good").labels == ("bad", "", "good")
    assert parse_scale("1, 2, 3").labels == ()


@given(st.text(alphabet="0123456789.,;:-–−()[]to /|\n abé漢", max_size=30))
def test_any_text_is_read_or_not_without_failing(text):
    scale = parse_scale(text)
    assert scale is None or scale.size is None or scale.size >= 1
