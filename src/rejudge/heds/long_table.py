"""A sheet as a table: one row for each answer, with where it comes from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rejudge.heds.answers import describe_answer
from rejudge.heds.provenance import find_provenance, is_edited
from rejudge.heds.sheet import Sheet, SheetCell
from rejudge.spreadsheet import csv_text

COLUMNS: Final = (
    "question",
    "label",
    "criterion",
    "state",
    "answer",
    "option_keys",
    "text",
    "class",
    "source",
    "filled_at",
    "edited",
)


def to_csv_sheet(sheet: Sheet) -> str:
    """All answers as CSV; `answer` is the whole answer in words."""
    return csv_text([COLUMNS, *_rows(sheet)])


def _rows(sheet: Sheet) -> Iterator[tuple[str, ...]]:
    for cell, answer in sheet.answers():
        yield (
            cell.question.number,
            cell.question.label,
            cell.criterion or "",
            answer.state,
            describe_answer(cell.question, answer),
            " ".join(str(key) for key in answer.options),
            answer.text,
            cell.question.fill,
            *_provenance(sheet, cell),
        )


def _provenance(sheet: Sheet, cell: SheetCell) -> tuple[str, str, str]:
    record = find_provenance(sheet, cell.question.number, cell.criterion)
    if record is None:
        return "", "", ""
    return record.source, record.time, "yes" if is_edited(sheet, record) else "no"
