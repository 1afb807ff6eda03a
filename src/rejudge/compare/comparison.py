"""The result of a comparison of runs: every number with its basis, and the conditions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from rejudge.analysis.results import Verdict
from rejudge.english import count
from rejudge.stats import Interval

MEAN_OF_PAIRS = "mean over pairs of runs"
_PAIR = 2

Known: TypeAlias = "str | int | float | bool | tuple[str, ...] | None"  # None: not known


@dataclass(frozen=True, slots=True)
class RunCard:
    """Which run this is."""

    id: str
    name: str
    source: str
    reproduces: str | None
    fingerprint: str
    departures: tuple[str, ...] = ()
    is_simulated: bool = False  # a program answered instead of people


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition of measurement, in every run."""

    property: str
    title: str
    group: Literal["object", "method", "procedure", "participants", "other"]
    values: dict[str, Known]  # by run


@dataclass(frozen=True, slots=True)
class Deviation:
    """A condition that differs between the original and a run."""

    run: str
    property: str
    title: str
    original: Known
    here: Known
    reason: str  # empty: none was given
    impact: Literal["none", "low", "medium", "high", "unknown"]
    note: str = ""
    is_computed: bool = True  # False: only stated, the two conditions do not show it


@dataclass(frozen=True, slots=True)
class Similarity:
    """How similarly two runs were carried out; unknown is not equal."""

    first: str
    second: str
    equal: int
    known_in_both: int

    @property
    def share(self) -> float | None:
        """Equal among those known in both; None where nothing is."""
        return self.equal / self.known_in_both if self.known_in_both else None


@dataclass(frozen=True, slots=True)
class Variation:
    """Type I: how far the runs' scores of one system spread, in percent (CV*)."""

    criterion: str | None  # None: the study, the mean over criteria
    system: str | None  # None: the mean over systems
    runs: tuple[str, ...]
    value: float | None
    n: int  # runs; for a mean systems, for a study criteria
    scores: dict[str, float]  # by run, on the original's scale
    from_rounding: Interval | None  # where CV* may lie, given how the scores were rounded
    shift: float | None  # added to the original's scale
    sd: float | None  # unbiased
    sd_interval: Interval | None
    exact_sd_interval: Interval | None
    variants: dict[str, float | None]  # by name: other published definitions
    note: str = ""
    of: int | None = None  # of a mean: how many systems or criteria the original has
    in_fewer: dict[str, int] = field(default_factory=dict)  # parts that fewer of the runs have

    @property
    def covers(self) -> str:
        """What a mean covers, such as `2 of 4 criteria; fluency in 3 of 5 runs`."""
        if self.of is None:
            return ""
        whole = count(self.of, "criterion" if self.criterion is None else "system")
        fewer = (f"{name} in {n} of {len(self.runs)} runs" for name, n in self.in_fewer.items())
        return "; ".join((f"{self.n:,} of {whole}", *fewer))


@dataclass(frozen=True, slots=True)
class RunCorrelation:
    """Type II: how similarly two or more runs order and space the systems."""

    measure: Literal["pearson", "spearman", "kendall-tau", "kendall-w"]
    criterion: str | None  # None: all scores together
    runs: tuple[str, ...]
    value: float | None
    n: int  # scores; criteria or pairs of runs for a mean
    p: float | None
    interval: Interval | None
    method: str
    note: str = ""

    @property
    def is_mean(self) -> bool:
        """Whether it is the mean over criteria, not of all scores together."""
        return self.method.startswith("mean over") and not self.is_over_pairs

    @property
    def is_over_pairs(self) -> bool:
        """Whether it is the mean over all pairs of runs, on one criterion."""
        return self.method.startswith(MEAN_OF_PAIRS)


@dataclass(frozen=True, slots=True)
class LabelAgreement:
    """Type III: agreement of labels, between runs on the same items or inside one."""

    criterion: str | None
    runs: tuple[str, ...]  # one: inside it
    coefficient: str
    value: float | None
    n: int | None
    interval: Interval | None
    is_between: bool
    method: str
    note: str = ""  # why it cannot be computed, where it cannot
    is_from_table: bool = False  # from a printed contingency table, not from labels


@dataclass(frozen=True, slots=True)
class ConfirmedShare:
    """Type IV: which share of the original's findings a run confirms, by family."""

    family: Literal["pairwise-ranks", "claims", "significance"]
    criterion: str | None  # None: all together
    run: str  # "all": confirmed by every run
    confirmed: int
    assessable: int
    left_out: int  # findings that could not be assessed
    contradicted: int  # a test supports the opposite
    details: tuple[str, ...] = ()  # which were not confirmed, in words
    note: str = ""

    @property
    def share(self) -> float | None:
        """None where nothing could be assessed."""
        return self.confirmed / self.assessable if self.assessable else None


@dataclass(frozen=True, slots=True)
class UnsupportedDifference:
    """A significant difference of the original that is not significant in a run."""

    run: str
    criterion: str
    first: str  # the better system in the original
    second: str
    detectable: float | None  # with 80 % power at 5 %, on the original's scale; None: not known
    does_effect_differ: bool | None  # from the original's, by the interval; None: not known


@dataclass(frozen=True, slots=True)
class ClaimVerdict:
    """What a run shows about a claim of the original."""

    claim: str  # its id
    says: str
    words: str
    run: str
    verdict: Verdict
    because: str  # with the numbers that decide


