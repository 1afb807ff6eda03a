"""Simulated people: they hold known opinions of the systems, and answer every kind of question.

Opinions are on one hidden line: a system's quality, how much it does better or worse on an item,
how much a participant likes it, and chance. A choice goes to whatever is highest; a score is its
position on the scale, whose ends lie two units from the middle.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rejudge.design import REFERENCE, Batch, Plan, Task, answer_parts, option_text, order_for
from rejudge.errors import DataError, Problem
from rejudge.judgments import Answer
from rejudge.study import LETTERS, Question, Study

if TYPE_CHECKING:
    import numpy as np

__all__ = [
    "Crowd",
    "Seat",
    "SimulatedPeople",
    "SimulatedPerson",
    "TaskReply",
    "judge",
    "seats",
]

_FAR = 9.0  # so much better or worse that nobody attentive can miss it
_LETTERS_PER_SECOND = 17.0  # of reading, about 200 words a minute


@dataclass(frozen=True, slots=True)
class SimulatedPeople:
    """What the simulated people are like; all spreads are standard deviations."""

    careless: float = 0.0  # share of people who answer at random, and fast
    item_spread: float = 0.6  # how much a system's quality changes from item to item
    taste_spread: float = 0.3  # how much people differ in what they like
    severity_spread: float = 0.5  # how much higher or lower some people score altogether
    noise: float = 0.7  # of a single look
    side_bias: float = 0.0  # how much better the option shown first seems
    tie_width: float = 0.5  # differences below this are “about the same”
    slip: float = 0.01  # how often an attentive person misses a check


def judge(
    study: Study,
    plan: Plan,
    *,
    rng: np.random.Generator,
    quality: Mapping[str, float] | None = None,
    people: SimulatedPeople | None = None,
) -> tuple[Answer, ...]:
    """Let simulated people fill every place of a plan.

    `quality` says how good each system really is; left out, the systems get worse in the order of
    the study, from +0.6 to −0.6.
    """
    return fill(Crowd(study, plan, rng=rng, quality=quality, people=people))


def fill(crowd: Crowd) -> tuple[Answer, ...]:
    """Let people of a crowd take every place of its plan."""
    answers: list[Answer] = []
    taken = seats(crowd.plan)
    digits = max(3, len(str(len(taken))))
    for number, own in enumerate(taken, start=1):
        person = crowd.person(f"sim-{number:0{digits}}")
        for seat in own:
            answers += person.answers(seat)
    return tuple(answers)


def _quality(study: Study, given: Mapping[str, float] | None) -> dict[str, float]:
    systems = study.system_ids
    if given is None:
        steps = max(1, len(systems) - 1)
        return {system: 0.6 - 1.2 * place / steps for place, system in enumerate(systems)}
    strangers = sorted(set(given) ^ set(systems))
    if strangers:
        raise DataError.of(
            Problem(
                f"'{name}' is in only one of the study's systems and the given qualities.",
                f"Give a quality for each of {', '.join(systems)}.",
            )
            for name in strangers
        )
    return dict(given)


class Crowd:
    """What is true for everybody: the systems' quality, and their ups and downs over items."""

    def __init__(
        self,
        study: Study,
        plan: Plan,
        *,
        rng: np.random.Generator,
        quality: Mapping[str, float] | None = None,
        people: SimulatedPeople | None = None,
    ) -> None:
        self.study, self.plan, self.like, self._rng = study, plan, people or SimulatedPeople(), rng
        shape = (len(study.spec.questions), len(study.items), len(study.system_ids))
        ups_and_downs = rng.normal(0, self.like.item_spread, shape)
        qualities = _quality(study, quality)
        base = [qualities[system] for system in study.system_ids]
        self._standing = ups_and_downs + base
        self._question = {q.id: place for place, q in enumerate(study.spec.questions)}
        self._item = {item.id: place for place, item in enumerate(study.items)}

    def person(self, name: str, *, rng: np.random.Generator | None = None) -> SimulatedPerson:
        """Somebody of this crowd; with chance of their own where `rng` is given."""
        own = rng or self._rng
        systems = self.study.system_ids
        taste = own.normal(0, self.like.taste_spread, len(systems))
        return SimulatedPerson(
            self,
            name,
            dict(zip(systems, taste.tolist(), strict=True)),
            severity=float(own.normal(0, self.like.severity_spread)),
            is_careless=bool(own.random() < self.like.careless),
            rng=own,
        )

    def quality(self, question: Question, task: Task, option: str) -> float:
        """How good an option is to people in general; references are good, made texts bad."""
        place = self.study.system_place.get(option)
        if place is None:
            return 1.5 if option == REFERENCE else -1.5
        return float(self._standing[self._question[question.id], self._item[task.item], place])


