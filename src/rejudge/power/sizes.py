"""Sizes of a study: which there are, the study and plan of each, and its cost in money and hours.

Batches that share items stay together, so that each item is shown with all its systems. Where the
item file has too few items, some are used again as if they were others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from itertools import count as counting
from math import ceil
from typing import Final, TypeAlias

from rejudge.design.pay import quote_price
from rejudge.design.plan import REFERENCE, Batch, Plan, Task, segment_key
from rejudge.english import count
from rejudge.errors import DataError, DesignError, Problem
from rejudge.study.model import Item, Study

_MOST_SIZES: Final = 10_000
_MOST_JUDGMENTS: Final = 1_000_000  # of each system


@dataclass(frozen=True, slots=True)
class StudyShape:
    """Who judges what: every participant judges all systems on the items of their block.

    A block is one batch, or the batches that the same participants judge. Blocks are as equal as
    they can be; with as many participants as each item needs, there is one, and everybody judges
    everything.
    """

    items: int
    participants_per_item: int
    participants: int  # in all; with fewer than are needed at one batch each, they do several
    systems: int = 2

    def __post_init__(self) -> None:
        named = {
            "items": (self.items, 1),
            "participants per item": (self.participants_per_item, 1),
            "participants": (self.participants, self.participants_per_item),
            "systems": (self.systems, 2),
        }
        problems = [
            Problem(f"A study has {least} {what} or more, not {given}.")
            for what, (given, least) in named.items()
            if given < least
        ]
        if problems:
            raise DataError.of(problems)

    @property
    def size(self) -> tuple[int, ...]:
        """Its place in the grid of sizes, which is also part of its seed."""
        return tuple(getattr(self, each.field) for each in DIMENSIONS)

    @property
    def blocks(self) -> int:
        """How many groups of participants judge items of their own."""
        return max(1, min(self.participants // self.participants_per_item, self.items))

    @property
    def block_sizes(self) -> tuple[int, ...]:
        """How many items each block has."""
        small, larger = divmod(self.items, self.blocks)
        return tuple(small + (block < larger) for block in range(self.blocks))

    @property
    def judging(self) -> int:
        """How many participants have a place; the others are too few for a block of their own."""
        return self.blocks * self.participants_per_item


Partial: TypeAlias = Mapping[str, int]  # a size whose first dimensions are chosen
Usual: TypeAlias = Callable[[Plan, StudyShape, Partial, bool], list[int]]
Resize: TypeAlias = Callable[[Study, Plan, int], tuple[Study, Plan]]


@dataclass(frozen=True, slots=True)
class Dimension:
    """One dimension of the grid of sizes: an option of `rejudge power`."""

    field: str  # of `StudyShape`
    option: str
    help: str
    usual: Usual  # its values, where none are given: of a plan, few of them where each takes long
    resize: Resize  # the study and its plan with another value; what it costs follows from them


def _usual_items(plan: Plan, planned: StudyShape, _: Partial, is_coarse: bool) -> list[int]:  # noqa: FBT001
    """Around the planned number, as whole batches where a batch holds whole inputs."""
    step = max(1, round(planned.items / max(1, len(plan.main))))
    times = (0.5, 1.0, 2.0) if is_coarse else (0.5, 0.75, 1.0, 1.5, 2.0, 3.0)
    return [planned.items, *(max(step, step * round(planned.items * n / step)) for n in times)]


def _usual_per_item(_: Plan, planned: StudyShape, __: Partial, is_coarse: bool) -> list[int]:  # noqa: FBT001
    usual = (3, 5, 10) if is_coarse else (2, 3, 4, 5, 7, 10)
    return [planned.participants_per_item, *usual]


def _usual_people(plan: Plan, planned: StudyShape, size: Partial, _: bool) -> list[int]:  # noqa: FBT001
    """As many as do the planned number of batches each."""
    items, per_item = size["items"], size["participants_per_item"]
    if (items, per_item) == (planned.items, planned.participants_per_item):
        return [planned.participants]
    places = per_item * batches_needed(plan, items)
    return [max(per_item, ceil(places / plan.batches_per_participant))]


@dataclass(frozen=True, slots=True)
class SizeGrid:
    """The sizes to simulate, and why other requested sizes are left out."""

    shapes: tuple[StudyShape, ...]
    notes: tuple[str, ...] = ()


def size_grid(
    study: Study,
    plan: Plan,
    given: Mapping[str, Sequence[int]] | None = None,
    *,
    is_coarse: bool = False,
) -> SizeGrid:
    """Every combination of the given values that can be run, by dimension; the usual ones of those
    that are not given.

    `is_coarse`: fewer usual ones, because each takes long to simulate.
    """
    planned, asked = planned_shape(study, plan), {k: v for k, v in (given or {}).items() if v}
    sizes: list[dict[str, int]] = [{}]
    for each in DIMENSIONS:
        sizes = [
            {**size, each.field: value}
            for size in sizes
            for value in sorted(
                set(asked.get(each.field) or each.usual(plan, planned, size, is_coarse))
            )
        ]
        _refuse_enormous(sizes)
    reasons = [_too_few(plan, size) if "participants" in asked else "" for size in sizes]
    shapes = [
        StudyShape(**size, systems=planned.systems)
        for size, reason in zip(sizes, reasons, strict=True)
        if not reason
    ]
    notes = [reason for reason in reasons if reason]
    if not asked and planned not in shapes:
        shapes.append(planned)
    if not shapes:
        raise DesignError(Problem(notes[0], "Give other numbers of participants."))
    return SizeGrid(tuple(shapes), _few(notes))


def _too_few(plan: Plan, size: Partial) -> str:
    """Why participants do not fit a size; empty if they do."""
    items, per_item, people = (size[each.field] for each in DIMENSIONS)
    places = per_item * batches_needed(plan, items)
    if people < per_item:
        return f"{count(people, 'participant')} in all are too few for {per_item} per item."
    if people > places:
        return (
            f"{items:,} items with {per_item} participants each are {count(places, 'place')}, "
            f"too few for {count(people, 'participant')}."
        )
    return ""


def _refuse_enormous(sizes: Sequence[Partial]) -> None:
    """Sizes that no simulation can hold in memory, and nobody can pay for."""
    if len(sizes) > _MOST_SIZES:
        raise DesignError(
            Problem(
                f"these are more than {_MOST_SIZES:,} sizes.",
                "Give fewer numbers of items, participants per item or participants.",
            )
        )
    for size in sizes:
        items, per_item = size["items"], size.get("participants_per_item", 1)
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


def planned_shape(study: Study, plan: Plan) -> StudyShape:
    """The size of a plan: its items, and how many people judge each of them on average."""
    items = len(_items_in(plan.main))
    seen = sum(batch.participants * len(_items_in([batch])) for batch in plan.main)
    shown = sum(len(_items_in([batch])) for batch in plan.main)
    per_item = max(1, round(seen / max(1, shown)))
    people = max(plan.people, per_item)
    return StudyShape(items, per_item, people, len(study.system_ids))


def _items_in(batches: Iterable[Batch]) -> set[str]:
    return {task.item for batch in batches for task in batch.real}


# ── what a size costs ─────────────────────────────────────────────────────────────────────────────


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


# ── the study of a size ───────────────────────────────────────────────────────────────────────────


def resize_study(study: Study, plan: Plan, shape: StudyShape) -> tuple[Study, Plan]:
    """The study with the items and participants of a shape, and its plan."""
    for each in DIMENSIONS:
        study, plan = each.resize(study, plan, getattr(shape, each.field))
    return study, plan


def _with_items(study: Study, plan: Plan, items: int) -> tuple[Study, Plan]:
    """With more items there are more batches of the same length."""
    copies = _Copies(study, plan)
    main = [copies.batch(batch, turn) for batch, turn in _main_batches(plan, items)]
    resized = replace(
        plan,
        batches=(*(batch for batch in plan.batches if batch.is_calibration), *main),
        segments={**plan.segments, **copies.segments},
        conflicts=_conflicts(plan, copies, {batch.id for batch in main}),
        lists=None,
    )
    return replace(study, items=(*study.items, *copies.items())), resized


def _with_participants_per_item(study: Study, plan: Plan, number: int) -> tuple[Study, Plan]:
    """With more participants per item each batch is done by more people."""
    return study, replace(
        plan,
        batches=tuple(
            batch if batch.is_calibration else replace(batch, participants=number)
            for batch in plan.batches
        ),
    )


def _with_participants(study: Study, plan: Plan, number: int) -> tuple[Study, Plan]:
    """With fewer participants in all each of them does more batches."""
    places = sum(batch.participants for batch in plan.main)
    return study, replace(
        plan,
        batches=tuple(
            replace(batch, participants=min(number, places)) if batch.is_calibration else batch
            for batch in plan.batches
        ),
        batches_per_participant=max(1, ceil(places / number)),
    )


DIMENSIONS: Final = (  # a new one is an entry here and a field of `StudyShape`
    Dimension(
        "items", "--items", "Numbers of items, such as 50,100,200.", _usual_items, _with_items
    ),
    Dimension(
        "participants_per_item",
        "--per-item",
        "Participants per item, such as 2,3,5.",
        _usual_per_item,
        _with_participants_per_item,
    ),
    Dimension(
        "participants",
        "--participants",
        "Total number of participants; each does as many batches as needed.",
        _usual_people,
        _with_participants,
    ),
)


def batches_needed(plan: Plan, items: int) -> int:
    """How many batches of the plan's length hold so many items."""
    return sum(1 for _ in _main_batches(plan, items))


