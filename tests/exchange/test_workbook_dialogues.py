"""A study in the shape of a published one that was run in spreadsheets (Ito et al. 2023).

100 dialogues, two summaries each by four systems, three criteria, scores for every sentence. The
authors had to ask participants to correct their files again and again, because scores and
sentences did not match. Here one file has every mistake that people make.
"""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import openpyxl
import pytest
from openpyxl.cell import MergedCell
from openpyxl.utils import get_column_letter

from filled_workbooks import (
    cell_at,
    column_of,
    export,
    fill,
    layouts,
    line_of,
    read,
    rows_of,
    simulated,
    tab_of,
)
from rejudge.design.draw import draw
from rejudge.exchange.workbooks.layout import TaskSheet
from rejudge.judgments.answers import tabulate
from rejudge.starters.folders import folder_files
from rejudge.study.parse import parse

pytestmark = pytest.mark.slow
CRITERIA = ("informativeness", "non-redundancy", "fluency")


@pytest.fixture(scope="module")
def dialogues(tmp_path_factory):
    """The study, its plan, and the workbooks of its three participants, all filled in."""
    files = folder_files("dialogue-summaries")
    study = parse(files["study.yaml"].decode(), files.__getitem__)
    plan = draw(study)
    people = ["李雷", "韩梅梅", "Robin"]
    paths = export(tmp_path_factory.mktemp("dialogues"), study, plan, people)
    books = layouts(study, plan, people)
    answers = [simulated(study, plan, book) for book in books]
    for path, book, said in zip(paths, books, answers, strict=True):
        fill(path, book, said)
    return study, plan, paths, books, answers


def test_all_scores_of_all_sentences_come_back(dialogues):
    study, plan, paths, books, answers = dialogues
    assert [len(book.sheets) for book in books] == [2, 2, 2]  # 10 shared dialogues, then 30
    imported = read(study, plan, *paths)
    assert imported.rejected == ()
    every = [answer for said in answers for answer in said]
    assert rows_of(imported.judgments) == rows_of(tabulate(study, plan, every))


TYPED = {  # what is in the cell for fluency of a task, and what is said of it
    0: (None, "there is no answer."),
    1: (3, "'3' is not on the scale."),
    2: ("好", "'好' is not a number."),
    3: ("２，１", "there are 2 scores in one cell: '２，１'."),
    4: ("1,5", "there are 2 scores in one cell: '1,5'."),
    5: ("2 1 0", "there are 3 scores in one cell: '2 1 0'."),
    6: (
        dt.datetime(2026, 3, 4),  # noqa: DTZ001 - as a spreadsheet keeps it
        "the spreadsheet turned the answer into a date (2026-03-04).",
    ),
    7: ("=A1+1", "the cell has a formula: =A1+1"),
    8: ("#N/A", "'#N/A' is not a number."),
}


