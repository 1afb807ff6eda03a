"""The first sheet: pages, questions and examples as plain lines."""

from __future__ import annotations

from datetime import date

from filled_workbooks import layouts, opened
from judged_study import (
    RATING,
    drawn,
    small_study,
)
from rejudge.exchange.workbooks.front import front_lines
from rejudge.exchange.workbooks.layout import (
    WorkbookWords,
)
from rejudge.study import Study


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
