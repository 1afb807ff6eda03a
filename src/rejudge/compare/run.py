"""A run: one carrying-out of a study, whether read from a paper, from results or from a bundle."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from rejudge.analysis import Flow, PairTest
from rejudge.judgments import Judgments
from rejudge.paper import Contingency, PropertyValue, Reproducibility, StatedDeviation
from rejudge.stats import Interval
from rejudge.study import Claim

Source: TypeAlias = Literal["paper", "results", "study", "bundle"]


@dataclass(frozen=True, slots=True)
class RunCriterion:
    """What was asked, and the ends of its scale; None: it has none."""

    id: str
    name: str
    kind: str  # of the scale: rating, slider, best-worst, win-rate, percent, unbounded
    low: float | None
    high: float | None
    is_higher_better: bool = True
    states_direction: bool = True  # False: nothing says whether higher or lower scores are better


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
    standard_error: float | None = None  # None: not known, or written before it was stored
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
    standard_error: float | None  # None: written before it was stored
    df: float | None  # of Student's t; None: normal, or not stored
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
    items_dealt_at_random: bool = False  # so that means compare though items differ
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
        and RunEffect(found.effect.name, -found.effect.value, _negated(found.effect.interval)),
        interval=_negated(found.interval),
    )


def _with_systems_swapped(found: RunContrast) -> RunContrast:
    return replace(reverse_sign(found), first=found.second, second=found.first)


def _negated(interval: Interval | None) -> Interval | None:
    return interval and Interval(-interval.high, -interval.low, interval.level)
