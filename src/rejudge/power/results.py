"""What a planned study can find, for its own size and for others, with what each costs.

power            share of simulated studies in which the planned test finds a true difference as
                 large as the effect of interest: of the pair and question that are hardest to find
exaggeration     by how much a difference that is found is overestimated on average (type M)
wrong sign       share of found differences that have the wrong direction (type S)
width            mean width of the interval of the difference
same ranking     chance that two studies order the systems alike; also for verdicts on claims

Gelman & Carlin (2014, Perspectives on Psychological Science 9) define the two types of error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal, TypeAlias

from rejudge.analysis.results import Verdict
from rejudge.power.plan import Pair, SimulatedTest, StatedEffect
from rejudge.stats import Interval
from rejudge.study.methods import Test
from rejudge.study.sample_size import StopBoundary

Engine: TypeAlias = Literal["balanced", "complete"]
"""What simulated the studies: moments of balanced tables, or complete studies one by one."""


@dataclass(frozen=True, slots=True)
class ComparisonPower:
    """One test of two systems, over all simulated studies of a size."""

    question: str
    test: Test  # as planned
    systems: Pair
    true_difference: float  # first minus second
    power: float
    interval: Interval  # of the power, by Wilson (1927): Monte-Carlo error
    exaggeration: float | None = None  # None: it was found too rarely, or there is no difference
    wrong_sign: float | None = None
    width: float | None = None
    undefined: float = 0.0  # share of studies in which the test could not be computed

    @property
    def is_difference(self) -> bool:
        """Whether there is something to find."""
        return self.true_difference != 0


def hardest_comparison(comparisons: Sequence[ComparisonPower]) -> ComparisonPower:
    """The true difference that is found least often; without any, the first comparison."""
    differing = [each for each in comparisons if each.is_difference]
    return min(differing or comparisons, key=lambda each: each.power)


@dataclass(frozen=True, slots=True)
class Repeat:
    """How often the order of the systems on a question, or a verdict, comes out the same again."""

    of: str  # a question, or the id of a claim
    same: float | None  # in two studies of this size
    says: str = ""  # of a claim
    verdicts: dict[Verdict, float] = field(default_factory=dict)  # of a claim: shares

    @property
    def supported(self) -> float:
        """How often a claim is supported."""
        return self.verdicts.get("supported", 0.0)


@dataclass(frozen=True, slots=True)
class SizePower:
    """One size of the study: what it costs and what it can find."""

    items: int
    per_item: int
    participants: int
    judgments: int
    batches: int
    batches_per_participant: int
    hours: float
    studies: int  # simulated
    comparisons: tuple[ComparisonPower, ...]
    all_found: float  # share of studies that found every difference, in its direction
    rankings: tuple[Repeat, ...]
    claims: tuple[Repeat, ...] = ()
    cost: Decimal | None = None
    currency: str | None = None
    missing_items: int = 0
    is_planned: bool = False

    @property
    def hardest(self) -> ComparisonPower:
        return hardest_comparison(self.comparisons)

    @property
    def power(self) -> float:
        """Of the comparison that is hardest to find."""
        return self.hardest.power

    @property
    def price(self) -> tuple[Decimal, float, int]:
        """What sizes are ordered by: money where it is known, then hours and judgments."""
        return (self.cost or Decimal(0), self.hours, self.judgments)

    def reaches(self, target: float) -> Literal["yes", "about", "no"]:
        """Whether the power is above the target; about: the simulation cannot tell."""
        interval = self.hardest.interval
        if interval.low >= target:
            return "yes"
        return "no" if interval.high < target else "about"


@dataclass(frozen=True, slots=True)
class LookPower:
    """The comparison that decides at planned looks, at the planned size; about, for large ones."""

    question: str
    systems: Pair
    boundary: StopBoundary
    fractions: tuple[float, ...]  # of all places, at each look
    power: float  # over all looks, without a correction for other comparisons
    single: float  # the same with one look at the end
    stops: tuple[float, ...]  # the chance that the difference is found at each look
    used: float  # the share of all places when the study ends, on average


@dataclass(frozen=True, slots=True)
class PlannedPower:
    """A power analysis with everything it is based on."""

    study: str  # fingerprint of what it depends on; see `power_fingerprint`
    target: float
    effects: tuple[StatedEffect, ...]
    tests: tuple[SimulatedTest, ...]
    alpha: float
    correction: str
    family: int  # p values corrected together
    parameters: dict[str, dict[str, float | dict[str, float]]]  # by question
    source: str  # of the parameters
    assumptions: tuple[str, ...]
    sizes: tuple[SizePower, ...]
    cheapest: int | None  # its place among the sizes; None: none reaches the target
    precision: float  # half-width of the Monte-Carlo interval that was asked for
    seed: int
    engine: Engine
    command: str
    is_after_data: bool = False  # people had already answered
    confirmed: tuple[ComparisonPower, ...] = ()  # of the planned size, in complete studies
    confirmed_studies: int = 0
    looks: LookPower | None = None
    notes: tuple[str, ...] = ()

    @property
    def planned(self) -> SizePower:
        """The size of the plan; where it was not asked for, the first size."""
        return next((size for size in self.sizes if size.is_planned), self.sizes[0])

    @property
    def best(self) -> SizePower | None:
        """The cheapest size that reaches the target."""
        return None if self.cheapest is None else self.sizes[self.cheapest]


def choose_cheapest(sizes: tuple[SizePower, ...], target: float) -> int | None:
    """The cheapest size whose power is the target or more; of equal cost, the most powerful."""
    enough = [place for place, size in enumerate(sizes) if size.power >= target]
    return min(enough, key=lambda place: (sizes[place].price, -sizes[place].power), default=None)
