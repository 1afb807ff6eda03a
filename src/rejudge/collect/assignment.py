"""Assignments: their states, which batch is handed out next, and how long it is reserved.

                     ┌────────── renew ──────────┐
                     ▼                           │
    claim ───────▶ held ──────── expire ─────▶ expired
                     │                           │
                     │ submit                    │ submit: a place is free? ── no ──▶ surplus
                     ▼                           ▼ yes                              │      ▲
                 submitted ◀─────────────────────┘ ◀── fill (a place became free) ──┘      │
                     │                                                                     │
          accept ────┼──── fail, exclude                                                   │
             ▼       │            ▼                                                        │
         accepted ◀──┼─ accept ─ excluded ─ accept, but no place is free ──────────────────┘
             │       │            │
             └───────┴─ return ───┴──▶ returned            (from everywhere: withdraw ▶ withdrawn)

Held, submitted and accepted take a place of the batch; the others do not. Whoever finishes gets the
code, in whatever state the work is kept. People who have lists of their own do their batches in
their order.

The name is signed: a link in which it was changed or made up is rejected.
"""

from __future__ import annotations

import hmac
from base64 import urlsafe_b64encode
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal, Protocol, TypeAlias

from rejudge.design.duration import estimate_duration
from rejudge.design.pay import Earnings, Quote, Stint, hourly_earnings
from rejudge.design.plan import Plan
from rejudge.errors import DataError, Problem
from rejudge.study.model import Study

Status: TypeAlias = Literal[
    "held",  # somebody works on it, or could
    "submitted",  # finished, not yet looked at
    "accepted",  # looked at and good
    "excluded",  # finished, but does not count; somebody else takes the place
    "returned",  # given back by the participant
    "expired",  # nothing was heard for too long; the place is free
    "surplus",  # finished when all places were taken
    "withdrawn",  # the person asked for deletion; nothing of it is left but this word
]
Event: TypeAlias = Literal[
    "renew",  # the participant did something
    "expire",  # nothing was heard for too long
    "submit",  # everything is answered
    "fail",  # too many checks were wrong
    "fill",  # a place became free for what was surplus
    "accept",
    "exclude",
    "return",
    "withdraw",
]

STATUSES: tuple[Status, ...] = (
    "held", "submitted", "accepted", "excluded", "returned", "expired", "surplus", "withdrawn",
)  # fmt: skip
TAKES_PLACE: frozenset[Status] = frozenset({"held", "submitted", "accepted"})
FINISHED: frozenset[Status] = frozenset({"submitted", "accepted", "excluded", "surplus"})

_LOOKED_AT: tuple[Status, ...] = (
    "held", "expired", "submitted", "accepted", "surplus", "excluded",
)  # fmt: skip

# By event and state: where it leads while a place is free, and where when none is. What is not
# here is refused, but for what has happened already, which happens once.
_LEADS: dict[Event, dict[Status, tuple[Status, Status]]] = {
    "renew": {"held": ("held", "held"), "expired": ("held", "expired")},
    "expire": {"held": ("expired", "expired")},
    "submit": {
        "held": ("submitted", "submitted"),
        "expired": ("submitted", "surplus"),
        "returned": ("surplus", "surplus"),
        **{done: (done, done) for done in FINISHED},
    },
    "fail": {
        "submitted": ("excluded", "excluded"),
        "surplus": ("excluded", "excluded"),
        "excluded": ("excluded", "excluded"),
    },
    "fill": {"surplus": ("submitted", "surplus")},
    "accept": {
        "submitted": ("accepted", "accepted"),
        "accepted": ("accepted", "accepted"),
        "excluded": ("accepted", "surplus"),
        "surplus": ("accepted", "surplus"),
    },
    "exclude": dict.fromkeys(_LOOKED_AT, ("excluded", "excluded")),
    "return": dict.fromkeys((*_LOOKED_AT, "returned"), ("returned", "returned")),
    "withdraw": dict.fromkeys(STATUSES, ("withdrawn", "withdrawn")),
}
_LEAST_MINUTES = 30.0
_TIMES_EXPECTED = 3
_LEAST_TO_BEGIN = 15.0
BATCH_PARAMETER: Final = "BATCH"  # in the query of a link: NAME.SIGNATURE
_SIGNATURE = 22  # characters: 132 bits


def next_status(status: Status, event: Event, *, place_is_free: bool) -> Status | None:
    """The state after an event; None when it cannot happen in this state.

    `place_is_free`: whether the batch has a place that nobody takes, this assignment aside.
    """
    leads = _LEADS[event].get(status)
    return None if leads is None else leads[0 if place_is_free else 1]


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
class Occupancy:
    """The places of a batch: how many are wanted, done, and held by somebody at work."""

    batch: str
    places: int
    done: int  # submitted or accepted
    held: int

    @property
    def is_free(self) -> bool:
        """Whether one more may begin."""
        return self.done + self.held < self.places


