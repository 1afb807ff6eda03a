"""Demographics: Prolific's export, joined to pseudonyms, with all platform ids removed.

The joined table is read by `rejudge.platforms`.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rejudge.errors import FileError, Problem
from rejudge.platforms import AGE_GROUPS, order_age_groups
from rejudge.spreadsheet import csv_text

SUBMISSION = "Submission id"
_NEVER_KEPT = frozenset(  # ids, and what describes the submission and not the person
    {
        SUBMISSION, "Participant id", "Status", "Custom study tncs accepted at", "Started at",
        "Completed at", "Reviewed at", "Archived at", "Time taken", "Completion code",
        "Total approvals",
    }
)  # fmt: skip
_AGE = "Age"
_OLDEST = (17, 24, 34, 44, 54, 64)  # of each group but the last
NOT_GIVEN = "not given"
_ABSENT = frozenset({"", "DATA_EXPIRED", "CONSENT_REVOKED"})


@dataclass(frozen=True, slots=True)
class Demographics:
    """What participants told the platform about themselves, by pseudonym."""

    columns: tuple[str, ...]
    rows: Mapping[str, tuple[str | None, ...]]  # by pseudonym; None: not given, or expired
    unknown: int = 0  # rows of people who never arrived at our site, or did not consent
    missing: tuple[str, ...] = ()  # pseudonyms that the export does not have

    def distribution(self, column: str) -> tuple[tuple[str, int], ...]:
        """How many people gave each answer, the most frequent first; absent ones last.

        Groups of ages are in their own order.
        """
        place = self.columns.index(column)
        found = Counter(row[place] for row in self.rows.values())
        given = sorted(
            ((answer, number) for answer, number in found.items() if answer is not None),
            key=lambda each: (-each[1], each[0]),
        )
        ordered = order_age_groups(answer for answer, _ in given)
        if ordered:
            given = [(answer, found[answer]) for answer in ordered]
        return (*given, *(((NOT_GIVEN, found[None]),) if found[None] else ()))

    def to_csv(self) -> bytes:
        """A table with one row per participant, and no id of the platform."""
        lines = [("participant", *self.columns)]
        return csv_text([*lines, *((name, *row) for name, row in self.rows.items())]).encode()


def join_demographics(content: bytes, *, pseudonyms: Mapping[str, str]) -> Demographics:
    """Read an export. `pseudonyms`: the participant of each submission id whose person consented.

    Columns are found by name: which ones there are depends on the filters of the study.
    """
    rows = _read_rows(content)
    head = [name.strip() for name in rows[0]] if rows else []
    if SUBMISSION not in head:
        raise FileError(
            Problem(
                f"the export has no column “{SUBMISSION}”.",
                "Download the demographic data of this study from Prolific again.",
            )
        )
    kept = [place for place, name in enumerate(head) if name and name not in _NEVER_KEPT]
    key = head.index(SUBMISSION)
    found: dict[str, tuple[str | None, ...]] = {}
    unknown = 0
    for row in rows[1:]:
        cells = [*row, *[""] * (len(head) - len(row))]
        name = pseudonyms.get(cells[key].strip())
        if name is None:
            unknown += 1
            continue
        found.setdefault(name, tuple(_cell(head[place], cells[place]) for place in kept))
    missing = sorted(set(pseudonyms.values()) - found.keys())
    ordered = {name: found[name] for name in sorted(found)}
    return Demographics(tuple(head[place] for place in kept), ordered, unknown, tuple(missing))


def _read_rows(content: bytes) -> Sequence[list[str]]:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise FileError(
            Problem("the export is not in UTF-8.", "Download it again, and do not edit it.")
        ) from None
    return [row for row in csv.reader(io.StringIO(text, newline="")) if row]


def _cell(column: str, text: str) -> str | None:
    stripped = text.strip()
    if stripped in _ABSENT:
        return None
    return _age_group(stripped) if column == _AGE else stripped


def _age_group(text: str) -> str:
    """An age as a group of ages, which says less about one person."""
    if not text.isdecimal():
        return text
    return AGE_GROUPS[sum(int(text) > most for most in _OLDEST)]
