"""Whether a plan fits its study: every item, system, question and text it names exists.

A plan is a file that people can edit, so nothing in it is relied upon before it has been checked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from rejudge.design.plan import (
    REFERENCE,
    Batch,
    Plan,
    Task,
    missing_text,
    option_text,
    segment_key,
)
from rejudge.errors import Problem
from rejudge.study import LETTERS, Study

_REMEDY = "Draw the plan again with `rejudge plan --force`, or undo the change to it."
_SHOWN = 20  # faults; the rest is counted


def check_plan(study: Study, plan: Plan, *, file: str = "plan.json") -> tuple[Problem, ...]:
    """Everything in a plan that does not fit the study; empty for a plan that can be used."""
    found = [*_plan_faults(plan), *_task_faults(study, plan)]
    problems = [Problem(what, _REMEDY, file=file, field=where) for where, what in found[:_SHOWN]]
    if len(found) > _SHOWN:
        problems.append(Problem(f"{len(found) - _SHOWN:,} more faults were found.", file=file))
    return tuple(problems)


def _plan_faults(plan: Plan) -> Iterator[tuple[str, str]]:
    """Faults of batches, each with its place."""
    yield from _repeated("batch", (batch.id for batch in plan.batches))
    yield from _repeated("task", (task.id for task in plan.tasks()))
    if plan.batches_per_participant < 1:
        yield "batches_per_participant", "a participant does at least 1 batch."
    for batch in plan.batches:
        if not batch.tasks:
            yield f"batch {batch.id}", "the batch has no tasks."
        if batch.participants < 1:
            yield f"batch {batch.id}", f"it has {batch.participants} participants; 1 is the least."
    for one, others in plan.conflicts.items():
        for name in (one, *others):
            if name not in plan.batch:
                yield "conflicts", f"there is no batch '{name}' in the plan."


def _repeated(noun: str, ids: Iterable[str]) -> Iterator[tuple[str, str]]:
    for name, count in Counter(ids).items():
        if count > 1:
            yield f"{noun} {name}", f"this id stands {count} times in the plan."


def _task_faults(study: Study, plan: Plan) -> Iterator[tuple[str, str]]:
    checks = {check.id for check in study.spec.checks}
    widths = {question.shows(len(study.system_ids)) for question in study.spec.questions}
    for batch in plan.batches:
        for task in batch.tasks:
            if task.item not in study.item:
                faults: Iterable[str] = [f"the study has no item '{task.item}'."]
            else:
                options = list(_option_faults(study, plan, task, widths))
                faults = options or _segment_faults(study, plan, task)
            for what in (*faults, *_kind_faults(study, batch, task, checks)):
                yield f"task {task.id}", what


def _option_faults(study: Study, plan: Plan, task: Task, widths: set[int]) -> Iterator[str]:
    if len(task.options) not in widths:
        yield f"no question of the study is asked about {len(task.options)} texts at a time."
    if len(set(task.options)) < len(task.options):
        yield "the same text is shown twice."
    for option in task.options:
        if option in study.system_place:
            continue
        if task.kind != "check":
            yield f"the study has no system '{option}'."
        elif (what := missing_text(study, plan, option)) is not None:
            yield what


def _kind_faults(study: Study, batch: Batch, task: Task, checks: set[str]) -> Iterator[str]:
    if task.kind == "check" and task.check not in checks:
        yield f"the study has no check '{task.check}'."
    if task.kind == "repeat" and task.repeats not in {real.id for real in batch.real}:
        yield f"it repeats the task '{task.repeats}', which its batch does not have."
    right = task.expected
    if right is None:
        return
    if right.question not in {question.id for question in study.spec.questions}:
        yield f"the study has no question '{right.question}'."
    for letter in (right.best, right.worst):
        if letter is not None and letter not in LETTERS[: len(task.options)]:
            yield f"the right answer is '{letter}', which is not among its options."


def _segment_faults(study: Study, plan: Plan, task: Task) -> Iterator[str]:
    """A text that is scored by segments has to be cut, in order and inside of it."""
    if len(task.options) > 1:
        return
    for unit in {q.segmentation.unit for q in study.spec.questions if q.segmentation}:
        option = task.options[0] if unit == "output" else REFERENCE
        ends = plan.segments.get(segment_key(task.item, option))
        if ends is None:
            yield f"the plan does not say where the {unit} is cut into segments."
        elif not _covers(ends, option_text(study, plan, task, option)):
            yield f"the {unit} is cut at {list(ends)}, which does not fit the text."


def _covers(ends: Sequence[int], text: str) -> bool:
    """Whether segments with these ends make up the whole text."""
    is_rising = all(before < after for before, after in pairwise((0, *ends)))
    return is_rising and (ends[-1] if ends else 0) == len(text)
