"""Which answers to checks are right, asked of `judgments` once for each different answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from rejudge.design import Plan, Task
from rejudge.errors import DataError
from rejudge.judgments import Answer, tabulate
from rejudge.judgments.checks import check_results
from rejudge.study import Study


class Checks:
    """The checks of a plan. Most people give the same right answer, which is read once."""

    def __init__(self, study: Study, plan: Plan) -> None:
        self._study = study
        self._plan = plan
        self._only_flag = {check.id for check in study.spec.checks if check.on_fail == "flag"}
        self._tasks = {
            batch.id: [task for task in batch.tasks if task.expected is not None]
            for batch in plan.batches
        }
        self._right: dict[tuple[str, str, str], bool] = {}

    @property
    def limit(self) -> int | None:
        """How many wrong checks exclude somebody; None when no number does."""
        analysis = self._study.spec.analysis
        return None if analysis is None else analysis.exclude.failed_checks

    def failed(self, batch: str, given: Mapping[tuple[str, str], str]) -> tuple[int, int]:
        """How many checks of a batch were wrong, and how many of those do more than flag."""
        wrong = [
            task
            for task in self._tasks[batch]
            if task.expected is not None
            and (raw := given.get((task.id, task.expected.question))) is not None
            and not self._is_right(batch, task, raw)
        ]
        return len(wrong), sum(task.check not in self._only_flag for task in wrong)

    def _is_right(self, batch: str, task: Task, raw: str) -> bool:
        key = (batch, task.id, raw)
        if key not in self._right:
            self._right[key] = self._read(batch, task, raw)
        return self._right[key]

    def _read(self, batch: str, task: Task, raw: str) -> bool:
        if task.expected is None:
            return True
        only = replace(self._plan.batch[batch], tasks=(task,))
        plan = replace(self._plan, batches=(only,))
        answer = Answer("", batch, task.id, task.expected.question, raw, position=1)
        try:
            judgments = tabulate(self._study, plan, [answer])
        except DataError:  # what cannot be read cannot be right
            return False
        return all(result.is_right for result in check_results(plan, judgments))
