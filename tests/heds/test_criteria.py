"""Criteria are renamed, copied, removed, restored and pruned with all their answers."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heds_files import as_bytes, filled_sheet
from rejudge.errors import DataError
from rejudge.heds.sheet import (
    Sheet,
    SheetAnswer,
    add_criterion,
    blank_sheet,
    complete_sheet,
    copy_criterion,
    criterion_name_problem,
    find_provenance,
    prune,
    prune_criterion,
    read,
    record_answer,
    remove_criterion,
    rename_criterion,
    restore_criterion,
    safe_criterion_name,
)


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


def test_a_rename_keeps_the_open_tab_and_the_provenance():
    sheet = filled_sheet("3.0", "Fluency", "Adequacy")
    sheet = record_answer(
        sheet, "4.3.7", criterion="Fluency", source="study.yaml", time="2026-11-17T10:00:00Z"
    )
    renamed = rename_criterion(sheet, "Fluency", "Grammar")
    assert renamed.open_criterion == "Grammar"
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
    assert removed.open_criterion == "Adequacy"
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


def test_pruning_removes_the_stray_blanks_that_the_form_leaves(card):
    pruned = json.loads(prune(read(card("form3_blank_export"))).write())
    assert pruned["heds-criteria-criterion-criteria-quality_type-1"]["data"] == {}


def test_the_last_criterion_can_be_removed_and_pruned():
    sheet = prune_criterion(filled_sheet("3.0", "Fluency"), "Fluency")
    assert (sheet.criteria, sheet.orphans, sheet.open_criterion) == ((), (), None)
    assert json.loads(sheet.write()).keys() == json.loads(blank_sheet("3.0").write()).keys()


def test_an_unknown_criterion_cannot_be_pruned():
    with pytest.raises(DataError, match=r"has no criterion 'x'\. Its criteria: Fluency\."):
        prune_criterion(filled_sheet("3.0", "Fluency"), "x")


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


def test_a_name_left_in_the_box_for_new_criteria_is_kept():
    listed = {"data": {"Fluency": "Adequ"}, "control": {"Fluency": True}, "text": {}, "number": ""}
    sheet = read(as_bytes({"heds-criteria-criterion": listed}))
    for edited in (complete_sheet(sheet), add_criterion(sheet, "Style")):
        assert edited.entries["heds-criteria-criterion"]["data"] == {"Fluency": "Adequ"}
