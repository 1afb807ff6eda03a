"""Qualification: who passes a batch of checks, and how often that is right or wrong.

Everybody is paid, whether they pass or not. Somebody who fails may try another batch, as often as
`design.batches_per_participant` allows; somebody who has passed is given no more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rejudge.design import Batch, Plan, Task
from rejudge.study import Question, Study

ACCURACIES = (0.8, 0.9, 0.95)  # for which the chance to pass is shown
_PAIR = 2


@dataclass(frozen=True, slots=True)
class PassRates:
    """How likely a batch is passed, at the first attempt and in as many as are allowed."""

    checks: int  # in a batch; the fewest where batches differ
    mark: int
    attempts: int
    guessing: float
    by_accuracy: tuple[tuple[float, float], ...]  # share of right answers, chance to pass

    def within_attempts(self, rate: float) -> float:
        """The chance to pass at least once."""
        return 1 - (1 - rate) ** self.attempts


def has_passed(study: Study, batch: Batch, failed_checks: int | None) -> bool:
    """Whether a finished batch reaches the pass mark; without one nobody passes or fails."""
    mark = study.spec.recruitment.pass_mark
    if mark is None or failed_checks is None:
        return False
    return len(_checks(batch)) - failed_checks >= mark


def pass_rates(study: Study, plan: Plan) -> PassRates | None:
    """Both error rates of the pass mark, for the batch with the fewest checks; None without one.

    The number of right answers is a sum of independent trials: each check is guessed with the
    share of its answers that are right, or answered rightly with the participant's accuracy.
    """
    mark = study.spec.recruitment.pass_mark
    if mark is None or not plan.main:
        return None
    batch = min(plan.main, key=lambda each: len(_checks(each)))
    checks = _checks(batch)
    by_id = {question.id: question for question in study.spec.questions}
    guesses = [_guess(task, by_id[task.expected.question]) for task in checks if task.expected]
    return PassRates(
        checks=len(checks),
        mark=mark,
        attempts=plan.batches_per_participant,
        guessing=at_least(mark, guesses),
        by_accuracy=tuple((each, at_least(mark, [each] * len(checks))) for each in ACCURACIES),
    )


def at_least(mark: int, chances: Sequence[float]) -> float:
    """The probability of so many successes or more in independent trials (Poisson binomial)."""
    distribution = [1.0]
    for chance in chances:
        lose = [each * (1 - chance) for each in (*distribution, 0.0)]
        win = [each * chance for each in (0.0, *distribution)]
        distribution = [a + b for a, b in zip(lose, win, strict=True)]
    return sum(distribution[mark:])


def _checks(batch: Batch) -> list[Task]:
    return [task for task in batch.tasks if task.expected is not None]


def _guess(task: Task, question: Question) -> float:
    """The share of the possible answers that are right."""
    right, width = task.expected, len(task.options)
    if right is None:
        return 1.0
    if right.best is not None or right.worst is not None:
        return 1 / (width + (question.allows_tie and width == _PAIR))
    low = float("-inf") if right.at_least is None else right.at_least
    high = float("inf") if right.at_most is None else right.at_most
    if question.values:
        return sum(low <= value <= high for value in question.values) / len(question.values)
    if question.bounds is None:
        return 1.0
    lowest, highest = question.bounds
    return max(0.0, min(high, highest) - max(low, lowest)) / (highest - lowest)
