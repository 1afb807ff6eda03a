"""A run: one carrying-out of a study, whether read from a paper, from results or from a bundle.

A paper becomes one run for each of its cases, so that printed tables are compared as results are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from rejudge import fingerprint
from rejudge.analysis.evidence import PairTest
from rejudge.analysis.outline import Grouping
from rejudge.analysis.results import Flow
from rejudge.findings.model import Group
from rejudge.judgments.table import Judgments
from rejudge.paper.conditions import FREE
from rejudge.paper.model import (
    Demographic,
    Paper,
    PaperCase,
    PaperCriterion,
    PrintedAgreement,
    PrintedEffect,
    PrintedTest,
    PropertyValue,
    Reproducibility,
    Score,
    StatedDeviation,
)
from rejudge.paper.printed import Contingency, PrintedProbability
from rejudge.stats import Interval
from rejudge.study.claims import Claim

Source: TypeAlias = Literal["paper", "results", "study", "bundle"]


@dataclass(frozen=True, slots=True)
class RunCriterion:
    """What was asked, perhaps in one group, and the ends of its scale; None: it has none."""

    id: str
    name: str
    kind: str  # of the scale: rating, slider, best-worst, win-rate, percent, unbounded
    low: float | None
    high: float | None
    is_higher_better: bool = True
    states_direction: bool = True  # False: it is unknown whether higher or lower is better
    asks: str = ""  # the question; empty: the criterion is the question
    group: tuple[Group, ...] = ()  # of items or participants; empty: all judgments

    @property
    def question(self) -> str:
        """The question, which may have been asked in several groups."""
        return self.asks or self.id

    @property
    def cell(self) -> tuple[str, tuple[Group, ...]]:
        """The question and the group, which two runs have in common."""
        return self.question, self.group


@dataclass(frozen=True, slots=True)
class RunScore:
    """One score of one system; printed ones are known within half a unit of their last digit."""

    criterion: str
    system: str
    value: float
    half_unit: float = 0.0
    sd: float | None = None
    n: int | None = None
    interval: Interval | None = None
    place: str = ""
    standard_error: float | None = None  # None: not known
    df: float | None = None  # of Student's t; None: normal, or not known


@dataclass(frozen=True, slots=True)
class RunAgreement:
    """How far people agreed inside one run."""

    criterion: str | None  # None: over all
    coefficient: str
    value: float
    half_unit: float = 0.0
    interval: Interval | None = None
    n: int | None = None
    systems: tuple[str, ...] = ()
    place: str = ""


@dataclass(frozen=True, slots=True)
class RunRate:
    """In what percent of cases the first of two systems was preferred; ties count half."""

    criterion: str
    first: str
    second: str
    percent: float
    n: int


@dataclass(frozen=True, slots=True)
class RunEffect:
    """A standardised difference, first minus second."""

    name: str
    value: float
    interval: Interval | None = None


@dataclass(frozen=True, slots=True)
class RunContrast:
    """What a run found about two systems, first minus second in the sense of better."""

    criterion: str
    first: str
    second: str
    test: str
    difference: float | None
    p: float | None  # as decided upon: corrected where the run corrects
    p_below: float | None  # printed only as “p < …”
    is_significant: bool | None  # None: nothing was tested
    effect: RunEffect | None = None
    place: str = ""
    interval: Interval | None = None  # of the difference


@dataclass(frozen=True, slots=True)
class RunDifference:
    """A stored interval of first minus second in the sense of better, on the run's own scale."""

    criterion: str
    first: str
    second: str
    value: float
    interval: Interval
    standard_error: float | None  # None: the method has none
    df: float | None  # of Student's t; None: normal
    n: int
    by: str  # such as cluster-robust


