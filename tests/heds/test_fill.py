"""Filling in sheets: what a person wrote stays."""

from __future__ import annotations

import pytest

from judged_study import PAIRWISE, RATING
from rejudge.errors import DataError
from rejudge.heds.fill import fill_sheet
from rejudge.heds.sheet import (
    SheetAnswer,
    add_criterion,
    blank_sheet,
    find_provenance,
    is_edited,
    read,
    rename_criterion,
)
from sheet_facts import NOW, filled, planned_facts, text

LATER = "2027-01-01T00:00:00Z"


def states(found):
    return {str(each.cell): each.state for each in found.cells}


def test_a_second_filling_changes_nothing():
    facts = planned_facts()
    first = filled(facts)
    again = fill_sheet(read(first.sheet.write()), facts, time=LATER)
    assert again.sheet.write() == first.sheet.write()
    assert set(states(again).values()) == {"unchanged", "missing"}


def test_each_answer_says_where_it_comes_from():
    found = filled(planned_facts())
    record = find_provenance(found.sheet, "3.2.1")
    assert (record.source, record.fill, record.time) == ("plan", "auto", NOW)
    assert not is_edited(found.sheet, record)
    for each in found.of("filled"):
        assert find_provenance(found.sheet, each.cell.question.number, each.cell.criterion)


def test_an_edited_answer_is_never_overwritten_and_the_difference_is_reported():
    facts = planned_facts()
    edited = filled(facts).sheet.with_answer("3.2.1", "99")
    again = fill_sheet(edited, facts, time=LATER)
    assert text(again, "3.2.1") == "99"
    (difference,) = again.of("edited")
    assert difference.proposed == SheetAnswer(str(facts.plan.places))


def test_an_answer_from_elsewhere_is_not_overwritten_either():
    sheet = blank_sheet("3.0").with_answer("3.2.1", "7").with_answer("5.4", "none")
    found = fill_sheet(sheet, planned_facts(), time=NOW)
    assert text(found, "3.2.1") == "7"
    assert states(found)["3.2.1"] == "edited"
    assert states(found)["5.4"] == "answered"


def test_an_answer_that_was_cleared_is_filled_in_again():
    facts = planned_facts()
    cleared = filled(facts).sheet.with_answer("3.2.1", "")
    assert text(fill_sheet(cleared, facts, time=LATER), "3.2.1") == str(facts.plan.places)


def test_answers_follow_the_study_as_long_as_nobody_edits_them():
    before, after = planned_facts(), planned_facts(design={"participants_per_batch": 5})
    again = fill_sheet(filled(before).sheet, after, time=LATER)
    assert text(again, "3.2.1") == str(after.plan.places) != str(before.plan.places)
    assert find_provenance(again.sheet, "3.2.1").time == LATER


def test_each_question_is_a_criterion():
    assert filled(planned_facts(RATING, PAIRWISE)).sheet.criteria == ("fluency", "meaning")


def test_a_renamed_criterion_is_recognised():
    facts = planned_facts(RATING, PAIRWISE)
    renamed = rename_criterion(filled(facts).sheet, "fluency", "Grammaticality")
    again = fill_sheet(renamed, facts, time=LATER)
    assert again.sheet.criteria == ("Grammaticality", "meaning")
    assert set(states(again).values()) == {"unchanged", "missing"}


def test_a_criterion_that_is_there_in_other_letters_is_used():
    sheet = add_criterion(blank_sheet("3.0"), "FLUENCY")
    assert fill_sheet(sheet, planned_facts(), time=NOW).sheet.criteria == ("FLUENCY",)


def test_criteria_that_the_study_does_not_have_stay():
    sheet = add_criterion(blank_sheet("3.0"), "Taste")
    found = fill_sheet(sheet, planned_facts(), time=NOW)
    assert found.sheet.criteria == ("Taste", "fluency")


@pytest.mark.parametrize("name", ["2", "constructor"])
def test_an_id_that_the_form_cannot_handle_gets_another_name(name):
    found = filled(planned_facts({**RATING, "id": name}))
    assert found.sheet.criteria == (f"Criterion {name}",)


def test_a_sheet_of_the_old_version_is_refused_with_the_remedy():
    with pytest.raises(DataError, match="convert"):
        fill_sheet(blank_sheet("2.x"), planned_facts(), time=NOW)


def test_drafts_are_listed_until_somebody_edits_them():
    facts = planned_facts()
    first = filled(facts)
    assert "3.2.3" in [str(each.cell) for each in first.drafts]
    edited = first.sheet.with_answer("3.2.3", "By word of mouth.")
    assert "3.2.3" not in [str(each.cell) for each in fill_sheet(edited, facts, time=LATER).drafts]
