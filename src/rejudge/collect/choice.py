"""Which batch the next participant gets."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from rejudge.collect.states import TAKES_PLACE, Status
from rejudge.design import Plan


@dataclass(frozen=True, slots=True)
class Room:
    """How a batch stands: places wanted, finished work that counts, and work in progress."""

    batch: str
    places: int
    done: int  # submitted or accepted
    held: int

    @property
    def is_free(self) -> bool:
        """Whether one more may begin."""
        return self.done + self.held < self.places


@dataclass(frozen=True, slots=True)
class Past:
    """What somebody has had of a batch before."""

    batch: str
    status: Status


def choose_batch(
    plan: Plan, rooms: Sequence[Room], past: Collection[Past], *, spare: int | None = None
) -> str | None:
    """The batch for somebody with this past; None when there is nothing left for them.

    Calibration comes first, for as many people as find a place afterwards: `spare` is how many
    places are free and not kept for somebody else who is in calibration (`spare_places`); None
    where a plan has no calibration. Of the others, the batch nearest to completion goes first,
    counted by finished work and not by beginnings; among equals the first of the plan. Nobody gets
    a batch twice, a batch that shares an input with one they had, or more batches than the plan
    allows; one that expired does not count towards those.
    """
    if spare is not None and spare <= 0:
        return None
    had = {each.batch for each in past}
    for batch in plan.batches:
        if batch.is_calibration and batch.id not in had:
            return batch.id
    own = [each for each in past if not plan.batch[each.batch].is_calibration]
    if sum(each.status != "expired" for each in own) >= plan.batches_per_participant:
        return None
    barred = barred_batches(plan, past)
    free = [
        room
        for room in rooms
        if room.is_free and room.batch not in barred and not plan.batch[room.batch].is_calibration
    ]
    return min(free, key=lambda room: room.places - room.done).batch if free else None


def spare_places(plan: Plan, rooms: Sequence[Room], waiting: int) -> int | None:
    """How many places are free and kept for nobody; None where a plan has no calibration.

    `waiting`: how many others are in calibration, or through with it, and have no batch yet.
    """
    if not any(batch.is_calibration for batch in plan.batches):
        return None
    free = sum(
        max(0, room.places - room.done - room.held)
        for room in rooms
        if not plan.batch[room.batch].is_calibration
    )
    return free - waiting


def barred_batches(plan: Plan, past: Collection[Past]) -> frozenset[str]:
    """The batches that somebody has had, and those that share an input with one of them."""
    had = frozenset(each.batch for each in past)
    return had.union(*(plan.conflicts.get(batch, ()) for batch in had))


def has_place(
    plan: Plan, room: Room, others: Collection[Past], *, spare: int | None = None
) -> bool:
    """Whether somebody's late or rejected work may take a place of its batch (again).

    `others`: what the same person has or had beside it. There must be room in the batch that is
    kept for nobody (`spare`, as in `choose_batch`), and no more of theirs may count than one
    participant may do. Finished calibration always counts.
    """
    if plan.batch[room.batch].is_calibration:
        return True
    if spare is not None and spare <= 0:
        return False
    counted = [
        each
        for each in others
        if each.status in TAKES_PLACE and not plan.batch[each.batch].is_calibration
    ]
    return room.is_free and len(counted) < plan.batches_per_participant


def may_resume(
    plan: Plan, room: Room, others: Collection[Past], *, spare: int | None = None
) -> bool:
    """Whether an expired batch may be held again: it has a place, and nothing else is in hand.

    Calibration may while there is a place for afterwards, as when it is begun.
    """
    if any(each.status == "held" for each in others):
        return False
    if plan.batch[room.batch].is_calibration and spare is not None and spare <= 0:
        return any(not plan.batch[each.batch].is_calibration for each in others)
    return has_place(plan, room, others, spare=spare)


def free_seat(taken: Collection[tuple[int, Status]]) -> int:
    """The lowest seat of a batch that nobody takes; the order of tasks may depend on it."""
    busy = {seat for seat, status in taken if status in TAKES_PLACE}
    return next(seat for seat in range(len(busy) + 1) if seat not in busy)
