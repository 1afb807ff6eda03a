"""The results of an analysis: findings, the flow of data behind them, and the signature."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from rejudge.analysis.derived_scores import DerivedScore
from rejudge.analysis.details import (
    Competence,
    CopiedInputs,
    Details,
    Generalizability,
    Precision,
    Profile,
    RemarkList,
    Sensitivity,
)
from rejudge.analysis.formula import Model
from rejudge.analysis.notebook import findings_to_arrow, results_html, results_text
from rejudge.analysis.planned_looks import Stopping
from rejudge.analysis.times import Pace, PagesToExit, Times
from rejudge.judgments.answers import CheckCount
from rejudge.judgments.rules import Exclusion
from rejudge.judgments.table import to_pandas
from rejudge.stats import Alternative, Interval

if TYPE_CHECKING:
    import pyarrow as pa

Measure: TypeAlias = Literal[
    "win-percent",  # of one system against all others, or of the first of two
    "best-worst-score",
    "score-difference",  # of two best–worst scores
    "strength",  # log worth of one system, or of the first of two over the second
    "mean",
    "mean-difference",
    "share",  # of a system's judgments that gave one label, in percent; labels have no mean
    "share-difference",  # of two systems, in percentage points
    "latent-difference",  # of an ordinal model, on the scale of log odds
    "median-difference",  # of ranks: the median of all differences (Hodges–Lehmann)
    "agreement",
    "first-shown-percent",
    "order-effect",  # how far answers drift from the first task to the last
    "test",  # of all systems at once; its value is the statistic
    "interaction",  # whether a difference differs between groups; its value is the statistic
]
Population: TypeAlias = Literal[  # that a test or an interval generalises to
    "items and participants",  # others like these
    "items",  # other items, judged by these participants
    "participants",  # other participants, on these items
    "these items and participants",  # no others: a person chose the items
    "batches",
    "judgments",  # each treated as independent of all others
]
Role: TypeAlias = Literal[  # of a test of two systems
    "headline",  # the one that decides
    "check",  # the cluster-robust difference, shown next to the headline
    "further",
]
POPULATIONS: Final[dict[Population, str]] = {
    "items and participants": "for new items and new participants",
    "items": "for new items and these participants",
    "participants": "for new participants and these items",
    "these items and participants": "for these items and these participants",
    "batches": "for new batches",
    "judgments": "for new judgments, treated as independent",
}
Pair: TypeAlias = tuple[str, str]  # of systems: the first against the second
GroupedBy: TypeAlias = Literal["items", "participants"]
UNVERIFIABLE: Final = (  # a note on results that were read from such a file
    "results.json was written by an older version of rejudge and has no checksum, so nobody can "
    "tell whether it was edited. `rejudge analyse … --force` computes it again."
)
Verdict: TypeAlias = Literal[  # on a claim; `rejudge.analysis.claims` says when
    "supported",
    "same-direction",
    "no-difference",
    "opposite-direction",
    "contradicted",
    "not-testable",
    "out-of-scope",
    "upheld",  # this and what follows: only in files of older versions
    "undecided",
    "not-upheld",
]
VERDICT_WORDS: Final[dict[Verdict, str]] = {
    "supported": "supported",
    "same-direction": "same direction, not supported",
    "no-difference": "no difference, not supported",
    "opposite-direction": "opposite direction, not supported",
    "contradicted": "contradicted",
    "not-testable": "not testable",
    "out-of-scope": "out of scope",
    "upheld": "upheld",
    "undecided": "undecided",
    "not-upheld": "not upheld",
}


@dataclass(frozen=True, slots=True)
class Places:
    """How many finished batches the plan requires, and how many there are."""

    planned: int
    filled: int


@dataclass(frozen=True, slots=True)
class LimitedPairs:
    """The pairs of systems that the tests on a question were limited to."""

    question: str
    tests: tuple[str, ...]  # that are limited to them
    pairs: tuple[Pair, ...]
    is_every_test: bool = True  # False: other tests on the question compare all pairs, or others


@dataclass(frozen=True, slots=True)
class Group:
    """The group that a finding is about; no name: all groups of the column together."""

    column: str
    name: str | None


@dataclass(frozen=True, slots=True)
class GroupSize:
    """How much was judged in one group, on all questions together."""

    name: str
    judgments: int
    items: int
    participants: int | None  # None: not known


@dataclass(frozen=True, slots=True)
class Tally:
    """The counts behind a percentage of wins."""

    wins: int
    losses: int
    ties: int


@dataclass(frozen=True, slots=True)
class Spread:
    """The spread of the scores behind a mean."""

    sd: float | None
    median: float
    lower: float  # a quarter of the scores lies below
    upper: float
    counts: dict[str, int]  # how often each value was given; empty for more than 20 values
    normalised: float | None = None  # the mean, from 0 at the scale's lower end to 1 at its upper
    z: float | None = None  # the mean in units of each participant's spread, around their mean


@dataclass(frozen=True, slots=True)
class Statistic:
    """A test statistic such as t, F or chi-squared, with its degrees of freedom."""

    name: str
    value: float
    df: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class EffectSize:
    """An effect size such as d, g, eta-squared or r."""

    name: str
    value: float
    interval: Interval | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """One number of a study, with all that is needed to interpret it."""

    id: str
    question: str
    measure: Measure
    by: str  # the test, the estimate or the coefficient: cluster-robust, krippendorff-alpha …
    systems: tuple[str, ...]  # one, a pair (first against second), or none
    value: float | None
    n: int
    n_of: Literal[
        "judgments",
        "scores",  # of an output by one person, as the mean of its segments
        "outputs",  # the same, in older files
        "units",
        "items",
        "participants",
        "batches",
        "pairs",
        "comparisons",
    ]
    method: str
    interval: Interval | None = None
    interval_for_new_people: Interval | None = None  # of agreement: were others asked as well
    standard_error: float | None = None  # of the value, where a test or an interval rests on it
    df: float | None = None  # of Student's t; None beside an error: normal
    p: float | None = None
    alternative: Alternative = "two-sided"  # of p; greater: that the first system is higher
    p_adjusted: float | None = None
    is_supported: bool | None = None  # that the systems differ; None: nothing was tested
    is_planned: bool = True  # False: exploratory
    is_simultaneous: bool = False  # p allows for all pairs already, as Tukey's does
    population: Population | None = None  # None: nothing beyond these judgments
    role: Role | None = None  # None: no test of two systems, or written before there were roles
    is_comparable: bool = True  # False: a mean over other items or people than those of the others
    is_weighted: bool = False  # inputs count by the inverse of their probability of selection
    items: int | None = None
    participants: int | None = None
    tally: Tally | None = None
    spread: Spread | None = None
    statistic: Statistic | None = None
    effect: EffectSize | None = None
    further_effects: tuple[EffectSize, ...] = ()  # the same difference in other units
    note: str = ""
    group: Group | None = None  # that it is about; None: all judgments
    category: str | None = None  # the label whose share it is; None: not about a label


@dataclass(frozen=True, slots=True)
class Flow:
    """How many took part and how many count; kept and excluded add up to collected."""

    participants: int | None  # None: the table does not say who judged
    participants_kept: int | None
    rows: int
    rows_kept: int
    real_rows: int
    real_rows_kept: int
    simulated_rows: int
    exclusions: tuple[Exclusion, ...]
    pace: Pace | None
    judgments: int | None = None  # of systems; a ranking is one, in several rows. None: older files
    judgments_kept: int | None = None
    places: Places | None = None  # None: no plan, or judgments that do not say their batch

    @property
    def judged(self) -> int:
        """Judgments of systems that were collected."""
        return self.real_rows if self.judgments is None else self.judgments

    @property
    def judged_kept(self) -> int:
        """Those of them that count."""
        return self.real_rows_kept if self.judgments_kept is None else self.judgments_kept

    @property
    def is_unfinished(self) -> bool:
        """Whether places of the plan are still empty."""
        return self.places is not None and self.places.filled < self.places.planned

    @property
    def is_simulated(self) -> bool:
        """Whether any judgment was made by a program."""
        return self.simulated_rows > 0


@dataclass(frozen=True, slots=True)
class Signature:
    """What the numbers were computed from; the same signature gives the same numbers."""

    study: str | None  # None: a table without a study
    plan: str | None
    judgments: str
    excluded_rows: dict[str, int]  # by rule
    seed: int
    level: float
    correction: str
    version: str
    options: dict[str, tuple[str, ...]] = field(default_factory=dict)  # what else was asked for

    @property
    def short(self) -> str:
        """One line to print beside a number."""
        known = {"study": self.study, "plan": self.plan, "judgments": self.judgments}
        names = [f"{name} {print_}" for name, print_ in known.items() if print_ is not None]
        parts = [f"rejudge {self.version}", *names, f"seed {self.seed}", self.listed_options]
        return " · ".join(part for part in parts if part)

    @property
    def listed_options(self) -> str:
        """The options as a person reads them: `scale 1..5; test welch, paired-t:item`."""
        return "; ".join(f"{name} {', '.join(given)}" for name, given in self.options.items())


@dataclass(frozen=True, slots=True)
class Case:
    """The same numbers with one treatment of outputs that several people judged."""

    id: str
    multiple: str  # first, each, mean, median, majority, drop or participant:ID
    rows: int  # judgments that count in it
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class GroupAnalysis:
    """Estimates and headline tests within the groups of a column, and whether groups differ."""

    column: str
    of: GroupedBy
    groups: tuple[GroupSize, ...]
    findings: tuple[Finding, ...]
    is_planned: bool = False
    without_group: int = 0  # judgments

    def of_question(self, question: str) -> tuple[Finding, ...]:
        """The findings on one question."""
        return tuple(each for each in self.findings if each.question == question)


@dataclass(frozen=True, slots=True)
class PooledAgreement:
    """Agreement over several criteria, with their values concatenated."""

    questions: tuple[str, ...]
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class Dependence:
    """A comparison of two systems whose outcome depends on a choice of the analysis."""

    finding: str  # its id
    choice: Literal["exclusions", "cases"]
    outcomes: dict[str, str]  # by state of the choice: first, second, open or undefined


@dataclass(frozen=True, slots=True)
class ClaimOutcome:
    """A claim of the study with the verdict on it, and the numbers that decide."""

    claim: str  # its id
    says: str
    verdict: Verdict
    because: str


@dataclass(frozen=True, slots=True, repr=False)
class Results:
    """All findings of a study, in the order of its questions."""

    findings: tuple[Finding, ...]
    flow: Flow
    checks: tuple[CheckCount, ...]
    signature: Signature
    basis: Literal["planned", "default"] = "planned"  # default: nothing was fixed beforehand
    without_exclusions: tuple[Finding, ...] = ()  # the same; empty where nothing was left out
    cases: tuple[Case, ...] = ()
    depends: tuple[Dependence, ...] = ()
    notes: tuple[str, ...] = ()  # what was assumed, and what was left out as infeasible
    details: tuple[Details, ...] = ()  # by question: the details behind the findings
    times: Times | None = None  # None: written before there were any
    coding: Literal["side", "winner"] = "side"  # of choices, for agreement
    sensitivity: tuple[Sensitivity, ...] = ()  # what each comparison could detect
    precision: tuple[Precision, ...] = ()  # of each comparison, against the size of the study
    reliability: tuple[Generalizability, ...] = ()  # by question: variance components, D study
    competence: tuple[Competence, ...] = ()  # by question and participant; exploratory
    profile: Profile | None = None  # None: nothing about people was recorded
    navigation: PagesToExit | None = None  # None: no times of pages were recorded
    limited_pairs: tuple[
        LimitedPairs, ...
    ] = ()  # where tests were limited to some pairs of systems
    by_group: tuple[GroupAnalysis, ...] = ()
    derived: tuple[DerivedScore, ...] = ()  # scores that were computed from others
    pooled_agreement: tuple[PooledAgreement, ...] = ()  # where it was asked for
    models: tuple[Model, ...] = ()  # that the user wrote as formulas
    copied: tuple[CopiedInputs, ...] = ()  # by system; empty where no input texts are known
    claims: tuple[ClaimOutcome, ...] = ()  # of the study, on the questions that were analysed
    remarks: tuple[RemarkList, ...] = ()  # in participants' own words; personal data
    stopping: Stopping | None = None  # None: the study plans no looks

    def of(self, question: str, measure: Measure, by: str | None = None) -> tuple[Finding, ...]:
        """The findings of one kind on one question."""
        return tuple(
            finding
            for finding in self.findings
            if finding.question == question
            and finding.measure == measure
            and by in (None, finding.by)
        )

    @property
    def questions(self) -> tuple[str, ...]:
        """The questions that something was found about, in order."""
        return tuple(dict.fromkeys(finding.question for finding in self.findings))

    def to_arrow(self) -> pa.Table:
        """One row per finding: criterion, first and second system, value, interval, p, n …"""
        return findings_to_arrow(self.findings)

    def to_pandas(self) -> Any:  # a pandas.DataFrame; pandas may not be installed
        """The same as a frame of pandas."""
        return to_pandas(self.to_arrow())

    def __repr__(self) -> str:
        return results_text(self)

    def _repr_html_(self) -> str:
        return results_html(self)
