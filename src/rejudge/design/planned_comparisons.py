"""How many p values the analysis plan of a study corrects together."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, TypeAlias

from rejudge.study.analysis_plan import PlannedTest
from rejudge.study.kinds.question import Question
from rejudge.study.methods import TESTS
from rejudge.study.model import Study

if TYPE_CHECKING:
    from rejudge.design.plan import Plan

Pair: TypeAlias = tuple[str, str]
_TWO = 2


def planned_comparisons(study: Study, plan: Plan | None = None) -> int:
    """The number of planned p values: tests of pairs, of all systems, and within groups.

    Groups are those of the items that the plan shows; without a plan, of all items. Within groups
    each pair has its headline test in every group, and one test of whether groups differ.
    """
    analysis = study.spec.analysis
    if analysis is None:
        return 0
    whole = sum(_p_values(study, test) for test in analysis.tests)
    asked = dict.fromkeys(test.question for test in analysis.tests)
    within = (
        _within_groups(study, question, groups)
        for groups in _groups(study, plan)
        for question in asked
    )
    return whole + sum(within)


def compared_pairs(study: Study, question: Question | None) -> tuple[Pair, ...]:
    """The pairs of systems that the design compares on a question, in the order of the study.

    A derived score (no question) compares all.
    """
    limited = study.spec.design.pairs
    is_whole = question is None or not question.is_comparison or question.is_implied
    if is_whole or limited == "all":
        return tuple(combinations(study.system_ids, 2))
    place = study.system_place
    ordered = ((a, b) if place[a] < place[b] else (b, a) for a, b in limited)
    return tuple(dict.fromkeys(ordered))


def _p_values(study: Study, test: PlannedTest) -> int:
    """How many p values a test has, not counting those that Tukey's test corrects itself."""
    question = _question(study, test.question)
    if question is not None and question.has_unordered_labels and test.test != "cluster-robust":
        return 0  # needs ordered answers
    if not TESTS[test.test].compares_pairs:
        return 1
    return len(_pairs(study, test)) * _tests_of_a_pair(question)


def _tests_of_a_pair(question: Question | None) -> int:
    """One; of labels without order, one for each label, since each has its share."""
    if question is None or not question.has_unordered_labels:
        return 1
    labels = len(question.values)
    return 1 if labels <= _TWO else labels  # of two labels, one share follows from the other


def _within_groups(study: Study, name: str, groups: int) -> int:
    question = _question(study, name)
    if question is not None and question.has_unordered_labels:
        return 0  # shares of labels are not computed by group
    planned = study.spec.analysis.tests if study.spec.analysis else ()
    tests = [t for t in planned if t.question == name and TESTS[t.test].compares_pairs]
    tested = {frozenset(pair) for test in tests for pair in _pairs(study, test)}
    compared = tested or set(map(frozenset, compared_pairs(study, question)))
    return groups * len(tested) + (len(compared) if groups > 1 else 0)


def _groups(study: Study, plan: Plan | None) -> list[int]:
    """The number of groups of each column by which systems are compared."""
    columns = study.spec.analysis.groups if study.spec.analysis else ()
    shown = None if plan is None else {task.item for task in plan.tasks() if task.is_real}
    items = [item for item in study.items if shown is None or item.id in shown]
    return [len({getattr(item, column) for item in items} - {"", None}) for column in columns]


def _pairs(study: Study, test: PlannedTest) -> tuple[Pair, ...]:
    return test.pairs or compared_pairs(study, _question(study, test.question))


def _question(study: Study, name: str) -> Question | None:
    """The question; None: a derived score."""
    return next((each for each in study.spec.questions if each.id == name), None)
