"""Simulated people: they hold known opinions of the systems, and answer every kind of question.

`Parameters` say how opinions come about, and how they become answers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rejudge.design.order import order_for
from rejudge.design.plan import REFERENCE, Batch, Plan, Task, answer_parts, option_text
from rejudge.judgments.answers import Answer
from rejudge.simulate.parameters import Parameters, for_each_question
from rejudge.study.kinds.question import LETTERS, Question
from rejudge.study.model import Study

_FAR = 9.0  # so much better or worse that nobody attentive can miss it
_LETTERS_PER_SECOND = 17.0  # of reading, about 200 words a minute


def judge(
    study: Study,
    plan: Plan,
    *,
    rng: np.random.Generator,
    parameters: Parameters | Mapping[str, Parameters] | None = None,
) -> tuple[Answer, ...]:
    """Let simulated people fill every place of a plan.

    `parameters` say what is true of systems, items and people: the same for all questions, or by
    question.
    """
    return fill(Crowd(study, plan, rng=rng, parameters=parameters))


def fill(crowd: Crowd) -> tuple[Answer, ...]:
    """Let people of a crowd take every place of its plan; they are numbered as on the site."""
    answers: list[Answer] = []
    for number, own in enumerate(participant_seats(crowd.plan), start=1):
        answers += crowd.person(f"p{number:04}").answers(*own)
    return tuple(answers)


class Crowd:
    """True values shared by all participants: the quality of systems, overall and by item."""

    def __init__(
        self,
        study: Study,
        plan: Plan,
        *,
        rng: np.random.Generator,
        parameters: Parameters | Mapping[str, Parameters] | None = None,
    ) -> None:
        self.study, self.plan, self._rng = study, plan, rng
        self.parameters = for_each_question(study, parameters)
        self._question = {question: place for place, question in enumerate(self.parameters)}
        self._item = {item.id: place for place, item in enumerate(study.items)}
        self._standing = self._draw_standing()

    def _draw_standing(self) -> NDArray[np.float64]:
        """How good each system is on each item: question × item × system."""
        study, each = self.study, list(self.parameters.values())
        shape = (len(each), len(study.items), len(study.system_ids))
        spread = np.array([of.system_by_item for of in each])[:, None, None]
        quality = [list(of.qualities(study.system_ids).values()) for of in each]
        standing = self._rng.standard_normal(shape) * spread + np.array(quality)[:, None, :]
        difficulty = np.array([of.item_difficulty for of in each])
        if not difficulty.any():  # drawn only where asked for: other numbers stay as they were
            return np.asarray(standing)
        (own,) = self._rng.spawn(1)
        drawn = own.standard_normal(shape[:2]) * difficulty[:, None]
        return np.asarray(standing + drawn[:, :, None])

    def person(self, name: str, *, rng: np.random.Generator | None = None) -> SimulatedPerson:
        """A person of this crowd, with their own random numbers if `rng` is given."""
        own = rng or self._rng
        systems, of = self.study.system_ids, next(iter(self.parameters.values()))
        taste = own.standard_normal(len(systems)).tolist()
        return SimulatedPerson(
            self,
            name,
            dict(zip(systems, taste, strict=True)),
            severity=float(own.standard_normal()),
            is_careless=bool(own.random() < of.careless),
            rng=own,
            leaves_after=_draw_end(own, of.dropout),
        )

    def quality(self, question: Question, task: Task, option: str) -> float:
        """How good an option is to people in general; references are good, made texts bad."""
        place = self.study.system_place.get(option)
        if place is None:
            return 1.5 if option == REFERENCE else -1.5
        return float(self._standing[self._question[question.id], self._item[task.item], place])


def _draw_end(own: np.random.Generator, dropout: float) -> float | None:
    """After which part of their tasks somebody leaves; None: not before the end."""
    if not dropout:  # drawn only where asked for: other numbers stay as they were
        return None
    leaves, where = own.spawn(1)[0].random(2).tolist()
    return where if leaves < dropout else None


@dataclass(frozen=True, slots=True)
class TaskReply:
    """The reply to one task: an answer to each question, and how long it took."""

    answers: Mapping[str, str]  # by question
    seconds: float


@dataclass(frozen=True, slots=True)
class SimulatedPerson:
    """Somebody with opinions, who answers one task after the other.

    `taste` and `severity` are in standard deviations: the parameters of each question say how much
    of them there is in its answers.
    """

    crowd: Crowd
    name: str
    taste: Mapping[str, float]  # by system
    severity: float
    is_careless: bool
    rng: np.random.Generator
    leaves_after: float | None = None  # which part of their tasks, if they do not finish

    def look(self, task: Task) -> TaskReply:
        """Read a task and answer it; asked again, they may say something else."""
        questions = self.crowd.study.questions_beside(len(task.options))
        seconds = self._seconds(task, len(questions))
        return TaskReply({q.id: self._raw(q, task) for q in questions}, seconds)

    def answers(self, *own: Seat) -> list[Answer]:
        """All answers to some batches, in the order this person sees them, until they leave."""
        tasks = [
            (seat.batch.id, position, task)
            for seat in own
            for position, task in enumerate(
                order_for(self.crowd.plan, seat.batch, seat.number), start=1
            )
        ]
        given = []
        for batch, position, task in tasks[: self._stay(len(tasks))]:
            looked = self.look(task)
            given += [
                Answer(
                    participant=self.name,
                    batch=batch,
                    task=task.id,
                    question=question,
                    raw=raw,
                    position=position,
                    seconds=looked.seconds,
                )
                for question, raw in looked.answers.items()
            ]
        return given

    def _stay(self, tasks: int) -> int:
        """How many tasks they answer: all, or one or more but not the last."""
        if self.leaves_after is None:
            return tasks
        return min(tasks - 1, 1 + int(self.leaves_after * (tasks - 1)))

    def _raw(self, question: Question, task: Task) -> str:
        parts = answer_parts(self.crowd.plan, task, question)
        return question.simulated_answer(_Opinion(self, question, task), parts)

    def compare(self, question: Question, task: Task) -> list[float]:
        """How good each option seems when the options of a task are compared."""
        like = self.crowd.parameters[question.id]
        if task.expected is not None and self._sees_through(question, task):
            far = _FAR * (1 + like.noise) + like.tie_width
            marked = {task.expected.best: far, task.expected.worst: -far}
            places = LETTERS[: len(task.options)]
            return [
                noise + marked.get(letter, 0.0)
                for letter, noise in zip(places, self._noise(question, task), strict=True)
            ]
        seen = self._look(question, task)
        if self.is_careless:
            return seen
        return [seen[0] + like.position_bias, *seen[1:]]

    def _look(self, question: Question, task: Task) -> list[float]:
        """How good each option seems to a person; careless people do not look."""
        if self.is_careless:
            return self._noise(question, task)
        taste = self.crowd.parameters[question.id].system_by_participant
        return [
            noise + self.crowd.quality(question, task, option) + taste * self.taste.get(option, 0.0)
            for noise, option in zip(self._noise(question, task), task.options, strict=True)
        ]

    def _noise(self, question: Question, task: Task) -> list[float]:
        """Chance; careless people answer by it even where there is none in others' answers."""
        noise = self.crowd.parameters[question.id].noise
        spread = noise or float(self.is_careless)
        drawn: list[float] = self.rng.normal(0, spread, len(task.options)).tolist()
        return drawn

    def _sees_through(self, question: Question, task: Task) -> bool:
        """Whether a check is noticed for what it is."""
        is_aimed = task.expected is not None and task.expected.question == question.id
        if self.is_careless or not is_aimed:
            return False
        return bool(self.rng.random() >= self.crowd.parameters[question.id].slip)

    def score(self, question: Question, task: Task, points: Sequence[float]) -> float:
        """The point that the output of a task deserves."""
        rng, like = self.rng, self.crowd.parameters[question.id]
        if self.is_careless:
            return points[int(rng.integers(len(points)))]
        if task.expected is not None and self._sees_through(question, task):
            low, high = task.expected.at_least, task.expected.at_most
            right = [p for p in points if (low is None or p >= low) and (high is None or p <= high)]
            return right[rng.integers(len(right))]
        reach = (points[-1] - points[0]) / 4
        middle = (points[-1] + points[0]) / 2
        seen = self._look(question, task)[0] + like.severity * self.severity
        mark = middle + reach * seen
        return min(points, key=lambda point: abs(point - mark))

    def _seconds(self, task: Task, questions: int) -> float:
        """Time to read and to decide; careless people do neither."""
        crowd = self.crowd
        luck = float(self.rng.lognormal(0, 0.35))
        if self.is_careless:
            return round(1.4 * luck * questions, 1)
        texts = [option_text(crowd.study, crowd.plan, task, option) for option in task.options]
        letters = len(crowd.study.item[task.item].input) + sum(map(len, texts))
        return round((letters / _LETTERS_PER_SECOND + 3.0 * questions) * luck, 1)


