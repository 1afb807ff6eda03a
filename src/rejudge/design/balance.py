"""Balance: what is judged about an input, in balanced blocks; and how even a drawn plan is."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import comb
from typing import NamedTuple, TypeAlias

from rejudge.design.plan import Batch, Plan, Task
from rejudge.design.sampling import Chance, Input
from rejudge.errors import DesignError, Problem
from rejudge.study.kinds.question import LETTERS
from rejudge.study.model import Study

Block: TypeAlias = tuple[int, ...]

_MOST_BLOCKS = 400  # beyond it a complete design is of no use
_MOST_FAMILIES = 30_000  # combinations of base blocks that are tried


@dataclass(frozen=True, slots=True)
class BlockDesign:
    """Blocks of places 0 … v−1, and how even they are."""

    blocks: tuple[Block, ...]
    points: int

    @property
    def occurrences(self) -> tuple[int, int]:
        """The smallest and the largest number of blocks a system is in."""
        counts = Counter(point for block in self.blocks for point in block)
        return _span([counts[point] for point in range(self.points)])

    @property
    def meetings(self) -> tuple[int, int]:
        """The smallest and the largest number of blocks in which two systems meet."""
        counts = Counter(pair for block in self.blocks for pair in combinations(sorted(block), 2))
        return _span([counts[pair] for pair in combinations(range(self.points), 2)])

    @property
    def is_balanced(self) -> bool:
        """Whether it is a balanced incomplete block design."""
        return len(set(self.occurrences)) == 1 and len(set(self.meetings)) == 1


@lru_cache
def block_design(points: int, width: int) -> BlockDesign:
    """The smallest balanced design that is found for so many systems, so many at a time."""
    if not 0 < width <= points:
        what = f"{width} of {points} systems cannot be shown at a time."
        raise DesignError(Problem(what, "Give a width from 1 to the number of systems."))
    if width == points:
        return BlockDesign((tuple(range(points)),), points)
    families = [_family(points, width, middle=middle) for middle in (False, True)]
    found = [design for design in families if design is not None]
    if comb(points, width) <= _MOST_BLOCKS:
        found.append(BlockDesign(tuple(combinations(range(points), width)), points))
    if found:
        return min(found, key=lambda design: len(design.blocks))
    return even_blocks(points, width, count=points * (points - 1))


def even_blocks(points: int, width: int, count: int) -> BlockDesign:
    """This many blocks, chosen one by one from the systems shown and compared least so far."""
    seen = [0] * points
    met: Counter[tuple[int, int]] = Counter()
    blocks: list[Block] = []
    for _ in range(count):
        block = [min(range(points), key=lambda p: (seen[p], p))]
        while len(block) < width:
            others = [point for point in range(points) if point not in block]
            met_by = {point: _count_meetings(point, block, met) for point in others}
            block.append(min(others, key=lambda p: (met_by[p], seen[p], p)))
        for point in block:
            seen[point] += 1
        met.update(combinations(sorted(block), 2))
        blocks.append(tuple(sorted(block)))
    return BlockDesign(tuple(blocks), points)


def _count_meetings(point: int, block: Sequence[int], met: Counter[tuple[int, int]]) -> int:
    return sum(met[min(point, other), max(point, other)] for other in block)


def _family(points: int, width: int, *, middle: bool) -> BlockDesign | None:
    """A design from as few base blocks as possible, moved round a circle."""
    circle = points - 1 if middle else points
    orbits = _orbits(circle, width, middle=middle)
    for many in range(1, 4):
        if comb(len(orbits), many) > _MOST_FAMILIES:
            return None
        for chosen in combinations(orbits, many):
            design = BlockDesign(tuple(block for orbit in chosen for block in orbit), points)
            if len(design.blocks) <= _MOST_BLOCKS and _can_balance(design, width):
                return design
    return None


def _can_balance(design: BlockDesign, width: int) -> bool:
    """Cheap divisibility first: r = b·k/v and λ = r(k−1)/(v−1) must be whole numbers."""
    incidences = len(design.blocks) * width
    if incidences % design.points:
        return False
    if (incidences // design.points) * (width - 1) % (design.points - 1):
        return False
    return design.is_balanced


def _orbits(circle: int, width: int, *, middle: bool) -> list[tuple[Block, ...]]:
    """All different circles of blocks; with `middle`, also those through the middle system."""
    orbits = {_orbit(block, circle) for block in _starting_at_zero(circle, width)}
    if middle:
        orbits |= {
            tuple((*block, circle) for block in _orbit(start, circle))
            for start in _starting_at_zero(circle, width - 1)
        }
    return sorted(orbits, key=lambda orbit: (len(orbit), orbit))


def _starting_at_zero(circle: int, width: int) -> list[Block]:
    if comb(circle - 1, width - 1) > 20 * _MOST_BLOCKS:
        return []
    return [(0, *rest) for rest in combinations(range(1, circle), width - 1)]


def _orbit(block: Block, circle: int) -> tuple[Block, ...]:
    return tuple(sorted({tuple(sorted((p + t) % circle for p in block)) for t in range(circle)}))


def _span(counts: list[int]) -> tuple[int, int]:
    return min(counts), max(counts)


class Sketch(NamedTuple):
    """A task before it has its id, its place and its sides."""

    item: str
    group: str
    dataset: str
    options: tuple[str, ...]


class Sketcher:
    """Makes the tasks of an input: each system alone, pairs, or tuples of several."""

    def __init__(self, study: Study, inputs: Sequence[Input], chance: Chance) -> None:
        self.notes: tuple[str, ...] = ()
        self._systems = study.system_ids
        count = len(self._systems)
        self._fixed: list[tuple[str, ...]] = []
        self._tuples: dict[str, list[tuple[str, ...]]] = {}
        for width in sorted({question.shows(count) for question in study.spec.questions}):
            if width == 1:
                self._fixed += [(system,) for system in self._systems]
            elif width == 2:
                self._fixed += _pairs(study)
            elif width == count:
                self._fixed.append(self._systems)
            else:
                self._add_tuples(study, inputs, width, chance.stream(width))

    def sketch(self, each: Input) -> list[Sketch]:
        """All tasks of one input."""
        return [
            Sketch(item.id, each.group, item.dataset, options)
            for item in each.items
            for options in (*self._fixed, *self._tuples.get(item.id, ()))
        ]

    def _add_tuples(
        self, study: Study, inputs: Sequence[Input], width: int, chance: Chance
    ) -> None:
        design = block_design(len(self._systems), width)
        per_input = study.spec.design.tuples_per_input or len(design.blocks)
        if per_input > len(design.blocks):
            raise DesignError(
                Problem(
                    f"{per_input} tuples per input are requested, but a balanced design of "
                    f"{len(self._systems)} systems, {width} at a time, has {len(design.blocks)}.",
                    f"Set tuples_per_input to {len(design.blocks)} or less, or leave it out.",
                    file="study.yaml",
                    field="design.tuples_per_input",
                )
            )
        items = [item.id for each in inputs for item in each.items]
        dealt = _dealt_blocks(design, per_input, len(items), chance)
        for item, blocks in zip(items, dealt, strict=True):
            self._tuples.setdefault(item, []).extend(
                tuple(self._systems[point] for point in block) for block in blocks
            )
        everything = BlockDesign(tuple(b for blocks in dealt for b in blocks), len(self._systems))
        if not everything.is_balanced:
            self.notes += (_uneven(everything, width),)


def _dealt_blocks(
    design: BlockDesign, per_input: int, items: int, chance: Chance
) -> list[tuple[Block, ...]]:
    """Blocks for each item, going round the design again and again so that all are used evenly.

    All rounds have one order, so the blocks of an item are different ones.
    """
    order = _order_evenly(design.blocks, chance)
    size = len(order)
    return [
        tuple(order[(item * per_input + i) % size] for i in range(per_input))
        for item in range(items)
    ]


def _order_evenly(blocks: Sequence[Block], chance: Chance) -> list[Block]:
    """An order in which any first few blocks show the systems as evenly as can be."""
    left = chance.shuffle(blocks)
    seen: Counter[int] = Counter()
    met: Counter[tuple[int, ...]] = Counter()
    ordered = []
    while left:
        block = min(left, key=lambda b: (_load(b, seen), sum(met[p] for p in combinations(b, 2))))
        left.remove(block)
        ordered.append(block)
        seen.update(block)
        met.update(combinations(block, 2))
    return ordered


def _load(block: Block, seen: Counter[int]) -> int:
    return sum(seen[point] for point in block)


def _uneven(design: BlockDesign, width: int) -> str:
    seen, met = design.occurrences, design.meetings
    return (
        f"Tuples of {width} are near-balanced, not balanced: a system is shown {seen[0]} to "
        f"{seen[1]} times, two systems meet {met[0]} to {met[1]} times."
    )


def _pairs(study: Study) -> list[tuple[str, ...]]:
    pairs = study.spec.design.pairs
    if pairs == "all":
        return list(combinations(study.system_ids, 2))
    return [tuple(pair) for pair in pairs]


@dataclass(frozen=True, slots=True)
class Statement:
    """One thing that should be even, and how far it is."""

    what: str
    is_even: bool
    detail: str


@dataclass(frozen=True, slots=True)
class Balance:
    """All counts that a reviewer asks for, and one statement for each."""

    statements: tuple[Statement, ...]
    inputs_by_dataset: Mapping[str, int]
    tasks_by_system: Mapping[str, int]
    sides_by_pair: Mapping[tuple[str, str], tuple[int, int]]  # the first one left, and right
    places_by_system: Mapping[str, tuple[int, ...]]  # of tasks with several options
    most_uneven_in_a_batch: int  # largest difference of sides of one system or pair in one batch
    answers_by_check: Mapping[str, Mapping[str, int]]  # where the right answer is

    @property
    def is_even(self) -> bool:
        """Whether nothing is left to say."""
        return all(statement.is_even for statement in self.statements)


def measure_balance(study: Study, plan: Plan) -> Balance:
    """Count a plan's datasets, systems, sides, meetings and checks."""
    real = [task for task in plan.tasks() if task.is_real]
    several = [task for task in real if len(task.options) > 1]
    datasets = _inputs_by_dataset(study, real)
    shown = Counter(option for task in real for option in task.options)
    systems = {system: shown[system] for system in study.system_ids}
    sides = _sides_by_pair(several)
    places = _places(several)
    worst = max((_worst_in(batch) for batch in plan.batches), default=0)
    answers = _answers_by_check(plan)
    statements = [
        _even("inputs per dataset", datasets, is_wanted=_wants_even_datasets(study)),
        _even("tasks per system", systems),
        *([] if not several else [_sides(sides, places, worst), _meetings(study, several)]),
        *_checks(answers),
        *(Statement("design", is_even=False, detail=note) for note in plan.notes),
    ]
    return Balance(tuple(statements), datasets, systems, sides, places, worst, answers)


