"""A datasheet as a page that needs nothing else."""

from __future__ import annotations

import re

import pytest

from heds_files import filled_sheet
from rejudge.heds.print import datasheet_page
from rejudge.heds.sheet import SheetAnswer, blank_sheet


def test_all_answers_are_on_the_page_and_escaped():
    sheet = filled_sheet("3.0", "Fluency", "طلاقة").with_answer("1.1.2", "<script>a & b</script>")
    sheet = sheet.with_answer("3.2.2.2", SheetAnswer("Books", (4,)))
    page = datasheet_page(sheet)
    assert "&lt;script&gt;a &amp; b&lt;/script&gt;" in page
    assert "<script" not in page
    assert "☑ N/A (please explain).\nBooks" in page
    assert "4.1 Criterion: طلاقة" in page
    assert "All questions are answered." in page


def test_the_page_asks_no_other_host():
    page = datasheet_page(filled_sheet("2.x", "Fluency"))
    assert not re.search(r"""(?:src|href)=["'](?!#)""", page)
    assert "@import" not in page


@pytest.mark.parametrize(("version", "open_"), [("2.x", 42), ("3.0", 41)])
def test_a_blank_sheet_says_how_many_questions_are_open(version, open_):
    page = datasheet_page(blank_sheet(version))
    assert f"{open_} questions are not yet answered" in page
    assert "none yet" in page
