"""Participants with lists of their own: everybody does their batches, in their order."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from rejudge.collect.assignment import PastAssignment
from rejudge.design import Plan


def next_on_list(
    plan: Plan, own: Sequence[str] | None, past: Collection[PastAssignment]
) -> str | None:
    """The first batch that somebody has not had yet, calibration first; None: nothing is left.

    `own`: their list; None for somebody who has none, and who gets nothing.
    """
    if own is None:
        return None
    had = {each.batch for each in past}
    shared = (batch.id for batch in plan.batches if batch.is_calibration)
    return next((batch for batch in (*shared, *own) if batch not in had), None)
