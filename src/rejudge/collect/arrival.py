"""Who comes, as the recruiter's link says it. The ids go no further than the store's own table."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

Recruiter: TypeAlias = Literal["prolific", "mturk", "link"]
Oddity: TypeAlias = Literal["missing", "odd", "preview"]

_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")  # no recruiter's ids need more; nothing else is stored
_NOT_YET = "ASSIGNMENT_ID_NOT_AVAILABLE"  # MTurk shows the page before somebody accepts
_NAMES: dict[Recruiter, tuple[str, str]] = {  # what names the person, and this visit of theirs
    "prolific": ("PROLIFIC_PID", "SESSION_ID"),
    "mturk": ("workerId", "assignmentId"),
    "link": ("p", "p"),  # a personal link is both
}


@dataclass(frozen=True, slots=True)
class Arrival:
    """Somebody at the door: person and session together resume a visit, the person alone not."""

    recruiter: Recruiter
    person: str
    session: str


def arrival(query: Mapping[str, str]) -> Arrival | Oddity:
    """Read the query of the link: who comes, or why that cannot be told."""
    if query.get("assignmentId") == _NOT_YET:
        return "preview"
    for recruiter, (person, session) in _NAMES.items():
        if person in query:
            ids = query[person].strip(), query.get(session, "").strip()
            return Arrival(recruiter, *ids) if all(map(_ID.fullmatch, ids)) else "odd"
    return "missing"
