"""A study of another size, with a plan that can be run: the same batches, again and again.

Batches that share items stay together, so that each item is shown with all its systems. Where the
item file has too few items, some are used again as if they were others.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import count
from math import ceil

from rejudge.design.plan import REFERENCE, Batch, Plan, Task, segment_key
from rejudge.errors import DesignError, Problem
from rejudge.power.studies import StudyShape
from rejudge.study.model import Item, Study


def resize_study(study: Study, plan: Plan, shape: StudyShape) -> tuple[Study, Plan]:
    """The study with the items and participants of a shape, and its plan.

    With more items there are more batches of the same length, with more participants per item each
    batch is done by more people, and with fewer participants in all each of them does more batches.
    """
    if len(study.system_ids) != shape.systems:
        have = len(study.system_ids)
        raise DesignError(Problem(f"the study has {have} systems, not {shape.systems}."))
    copies = _Copies(study, plan)
    main = [
        replace(copies.batch(batch, turn), participants=shape.participants_per_item)
        for batch, turn in _main_batches(plan, shape.items)
    ]
    places = shape.participants_per_item * len(main)
    calibration = [
        replace(batch, participants=min(shape.participants, places))
        for batch in plan.batches
        if batch.is_calibration
    ]
    resized = replace(
        plan,
        batches=(*calibration, *main),
        segments={**plan.segments, **copies.segments},
        batches_per_participant=max(1, ceil(places / shape.participants)),
        conflicts=_conflicts(plan, copies, {batch.id for batch in main}),
        lists=None,
    )
    return replace(study, items=(*study.items, *copies.items())), resized


def batches_needed(plan: Plan, items: int) -> int:
    """How many batches of the plan's length hold so many items."""
    return sum(1 for _ in _main_batches(plan, items))


def _main_batches(plan: Plan, items: int) -> Iterator[tuple[Batch, int]]:
    """Batches until they hold so many items, each with the turn in which it is used."""
    groups = _batches_by_items(plan)
    if not groups:
        raise DesignError(Problem("the plan has no batches.", "Draw it with `rejudge plan`."))
    left = items
    for turn in count():
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
