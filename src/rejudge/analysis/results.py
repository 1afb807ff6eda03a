"""The results of an analysis: findings, the flow of data behind them, and the signature."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from rejudge.analysis.derived_scores import DerivedScore
from rejudge.analysis.details import (
    Precision,
    Sensitivity,
)
from rejudge.analysis.formula import Model
from rejudge.analysis.notebook import findings_to_arrow, results_html, results_text
from rejudge.analysis.planned_looks import Stopping
from rejudge.findings.frame import Frame
from rejudge.findings.model import Finding, Group, Measure
from rejudge.judgments.answers import CheckCount
from rejudge.judgments.exclusions import Exclusion
from rejudge.judgments.table import to_pandas

if TYPE_CHECKING:
    import pyarrow as pa

Pair: TypeAlias = tuple[str, str]  # of systems: the first against the second
GroupedBy: TypeAlias = Literal["items", "participants"]
Verdict: TypeAlias = Literal[  # on a claim; `rejudge.analysis.claims` says when
    "supported",
    "same-direction",
    "opposite-direction",
    "contradicted",
    "not-testable",
]
VERDICT_WORDS: Final[dict[Verdict, str]] = {
    "supported": "supported",
    "same-direction": "same direction, not supported",
    "opposite-direction": "opposite direction, not supported",
    "contradicted": "contradicted",
    "not-testable": "not testable",
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
class GroupSize:
    """How much was judged in one group, on all questions together."""

    name: str
    judgments: int
    items: int
    participants: int | None  # None: not known


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
    judgments: int  # of systems; a ranking is one, in several rows
    judgments_kept: int
    places: Places | None = None  # None: no plan, or judgments that do not say their batch

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
    """One treatment of outputs that several people judged."""

    id: str
    multiple: str  # first, each, mean, median, majority, drop or participant:ID
    rows: int  # judgments that count in it


@dataclass(frozen=True, slots=True)
class Groups:
    """The groups of a column, within which systems are compared as well."""

    column: str
    of: GroupedBy
    sizes: tuple[GroupSize, ...]
    is_planned: bool = False
    without_group: int = 0  # judgments


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
    """All findings of a study: in the order of its questions, then by group and by case."""

    findings: tuple[Finding, ...]
    flow: Flow
    checks: tuple[CheckCount, ...]
    signature: Signature
    basis: Literal["planned", "default"] = "planned"  # default: nothing was fixed beforehand
    cases: tuple[Case, ...] = ()
    depends: tuple[Dependence, ...] = ()
    notes: tuple[str, ...] = ()  # what was assumed, and what was left out as infeasible
    frames: tuple[Frame, ...] = ()  # descriptive tables: by question, then of the whole study
    coding: Literal["side", "winner"] = "side"  # of choices, for agreement
    sensitivity: tuple[Sensitivity, ...] = ()  # what each comparison could detect
    precision: tuple[Precision, ...] = ()  # of each comparison, against the size of the study
    limited_pairs: tuple[
        LimitedPairs, ...
    ] = ()  # where tests were limited to some pairs of systems
    groups: tuple[Groups, ...] = ()
    derived: tuple[DerivedScore, ...] = ()  # scores that were computed from others
    models: tuple[Model, ...] = ()  # that the user wrote as formulas
    claims: tuple[ClaimOutcome, ...] = ()  # of the study, on the questions that were analysed
    stopping: Stopping | None = None  # None: the study plans no looks
    is_normalised: bool = False  # the summary table has means from 0 to 1

    def select(
        self,
        question: str | None = None,
        measure: Measure | None = None,
        by: str | None = None,
        *,
        group: tuple[Group, ...] | None = (),
        case: str | None = "",
    ) -> tuple[Finding, ...]:
        """The findings about something: by default of all judgments, in the analysis itself.

        None stands for any question, group or case. What was pooled over several questions is left
        out: `pooled` has it.
        """
        return tuple(
            each
            for each in self.findings
            if question in (None, each.key.question)
            and measure in (None, each.key.measure)
            and by in (None, each.by)
            and group in (None, each.key.group)
            and case in (None, each.key.case)
            and not each.key.pooled
        )

    @property
    def pooled(self) -> tuple[Finding, ...]:
        """Agreement over several questions at once."""
        return tuple(each for each in self.findings if each.key.pooled)

    def frame(self, name: str, question: str = "", group: tuple[Group, ...] = ()) -> Frame:
        """A descriptive table; one without rows where there is none."""
        address = (name, question, group)
        of_name = (
            each for each in self.frames if (each.name, each.question, each.group) == address
        )
        return next(of_name, Frame(name, question=question, group=group))

    def without_remarks(self) -> Results:
        """The results without what participants wrote, which is personal data."""
        return replace(self, frames=tuple(each for each in self.frames if each.name != "remarks"))

    def of_column(self, column: str) -> tuple[Finding, ...]:
        """The findings within the groups of a column, and between them."""
        return tuple(
            each
            for each in self.findings
            if not each.key.case and [group.column for group in each.key.group] == [column]
        )

    @property
    def questions(self) -> tuple[str, ...]:
        """The questions that something was found about, in order."""
        return tuple(dict.fromkeys(each.question for each in self.select()))

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
