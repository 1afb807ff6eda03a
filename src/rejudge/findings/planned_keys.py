"""What a study will test, by the keys of its findings, before there are any data.

`check`, `power` and `analyse` count from this one list how many p values are corrected together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import TYPE_CHECKING, Final, TypeAlias

from rejudge.findings.model import Group, Key, Measure
from rejudge.study.analysis_plan import PlannedTest
from rejudge.study.kinds.question import Question
from rejudge.study.methods import TESTS, Test
from rejudge.study.model import Study

if TYPE_CHECKING:
    from rejudge.design.plan import Plan

Pair: TypeAlias = tuple[str, str]
_TWO = 2
_OF_MODELS: Final[dict[Test, Measure]] = {
    "ordinal-mixed-model": "latent-difference",
    "binary-mixed-model": "latent-difference",
    "bradley-terry": "strength",
    "plackett-luce": "strength",
    "wilcoxon": "median-difference",
    "mann-whitney": "median-difference",
}
_OF_CHOICES: Final[tuple[Test, ...]] = (
    "cluster-robust",
    "mixed-model",
    "joint-mixed-model",
    "sign-flip",
)


def planned_keys(study: Study, plan: Plan | None = None) -> tuple[Key, ...]:
    """The planned p values: tests of pairs, of all systems, and within groups.

    Groups are those of the items that the plan shows; without a plan, of all items. Within groups
    each pair has its headline test in every group, and one test of whether groups differ. Each
    case of the analysis repeats all of them, in a family of its own. Pairs that a test corrects
    itself, as Tukey's does, are not listed.
    """
    analysis = study.spec.analysis
    if analysis is None:
        return ()
    asked = dict.fromkeys(test.question for test in analysis.tests)
    return (
        *(key for test in analysis.tests for key in _keys_of(study, test)),
        *(
            key
            for column, names in _groups(study, plan)
            for question in asked
            for key in _within_groups(study, question, column, names)
        ),
    )


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


def method_of(planned: PlannedTest) -> str:
    """A test with its unit and direction, as keys have it."""
    unit = f"-by-{planned.unit}" if planned.unit else ""
    side = "" if planned.alternative == "two-sided" else f"-{planned.alternative}"
    return f"{planned.test}{unit}{side}"


def label_name(words: Mapping[float, str], label: float) -> str:
    """The word for a label without order, or its number where there is none.

    Findings are addressed by it, so a word that another label has too is followed by the number.
    """
    number = f"{label:g}"
    word = words.get(label, number)
    others = (name for value, name in words.items() if value != label)
    return f"{word} ({number})" if word in others else word


def _keys_of(study: Study, test: PlannedTest) -> Iterator[Key]:
    question = _question(study, test.question)
    if question is not None and question.has_unordered_labels:
        yield from _of_labels(study, test, question)
    elif not TESTS[test.test].compares_pairs:
        yield Key(test.question, "test", method_of(test))
    else:
        for pair in _pairs(study, test):
            yield Key(test.question, _measure(test.test, question), _method(test), pair)


def _of_labels(study: Study, test: PlannedTest, question: Question) -> Iterator[Key]:
    """One test for each label, since each has its share; of two, one follows from the other."""
    if test.test != "cluster-robust":
        return  # needs ordered answers
    labels = sorted(question.values)
    for label in labels[1:] if len(labels) == _TWO else labels:
        name = label_name(question.labels_by_value, label)
        for pair in _pairs(study, test):
            yield Key(test.question, "share-difference", test.test, pair, name)


def _method(test: PlannedTest) -> str:
    """The direction of tests that have one finding whatever is planned is not in their keys."""
    return test.test if test.test in {"cluster-robust", "sign-flip"} else method_of(test)


def _measure(test: Test, question: Question | None) -> Measure:
    """What the finding of a test of two systems measures."""
    if test in _OF_MODELS:
        return _OF_MODELS[test]
    if question is None or not question.is_comparison or test not in _OF_CHOICES:
        return "mean-difference"
    is_scored = test == "joint-mixed-model" and question.is_implied
    return "score-difference" if is_scored else "win-percent"


def _within_groups(study: Study, name: str, column: str, groups: list[str]) -> Iterator[Key]:
    question = _question(study, name)
    if question is not None and question.has_unordered_labels:
        return  # shares of labels are not computed by group
    planned = study.spec.analysis.tests if study.spec.analysis else ()
    tests = [t for t in planned if t.question == name and TESTS[t.test].compares_pairs]
    first = {frozenset(pair): (test, pair) for test in tests[::-1] for pair in _pairs(study, test)}
    for test, pair in first.values():
        for group in groups:
            measure = _measure(test.test, question)
            yield Key(name, measure, _method(test), pair, group=(Group(column, group),))
    compared = [pair for _, pair in first.values()] or compared_pairs(study, question)
    for pair in compared if len(groups) > 1 else ():
        yield Key(name, "interaction", "interaction", pair, group=(Group(column),))


def _groups(study: Study, plan: Plan | None) -> Iterator[tuple[str, list[str]]]:
    """The groups of each column by which systems are compared."""
    columns = study.spec.analysis.groups if study.spec.analysis else ()
    shown = None if plan is None else {task.item for task in plan.tasks() if task.is_real}
    items = [item for item in study.items if shown is None or item.id in shown]
    for column in columns:
        names = {item.column(column) for item in items}
        yield column, sorted(name for name in names if name)


def _pairs(study: Study, test: PlannedTest) -> tuple[Pair, ...]:
    return test.pairs or compared_pairs(study, _question(study, test.question))


def _question(study: Study, name: str) -> Question | None:
    """The question; None: a derived score."""
    return next((each for each in study.spec.questions if each.id == name), None)
