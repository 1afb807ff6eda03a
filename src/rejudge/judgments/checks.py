"""How the checks of a study went: what was expected, and who gave it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from rejudge.design import Expected, Plan, Task
from rejudge.judgments.table import Judgments
from rejudge.study import LETTERS, Study


@dataclass(frozen=True, slots=True)
class CheckCount:
    """How one check went, over all who met it."""

    check: str
    on_fail: str
    answered: int
    failed: int


@dataclass(frozen=True, slots=True)
class CheckResult:
    """How one participant fared in one check."""

    participant: str
    check: str
    is_right: bool


def check_counts(study: Study, plan: Plan, judgments: Judgments) -> tuple[CheckCount, ...]:
    """How often each check was met and failed."""
    results = list(check_results(plan, judgments))
    return tuple(
        CheckCount(
            check.id,
            check.on_fail,
            sum(result.check == check.id for result in results),
            sum(result.check == check.id and not result.is_right for result in results),
        )
        for check in study.spec.checks
    )


def check_results(plan: Plan, judgments: Judgments) -> Iterator[CheckResult]:
    """Every check that somebody met."""
    tasks = {(b.id, t.id): t for b in plan.batches for t in b.tasks if t.expected is not None}
    checks = judgments.of_kind("check")
    answers: dict[tuple[str, str, str], list[int]] = {}
    for place, (person, batch, task, question) in enumerate(
        words_of(checks, "participant", "batch", "task", "question")
    ):
        known = tasks.get((batch, task))
        if known is not None and known.expected is not None and known.expected.question == question:
            answers.setdefault((person, batch, task), []).append(place)
    for (person, batch, task), places in answers.items():
        known = tasks[batch, task]
        if known.expected is not None and known.check is not None:
            is_right = _is_right(known, known.expected, _given_answers(checks, places))
            yield CheckResult(person, known.check, is_right)


def words_of(judgments: Judgments, *columns: str) -> Iterator[tuple[str, ...]]:
    """Some columns as words, row by row; what is absent is an empty word."""
    parts = (getattr(judgments, column).words() for column in columns)
    for row in zip(*parts, strict=True):
        yield tuple(word or "" for word in row)


@dataclass(frozen=True, slots=True)
class _GivenAnswer:
    """One row of an answer to a check: a score, or who won against whom."""

    a: str | None
    b: str | None
    value: float


def _given_answers(checks: Judgments, places: Iterable[int]) -> list[_GivenAnswer]:
    labels_a, labels_b = (*checks.system_a.labels, None), (*checks.system_b.labels, None)
    return [
        _GivenAnswer(
            labels_a[checks.system_a.codes[place]],
            labels_b[checks.system_b.codes[place]],
            float(checks.value[place]),
        )
        for place in places
    ]


def _is_right(task: Task, expected: Expected, said: list[_GivenAnswer]) -> bool:
    """The best must win and the worst must lose all their comparisons; numbers lie in bounds."""
    wanted = [
        (_option(task, letter), wins)
        for letter, wins in ((expected.best, True), (expected.worst, False))
        if letter is not None
    ]
    for option, wins in wanted:
        for row in said:
            if option in (row.a, row.b) and row.value != float((row.a == option) == wins):
                return False
    values = [row.value for row in said if row.b is None]
    low = expected.at_least if expected.at_least is not None else float("-inf")
    high = expected.at_most if expected.at_most is not None else float("inf")
    return all(low <= value <= high for value in values)


def _option(task: Task, letter: str) -> str:
    return task.options[LETTERS.index(letter)]
