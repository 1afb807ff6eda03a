"""Who is given no further batch for now: people at the gate after calibration, the qualified, and
everybody once a planned look has ended the study.

The audit log is the record of the gate: the last line about it counts.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import bindparam, or_, select

from rejudge.collect.assignment import PastAssignment
from rejudge.collect.visit import CalibrationGate, has_gate, is_at_gate
from rejudge.errors import DataError, Problem
from rejudge.store import oversight, seats, tables
from rejudge.store.registering import RegisteredStudy
from rejudge.store.statement import SqlStatement, Transaction
from rejudge.store.tables import moment

OPENED, HELD = "calibration: rest opened", "calibration: rest held back"
_l = tables.log
_a = tables.assignment
_LAST = SqlStatement(
    select(_l.c.at, _l.c.who, _l.c.what, _l.c.reason)
    .where(_l.c.study == bindparam("study"), or_(_l.c.what == OPENED, _l.c.what == HELD))
    .order_by(_l.c.id.desc())
    .limit(1)
)
_FINAL = SqlStatement(
    select(tables.look.c.number)
    .where(tables.look.c.study == bindparam("study"), tables.look.c.decision != "go on")
    .limit(1)
)


def gate(transaction: Transaction, known: RegisteredStudy) -> CalibrationGate | None:
    """Whether the rest is open, and since when; None for a study without a gate."""
    if not has_gate(known.study, known.plan):
        return None
    row = transaction.row(_LAST, study=known.id)
    if row is None:
        return CalibrationGate(is_open=False)
    return CalibrationGate(row.what == OPENED, moment(row.at), row.who, row.reason)


def set_gate(
    transaction: Transaction,
    known: RegisteredStudy,
    *,
    is_open: bool,
    who: str,
    reason: str,
    now: datetime,
) -> CalibrationGate:
    """Open the rest of the study, or hold it back again; the last decision counts."""
    before = gate(transaction, known)
    if before is None:
        remedy = "Set `site: {hold_after_calibration: true}` and plan some calibration."
        raise DataError(
            Problem("participants of this study do not wait after calibration.", remedy)
        )
    if before.is_open != is_open:
        what = OPENED if is_open else HELD
        oversight.note(transaction, known, what, who=who, now=now, reason=reason)
    return gate(transaction, known) or before


def holds_back(
    transaction: Transaction, known: RegisteredStudy, past: tuple[PastAssignment, ...]
) -> bool:
    """Whether somebody with this past waits for the rest to be opened."""
    if not known.study.spec.site.hold_after_calibration or not is_at_gate(known.plan, past):
        return False
    found = gate(transaction, known)
    return found is not None and not found.is_open


def is_over(transaction: Transaction, known: RegisteredStudy) -> bool:
    """Whether a planned look has ended the study: nobody new is given a batch."""
    if known.study.spec.stop is None:
        return False
    return transaction.row(_FINAL, study=known.id) is not None


def is_waiting(transaction: Transaction, known: RegisteredStudy, participant: int) -> bool:
    """The same for a participant by number."""
    return holds_back(transaction, known, seats.past_assignments(transaction, known, participant))
