"""A finding: one number, its address, and all that is needed to interpret it.

Groups, cases, all judgments without exclusions and criteria that were pooled are parts of the
address, not containers: whatever works on findings works on these too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Final, Literal, TypeAlias, TypeVar

from pydantic import PlainSerializer, PlainValidator

from rejudge.findings.words import Fact, How, method_text
from rejudge.stats import Alternative, Interval
from rejudge.stats.reasons import Argument, Reason, Why, note

_Words = TypeVar("_Words", Fact, Reason)
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
    # between runs, or of one run in a comparison
    "cv-star",  # how far the scores of one system spread, in percent
    "pearson",
    "spearman",
    "kendall-tau",
    "kendall-w",
    "matching-accuracy",  # share of pairs of systems with the same sign
    "significance-f1",
    "confirmed",  # whether a finding of the original is: 1 or 0
    "confirmed-share",  # of the original's findings, by one run
    "confirmed-everywhere",  # by every run
    "effect",  # of one run, on the scale of the original or in standard deviations
    "effect-difference",  # of the second run from the first
    "run-difference",  # of one system's score: the first run minus the second
    "pooled-effect",  # over runs, by random effects
    "same-order",  # probability that a repetition ranks the systems alike
    "success",  # share of what agrees, by one definition of success
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
WITHOUT_EXCLUSIONS: Final = "without exclusions"  # no id of a case has a space


@dataclass(frozen=True, slots=True, order=True)
class Group:
    """The judgments of some items or participants; no name: the groups of a column compared."""

    column: str
    name: str = ""


@dataclass(frozen=True, slots=True, order=True)
class Key:
    """The address of a number: what it is about. It is compared, never parsed."""

    question: str  # or derived score; empty: several that were pooled
    measure: Measure
    method: str  # a test with its unit and direction, an estimate or a coefficient
    systems: tuple[str, ...] = ()  # none, one, or the first against the second
    category: str = ""  # the label whose share it is
    group: tuple[Group, ...] = ()  # empty: all judgments
    pooled: tuple[str, ...] = ()  # the questions, where there are several
    case: str = ""  # how several judgments of an output were combined; empty: the analysis itself
    runs: tuple[str, ...] = ()  # in a comparison: the runs it is about, the earlier one first

    @property
    def cell(self) -> tuple[str, tuple[Group, ...]]:
        """The question and the group: what runs have in common."""
        return self.question, self.group

    @property
    def group_name(self) -> str:
        """The names of its groups, one for each column."""
        return ", ".join(each.name for each in self.group)

    def in_case(self, case: str) -> Key:
        """The same number in another case."""
        return replace(self, case=case)

    @property
    def id(self) -> str:
        """The key as one text, for files and for random streams."""
        parts = (
            self.question or "pooled." + "+".join(self.pooled),
            self.method,
            self.category,
            *self.systems,
        )
        groups = (f"@{each.column}{each.name and f'={each.name}'}" for each in self.group)
        runs = "+".join(self.runs)
        ends = (self.case and f"#{self.case}", runs and f"~{runs}")
        return "".join((".".join(filter(None, parts)), *groups, *ends))


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
    median: float | None = None  # None: not printed
    lower: float | None = None  # a quarter of the scores lies below
    upper: float | None = None
    counts: dict[str, int] = field(default_factory=dict)  # of each value; none above 20 values
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


def _to_json(of: Fact | Reason) -> dict[str, Any]:  # JSON
    """A fact or a reason by its name and arguments; its words are for people alone."""
    kind = {"how": of.how.name} if isinstance(of, Fact) else {"why": of.why.name, "lost": of.lost}
    return {**kind, "args": [list(each) for each in of.args], "text": str(of)}


def _arguments(stored: Any) -> tuple[tuple[str, Argument], ...]:  # JSON
    return tuple(
        (name, tuple(each) if isinstance(each, list) else each) for name, each in stored["args"]
    )


def _to_fact(stored: Any) -> Fact:  # JSON, or the fact itself
    if isinstance(stored, Fact):
        return stored
    return _sound(lambda: Fact(How[stored["how"]], _arguments(stored)))


def _to_reason(stored: Any) -> Reason:  # JSON, or the reason itself
    if isinstance(stored, Reason):
        return stored
    return _sound(lambda: Reason(Why[stored["why"]], _arguments(stored), stored["lost"]))


def _sound(read: Callable[[], _Words]) -> _Words:
    """A fact or a reason from a file, if its kind is known and its words can be made."""
    try:
        result = read()
        str(result)
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        raise ValueError("it is no fact or reason that rejudge knows") from error
    return result


StoredFact: TypeAlias = Annotated[Fact, PlainSerializer(_to_json), PlainValidator(_to_fact)]
StoredReason: TypeAlias = Annotated[Reason, PlainSerializer(_to_json), PlainValidator(_to_reason)]


@dataclass(frozen=True, slots=True)
class Finding:
    """One number of a study, with all that is needed to interpret it."""

    key: Key
    by: str  # the test, the estimate or the coefficient: cluster-robust, krippendorff-alpha …
    value: float | None
    n: int | None  # None: not printed
    n_of: Literal[
        "judgments",
        "scores",  # of an output by one person, as the mean of its segments
        "units",
        "items",
        "participants",
        "batches",
        "pairs",
        "comparisons",
        "runs",
        "systems",
        "criteria",
        "findings",
    ]
    how: tuple[StoredFact, ...]  # it was computed
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
    role: Role | None = None  # None: no test of two systems
    is_comparable: bool = True  # False: a mean over other items or people than those of the others
    is_weighted: bool = False  # inputs count by the inverse of their probability of selection
    items: int | None = None
    participants: int | None = None
    tally: Tally | None = None
    spread: Spread | None = None
    statistic: Statistic | None = None
    effect: EffectSize | None = None
    further_effects: tuple[EffectSize, ...] = ()  # the same difference in other units
    half_unit: float = 0.0  # of the last digit that was printed; 0: all digits are known
    p_below: float | None = None  # a paper prints only that p is below it
    place: str = ""  # where it is printed
    reasons: tuple[StoredReason, ...] = ()  # why something is missing, and caveats
    extra: dict[str, float | Interval | None] = field(default_factory=dict)  # beside it, by name

    @property
    def id(self) -> str:
        """The key as one text."""
        return self.key.id

    @property
    def method(self) -> str:
        """How it was computed, in words."""
        return method_text(self.how, alternative=self.alternative, population=self.population)

    @property
    def note(self) -> str:
        """The reasons as one text."""
        return note(self.reasons)

    def fact(self, *kinds: How) -> Fact | None:
        """The first fact about the method of one of these kinds."""
        return next((each for each in self.how if each.how in kinds), None)

    def has(self, *kinds: Why) -> bool:
        """Whether one of its reasons is of one of these kinds."""
        return any(each.why in kinds for each in self.reasons)

    @property
    def question(self) -> str:
        """The question or derived score; of several that were pooled, their names."""
        return self.key.question or ", ".join(self.key.pooled)

    @property
    def measure(self) -> Measure:
        """What the value is."""
        return self.key.measure

    @property
    def systems(self) -> tuple[str, ...]:
        """None, one, or a pair: the first against the second."""
        return self.key.systems

    @property
    def category(self) -> str:
        """The label whose share it is; empty: not about a label."""
        return self.key.category

    @property
    def group(self) -> tuple[Group, ...]:
        """The group that it is about; empty: all judgments."""
        return self.key.group
