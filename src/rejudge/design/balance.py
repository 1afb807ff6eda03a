"""How even a plan is, counted from the plan itself: what is balanced, and what cannot be."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations

from rejudge.design.plan import Batch, Plan, Task
from rejudge.study import LETTERS, Study


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


def measure(study: Study, plan: Plan) -> Balance:
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
        _even("inputs per dataset", datasets),
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
        (task.options[0], task.options[1])
        for task in tasks
        if len(task.options) == 2  # noqa: PLR2004 - a pair
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


def _even(what: str, counts: Mapping[str, int]) -> Statement:
    listed = ", ".join(f"{name or '(no name)'} {count:,}" for name, count in counts.items())
    return Statement(what, is_even=_spread(counts.values()) == 0, detail=listed)


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
    detail = f"{len(counts)} of {pairs} pairs of systems, {times} times each"
    return Statement("meetings of systems", is_even=_spread(counts) == 0, detail=detail)


def _checks(answers: Mapping[str, Mapping[str, int]]) -> list[Statement]:
    return [
        Statement(
            f"side of the answer to '{check}'",
            is_even=_spread(counts.values()) <= 1,
            detail=", ".join(f"{letter} {count:,}" for letter, count in counts.items()),
        )
        for check, counts in answers.items()
    ]


def _spread(counts: Iterable[int]) -> int:
    values = list(counts)
    return max(values) - min(values) if values else 0
