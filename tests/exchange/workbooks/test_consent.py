"""Consent and times of a workbook, in every language and however they were typed."""

from __future__ import annotations

import datetime as dt

import openpyxl
import pytest

from filled_workbooks import put_in_form
from rejudge.exchange.workbooks.consent import (
    ConsentReading,
    consent_csv,
    form_cells,
    join,
    read_consent,
)
from rejudge.exchange.workbooks.layout import WorkbookWords
from rejudge.exchange.workbooks.pages import CONSENT_MARK, FORM_ANSWERS

BEGIN, END = dt.datetime(2026, 3, 1, 9, 30), dt.datetime(2026, 3, 1, 18)  # noqa: DTZ001 - as in a cell


def sheet(words, **answers: object):
    """A workbook whose sheet with the consent says this."""
    book = openpyxl.Workbook()
    tab = book.active
    tab.cell(1, 1).value, tab.cell(1, 3).value = CONSENT_MARK, FORM_ANSWERS
    for row, asked in enumerate(form_cells(words), start=5):
        tab.cell(row, 1).value = asked.key
    for key, value in answers.items():
        put_in_form(book, key, value)
    return book


def read(language="en", **answers: object):
    words = WorkbookWords(language)
    return read_consent(sheet(words, **answers).worksheets, words)


@pytest.mark.parametrize("language", ["en", "de", "nl", "es", "zh", "ar"])
def test_yes_and_no_are_understood_in_every_language_and_in_english(language):
    words = WorkbookWords(language)
    assert read(language, consent=words("yes")).choice == "yes"
    assert read(language, consent=f"  {words('no').upper()} ").choice == "no"
    assert read(language, consent="Yes").choice == "yes"


@pytest.mark.parametrize("said", [None, "", "  ", "perhaps", 1, True, "=TRUE()", BEGIN])
def test_anything_else_is_no_consent(said):
    assert read(consent=said).choice is None


@pytest.mark.parametrize(
    "typed", [BEGIN, "2026-03-01 09:30", "２０２６-０３-０１ ０９：３０", " 2026-03-01T09:30 "]
)
def test_times_are_read_however_they_were_typed(typed):
    assert read(started=typed).times == {"started": BEGIN}


@pytest.mark.parametrize("typed", ["in the morning", 7, dt.time(9, 30), "2026-13-01 09:30"])
def test_what_is_not_a_time_is_named(typed):
    (fault,) = read(started=typed).faults
    assert (fault.kind, fault.key) == ("time", "started")


def test_a_workbook_without_the_sheet_has_no_consent():
    assert read_consent(openpyxl.Workbook().worksheets, WorkbookWords("en")).choice is None


def test_of_two_files_a_refusal_counts_and_times_complete_each_other():
    yes, no = ConsentReading(choice="yes"), ConsentReading(choice="no")
    assert join([yes, no]).choice == join([no, yes]).choice == "no"
    assert join([ConsentReading(), yes]).choice == "yes"
    one = ConsentReading(choice="yes", times={"started": BEGIN})
    two = ConsentReading(choice="yes", times={"finished": END})
    assert join([one, two]).times == {"started": BEGIN, "finished": END}


def test_the_file_says_when_nothing_was_asked():
    old = ConsentReading(is_asked=False)
    assert consent_csv([("p0001", old)]).decode().splitlines()[1] == "p0001,not asked,,"
