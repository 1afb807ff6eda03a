"""Which checks, pass marks and exclusion rules of a study somebody passes who follows rules."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from rejudge.collect.qualification import attempt_order, count_right, gold_task_id
from rejudge.design.plan import Plan
from rejudge.judgments.answers import check_counts
from rejudge.judgments.exclusions import Cleaned, rules_of, stated_rules
from rejudge.simulate.rules import RuleFollower, SeenTexts
from rejudge.study.consistency import gold_parts
from rejudge.study.model import Study
from rejudge.study.qualification import Example, GoldTask

CheckSort: TypeAlias = Literal["check", "practice", "qualification", "exclusion"]


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
    for count in check_counts(study, plan, cleaned.collected):
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
    return {
        question.id: follower.answer(
            question, seen, gold_parts(study.spec, question, task), by=f"{by} {task.input}"
        ).raw
        for question in study.spec.questions
        if question.id in task.answers and follower.suits(question)
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
    everybody = len(cleaned.collected.participant.used())
    for rule in stated_rules(rules_of(study)):
        if rule.by in {"checks", "answers"} and everybody:
            out = {each.participant for each in cleaned.exclusions if each.rule == rule.id}
            passed = everybody - len(out)
            yield BaselineCheck("exclusion", rule.id, passed, everybody, "participant", not out)
