"""Submissions on a recruiting platform: what they change here, and what allows a rejection.

A platform keeps its own record of who began, finished, returned or timed out. That record and ours
differ as soon as somebody closes a tab. Here is decided what a platform's word changes with us, and
which of the four cases a visit is in: our data complete or not, their submission handed in or not.

An attention check is fair if it says which answer to give, or if its output is nonsense. Gold items
are not attention checks: failing them may exclude data, but never justifies a rejection.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, TypeAlias

from rejudge.collect.assignment import FINISHED, Event, Status
from rejudge.collect.visit import asks_first
from rejudge.design.duration import estimate_duration
from rejudge.design.plan import Plan
from rejudge.study.model import Study

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
EnteredCode: TypeAlias = Literal[
    "completed", "declined", "full", "not-qualified", "screened-out", "failed", "another", "none"
]
Quadrant: TypeAlias = Literal["both", "only data", "only submission", "neither"]
QUADRANTS: tuple[Quadrant, ...] = ("both", "only data", "only submission", "neither")
FAIR_CHECKS: Final = frozenset({"instruction", "nonsense"})  # kinds
SHORT_MINUTES: Final = 5.0  # below it one failed fair check is enough


@dataclass(frozen=True, slots=True)
class SubmissionReport:
    """What a platform said about one submission at one time."""

    session: str  # the platform's id of the submission; kept only as a keyed hash
    status: SubmissionStatus
    reported_at: datetime  # reports are ordered by this, not by arrival
    delivery: str | None = None  # of a notification: its id, so that a repeated one is noticed


def submission_event(said: SubmissionStatus, status: Status) -> Event | None:
    """What a platform's word does to a batch in this state; None: nothing."""
    return _EFFECTS.get(said, {}).get(status)


@dataclass(frozen=True, slots=True)
class ReconciledVisit:
    """One visit as we know it and as the platform knows it."""

    quadrant: Quadrant
    advice: str
    participant: str | None = None  # pseudonym; None: never arrived at our site
    session: str | None = None  # None: the platform does not know the visit
    said: SubmissionStatus | None = None
    statuses: tuple[Status, ...] = ()  # of their batches
    code: EnteredCode | None = None  # None: the platform did not say


def reconcile_visit(
    said: SubmissionStatus | None,
    statuses: Iterable[Status],
    *,
    participant: str | None,
    session: str | None,
    code: EnteredCode | None = None,
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
        _advice(quadrant, said, batches, code),
        participant=participant,
        session=session,
        said=said,
        statuses=batches,
        code=code,
    )


def _advice(
    quadrant: Quadrant,
    said: SubmissionStatus | None,
    statuses: tuple[Status, ...],
    code: EnteredCode | None,
) -> str:
    if quadrant == "both":
        missing = "The code is missing or wrong, but the data are complete: approve."
        to_review = missing if code in {"another", "none"} else "Approve."
        if code == "failed":
            to_review = "Failed attention checks. Look at the answers; then approve or reject."
        return {
            "approved": "Nothing to do.",
            "rejected": "Rejected there; the data are excluded here.",
        }.get(said or "", to_review)
    if quadrant == "only data":
        return _advice_about_data(said, statuses)
    if quadrant == "only submission":
        if said != "submitted":
            return "Nothing to do."
        return {
            "full": "Arrived when no tasks were left: approve, as the page promised.",
            "not-qualified": "Did not pass the qualification: approve, and pay for its time.",
            "declined": "Did not consent: ask the person to return the submission.",
            "screened-out": "Screened out: pay as promised, or ask the person to return.",
        }.get(code or "", "Not complete here. Ask the person before you decide.")
    if said in {"returned", "timed-out", "screened-out"}:
        return "The place becomes free." if "held" in statuses else "Left; no place is held."
    return "At work." if said in {"active", "reserved"} else "Nothing to do."


def _advice_about_data(said: SubmissionStatus | None, statuses: tuple[Status, ...]) -> str:
    if said is None:
        return "The platform does not know this visit. Check how the person arrived."
    if said == "timed-out":
        return "Complete here, timed out there. Keep the data, and pay: approve --pay."
    if said == "returned":
        return "Returned after completing: a withdrawal, so the data do not count."
    if set(statuses) <= {"excluded"}:
        return "Complete here and excluded, not submitted there. Wait."
    return "Complete here, not submitted there. Wait, or send the code."


def failures_to_reject(minutes: float) -> int:
    """How many failed fair checks allow a rejection in a study that takes so long."""
    return 1 if minutes < SHORT_MINUTES else 2


def study_minutes(study: Study, plan: Plan) -> float:
    """How long a study takes by these rules: as stated or as estimated, whichever is longer."""
    payment = study.spec.payment
    stated = None if payment is None else payment.minutes
    return max(estimate_duration(study, plan).minutes, stated or 0.0)


def rejecting_checks(study: Study) -> frozenset[str]:
    """The ids of the fair checks whose failure the study wants to lead to a rejection."""
    return frozenset(
        check.id
        for check in study.spec.checks
        if check.on_fail == "reject" and check.kind in FAIR_CHECKS
    )


def can_screen_out(study: Study) -> bool:
    """Whether people can be screened out before the tasks."""
    practice = study.spec.practice
    has_mark = practice is not None and practice.pass_mark is not None
    return asks_first(study) or has_mark
