"""What participants told their platform about themselves: one row per pseudonym, without ids."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from rejudge.errors import FileError, Problem
from rejudge.incoming import read_bytes
from rejudge.spreadsheet import csv_rows

AGE_GROUPS: Final = (
    "under 18", "18–24", "25–34", "35–44", "45–54", "55–64", "65 or more",
)  # fmt: skip
DEMOGRAPHICS: Final = "demographics.csv"  # in the study folder; it is not part of a bundle


def in_order(answers: Iterable[str]) -> tuple[str, ...]:
    """The groups of ages from the youngest to the oldest that were given, without gaps.

    Empty where another answer is among them: nothing else has an order.
    """
    given = set(answers)
    if not given or not given <= set(AGE_GROUPS):
        return ()
    places = [AGE_GROUPS.index(each) for each in given]
    return AGE_GROUPS[min(places) : max(places) + 1]


def read_demographics(path: Path) -> dict[str, dict[str, str | None]]:
    """What each participant told the platform, by pseudonym and column; None: not given."""
    remedy = "Fetch it from the platform again."
    rows = csv_rows(read_bytes(path, remedy=remedy).decode("utf-8", "replace"))
    if not rows or rows[0][:1] != ["participant"]:
        raise FileError(Problem("this table was changed.", remedy, file=str(path)))
    head = rows[0][1:]
    return {
        row[0]: {name: cell or None for name, cell in zip(head, row[1:], strict=False)}
        for row in rows[1:]
        if row
    }
