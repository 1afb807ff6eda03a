"""The sheets before the tasks: lines in bold, yellow cells of the consent, notes, paper."""

from __future__ import annotations

import io
from dataclasses import replace
from datetime import date

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.utils.escape import unescape

from filled_workbooks import layouts, opened
from judged_study import (
    RATING,
    drawn,
    small_study,
)
from rejudge.exchange.workbooks.format import FORMAT
from rejudge.exchange.workbooks.layout import Recipient, WorkbookWords, lay_out
from rejudge.exchange.workbooks.pages import (
    CONSENT_MARK,
    FORM_ANSWERS,
    add_note,
    front_lines,
    set_page,
    spreadsheet_text,
)
from rejudge.study.model import Study


def with_pages(**pages: str) -> Study:
    study = small_study(RATING)
    return Study(spec=study.spec, items=study.items, pages=pages)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("_x0041_", "_x005F_x0041_"),
        ("_x0041_x00e9_", "_x005F_x0041_x005F_x00e9_"),
        ("_x41_ _y0041_ snake_case __", "_x41_ _y0041_ snake_case __"),
        ("", ""),
    ],
)
def test_what_a_spreadsheet_would_take_for_a_character_is_escaped(text, kept):
    assert spreadsheet_text(text) == kept


@given(st.text(alphabet="_x0041Fé", max_size=30))
def test_an_escaped_text_reads_like_the_text(text):
    """As a spreadsheet reads it: each escaped character once, from the left."""
    assert unescape(spreadsheet_text(text)) == text


@pytest.mark.parametrize("is_wide", [True, False])
def test_a_page_is_printed_across_its_width_and_columns_can_be_widened(is_wide):
    tab = openpyxl.Workbook().active
    set_page(tab, is_wide=is_wide, is_right_to_left=is_wide)
    assert tab.page_setup.orientation == ("landscape" if is_wide else "portrait")
    assert tab.sheet_view.rightToLeft is is_wide
    assert (tab.page_setup.fitToHeight, tab.sheet_properties.pageSetUpPr.fitToPage) == (0, True)
    assert tab.protection.sheet
    assert not tab.protection.formatColumns  # not forbidden


def test_a_longer_note_is_taller():
    tab = openpyxl.Workbook().active
    for row, words in ((1, 2), (2, 200)):
        add_note(tab.cell(row, 1), "word " * words)
    assert tab["A2"].comment.height > tab["A1"].comment.height
    assert tab["A1"].comment.text == "word word "


def test_bold_words_are_bold_and_a_line_like_a_formula_is_a_text():
    study = with_pages(instructions="=1+1\n\nRead **both** my_x0041_texts.")
    files = FORMAT.write(study, drawn(study), people=["p0001"]).files
    book = openpyxl.load_workbook(io.BytesIO(next(iter(files.values()))), rich_text=True)
    cells = [row[0] for row in book.worksheets[0].iter_rows(min_col=2, max_col=2)]
    (formula,) = [cell for cell in cells if cell.value == "=1+1"]
    assert formula.data_type == "s"
    (line,) = [cell.value for cell in cells if str(cell.value).startswith("Read")]
    assert isinstance(line, CellRichText)
    assert [part.text for part in line if isinstance(part, TextBlock) and part.font.b] == ["both"]
    assert str(line) == "Read both my_x0041_texts."


def test_the_form_of_the_consent_has_a_cell_for_every_answer():
    book, layout, _ = opened(with_pages(consent="I agree to it."))
    tab = next(each for each in book.worksheets if each.cell(1, 1).value == CONSENT_MARK)
    assert tab.cell(1, 3).value == FORM_ANSWERS
    assert tab.row_dimensions[1].hidden
    assert tab.column_dimensions["A"].hidden
    asked = {tab.cell(n, 1).value: tab.cell(n, 3) for n in range(2, tab.max_row + 1)}
    asked.pop(None)
    assert set(asked) == {"consent", "started", "finished"}
    assert not any(cell.protection.locked for cell in asked.values())
    assert asked["started"].number_format == asked["finished"].number_format == "yyyy-mm-dd hh:mm"
    (offered,) = tab.data_validations.dataValidation
    assert str(offered.sqref) == asked["consent"].coordinate
    title, cells = offered.formula1.split("!")
    listed = [row[0].value for row in book[title.strip("'")][cells.replace("$", "")]]
    assert listed == [layout.words("yes"), layout.words("no")]