@dataclass(frozen=True, slots=True)
class TrendMatch:
    """Matching of trends and of significance between the original and a run (Ito et al. 2023)."""

    run: str
    matching: float | None
    matched: int
    pairs: int
    f1: float | None
    true_positives: int
    predicted: int
    actual: int
    note: str = ""


@dataclass(frozen=True, slots=True)
class EffectComparison:
    """One difference of two systems, in two runs."""

    criterion: str
    first: str
    second: str
    runs: tuple[str, str]
    name: str  # d, g …
    values: tuple[float, float]
    intervals: tuple[Interval | None, Interval | None]
    do_overlap: bool | None
    difference: float | None = None  # of the second run from the first
    difference_interval: Interval | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class RunEquivalence:
    """Whether a system's score is the same in two runs within bounds (TOST)."""

    criterion: str
    system: str
    runs: tuple[str, str]
    difference: float
    bound: float | None  # in raw units, on each side; None: not known, see `note`
    bound_from: str  # where the bound comes from
    p: float | None
    is_equivalent: bool | None
    interval: Interval | None
    standardised_bound: float | None = None  # in standard deviations of the first run
    p_differ: float | None = None  # of the usual test, that the two are the same
    effect: float | None = None  # the difference as d
    note: str = ""
    is_clustered: bool = False  # the error allows for shared items and participants


@dataclass(frozen=True, slots=True)
class SuccessReading:
    """One criterion of whether a run succeeded; no single one is the verdict."""

    run: str
    by: Literal["hypotheses", "means", "effects"]
    agreeing: int
    of: int
    says: str


@dataclass(frozen=True, slots=True)
class PrintedCheck:
    """A reproducibility figure that a paper prints, and ours."""

    run: str
    measure: str
    criterion: str | None
    system: str | None
    printed: str
    computed: float | None
    is_reproduced: bool | None  # within the rounding of what was printed; None: unknown
    because: str
    place: str


@dataclass(frozen=True, slots=True)
class PooledPart:
    """What one run contributes to a summary over runs."""

    run: str
    value: float
    interval: Interval | None
    weight: float | None = None  # percent


@dataclass(frozen=True, slots=True)
class PooledEffect:
    """One difference of two systems over several runs, by random effects."""

    criterion: str
    first: str
    second: str
    measure: Literal["g", "score-difference"]
    value: float | None
    interval: Interval | None
    prediction: Interval | None  # where a further lab's would lie
    p: float | None  # of this pair alone
    heterogeneity: float | None  # tau-squared
    runs: tuple[str, ...]
    n: int  # runs
    method: str
    parts: tuple[PooledPart, ...] = ()
    note: str = ""
    p_adjusted: float | None = None  # after Holm, over the pairs of one criterion


@dataclass(frozen=True, slots=True)
class RankStability:
    """How probable it is that a repetition puts the systems in the same order."""

    criterion: str
    run: str
    order: tuple[str, ...]
    probability: float | None
    by_pair: dict[str, float]  # “first > second”
    method: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class AlignedScore:
    """A run's score of one system, on the original's scale."""

    run: str
    criterion: str
    system: str
    value: float
    half_unit: float  # of the last digit that was printed; 0: all digits are known
    interval: Interval | None
    n: int | None
    sd: float | None = None  # of the judgments behind it
    standard_error: float | None = None  # None: not known
    df: float | None = None  # of Student's t; None: normal, or not known


@dataclass(frozen=True, slots=True)
class RunPairRate:
    """How often the first of two systems was preferred to the second in a run, in percent."""

    run: str
    criterion: str
    first: str
    second: str
    percent: float  # ties count half
    n: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """The whole assessment. It cannot be made without the conditions of its runs."""

    original: str
    runs: tuple[RunCard, ...]
    systems: dict[str, str]
    criteria: dict[str, str]
    conditions: tuple[Condition, ...]
    similarities: tuple[Similarity, ...]
    deviations: tuple[Deviation, ...]
    variations: tuple[Variation, ...]
    correlations: tuple[RunCorrelation, ...]
    agreement: tuple[LabelAgreement, ...]
    confirmed: tuple[ConfirmedShare, ...]
    claims: tuple[ClaimVerdict, ...]
    unsupported: tuple[UnsupportedDifference, ...] = ()
    matching: tuple[TrendMatch, ...] = ()
    effects: tuple[EffectComparison, ...] = ()
    equivalence: tuple[RunEquivalence, ...] = ()
    readings: tuple[SuccessReading, ...] = ()
    printed: tuple[PrintedCheck, ...] = ()
    pooled: tuple[PooledEffect, ...] = ()
    stability: tuple[RankStability, ...] = ()
    rates: tuple[RunPairRate, ...] = ()
    scores: tuple[AlignedScore, ...] = ()
    dropped: tuple[str, ...] = ()  # systems or criteria that not all runs have, in words
    notes: tuple[str, ...] = ()
    version: str = ""

    @property
    def together(self) -> tuple[str, ...]:
        """The runs that represent all studies together, if there are three or more."""
        wide = {run for each in self.variations if len(each.runs) > _PAIR for run in each.runs}
        return tuple(run.id for run in self.runs if run.id in wide)

    def spread(
        self, criterion: str | None, system: str | None, runs: tuple[str, ...]
    ) -> Variation | None:
        """CV* over those of the runs that have a score; None where fewer than two have one."""
        found = [
            each
            for each in self.variations
            if (each.criterion, each.system) == (criterion, system) and set(each.runs) <= set(runs)
        ]
        return max(found, key=lambda each: len(each.runs), default=None)