class Damaged:
    """A workbook with one mistake of every kind, the rows and reasons to be found, and the
    answers that are lost: tasks and questions."""

    def __init__(self, path: Path, sheet: TaskSheet) -> None:
        self.book = openpyxl.load_workbook(path)
        self.sheet = sheet
        self.tab = tab_of(self.book, sheet)
        self.blocks = list(sheet.blocks())
        self.column = column_of(self.tab, "fluency")
        self.expected: set[tuple[int | None, str]] = set()
        self.lost: set[tuple[str, str]] = set()

    def task(self, number: int) -> str:
        return self.blocks[number][0].task.id

    def key(self, number: int) -> str:
        """The first row of a task in which the fluency of a sentence is scored."""
        return next(row.key for row in self.blocks[number] if "fluency" in row.cells)

    def type_wrong_answers(self) -> None:
        for task, (value, reason) in TYPED.items():
            cell = cell_at(self.tab, self.key(task), "fluency")
            cell.value = value
            self.expected.add((cell.row, reason))
            self.lost.add((self.task(task), "fluency"))

    def give_one_score_too_many(self, task: int) -> None:
        key = next(row.key for row in self.blocks[task] if "fluency" not in row.cells)
        cell_at(self.tab, key, "fluency").value = 2
        reason = "there is an answer ('2') where nothing is asked."
        self.expected.add((line_of(self.tab, key), reason))

    def edit_text(self, task: int) -> None:
        cell = cell_at(self.tab, self.blocks[task][0].key, "text:a")
        cell.value = "改过的摘要。"
        self.expected.add((cell.row, "the text was changed."))
        self.lost |= {(self.task(task), question) for question in CRITERIA}

    def merge_with_next(self, task: int) -> None:
        top, letter = line_of(self.tab, self.key(task)), get_column_letter(self.column)
        self.tab.merge_cells(f"{letter}{top}:{letter}{top + 1}")
        reason = "cells were merged ({}), so it is unclear which answer belongs where."
        self.expected.add((top, reason.format(f"{letter}{top}:{letter}{top + 1}")))
        lines = {line_of(self.tab, row.key): row.task.id for row in self.sheet.rows}
        self.lost |= {(lines[line], "fluency") for line in (top, top + 1)}

    def paste_row_below(self, task: int) -> None:
        line, last = line_of(self.tab, self.key(task)), self.tab.max_row + 1
        for cell in self.tab[line]:
            self.tab.cell(last, cell.column).value = cell.value
        self.expected.add((last, f"this row is a copy of row {line}."))

    def add_row(self) -> None:
        last = self.tab.max_row + 1
        self.tab.cell(last, self.column).value = 2
        self.expected.add((last, "this row does not belong to the workbook."))

    def delete_row(self, task: int) -> None:
        """Empty a row, its hidden key too; openpyxl cannot delete one among merged cells."""
        for cell in self.tab[line_of(self.tab, self.key(task))]:
            if not isinstance(cell, MergedCell):
                cell.value = None
        self.expected.add((None, f"the row of task {task + 1} was deleted."))
        self.lost |= {(self.task(task), "fluency"), (self.task(task), "non-redundancy")}

    def swap_rows(self, one: int, other: int) -> None:
        first, second = (self.tab[line_of(self.tab, self.key(task))] for task in (one, other))
        for a, b in zip(first, second, strict=True):
            if MergedCell not in {type(a), type(b)}:
                a.value, b.value = b.value, a.value

    def type_full_width(self, task: int) -> None:
        cell = cell_at(self.tab, self.key(task), "fluency")
        cell.value = chr(ord("０") + int(cell.value))


def test_every_kind_of_mistake_is_found_and_nothing_else(dialogues, tmp_path):
    study, plan, paths, books, answers = dialogues
    made = Damaged(paths[0], books[0].sheets[1])
    made.type_wrong_answers()
    made.give_one_score_too_many(9)
    made.edit_text(10)
    made.merge_with_next(11)
    made.paste_row_below(12)
    made.add_row()
    made.swap_rows(13, 14)
    made.delete_row(15)
    made.type_full_width(20)
    made.book.create_sheet("笔记")["A1"] = "累"
    path = tmp_path / paths[0].name
    made.book.save(path)
    imported = read(study, plan, path, *paths[1:])
    assert {(each.row, each.reason) for each in imported.rejected} == made.expected
    assert len(imported.rejected) == len(made.expected) == 15
    assert {each.participant for each in imported.rejected} == {"p0001"}
    assert imported.unmapped == ("the sheet '笔记' of 李雷.xlsx",)
    assert [note.partition(": ")[2][:17] for note in imported.notes] == [
        "rows were moved; ", "numbers typed as ", "the judgments lac",
    ]  # fmt: skip
    corrections = {"to-correct/李雷.xlsx", "to-correct/李雷.txt"}
    assert set(imported.files) == {*corrections, "consent.csv"}
    kept = [
        answer
        for said in answers
        for answer in said
        if answer.participant != "p0001" or (answer.task, answer.question) not in made.lost
    ]
    assert rows_of(imported.judgments) == rows_of(tabulate(study, plan, kept))