def test_without_a_page_of_consent_there_is_no_form():
    book, _, _ = opened(with_pages())
    assert CONSENT_MARK not in [tab.cell(1, 1).value for tab in book.worksheets]


def test_the_first_sheet_has_the_pages_the_questions_and_examples():
    asked = {**RATING, "definition": "Reads like a native text.", "labels": {1: "bad", 5: "good"}}
    practice = {
        "examples": [
            {"input": "In", "outputs": ["Out"], "answers": {"fluency": 4}, "explanation": "Why."}
        ]
    }
    study = small_study(asked, practice=practice)
    pages = {
        "information": "# About\n\nIt is **short**: {tasks} tasks.\n\n- one\n- two",
        "instructions": "1. Read\n2. Judge *well*\n\n<b>no</b> ![x](http://a/b.png)",
    }
    book, _, _ = opened(Study(spec=study.spec, items=study.items, pages=pages), people=["Ada"])
    lines = [str(row[0]) for row in book.worksheets[0].iter_rows(min_col=2, values_only=True)]
    assert {
        "A small study", "For Ada", "About", "It is short: 9 tasks.", "• two", "2. Judge well",
        "<b>no</b> !x (http://a/b.png)", "How fluent is it?", "Reads like a native text.",
        "1 = bad · 5 = good", "Example 1", "Text: Out", "How fluent is it? Right answer: 4", "Why.",
    } <= {line.strip() for line in lines}  # fmt: skip


def test_a_workbook_states_its_own_numbers_and_asks_for_the_participant_number():
    """Two of the four batches are this person's; a workbook has no receipt code."""
    contact = {"name": "Ada", "email": "ada@lab.edu"}
    payment = {"reward": 2, "minutes": 10}
    study = small_study(RATING, contact=contact, payment=payment)
    pages = {"information": "{batches} parts, {earnings}. {withdrawal}"}
    study = Study(spec=study.spec, items=study.items, pages=pages)
    plan = drawn(study)
    plan = replace(plan, batches_per_participant=len(plan.batches))
    seats = tuple((batch.id, 1) for batch in plan.batches[:2])
    book = lay_out(study, plan, Recipient(1, seats))
    said = " ".join(line.text for line in front_lines(book, on=date(2026, 1, 31)))
    assert "2 parts, GBP 4.00." in said
    assert "write to ada@lab.edu and give your participant number" in said
    assert "receipt" not in said


def lines(page: str) -> list[tuple[str, str]]:
    """The lines of an instructions page, with their styles."""
    study = small_study(RATING)
    study = Study(spec=study.spec, items=study.items, pages={"instructions": page})
    front = front_lines(layouts(study, drawn(study))[0], on=date(2026, 1, 31))
    texts = [(line.text, line.style) for line in front]
    code = next(n for n, (text, _) in enumerate(texts) if "p0001" in text)
    how = texts.index((WorkbookWords("en")("how_title"), "heading"))
    return texts[code + 1 : how]


def test_nested_lists_are_numbered_as_written():
    page = "3. one\n   - inner\n   - more\n4. two\n\nThen."
    assert [text for text, _ in lines(page)] == ["3. one", "• inner", "• more", "4. two", "Then."]


def test_links_name_their_address_once():
    page = "[Ask](mailto:a@b.org) or <https://e.org>"
    assert [text for text, _ in lines(page)] == ["Ask (a@b.org) or https://e.org"]


def test_bold_is_made_by_the_page_and_not_by_a_value():
    study = small_study({**RATING, "prompt": "Is **it** fluent?"})
    front = front_lines(layouts(study, drawn(study))[0], on=date(2026, 1, 31))
    assert "**Is * *it* * fluent?**" in [line.text for line in front]
    assert lines("A **bold** word") == [("A **bold** word", "text")]
