"""Sheets in the order of the form, links told apart from words, and a copy for anonymous review."""

from __future__ import annotations

import pytest
from markdown_it import MarkdownIt

from heds_files import filled_sheet
from rejudge.heds.check import check
from rejudge.heds.print import (
    anonymise,
    printed_sections,
    split_links,
    to_csv_sheet,
    to_markdown_sheet,
)
from rejudge.heds.sheet import (
    Sheet,
    SheetAnswer,
    blank_sheet,
    read,
    record_answer,
    remove_criterion,
)
from rejudge.spreadsheet import csv_rows


@pytest.mark.parametrize("version", ["2.x", "3.0"])
def test_every_answer_is_printed_once_and_in_order(version):
    sheet = filled_sheet(version, "Fluency", "Adequacy")
    printed = [
        (each.question.number, each.criterion)
        for section in printed_sections(sheet)
        for each in section.answers
    ]
    assert sorted(printed, key=str) == sorted(
        ((cell.question.number, cell.criterion) for cell in sheet.cells()), key=str
    )
    outside = [number for number, criterion in printed if criterion is None]
    assert outside == [each.number for each in sheet.schema.questions if not each.per_criterion]


@pytest.mark.parametrize(
    ("text", "links"),
    [
        ("see https://a.org/x.", ["https://a.org/x"]),
        ("(https://a.org/x) and http://b.org/?q=1&r=2#s, too", ["https://a.org/x", "http://b.org/?q=1&r=2#s"]),
        ("no link: ftp://x", []),
        ("", []),
    ],
)  # fmt: skip
def test_links_are_found_without_the_stops_after_them(text, links):
    pieces = split_links(text)
    assert [words for kind, words in pieces if kind == "link"] == links
    assert "".join(words for _, words in pieces) == text


def _html(text: str) -> str:
    sheet = blank_sheet("3.0").with_answer("1.1.2", text)
    return MarkdownIt("commonmark", {"html": False}).render(to_markdown_sheet(sheet))


@pytest.mark.parametrize(
    "text",
    [
        *("*bold* _it_ `code` ~x~", "# heading", "- item", "1. item", "2) item", "+ plus", "="),
        *("a & b < c > d", "[a](b)", "\\", "| a |", "![x](y)", "&lt;"),
    ],
)
def test_markup_in_an_answer_is_shown_as_it_is(text):
    from html import escape

    page = _html(text)
    assert f"<p>{escape(text)}</p>" in page


def test_lines_stay_lines_and_paragraphs_paragraphs():
    page = _html("one\ntwo\n\nthree")
    assert "one<br />\ntwo</p>\n<p>three" in page


def test_links_are_links():
    assert '<a href="https://a.org/x_y">' in _html("see https://a.org/x_y.")


def test_all_questions_and_criteria_are_there():
    sheet = filled_sheet("2.x", "Fluency", "طلاقة")
    text = to_markdown_sheet(sheet)
    assert all(f"**{each.number} " in text for each in sheet.schema.questions)
    assert "### طلاقة" in text
    assert "No answer" not in text


def test_a_blank_answer_is_shown_as_such():
    assert to_markdown_sheet(blank_sheet("3.0")).count("*No answer.*") == 41


def test_every_answer_has_its_row_with_its_provenance():
    sheet = filled_sheet("3.0", "Fluency", "流暢さ").with_answer("5.1", "N/A")
    sheet = sheet.with_answer("3.2.2.2", SheetAnswer("=1+1\nline", (4,)))
    sheet = record_answer(sheet, "3.2.1", source="judgments", time="2026-11-17T10:00:00Z")
    head, *rows = csv_rows(to_csv_sheet(sheet))
    by_place = {(row[0], row[2]): dict(zip(head, row, strict=True)) for row in rows}
    assert len(rows) == 41 + 2 * 21
    assert by_place["3.2.1", ""]["source"] == "judgments"
    assert by_place["3.2.1", ""]["edited"] == "no"
    assert by_place["3.2.2.2", ""]["option_keys"] == "4"
    assert by_place["3.2.2.2", ""]["text"] == "=1+1\nline"
    assert by_place["5.1", ""]["state"] == "absent"
    assert by_place["4.3.7", "流暢さ"]["answer"] == "Measured."


def test_an_edited_answer_is_marked():
    sheet = filled_sheet("3.0", "Fluency")
    sheet = record_answer(
        sheet, "3.2.1", source="judgments", time="2026-11-17T10:00:00Z"
    ).with_answer("3.2.1", "9")
    head, *rows = csv_rows(to_csv_sheet(sheet))
    (row,) = [row for row in rows if row[0] == "3.2.1"]
    assert dict(zip(head, row, strict=True))["edited"] == "yes"


def _signed() -> Sheet:
    sheet = filled_sheet("3.0", "Fluency", "Adequacy").with_answer("1.3.1.1", "Ada Lovelace")
    for number in ("1.3.2.1", "1.3.2.2", "1.3.2.3"):
        sheet = sheet.with_answer(number, "None")
    sheet = sheet.with_answer("1.3.1.2", "University of Somewhere")
    sheet = sheet.with_answer("1.3.1.3", "ada@some.example.org")
    sheet = sheet.with_answer("1.1.1", SheetAnswer("https://ada.example.org/paper", (1,)))
    sheet = sheet.with_answer("3.2.3", "By ada lovelace, via ada@some.example.org, www.ada.org")
    sheet = sheet.with_answer("5.1", "Board of the University of Somewhere")
    return record_answer(
        sheet, "3.2.1", source="the study of Ada Lovelace", time="2026-11-17T10:00:00Z"
    )


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
