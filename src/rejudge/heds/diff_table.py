"""The differences between two sheets as a table, with reasons that people write into it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from rejudge.errors import FileError, Problem
from rejudge.heds.diff import ReasonKey, SheetDiff
from rejudge.layout import Column, Table
from rejudge.spreadsheet import csv_rows

_COLUMNS: Final = (
    "question",
    "label",
    "criterion",
    "original",
    "other",
    "class",
    "weight",
    "note",
    "reason",
)
_PRINTED: Final = ("question", "criterion", "original", "other", "weight", "reason")
_GONE: Final = "no longer differs"


def difference_table(
    found: SheetDiff, reasons: Mapping[ReasonKey, str] | None = None, *, name: str = "heds-diff"
) -> Table:
    """One row for each difference; a reason given for what no longer differs stays in the CSV."""
    rows = [tuple(row[key] for key in _COLUMNS) for row in _rows(found)]
    for (question, criterion), reason in (reasons or {}).items():
        if reason and (question, criterion) not in {each.key for each in found.differences}:
            rows.append((question, "", criterion, "", "", "", _GONE, "", reason))
    shown = [row for row in rows if row[6] != _GONE]
    printed = Table(
        name,
        _caption(found),
        tuple(Column(each) for each in _PRINTED),
        tuple(tuple(row[_COLUMNS.index(each)] for each in _PRINTED) for row in shown),
    )
    columns = tuple(Column(each) for each in _COLUMNS)
    return Table(name, _caption(found), columns, tuple(rows), in_print=printed)


def read_reasons(content: bytes, *, file: str) -> dict[ReasonKey, str]:
    """The reasons in a table that was written before."""
    remedy = "Restore its columns, or delete the file."
    try:
        head, *rows = csv_rows(content.decode("utf-8-sig"))
        places = [head.index(name) for name in ("question", "criterion", "reason")]
    except (UnicodeDecodeError, ValueError):
        what = "this is not a table of differences that rejudge has written."
        raise FileError(Problem(what, remedy, file=file)) from None
    found: dict[ReasonKey, str] = {}
    for row in rows:
        if len(row) > max(places):
            question, criterion, reason = (row[place].strip() for place in places)
            found[question, criterion] = reason
    return {key: reason for key, reason in found.items() if reason}


def _rows(found: SheetDiff) -> Iterator[dict[str, str]]:
    for each in found.differences:
        yield {
            "question": each.question,
            "label": each.label,
            "criterion": each.criterion or "",
            "original": each.original,
            "other": each.other,
            "class": each.group,
            "weight": each.weight,
            "note": each.note,
            "reason": each.reason,
        }


def _caption(found: SheetDiff) -> str:
    return (
        f"Differences between two datasheets: {len(found.differences)} of the {found.compared} "
        "answers that both give."
    )
