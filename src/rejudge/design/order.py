"""The order of tasks in a batch, and of the outputs in a task.

Checks never come first, and repeats come after what they repeat.

For each batch, and within it for each system and for each pair, an output is in each place equally
often, or once more at the most (for tuples of three and more: for each system). It is a colouring
of edges: tasks and systems are the two sides of a graph, an edge means that the task shows the
system, and its colour is the place. Cutting the edges of a system into bundles of as many as
there are places makes a graph in which nobody has more edges than there are colours, and König's
theorem gives a colouring in which no bundle has a colour twice (an equitable colouring in the sense
of de Werra 1971). Over batches of the same make the places are rotated, which cancels what a single
batch had to leave over; over batches of different makes, the arrangement that evens out best is
taken from a few.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from math import ceil
from typing import TypeAlias

from rejudge.design.plan import Batch, Plan, Task
from rejudge.design.sampling import Chance
from rejudge.study.procedure import Design, Repeats


def lay_out(
    design: Design, tasks: tuple[Sequence[Task], Sequence[Task]], batch: str, chance: Chance
) -> tuple[Task, ...]:
    """The tasks of a batch (real ones and checks) in their order, with repeats and final ids."""
    real = tasks[0]
    repeats = [] if design.repeats is None else _repeat_some(real, design.repeats, chance)
    if design.order != "listed":
        real = chance.stream("real").shuffle(real)
    sequence = _mix(real, repeats, tasks[1], chance, at_end=design.order == "latin-square")
    return _number(sequence, batch)


def order_for(plan: Plan, batch: Batch, seat: int) -> tuple[Task, ...]:
    """The order that the participant in a seat of a batch sees; seats are counted from 0."""
    if plan.order == "participant":
        chance = Chance(plan.seed, "seat", batch.id, seat)
        real = chance.stream("real").shuffle(batch.real)
        repeats = [task for task in batch.tasks if task.kind == "repeat"]
        checks = [task for task in batch.tasks if task.kind == "check"]
        return tuple(_mix(real, repeats, checks, chance))
    if plan.order == "latin-square":
        real = list(batch.real)
        row = iter(williams_row(len(real), seat))
        return tuple(real[next(row)] if task.is_real else task for task in batch.tasks)
    return batch.tasks


def _repeat_some(real: Sequence[Task], repeats: Repeats, chance: Chance) -> list[Task]:
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


def _mix(
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
    for task in chance.stream("repeat order").shuffle(repeats):
        spread = 0 if at_end else chance.below(len(sequence) - half + 1)
        sequence.insert(len(sequence) - spread, task)
    for task in chance.stream("check order").shuffle(checks):
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


def _number(sequence: Sequence[Task], batch: str) -> tuple[Task, ...]:
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


Options: TypeAlias = tuple[str, ...]

_TRIES = 16  # arrangements of a batch among which the one is taken that evens out the others


class Positions:
    """Gives each task of each batch the order of its options, and remembers what it gave."""

    def __init__(self, chance: Chance) -> None:
        self._chance = chance
        self._bases: dict[tuple[tuple[Options, int], ...], _Base] = {}
        self._given: Counter[tuple[Options | str, int]] = Counter()

    def arrange(self, shown: Sequence[Options], batch: str) -> list[Options]:
        """Orders for the options of a batch's tasks, all of one width, given in any order."""
        kinds = [tuple(sorted(options)) for options in shown]
        make = tuple(sorted(Counter(kinds).items()))
        base = self._bases.get(make)
        if base is None or base.is_used_up:
            base = self._bases[make] = self._new_base(make, batch)
        orders = base.next_orders()
        chance = self._chance.stream("deal", batch)
        left = {kind: iter(chance.shuffle(orders[kind])) for kind, _ in make}
        arranged = [next(left[kind]) for kind in kinds]
        self._given.update(_count(arranged))
        return arranged

    def _new_base(self, make: tuple[tuple[Options, int], ...], batch: str) -> _Base:
        """Of several arrangements that are even in themselves, the one that evens out the others.

        With batches of one make there is nothing to even out, and the first will do.
        """
        width = len(make[0][0])
        chance = self._chance.stream("base", batch)
        if self._is_even(make):
            return _Base(_equitable(make, chance), width, 0)
        candidates = [
            (_equitable(make, chance.stream(number)), turn)
            for number in range(_TRIES)
            for turn in range(width)
        ]
        orders, first = min(candidates, key=lambda candidate: self._unevenness(*candidate))
        return _Base(orders, width, first)

    def _is_even(self, make: tuple[tuple[Options, int], ...]) -> bool:
        """Whether the batch's options and pairs have stood in each place equally often so far."""
        keys: set[Options | str] = {kind for kind, _ in make}
        keys.update(option for kind, _ in make for option in kind)
        width = len(make[0][0])
        return all(len({self._given[key, place] for place in range(width)}) == 1 for key in keys)

    def _unevenness(self, orders: dict[Options, list[Options]], turn: int) -> int:
        """How uneven all would be: the sum of squares of what options and pairs would have had."""
        added = _count([_turn(row, turn) for rows in orders.values() for row in rows])
        return sum((self._given[key] + count) ** 2 - self._given[key] ** 2
                   for key, count in added.items())  # fmt: skip


