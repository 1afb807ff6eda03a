"""A visit: one person's way through the pages, from the door to the code."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias

from rejudge.collect.states import FINISHED, Status
from rejudge.design import Task
from rejudge.study import Study

Step: TypeAlias = Literal[
    "consent", "instructions", "practice", "task", "exit", "thanks", "declined", "full"
]
EXIT = "@exit"  # the task under which answers to exit questions and the comment are kept
COMMENT = "@comment"  # the question under which the comment is kept
PRACTICE = "@practice-"  # + number, from 1: the task under which practice answers are kept


@dataclass(frozen=True, slots=True)
class Assignment:
    """One batch in one person's hands."""

    id: int
    visit: int
    participant: str  # pseudonym
    batch: str
    seat: int
    status: Status
    claimed_at: datetime
    expires_at: datetime
    submitted_at: datetime | None = None
    failed_checks: int | None = None  # known when it is submitted
    reason: str = ""  # why it was excluded or accepted, where somebody said it

    @property
    def is_finished(self) -> bool:
        """Whether everything was answered and handed in."""
        return self.status in FINISHED or self.submitted_at is not None


@dataclass(frozen=True, slots=True)
class Visit:
    """How far somebody has come."""

    id: int
    participant: str
    arrived_at: datetime
    consented_at: datetime | None = None
    declined_at: datetime | None = None
    instructed_at: datetime | None = None
    practised_at: datetime | None = None
    left_at: datetime | None = None  # past the exit questions: finished
    is_turned_away: bool = False  # there was no batch for them, or they may not take part
    assignments: tuple[Assignment, ...] = ()  # calibration first

    @property
    def current(self) -> Assignment | None:
        """The batch in hand: the first that is not finished."""
        return next((each for each in self.assignments if not each.is_finished), None)


def step_of(study: Study, visit: Visit, *, has_next_batch: bool) -> Step:
    """Where somebody is to go now. `has_next_batch`: a batch was or can be claimed for them."""
    ends: tuple[tuple[bool, Step], ...] = (
        (visit.left_at is not None, "thanks"),
        (visit.declined_at is not None, "declined"),
        (visit.is_turned_away and not visit.assignments, "full"),
        (visit.consented_at is None, "consent"),
        (visit.instructed_at is None, "instructions"),
        (study.spec.practice is not None and visit.practised_at is None, "practice"),
        (visit.current is not None or has_next_batch, "task"),
        (bool(visit.assignments), "exit" if asks_at_exit(study) else "thanks"),
    )
    return next((step for holds, step in ends if holds), "full")


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
