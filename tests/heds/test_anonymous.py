"""A copy for review does not tell who made it."""

from __future__ import annotations

import pytest

from heds_files import filled_sheet
from rejudge.heds import Sheet, SheetAnswer, anonymise, check, read, record_answer, remove_criterion


def _signed() -> Sheet:
    sheet = filled_sheet("3.0", "Fluency", "Adequacy").with_answer("1.3.1.1", "Ada Lovelace")
    for number in ("1.3.2.1", "1.3.2.2", "1.3.2.3"):
        sheet = sheet.with_answer(number, "None")
    sheet = sheet.with_answer("1.3.1.2", "University of Somewhere")
    sheet = sheet.with_answer("1.3.1.3", "ada@some.example.org")
    sheet = sheet.with_answer("1.1.1", SheetAnswer("https://ada.example.org/paper", (1,)))
    sheet = sheet.with_answer("3.2.3", "By ada lovelace, via ada@some.example.org, www.ada.org")
    sheet = sheet.with_answer("5.1", "Board of the University of Somewhere")
    return record_answer(sheet, "3.2.1", source="the study of Ada Lovelace", time="t")


def test_nothing_of_the_signature_is_left():
    found = anonymise(_signed())
    content = found.sheet.write().decode().casefold()
    assert not [
        word
        for word in ("ada", "somewhere", "example.org")
        if word in content.replace("adaptive", "")
    ]
    assert found.sheet.answer("3.2.3").text == (
        "By [name removed], via [address removed], [link removed]"
    )
    assert found.dropped == ("x-rejudge",)


def test_what_changed_is_listed():
    assert anonymise(_signed()).changed == (
        *("1.1.1", "1.3.1.1", "1.3.1.2", "1.3.1.3", "1.3.2.1", "1.3.2.2", "1.3.2.3"),
        *("3.2.3", "5.1"),
    )


def test_hidden_texts_and_deleted_criteria_are_gone():
    sheet = remove_criterion(_signed(), "Adequacy")
    found = anonymise(sheet).sheet
    assert found.orphans == ()


def test_a_choice_with_a_link_still_counts_as_explained():
    open_ones = {each.question for each in check(anonymise(_signed()).sheet)}
    assert open_ones == {"1.3.1.1", "1.3.1.2", "1.3.1.3", "1.3.2.1", "1.3.2.2", "1.3.2.3"}


@pytest.mark.parametrize("name", ["arvan_2025_0744-02", "miltenburg_2023_defcomplex_a"])
def test_real_sheets_lose_names_and_links(card, name):
    sheet = read(card(name))
    text = anonymise(sheet).sheet.write().decode()
    assert "@" not in text
    assert "http" not in text
    assert sheet.answer("1.3.1.1").text not in text