def _main_batches(plan: Plan, items: int) -> Iterator[tuple[Batch, int]]:
    """Batches until they hold so many items, each with the turn in which it is used."""
    groups = _batches_by_items(plan)
    if not groups:
        raise DesignError(Problem("the plan has no batches.", "Draw it with `rejudge plan`."))
    left = items
    for turn in counting():
        for group in groups:
            own = dict.fromkeys(task.item for batch in group for task in batch.real)
            kept = set(list(own)[:left])
            for batch in group:
                part = batch if len(kept) == len(own) else _part(batch, kept)
                if part.real:
                    yield part, turn
            left -= len(kept)
            if left <= 0:
                return


def _batches_by_items(plan: Plan) -> list[list[Batch]]:
    """Groups of batches that share items, directly or through other batches, in their order."""
    group_of: dict[str, list[int]] = {}  # places of batches, by item
    for place, batch in enumerate(plan.main):
        joined = {place}
        for task in batch.real:
            joined.update(group_of.get(task.item, ()))
        group = sorted(joined)
        for task in (task for each in group for task in plan.main[each].real):
            group_of[task.item] = group
    groups = sorted({tuple(group) for group in group_of.values()})
    return [[plan.main[place] for place in group] for group in groups]


def _part(batch: Batch, items: set[str]) -> Batch:
    """The tasks of some items, with all checks."""
    kept = {task.id for task in batch.real if task.item in items}
    return replace(
        batch,
        tasks=tuple(
            task
            for task in batch.tasks
            if task.id in kept or task.kind == "check" or task.repeats in kept
        ),
    )


