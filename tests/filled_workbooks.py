"""Workbooks as participants send them back: exported, filled in, and sometimes damaged."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl

from judged_study import drawn
from rejudge.design.plan import Plan
from rejudge.exchange.workbooks.format import FORMAT, assign
from rejudge.exchange.workbooks.layout import ParticipantWorkbook, TaskSheet, lay_out
from rejudge.exchange.workbooks.pages import CONSENT_MARK
from rejudge.judgments.answers import Answer
from rejudge.judgments.table import Judgments
from rejudge.simulate.people import Crowd, Seat
from rejudge.study.model import Study

KEY_COLUMN = 1


def export(folder: Path, study: Study, plan: Plan, people: Sequence[str] = ()) -> list[Path]:
    """The workbooks of a plan as files."""
    folder.mkdir(parents=True, exist_ok=True)
    files = FORMAT.write(study, plan, people=people).files
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return [folder / name for name in files if name.endswith(".xlsx")]


def layouts(study: Study, plan: Plan, people: Sequence[str] = ()) -> list[ParticipantWorkbook]:
    """What the exported workbooks hold, in their order."""
    return [lay_out(study, plan, each) for each in assign(plan, people)]


def simulated(study: Study, plan: Plan, book: ParticipantWorkbook, seed: int = 1) -> list[Answer]:
    """The answers of a simulated participant to a workbook; a workbook knows no times."""
    crowd = Crowd(study, plan, rng=np.random.default_rng(seed + book.recipient.number))
    person = crowd.person(book.recipient.code)
    seats = (Seat(plan.batch[batch], number) for batch, number in book.recipient.seats)
    return [plain(answer) for seat in seats for answer in person.answers(seat)]


def plain(answer: Answer) -> Answer:
    """An answer with what a workbook tells: whose it is, to what, at which place."""
    return Answer(
        answer.participant, answer.batch, answer.task, answer.question, answer.raw, answer.position
    )


def fill(
    path: Path, book: ParticipantWorkbook, answers: Iterable[Answer], *, consent: object = True
) -> None:
    """Type answers into the cells of a workbook, as its participant would, and consent."""
    workbook = openpyxl.load_workbook(path)
    if book.asks_consent:
        put_in_form(workbook, "consent", book.words("yes") if consent is True else consent)
    given = {(a.batch, a.task, a.question): a.raw for a in answers}
    for sheet in book.sheets:
        tab = tab_of(workbook, sheet)
        for place, value in typed(book, sheet, given).items():
            cell_at(tab, *place).value = value
    workbook.save(path)


def put_in_form(workbook: Any, key: str, value: object) -> Any:  # of openpyxl
    """Fill a cell of the sheet with the consent, and return it."""
    tab = next(each for each in workbook.worksheets if each.cell(1, 1).value == CONSENT_MARK)
    row = next(n for n in range(1, tab.max_row + 1) if tab.cell(n, 1).value == key)
    cell = tab.cell(row, 3)
    cell.value = value
    return cell


def typed(
    book: ParticipantWorkbook, sheet: TaskSheet, given: Mapping[tuple[str, str, str], str]
) -> dict[tuple[str, str], str | float]:
    """What stands in which cell, by key of the row and id of the column."""
    choices = {column.id: column.choices for column in sheet.answer_columns}
    values: dict[tuple[str, str], str | float] = {}
    for row in sheet.rows:
        for column, cell in row.cells.items():
            raw = given.get((sheet.batch, row.task.id, cell.question.id))
            if raw is None:
                continue
            part = cell.question.controls(cell.question.id, raw)[cell.control]
            shown = choices[column]
            assert shown is not None
            values[row.key, column] = shown.shown.get(part, part)
            if shown.bounds is not None:
                values[row.key, column] = float(part)
    return values


def tab_of(workbook: Any, sheet: TaskSheet) -> Any:  # of openpyxl
    """The sheet of a workbook that has a batch."""
    return next(tab for tab in workbook.worksheets if tab.cell(1, KEY_COLUMN).value == sheet.mark)


def line_of(tab: Any, key: str) -> int:
    """In which line a row is."""
    if not hasattr(tab, "_lines_by_key"):
        tab._lines_by_key = {tab.cell(n, 1).value: n for n in range(1, tab.max_row + 1)}
    line: int = tab._lines_by_key[key]
    return line


def column_of(tab: Any, column: str) -> int:
    """In which place a column is."""
    return next(n for n in range(2, tab.max_column + 1) if tab.cell(1, n).value == column)


def cell_at(tab: Any, key: str, column: str) -> Any:
    """The cell of a row and a column."""
    return tab.cell(line_of(tab, key), column_of(tab, column))


def read(study: Study, plan: Plan, *paths: Path) -> Any:  # Imported
    """Import workbooks."""
    return FORMAT.read(paths, study=study, plan=plan)


def rows_of(judgments: Judgments) -> list[str]:
    """All judgments in an order of their own, to be compared."""
    return sorted(map(repr, judgments.rows()))


def opened(study: Study, people: Sequence[str] = ()) -> tuple[Any, ParticipantWorkbook, Any]:
    """The first workbook of a study, with its layout."""
    plan = drawn(study)
    files = FORMAT.write(study, plan, people=people or ["p0001"]).files
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
