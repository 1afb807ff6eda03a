"""The order of tasks in a batch: checks never first, repeats after what they repeat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import ceil

from rejudge.design.chance import Chance
from rejudge.design.plan import Batch, Plan, Task
from rejudge.design.squares import williams_row
from rejudge.study import Design, Repeats


def lay_out(
    design: Design, tasks: tuple[Sequence[Task], Sequence[Task]], batch: str, chance: Chance
) -> tuple[Task, ...]:
    """The tasks of a batch (real ones and checks) in their order, with repeats and final ids."""
    real = tasks[0]
    repeats = [] if design.repeats is None else _repeated(real, design.repeats, chance)
    if design.order != "listed":
        real = chance.stream("real").shuffled(real)
    sequence = _mixed(real, repeats, tasks[1], chance, at_end=design.order == "latin-square")
    return _numbered(sequence, batch)


def order_for(plan: Plan, batch: Batch, seat: int) -> tuple[Task, ...]:
    """The order that the participant in a seat of a batch sees; seats are counted from 0."""
    if plan.order == "participant":
        chance = Chance(plan.seed, "seat", batch.id, seat)
        real = chance.stream("real").shuffled(batch.real)
        repeats = [task for task in batch.tasks if task.kind == "repeat"]
        checks = [task for task in batch.tasks if task.kind == "check"]
        return tuple(_mixed(real, repeats, checks, chance))
    if plan.order == "latin-square":
        real = list(batch.real)
        row = iter(williams_row(len(real), seat))
        return tuple(real[next(row)] if task.is_real else task for task in batch.tasks)
    return batch.tasks


def _repeated(real: Sequence[Task], repeats: Repeats, chance: Chance) -> list[Task]:
    count = max(1, round(repeats.share * len(real)))
    return [
        replace(
            task,
            id="",
            kind="repeat",
            repeats=task.id,
            options=task.options[::-1] if repeats.mirrored else task.options,
        )
        for task in chance.stream("repeats").sample(real, min(count, len(real) // 2))
    ]


def _mixed(
    real: Sequence[Task],
    repeats: Sequence[Task],
    checks: Sequence[Task],
    chance: Chance,
    *,
    at_end: bool = False,
) -> list[Task]:
    """Real tasks with repeats in the second half (or at the end) and checks anywhere but first."""
    half = ceil(len(real) / 2)
    originals = {task.repeats for task in repeats}
    sequence = list(real) if at_end else _early(real, originals, half, chance.stream("early"))
    for task in chance.stream("repeat order").shuffled(repeats):
        spread = 0 if at_end else chance.below(len(sequence) - half + 1)
        sequence.insert(len(sequence) - spread, task)
    for task in chance.stream("check order").shuffled(checks):
        sequence.insert(1 + chance.below(len(sequence)), task)
    return sequence


def _early(
    real: Sequence[Task], originals: set[str | None], half: int, chance: Chance
) -> list[Task]:
    """The same order, but for tasks that will be repeated: those change into the first half."""
    order = list(real)
    late = [i for i in range(half, len(order)) if order[i].id in originals]
    free = [i for i in range(half) if order[i].id not in originals]
    for here, there in zip(late, chance.sample(free, len(late)), strict=True):
        order[here], order[there] = order[there], order[here]
    return order


def _numbered(sequence: Sequence[Task], batch: str) -> tuple[Task, ...]:
    """Ids by place; a repeat then names the id of its original."""
    digits = max(2, len(str(len(sequence))))
    ids = [f"{batch}-{place:0{digits}}" for place in range(1, len(sequence) + 1)]
    final = {task.id: new for task, new in zip(sequence, ids, strict=True) if task.is_real}
    return tuple(
        Task(
            new, task.item, task.options, task.kind, task.check, task.expected, task.instruction,
            final.get(task.repeats or ""),
        )
        for task, new in zip(sequence, ids, strict=True)
    )  # fmt: skip
