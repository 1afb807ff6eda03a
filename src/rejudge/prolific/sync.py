"""Following Prolific's submissions: by asking for all of them, or by its notifications.

Both ways lead to the same place: reports that the store follows, each once, newest word first. A
lost notification is made up for by the next poll, so nothing depends on a public address.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Protocol

from rejudge.collect.submissions import (
    QUADRANTS,
    EnteredCode,
    Quadrant,
    ReconciledVisit,
    SubmissionReport,
    SubmissionStatus,
    reconcile_visit,
)
from rejudge.errors import RejudgeError
from rejudge.prolific import replies
from rejudge.store.records import FollowedReport
from rejudge.store.store import Store
from rejudge.study.site import Codes

PLATFORM = "prolific"
STATUSES: Mapping[replies.SubmissionStatus, SubmissionStatus] = {
    "RESERVED": "reserved",
    "ACTIVE": "active",
    "AWAITING REVIEW": "submitted",
    "APPROVED": "approved",
    "PARTIALLY APPROVED": "approved",
    "REJECTED": "rejected",
    "RETURNED": "returned",
    "TIMED-OUT": "timed-out",
    "SCREENED OUT": "screened-out",
    "UNKNOWN": "unknown",
}
_BETWEEN_POLLS = timedelta(seconds=5)  # of arrivals that found no place


class SubmissionSource(Protocol):
    """As much of the API as following needs."""

    def submissions(self, study: str) -> Iterable[replies.Submission]:
        """All submissions of a study."""


@dataclass(frozen=True, slots=True)
class Reconciliation:
    """Our visits beside their submissions."""

    visits: tuple[ReconciledVisit, ...]
    freed: int = 0  # places that this poll gave back

    def counts(self) -> Mapping[Quadrant, int]:
        """How many visits are in each of the four cases."""
        found = Counter(visit.quadrant for visit in self.visits)
        return {quadrant: found[quadrant] for quadrant in QUADRANTS}

    def paid(self, reward: Decimal, screen_out: Decimal = Decimal(0)) -> Decimal:
        """What approved submissions and people screened out cost, before fees."""
        said = Counter(visit.said for visit in self.visits)
        return reward * said["approved"] + screen_out * said["screened-out"]


def poll(
    store: Store, api: SubmissionSource, study: str, *, now: Callable[[], datetime]
) -> Reconciliation:
    """Ask for all submissions, do what they mean for our places, and compare them with our visits.

    What is said counts as said when the question was sent: a notification that overtakes the
    answer is newer.
    """
    asked_at = now()
    submissions = list(api.submissions(study))
    reports = [SubmissionReport(each.id, STATUSES[each.status], asked_at) for each in submissions]
    followed = store.follow(PLATFORM, reports, now=now())
    return Reconciliation(reconcile(store, submissions), freed_places(followed))


def compare(store: Store, api: SubmissionSource, study: str) -> Reconciliation:
    """Ask for all submissions and compare them with our visits; nothing is changed here."""
    return Reconciliation(reconcile(store, list(api.submissions(study))))


def freed_places(followed: Iterable[FollowedReport]) -> int:
    """How many batches changed hands because somebody is gone."""
    return sum(len(each.changed) for each in followed)


def reconcile(
    store: Store, submissions: Iterable[replies.Submission]
) -> tuple[ReconciledVisit, ...]:
    """Every visit of ours and every submission of theirs once, in the order of arrival."""
    theirs = {each.id: each for each in submissions}
    of_visit: dict[int, list[str]] = {}
    for assignment in store.assignments():
        of_visit.setdefault(assignment.visit, []).append(assignment.status)
    found = []
    for identity in store.identities():
        if identity.recruiter != PLATFORM:
            continue
        submission = theirs.pop(identity.session, None)
        found.append(
            reconcile_visit(
                None if submission is None else STATUSES[submission.status],
                of_visit.get(identity.visit, ()),  # type: ignore[arg-type]  # they are statuses
                participant=identity.participant,
                session=identity.session,
                code=None if submission is None else entered_code(submission, store.codes),
            )
        )
    found += [
        reconcile_visit(
            STATUSES[each.status],
            (),
            participant=None,
            session=each.id,
            code=entered_code(each, store.codes),
        )
        for each in theirs.values()
    ]
    return tuple(found)


def entered_code(submission: replies.Submission, codes: Codes) -> EnteredCode | None:
    """Which of our codes was entered; None before anything was handed in."""
    if STATUSES[submission.status] not in {"submitted", "approved", "rejected"}:
        return None
    given = (submission.study_code or "").strip().upper()
    if not given or given == "NOCODE":
        return "none"
    known: dict[str, EnteredCode] = {
        (codes.completed or "").upper(): "completed",
        (codes.declined or "").upper(): "declined",
        (codes.full or "").upper(): "full",
        (codes.not_qualified or "").upper(): "not-qualified",
        (codes.screened_out or "").upper(): "screened-out",
        (codes.failed_checks or "").upper(): "failed",
    }
    return known.get(given, "another")


class Poller:
    """Asks the platform before somebody is told that no task is left, and every few minutes.

    Several people may find no place at the same moment: one asks, the others wait for the answer.
    """

    def __init__(
        self,
        store: Store,
        api: SubmissionSource,
        study: str,
        *,
        now: Callable[[], datetime],
        report: Callable[[str], None],
    ) -> None:
        self._store = store
        self._api = api
        self._study = study
        self._now = now
        self._report = report
        self._mutex = threading.Lock()
        self._polled_at: datetime | None = None
        self._freed = 0

    def refresh(self) -> bool:
        """Whether places became free. Without an answer nothing changes; leases still expire."""
        came_at = self._now()
        with self._mutex:
            if self._polled_at is None or self._polled_at + _BETWEEN_POLLS <= came_at:
                self._freed = self._poll()
                self._polled_at = self._now()
            return self._freed > 0

    def _poll(self) -> int:
        try:
            return poll(self._store, self._api, self._study, now=self._now).freed
        except RejudgeError as error:
            self._report(f"the platform could not be reached: {error}")
            return 0
