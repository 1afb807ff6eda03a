"""What a workbook holds: texts, words in every language, choices, and keys of rows."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from filled_workbooks import layouts, with_texts
from judged_study import (
    EVERY_KIND,
    SEGMENTS,
    SLIDER,
    drawn,
    small_study,
)
from rejudge.errors import DesignError
from rejudge.exchange.workbooks.format import FORMAT
from rejudge.exchange.workbooks.layout import (
    Choices,
    WorkbookWords,
    _catalogue,
    cell_text,
    choices_of,
)
from toy_kind.yes_no import YesNo


def test_a_text_that_no_cell_can_hold_is_refused():
    study = with_texts(small_study(SLIDER), "x" * 40_000)
    with pytest.raises(DesignError, match=r"has a text of 40,000 characters"):
        FORMAT.write(study, drawn(study), people=())


def test_every_language_has_every_text():
    known = _catalogue()
    assert {tuple(sorted(texts)) for texts in known.values()} == {tuple(sorted(known["en"]))}


def test_a_kind_from_elsewhere_offers_its_own_words():
    question = YesNo(kind="yes-no", id="true", prompt="Is it true?")
    assert choices_of(question, 1, WorkbookWords("en")).shown == {"no": "no", "yes": "yes"}


@pytest.mark.parametrize("question", EVERY_KIND, ids=lambda q: q["kind"])
def test_every_answer_of_a_task_has_its_cells(question):
    study = small_study(question)
    plan = drawn(study)
    for book in layouts(study, plan):
        for sheet in book.sheets:
            asked = {
                (row.task.id, cell.control) for row in sheet.rows for cell in row.cells.values()
            }
            assert {task for task, _ in asked} == {t.id for t in plan.batch[sheet.batch].tasks}
            assert {c for row in sheet.rows for c in row.cells} == {
                c.id for c in sheet.answer_columns
            }
            assert {c for row in sheet.rows for c in row.texts} == {
                c.id for c in sheet.text_columns
            }


def test_no_two_rows_of_a_study_have_the_same_key():
    study = small_study(SEGMENTS, design={"participants_per_batch": 3})
    books = layouts(study, drawn(study))
    keys = [row.key for book in books for sheet in book.sheets for row in sheet.rows]
    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize(
    ("language", "known", "right_to_left"),
    [
        ("en", "en", False),
        ("ar-EG", "ar-EG", True),
        ("zh-Hant", "zh-Hant", False),
        ("tlh", "en", False),
    ],
)
def test_a_language_without_texts_is_shown_in_english(language, known, right_to_left):
    words = WorkbookWords(language)
    assert (words.language, words.is_right_to_left) == (known, right_to_left)
    assert "input" in words


@given(st.text())
def test_a_cell_can_hold_any_text(text):
    shown = cell_text(text)
    assert "\r" not in shown
    assert all(letter in "\t\n" or letter >= " " for letter in shown)
    assert cell_text(shown) == shown


def test_choices_are_named_in_one_line():
    assert Choices({}, (0.0, 100.0)).in_words == "0–100"
    assert Choices({"1": 1.0, "1.5": 1.5}).in_words == "1, 1.5"
    assert Choices({"a": "A", "tie": "same"}).in_words == "A, same"
