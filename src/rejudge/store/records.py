"""What the store takes in and gives out: small frozen values, times aware and in UTC."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, TypeAlias

from rejudge.collect.assignment import Assignment, Status
from rejudge.collect.submissions import SubmissionReport
from rejudge.collect.visit import Recruiter, Step

Outcome: TypeAlias = Literal[
    "saved",
    "repeated",  # the same key came before; what it brought then is stored, and nothing twice
    "closed",  # the batch was handed in, or is gone; nothing was stored
]
State: TypeAlias = Literal["open", "paused", "closed"]
Role: TypeAlias = Literal["owner", "viewer"]
Happening: TypeAlias = Literal[
    "arrived", "barred", "consented", "declined", "admitted", "screened-out", "instructed",
    "practised", "left", "attempted", "qualified", "not-qualified", "claimed", "turned-away",
    "renewed", "expired", "submitted", "failed", "filled", "accepted", "excluded", "returned",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class PageAnswers:
    """What one page sends: answers by question, under a key that makes sending twice harmless."""

    visit: int  # id
    assignment: int | None  # id; None for consent, screening, practice and exit questions
    task: str  # id of a task, or collect.CONSENT, SCREENING, EXIT, or PRACTICE + number
    position: int  # place of the task in the order this person sees, from 1
    answers: Mapping[str, str]  # raw values by question
    key: str  # of this save; random, made for the page
    shown_at: datetime  # when the server made the page
    active_seconds: float | None = None  # since the page was shown, pauses capped: not a difference
    changes: int = 0  # how often an answer was changed since the page was shown
    blurs: int = 0  # how often the window was left since the page was shown


@dataclass(frozen=True, slots=True)
class Saved:
    """What became of a page's answers; `at` is when they were stored."""

    at: datetime
    outcome: Outcome

    @property
    def is_stored(self) -> bool:
        """Whether the page may say “saved”."""
        return self.outcome != "closed"


@dataclass(frozen=True, slots=True)
class ParticipantStatus:
    """How one participant stands, for the researcher."""

    participant: str  # pseudonym
    visit: int  # id of the last visit
    arrived_at: datetime
    last_seen_at: datetime
    step: Step
    batch: str | None  # in hand, or the last one
    answered: int  # tasks of that batch
    tasks: int  # of that batch
    statuses: Mapping[str, Status] = field(default_factory=dict)  # by batch, in order of claiming
    assignments: Mapping[str, int] = field(default_factory=dict)  # id by batch
    active_minutes: float = 0.0  # on pages of tasks, pauses capped
    wall_minutes: float = 0.0  # from arrival to the last sign of life, of each session
    failed_checks: int = 0
    changes: int = 0
    blurs: int = 0
    device: str | None = None
    language: str | None = None
    time_zone: str | None = None
    flags: tuple[str, ...] = ()  # time-zone, surplus, failed-checks, second-session, barred
    is_now: bool = False  # was seen in the last minutes and has not finished


@dataclass(frozen=True, slots=True)
class BatchPace:
    """How long one finished assignment took."""

    participant: str
    batch: str
    status: Status
    active_minutes: float | None  # None when no page told it
    wall_minutes: float  # from the claim to the submission
    submitted_at: datetime


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One line of the audit log: who did what to whom or what, and why."""

    id: int
    at: datetime
    who: str
    what: str
    participant: str | None = None
    batch: str | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class EventRow:
    """Something that happened to a participant, in the order of happening."""

    at: datetime
    participant: str
    batch: str | None
    what: Happening
    detail: str = ""


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """One stored answer as it came, changes and practice included."""

    participant: str
    batch: str | None
    task: str
    question: str
    raw: str
    position: int
    shown_at: datetime
    saved_at: datetime
    active_seconds: float | None
    changes: int
    blurs: int


@dataclass(frozen=True, slots=True)
class Identity:
    """Who is behind a pseudonym, as the recruiter's link said it."""

    participant: str
    visit: int
    recruiter: Recruiter
    person: str = field(repr=False)
    session: str = field(repr=False)
    sent_to: str | None = None  # the batch that the link named
    has_consented: bool = False


@dataclass(frozen=True, slots=True)
class FollowedReport:
    """What came of a platform's report about one submission."""

    report: SubmissionReport = field(repr=False)  # it has the platform's id
    is_news: bool  # False: delivered before, or older than what is known
    participant: str | None = None  # None: has not arrived at our site
    changed: tuple[Assignment, ...] = ()


@dataclass(frozen=True, slots=True)
class Token:
    """A key to the dashboard; its secret is shown once and stored only as a hash."""

    id: int
    role: Role
    granted_at: datetime
    is_one_time: bool = False
    used_at: datetime | None = None
    revoked_at: datetime | None = None
    expires_at: datetime | None = None  # from then on nobody logs in with it

    def state(self, now: datetime) -> Literal["holds", "used", "expired", "revoked"]:
        """Whether somebody can log in with it, or why not."""
        if self.revoked_at is not None:
            return "revoked"
        if self.is_one_time and self.used_at is not None:
            return "used"
        return "expired" if self.expires_at is not None and self.expires_at <= now else "holds"


@dataclass(frozen=True, slots=True)
class Tombstone:
    """What is left of somebody who withdrew: that they were there, and how much was removed."""

    participant: str  # pseudonym, so that earlier exports can be cleaned; never given again
    at: datetime
    assignments: int
    finished: int  # of those, handed in
    answers: int


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the study is. Calibration is not counted in batches and places."""

    state: State
    batches: int
    complete_batches: int  # as much finished work as places
    places: int
    done: int  # submitted or accepted
    held: int
    assignments: Mapping[Status, int]  # by status, calibration included
    participants: int  # who arrived and did not withdraw
    withdrawn: int
    people_now: int
    finished_people: int
    turned_away: int
    declined: int
    not_qualified: int = 0
    qualifying: int = 0  # in the qualification
    screened_out: int = 0
    first_arrival_at: datetime | None = None
    last_submission_at: datetime | None = None

    @property
    def share(self) -> float | None:
        """Finished work per planned work; None without places."""
        return self.done / self.places if self.places else None
