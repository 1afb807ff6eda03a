"""Studies of other sizes: which sizes there are, and what they cost in money and hours."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from math import ceil

from rejudge.design.pay import quote_price
from rejudge.design.plan import Batch, Plan
from rejudge.english import count
from rejudge.errors import DesignError, Problem
from rejudge.power.resize import batches_needed, resize_study
from rejudge.power.studies import StudyShape
from rejudge.study.model import Study

_TIMES = (0.5, 0.75, 1.0, 1.5, 2.0, 3.0)  # the planned items, in the usual grid
_PER_ITEM = (2, 3, 4, 5, 7, 10)  # participants, in the usual grid
_FEW_TIMES, _FEW_PER_ITEM = (0.5, 1.0, 2.0), (3, 5, 10)  # in a grid that takes long to simulate
_MOST_SIZES = 10_000
_MOST_JUDGMENTS = 1_000_000  # of each system


@dataclass(frozen=True, slots=True)
class StudyPrice:
    """The work and the cost of a study of one size."""

    judgments: int  # for each question
    batches: int
    batches_per_participant: int
    hours: float  # of all participants together
    cost: Decimal | None = None  # with fees and taxes; None where nobody is paid or it is unknown
    currency: str | None = None
    missing_items: int = 0  # that the item file does not have


@dataclass(frozen=True, slots=True)
class SizeGrid:
    """The sizes to simulate, and why other requested sizes are left out."""

    shapes: tuple[StudyShape, ...]
    notes: tuple[str, ...] = ()


def planned_shape(study: Study, plan: Plan) -> StudyShape:
    """The size of a plan: its items, and how many people judge each of them on average."""
    items = _items_of(plan)
    seen = sum(batch.participants * len(_items_in([batch])) for batch in plan.main)
    shown = sum(len(_items_in([batch])) for batch in plan.main)
    per_item = max(1, round(seen / max(1, shown)))
    people = max(plan.people, per_item)
    return StudyShape(items, per_item, people, len(study.system_ids))


def size_grid(
    study: Study,
    plan: Plan,
    *,
    items: Sequence[int] = (),
    per_item: Sequence[int] = (),
    participants: Sequence[int] = (),
    is_coarse: bool = False,
) -> SizeGrid:
    """Every combination of the given sizes that can be run; the usual ones around the plan.

    `is_coarse`: fewer usual ones, because each takes long to simulate.
    """
    planned = planned_shape(study, plan)
    times, people = (_FEW_TIMES, _FEW_PER_ITEM) if is_coarse else (_TIMES, _PER_ITEM)
    item_counts = sorted(set(items)) or _usual_items(plan, planned, times)
    people_counts = sorted(set(per_item)) or sorted({*people, planned.participants_per_item})
    if len(item_counts) * len(people_counts) * max(1, len(participants)) > _MOST_SIZES:
        raise DesignError(
            Problem(
                f"these are more than {_MOST_SIZES:,} sizes.",
                "Give fewer numbers of items, participants per item or participants.",
            )
        )
    _refuse_enormous(max(item_counts), max(people_counts))
    shapes: list[StudyShape] = []
    notes: list[str] = []
    for number in item_counts:
        for each in people_counts:
            fitting, unfit = _with_participants(plan, planned, (number, each), participants)
            shapes += fitting
            notes += unfit
    if not items and not per_item and not participants and planned not in shapes:
        shapes.append(planned)
    if not shapes:
        raise DesignError(
            Problem(notes[0], "Give other numbers of participants.")
            if notes
            else Problem("there are no sizes to compute.", "Give --items.")
        )
    return SizeGrid(tuple(shapes), _few(notes))


def _refuse_enormous(items: int, per_item: int) -> None:
    """A size that no simulation can hold in memory, and nobody can pay for."""
    if items * per_item > _MOST_JUDGMENTS:
        raise DesignError(
            Problem(
                f"{items:,} items × {per_item:,} participants each are too many to simulate.",
                f"Give sizes with up to {_MOST_JUDGMENTS:,} judgments of each system.",
            )
        )


def _few(notes: Sequence[str], most: int = 3) -> tuple[str, ...]:
    rest = len(notes) - most
    return (
        *notes[:most],
        *([f"{rest:,} more sizes were left out for similar reasons."] if rest > 0 else ()),
    )


def _usual_items(plan: Plan, planned: StudyShape, multiples: Sequence[float]) -> list[int]:
    """Around the planned number, as whole batches where a batch holds whole inputs."""
    step = max(1, round(planned.items / max(1, len(plan.main))))
    return sorted(
        {
            planned.items,
            *(max(step, step * round(planned.items * times / step)) for times in multiples),
        }
    )


def _with_participants(
    plan: Plan, planned: StudyShape, size: tuple[int, int], asked: Sequence[int]
) -> tuple[list[StudyShape], list[str]]:
    """The shapes of one number of items and participants per item, and what does not fit."""
    items, per_item = size
    if not asked and (items, per_item) == (planned.items, planned.participants_per_item):
        return [planned], []
    places = per_item * batches_needed(plan, items)
    if not asked:
        people = max(per_item, ceil(places / plan.batches_per_participant))
        return [StudyShape(items, per_item, people, planned.systems)], []
    shapes: list[StudyShape] = []
    notes: list[str] = []
    for people in sorted(set(asked)):
        if per_item <= people <= places:
            shapes.append(StudyShape(items, per_item, people, planned.systems))
        elif people < per_item:
            notes.append(
                f"{count(people, 'participant')} in all are too few for {per_item} per item."
            )
        else:
            notes.append(
                f"{items:,} items with {per_item} participants each are {count(places, 'place')}, "
                f"too few for {count(people, 'participant')}."
            )
    return shapes, notes


def price_study(study: Study, plan: Plan, shape: StudyShape, *, on: date) -> StudyPrice:
    """What a study of this size costs, by the study's own rule of pay."""
    is_planned = shape == planned_shape(study, plan)
    sized, resized = (study, plan) if is_planned else resize_study(study, plan, shape)
    asked = quote_price(sized, resized, on=on)
    work = asked.work
    minutes = work.usual_minutes * work.rewards + work.calibration_minutes * work.participants
    available = len(study.items)
    return StudyPrice(
        judgments=resized.judgments_per_question,
        batches=len(resized.main),
        batches_per_participant=resized.batches_per_participant,
        hours=float(minutes) / 60,
        cost=None if asked.cost is None else asked.cost.total,
        currency=asked.currency if asked.cost is not None else None,
        missing_items=max(0, shape.items - available),
    )


def _items_of(plan: Plan) -> int:
    return len(_items_in(plan.main))


def _items_in(batches: Iterable[Batch]) -> set[str]:
    return {task.item for batch in batches for task in batch.real}
