"""From answers to judgments: what a click says about systems, and how checks went."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from rejudge.collect.assignment import STATUSES, Status
from rejudge.design.plan import Batch, Expected, Plan, Task, answer_parts
from rejudge.errors import DataError, Problem
from rejudge.judgments.table import Choice, Coded, Judgment, Judgments, Origin, Side
from rejudge.study.kinds.question import LETTERS, DecidedPair, Question
from rejudge.study.model import Study


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer as it was given: to which task and question, the raw value, how long it took."""

    participant: str
    batch: str
    task: str
    question: str
    raw: str
    position: int  # place of the task in the order this participant saw, from 1
    seconds: float | None = None  # on the task's page
    submitted_at: datetime | None = None
    state: Status | None = None  # of the batch in this participant's hands


def tabulate(
    study: Study, plan: Plan, answers: Iterable[Answer], *, origin: Origin = "people"
) -> Judgments:
    """Turn answers into judgments, one row for each thing said about a system or a pair.

    A rating gives one row, segments one per segment, a comparison one. The best and the worst of n
    give the 2n − 3 comparisons they decide, a ranking of n gives n(n − 1)/2. Of two systems the
    one named first in the study is system_a; `side` keeps which was shown first.
    """
    import numpy as np

    reader = _AnswerReader(study, plan, origin)
    given = list(answers)
    owners: list[int] = []
    rows: list[int] = []
    problems: list[Problem] = []
    seen: set[tuple[str, str, str, str]] = set()
    for place, answer in enumerate(given):
        key = (answer.participant, answer.batch, answer.task, answer.question)
        if key in seen:
            problems.append(_twice(answer))
        seen.add(key)
        try:
            said = reader.rows(answer)
        except DataError as error:
            problems += [replace(p, field=_place(answer)) for p in error.problems]
            continue
        rows += said
        owners += [place] * len(said)
    if problems:
        raise DataError.of(problems)
    said_once = Judgments.from_rows(reader.read, systems=study.system_ids)
    return _of_people(said_once.take(np.array(rows, dtype=np.int64)), given, owners)


def _of_people(said: Judgments, given: Sequence[Answer], owners: Sequence[int]) -> Judgments:
    """The rows with who said them, when, where and how fast."""
    import numpy as np

    owner = np.array(owners, dtype=np.int64)
    seconds = [np.nan if a.seconds is None else a.seconds for a in given]
    moments = [
        None if a.submitted_at is None else a.submitted_at.astimezone(UTC).replace(tzinfo=None)
        for a in given
    ]
    return replace(
        said,
        participant=Coded.of(answer.participant for answer in given).take(owner),
        position=np.array([answer.position for answer in given], dtype=np.int32)[owner],
        seconds=np.array(seconds, dtype=np.float64)[owner],
        submitted_at=np.array(moments, dtype="datetime64[us]")[owner],
        state=Coded.of((answer.state for answer in given), STATUSES).take(owner),
    )


class _AnswerReader:
    """Reads answers in the light of the plan: which options stood under which letters.

    Many participants give one answer to one task; it is read once, into rows of nobody.
    """

    def __init__(self, study: Study, plan: Plan, origin: Origin) -> None:
        self._study = study
        self._plan = plan
        self._origin = origin
        self._fingerprint = plan.fingerprint
        self._tasks = {(b.id, task.id): task for b in plan.batches for task in b.tasks}
        self._questions = {question.id: question for question in study.spec.questions}
        self._known: dict[tuple[str, str, str, str], range] = {}
        self.read: list[Judgment] = []

    def rows(self, answer: Answer) -> range:
        """The places of an answer's rows among those that were read."""
        key = (answer.batch, answer.task, answer.question, answer.raw)
        if key not in self._known:
            begin = len(self.read)
            self.read += self._rows(answer)
            self._known[key] = range(begin, len(self.read))
        return self._known[key]

    def _rows(self, answer: Answer) -> Iterator[Judgment]:
        batch, task, question = self._look_up(answer)
        parts = answer_parts(self._plan, task, question)
        blank = Judgment(
            participant="",
            item=task.item,
            question=question.id,
            value=0.0,
            dataset=self._study.item[task.item].dataset or None,
            batch=batch.id,
            task=task.id,
            kind=task.kind,
            origin=self._origin,
            plan=self._fingerprint,
        )
        for place, score in enumerate(question.scores(answer.raw, parts), start=1):
            segment = place if question.is_segmented else None
            yield replace(blank, system=task.options[0], value=score, segment=segment)
        for decided in question.decided_pairs(answer.raw, parts):
            yield self._comparison(blank, task, decided)

    def _look_up(self, answer: Answer) -> tuple[Batch, Task, Question]:
        batch = self._plan.batch.get(answer.batch)
        task = self._tasks.get((answer.batch, answer.task))
        question = self._questions.get(answer.question)
        if batch is None or task is None:
            raise DataError(
                f"the plan has no task '{answer.task}' in batch '{answer.batch}'. "
                "Read the answers with the plan they were given to."
            )
        if question is None or question not in self._study.questions_beside(len(task.options)):
            raise DataError(f"task '{task.id}' does not ask the question '{answer.question}'.")
        return batch, task, question

    def _comparison(self, blank: Judgment, task: Task, decided: DecidedPair) -> Judgment:
        """The comparison of two places of a task, in the order of the study's systems."""
        order = self._study.system_place
        last = len(order)  # what is not a system, such as a reference, comes after the systems
        a, b = sorted(
            (decided.winner, decided.loser),
            key=lambda place: (order.get(task.options[place], last), place),
        )
        choice: Choice = "tie" if decided.is_tie else ("a" if a == decided.winner else "b")
        side: Side = "a" if a < b else "b"
        return replace(
            blank, system_a=task.options[a], system_b=task.options[b], value=choice, side=side
        )


def _twice(answer: Answer) -> Problem:
    return Problem(
        "this task was answered twice by the same participant.",
        "Keep the last answer before submission.",
        field=_place(answer),
    )


def _place(answer: Answer) -> str:
    return f"{answer.participant}, task {answer.task}, {answer.question}"


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
    batch: str = ""


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
            yield CheckResult(person, known.check, is_right, batch)


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
