"""What the form does not notice, in the sheet's own numbers."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings

import property_settings
from fuzzed import damaged, damages, is_read_or_refused
from heds_files import as_bytes, files, filled_sheet
from rejudge.heds.check import StudyFacts, check, lint
from rejudge.heds.convert import convert
from rejudge.heds.diff import diff
from rejudge.heds.print import anonymise, to_csv_sheet, to_latex_sheet, to_markdown_sheet
from rejudge.heds.sheet import SheetAnswer, add_criterion, blank_sheet, read


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
    sheet = filled_sheet("2.x", "Fluency").with_answer("3.2.2.2", SheetAnswer(options=(2,)))
    entries = dict(sheet.entries)
    key = "heds-sample_evaluators_design-evaluators-evaluators-payment-3"
    entries[key] = {"data": {"": True}, "control": {}, "text": {"": "3. not paid"}}
    found = lint(sheet.with_entries(entries))
    assert "two-options" in {each.rule for each in found}


def _use_everywhere(content: bytes) -> None:
    """Everything that can be done with a sheet."""
    sheet = read(content)
    check(sheet)
    lint(sheet)
    newer = convert(sheet, repair=True).sheet
    diff(newer, newer)
    for each in (to_latex_sheet, to_markdown_sheet, to_csv_sheet):
        each(newer).encode("utf-8", "replace")
    read(anonymise(sheet).sheet.write())
    assert json.loads(sheet.write()) == json.loads(content.decode("utf-8-sig"))


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
        for key, value in filled_sheet("2.x", "Fluency").entries.items()
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
