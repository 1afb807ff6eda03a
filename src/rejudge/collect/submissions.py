"""Submissions: what a recruiting platform says about a visit, and what follows for our places.

A platform keeps its own record of who began, finished, returned or timed out. That record and ours
differ as soon as somebody closes a tab. Here is decided what a platform's word changes with us, and
which of the four cases a visit is in: our data complete or not, their submission handed in or not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias

from rejudge.collect.assignment import FINISHED, Event, Status

SubmissionStatus: TypeAlias = Literal[
    "reserved",  # a place is kept while they read the description
    "active",  # at work
    "submitted",  # handed in, to be reviewed
    "approved",  # paid, in full or in part
    "rejected",  # not paid
    "returned",  # given back by the participant, unpaid
    "timed-out",  # took longer than the platform allows
    "screened-out",  # sent away, with a small payment
    "unknown",  # a word that we do not know
]
SUBMISSION_STATUSES: tuple[SubmissionStatus, ...] = (
    "reserved", "active", "submitted", "approved", "rejected", "returned", "timed-out",
    "screened-out", "unknown",
)  # fmt: skip
HANDED_IN: frozenset[SubmissionStatus] = frozenset({"submitted", "approved", "rejected"})

# By the platform's word and our state: what happens to the batch. Approval is about pay, not about
# data, so it changes nothing here. Work that timed out there but is complete here is kept.
_EFFECTS: Mapping[SubmissionStatus, Mapping[Status, Event]] = {
    "returned": dict.fromkeys(("held", "expired", "submitted", "accepted", "surplus"), "return"),
    "screened-out": dict.fromkeys(("held", "expired"), "return"),
    "timed-out": {"held": "expire"},
    "rejected": dict.fromkeys(("held", "expired", "submitted", "accepted", "surplus"), "exclude"),
}


@dataclass(frozen=True, slots=True)
class SubmissionReport:
    """What a platform said about one submission at one time."""

    session: str  # the platform's id of the submission; kept only as a keyed hash
    status: SubmissionStatus
    reported_at: datetime  # reports are ordered by this, not by arrival
    delivery: str | None = None  # of a notification: its id, so that a repeated one is noticed


def effect(said: SubmissionStatus, status: Status) -> Event | None:
    """What a platform's word does to a batch in this state; None: nothing."""
    return _EFFECTS.get(said, {}).get(status)


Quadrant: TypeAlias = Literal["both", "only data", "only submission", "neither"]
QUADRANTS: tuple[Quadrant, ...] = ("both", "only data", "only submission", "neither")


@dataclass(frozen=True, slots=True)
class ReconciledVisit:
    """One visit as we know it and as the platform knows it."""

    quadrant: Quadrant
    advice: str
    participant: str | None = None  # pseudonym; None: never arrived at our site
    session: str | None = None  # None: the platform does not know the visit
    said: SubmissionStatus | None = None
    statuses: tuple[Status, ...] = ()  # of their batches
    code_is_right: bool | None = None  # None: no code was given, or the platform did not say


def reconcile_visit(
    said: SubmissionStatus | None,
    statuses: Iterable[Status],
    *,
    participant: str | None,
    session: str | None,
    code_is_right: bool | None = None,
) -> ReconciledVisit:
    """Which of the four cases a visit is in, and what to do about it."""
    batches = tuple(statuses)
    has_data = any(status in FINISHED for status in batches) and "held" not in batches
    handed_in = said in HANDED_IN
    quadrant: Quadrant = (
        ("both" if handed_in else "only data")
        if has_data
        else ("only submission" if handed_in else "neither")
    )
    return ReconciledVisit(
        quadrant,
        _advice(quadrant, said, batches, code_is_right=code_is_right),
        participant=participant,
        session=session,
        said=said,
        statuses=batches,
        code_is_right=code_is_right,
    )


def _advice(
    quadrant: Quadrant,
    said: SubmissionStatus | None,
    statuses: tuple[Status, ...],
    *,
    code_is_right: bool | None,
) -> str:
    if quadrant == "both":
        if said == "approved":
            return "Nothing to do."
        if said == "rejected":
            return "Rejected there; the data are excluded here."
        missing = "The code is missing or wrong, but the data are complete: approve."
        return missing if code_is_right is False else "Approve."
    if quadrant == "only data":
        return {
            "timed-out": "Complete here, timed out there. Keep the data and pay by hand.",
            "active": "Complete here, but not handed in there. Wait, or send the code.",
            "reserved": "Complete here, but not handed in there. Wait, or send the code.",
            None: "The platform does not know this visit. Check how the person arrived.",
        }.get(said, "Complete here, but not handed in there. Look at both.")
    if quadrant == "only submission":
        if said == "approved":
            return "Paid without complete data. Nothing to do."
        return "Handed in there, not complete here. Ask the person before you decide."
    if said in {"returned", "timed-out", "screened-out"}:
        return "Gone; the place is free." if "held" not in statuses else "The place becomes free."
    return "At work." if said in {"active", "reserved"} else "Nothing to do."
