"""What an analysis gives: findings, how the data came to them, and the signature of it all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from rejudge.judgments import CheckCount, Exclusion
from rejudge.stats import Interval

Measure: TypeAlias = Literal[
    "win-percent",  # of one system against all others, or of the first of two
    "best-worst-score",
    "mean",
    "mean-difference",
    "agreement",
    "first-shown-percent",
    "test",  # a planned test that this version does not compute
]


@dataclass(frozen=True, slots=True)
class Tally:
    """The counts behind a percentage of wins."""

    wins: int
    losses: int
    ties: int


@dataclass(frozen=True, slots=True)
class Finding:
    """One number of a study with all that is needed to read it. Undefined is None, with a note."""

    id: str
    question: str
    measure: Measure
    by: str  # the test, the estimate or the coefficient: cluster-robust, krippendorff-alpha …
    systems: tuple[str, ...]  # one, a pair (first against second), or none
    value: float | None
    n: int
    n_of: Literal["judgments", "outputs", "units"]
    method: str
    interval: Interval | None = None
    p: float | None = None
    p_adjusted: float | None = None
    is_supported: bool | None = None  # that the two systems differ; None: nothing was tested
    is_planned: bool = True  # False: exploratory
    items: int | None = None
    participants: int | None = None
    tally: Tally | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Pace:
    """Seconds per task: the middle, and the quarters beside it."""

    median: float
    lower: float
    upper: float
    tasks: int


@dataclass(frozen=True, slots=True)
class Flow:
    """How many came and how many count; kept and excluded add up to collected."""

    participants: int
    participants_kept: int
    rows: int
    rows_kept: int
    real_rows: int
    real_rows_kept: int
    simulated_rows: int
    exclusions: tuple[Exclusion, ...]
    pace: Pace | None

    @property
    def is_simulated(self) -> bool:
        """Whether any judgment was made by a program."""
        return self.simulated_rows > 0


@dataclass(frozen=True, slots=True)
class Signature:
    """Exactly what the numbers were made from; the same signature gives the same numbers."""

    study: str
    plan: str
    judgments: str
    excluded_rows: dict[str, int]  # by rule
    seed: int
    level: float
    correction: str
    version: str

    @property
    def short(self) -> str:
        """One line to print beside a number."""
        return (
            f"rejudge {self.version} · study {self.study} · plan {self.plan} · "
            f"judgments {self.judgments} · seed {self.seed}"
        )


@dataclass(frozen=True, slots=True)
class Results:
    """All findings of a study, in the order of its questions."""

    findings: tuple[Finding, ...]
    flow: Flow
    checks: tuple[CheckCount, ...]
    signature: Signature

    def of(self, question: str, measure: Measure, by: str | None = None) -> tuple[Finding, ...]:
        """The findings of one kind on one question."""
        return tuple(
            finding
            for finding in self.findings
            if finding.question == question
            and finding.measure == measure
            and by in (None, finding.by)
        )
