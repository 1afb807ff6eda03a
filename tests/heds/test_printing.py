"""Sheets in the order of the form, with links told apart from words."""

from __future__ import annotations

import pytest

from heds_files import filled_sheet
from rejudge.heds import printed_sections
from rejudge.heds.printing import split_links


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
