"""Sheets are read, answered, written; criteria are edited; where answers come from is kept."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import property_settings
from heds_files import as_bytes, entry, files, filled_sheet
from rejudge.errors import DataError, FileError
from rejudge.heds.sheet import (
    Provenance,
    Sheet,
    SheetAnswer,
    add_criterion,
    blank_sheet,
    copy_criterion,
    criterion_name_problem,
    find_provenance,
    forget_answer,
    is_edited,
    prune,
    read,
    read_sheet,
    record_answer,
    remove_criterion,
    rename_criterion,
    restore_criterion,
    safe_criterion_name,
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


def test_deleted_criteria_are_kept_and_reported(card):
    sheet = read(card("arvan_2025_0744-02"))
    assert sheet.criteria == ("Meaning",)
    assert sheet.orphans == ("Fluency", "Dissimilarity")


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


_TIME = "2026-11-17T10:00:00Z"
_RECORD = {
    "question": "3.2.1", "criterion": None, "class": "auto", "source": "", "value": "", "time": "",
}  # fmt: skip


def _recorded() -> Sheet:
    sheet = blank_sheet("3.0").with_answer("3.2.1", "24")
    return record_answer(sheet, "3.2.1", source="judgments", time=_TIME)


def test_a_record_survives_writing_and_reading():
    sheet = read(_recorded().write())
    record = find_provenance(sheet, "3.2.1")
    assert record == Provenance("3.2.1", None, "auto", "judgments", record.value, _TIME)
    assert len(record.value) == 16
    assert not is_edited(sheet, record)


def test_a_hand_edit_is_noticed():
    sheet = _recorded().with_answer("3.2.1", "25")
    assert is_edited(sheet, find_provenance(sheet, "3.2.1"))


def test_recording_again_replaces_the_record():
    sheet = record_answer(_recorded().with_answer("3.2.1", "25"), "3.2.1", source="b", time=_TIME)
    assert [record.source for record in sheet.records] == ["b"]
    assert not is_edited(sheet, sheet.records[0])


def test_a_confirmed_answer_has_no_record_whether_named_by_number_or_id():
    sheet = _recorded()
    question = sheet.schema.question("3.2.1")
    assert forget_answer(sheet, question.id).records == ()
    assert forget_answer(sheet, question.number).records == ()


def test_an_answer_with_a_lone_surrogate_can_be_recorded():
    sheet = blank_sheet("3.0").with_answer("1.1.2", "a\ud800")
    sheet = read(record_answer(sheet, "1.1.2", source="s", time=_TIME).write())
    assert not is_edited(sheet, find_provenance(sheet, "1.1.2"))


@pytest.mark.parametrize(
    "extra",
    [
        None,
        7,
        {"answers": "none"},
        {"answers": [1, {}, {"question": "3.2.1"}]},
        {"answers": [{**_RECORD, "criterion": 1}]},
        {"answers": [{**_RECORD, "class": "magic"}]},
        {"answers": [{**_RECORD, "time": 12}]},
    ],
)
def test_records_that_cannot_be_read_are_left_out(extra):
    content = as_bytes({"heds-ethics-review_body": entry("No"), "x-rejudge": extra})
    assert read(content).records == ()


def _answers(sheet: Sheet, criterion: str) -> list[SheetAnswer]:
    questions = [question for question in sheet.schema.questions if question.per_criterion]
    return [sheet.answer(question, criterion) for question in questions]


@pytest.mark.parametrize("version", ["2.x", "3.0"])
def test_a_rename_moves_every_answer(version):
    sheet = filled_sheet(version, "Fluency", "Adequacy")
    renamed = rename_criterion(sheet, "Fluency", "Grammar")
    assert renamed.criteria == ("Grammar", "Adequacy")
    assert renamed.orphans == ()
    assert _answers(renamed, "Grammar") == _answers(sheet, "Fluency")
    assert b'"Fluency"' not in renamed.write()


def test_a_rename_keeps_the_provenance():
    sheet = filled_sheet("3.0", "Fluency", "Adequacy")
    sheet = record_answer(
        sheet, "4.3.7", criterion="Fluency", source="study.yaml", time="2026-11-17T10:00:00Z"
    )
    renamed = rename_criterion(sheet, "Fluency", "Grammar")
    assert find_provenance(renamed, "4.3.7", "Grammar") is not None
    assert find_provenance(renamed, "4.3.7", "Fluency") is None


def test_a_copy_has_the_same_answers_and_leaves_the_first_alone():
    sheet = filled_sheet("3.0", "Fluency")
    copied = copy_criterion(sheet, "Fluency", "Grammar")
    assert copied.criteria == ("Fluency", "Grammar")
    assert _answers(copied, "Grammar") == _answers(copied, "Fluency") == _answers(sheet, "Fluency")


def test_a_removed_criterion_can_be_restored_with_its_answers():
    sheet = filled_sheet("3.0", "Fluency", "Adequacy")
    removed = remove_criterion(sheet, "Fluency")
    assert (removed.criteria, removed.orphans) == (("Adequacy",), ("Fluency",))
    assert _answers(restore_criterion(removed, "Fluency"), "Fluency") == _answers(sheet, "Fluency")


def test_a_new_criterion_does_not_bring_back_the_answers_of_a_deleted_one():
    removed = remove_criterion(filled_sheet("3.0", "Fluency", "Adequacy"), "Fluency")
    again = add_criterion(removed, "Fluency")
    assert {answer.state for answer in _answers(again, "Fluency")} == {"blank"}


def test_pruning_removes_everything_that_was_stored(card):
    sheet = prune(read(card("arvan_2025_0744-02")))
    assert sheet.orphans == ()
    assert b'"Fluency"' not in sheet.write()
    assert _answers(sheet, "Meaning") == _answers(read(card("arvan_2025_0744-02")), "Meaning")


@pytest.mark.parametrize(
    ("name", "reason", "instead"),
    [
        ("", "is empty", "Criterion"),
        ("  ", "is empty", "Criterion"),
        ("Q&A", "contains &, < or >", "Q and A"),
        ("a<b", "contains &, < or >", "a-b"),
        ("A > B", "contains &, < or >", "A - B"),
        ("a\nb", "line break", "a b"),
        (" Fluency", "blank", "Fluency"),
        ("2", "digits only", "Criterion 2"),
        ("__proto__", "reserved word", "proto"),
        ("constructor", "reserved word", "Criterion constructor"),
    ],
)
def test_a_name_that_the_form_cannot_handle_is_refused_with_a_better_one(name, reason, instead):
    with pytest.raises(DataError, match=reason) as refused:
        add_criterion(blank_sheet("3.0"), name)
    assert f"'{instead}'" in str(refused.value)
    assert add_criterion(blank_sheet("3.0"), instead).criteria == (instead,)


def test_a_better_name_is_not_taken():
    assert safe_criterion_name("Q&A", ["Q and A", "Q and A (2)"]) == "Q and A (3)"


@pytest.mark.parametrize("name", ["流暢さ", "طلاقة", "2nd", "²", "naïve ‘quality’", "٢"])
def test_names_in_any_script_are_accepted(name):
    sheet = add_criterion(blank_sheet("3.0"), name).with_answer(
        "4.2.2", SheetAnswer(options=(1,)), criterion=name
    )
    assert read(sheet.write()).answer("4.2.2", name).options == (1,)


def test_a_taken_name_and_an_unknown_criterion_are_refused():
    sheet = filled_sheet("3.0", "Fluency")
    with pytest.raises(DataError, match="is a criterion 'Fluency' already"):
        add_criterion(sheet, "Fluency")
    with pytest.raises(DataError, match="no criterion 'Style'"):
        rename_criterion(sheet, "Style", "Form")
    with pytest.raises(DataError, match="deleted criterion 'Style'"):
        restore_criterion(sheet, "Style")


@given(st.text(alphabet=st.sampled_from(" &<>_12ab漢\n\t\u3000\u2028"), max_size=8))
def test_every_name_has_a_safe_one_like_it(name):
    better = safe_criterion_name(name, ["Criterion", "a"])
    assert criterion_name_problem(better) is None
    assert better not in {"Criterion", "a"}


@pytest.mark.parametrize("name", CARDS)
def test_a_public_sheet_is_written_with_every_key_and_answer(card, name):
    before, content = json.loads(card(name)), read(card(name)).write()
    assert set(before) <= set(json.loads(content))
    assert read(content) == read(card(name))
    assert read(content).write() == content


@given(entries=files())
@settings(max_examples=property_settings.examples(16))
def test_any_sheet_is_read_and_written_without_losing_an_answer_or_a_key(entries):
    sheet = read(as_bytes(entries))
    again = read(sheet.write(), version=sheet.version)
    assert again == sheet
    assert set(entries) <= {*json.loads(sheet.write()), "x-rejudge"}
    edited = read(sheet.with_answer("3.2.1", "12").write(), version=sheet.version)
    assert edited.answer("3.2.1").text == "12"
    assert edited.given == {**sheet.given, ("3.2.1", ""): SheetAnswer("12")}


def test_a_ticked_option_is_written_with_its_value_and_the_others_without():
    sheet = blank_sheet("3.0").with_answer("3.2.2.2", SheetAnswer(options=(3,)))
    entries = json.loads(sheet.write())
    empty = {"data": {"": False}, "control": {}, "text": {"": ""}, "number": "3.2.2.2"}
    assert entries[f"{PAYMENT}-1"] == empty
    ticked = {"data": {"": True}, "text": {"": "3. Not paid"}}
    assert entries[f"{PAYMENT}-3"] == {**empty, **ticked}


def test_what_belongs_to_no_question_is_kept():
    entries = {EVALUATORS: entry("1"), "heds-odd": 7, "x": [1], "x-rejudge": {"a": 1}}
    after = json.loads(read(as_bytes(entries)).with_answer("3.2.1", "2").write())
    assert (after["heds-odd"], after["x"], after["x-rejudge"]["a"]) == (7, [1], 1)
