"""Whose answers are left out, by the rules fixed before anybody was asked; nothing vanishes."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from rejudge.design import Expected, Plan, Task
from rejudge.judgments.sheet import lined, to_csv
from rejudge.judgments.table import Judgments
from rejudge.study import LETTERS, Exclude, Study

if TYPE_CHECKING:
    from numpy.typing import NDArray

Rule: TypeAlias = Literal["incomplete", "failed-checks", "faster-than"]


@dataclass(frozen=True, slots=True)
class Exclusion:
    """What of a participant is left out: by which rule, why, and how many rows."""

    participant: str
    batch: str | None  # None: not one batch but all, or single answers
    rule: Rule
    reason: str
    rows: int


@dataclass(frozen=True, slots=True)
class CheckCount:
    """How one check went, over all who met it."""

    check: str
    on_fail: str
    answered: int
    failed: int


@dataclass(frozen=True, eq=False, slots=True)
class Cleaned:
    """The judgments that count, those that do not, and for each of the latter its rule."""

    collected: Judgments  # kept and excluded together
    kept: Judgments
    excluded: Judgments
    rules: tuple[Rule, ...]  # one for each excluded row
    exclusions: tuple[Exclusion, ...]


def exclude(study: Study, plan: Plan, judgments: Judgments) -> Cleaned:
    """Apply the study's rules in this order; a row is left out by the first that fits.

    incomplete: a batch in which a required answer to a real task is missing, that batch only.
    failed-checks: a participant who failed so many checks or more (those that only flag aside).
    faster-than: an answer whose task took less time, that answer only.
    """
    import numpy as np

    rules = study.spec.analysis.exclude if study.spec.analysis else Exclude()
    verdicts = _verdicts(study, plan, judgments, rules)
    hasty = _hasty(judgments, rules)
    ruled = [
        verdicts.get((person, batch))
        or verdicts.get((person, None))
        or (_too_fast(person, rules) if is_fast else None)
        for (person, batch), is_fast in zip(
            _words(judgments, "participant", "batch"), hasty, strict=True
        )
    ]
    is_out: NDArray[np.bool_] = np.array([verdict is not None for verdict in ruled], dtype=np.bool_)
    counts: dict[Exclusion, int] = {}
    for verdict in ruled:
        if verdict is not None:
            counts[verdict] = counts.get(verdict, 0) + 1
    return Cleaned(
        collected=judgments,
        kept=judgments.take(~is_out),
        excluded=judgments.take(is_out),
        rules=tuple(verdict.rule for verdict in ruled if verdict is not None),
        exclusions=tuple(
            Exclusion(v.participant, v.batch, v.rule, v.reason, rows) for v, rows in counts.items()
        ),
    )


def excluded_csv(cleaned: Cleaned) -> str:
    """The left-out rows as in judgments.csv, each with its rule in front."""
    head, *lines = csv.reader(io.StringIO(to_csv(cleaned.excluded), newline=""))
    ruled = ([rule, *line] for rule, line in zip(cleaned.rules, lines, strict=True))
    return lined((["rule", *head], *ruled))


def check_counts(study: Study, plan: Plan, judgments: Judgments) -> tuple[CheckCount, ...]:
    """How often each check was met and failed."""
    results = list(_check_results(plan, judgments))
    return tuple(
        CheckCount(
            check.id,
            check.on_fail,
            sum(name == check.id for _, name, _ in results),
            sum(name == check.id and not is_right for _, name, is_right in results),
        )
        for check in study.spec.checks
    )


def _verdicts(
    study: Study, plan: Plan, judgments: Judgments, rules: Exclude
) -> Mapping[tuple[str, str | None], Exclusion]:
    found: dict[tuple[str, str | None], Exclusion] = {}
    if rules.incomplete:
        for exclusion in _incomplete(study, plan, judgments):
            found[exclusion.participant, exclusion.batch] = exclusion
    if rules.failed_checks is not None:
        for exclusion in _failed(study, plan, judgments, rules.failed_checks):
            found[exclusion.participant, None] = exclusion
    return found


def _incomplete(study: Study, plan: Plan, judgments: Judgments) -> Iterator[Exclusion]:
    answered: dict[tuple[str, str], set[tuple[str, str]]] = {}
    for person, batch, task, question in _words(
        judgments, "participant", "batch", "task", "question"
    ):
        answered.setdefault((person, batch), set()).add((task, question))
    for (person, batch), given in answered.items():
        if batch not in plan.batch:
            continue
        asked = {
            (task.id, question.id)
            for task in plan.batch[batch].real
            for question in study.questions_beside(len(task.options))
            if question.required
        }
        missing = len(asked - given)
        if missing:
            reason = f"{missing} of {len(asked)} required answers of batch {batch} are missing"
            yield Exclusion(person, batch, "incomplete", reason, 0)


def _failed(study: Study, plan: Plan, judgments: Judgments, limit: int) -> Iterator[Exclusion]:
    only_flags = {check.id for check in study.spec.checks if check.on_fail == "flag"}
    met: dict[str, int] = {}
    failed: dict[str, int] = {}
    for person, check, is_right in _check_results(plan, judgments):
        if check not in only_flags:
            met[person] = met.get(person, 0) + 1
            failed[person] = failed.get(person, 0) + (not is_right)
    for person, count in failed.items():
        if count >= limit:
            yield Exclusion(
                person, None, "failed-checks", f"failed {count} of {met[person]} checks", 0
            )


def _hasty(judgments: Judgments, rules: Exclude) -> list[bool]:
    """Which answers came faster than the rule allows; an unknown time is not fast."""
    limit = rules.faster_than_seconds
    if limit is None:
        return [False] * len(judgments)
    fast: list[bool] = (judgments.seconds < limit).tolist()
    return fast


def _too_fast(person: str, rules: Exclude) -> Exclusion:
    reason = f"answers in less than {rules.faster_than_seconds:g} s"
    return Exclusion(person, None, "faster-than", reason, 0)


def _check_results(plan: Plan, judgments: Judgments) -> Iterator[tuple[str, str, bool]]:
    """Participant, check and whether it was passed, for every check somebody met."""
    tasks = {(b.id, t.id): t for b in plan.batches for t in b.tasks if t.expected is not None}
    checks = judgments.of_kind("check")
    answers: dict[tuple[str, str, str], list[int]] = {}
    for place, (person, batch, task, question) in enumerate(
        _words(checks, "participant", "batch", "task", "question")
    ):
        known = tasks.get((batch, task))
        if known is not None and known.expected is not None and known.expected.question == question:
            answers.setdefault((person, batch, task), []).append(place)
    for (person, batch, task), places in answers.items():
        known = tasks[batch, task]
        if known.expected is not None and known.check is not None:
            is_right = _is_right(known, known.expected, _said(checks, places))
            yield person, known.check, is_right


@dataclass(frozen=True, slots=True)
class _Said:
    """One row of an answer to a check: a score, or who won against whom."""

    a: str | None
    b: str | None
    value: float


def _said(checks: Judgments, places: Iterable[int]) -> list[_Said]:
    labels_a, labels_b = (*checks.system_a.labels, None), (*checks.system_b.labels, None)
    return [
        _Said(
            labels_a[checks.system_a.codes[place]],
            labels_b[checks.system_b.codes[place]],
            float(checks.value[place]),
        )
        for place in places
    ]


def _is_right(task: Task, expected: Expected, said: list[_Said]) -> bool:
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


def _words(judgments: Judgments, *columns: str) -> Iterator[tuple[str, ...]]:
    """Some columns as words, row by row; what is absent is an empty word."""
    parts = (getattr(judgments, column).words() for column in columns)
    for row in zip(*parts, strict=True):
        yield tuple(word or "" for word in row)