class _Base:
    """One equitable arrangement, given once in each rotation."""

    def __init__(self, orders: dict[Options, list[Options]], width: int, first: int) -> None:
        self._orders = orders
        self._width = width
        self._first = first
        self._uses = 0

    @property
    def is_used_up(self) -> bool:
        return self._uses == self._width

    def next_orders(self) -> dict[Options, list[Options]]:
        turn = (self._first + self._uses) % self._width
        self._uses += 1
        return {kind: [_turn(row, turn) for row in rows] for kind, rows in self._orders.items()}


def _turn(options: Options, turn: int) -> Options:
    return options[turn:] + options[:turn]


def _count(orders: Sequence[Options]) -> Counter[tuple[Options | str, int]]:
    """How often each option stood in each place, and each kind of task began with which option."""
    counts: Counter[tuple[Options | str, int]] = Counter()
    for row, times in Counter(orders).items():
        kind = tuple(sorted(row))
        counts[kind, kind.index(row[0])] += times
        for place, option in enumerate(row):
            counts[option, place] += times
    return counts


def _equitable(
    make: tuple[tuple[Options, int], ...], chance: Chance
) -> dict[Options, list[Options]]:
    """Orders by kind of task, equitable for each system, and for each kind if it is a pair."""
    orders: dict[Options, list[Options]] = {kind: [] for kind, _ in make}
    rest: list[Options] = []
    for kind, count in make:
        width = len(kind)
        for square in range(count // width):
            orders[kind] += _square(kind, chance.stream("square", square, *kind))
        rest += [kind] * (count % width)
    for row in _colour(chance.stream("rest").shuffle(rest), chance.stream("colours")):
        orders[tuple(sorted(row))].append(row)
    return orders


def _square(kind: Options, chance: Chance) -> list[Options]:
    """A random Latin square: each option in each place once."""
    start = tuple(chance.shuffle(kind))
    return [_turn(start, turn) for turn in chance.shuffle(range(len(kind)))]


def _colour(tasks: Sequence[Options], chance: Chance) -> list[Options]:
    """Orders for tasks such that each bundle of a system's tasks has it in different places."""
    if not tasks:
        return []
    width = len(tasks[0])
    seen: Counter[str] = Counter()
    colours: dict[_Node, dict[int, _Node]] = {}
    for number, options in enumerate(tasks):
        for option in chance.stream("edges", number).shuffle(options):
            bundle = (option, seen[option] // width)
            seen[option] += 1
            _colour_edge((_TASK, number), bundle, colours, width)
    place = chance.shuffle(range(width))
    rows: list[Options] = []
    for number in range(len(tasks)):
        option_at = {place[colour]: end[0] for colour, end in colours[_TASK, number].items()}
        rows.append(tuple(option_at[p] for p in range(width)))
    return rows


_Node: TypeAlias = tuple[str, int]  # a bundle (option, number), or a task
_TASK = ""  # no option is called so


def _colour_edge(
    task: _Node, bundle: _Node, colours: dict[_Node, dict[int, _Node]], width: int
) -> None:
    """Colour one more edge; where no colour is free at both ends, turn an alternating path."""
    at_task = colours.setdefault(task, {})
    at_bundle = colours.setdefault(bundle, {})
    free_at_task = next(c for c in range(width) if c not in at_task)
    free_at_bundle = next(c for c in range(width) if c not in at_bundle)
    if free_at_task in at_bundle:
        # The path cannot come back to `task`: it enters tasks by a colour that `task` lacks.
        _turn_path(bundle, free_at_task, free_at_bundle, colours)
    at_task[free_at_task] = bundle
    at_bundle[free_at_task] = task


def _turn_path(
    start: _Node, colour: int, other: int, colours: dict[_Node, dict[int, _Node]]
) -> None:
    """Exchange two colours along the path that begins at `start` with `colour`."""
    path = [start]
    wanted = colour
    while wanted in colours[path[-1]]:
        path.append(colours[path[-1]][wanted])
        wanted = other if wanted == colour else colour
    for node in path:
        ends = colours[node]
        first, second = ends.pop(colour, None), ends.pop(other, None)
        if first is not None:
            ends[other] = first
        if second is not None:
            ends[colour] = second


def williams_row(n: int, row: int) -> tuple[int, ...]:
    """One order out of a set balanced for place and for what comes just before (Williams 1949).

    There are n different rows when n is even and 2n when it is odd (a square and its mirror
    image); later rows begin again. Rows are made one at a time: n may be hundreds of tasks.
    """
    rows = n if n % 2 == 0 or n == 1 else 2 * n
    place = row % rows
    zigzag = (step // 2 + 1 if step % 2 else -(step // 2) for step in range(n))  # 0, 1, −1, 2, −2 …
    order = tuple((place + step) % n for step in zigzag)
    return order if place < n else tuple(reversed(order))
