"""The plan of a study that asks only some of its questions: the same batches, order and sides."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from rejudge.design.plan import Batch, Expected, Plan, Task, segment_key
from rejudge.errors import DesignError, Problem
from rejudge.study.model import Study


def narrow_plan(
    plan: Plan,
    study: Study,
    *,
    aimed: Mapping[str, str],
    dropped: Collection[str],
    replacement: str | None = None,
) -> Plan:
    """The tasks of a plan that the questions of a narrowed study are asked about.

    `dropped` are checks that ask a question that is gone; `replacement` is the check from other
    batches that takes their places, so that batches stay as long as they were. `aimed` says which
    question a check of instructions is about now.
    """
    widths = {question.shows(len(study.system_ids)) for question in study.spec.questions}
    spare = [
        (batch.id, task)
        for batch in plan.batches
        for task in batch.tasks
        if replacement is not None and task.check == replacement
    ]
    supply = None if replacement is None else _Supply(study, spare, dropped)
    batches = tuple(
        replace(batch, tasks=tuple(_narrow(batch, widths, supply, dropped=dropped, aimed=aimed)))
        for batch in plan.batches
    )
    narrowed = replace(
        plan, study=study.design_fingerprint, batches=tuple(b for b in batches if b.tasks)
    )
    return replace(narrowed, texts=_texts(narrowed), segments=_segments(study, narrowed))


class _Supply:
    """Checks of other batches, each used as seldom as possible."""

    def __init__(
        self, study: Study, spare: Sequence[tuple[str, Task]], dropped: Collection[str]
    ) -> None:
        self._study = study
        self._spare = list(spare)
        self._dropped = dropped
        self._next = 0

    def take(self, batch: Batch) -> Task:
        """A check from another batch about an item that this batch does not show.

        Where every item is shown, at least not one that is judged or has the same check already.
        """
        left = [task for task in batch.tasks if task.check not in self._dropped]
        for shown in (
            {self._group(task) for task in left},
            {self._group(task) for task in left if task.is_real or task.check == self._check},
        ):
            for step in range(len(self._spare)):
                origin, task = self._spare[(self._next + step) % len(self._spare)]
                if origin != batch.id and self._group(task) not in shown:
                    self._next += step + 1
                    return task
        what = f"no check of another batch can replace the one that is removed from '{batch.id}'."
        raise DesignError(Problem(what, "Leave out --keep-length."))

    @property
    def _check(self) -> str | None:
        return self._spare[0][1].check if self._spare else None

    def _group(self, task: Task) -> str:
        return self._study.item[task.item].group


def _narrow(
    batch: Batch,
    widths: Collection[int],
    supply: _Supply | None,
    *,
    dropped: Collection[str],
    aimed: Mapping[str, str],
) -> Iterator[Task]:
    for task in batch.tasks:
        if task.check in dropped:
            if supply is not None:
                yield replace(supply.take(batch), id=f"{task.id}-replaced")
        elif task.check in aimed and task.expected is not None:
            expected: Expected = replace(task.expected, question=aimed[task.check or ""])
            yield replace(task, expected=expected)
        elif len(task.options) in widths:
            yield task


def _texts(plan: Plan) -> dict[str, str]:
    shown = {option for task in plan.tasks() for option in task.options}
    return {key: text for key, text in plan.texts.items() if f"@text:{key}" in shown}


def _segments(study: Study, plan: Plan) -> dict[str, tuple[int, ...]]:
    """Where texts are cut, as in the original; only those that a question still asks about."""
    units = {q.segmentation.unit for q in study.spec.questions if q.segmentation}
    wanted = {
        segment_key(task.item, task.options[0] if unit == "output" else "@reference")
        for task in plan.tasks()
        for unit in units
        if len(task.options) == 1
    }
    return {key: ends for key, ends in plan.segments.items() if key in wanted}