@dataclass(frozen=True, slots=True)
class Run:
    """One carrying-out of a study with its numbers and its conditions of measurement."""

    id: str
    name: str  # to be shown, such as “Steen and Markert 2025”
    source: Source
    reproduces: str | None
    systems: Mapping[str, str]  # names by id
    criteria: tuple[RunCriterion, ...]
    scores: tuple[RunScore, ...]
    conditions: Mapping[str, PropertyValue]  # what is not known is not there
    agreement: tuple[RunAgreement, ...] = ()
    contingency: tuple[Contingency, ...] = ()  # printed tables of labels
    contrasts: tuple[RunContrast, ...] = ()
    differences: tuple[RunDifference, ...] = ()  # the best interval of a pair first
    rates: tuple[RunRate, ...] = ()
    claims: tuple[Claim, ...] = ()
    deviations: tuple[StatedDeviation, ...] = ()
    departures: tuple[
        str, ...
    ] = ()  # at run time: excluded, replaced, surplus; in words with counts
    printed: tuple[Reproducibility, ...] = ()
    pages: Mapping[str, str] = field(default_factory=dict, repr=False)  # texts, by condition
    flow: Flow | None = None
    judgments: Judgments | None = field(default=None, repr=False)  # raw, if available
    fingerprint: str = ""
    study: str = ""  # another run's, whose judgments it shares; empty: its own
    case: str = ""  # how several judgments of an output were combined; empty: the analysis itself
    items_dealt_at_random: bool = False  # so that means compare though items differ
    groupings: tuple[Grouping, ...] = ()  # who or what is in which group, where it is known
    unlinked: frozenset[tuple[str, str, str]] = (
        frozenset()
    )  # criterion, two systems: no item shared


def deciding_contrasts(run: Run) -> tuple[RunContrast, ...]:
    """The first test of each pair of systems, which decides; further ones of the pair do not."""
    first: dict[tuple[str, frozenset[str]], RunContrast] = {}
    for found in run.contrasts:
        first.setdefault((found.criterion, frozenset((found.first, found.second))), found)
    return tuple(first.values())


def contrast_of(run: Run, criterion: str, first: str, second: str) -> RunContrast | None:
    """The run's first test of two systems, turned to the order asked for; None: there is none."""
    for found in run.contrasts:
        if found.criterion == criterion and {found.first, found.second} == {first, second}:
            return found if found.first == first else _with_systems_swapped(found)
    return None


def pair_test(found: RunContrast) -> PairTest:
    """A run's test of two systems, as verdicts need it."""
    return PairTest(
        found.first,
        found.second,
        found.test,
        found.difference,
        found.p,
        found.p_below,
        found.is_significant,
    )


def reverse_sign(found: RunContrast) -> RunContrast:
    """The same with differences and effects of the opposite sign."""
    return replace(
        found,
        difference=None if found.difference is None else -found.difference,
        effect=found.effect
        and RunEffect(found.effect.name, -found.effect.value, _negate(found.effect.interval)),
        interval=_negate(found.interval),
    )


def _with_systems_swapped(found: RunContrast) -> RunContrast:
    return replace(reverse_sign(found), first=found.second, second=found.first)


def _negate(interval: Interval | None) -> Interval | None:
    return interval and Interval(-interval.high, -interval.low, interval.level)


_PAIR = 2
_CORRECTED = {
    "bonferroni": "corrected after Bonferroni",
    "holm": "corrected after Holm",
    "bh": "corrected after Benjamini and Hochberg",
    "tukey": "Tukey's allowance for all pairs",
    "none": "not corrected",
}


def runs_of(paper: Paper) -> tuple[Run, ...]:
    """One run for each case of the paper; where there are several, `paper:case` names them."""
    return tuple(_run(paper, case) for case in paper.cases or (PaperCase(),))


def _run(paper: Paper, case: PaperCase) -> Run:
    alone = len(paper.cases) <= 1
    name = f"{paper.reference.authors} {paper.reference.year}"
    better = {each.id: 1 if each.better == "higher" else -1 for each in paper.criteria}
    return Run(
        id=paper.id if alone else f"{paper.id}:{case.id}",
        name=name if alone else f"{name}, {case.id}",
        source="paper",
        reproduces=paper.reproduces,
        systems={system.id: system.name or system.id for system in paper.systems},
        criteria=tuple(_criterion_of(each, case) for each in paper.criteria),
        scores=tuple(_score(each) for each in case.known),
        conditions={**_demographics(paper), **paper.conditions},
        agreement=tuple(
            RunAgreement(
                criterion=each.criterion,
                coefficient=_coefficient(each),
                value=each.value.value,
                half_unit=each.value.half_unit,
                n=each.n,
                systems=each.systems,
                place=each.place,
            )
            for each in case.agreement
        ),
        contingency=_tables(paper, case),
        contrasts=tuple(_contrasts(case, better)),
        claims=paper.claims,
        deviations=paper.deviations,
        printed=tuple(
            each
            for each in paper.reproducibility
            if each.value is not None and _case_of(paper, each) in (None, case.id)
        ),
        fingerprint=_fingerprint(paper),
    )


