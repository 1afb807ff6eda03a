"""What a paper prints, as findings: scores, tests of two systems and agreement."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TypeAlias

from rejudge.findings.model import EffectSize, Finding, Group, Key, Measure, Spread
from rejudge.findings.words import How
from rejudge.paper.model import (
    Paper,
    PaperCase,
    PaperCriterion,
    PrintedAgreement,
    PrintedEffect,
    PrintedTest,
    Score,
)
from rejudge.paper.printed import PrintedProbability
from rejudge.stats import Interval

Cell: TypeAlias = tuple[str, tuple[Group, ...]]  # a question and a group
_PAIR = 2
_PRINTED = "printed"
MEDIAN = "median"  # how a score was computed: another quantity than a mean
_CORRECTED = {
    "bonferroni": "corrected after Bonferroni",
    "holm": "corrected after Holm",
    "bh": "corrected after Benjamini and Hochberg",
    "tukey": "Tukey's allowance for all pairs",
    "none": "not corrected",
}


def printed_findings(paper: Paper) -> tuple[Finding, ...]:
    """The numbers of all cases, each under the question and the group of its criterion.

    A paper with one case has no case in its keys.
    """
    criteria = {each.id: each for each in paper.criteria}
    names = [case.id if len(paper.cases) > 1 else "" for case in paper.cases]
    return tuple(
        replace(each, key=each.key.in_case(name))
        for name, case in zip(names, paper.cases, strict=True)
        for each in _findings(criteria, case)
    )


def _findings(criteria: Mapping[str, PaperCriterion], case: PaperCase) -> Iterator[Finding]:
    yield from (_score(criteria[each.criterion], each) for each in case.known)
    yield from _tests(criteria, case)
    yield from (_agreement(criteria.get(each.criterion or ""), each) for each in case.agreement)


def cell_of(criterion: PaperCriterion | None) -> Cell:
    """The question that a criterion is, and in which group; none: all questions together."""
    if criterion is None:
        return "", ()
    group = criterion.group
    return criterion.question or criterion.id, (
        (Group(group.column, group.name),) if group is not None else ()
    )


def _score(criterion: PaperCriterion, given: Score) -> Finding:
    question, group = cell_of(criterion)
    measure: Measure = "best-worst-score" if criterion.scale.kind == "best-worst" else "mean"
    is_sd = given.sd is not None and given.sd.value >= 0 and not given.is_median
    return Finding(
        key=Key(question, measure, _PRINTED, (given.system,), group=group),
        by=MEDIAN if given.is_median else _PRINTED,
        value=given.number.value,
        n=given.n,
        n_of="judgments",
        how=(How.PRINTED(),),
        spread=Spread(given.sd.value) if given.sd is not None and is_sd else None,
        half_unit=given.number.half_unit,
        place=given.place,
    )


def _tests(criteria: Mapping[str, PaperCriterion], case: PaperCase) -> Iterator[Finding]:
    """The tests of two systems: the first of a pair decides."""
    scores = {(each.criterion, each.system): each.number.value for each in case.known}
    decided = set()
    for test in case.tests:
        if len(test.systems) != _PAIR:
            continue  # a test of all systems at once names no difference
        question, group = cell_of(criteria.get(test.criterion))
        pair = (test.criterion, frozenset(test.systems))
        places = [(test.criterion, system) for system in test.systems]
        difference = None if test.difference is None else test.difference.value
        if difference is None and all(place in scores for place in places):
            difference = scores[places[0]] - scores[places[1]]
        yield Finding(
            key=Key(question, "mean-difference", _PRINTED, test.systems, group=group),
            by=_name(test),
            value=difference,
            n=sum(test.n) if test.n else None,
            n_of="judgments",
            how=(How.PRINTED(),),
            p=_p(test.p, "="),
            p_below=_p(test.p, "<"),
            is_supported=_is_significant(test),
            role="further" if pair in decided else "headline",
            effect=_effect(test.effect),
            place=test.place,
        )
        decided.add(pair)


def _agreement(criterion: PaperCriterion | None, given: PrintedAgreement) -> Finding:
    """A coefficient with its definition, where the paper gives one: others are not compared."""
    question, group = cell_of(criterion)
    name = f"{given.coefficient} ({given.variant})" if given.variant else given.coefficient
    return Finding(
        key=Key(question, "agreement", name, given.systems, group=group),
        by=name,
        value=given.value.value,
        n=given.n,
        n_of="units",
        how=(How.PRINTED(),),
        half_unit=given.value.half_unit,
        place=given.place,
    )


def _p(printed: PrintedProbability | None, relation: str) -> float | None:
    """A p value that is printed exactly, or as a bound; what cannot be a p is left to the audit."""
    if printed is None or printed.relation != relation or not 0 <= printed.number.value <= 1:
        return None
    return printed.number.value


def _is_significant(test: PrintedTest) -> bool | None:
    if test.is_significant is None and test.p is not None and test.p.is_words:
        return False  # printed as "n.s."
    return test.is_significant


def _name(test: PrintedTest) -> str:
    parts = (test.test, f"by {test.unit}" if test.unit else "", _CORRECTED.get(test.correction, ""))
    return ", ".join(part for part in parts if part)


def _effect(effect: PrintedEffect | None) -> EffectSize | None:
    if effect is None:
        return None
    ends = sorted(end.value for end in effect.interval or ())
    between = Interval(ends[0], ends[1], 0.95) if ends else None
    return EffectSize(effect.name, effect.value.value, between)
