"""Reading, answering and writing sheets."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings

import property_settings
from heds_files import as_bytes, entry, files, filled_sheet
from rejudge.errors import DataError, FileError
from rejudge.heds.sheet import (
    SheetAnswer,
    add_criterion,
    blank_sheet,
    complete_sheet,
    read,
    read_sheet,
)

CARDS = (
    "arvan_2025_0744-02",
    "miltenburg_2023_defcomplex_a",
    "miltenburg_2023_defcomplex_b",
    "form3_blank_export",
    "form3_converted_arvan_2025_0744-02",
)
EVALUATORS = "heds-sample_evaluators_design-evaluators-number_of_evaluators"
PAYMENT = "heds-sample_evaluators_design-evaluators-evaluators-payment"


@pytest.mark.parametrize("name", CARDS)
def test_a_filled_sheet_is_written_back_byte_for_byte(card, name):
    content = card(name)
    assert read(content).write() == content


@pytest.mark.parametrize("name", CARDS)
def test_an_edit_changes_only_the_entries_of_its_answer(card, name):
    before = json.loads(card(name))
    edited = read(card(name)).with_answer("3.2.2.2", SheetAnswer("By voucher.", (4,)))
    after = json.loads(edited.write())
    changed = {key for key in after if before.get(key) != after[key]}
    assert changed
    assert all(key.startswith(PAYMENT) for key in changed)
    assert [key for key in after if key in before] == list(before)


def test_the_blank_sheet_has_the_entries_of_the_untouched_form(card):
    """The form stores stray blanks in section 4 before there is a criterion."""
    official = json.loads(card("form3_blank_export"))
    ours = json.loads(blank_sheet("3.0").write())
    for id_ in ours:
        if id_.startswith("heds-criteria-criterion-"):
            official[id_]["data"].pop("", None)
            official[id_].get("text", {}).pop("", None)
    assert len(ours) == 569
    assert ours == official


def test_the_blank_sheet_of_the_older_form_has_565_keys():
    assert len(json.loads(blank_sheet("2.x").write())) == 565


def test_a_sheet_that_the_form_made_is_complete_already(card):
    content = card("form3_converted_arvan_2025_0744-02")
    assert complete_sheet(read(content)).write() == content


def test_deleted_criteria_are_kept_and_reported(card):
    sheet = read(card("arvan_2025_0744-02"))
    assert sheet.criteria == ("Meaning",)
    assert sheet.orphans == ("Fluency", "Dissimilarity")


@given(entries=files())
@settings(max_examples=property_settings.examples(40))
def test_any_sheet_is_read_and_written_without_loss(entries):
    sheet = read(as_bytes(entries))
    assert dict(sheet.entries) == entries
    assert json.loads(sheet.write()) == entries


def test_a_lone_surrogate_is_escaped_as_browsers_do():
    sheet = read(as_bytes({EVALUATORS: entry("\ud800")}, ensure_ascii=True))
    assert b'"\\ud800"' in sheet.write()


@pytest.mark.parametrize(
    "content",
    [b'{"a": NaN}', b'{"a": ' + b"9" * 5000 + b"}", b'{"a": ' + b"[" * 100_000, b'{"a": 1'],
)
def test_what_is_not_json_is_refused_in_words(content):
    with pytest.raises(FileError, match="not valid JSON"):
        read(content, file="card.json")


def test_a_message_names_the_line():
    with pytest.raises(FileError, match=r"^card\.json:3: "):
        read(b'{\n"a": 1,\n"b": x}', file="card.json")


@given(entries=files())
@settings(max_examples=property_settings.examples(6))
def test_completing_a_sheet_loses_no_answer_and_no_key(entries):
    sheet = read(as_bytes(entries))
    whole = complete_sheet(sheet)
    again = read(whole.write(), version=sheet.version)
    assert set(entries) <= set(again.entries)
    assert {(str(cell), answer.options) for cell, answer in again.answers()} == {
        (str(cell), answer.options) for cell, answer in sheet.answers()
    }
    assert complete_sheet(again).write() == whole.write()


@given(entries=files())
@settings(max_examples=property_settings.examples(16))
def test_an_edit_of_any_sheet_leaves_all_other_entries_alone(entries):
    sheet = read(as_bytes(entries))
    after = json.loads(sheet.with_answer("3.2.1", "12").write())
    others = {key: value for key, value in entries.items() if key != EVALUATORS}
    assert {key: value for key, value in after.items() if key != EVALUATORS} == others
    assert read(as_bytes(after), version=sheet.version).answer("3.2.1").text == "12"


def test_an_answer_outside_section_four_is_read():
    sheet = read(as_bytes({EVALUATORS: entry("24")}))
    assert sheet.answer("3.2.1") == SheetAnswer("24")
    assert sheet.answer("3.2.1").state == "value"


@pytest.mark.parametrize(("stored", "text"), [(24, "24"), (0, "0"), (None, ""), (2.5, "2.5")])
def test_numbers_written_by_other_tools_are_read(stored, text):
    assert read(as_bytes({EVALUATORS: entry(stored)})).answer("3.2.1").text == text


@pytest.mark.parametrize(
    ("stored", "options"),
    [(True, (1,)), ("true", (1,)), ("True", (1,)), (1, (1,)), ("false", ()), (None, ()), (0, ())],
)
def test_options_written_by_other_tools_are_read(stored, options):
    sheet = read(as_bytes({f"{PAYMENT}-1": entry(stored, text={"": ""})}))
    assert sheet.answer("3.2.2.2").options == options


def test_an_absent_answer_is_written_as_each_form_asks_for_it():
    nothing = SheetAnswer(is_absent=True)
    for version, text in (("2.x", "No"), ("3.0", "No ethical approval obtained")):
        sheet = blank_sheet(version).with_answer("5.1", nothing)
        assert sheet.answer("5.1") == SheetAnswer(text, is_absent=True)


def test_a_ticked_option_is_stored_with_its_value_and_the_others_without():
    sheet = blank_sheet("3.0").with_answer("3.2.2.2", SheetAnswer(options=(3,)))
    assert sheet.entries[f"{PAYMENT}-3"] == {
        "data": {"": True}, "control": {}, "text": {"": "3. Not paid"}, "number": "3.2.2.2",
    }  # fmt: skip
    assert sheet.entries[f"{PAYMENT}-1"] == {
        "data": {"": False}, "control": {}, "text": {"": ""}, "number": "3.2.2.2",
    }  # fmt: skip


def test_an_explanation_goes_with_the_option_that_asked_for_it():
    sheet = blank_sheet("3.0").with_answer("3.2.2.2", SheetAnswer("Vouchers.", (4,)))
    sheet = sheet.with_answer("3.2.2.2", SheetAnswer(options=(1,)))
    assert sheet.answer("3.2.2.2") == SheetAnswer(options=(1,))
    assert sheet.hidden_texts == ()


def test_a_field_of_one_line_keeps_its_words_apart():
    sheet = blank_sheet("3.0").with_answer("1.3.1.2", "University of A\r\nDepartment of B")
    assert sheet.answer("1.3.1.2").text == "University of A Department of B"


def test_an_answer_of_blanks_only_is_stored_as_blank():
    assert blank_sheet("3.0").with_answer("1.1.2", " \n ").answer("1.1.2").state == "blank"


def test_an_explanation_that_the_new_form_does_not_show_is_an_answer_all_the_same():
    sheet = blank_sheet("3.0").with_answer("3.3.5", SheetAnswer("Any time.", (5,)))
    assert sheet.answer("3.3.5").text == "Any time."


@pytest.mark.parametrize(
    ("question", "answer", "message"),
    [
        ("3.2.2.2", SheetAnswer(options=(9,)), "has no option 9"),
        ("3.2.2.2", SheetAnswer(options=(1, 2)), "takes one option"),
        ("3.2.1", SheetAnswer(options=(1,)), "answered with a text"),
        ("3.3.1", SheetAnswer(is_absent=True), "no option for 'not applicable'"),
        ("7.1", SheetAnswer("x"), "no question"),
        ("4.3.7", SheetAnswer("x"), "for each criterion"),
    ],
)
def test_an_answer_that_the_form_does_not_have_is_refused(question, answer, message):
    with pytest.raises(DataError, match=message):
        blank_sheet("3.0").with_answer(question, answer)


def test_an_answer_on_an_unknown_criterion_is_refused():
    with pytest.raises(DataError, match=r"no criterion 'Style'.*Fluency"):
        filled_sheet("3.0", "Fluency").with_answer("4.3.7", "x", criterion="Style")


def test_thirty_criteria_in_many_scripts_survive():
    names = [
        f"{word} {n}" for n in range(6) for word in ("Fluency", "流暢さ", "طلاقة", "עברית", "ความ")
    ]
    sheet = blank_sheet("3.0")
    for name in names:
        sheet = add_criterion(sheet, name)
    sheet = sheet.with_answer("4.3.7", "هل النص سليم؟", criterion=names[-1])
    again = read(sheet.write())
    assert again.criteria == tuple(names)
    assert again.answer("4.3.7", names[-1]).text == "هل النص سليم؟"
    assert again.answer("4.3.7", names[0]).state == "blank"


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ({"name": "package"}, "not a datasheet"),
        ({EVALUATORS: "24"}, "the entry should be an object, but is a text"),
        ({EVALUATORS: {"data": ["24"]}}, "'data' should be an object, but is a list"),
        ({EVALUATORS: {"data": {"": {"a": 1}}}}, "'' is an object, but should be a text"),
        ({"heds-criteria-criterion": {"control": ["Fluency"]}}, "'control' should be an object"),
        ({"heds-criteria-criterion": None}, "the entry should be an object, but is null"),
    ],
)
def test_entries_of_the_wrong_type_are_refused_with_their_place(entries, message):
    with pytest.raises(FileError) as refused:
        read(as_bytes(entries), file="card.json")
    assert message in str(refused.value)
    assert str(refused.value).startswith("card.json")


def test_all_wrong_entries_are_named_at_once():
    with pytest.raises(FileError) as refused:
        read(as_bytes({EVALUATORS: 1, f"{PAYMENT}-1": 2}))
    assert len(refused.value.problems) == 2


def test_entries_without_members_are_read_as_blank():
    assert read(as_bytes({EVALUATORS: {}})).answer("3.2.1").state == "blank"


def test_a_huge_file_is_refused_before_it_is_read(tmp_path):
    path = tmp_path / "card.json"
    with path.open("wb") as stream:
        stream.truncate(17 << 20)
    with pytest.raises(FileError, match="larger than 16 MB"):
        read_sheet(path)


def test_a_missing_file_is_refused_with_what_to_give(tmp_path):
    with pytest.raises(FileError, match="JSON file that the datasheet's form has saved"):
        read_sheet(tmp_path / "none.json")


def test_unknown_keys_of_any_type_are_kept_and_reported():
    entries = {EVALUATORS: entry("1"), "heds-odd": 7, "x": [1], "x-rejudge": {"a": 1}}
    sheet = read(as_bytes(entries))
    assert sheet.unknown_keys == ("heds-odd", "x")
    assert json.loads(sheet.with_answer("3.2.1", "2").write())["x"] == [1]
