"""Planned looks while a study runs: when one is due, what it found, and the log that is kept of it.

A look is due when every place of its stage is done: submitted or accepted, and with nobody still at
work on one. Work that expired, was returned, withdrawn or excluded has given its place back, so
somebody else does it before the look comes; what came too late is surplus and is not used.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal, TypeAlias

from rejudge.design.plan import Plan
from rejudge.design.stages import Stages, stages_of
from rejudge.english import count
from rejudge.study.model import Study
from rejudge.study.sample_size import StopBoundary

LookDecision: TypeAlias = Literal[
    "go on",  # nothing was decided; the next stage is opened
    "stop",  # the boundary was crossed
    "end",  # it was the last look
]


@dataclass(frozen=True, slots=True)
class Look:
    """One look at the comparison that decides: what was seen, and what followed from it."""

    number: int
    looks: int  # planned, the end included
    at: datetime
    who: str
    decision: LookDecision
    boundary: StopBoundary
    question: str
    systems: tuple[str, str]
    places: int  # done
    planned_places: int
    fraction: float  # of all places
    level: float  # two-sided, of this look alone
    alpha: float  # of all looks together
    judgments: str  # fingerprint of what was there
    test: str = ""
    measure: str = ""
    value: float | None = None  # None: could not be computed; `note` says why
    low: float | None = None  # of the interval that holds at all looks together
    high: float | None = None
    p: float | None = None  # of this test alone
    p_looks: float | None = None  # corrected for all looks
    unbiased: float | None = None  # estimate without the bias of stopping when it is large
    n: int = 0
    items: int | None = None
    participants: int | None = None
    clusters: int | None = None  # that an always-valid interval counts
    note: str = ""

    @property
    def is_final(self) -> bool:
        """Whether the study was over with it."""
        return self.decision != "go on"

    @property
    def is_crossed(self) -> bool:
        """Whether the comparison was decided."""
        return self.p_looks is not None and self.p_looks < self.alpha


@dataclass(frozen=True, slots=True)
class Peek:
    """An analysis of the comparisons that was not a planned look."""

    at: datetime
    who: str
    places: int
    planned_places: int


@dataclass(frozen=True, slots=True)
class LookLog:
    """Everything that was seen of the results before the study was over."""

    looks: tuple[Look, ...] = ()
    peeks: tuple[Peek, ...] = ()

    @property
    def last(self) -> Look | None:
        """The last look; None before the first."""
        return self.looks[-1] if self.looks else None

    @property
    def is_over(self) -> bool:
        """Whether the study has stopped or had its last look."""
        return self.last is not None and self.last.is_final

    def with_look(self, look: Look) -> LookLog:
        """The log with one more look."""
        return replace(self, looks=(*self.looks, look))

    def with_peek(self, peek: Peek) -> LookLog:
        """The log with an analysis in between."""
        return replace(self, peeks=(*self.peeks, peek))


@dataclass(frozen=True, slots=True)
class LookState:
    """How far a study is on the way to its next look."""

    stages: Stages
    number: int  # of the next look; of the last one where the study is over
    done: int  # places that the next look would use
    open: int  # places of its stage
    total: int  # places that are done in all stages
    is_due: bool
    is_over: bool

    @property
    def planned(self) -> int:
        """All places of the study."""
        return self.stages.places[-1]

    @property
    def fraction(self) -> float:
        """The share of all places that is done."""
        return self.total / self.planned

    @property
    def sentence(self) -> str:
        """Such as “Look 1 of 3 is due at 20 of 60 places; 12 are done.”"""
        if self.is_over:
            return f"The study ended at look {self.number} of {self.stages.looks}."
        name = f"Look {self.number} of {self.stages.looks}"
        if self.is_due:
            return f"{name} is due: {self.done} of {count(self.planned, 'place')} are done."
        return (
            f"{name} is due at {self.open} of {count(self.planned, 'place')}; {self.done} "
            f"{'is' if self.done == 1 else 'are'} done."
        )


def look_state(
    study: Study, plan: Plan, done: Mapping[str, int], log: LookLog, *, held: int = 0
) -> LookState | None:
    """How far a study is on the way to its next look; None where none are planned.

    `done`: how many participants have finished each batch. `held`: places that somebody is at work
    on, which a look waits for.
    """
    stages = stages_of(study, plan)
    if stages is None:
        return None
    last = log.last
    number = min(stages.looks, len(log.looks) + (0 if log.is_over else 1))
    opened = stages.open_places[number - 1]
    counted, total = (
        sum(min(places, done.get(batch, 0)) for batch, places in each.items())
        for each in (opened, stages.open_places[-1])
    )
    is_full = all(done.get(batch, 0) >= places for batch, places in opened.items())
    is_due = is_full and not held and not log.is_over and (last is None or last.number < number)
    return LookState(stages, number, counted, sum(opened.values()), total, is_due, log.is_over)
