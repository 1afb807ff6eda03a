"""What baselines show about a study: how much of its result appears without any judging.

Each baseline fills the plan by its rules and goes through the study's own analysis. Its scores, its
claims and its answers are compared with those of the participants, as far as there are any. So are
the checks, pass marks and exclusion rules that detect somebody who follows it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rejudge import stats
from rejudge.analysis.results import Verdict
from rejudge.collect.qualification import attempt_order, count_right, gold_task_id
from rejudge.design.plan import Plan
from rejudge.judgments.answers import check_counts
from rejudge.judgments.exclude import Cleaned
from rejudge.judgments.table import Judgments
from rejudge.simulate.rules import RuleFollower, SeenTexts
from rejudge.stats import Interval
from rejudge.study.consistency import gold_parts
from rejudge.study.kinds.question import Question
from rejudge.study.model import Study
from rejudge.study.qualification import Example, GoldTask

CheckSort: TypeAlias = Literal["check", "practice", "qualification", "exclusion"]
_Key: TypeAlias = tuple[str | int | None, ...]
_NO_MATCH = "No judgment of a participant can be matched with an answer of the baseline."


@dataclass(frozen=True, slots=True)
class MeasuredScore:
    """The score of a system by the participants."""

    question: str
    system: str
    value: float | None
    n: int
    interval: Interval | None = None


@dataclass(frozen=True, slots=True)
class RuleScore:
    """The score of a system by a baseline; if some answers are random, the mean of many draws."""

    system: str
    value: float | None
    low: float | None = None  # the lowest and the highest of the draws; None: no chance
    high: float | None = None


@dataclass(frozen=True, slots=True)
class BaselineOutcome:
    """The result of a baseline on one question, and how close it is to that of participants."""

    question: str
    rules: tuple[str, ...]  # that can decide it, turned round where it asks for the opposite
    is_reversed: bool = False
    measure: Literal["mean", "best-worst-score"] = "mean"  # of the scores
    decided: float | None = None  # percent of comparisons or scores that a rule decided
    scores: tuple[RuleScore, ...] = ()
    pairs: int | None = None  # of systems that participants put in an order
    pairs_in_order: int | None = None  # in the same order by the baseline
    supported: int | None = None  # pairs whose difference the participants' results support
    supported_in_order: int | None = None
    pearson: float | None = None  # of the scores of systems
    spearman: float | None = None
    agreement: AgreementShare | None = None
    agreement_decided: AgreementShare | None = None  # on what the rules decided completely
    note: str = ""

    @property
    def has_same_order(self) -> bool | None:
        """Whether the systems have the order that the participants gave them; None: not known."""
        return None if not self.pairs else self.pairs_in_order == self.pairs

    def score(self, system: str) -> float | None:
        """The score of one system."""
        return next((each.value for each in self.scores if each.system == system), None)


@dataclass(frozen=True, slots=True)
class BaselineClaim:
    """The verdict on a claim for a baseline, and for the participants if there are any."""

    id: str
    says: str
    verdict: Verdict  # never supported where the order depends on chance
    measured: Verdict | None = None

    @property
    def is_same(self) -> bool | None:
        """Whether it comes out as it does for participants; None without any."""
        return None if self.measured is None else self.verdict == self.measured


@dataclass(frozen=True, slots=True)
class BaselineRun:
    """One baseline: its rules, its outcome on each question, its checks and its claims."""

    id: str
    rules: tuple[str, ...]
    outcomes: tuple[BaselineOutcome, ...]
    checks: tuple[BaselineCheck, ...]
    participants: int  # who would fill the plan by these rules
    kept: int  # of them, after the study's exclusion rules
    claims: tuple[BaselineClaim, ...] = ()

    def outcome(self, question: str) -> BaselineOutcome | None:
        """What it gives on a question."""
        return next((each for each in self.outcomes if each.question == question), None)

    def claim(self, name: str) -> BaselineClaim | None:
        """The verdict on a claim, by its id."""
        return next((each for each in self.claims if each.id == name), None)


@dataclass(frozen=True, slots=True)
class Baselines:
    """All baselines of a study, compared with the participants' result."""

    runs: tuple[BaselineRun, ...]
    measured: tuple[MeasuredScore, ...]  # empty before data collection
    judgments: int  # by participants, that count
    participants: int
    is_simulated: bool  # whether the participants were
    is_declared: bool  # whether the study names its baselines; else they are the usual ones
    study: str  # fingerprints
    plan: str
    judged: str | None  # fingerprint of the judgments; None before data collection
    seed: int
    level: float
    version: str
    notes: tuple[str, ...] = ()

    @property
    def questions(self) -> tuple[str, ...]:
        """The questions of the study, in order."""
        found = (each.question for run in self.runs for each in run.outcomes)
        return tuple(dict.fromkeys(found))

    @property
    def has_participants(self) -> bool:
        """Whether there is anything to compare the baselines with."""
        return self.judged is not None

    def measured_on(self, question: str) -> tuple[MeasuredScore, ...]:
        """The participants' scores on a question, in the order of the study."""
        return tuple(each for each in self.measured if each.question == question)


