"""The judgments that counted in an analysis, from the two files that it left."""

from __future__ import annotations

from collections import Counter

from rejudge.judgments.sheet import to_csv
from rejudge.judgments.table import Judgments
from rejudge.spreadsheet import csv_rows


def without_excluded(collected: Judgments, excluded: str) -> Judgments:
    """All that was collected without the rows of `excluded.csv`.

    Rows are told apart by all their columns; of equal rows as many go as are excluded.
    """
    import numpy as np

    head, *rows = csv_rows(excluded) or [[]]
    if not rows:
        return collected
    columns = [name for name in head if name != "rule"]
    gone = Counter(_cells(head, row, columns) for row in rows)
    keep = np.ones(len(collected), dtype=np.bool_)
    names, *lines = csv_rows(to_csv(collected))
    for place, line in enumerate(lines):
        key = _cells(names, line, columns)
        if gone[key] > 0:
            gone[key] -= 1
            keep[place] = False
    return collected.take(keep)


def _cells(head: list[str], row: list[str], columns: list[str]) -> tuple[str, ...]:
    """The cells of some columns; a column that a table does not have is empty."""
    by_name = dict(zip(head, row, strict=False))
    return tuple(by_name.get(name, "") for name in columns)
