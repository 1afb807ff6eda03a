"""An answer is what was clicked; a judgment is what it says about systems."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from rejudge.collect import STATUSES, Status
from rejudge.design import Batch, Plan, Task, answer_parts
from rejudge.errors import DataError, Problem
from rejudge.judgments.table import Choice, Coded, Judgment, Judgments, Origin, Side
from rejudge.study import DecidedPair, Question, Study


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