@dataclass(frozen=True, slots=True)
class BaselineCheck:
    """The result of a baseline in one check, test or exclusion rule."""

    sort: CheckSort
    id: str
    passed: int
    of: int
    unit: Literal["answer", "batch", "participant"]
    is_passed: bool  # always, or as often as the pass mark asks for


def baseline_checks(
    study: Study, plan: Plan, follower: RuleFollower, cleaned: Cleaned
) -> Iterator[BaselineCheck]:
    """Every check of the study: attention checks, gold, practice, qualification, exclusions."""
    table = cleaned.collected
    for count in check_counts(study, plan, table):
        if count.answered:
            right = count.answered - count.failed
            yield BaselineCheck(
                "check", count.check, right, count.answered, "answer", not count.failed
            )
    yield from _practice(study, follower)
    yield from _qualification(study, follower)
    yield from _exclusions(study, cleaned)


def _practice(study: Study, follower: RuleFollower) -> Iterator[BaselineCheck]:
    """Practice with a pass mark: the first answer to each example."""
    practice = study.spec.practice
    if practice is None or practice.pass_mark is None:
        return
    right = sum(_is_right(study, follower, each) for each in practice.examples)
    is_passed = right >= practice.pass_mark
    yield BaselineCheck("practice", "practice", right, len(practice.examples), "answer", is_passed)


def _is_right(study: Study, follower: RuleFollower, example: Example) -> bool:
    """Whether the rules give the right answer to every question of an example."""
    by_id = {question.id: question for question in study.spec.questions}
    given = _answers(study, follower, example, by="practice")
    return all(
        name in given
        and by_id[name].is_right(
            str(right), given[name], parts=gold_parts(study.spec, by_id[name], example)
        )
        for name, right in example.answers.items()
    )


def _answers(study: Study, follower: RuleFollower, task: GoldTask, *, by: str) -> dict[str, str]:
    """The raw answers to a gold task, by question, as far as a rule can decide them."""
    seen = SeenTexts.of_gold_task(task)
    asked: list[Question] = [
        question
        for question in study.spec.questions
        if question.id in task.answers and follower.suits(question)
    ]
    return {
        question.id: follower.answer(
            question, seen, gold_parts(study.spec, question, task), by=f"{by} {task.input}"
        ).raw
        for question in asked
    }


def _qualification(study: Study, follower: RuleFollower) -> Iterator[BaselineCheck]:
    """The gold batch before the others: the best of all attempts."""
    asked = study.spec.qualification
    if asked is None:
        return
    best = 0
    for attempt in range(1, asked.attempts + 1):
        answers = {
            (name, question): raw
            for place in attempt_order(study, asked, attempt)
            for name in (gold_task_id(attempt, place),)
            for question, raw in _answers(study, follower, asked.tasks[place], by=name).items()
        }
        best = max(best, count_right(study, asked, attempt, answers))
    total = asked.gold_answers()
    yield BaselineCheck(
        "qualification", "qualification", best, total, "answer", best >= asked.pass_mark
    )


