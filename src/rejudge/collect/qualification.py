"""Qualification: who passes a gold batch, and how often that is right or wrong.

The gold batch comes before the others, and only those who pass get a place. Everybody is paid.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import factorial, prod

from rejudge.design.sampling import Chance
from rejudge.errors import DataError, Problem
from rejudge.study.consistency import gold_parts
from rejudge.study.kinds.question import Question
from rejudge.study.model import Study
from rejudge.study.qualification import Qualification

ACCURACIES = (0.8, 0.9, 0.95)  # for which the chance to pass is shown
QUALIFICATION = "@qualification-"  # + attempt-place: the task under which its answers are kept


@dataclass(frozen=True, slots=True)
class PassRates:
    """How likely the gold batch is passed, at the first attempt and in as many as are allowed.

    Attempts count as independent. Where they show the same tasks, mistakes tend to come back, and a
    careful participant fails all attempts more often than this says.
    """

    checks: int  # in an attempt
    mark: int
    attempts: int
    guessing: float
    by_accuracy: tuple[tuple[float, float], ...]  # share of right answers, chance to pass
    same_answer: int  # right answers of somebody who always gives the same one

    def within_attempts(self, rate: float) -> float:
        """The chance to pass at least once."""
        return 1 - (1 - rate) ** self.attempts


def at_least(mark: int, chances: Sequence[float]) -> float:
    """The probability of so many successes or more in independent trials (Poisson binomial)."""
    distribution = [1.0]
    for chance in chances:
        lose = [each * (1 - chance) for each in (*distribution, 0.0)]
        win = [each * chance for each in (0.0, *distribution)]
        distribution = [a + b for a, b in zip(lose, win, strict=True)]
    return sum(distribution[mark:])


@dataclass(frozen=True, slots=True)
class _GoldAnswer:
    """One right answer of a gold task."""

    question: Question
    right: str
    parts: int
    within: float

    def is_right(self, given: str) -> bool:
        """Whether an answer counts as right; what cannot be read does not."""
        try:
            if self.question.is_right(self.right, given, parts=self.parts):
                return True
            wanted = self.question.scores(self.right, self.parts)
            scores = self.question.scores(given, self.parts)
        except DataError:
            return False
        pairs = zip(wanted, scores, strict=True)
        return bool(wanted) and all(abs(a - b) <= self.within for a, b in pairs)

    @property
    def guess(self) -> float:
        """The chance that an answer at random is right."""
        question, parts = self.question, self.parts
        if question.is_order:
            return 1 / factorial(parts)
        if question.is_comparison and question.is_implied:
            return 1 / (parts * (parts - 1))  # the best and the worst
        if question.is_comparison:
            return 1 / (parts + question.allows_tie)
        if question.values:
            return prod(
                sum(self._is_near(point, score) for point in question.values) / len(question.values)
                for score in question.scores(self.right, parts)
            )
        return self._guess_on_line()

    def _is_near(self, point: float, score: float) -> bool:
        return abs(point - score) <= max(self.within, getattr(self.question, "tolerance", 0.0))

    def _guess_on_line(self) -> float:
        lowest, highest = self.question.bounds or (0.0, 1.0)
        near = max(self.within, getattr(self.question, "tolerance", 0.0))
        shares = [
            (min(highest, score + near) - max(lowest, score - near)) / (highest - lowest)
            for score in self.question.scores(self.right, self.parts)
        ]
        return prod(shares)


def attempt_order(study: Study, asked: Qualification, attempt: int) -> tuple[int, ...]:
    """The tasks of an attempt (from 1) by their places in study.yaml, in the order shown.

    Tasks that are shown again come in another order, the same for everybody.
    """
    places = asked.places(attempt)
    if attempt == 1 or asked.tasks_per_attempt is not None:
        return places
    chance = Chance(study.spec.design.seed, "qualification", attempt)
    return tuple(chance.shuffle(places))


def gold_task_id(attempt: int, place: int) -> str:
    """The name under which the answers to a gold task are kept."""
    return f"{QUALIFICATION}{attempt}-{place + 1}"


def open_gold_task(
    study: Study, asked: Qualification, attempt: int, answers: Mapping[tuple[str, str], str]
) -> int | None:
    """The position, from 1, of the first task of an attempt with an answer missing; None: none."""
    required = {question.id for question in study.spec.questions if question.required}
    for position, place in enumerate(attempt_order(study, asked, attempt), start=1):
        name = gold_task_id(attempt, place)
        wanted = required.intersection(asked.tasks[place].answers)
        if any((name, question) not in answers for question in wanted):
            return position
    return None


def count_right(
    study: Study, asked: Qualification, attempt: int, answers: Mapping[tuple[str, str], str]
) -> int:
    """How many answers of an attempt are right; an optional one that is missing is not."""
    return sum(
        gold.is_right(given)
        for name, gold in _gold_answers(study, asked, attempt)
        if (given := answers.get((name, gold.question.id))) is not None
    )


def stage_rates(study: Study) -> PassRates | None:
    """Both error rates of the gold batch; None for a study without one.

    Attempts have equally many right answers; where some are easier to guess, those count.
    """
    asked = study.spec.qualification
    if asked is None:
        return None
    attempts = [
        [gold for _, gold in _gold_answers(study, asked, attempt)]
        for attempt in range(1, asked.attempts + 1)
    ]
    many = len(attempts[0])
    return PassRates(
        checks=many,
        mark=asked.pass_mark,
        attempts=asked.attempts,
        guessing=max(at_least(asked.pass_mark, [gold.guess for gold in each]) for each in attempts),
        by_accuracy=tuple((x, at_least(asked.pass_mark, [x] * many)) for x in ACCURACIES),
        same_answer=max(_right_by_habit(each) for each in attempts),
    )


def _gold_answers(
    study: Study, asked: Qualification, attempt: int
) -> Iterator[tuple[str, _GoldAnswer]]:
    by_id = {question.id: question for question in study.spec.questions}
    for place in asked.places(attempt):
        task = asked.tasks[place]
        for name, right in task.answers.items():
            if name not in by_id:
                what = f"a gold task has an answer to '{name}', which is not a question."
                raise DataError(Problem(what, f"The questions are {', '.join(by_id)}."))
            question = by_id[name]
            parts = gold_parts(study.spec, question, task)
            yield (
                gold_task_id(attempt, place),
                _GoldAnswer(question, str(right), parts, asked.within),
            )


def _right_by_habit(answers: Sequence[_GoldAnswer]) -> int:
    """How many are right for somebody who gives the same answer everywhere, the best there is."""
    best: Counter[str] = Counter()
    for habit in {(gold.question.id, gold.right) for gold in answers}:
        question, raw = habit
        right = sum(gold.is_right(raw) for gold in answers if gold.question.id == question)
        best[question] = max(best[question], right)
    return best.total()
