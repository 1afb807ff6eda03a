"""The differences between two sheets as a table, with reasons that people write into it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from rejudge.errors import FileError, Problem
from rejudge.heds.diff import ReasonKey, SheetDiff, SheetDifference
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
_PRINTED: Final = ("question", "original", "other", "class", "reason")
_GONE: Final = "no longer differs"


def difference_table(
    found: SheetDiff, reasons: Mapping[ReasonKey, str] | None = None, *, name: str = "heds-diff"
) -> Table:
    """One row for each difference; a reason given for what no longer differs stays in the CSV."""
    known = {each.key for each in found.differences}
    gone = [
        (question, "", criterion, "", "", "", _GONE, "", reason)
        for (question, criterion), reason in (reasons or {}).items()
        if reason and (question, criterion) not in known
    ]
    rows = (*(_row(each) for each in found.differences), *gone)
    columns = tuple(Column(each) for each in _COLUMNS)
    return Table(name, _caption(found), columns, rows, in_print=_printed(found, name))


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


def _row(each: SheetDifference) -> tuple[str, ...]:
    criterion = each.criterion or ""
    values = (each.original, each.other, each.group, each.weight, each.note, each.reason)
    return (each.question, each.label, criterion, *values)


def _printed(found: SheetDiff, name: str) -> Table:
    """For papers: without what is expected to differ, such as who completed the sheet."""
    rows = tuple(
        (
            f"{each.question} {each.label}" + (f" ({each.criterion})" if each.criterion else ""),
            _shorten(each.original),
            _shorten(each.other),
            f"{each.group}, {each.weight}",
            each.reason,
        )
        for each in found.deviations
    )
    caption = f"Deviations between two datasheets. Of the {found.compared} answers that both give, "
    caption += f"{len(found.differences)} differ; {len(rows)} of these are deviations."
    return Table(name, caption, tuple(Column(each) for each in _PRINTED), rows)


def _shorten(text: str, longest: int = 200) -> str:
    words = " ".join(text.split())
    return words if len(words) <= longest else words[: longest - 1] + "…"


def _caption(found: SheetDiff) -> str:
    return (
        f"Differences between two datasheets: {len(found.differences)} of the {found.compared} "
        "answers that both give."
    )
