"""Every mistake in a returned workbook is found, named and sent back; everything else is kept."""

from __future__ import annotations

import datetime as dt
import io
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import openpyxl
import pytest

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
from judged_study import (
    BEST_WORST,
    PAIRWISE,
    RANKING,
    RATING,
    SEGMENTS,
    SLIDER,
    drawn,
    small_study,
)
from rejudge.design.plan import Plan
from rejudge.errors import FileError
from rejudge.exchange.workbooks.layout import ParticipantWorkbook
from rejudge.judgments.answers import Answer, tabulate
from rejudge.study.model import Study


@dataclass(frozen=True)
class Made:
    """A study and its workbooks, the first of them filled in."""

    study: Study
    plan: Plan
    layout: ParticipantWorkbook
    answers: list[Answer]
    files: dict[str, bytes]


_MADE: dict[str, Made] = {}  # writing workbooks takes longer than reading them


def fill_once(*questions: dict[str, Any], **parts: Any) -> Made:
    """The same for the same study."""
    key = repr((questions, parts))
    if key not in _MADE:
        study = small_study(*questions, **parts)
        plan = drawn(study)
        layout = layouts(study, plan)[0]
        answers = simulated(study, plan, layout)
        with tempfile.TemporaryDirectory() as folder:
            paths = export(Path(folder), study, plan)
            fill(paths[0], layout, answers)
            files = {path.name: path.read_bytes() for path in paths}
        _MADE[key] = Made(study, plan, layout, answers, files)
    return _MADE[key]


class Filled:
    """One participant's workbook, filled in completely."""

    def __init__(self, folder: Path, *questions: dict[str, Any], **parts: Any) -> None:
        alone = {"participants_per_batch": 1, **parts.pop("design", {})}
        made = fill_once(*questions, inputs=6, design=alone, **parts)
        self.study, self.plan, self.layout = made.study, made.plan, made.layout
        self.answers, self.sheet = made.answers, made.layout.sheets[0]
        self.path, *self.others = [folder / name for name in made.files]
        for name, content in made.files.items():
            (folder / name).write_bytes(content)
        self.book = openpyxl.load_workbook(self.path)
        self.tab = tab_of(self.book, self.sheet)

    def cell(self, row: int, column: str):
        return cell_at(self.tab, self.sheet.rows[row].key, column)

    def line(self, row: int) -> int:
        return line_of(self.tab, self.sheet.rows[row].key)

    def imported(self, *more: Path):
        self.book.save(self.path)
        return read(self.study, self.plan, self.path, *more)

    def without(self, *tasks: str, question: str | None = None):
        """The judgments of all answers but those to some tasks."""
        kept = [
            each
            for each in self.answers
            if each.task not in tasks or (question and each.question != question)
        ]
        return rows_of(tabulate(self.study, self.plan, kept))

    def task(self, row: int) -> str:
        return self.sheet.rows[row].task.id


@pytest.fixture
def rated(tmp_path):
    return Filled(tmp_path, RATING)


WRONG_CELLS = {
    "empty": (None, "there is no answer."),
    "blanks": (" \u200b ", "there is no answer."),
    "too large": (6, "'6' is not on the scale."),
    "between two points": (2.5, "'2.5' is not on the scale."),
    "negative": (-1, "'-1' is not on the scale."),
    "a word": ("good", "'good' is not a number."),
    "a word with a number": ("about 3", "'about 3' is not a number."),
    "two scores": ("3,4", "there are 2 scores in one cell: '3,4'."),
    "two scores, full width": ("３，4", "there are 2 scores in one cell: '３，4'."),
    "two scores, ideographic comma": ("3、4、5", "there are 3 scores in one cell: '3、4、5'."),
    "two scores, slash": ("3/4", "there are 2 scores in one cell: '3/4'."),
    "a decimal comma between points": ("2,5", "there are 2 scores in one cell: '2,5'."),
    "a date": (
        dt.datetime(2026, 4, 3),  # noqa: DTZ001 - as a spreadsheet keeps it
        "the spreadsheet turned the answer into a date (2026-04-03).",
    ),
    "a time": (dt.time(3, 4), "the spreadsheet turned the answer into a date (03:04:00)."),
    "a formula": ("=1+2", "the cell has a formula: =1+2"),
    "an error": ("#REF!", "'#REF!' is not a number."),
    "a truth value": (True, "'True' is not a number."),
}


