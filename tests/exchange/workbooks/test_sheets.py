"""How a workbook looks and behaves for the person who opens it."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from dataclasses import replace

import openpyxl
import pytest

from filled_workbooks import cell_at, layouts, tab_of
from judged_study import (
    BEST_WORST,
    EVERY_KIND,
    PAIRWISE,
    RANKING,
    RATING,
    SEGMENTS,
    SLIDER,
    checked_study,
    drawn,
    small_study,
)
from rejudge.errors import DesignError, UsageError
from rejudge.exchange.workbooks import FORMAT
from rejudge.exchange.workbooks.layout import WorkbookWords, _catalogue, choices_of
from rejudge.exchange.workbooks.sheets import FIRST_ROW
from rejudge.exchange.workbooks.sizes import TALLEST
from rejudge.study import Study
from toy_kind.yes_no import YesNo


def opened(study, people=()):
    """The first workbook of a study, with its layout."""
    plan = drawn(study)
    files = FORMAT.write(study, plan, people=people).files
    book = openpyxl.load_workbook(io.BytesIO(next(iter(files.values()))))
    layout = layouts(study, plan, people)[0]
    return book, layout, tab_of(book, layout.sheets[0])


def with_texts(study: Study, *texts: str) -> Study:
    """The study with these outputs."""
    items = tuple(
        replace(item, input=texts[0], outputs=tuple(texts[n % len(texts)] for n in range(3)))
        for item in study.items
    )
    return Study(spec=study.spec, items=items, pages=study.pages)


@pytest.mark.parametrize("question", EVERY_KIND, ids=lambda q: q["kind"])
def test_only_answer_cells_can_be_changed(question):
    _, layout, tab = opened(small_study(question))
    sheet = layout.sheets[0]
    assert tab.protection.sheet
    unlocked = {
        cell.coordinate for row in tab.iter_rows() for cell in row if not cell.protection.locked
    }
    asked = {cell_at(tab, row.key, c).coordinate for row in sheet.rows for c in row.cells}
    assert unlocked == asked
    assert unlocked


def test_sheets_cannot_be_moved_or_deleted_and_ids_are_hidden():
    book, layout, tab = opened(small_study(RATING))
    assert book.security.lockStructure
    assert tab.column_dimensions["A"].hidden
    assert tab.row_dimensions[1].hidden
    assert book["rejudge"].sheet_state == "veryHidden"
    assert tab.freeze_panes == f"C{FIRST_ROW}"
    assert len({row.key for row in layout.sheets[0].rows}) == len(layout.sheets[0].rows)


@pytest.mark.parametrize(
    ("question", "listed"),
    [
        (RATING, [1, 2, 3, 4, 5]),
        (PAIRWISE, ["A", "B", "about the same"]),
        (BEST_WORST, ["A", "B", "C"]),
        (RANKING, [1, 2, 3]),
        (SEGMENTS, [0, 1, 2]),
    ],
    ids=lambda given: given["kind"] if isinstance(given, dict) else "",
)
def test_cells_offer_the_answers_of_their_question(question, listed):
    book, layout, tab = opened(small_study(question))
    validations = tab.data_validations.dataValidation
    assert len(validations) == len(layout.sheets[0].answer_columns)
    for each in validations:
        title, cells = each.formula1.split("!")
        offered = [row[0].value for row in book[title][cells.replace("$", "")]]
        assert (each.type, offered) == ("list", listed)


def test_a_slider_takes_numbers_in_its_range():
    _, _, tab = opened(small_study(SLIDER))
    (validation,) = tab.data_validations.dataValidation
    assert validation.type == "decimal"
    assert (validation.formula1, validation.formula2) == ("0", "100")


def test_progress_is_counted_over_all_answer_cells():
    _, layout, tab = opened(small_study(RATING, SLIDER))
    wanted = sum(len(row.cells) for row in layout.sheets[0].rows)
    assert tab["B2"].value == f'=""&COUNTA($E$5:$F${4 + wanted // 2})&" of {wanted} cells answered"'


def test_nothing_in_the_file_names_a_system_a_check_or_an_item():
    study = checked_study(PAIRWISE, design={"repeats": {"share": 0.3}})
    items = tuple(
        replace(item, outputs=tuple(f"Output {n} of {item.line}" for n in range(3)))
        for item in study.items
    )
    study = Study(spec=study.spec, items=items, pages={})
    plan = drawn(study)
    content = next(iter(FORMAT.write(study, plan, people=()).files.values()))
    book = openpyxl.load_workbook(io.BytesIO(content))
    cells = [str(cell.value) for tab in book for row in tab.iter_rows() for cell in row]
    said = "\n".join(cells).casefold()
    for secret in (*study.system_ids, "gold", "check", "repeat", "i1", "i12"):
        assert secret not in said.split()
    assert not any(name in said for name in ("ash", "beech", "cedar"))


def test_texts_that_look_like_formulas_stay_texts():
    texts = ("=1+1", "+2", "-3", "@sum", "=cmd|' /C calc'!A0")
    _, layout, tab = opened(with_texts(small_study(RATING), *texts))
    shown = [cell_at(tab, row.key, "text:a") for row in layout.sheets[0].rows]
    assert {cell.data_type for cell in shown} == {"s"}
    assert {cell.value for cell in shown} <= set(texts)
    assert all(cell.quotePrefix for cell in shown)


def test_a_sheet_in_a_right_to_left_language_begins_on_the_right():
    book, _, tab = opened(small_study(RATING, language="ar"))
    assert tab.sheet_view.rightToLeft
    assert book.worksheets[0].sheet_view.rightToLeft
    assert tab["B3"].value == "الرقم"


def test_a_long_text_gets_as_many_rows_as_it_needs():
    long = "A sentence that goes on for a while. " * 400
    _, _, tab = opened(with_texts(small_study(SLIDER), long, "Short.", "Shorter."))
    heights = [row.height for row in tab.row_dimensions.values() if row.height]
    assert max(heights) <= TALLEST
    assert any(each.max_row > each.min_row >= FIRST_ROW for each in tab.merged_cells.ranges)


def test_a_text_that_no_cell_can_hold_is_refused():
    study = with_texts(small_study(SLIDER), "x" * 40_000)
    with pytest.raises(DesignError, match=r"has a text of 40,000 characters"):
        FORMAT.write(study, drawn(study), people=())


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


@pytest.mark.slow
def test_the_same_study_gives_the_same_bytes_in_another_process():
    program = (
        "import hashlib\n"
        "from judged_study import EVERY_KIND, drawn, small_study\n"
        "from rejudge.exchange.workbooks import FORMAT\n"
        "study = small_study(*EVERY_KIND)\n"
        "files = FORMAT.write(study, drawn(study), people=()).files\n"
        "print(hashlib.sha256(b''.join(files.values())).hexdigest())\n"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True, text=True, check=True,
            env={"PYTHONPATH": ":".join(sys.path), "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    ]  # fmt: skip
    assert runs[0] == runs[1]


def test_every_language_has_every_text():
    known = _catalogue()
    assert {tuple(sorted(texts)) for texts in known.values()} == {tuple(sorted(known["en"]))}


def test_a_kind_from_elsewhere_offers_its_own_words():
    question = YesNo(kind="yes-no", id="true", prompt="Is it true?")
    assert choices_of(question, 1, WorkbookWords("en")).shown == {"no": "no", "yes": "yes"}


# ── who gets what ────────────────────────────────────────────────────────────────────────────────


def test_people_are_named_in_a_private_list_and_in_file_names_only():
    study = small_study(RATING)
    plan = drawn(study)
    names = ["Ada/Lovelace", "ada-lovelace", "李雷", "../../etc"]
    exported = FORMAT.write(study, plan, people=names)
    assert list(exported.files) == [
        "Ada-Lovelace.xlsx", "ada-lovelace-2.xlsx", "李雷.xlsx", "etc.xlsx", "codes.csv",
    ]  # fmt: skip
    assert exported.files["codes.csv"].decode().splitlines()[:2] == [
        "name,participant,file",
        "Ada/Lovelace,p0001,Ada-Lovelace.xlsx",
    ]
    assert any("cover 4 of 12 places" in note for note in exported.notes)


def test_whoever_is_listed_by_number_keeps_it():
    study = small_study(RATING)
    plan = drawn(study)
    books = layouts(study, plan, ["Ada", "p0001", "p0009"])
    assert [(b.recipient.number, b.recipient.name) for b in books] == [(2, "Ada"), (1, ""), (9, "")]
    alone = FORMAT.write(study, plan, people=["p0009"]).files
    every = FORMAT.write(study, plan, people=()).files
    assert alone == {"p0009.xlsx": every["p0009.xlsx"]}


def test_the_definition_of_a_question_is_a_note_in_its_head():
    _, _, tab = opened(small_study({**RATING, "definition": "Reads well."}))
    assert [cell.comment.text for cell in tab[3] if cell.comment] == ["Reads well."]


def test_more_people_than_needed_share_the_batches():
    study = small_study(RATING, design={"batches_per_participant": 4})
    plan = drawn(study)
    names = [f"n{n}" for n in range(plan.places)]
    assert plan.people < len(names)
    books = layouts(study, plan, names)
    assert [len(book.sheets) for book in books] == [1] * plan.places


def test_more_people_than_places_are_refused():
    study = small_study(RATING)
    plan = drawn(study)
    with pytest.raises(UsageError, match=r"13 people were given, but the plan has places for 12"):
        FORMAT.write(study, plan, people=[f"n{n}" for n in range(13)])


def test_every_place_of_the_plan_is_given_once():
    study = small_study(RATING, design={"batches_per_participant": 2, "participants_per_batch": 2})
    plan = drawn(study)
    given = [seat for book in layouts(study, plan) for seat in book.recipient.seats]
    wanted = [(b.id, seat) for b in plan.batches for seat in range(b.participants)]
    assert sorted(given) == sorted(wanted)


def test_the_marker_says_nothing_but_whose_workbook_it_is():
    book, _, _ = opened(small_study(RATING))
    said = json.loads(book["rejudge"]["A2"].value)
    assert set(said) == {"study", "plan", "design", "number", "seats", "name", "consent"}