@dataclass(frozen=True, slots=True)
class _Opinion:
    """A person's opinion of one task, for one question."""

    person: SimulatedPerson
    question: Question
    task: Task

    @property
    def tie_width(self) -> float:
        return self.person.crowd.parameters[self.question.id].tie_width

    def compare(self) -> Sequence[float]:
        return self.person.compare(self.question, self.task)

    def score(self, points: Sequence[float]) -> float:
        return self.person.score(self.question, self.task, points)


@dataclass(frozen=True, slots=True)
class Seat:
    """One place in a batch; seats are counted from 0."""

    batch: Batch
    number: int


def participant_seats(plan: Plan) -> tuple[tuple[Seat, ...], ...]:
    """The seats of each participant, all places filled: calibration first, then own batches.

    Nobody gets a batch twice, more batches than the plan allows, or two batches that share an
    input; whoever comes takes the first places that are left.
    """
    people: list[list[Seat]] = []
    still_free: list[list[Seat]] = []
    for seat in _places(plan):
        person = next((each for each in still_free if _may_take(each, seat, plan)), None)
        if person is None:
            person = []
            people.append(person)
            still_free.append(person)
        person.append(seat)
        if len(person) == plan.batches_per_participant:
            still_free.remove(person)
    return tuple((*_calibration(plan, number), *own) for number, own in enumerate(people))


def _places(plan: Plan) -> list[Seat]:
    """Round by round: the first place of every batch, then the second of every batch."""
    rounds = max((batch.participants for batch in plan.main), default=0)
    return [
        Seat(batch, number)
        for number in range(rounds)
        for batch in plan.main
        if number < batch.participants
    ]


def _may_take(taken: list[Seat], seat: Seat, plan: Plan) -> bool:
    forbidden = {seat.batch.id, *plan.conflicts.get(seat.batch.id, ())}
    return all(own.batch.id not in forbidden for own in taken)


def _calibration(plan: Plan, number: int) -> tuple[Seat, ...]:
    return tuple(Seat(batch, number) for batch in plan.batches if batch.is_calibration)
