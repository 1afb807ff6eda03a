"""How a workbook looks and behaves for the person who opens it."""

from __future__ import annotations

import io
import subprocess
import sys
from dataclasses import replace

import openpyxl
import pytest

from filled_workbooks import cell_at, opened, with_texts
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
from rejudge.exchange.workbooks.format import FORMAT
from rejudge.exchange.workbooks.sheets import FIRST_ROW
from rejudge.study.model import Study


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


@pytest.mark.slow
def test_the_same_study_gives_the_same_bytes_in_another_process():
    program = (
        "import hashlib\n"
        "from judged_study import EVERY_KIND, drawn, small_study\n"
        "from rejudge.exchange.workbooks.format import FORMAT\n"
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


def test_the_definition_of_a_question_is_a_note_in_its_head():
    _, _, tab = opened(small_study({**RATING, "definition": "Reads well."}))
    assert [cell.comment.text for cell in tab[3] if cell.comment] == ["Reads well."]
