"""What baselines show about a study: how much of its result appears without any judging.

Each baseline fills the plan by its rules and goes through the study's own analysis. Its scores, its
claims and its answers are compared with those of the participants, as far as there are any, and it
is seen which checks notice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rejudge.analysis import Interval, Verdict
from rejudge.simulate.baseline_checks import BaselineCheck
from rejudge.simulate.rule_agreement import AgreementShare


@dataclass(frozen=True, slots=True)
class MeasuredScore:
    """The score of a system by the participants."""

    question: str
    system: str
    value: float | None
    n: int
    interval: Interval | None = None


@dataclass(frozen=True, slots=True)
class RuleScore:
    """The score of a system by a baseline; where chance plays a part, the mean of many draws."""

    system: str
    value: float | None
    low: float | None = None  # the lowest and the highest of the draws; None: no chance
    high: float | None = None


@dataclass(frozen=True, slots=True)
class BaselineOutcome:
    """What a baseline gives on one question, and how near that is to the participants' result."""

    question: str
    rules: tuple[str, ...]  # that can decide it, turned round where it asks for the opposite
    is_reversed: bool = False
    measure: Literal["mean", "best-worst-score"] = "mean"  # of the scores
    decided: float | None = None  # percent of comparisons or scores that a rule decided
    scores: tuple[RuleScore, ...] = ()
    pairs: int | None = None  # of systems that participants put in an order
    pairs_in_order: int | None = None  # in the same order by the baseline
    supported: int | None = None  # pairs whose difference the participants' results support
    supported_in_order: int | None = None
    pearson: float | None = None  # of the scores of systems
    spearman: float | None = None
    agreement: AgreementShare | None = None
    agreement_decided: AgreementShare | None = None  # on what the rules decided completely
    note: str = ""

    @property
    def has_same_order(self) -> bool | None:
        """Whether the systems have the order that the participants gave them; None: not known."""
        return None if not self.pairs else self.pairs_in_order == self.pairs

    def score(self, system: str) -> float | None:
        """The score of one system."""
        return next((each.value for each in self.scores if each.system == system), None)


@dataclass(frozen=True, slots=True)
class BaselineClaim:
    """The verdict on a claim by a baseline, and by the participants where there are any."""

    id: str
    says: str
    verdict: Verdict  # undecided where the order depends on chance
    measured: Verdict | None = None

    @property
    def is_same(self) -> bool | None:
        """Whether it comes out as it does for participants; None without any."""
        return None if self.measured is None else self.verdict == self.measured


@dataclass(frozen=True, slots=True)
class BaselineRun:
    """One baseline: its rules, its outcome on each question, its checks and its claims."""

    id: str
    rules: tuple[str, ...]
    outcomes: tuple[BaselineOutcome, ...]
    checks: tuple[BaselineCheck, ...]
    participants: int  # who would fill the plan by these rules
    kept: int  # of them, after the study's exclusion rules
    claims: tuple[BaselineClaim, ...] = ()

    def outcome(self, question: str) -> BaselineOutcome | None:
        """What it gives on a question."""
        return next((each for each in self.outcomes if each.question == question), None)

    def claim(self, name: str) -> BaselineClaim | None:
        """The verdict on a claim, by its id."""
        return next((each for each in self.claims if each.id == name), None)


@dataclass(frozen=True, slots=True)
class Baselines:
    """All baselines of a study beside the participants' result, and what they were made from."""

    runs: tuple[BaselineRun, ...]
    measured: tuple[MeasuredScore, ...]  # empty before data collection
    judgments: int  # by participants, that count
    participants: int
    is_simulated: bool  # whether the participants were
    is_declared: bool  # whether the study names its baselines; else they are the usual ones
    study: str  # fingerprints
    plan: str
    judged: str | None  # fingerprint of the judgments; None before data collection
    seed: int
    level: float
    version: str
    notes: tuple[str, ...] = ()

    @property
    def questions(self) -> tuple[str, ...]:
        """The questions of the study, in order."""
        found = (each.question for run in self.runs for each in run.outcomes)
        return tuple(dict.fromkeys(found))

    @property
    def has_participants(self) -> bool:
        """Whether there is anything to compare the baselines with."""
        return self.judged is not None

    def measured_on(self, question: str) -> tuple[MeasuredScore, ...]:
        """The participants' scores on a question, in the order of the study."""
        return tuple(each for each in self.measured if each.question == question)