def _inputs_by_dataset(study: Study, real: Iterable[Task]) -> dict[str, int]:
    groups: dict[str, set[str]] = defaultdict(set)
    for task in real:
        item = study.item[task.item]
        groups[item.dataset].add(item.group)
    return {name: len(groups[name]) for name in sorted(groups)}


def _sides_by_pair(tasks: Iterable[Task]) -> dict[tuple[str, str], tuple[int, int]]:
    counts: Counter[tuple[str, str]] = Counter(
        (task.options[0], task.options[1]) for task in tasks if len(task.options) == 2
    )
    pairs = sorted({(min(pair), max(pair)) for pair in counts})
    return {(a, b): (counts[a, b], counts[b, a]) for a, b in pairs}


def _places(tasks: Iterable[Task]) -> dict[str, tuple[int, ...]]:
    counts: Counter[tuple[str, int]] = Counter(
        (option, place) for task in tasks for place, option in enumerate(task.options)
    )
    width = 1 + max((place for _, place in counts), default=-1)
    systems = sorted({option for option, _ in counts})
    return {s: tuple(counts[s, place] for place in range(width)) for s in systems}


def _worst_in(batch: Batch) -> int:
    """The largest difference between places, over the systems and the pairs of one batch."""
    differences = [0]
    by_width: dict[int, list[Task]] = defaultdict(list)
    for task in batch.real:
        by_width[len(task.options)].append(task)
    for width, tasks in by_width.items():
        if width > 1:
            differences += [max(row) - min(row) for row in _places(tasks).values()]
    differences += [abs(left - right) for left, right in _sides_by_pair(batch.real).values()]
    return max(differences)