OF_EACH_SORT = {"empty", "between two points", "a word", "two scores", "a date", "a formula"}


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        pytest.param(*case, id=name, marks=() if name in OF_EACH_SORT else pytest.mark.slow)
        for name, case in WRONG_CELLS.items()
    ],
)
def test_a_wrong_cell_is_rejected_and_the_others_are_kept(rated, value, reason):
    rated.cell(2, "fluency").value = value
    imported = rated.imported()
    (found,) = imported.rejected
    assert found.reason == reason
    assert (found.file, found.row, found.participant) == ("p0001.xlsx", rated.line(2), "p0001")
    assert found.column == "E (fluency)"
    assert found.remedy
    assert rows_of(imported.judgments) == rated.without(rated.task(2))


def test_repaired_numbers_are_noted(rated):
    rated.cell(1, "fluency").value = "３"
    assert rated.imported().notes == (
        "p0001.xlsx: numbers typed as text were read as numbers in 1 cell.",
    )


@pytest.mark.parametrize(
    "value", ["A", "a", "Ａ", " a ", "about the same", "tie", "ABOUT THE SAME"]
)
def test_a_choice_is_understood_however_it_was_typed(tmp_path, value):
    made = Filled(tmp_path, PAIRWISE)
    made.cell(0, "meaning").value = value
    assert made.imported().rejected == ()


@pytest.mark.parametrize("value", ["C", "A,B", 1, "both"])
def test_what_is_not_a_choice_is_rejected(tmp_path, value):
    made = Filled(tmp_path, PAIRWISE)
    made.cell(0, "meaning").value = value
    (found,) = made.imported().rejected
    assert found.reason == f"'{value}' is not one of the answers."
    assert found.remedy == "Choose one of: A, B, about the same."


def test_a_slider_out_of_range_is_rejected(tmp_path):
    made = Filled(tmp_path, SLIDER)
    made.cell(0, "ease").value = 101
    made.cell(1, "ease").value = 0
    (found,) = made.imported().rejected
    assert (found.reason, found.remedy) == (
        "'101' is not on the scale.",
        "Choose one of: 0–100.",
    )


def test_the_best_and_the_worst_differ(tmp_path):
    made = Filled(tmp_path, BEST_WORST)
    made.cell(0, "best:best").value = made.cell(0, "best:worst").value = "B"
    imported = made.imported()
    (found,) = imported.rejected
    assert found.reason == "the best and the worst are the same."
    assert rows_of(imported.judgments) == made.without(made.task(0))


def test_a_ranking_uses_every_place_once(tmp_path):
    made = Filled(tmp_path, RANKING)
    for letter in "abc":
        made.cell(0, f"rank:{letter}").value = 1
    (found,) = made.imported().rejected
    assert found.reason == "a place is given twice or left out."
    assert found.value == "1, 1, 1"


def test_half_an_answer_waits_for_the_rest(tmp_path):
    made = Filled(tmp_path, RANKING)
    made.cell(0, "rank:b").value = None
    imported = made.imported()
    (found,) = imported.rejected
    assert (found.reason, found.column) == ("there is no answer.", "H (rank:b)")
    (note,) = imported.notes
    assert note.startswith("p0001.xlsx: the judgments lack 2 good cells, because another cell of")


# ── rows, columns and sheets ─────────────────────────────────────────────────────────────────────


def test_a_sentence_without_a_score_keeps_back_that_text_only(tmp_path):
    made = Filled(tmp_path, SEGMENTS, RATING)
    sentence = next(n for n, row in enumerate(made.sheet.rows) if "facts" in row.cells)
    made.cell(sentence, "facts").value = None
    imported = made.imported()
    (found,) = imported.rejected
    assert found.row == made.line(sentence)
    assert rows_of(imported.judgments) == made.without(made.task(sentence), question="facts")


def test_a_score_where_nothing_is_asked_is_reported(tmp_path):
    made = Filled(tmp_path, SEGMENTS, RATING)
    whole = next(n for n, row in enumerate(made.sheet.rows) if "facts" not in row.cells)
    made.cell(whole, "facts").value = 2
    imported = made.imported()
    (found,) = imported.rejected
    assert found.reason == "there is an answer ('2') where nothing is asked."
    assert rows_of(imported.judgments) == made.without()


def test_reordered_rows_are_read_by_their_keys(rated):
    tab, first, last = rated.tab, rated.line(0), rated.line(len(rated.sheet.rows) - 1)
    rows = [[cell.value for cell in row] for row in tab.iter_rows(first, last)]
    for line, values in enumerate(reversed(rows), start=first):
        for place, value in enumerate(values, start=1):
            tab.cell(line, place).value = value
    imported = rated.imported()
    assert imported.rejected == ()
    assert imported.notes == ("p0001.xlsx: rows were moved; they were found by their hidden keys.",)
    assert rows_of(imported.judgments) == rated.without()


def test_a_deleted_row_is_missed(rated):
    rated.tab.delete_rows(rated.line(3))
    imported = rated.imported()
    (found,) = imported.rejected
    assert found.reason == "the row of task 4 was deleted."
    assert rows_of(imported.judgments) == rated.without(rated.task(3))


