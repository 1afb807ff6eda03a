"""A run: one carrying-out of a study, whether read from a paper, from results or from a bundle."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from rejudge import fingerprint
from rejudge.analysis.evidence import difference_findings, on_the_scale, tested_pairs
from rejudge.analysis.outline import Grouping
from rejudge.analysis.results import Flow
from rejudge.findings.model import EffectSize, Finding, Group
from rejudge.judgments.table import Judgments
from rejudge.paper.conditions import FREE
from rejudge.paper.model import (
    Demographic,
    Paper,
    PaperCriterion,
    PropertyValue,
    Reproducibility,
    StatedDeviation,
)
from rejudge.paper.printed import Contingency
from rejudge.paper.results import MEDIAN, cell_of, printed_findings
from rejudge.stats import NONE_SHARED, Interval
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
    is_derived: bool = False  # computed from other scores, so that it has no points

    @property
    def question(self) -> str:
        """The question, which may have been asked in several groups."""
        return self.asks or self.id

    @property
    def cell(self) -> tuple[str, tuple[Group, ...]]:
        """The question and the group, which two runs have in common."""
        return self.question, self.group


@dataclass(frozen=True, slots=True)
class Run:
    """One carrying-out of a study with its numbers and its conditions of measurement.

    A study that combines several judgments of an output in several ways has a case for each.
    """

    id: str
    name: str  # to be shown, such as “Steen and Markert 2025”
    source: Source
    reproduces: str | None
    systems: Mapping[str, str]  # names by id
    criteria: tuple[RunCriterion, ...]
    findings: tuple[Finding, ...]  # of all cases, as the paper prints or the analysis found them
    conditions: Mapping[str, PropertyValue]  # what is not known is not there
    contingency: tuple[Contingency, ...] = ()  # printed tables of labels, of the first case
    claims: tuple[Claim, ...] = ()
    deviations: tuple[StatedDeviation, ...] = ()
    departures: tuple[
        str, ...
    ] = ()  # at run time: excluded, replaced, surplus; in words with counts
    printed: tuple[Reproducibility, ...] = ()
    pages: Mapping[str, str] = field(default_factory=dict, repr=False)  # texts, by condition
    flow: Flow | None = None
    judgments: Judgments | None = field(default=None, repr=False)  # raw, of the first case
    fingerprint: str = ""
    cases: tuple[str, ...] = ("",)  # empty: the analysis itself
    shares: str = ""  # another study, whose judgments it shares; empty: they are its own
    items_dealt_at_random: bool = False  # so that means compare though items differ
    pairs: Mapping[str, frozenset[frozenset[str]]] = field(
        default_factory=dict
    )  # by question: the pairs of systems that its plan names, where these are not all
    groupings: tuple[Grouping, ...] = ()  # who or what is in which group, where it is known
    study: str = ""  # of one case: the id of the whole run

    @property
    def case(self) -> str:
        """The case that it is, or the first."""
        return self.cases[0]

    def on(self, criterion: RunCriterion) -> tuple[Finding, ...]:
        """The findings about a question in a group."""
        return tuple(each for each in self.findings if each.key.cell == criterion.cell)

    def by_case(self) -> tuple[Run, ...]:
        """One run for each case; only the first has what does not depend on the case."""
        return tuple(self._of_case(case) for case in self.cases)

    def _of_case(self, case: str) -> Run:
        is_first = case == self.cases[0]
        one = replace(
            self,
            id=f"{self.id}:{case}" if case else self.id,
            name=f"{self.name}, {case}" if case else self.name,
            findings=tuple(each for each in self.findings if each.key.case == case),
            contingency=self.contingency if is_first else (),
            printed=tuple(each for each in self.printed if self._is_about(each, case)),
            judgments=self.judgments if is_first else None,
            cases=(case,),
            study=self.id,
        )
        return replace(one, criteria=tuple(_as_scored(one, each) for each in one.criteria))

    def _is_about(self, printed: Reproducibility, case: str) -> bool:
        stated = printed.case if printed.case in self.cases else self.cases[0]
        return stated == case


def _as_scored(run: Run, criterion: RunCriterion) -> RunCriterion:
    """The criterion as a case scores it: medians are another quantity than means."""
    if any(each.by == MEDIAN for each in run.on(criterion)):
        return replace(criterion, kind=f"median {criterion.kind}")
    return criterion


def scores_on(run: Run, criterion: RunCriterion) -> tuple[Finding, ...]:
    """The score of each system."""
    return tuple(
        each
        for each in run.on(criterion)
        if each.measure in _SCORES and len(each.systems) == 1 and each.value is not None
    )


def contrasts_on(run: Run, criterion: RunCriterion) -> tuple[Finding, ...]:
    """The tests of two systems in the sense of better, the one that decides first.

    All that a paper prints count, also without a p value.
    """
    found = run.on(criterion)
    if run.source == "paper":
        tested = [each for each in found if each.measure == "mean-difference"]
    else:
        tested = tested_pairs(found)
    return tuple(_in_sense_of_better(each, criterion) for each in tested)


def differences_on(run: Run, criterion: RunCriterion) -> tuple[Finding, ...]:
    """The differences of two systems with an interval on the run's scale, the best first."""
    return tuple(
        _in_sense_of_better(each, criterion)
        for each in difference_findings(run.on(criterion))
        if each.value is not None
    )


