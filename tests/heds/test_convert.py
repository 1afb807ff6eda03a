"""Sheets keep their meaning from one version to the other; every change is listed."""

from __future__ import annotations

import json

import pytest

from heds_files import as_bytes, entry, filled_sheet
from rejudge.errors import DataError
from rejudge.heds.convert import convert, source_numbers
from rejudge.heds.schema import schema
from rejudge.heds.sheet import (
    Sheet,
    SheetAnswer,
    add_criterion,
    blank_sheet,
    find_provenance,
    is_edited,
    prune,
    read,
    record_answer,
    sheet_of,
)

OLD_CARDS = ("arvan_2025_0744-02", "miltenburg_2023_defcomplex_a", "miltenburg_2023_defcomplex_b")


def _names(sheet: Sheet, number: str) -> list[str]:
    question = sheet.schema.question(number)
    return [question.option(key).name for key in sheet.answer(number).options]


@pytest.mark.parametrize("name", OLD_CARDS)
def test_languages_keep_their_names(card, name):
    old = read(card(name))
    new = convert(old).sheet
    assert _names(new, "2.4") == _names(old, "2.4") == ["English"]
    assert new.version == read(new.write()).version == "3.0"
    assert not read(new.write()).is_mixed


def test_a_conversion_is_that_of_the_public_collection(card):
    """Checked there with the official form; only a mark is worded as the form asks for it."""
    ours = prune(convert(read(card("arvan_2025_0744-02"))).sheet)
    theirs = read(card("form3_converted_arvan_2025_0744-02"))
    differing = {key for key in theirs.given if ours.given.get(key) != theirs.given[key]}
    assert differing == {("4.3.12.2", "Meaning")}
    assert ours.answer("4.3.12.2", "Meaning").text == "IntraAA not assessed"


def misread(content: bytes) -> bytes:
    """What the form of 3.0 makes of a 2.x file: options by key, the old ids left as they are."""
    old = json.loads(content)
    newer = json.loads(sheet_of(old, "3.0").write())
    return as_bytes({**old, **newer})


def _assert_nothing_is_lost(old: Sheet, new: Sheet) -> None:
    """Every answer of 2.x stands in the new sheet, or is kept beside it as it was."""
    extra = new.rest.get("x-rejudge", {})
    kept = {(each["question"], each["criterion"]): each for each in extra.get("kept", [])}
    numbers = {o: each.number for each in new.schema.questions for o in source_numbers(each)}
    for cell in old.cells():
        answer = old.stored(cell)
        told = kept.get(cell.key)
        if told is not None:
            assert (told["text"], told["options"]) == (answer.text, list(answer.options))
        elif answer.state != "blank":
            now = new.stored(new.cell(numbers[cell.question.number], cell.criterion))
            assert (now.text, now.options) == (answer.text, answer.options)


@pytest.mark.parametrize("name", OLD_CARDS)
def test_no_answer_of_a_public_sheet_is_lost(card, name):
    old = read(card(name))
    _assert_nothing_is_lost(old, read(convert(old).sheet.write()))


def test_no_answer_of_a_filled_sheet_is_lost():
    old = filled_sheet("2.x", "Fluency", "流暢さ")
    _assert_nothing_is_lost(old, convert(old).sheet)


@pytest.mark.parametrize("number", ["2.2", "2.4", "3.1.2", "3.2.2.5", "3.3.5", "3.3.6", "5.2"])
def test_no_option_of_the_older_form_is_lost(number):
    for option in schema("2.x").question(number).options[-6:]:
        old = blank_sheet("2.x").with_answer(number, SheetAnswer("As said.", (option.key,)))
        _assert_nothing_is_lost(old, convert(old).sheet)


@pytest.mark.parametrize(
    ("number", "options", "becomes", "text"),
    [
        ("2.2", (13,), (14,), "human-generated outputs; As said."),
        ("2.4", (185,), (1,), "As said."),
        ("2.4", (184,), (185,), "As said."),
        ("3.1.2", (5,), (6,), "As said."),
        ("3.3.5", (3,), (5,), "As said."),
        ("3.3.5", (1, 2), (2, 4), ""),
        ("3.3.6", (2, 3), (2, 3), ""),
    ],
)
def test_options_move_to_their_new_places(number, options, becomes, text):
    sheet = blank_sheet("2.x").with_answer(number, SheetAnswer("As said.", options))
    assert convert(sheet).sheet.answer(number).options == becomes
    assert convert(sheet).sheet.answer(number).text == text


def test_an_option_without_a_match_becomes_a_text_to_confirm():
    sheet = blank_sheet("2.x").with_answer("3.3.6", SheetAnswer(options=(1,)))
    found = convert(sheet)
    assert found.sheet.answer("3.3.6").options == (4,)
    assert "before the evaluation starts" in found.sheet.answer("3.3.6").text
    (change,) = [each for each in found.changes if each.number == "3.3.6"]
    assert change.needs_confirmation


