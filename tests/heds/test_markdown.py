"""Markdown in which answers are text, not markup."""

from __future__ import annotations

import pytest
from markdown_it import MarkdownIt

from heds_files import filled_sheet
from rejudge.heds import blank_sheet, to_markdown_sheet


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
