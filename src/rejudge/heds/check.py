"""The warnings and errors of the official form, exactly: same questions, levels and counts.

An untouched sheet has 42 warnings in 2.x and 41 in 3.0, and 20 or 21 more for each criterion. One
fault of the form is not repeated: for section 4 it looks for explanations of the open criterion
only. Everything else that is wrong or doubtful is found by `lint`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from rejudge.fingerprint import Json
from rejudge.heds.sheet import Sheet, SheetCell, as_text
from rejudge.rules import Severity

FindingOrigin: TypeAlias = Literal["form", "lint"]
_COUNT: Final = re.compile(r"[0-9]+|N/A|")


@dataclass(frozen=True, slots=True)
class SheetFinding:
    """One problem of a sheet, and what to do about it."""

    rule: str
    severity: Severity
    question: str  # its number; empty: the sheet as a whole
    criterion: str | None
    says: str
    remedy: str = ""
    origin: FindingOrigin = "lint"


def finding(
    rule: str,
    severity: Severity,
    says: str,
    remedy: str = "",
    *,
    at: SheetCell | None = None,
    origin: FindingOrigin = "lint",
) -> SheetFinding:
    """A problem of the sheet, or of one of its answers."""
    number = at.question.number if at else ""
    return SheetFinding(rule, severity, number, at.criterion if at else None, says, remedy, origin)


def check(sheet: Sheet) -> tuple[SheetFinding, ...]:
    """What the official form complains about, in its order."""
    return tuple(found for cell in sheet.cells() for found in _of_cell(sheet, cell))


def _of_cell(sheet: Sheet, cell: SheetCell) -> Iterator[SheetFinding]:
    if cell.question.is_choice:
        yield from _choice(sheet, cell)
        return
    value = sheet.value_at(cell.question.text_id, cell)
    if _is_blank(value):
        yield _form("blank", cell, "No answer.", "Answer it, or write N/A.")
    if cell.question.kind == "integer" and not _COUNT.fullmatch(as_text(value)):
        says = f"'{as_text(value)}' is neither a number in digits nor N/A."
        yield finding(
            "count", "error", says, "Write digits only, for instance 24.", at=cell, origin="form"
        )


def _choice(sheet: Sheet, cell: SheetCell) -> Iterator[SheetFinding]:
    question = cell.question
    ticked = [
        option
        for option in question.options
        if _counts_as_ticked(sheet, sheet.value_at(question.option_id(option.key), cell))
    ]
    if not ticked:
        yield _form("no-option", cell, "No option is ticked.", "Tick at least one.")
    needed = [option for option in ticked if option.needs_text]
    if needed and _is_blank(sheet.value_at(question.text_id, cell)):
        says = f"'{needed[0].name}' is ticked, but not explained."
        yield _form("no-explanation", cell, says, "Write the explanation that the option asks for.")
    alone = next((option for option in ticked if option.exclusive), None)
    if alone and len(ticked) > 1:
        says = f"'{alone.name}' is ticked together with other options."
        yield finding(
            "exclusive", "error", says, "Tick either it or the others.", at=cell, origin="form"
        )


def _form(rule: str, cell: SheetCell, says: str, remedy: str) -> SheetFinding:
    return finding(rule, "warning", says, remedy, at=cell, origin="form")


def _counts_as_ticked(sheet: Sheet, value: Json) -> bool:
    """The older form counts only `true`; the newer one also counts texts, which it shows ticked."""
    return value is True or (sheet.version == "3.0" and isinstance(value, str) and bool(value))


def _is_blank(value: Json) -> bool:
    """As in the form's script, where the number 0 is no answer."""
    if not isinstance(value, str):
        return not value
    return not value.replace("\ufeff", "").strip()