def _exclusions(study: Study, cleaned: Cleaned) -> Iterator[BaselineCheck]:
    """The exclusion rules that can notice somebody who follows a rule."""
    rules = study.spec.analysis.exclude if study.spec.analysis else None
    if rules is None:
        return
    everybody = len(cleaned.collected.participant.used())
    for name, limit in (
        ("failed-checks", rules.failed_checks),
        ("straight-lining", rules.straight_lining),
    ):
        if limit is not None and everybody:
            out = {each.participant for each in cleaned.exclusions if each.rule == name}
            passed = everybody - len(out)
            yield BaselineCheck("exclusion", name, passed, everybody, "participant", not out)


@dataclass(frozen=True, slots=True)
class AgreementShare:
    """The percentage of participants' judgments that equal a baseline's."""

    value: float | None
    n: int
    items: int
    participants: int
    interval: Interval | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class RuleAgreement:
    """The judgments of participants beside those of a baseline, on one question."""

    question: Question
    table: Judgments  # of the baseline
    theirs: Judgments  # of participants, real tasks that count
    decisions: Mapping[str, float]  # by task, the share of it that a rule decided
    level: float

    def share(self, *, decided_only: bool = False) -> AgreementShare:
        """The percentage of participants' judgments that the baseline agrees with.

        What the baseline leaves to chance counts with the share of its draws that agree. The
        interval allows for clusters of items and of participants.
        """
        theirs = self.theirs
        same = self._same(theirs)
        rows = np.flatnonzero(~np.isnan(same))
        if decided_only:
            tasks = theirs.task.words()
            chosen = [self.decisions.get(tasks[row] or "", 0.0) == 1.0 for row in rows.tolist()]
            rows = rows[np.array(chosen, dtype=bool)]
        if not len(rows):
            return AgreementShare(None, 0, 0, 0, note=_NO_MATCH)
        people = theirs.participant.codes[rows]
        if (people < 0).any():
            return AgreementShare(
                float(100 * same[rows].mean()),
                len(rows),
                stats.count_distinct(theirs.item.codes[rows]),
                0,
                note="No interval: it is not known who judged.",
            )
        found = stats.mean_by_system(
            100 * same[rows],
            np.zeros(len(rows), dtype=np.int64),
            item=theirs.item.codes[rows],
            participant=people,
            systems=1,
            level=self.level,
            bounds=(0.0, 100.0),
        )[0]
        return AgreementShare(
            found.value, found.n, found.items, found.participants, found.interval, found.note
        )

    def _same(self, theirs: Judgments) -> NDArray[np.float64]:
        """For each judgment how often the baseline gives the same answer; NaN if it gives none."""
        within = getattr(self.question, "tolerance", 0.0)
        by_task, by_item = self._answers()
        found = []
        for (task, thing), value in zip(_keys(theirs), theirs.value.tolist(), strict=True):
            given = by_task.get((task, *thing)) if task else by_item.get(thing)
            found.append(
                sum(abs(each - value) <= within for each in given) / len(given) if given else np.nan
            )
        return np.array(found, dtype=np.float64)

    def _answers(self) -> tuple[dict[_Key, list[float]], dict[_Key, list[float]]]:
        """The values of the baseline by task, and by what was judged where no task is known."""
        by_task: dict[_Key, list[float]] = defaultdict(list)
        by_item: dict[_Key, list[float]] = defaultdict(list)
        own = self.table.of_kind("real")
        for (task, thing), value in zip(_keys(own), own.value.tolist(), strict=True):
            by_task[(task, *thing)].append(value)
            by_item[thing].append(value)
        return by_task, by_item


def _keys(judgments: Judgments) -> Iterator[tuple[str | None, _Key]]:
    """The task of each judgment, and what was judged: item, systems and segment."""
    columns = (judgments.item, judgments.system, judgments.system_a, judgments.system_b)
    things = zip(*(each.words() for each in columns), judgments.segment.tolist(), strict=True)
    return zip(judgments.task.words(), things, strict=True)