def _tables(paper: Paper, case: PaperCase) -> tuple[Contingency, ...]:
    """The printed tables of labels, which belong to the paper: its first case has them."""
    return paper.contingency if case in (paper.cases or (case,))[:1] else ()


def _fingerprint(paper: Paper) -> str:
    """Of what the paper states: keys that it leaves out do not count."""
    return fingerprint.of_json(paper.model_dump(mode="json", exclude_defaults=True))


def _case_of(paper: Paper, printed: Reproducibility) -> str | None:
    """The case that a printed figure is about; None where the paper has only one."""
    ids = [case.id for case in paper.cases]
    if len(ids) <= 1:
        return None
    return printed.case if printed.case in ids else ids[0]


def criterion_as_run(given: PaperCriterion) -> RunCriterion:
    """What was asked, with the ends of its scale."""
    scale = given.scale
    return RunCriterion(
        id=given.id,
        name=given.name or given.id,
        kind=scale.kind,
        low=scale.low,
        high=scale.high,
        is_higher_better=given.better == "higher",
        asks=given.question or "",
        group=(Group(given.group.column, given.group.name),) if given.group else (),
    )


def _criterion_of(given: PaperCriterion, case: PaperCase) -> RunCriterion:
    """What a case scores on a criterion: medians are another quantity than means."""
    found = criterion_as_run(given)
    if any(score.is_median and score.criterion == given.id for score in case.scores):
        return replace(found, kind=f"median {found.kind}")
    return found


def _coefficient(given: PrintedAgreement) -> str:
    """Its name, with the definition where the paper gives one: others are not compared with it."""
    return f"{given.coefficient} ({given.variant})" if given.variant else given.coefficient


def _demographics(paper: Paper) -> dict[str, PropertyValue]:
    """Who the participants were, as conditions that can be set side by side."""
    return {f"{FREE}{each.what}": _describe(each) for each in paper.demographics}


def _describe(given: Demographic) -> str:
    """What is printed of a property of participants, in one line."""
    parts = [f"{group} {number}" for group, number in given.counts.items()]
    parts += [f"{group} {share.text} %" for group, share in given.percent.items()]
    summary = {"mean": given.mean, "SD": given.sd, "median": given.median}
    parts += [f"{name} {number.text}" for name, number in summary.items() if number is not None]
    ends = [None if end is None else end.text for end in (given.low, given.high)]
    if ends != [None, None]:
        parts.append(f"from {ends[0] or '?'} to {ends[1] or '?'}")
    return ", ".join(parts)


def _score(given: Score) -> RunScore:
    return RunScore(
        criterion=given.criterion,
        system=given.system,
        value=given.number.value,
        half_unit=given.number.half_unit,
        sd=None if given.sd is None or given.sd.value < 0 or given.is_median else given.sd.value,
        n=given.n,
        place=given.place,
    )


def _contrasts(case: PaperCase, better: Mapping[str, int]) -> Iterator[RunContrast]:
    scores = {(each.criterion, each.system): each.number.value for each in case.known}
    for test in case.tests:
        if len(test.systems) != _PAIR:
            continue  # a test of all systems at once names no difference
        first, second = test.systems
        places = [(test.criterion, system) for system in (first, second)]
        difference = None if test.difference is None else test.difference.value
        if difference is None and all(place in scores for place in places):
            difference = scores[places[0]] - scores[places[1]]
        sign = better.get(test.criterion, 1)
        yield RunContrast(
            criterion=test.criterion,
            first=first,
            second=second,
            test=_test(test),
            difference=None if difference is None else sign * difference,
            p=_p(test.p, "="),
            p_below=_p(test.p, "<"),
            is_significant=_is_significant(test),
            effect=_effect(test.effect, sign),
            place=test.place,
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


def _test(test: PrintedTest) -> str:
    parts = (test.test, f"by {test.unit}" if test.unit else "", _CORRECTED.get(test.correction, ""))
    return ", ".join(part for part in parts if part)


def _effect(effect: PrintedEffect | None, sign: int) -> RunEffect | None:
    if effect is None:
        return None
    ends = sorted(sign * end.value for end in effect.interval or ())
    between = Interval(ends[0], ends[1], 0.95) if ends else None
    return RunEffect(effect.name, sign * effect.value.value, between)