def wins_on(run: Run, criterion: RunCriterion) -> tuple[Finding, ...]:
    """How often the first of two systems was preferred; each pair once, however it was tested."""
    found: dict[tuple[str, ...], Finding] = {}
    for each in run.on(criterion):
        if each.measure == "win-percent" and len(each.systems) == _PAIR and each.value is not None:
            found.setdefault(each.systems, each)
    return tuple(found.values())


def are_unlinked(run: Run, criterion: RunCriterion, pair: tuple[str, str]) -> bool:
    """Whether the analysis has refused the difference of two systems, which share no items."""
    return any(
        set(each.systems) == set(pair) and each.by == "cluster-robust" and each.has(NONE_SHARED.why)
        for each in run.on(criterion)
    )


def deciding_contrasts(run: Run) -> tuple[tuple[RunCriterion, Finding], ...]:
    """The first test of each pair of systems, which decides; further ones of the pair do not."""
    first: dict[tuple[str, frozenset[str]], tuple[RunCriterion, Finding]] = {}
    for criterion in run.criteria:
        for each in contrasts_on(run, criterion):
            first.setdefault((criterion.id, frozenset(each.systems)), (criterion, each))
    return tuple(first.values())


def contrast_of(run: Run, criterion: str, first: str, second: str) -> Finding | None:
    """The run's first test of two systems, turned to the order asked for; None: there is none."""
    asked = next((each for each in run.criteria if each.id == criterion), None)
    for found in () if asked is None else contrasts_on(run, asked):
        if set(found.systems) == {first, second}:
            return found if found.systems[0] == first else _with_systems_swapped(found)
    return None


def difference_of(found: Finding) -> float | None:
    """First minus second; a share of wins as a score from −100 to 100."""
    return on_the_scale(found, found.value)


def _in_sense_of_better(found: Finding, criterion: RunCriterion) -> Finding:
    """First minus second, positive where the first is better; wins always are."""
    if criterion.is_higher_better or found.measure in _WINS:
        return found
    return _negate(found, 0.0)


def _with_systems_swapped(found: Finding) -> Finding:
    turned = _negate(found, 100.0 if found.measure == "win-percent" else 0.0)
    return replace(turned, key=replace(found.key, systems=found.systems[::-1]))


def _negate(found: Finding, whole: float) -> Finding:
    """The same with differences and effects of the opposite sign, or shares of the other side."""
    ends, effect = found.interval, found.effect
    return replace(
        found,
        value=None if found.value is None else whole - found.value,
        interval=ends and Interval(whole - ends.high, whole - ends.low, ends.level),
        effect=effect
        and EffectSize(
            effect.name,
            -effect.value,
            effect.interval
            and Interval(-effect.interval.high, -effect.interval.low, effect.interval.level),
        ),
    )


_PAIR = 2
_SCORES = frozenset({"mean", "best-worst-score"})
_WINS = frozenset({"win-percent", "strength"})


def run_of_paper(paper: Paper) -> Run:
    """A published study, with all its cases."""
    several = len(paper.cases) > 1
    return Run(
        id=paper.id,
        name=f"{paper.reference.authors} {paper.reference.year}",
        source="paper",
        reproduces=paper.reproduces,
        systems={system.id: system.name or system.id for system in paper.systems},
        criteria=tuple(map(criterion_as_run, paper.criteria)),
        findings=printed_findings(paper),
        conditions={**_demographics(paper), **paper.conditions},
        contingency=paper.contingency,
        claims=paper.claims,
        deviations=paper.deviations,
        printed=tuple(each for each in paper.reproducibility if each.value is not None),
        fingerprint=_fingerprint(paper),
        cases=tuple(case.id for case in paper.cases) if several else ("",),
    )


def _fingerprint(paper: Paper) -> str:
    """Of what the paper states: keys that it leaves out do not count."""
    return fingerprint.of_json(paper.model_dump(mode="json", exclude_defaults=True))


def criterion_as_run(given: PaperCriterion) -> RunCriterion:
    """What was asked, with the ends of its scale."""
    scale = given.scale
    _, group = cell_of(given)
    return RunCriterion(
        id=given.id,
        name=given.name or given.id,
        kind=scale.kind,
        low=scale.low,
        high=scale.high,
        is_higher_better=given.better == "higher",
        asks=given.question or "",
        group=group,
    )


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