def test_an_edited_text_keeps_back_the_answers_to_its_task(rated):
    rated.cell(1, "text:a").value = "Something else altogether."
    imported = rated.imported()
    (found,) = imported.rejected
    assert (found.reason, found.column) == ("the text was changed.", "D (text:a)")
    assert found.value == "Something else altogether."
    assert rows_of(imported.judgments) == rated.without(rated.task(1))


def test_changes_of_white_space_do_not_matter(rated):
    rated.cell(1, "text:a").value = f"  {rated.cell(1, 'text:a').value.replace(' ', '  ')}\n"
    assert rated.imported().rejected == ()


def test_merged_cells_are_reported_once(rated):
    top, letter = rated.line(1), "E"
    rated.tab.merge_cells(f"{letter}{top}:{letter}{top + 2}")
    imported = rated.imported()
    (found,) = imported.rejected
    assert (found.row, found.value) == (top, f"E{top}:E{top + 2}")
    assert rows_of(imported.judgments) == rated.without(*map(rated.task, (1, 2, 3)))


def copy_row(filled: Filled, row: int) -> int:
    target = filled.tab.max_row + 1
    for cell in filled.tab[filled.line(row)]:
        filled.tab.cell(target, cell.column).value = cell.value
    return target


def test_a_copied_row_is_reported_and_counts_once(rated):
    line = copy_row(rated, 2)
    imported = rated.imported()
    (found,) = imported.rejected
    assert found.row == line
    assert found.reason == f"this row is a copy of row {rated.line(2)}."
    assert rows_of(imported.judgments) == rated.without()


def test_two_copies_of_a_row_that_differ_count_for_nothing(rated):
    line = copy_row(rated, 2)
    cell = rated.tab.cell(line, column_of(rated.tab, "fluency"))
    cell.value = 1 if cell.value != 1 else 2
    imported = rated.imported()
    assert len(imported.rejected) == 1
    assert rows_of(imported.judgments) == rated.without(rated.task(2))


def test_a_row_of_somebody_elses_workbook_is_a_stranger(rated):
    line = copy_row(rated, 2)
    rated.tab.cell(line, 1).value = "0123456789ab"
    (found,) = rated.imported().rejected
    assert found.reason == "this row does not belong to the workbook."


def test_an_answer_in_a_new_row_is_a_stranger(rated):
    line = rated.tab.max_row + 3
    rated.tab.cell(line, column_of(rated.tab, "fluency")).value = 4
    (found,) = rated.imported().rejected
    assert (found.row, found.value) == (line, "4")


def test_inserted_rows_and_columns_do_not_matter(rated):
    rated.tab.insert_cols(1)
    rated.tab.insert_rows(1)
    imported = rated.imported()
    assert imported.rejected == ()
    assert rows_of(imported.judgments) == rated.without()


def test_further_sheets_and_columns_are_listed(rated):
    rated.book.create_sheet("My notes")["A1"] = "tired"
    rated.book.create_sheet("Empty")
    rated.tab.cell(rated.line(0), rated.tab.max_column + 2).value = "unsure"
    imported = rated.imported()
    assert imported.unmapped == (
        "column G of 'Tasks' in p0001.xlsx",
        "the sheet 'My notes' of p0001.xlsx",
    )
    assert imported.rejected == ()


def test_a_deleted_column_is_one_problem(tmp_path):
    made = Filled(tmp_path, RATING, SLIDER)
    made.tab.delete_cols(column_of(made.tab, "ease"))
    imported = made.imported()
    (found,) = imported.rejected
    assert (found.reason, found.column) == ("the column was deleted.", "(ease)")
    every = [row.task.id for row in made.sheet.rows]
    assert rows_of(imported.judgments) == made.without(*every, question="ease")


def test_a_sheet_that_is_not_begun_or_gone_is_one_problem(tmp_path):
    made = Filled(tmp_path, RATING, design={"batches_per_participant": 2})
    second, key = made.layout.sheets[1], "fluency"
    tab = tab_of(made.book, second)
    for row in second.rows:
        cell_at(tab, row.key, key).value = None
    (found,) = made.imported().rejected
    assert (found.reason, found.column) == ("nothing is answered on this sheet yet.", "Part 2")
    made.book.remove(tab)
    (found,) = made.imported().rejected
    assert (found.reason, found.column) == ("the sheet was deleted.", "Part 2")


# ── several files ────────────────────────────────────────────────────────────────────────────────


def test_the_same_file_twice_is_read_once(rated, tmp_path):
    rated.book.save(rated.path)
    copy = shutil.copy(rated.path, tmp_path / "p0001 (1).xlsx")
    imported = read(rated.study, rated.plan, rated.path, Path(copy))
    assert imported.notes == ("p0001 (1).xlsx is the same file as p0001.xlsx; it was read once.",)
    assert rows_of(imported.judgments) == rated.without()