def _answers_by_check(plan: Plan) -> dict[str, dict[str, int]]:
    """The place of the answer of a check; for the worst of several, the place of that one."""
    answers: dict[str, Counter[str]] = defaultdict(Counter)
    for task in plan.tasks():
        if task.check and task.expected:
            letter = task.expected.best or task.expected.worst
            if letter:
                answers[task.check].update(dict.fromkeys(LETTERS[: len(task.options)], 0))
                answers[task.check][letter] += 1
    return {check: dict(sorted(counts.items())) for check, counts in sorted(answers.items())}


def _wants_even_datasets(study: Study) -> bool:
    """Whether datasets have to be equal: not where a method of selection says otherwise."""
    sample = study.spec.items.sample
    return sample is None or sample.method is None or sample.is_balanced


def _even(what: str, counts: Mapping[str, int], *, is_wanted: bool = True) -> Statement:
    listed = ", ".join(f"{name or '(no name)'} {count:,}" for name, count in counts.items())
    is_even = _spread(counts.values()) == 0 or not is_wanted
    return Statement(what, is_even=is_even, detail=listed)


def _sides(
    sides: Mapping[tuple[str, str], tuple[int, int]],
    places: Mapping[str, tuple[int, ...]],
    worst: int,
) -> Statement:
    by_pair = max((abs(left - right) for left, right in sides.values()), default=0)
    by_system = max((max(row) - min(row) for row in places.values()), default=0)
    detail = (
        f"largest difference: {by_system} within a system, {by_pair} within a pair, "
        f"{worst} within a system or pair of one batch"
    )
    return Statement("sides", is_even=max(by_pair, by_system, worst) <= 1, detail=detail)


def _meetings(study: Study, tasks: Iterable[Task]) -> Statement:
    met = Counter(pair for task in tasks for pair in combinations(sorted(task.options), 2))
    counts = [met[pair] for pair in combinations(sorted(study.system_ids), 2) if met[pair]]
    pairs = len(study.system_ids) * (len(study.system_ids) - 1) // 2
    times = f"{min(counts):,}" if _spread(counts) == 0 else f"{min(counts):,} to {max(counts):,}"
    often = "once" if times == "1" else f"{times} times"
    detail = f"{len(counts)} of {pairs}, {often} each"
    return Statement("pairs of systems compared", is_even=_spread(counts) == 0, detail=detail)


def _checks(answers: Mapping[str, Mapping[str, int]]) -> list[Statement]:
    return [
        Statement(
            f"side of the right answer to '{check}'",
            is_even=_spread(counts.values()) <= 1,
            detail=", ".join(f"{letter} {count:,}" for letter, count in counts.items()),
        )
        for check, counts in answers.items()
    ]


def _spread(counts: Iterable[int]) -> int:
    values = list(counts)
    return max(values) - min(values) if values else 0
