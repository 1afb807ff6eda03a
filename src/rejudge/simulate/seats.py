"""Who takes which place of a plan, when everybody comes and nobody leaves."""

from __future__ import annotations

from dataclasses import dataclass

from rejudge.design import Batch, Plan


@dataclass(frozen=True, slots=True)
class Seat:
    """One place in a batch; seats are counted from 0."""

    batch: Batch
    number: int


def seats(plan: Plan) -> tuple[tuple[Seat, ...], ...]:
    """The seats of each participant, all places filled: calibration first, then own batches.

    Nobody gets a batch twice, more batches than the plan allows, or two batches that share an
    input; whoever comes takes the first places that are left.
    """
    people: list[list[Seat]] = []
    still_free: list[list[Seat]] = []
    for seat in _places(plan):
        person = next((each for each in still_free if _may_take(each, seat, plan)), None)
        if person is None:
            person = []
            people.append(person)
            still_free.append(person)
        person.append(seat)
        if len(person) == plan.batches_per_participant:
            still_free.remove(person)
    return tuple((*_calibration(plan, number), *own) for number, own in enumerate(people))


def _places(plan: Plan) -> list[Seat]:
    """Round by round: the first place of every batch, then the second of every batch."""
    rounds = max((batch.participants for batch in plan.main), default=0)
    return [
        Seat(batch, number)
        for number in range(rounds)
        for batch in plan.main
        if number < batch.participants
    ]


def _may_take(taken: list[Seat], seat: Seat, plan: Plan) -> bool:
    forbidden = {seat.batch.id, *plan.conflicts.get(seat.batch.id, ())}
    return all(own.batch.id not in forbidden for own in taken)


def _calibration(plan: Plan, number: int) -> tuple[Seat, ...]:
    return tuple(Seat(batch, number) for batch in plan.batches if batch.is_calibration)