@dataclass(frozen=True, slots=True)
class PastAssignment:
    """What somebody has had of a batch before."""

    batch: str
    status: Status


def choose_batch(
    plan: Plan,
    occupancies: Sequence[Occupancy],
    past: Collection[PastAssignment],
    *,
    spare: int | None = None,
) -> str | None:
    """The batch for somebody with this past; None when there is nothing left for them.

    Calibration comes first, for as many people as find a place afterwards: `spare` is how many
    places are free and not kept for somebody else who is in calibration or in the qualification
    (`spare_places`); None where a study has neither. Of the others, the batch nearest to completion
    goes first, counted by finished work and not by beginnings; among equals the first of the plan.
    Nobody gets a batch twice, a batch that shares an input with one they had, or more batches than
    the plan allows; one that expired does not count towards those.
    """
    if spare is not None and spare <= 0:
        return None
    had = {each.batch for each in past}
    for batch in plan.batches:
        if batch.is_calibration and batch.id not in had:
            return batch.id
    own = [each for each in past if not _is_calibration(plan, each.batch)]
    if sum(each.status != "expired" for each in own) >= plan.batches_per_participant:
        return None
    barred = barred_batches(plan, past)
    free = [
        occupancy
        for occupancy in occupancies
        if occupancy.is_free
        and occupancy.batch not in barred
        and not _is_calibration(plan, occupancy.batch)
    ]
    return (
        min(free, key=lambda occupancy: occupancy.places - occupancy.done).batch if free else None
    )


def spare_places(
    plan: Plan, occupancies: Sequence[Occupancy], waiting: int, *, qualifying: int | None = None
) -> int | None:
    """How many places are free and kept for nobody; None where none are kept for anybody.

    `waiting`: how many others are in calibration, or through with it, and have no batch yet.
    `qualifying`: how many others are in the qualification; None for a study without one.
    """
    if qualifying is None and not any(batch.is_calibration for batch in plan.batches):
        return None
    free = sum(
        max(0, occupancy.places - occupancy.done - occupancy.held)
        for occupancy in occupancies
        if not _is_calibration(plan, occupancy.batch)
    )
    return free - waiting - (qualifying or 0)


def _is_calibration(plan: Plan, batch: str) -> bool:
    if batch not in plan.batch:
        known = ", ".join(plan.batch)
        raise DataError(Problem(f"the plan has no batch '{batch}'.", f"It has {known}."))
    return plan.batch[batch].is_calibration


def barred_batches(plan: Plan, past: Collection[PastAssignment]) -> frozenset[str]:
    """The batches that somebody has had, and those that share an input with one of them."""
    had = frozenset(each.batch for each in past)
    return had.union(*(plan.conflicts.get(batch, ()) for batch in had))


def has_place(
    plan: Plan,
    occupancy: Occupancy,
    others: Collection[PastAssignment],
    *,
    spare: int | None = None,
) -> bool:
    """Whether somebody's late or rejected work may take a place of its batch (again).

    `others`: what the same person has or had beside it. The batch must have a free place that is
    kept for nobody (`spare`, as in `choose_batch`), and no more of theirs may count than one
    participant may do. Finished calibration always counts.
    """
    if _is_calibration(plan, occupancy.batch):
        return True
    if spare is not None and spare <= 0:
        return False
    counted = [
        each
        for each in others
        if each.status in TAKES_PLACE and not _is_calibration(plan, each.batch)
    ]
    return occupancy.is_free and len(counted) < plan.batches_per_participant


def may_resume(
    plan: Plan,
    occupancy: Occupancy,
    others: Collection[PastAssignment],
    *,
    spare: int | None = None,
) -> bool:
    """Whether an expired batch may be held again: it has a place, and nothing else is in hand.

    Calibration may while there is a place for afterwards, as when it is begun.
    """
    if any(each.status == "held" for each in others):
        return False
    if _is_calibration(plan, occupancy.batch) and spare is not None and spare <= 0:
        return any(not _is_calibration(plan, each.batch) for each in others)
    return has_place(plan, occupancy, others, spare=spare)


def free_seat(taken: Collection[tuple[int, Status]]) -> int:
    """The lowest seat of a batch that nobody takes; the order of tasks may depend on it."""
    busy = {seat for seat, status in taken if status in TAKES_PLACE}
    return next(seat for seat in range(len(busy) + 1) if seat not in busy)