@dataclass(frozen=True, slots=True)
class TaskReply:
    """What somebody makes of one task: an answer to each question, and how long it took."""

    answers: Mapping[str, str]  # by question
    seconds: float


@dataclass(frozen=True, slots=True)
class SimulatedPerson:
    """Somebody with opinions, who answers one task after the other."""

    crowd: Crowd
    name: str
    taste: Mapping[str, float]
    severity: float
    is_careless: bool
    rng: np.random.Generator

    def look(self, task: Task) -> TaskReply:
        """Read a task and answer it; asked again, they may say something else."""
        questions = self.crowd.study.questions_beside(len(task.options))
        seconds = self._seconds(task, len(questions))
        return TaskReply({q.id: self._raw(q, task) for q in questions}, seconds)

    def answers(self, seat: Seat) -> list[Answer]:
        """All answers to a batch, in the order this person sees it."""
        given = []
        plan = self.crowd.plan
        for position, task in enumerate(order_for(plan, seat.batch, seat.number), start=1):
            looked = self.look(task)
            given += [
                Answer(
                    participant=self.name,
                    batch=seat.batch.id,
                    task=task.id,
                    question=question,
                    raw=raw,
                    position=position,
                    seconds=looked.seconds,
                )
                for question, raw in looked.answers.items()
            ]
        return given

    def _raw(self, question: Question, task: Task) -> str:
        parts = answer_parts(self.crowd.plan, task, question)
        return question.simulated_answer(_Opinion(self, question, task), parts)

    def compare(self, question: Question, task: Task) -> list[float]:
        """How good each option seems when the options of a task are compared."""
        if task.expected is not None and self._sees_through(question, task):
            marked = {task.expected.best: _FAR, task.expected.worst: -_FAR}
            places = LETTERS[: len(task.options)]
            return [
                noise + marked.get(letter, 0.0)
                for letter, noise in zip(places, self._noise(task), strict=True)
            ]
        seen = self._look(question, task)
        return seen if self.is_careless else [seen[0] + self.crowd.like.side_bias, *seen[1:]]

    def _look(self, question: Question, task: Task) -> list[float]:
        """How good each option seems at one look; careless people do not look."""
        if self.is_careless:
            return self._noise(task)
        return [
            noise + self.crowd.quality(question, task, option) + self.taste.get(option, 0.0)
            for noise, option in zip(self._noise(task), task.options, strict=True)
        ]

    def _noise(self, task: Task) -> list[float]:
        noise = self.crowd.like.noise
        drawn: list[float] = self.rng.normal(0, noise, len(task.options)).tolist()
        return drawn

    def _sees_through(self, question: Question, task: Task) -> bool:
        """Whether a check is noticed for what it is."""
        is_aimed = task.expected is not None and task.expected.question == question.id
        if self.is_careless or not is_aimed:
            return False
        return bool(self.rng.random() >= self.crowd.like.slip)

    def score(self, question: Question, task: Task, points: Sequence[float]) -> float:
        """The point that the output of a task deserves."""
        rng = self.rng
        if self.is_careless:
            return points[int(rng.integers(len(points)))]
        if task.expected is not None and self._sees_through(question, task):
            low, high = task.expected.at_least, task.expected.at_most
            right = [p for p in points if (low is None or p >= low) and (high is None or p <= high)]
            return right[rng.integers(len(right))]
        reach = (points[-1] - points[0]) / 4
        middle = (points[-1] + points[0]) / 2
        mark = middle + reach * (self._look(question, task)[0] + self.severity)
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
    """What somebody thinks of one task, in the light of one question."""

    person: SimulatedPerson
    question: Question
    task: Task

    @property
    def tie_width(self) -> float:
        return self.person.crowd.like.tie_width

    def compare(self) -> Sequence[float]:
        return self.person.compare(self.question, self.task)

    def score(self, points: Sequence[float]) -> float:
        return self.person.score(self.question, self.task, points)


@dataclass(frozen=True, slots=True)
class Seat:
    """One place in a batch; seats are counted from 0."""

    batch: Batch
    number: int


def seats(plan: Plan) -> tuple[tuple[Seat, ...], ...]:
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