def _conflicts(plan: Plan, copies: _Copies, used: set[str]) -> dict[str, tuple[str, ...]]:
    """Batches that share an input, among those that are used."""
    found = {}
    for turn in range(copies.turns):
        for batch, others in plan.conflicts.items():
            here = copies.name(batch, turn)
            if here in used:
                named = (copies.name(other, turn) for other in others)
                found[here] = tuple(other for other in named if other in used)
    return found


@dataclass(slots=True)
class _Copies:
    """Batches, tasks and items that are used again, under names of their own."""

    study: Study
    plan: Plan
    segments: dict[str, tuple[int, ...]] = field(default_factory=dict)
    turns: int = 0
    _items: dict[str, tuple[str, int]] = field(default_factory=dict)  # what each one copies

    def name(self, original: str, turn: int) -> str:
        """Names of later turns are new: no id of a study contains a line break."""
        return original if turn == 0 else f"{original}\n{turn + 1}"

    def batch(self, batch: Batch, turn: int) -> Batch:
        """A batch as it is used in a turn."""
        self.turns = max(self.turns, turn + 1)
        if turn == 0:
            return batch
        tasks = tuple(self._task(task, turn) for task in batch.tasks)
        return replace(batch, id=self.name(batch.id, turn), tasks=tasks)

    def _task(self, task: Task, turn: int) -> Task:
        own = replace(
            task,
            id=self.name(task.id, turn),
            repeats=None if task.repeats is None else self.name(task.repeats, turn),
        )
        if task.kind == "check":  # made from items that nobody judges
            return own
        item = self.name(task.item, turn)
        self._items[item] = (task.item, turn)
        for option in (*task.options, REFERENCE):
            ends = self.plan.segments.get(segment_key(task.item, option))
            if ends is not None:
                self.segments[segment_key(item, option)] = ends
        return replace(own, item=item)

    def items(self) -> Iterator[Item]:
        """The copied items."""
        for name, (original, turn) in self._items.items():
            item = self.study.item[original]
            yield replace(item, id=name, group=self.name(item.group, turn))
