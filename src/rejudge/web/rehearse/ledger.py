"""What each person of a rehearsal was told, to be compared with what is stored."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

End: TypeAlias = Literal["thanks", "declined", "full", "left", "stuck"]


@dataclass(slots=True)
class Told:
    """One person's side of the story; filled while they walk."""

    person: str  # the id in their link
    character: str
    saved: dict[tuple[str, str], str] = field(default_factory=dict)  # by task and question
    submitted: list[str] = field(default_factory=list)  # batches they were told are handed in
    codes: list[str] = field(default_factory=list)  # as they read them
    end: End = "left"
    complaints: list[str] = field(default_factory=list)  # pages that made no sense