@pytest.mark.parametrize(
    ("text", "options", "becomes"),
    [
        ("for preregistration", (3,), "for preregistration"),
        ("https://example.org", (1,), "https://example.org"),
        ("N/A", (4,), ""),
        ("", (), ""),
    ],
)
def test_the_reference_becomes_a_choice(text, options, becomes):
    sheet = blank_sheet("2.x").with_answer("1.1.1", text)
    assert convert(sheet).sheet.answer("1.1.1") == SheetAnswer(becomes, options)


@pytest.mark.parametrize(
    ("text", "options"),
    [("No", (1,)), ("none.", (1,)), ("N/A", (1,)), ("Not collected", (1,)), ("Names", (2,))],
)
def test_personal_data_become_a_choice_to_confirm(text, options):
    found = convert(blank_sheet("2.x").with_answer("5.2", text))
    assert found.sheet.answer("5.2").options == options
    assert [each.needs_confirmation for each in found.changes if each.number == "5.2"] == [True]


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (SheetAnswer("5", (1,)), "5"),
        (SheetAnswer(options=(2,)), "continuous"),
        (SheetAnswer(options=(3,)), "N/A"),
    ],
)
def test_the_scale_size_becomes_a_text(answer, text):
    sheet = add_criterion(blank_sheet("2.x"), "Fluency")
    sheet = sheet.with_answer("4.3.3", answer, criterion="Fluency")
    assert convert(sheet).sheet.answer("4.3.3", "Fluency").text == text


def test_details_on_evaluators_are_added_to_their_characteristics():
    sheet = blank_sheet("2.x").with_answer("3.2.2.5", "£9 an hour.")
    sheet = sheet.with_answer("3.2.5", "All from the UK.")
    found = convert(sheet)
    assert found.sheet.answer("3.2.5").text == "All from the UK.\n\n£9 an hour."
    assert any(each.number == "3.2.5" and each.needs_confirmation for each in found.changes)


def test_every_changed_answer_is_listed(card):
    found = convert(read(card("arvan_2025_0744-02")))
    changed = {each.number for each in found.changes}
    to_confirm = {each.number for each in found.changes if each.needs_confirmation}
    assert {"2.4", "2.5", "4.3.3", "4.3.11.1", "4.3.12.1"} <= changed
    assert to_confirm == {
        *("1.1.1", "1.2", "3.2.1", "3.2.2.3", "3.2.5", "3.3.5", "3.3.6"),
        *("4.3.1.2", "5.2", "5.3"),
    }


def test_answers_of_deleted_criteria_and_unknown_keys_come_along(card):
    content = json.loads(card("arvan_2025_0744-02"))
    content["x-other"] = {"a": 1}
    new = convert(read(as_bytes(content))).sheet
    assert new.orphans == ("Fluency", "Dissimilarity")
    assert new.rest["x-other"] == {"a": 1}


def test_an_alien_key_does_not_become_an_answer(card):
    """One public sheet of 2.x has an entry that only 3.0 knows."""
    alien = "heds-sample_evaluators_design-experimental_design-evaluator_freedom-5"
    content = json.loads(card("arvan_2025_0744-02"))
    content[alien] = entry(True, text={"": "5. None"})
    found = convert(read(as_bytes(content)))
    assert found.sheet.answer("3.3.5").options == (4,)
    assert alien in found.messages[0]
    assert found.sheet.rest["x-rejudge"]["kept_entries"] == {alien: content[alien]}


def test_names_that_the_form_cannot_handle_are_repaired_with_a_message():
    entries = {"heds-criteria-criterion": {"data": {}, "control": {"Q&A": True, "2": False}}}
    found = convert(read(as_bytes(entries)))
    assert found.sheet.criteria == ("Q and A", "Criterion 2")
    assert len(found.messages) == 2


def test_provenance_follows_the_question_and_notices_edits():
    sheet = blank_sheet("2.x").with_answer("1.2.1", "https://example.org").with_answer("3.2.1", "9")
    for number in ("1.2.1", "3.2.1"):
        sheet = record_answer(sheet, number, source="profile", time="2026-11-17T10:00:00Z")
    sheet = sheet.with_answer("3.2.1", "10")
    new = convert(sheet).sheet
    assert not is_edited(new, find_provenance(new, "1.2"))
    assert is_edited(new, find_provenance(new, "3.2.1"))


@pytest.mark.parametrize("name", OLD_CARDS)
def test_a_misread_file_is_recognised_and_not_converted_silently(card, name):
    damaged = read(misread(card(name)))
    assert damaged.is_mixed
    assert _names(damaged, "2.4") == ["Dzongkha"]
    with pytest.raises(DataError, match=r"Dzongkha"):
        convert(damaged)


def test_answers_given_before_there_was_a_criterion_are_not_lost():
    """The forms store them without a name."""
    key = "heds-criteria-criterion-response_elicitation-verbatim_question"
    newer = convert(read(as_bytes({key: entry("How good?")}))).sheet
    assert json.loads(newer.write())[key]["data"] == {"": "How good?"}