def test_two_files_of_one_participant_complete_each_other(rated, tmp_path):
    other = tmp_path / "second.xlsx"
    rated.book.save(other)
    rated.cell(0, "fluency").value = None
    rated.cell(1, "fluency").value = 17
    imported = rated.imported(other)
    assert imported.rejected == ()
    assert imported.notes == ("p0001.xlsx and second.xlsx are of p0001 and were read as one.",)
    assert rows_of(imported.judgments) == rated.without()


def test_where_two_files_of_one_participant_differ_neither_counts(rated, tmp_path):
    other = tmp_path / "second.xlsx"
    rated.book.save(other)
    cell = rated.cell(0, "fluency")
    before = int(cell.value)
    cell.value = after = 1 if before != 1 else 2
    imported = rated.imported(other)
    (found,) = imported.rejected
    assert found.value == " / ".join(map(str, sorted((before, after))))
    assert rows_of(imported.judgments) == rated.without(rated.task(0))


def test_a_workbook_without_any_answer_is_refused(rated):
    with pytest.raises(FileError, match=r"no answer that can be used") as caught:
        read(rated.study, rated.plan, *rated.others)
    assert len(caught.value.problems) == 1 + len(rated.others)


# ── what goes back ───────────────────────────────────────────────────────────────────────────────


def test_a_copy_to_correct_has_all_answers_and_notes_in_the_wrong_cells(rated):
    rated.cell(0, "fluency").value = None
    rated.cell(1, "fluency").value = 9
    rated.cell(2, "text:a").value = "edited"
    kept = rated.cell(3, "fluency").value
    files = rated.imported().files
    assert set(files) == {"to-correct/p0001.xlsx", "to-correct/p0001.txt"}
    copy = openpyxl.load_workbook(io.BytesIO(files["to-correct/p0001.xlsx"]))
    tab = tab_of(copy, rated.sheet)
    at = [cell_at(tab, row.key, "fluency") for row in rated.sheet.rows]
    assert at[0].comment.text == "There is no answer. Choose one of: 1, 2, 3, 4, 5."
    assert (at[1].value, at[1].comment.text[:22]) == (9, "'9' is not on the scal")
    assert (at[2].comment, at[3].comment, at[3].value) == (None, None, kept)
    text = cell_at(tab, rated.sheet.rows[2].key, "text:a")
    assert text.comment is not None
    assert text.value == rated.sheet.rows[2].texts["text:a"]


def test_the_list_for_the_participant_says_where_and_why(rated):
    rated.cell(1, "fluency").value = 9
    listed = rated.imported().files["to-correct/p0001.txt"].decode()
    head, how, _, entry = listed.splitlines()
    assert head == "To correct in p0001.xlsx: 1"
    assert "The file p0001.xlsx has all of them, with these cells in red." in how
    place = f"Tasks, row {rated.line(1)}, column E"
    assert entry == f"1. {place}: '9' is not on the scale. Choose one of: 1, 2, 3, 4, 5."


def test_the_list_is_in_the_language_of_the_study(tmp_path):
    made = Filled(tmp_path, RATING, language="zh")
    made.cell(1, "fluency").value = 9
    imported = made.imported()
    assert (
        "“9”不在量表范围内。请填：1, 2, 3, 4, 5。"
        in imported.files["to-correct/p0001.txt"].decode()
    )
    assert imported.rejected[0].reason == "'9' is not on the scale."


def test_a_corrected_copy_is_imported_like_the_original(rated):
    wanted = {row: rated.cell(row, "fluency").value for row in (0, 1, 2)}
    rated.cell(0, "fluency").value = "=1"
    rated.cell(1, "fluency").value = 9
    rated.cell(2, "text:a").value = "edited"
    rated.tab.delete_rows(rated.line(4))
    first = rated.imported()
    rated.path.write_bytes(first.files["to-correct/p0001.xlsx"])
    rated.book = openpyxl.load_workbook(rated.path)
    rated.tab = tab_of(rated.book, rated.sheet)
    for row in (0, 1):
        rated.cell(row, "fluency").value = wanted[row]
    gone = next(a for a in rated.answers if a.task == rated.task(4))
    rated.cell(4, "fluency").value = float(gone.raw)
    again = rated.imported()
    assert again.rejected == ()
    assert again.files == {}
    assert rows_of(again.judgments) == rated.without()


def test_importing_the_same_again_gives_the_same_files(rated):
    rated.cell(1, "fluency").value = 9
    once, again = rated.imported(), read(rated.study, rated.plan, rated.path)
    assert once.files == again.files
    assert once.rejected == again.rejected