def lease(study: Study, plan: Plan) -> timedelta:
    """As long as the study says; else three times the longest batch, at least 30 minutes.

    The minutes that are paid count where they are more than the estimate, never less.
    """
    if study.spec.site.minutes_held is not None:
        return timedelta(minutes=study.spec.site.minutes_held)
    payment = study.spec.payment
    paid = payment.minutes if payment is not None else None
    minutes = max(paid or 0, estimate_duration(study, plan).longest)
    return timedelta(minutes=max(_LEAST_MINUTES, _TIMES_EXPECTED * minutes))


def first_lease(study: Study, plan: Plan) -> timedelta:
    """How long a batch is kept for somebody who has not answered anything in it yet.

    As long as the study says; else three times the reading and practice that come first, at least
    15 minutes. Where all tasks are on one page, the first answer can come with the last one
    (without JavaScript it does), so the time is that of the lease. Never longer than that.
    """
    minutes = study.spec.site.minutes_to_begin
    if minutes is None and study.spec.site.show == "list":
        return lease(study, plan)
    if minutes is None:
        before = estimate_duration(study, plan).parts.once
        minutes = max(_LEAST_TO_BEGIN, _TIMES_EXPECTED * before)
    return min(lease(study, plan), timedelta(minutes=minutes))


class Worker(Protocol):
    """As much of a participant as decides about pay."""

    @property
    def statuses(self) -> Mapping[str, Status]:
        """The state of each batch they have or had."""

    @property
    def wall_minutes(self) -> float:
        """From arrival to the last sign of them, as platforms count time."""


def earned_by_clock(quote: Quote, plan: Plan, people: Sequence[Worker]) -> Earnings | None:
    """The hourly pay, by the clock, of those who finished; None where nobody did."""
    finished = [person for person in people if has_finished(person)]
    return hourly_earnings(quote, [stint(person, plan, person.wall_minutes) for person in finished])


def has_finished(person: Worker) -> bool:
    """Whether somebody has finished everything they began."""
    statuses = list(person.statuses.values())
    return any(status in FINISHED for status in statuses) and "held" not in statuses


def stint(person: Worker, plan: Plan, minutes: float) -> Stint:
    """The work that somebody is paid for."""
    finished = [batch for batch, status in person.statuses.items() if status in FINISHED]
    own = [batch for batch in finished if not plan.batch[batch].is_calibration]
    return Stint(len(own), minutes, is_calibrated=len(own) < len(finished))


def next_on_list(
    plan: Plan,
    own: Sequence[str] | None,
    past: Collection[PastAssignment],
    *,
    closed: Collection[str] = (),
) -> str | None:
    """The first batch that somebody has not had yet, calibration first; None: nothing is left.

    `own`: their list; None for somebody who has none, and who gets nothing. `closed`: batches of a
    stage that is not open yet.
    """
    if own is None:
        return None
    had = {each.batch for each in past}
    shared = (batch.id for batch in plan.batches if batch.is_calibration)
    listed = (batch for batch in (*shared, *own) if batch not in closed)
    return next((batch for batch in listed if batch not in had), None)


def sign_batch(secret: bytes, study: str, batch: str) -> str:
    """What a link says to lead to this batch. `secret`: what the site signs with."""
    key = hmac.digest(secret, f"batch link {study}".encode(), "sha256")
    digest = hmac.digest(key, batch.encode("utf-8", "surrogatepass"), "sha256")
    return f"{batch}.{urlsafe_b64encode(digest).decode()[:_SIGNATURE]}"


def read_batch(secret: bytes, study: str, text: str) -> str | None:
    """The batch that a link names; None if it was not signed for this study."""
    batch = text.rpartition(".")[0]
    given = text.encode("utf-8", "surrogatepass")
    ours = sign_batch(secret, study, batch).encode("utf-8", "surrogatepass")
    return batch if hmac.compare_digest(given, ours) else None


def named_batch(
    plan: Plan, named: str, occupancy: Occupancy | None, past: Collection[PastAssignment]
) -> str | None:
    """The batch for somebody whose link names one: calibration first, then exactly that batch.

    None where it is full, where they have had it or one that shares an input with it, or where they
    have had as many as one person may do. `occupancy`: of the named batch; None if the plan has no
    such batch.
    """
    if occupancy is None or named not in plan.batch or plan.batch[named].is_calibration:
        return None
    own = [each for each in past if not _is_calibration(plan, each.batch)]
    has_share = sum(each.status != "expired" for each in own) >= plan.batches_per_participant
    if has_share or not occupancy.is_free or named in barred_batches(plan, past):
        return None
    had = {each.batch for each in past}
    first = (batch.id for batch in plan.batches if batch.is_calibration and batch.id not in had)
    return next(first, named)
