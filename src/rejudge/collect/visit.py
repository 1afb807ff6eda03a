"""A visit: who arrives, which page comes next, who waits after calibration, and when it is over."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias

from rejudge.collect.assignment import FINISHED, Assignment, PastAssignment
from rejudge.design.plan import Plan, Task
from rejudge.platforms import platform, platforms
from rejudge.study.model import Study

Recruiter: TypeAlias = str  # the name of a platform; `link`: personal links; `open`: anybody
Oddity: TypeAlias = Literal["missing", "odd", "preview"]

PERSONAL_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")  # of a personal link
Step: TypeAlias = Literal[
    "consent", "screening", "instructions", "practice", "qualification", "task", "exit", "thanks",
    "declined", "screened-out", "full", "waiting", "not-qualified",
]  # fmt: skip
SessionOutcome: TypeAlias = Literal[
    "completed", "declined", "screened_out", "full", "not_qualified"
]
CONSENT = "@consent"  # the task under which the ticks of the consent page are kept
EXIT = "@exit"  # the task under which answers to exit questions and the comment are kept
COMMENT = "@comment"  # the question under which the comment is kept
SCREENING = "@screening"  # the task under which answers to screening questions are kept
PRACTICE = "@practice-"  # + number, from 1: the task under which practice answers are kept


@dataclass(frozen=True, slots=True)
class Arrival:
    """Somebody who followed a link. To resume a visit takes both the person and the session."""

    recruiter: Recruiter
    person: str
    session: str
    batch: str | None = None  # which the link names; None: the site decides


@dataclass(frozen=True, slots=True)
class Origin:
    """Where somebody comes from whom nothing proves: keyed hashes of network and browser."""

    address: str
    browser: str


def recruiters() -> tuple[Recruiter, ...]:
    """Everybody by whom people can come to a site."""
    return ("link", "open", *(each.name for each in platforms().values() if each.link_ids))


def recruiter_of(study: Study) -> Recruiter:
    """Whose arrivals a study takes: those of its platform, personal links, or anybody."""
    recruitment = study.spec.recruitment
    if platform(recruitment.platform).link_ids:
        return recruitment.platform
    return "open" if recruitment.open else "link"


def platform_arrival(recruiter: Recruiter, query: Mapping[str, str]) -> Arrival | Oddity:
    """Read the query of a platform's link: who arrives, or why that is unknown.

    Every id that the platform sends has to be there and to look like one of its ids.
    """
    known = platform(recruiter)
    if known.preview_query is not None:
        name, value = known.preview_query
        if query.get(name) == value:
            return "preview"
    if not any(name in query for name in known.link_ids):
        return "missing"
    ids = {name: query.get(name, "").strip() for name in known.link_ids}
    if not all(shape.fullmatch(ids[name]) for name, shape in known.link_ids.items()):
        return "odd"
    person, session, *_ = ids.values()
    return Arrival(recruiter, person, session)


@dataclass(frozen=True, slots=True)
class Visit:
    """How far somebody has come."""

    id: int
    participant: str
    arrived_at: datetime
    consented_at: datetime | None = None
    declined_at: datetime | None = None
    admitted_at: datetime | None = None  # past the screening questions
    screened_out_at: datetime | None = None  # may not take part, by their own answers
    instructed_at: datetime | None = None
    practised_at: datetime | None = None
    attempts: int = 0  # at the qualification, finished
    qualified_at: datetime | None = None
    unqualified_at: datetime | None = None  # did not pass, and has no attempt left
    left_at: datetime | None = None  # past the exit questions: finished
    is_turned_away: bool = False  # there was no batch for them, or they may not take part
    sent_to: str | None = None  # the batch that their link names
    assignments: tuple[Assignment, ...] = ()  # calibration first
    own: tuple[str, ...] | None = None  # the batches that the plan names for this person

    @property
    def current(self) -> Assignment | None:
        """The batch in hand: the first that is not finished."""
        return next((each for each in self.assignments if not each.is_finished), None)

    @property
    def own_done(self) -> int:
        """How many batches of their own list are finished."""
        done = {each.batch for each in self.assignments if each.is_finished}
        return sum(batch in done for batch in self.own or ())


def step_of(study: Study, visit: Visit, *, has_next_batch: bool, is_waiting: bool = False) -> Step:
    """Where somebody is to go now. `has_next_batch`: a batch was or can be claimed for them.

    `is_waiting`: they are through with calibration, and the rest is not open yet.
    """
    ends: tuple[tuple[bool, Step], ...] = (
        (visit.left_at is not None and visit.current is None, "thanks"),
        (visit.declined_at is not None, "declined"),
        (visit.unqualified_at is not None, "not-qualified"),
        (visit.screened_out_at is not None, "screened-out"),
        (visit.is_turned_away and not visit.assignments, "full"),
        (visit.consented_at is None, "consent"),
        (asks_first(study) and visit.admitted_at is None, "screening"),
        (visit.instructed_at is None, "instructions"),
        (study.spec.practice is not None and visit.practised_at is None, "practice"),
        (needs_qualification(study, visit), "qualification"),
        (is_waiting and visit.current is None, "waiting"),
        (visit.current is not None or has_next_batch, "task"),
        (bool(visit.assignments), "exit" if asks_at_exit(study) else "thanks"),
    )
    return next((step for holds, step in ends if holds), "full")


def needs_qualification(study: Study, visit: Visit) -> bool:
    """Whether somebody has to pass the gold batch before they get a place."""
    return (
        study.spec.qualification is not None
        and visit.qualified_at is None
        and not visit.assignments
    )


def session_outcome(step: Step, visit: Visit) -> SessionOutcome | None:
    """How a session ended, which decides about its code and its pay; None while it goes on.

    Somebody for whom no place is left after they passed is paid as those are who do not pass.
    """
    if step == "full" and visit.qualified_at is not None and visit.attempts:
        return "not_qualified"
    ends: Mapping[Step, SessionOutcome] = {
        "thanks": "completed",
        "declined": "declined",
        "screened-out": "screened_out",
        "full": "full",
        "not-qualified": "not_qualified",
    }
    return ends.get(step)


def asks_first(study: Study) -> bool:
    """Whether screening questions are asked before a place is taken."""
    screening = study.spec.recruitment.screening
    return screening is not None and bool(screening.questions)


def asks_at_exit(study: Study) -> bool:
    """Whether there is a page between the last task and the thanks."""
    return bool(study.spec.site.exit_questions) or study.spec.site.comment


def first_open(
    study: Study, order: Sequence[Task], answered: Collection[tuple[str, str]]
) -> int | None:
    """The place, from 1, of the first task with a required answer missing; None: all are there."""
    for place, task in enumerate(order, start=1):
        asked = study.questions_beside(len(task.options))
        if any(q.required and (task.id, q.id) not in answered for q in asked):
            return place
    return None


@dataclass(frozen=True, slots=True)
class CalibrationGate:
    """Whether people may go on after calibration, and who decided that last."""

    is_open: bool
    at: datetime | None = None  # None: nobody has decided anything yet
    who: str = ""
    reason: str = ""


def has_gate(study: Study, plan: Plan) -> bool:
    """Whether people wait after calibration until an owner opens the rest."""
    is_wanted = study.spec.site.hold_after_calibration
    return is_wanted and any(batch.is_calibration for batch in plan.batches)


def is_at_gate(plan: Plan, past: Collection[PastAssignment]) -> bool:
    """Whether somebody is through with calibration and has had nothing else."""
    shared = {batch.id for batch in plan.batches if batch.is_calibration}
    done = {each.batch for each in past if each.status in FINISHED}
    return bool(shared) and shared <= done and {each.batch for each in past} <= shared
