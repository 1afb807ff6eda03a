"""Who comes, as their link says it. The ids go no further than the store's own table."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from rejudge.study import Study

Recruiter: TypeAlias = Literal["prolific", "mturk", "link", "open"]
Oddity: TypeAlias = Literal["missing", "odd", "preview"]

_NOT_YET = "ASSIGNMENT_ID_NOT_AVAILABLE"  # MTurk shows the page before somebody accepts
_PLATFORM_IDS: dict[Recruiter, dict[str, re.Pattern[str]]] = {
    # what names the person, what names this visit of theirs, and the rest; as platforms make them
    "prolific": {
        "PROLIFIC_PID": re.compile(r"[0-9a-f]{24}"),
        "SESSION_ID": re.compile(r"[0-9a-f]{24}"),
        "STUDY_ID": re.compile(r"[0-9a-f]{24}"),
    },
    "mturk": {
        "workerId": re.compile(r"A[0-9A-Z]{9,24}"),
        "assignmentId": re.compile(r"[0-9A-Z]{20,40}"),
        "hitId": re.compile(r"[0-9A-Z]{20,40}"),
    },
}
PERSONAL_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")  # of a personal link


@dataclass(frozen=True, slots=True)
class Arrival:
    """Somebody at the door: person and session together resume a visit, the person alone not."""

    recruiter: Recruiter
    person: str
    session: str


@dataclass(frozen=True, slots=True)
class Origin:
    """Where somebody comes from whom nothing proves: keyed hashes of network and browser."""

    address: str
    browser: str


def recruiter_of(study: Study) -> Recruiter:
    """Whose arrivals a study takes: those of its platform, personal links, or anybody."""
    recruitment = study.spec.recruitment
    if recruitment.platform == "prolific":
        return "prolific"
    if recruitment.platform == "mturk":
        return "mturk"
    return "open" if recruitment.open else "link"


def platform_arrival(
    recruiter: Literal["prolific", "mturk"], query: Mapping[str, str]
) -> Arrival | Oddity:
    """Read the query of a platform's link: who comes, or why that cannot be told.

    Every id that the platform sends has to be there and to look like one of its ids.
    """
    shapes = _PLATFORM_IDS[recruiter]
    if recruiter == "mturk" and query.get("assignmentId") == _NOT_YET:
        return "preview"
    if not any(name in query for name in shapes):
        return "missing"
    ids = {name: query.get(name, "").strip() for name in shapes}
    if not all(shape.fullmatch(ids[name]) for name, shape in shapes.items()):
        return "odd"
    person, session, *_ = ids.values()
    return Arrival(recruiter, person, session)
