"""What is wrong or doubtful in a datasheet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from rejudge.heds.sheet import SheetCell
from rejudge.rules import Severity

FindingOrigin: TypeAlias = Literal["form", "lint"]


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
