"""The result of a comparison of runs: every number with its basis, and the conditions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from rejudge.analysis.results import Verdict
from rejudge.compare.run import RunCriterion
from rejudge.findings.model import Finding, Measure

TOGETHER = "together"  # all scores of all criteria as one list
OF_CRITERIA = "mean-of-criteria"
OF_PAIRS = "mean-of-pairs"  # of runs
SHARE: Measure = "confirmed-share"  # of the original's findings
EVERY: Measure = "confirmed-everywhere"
IN_TABLE = "in-table"  # from a printed table of labels
FEW = 5  # values, for which p means almost nothing

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
    cases: tuple[str, ...] = ("",)  # empty: the analysis itself
    shares: str = ""  # the run whose judgments it shares; empty: they are its own

    def in_cases(self) -> tuple[CaseOfRun, ...]:
        """The run once for each of its cases."""
        return tuple(
            CaseOfRun(self.id, case, f"{self.name}, {case}" if case else self.name)
            for case in self.cases
        )


@dataclass(frozen=True, slots=True)
class CaseOfRun:
    """A run in one of its cases; most runs have only one."""

    study: str  # the id of the run
    case: str
    name: str

    @property
    def id(self) -> str:
        """Both in one text, to be shown."""
        return f"{self.study}:{self.case}" if self.case else self.study


class _Case(Protocol):
    @property
    def study(self) -> str: ...
    @property
    def case(self) -> str: ...


def common_case(runs: Iterable[_Case], several: frozenset[str]) -> str:
    """The case of a number about runs, of which `several` have more than one case."""
    return "+".join(run.case for run in runs if run.study in several)


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
class ClaimVerdict:
    """What a run shows about a claim of the original."""

    claim: str  # its id
    says: str
    words: str
    run: str
    verdict: Verdict
    because: str  # with the numbers that decide
    case: str = ""


@dataclass(frozen=True, slots=True)
class PrintedCheck:
    """A reproducibility figure that a paper prints, and the finding of the same key."""

    run: str
    measure: str
    criterion: str | None
    system: str | None
    printed: str
    computed: float | None
    is_reproduced: bool | None  # within the rounding of what was printed; None: unknown
    because: str
    place: str
    case: str = ""


@dataclass(frozen=True, slots=True)
class Comparison:
    """The whole assessment. It cannot be made without the conditions of its runs."""

    original: str
    runs: tuple[RunCard, ...]
    systems: dict[str, str]
    criteria: tuple[RunCriterion, ...]  # of the original
    conditions: tuple[Condition, ...]
    similarities: tuple[Similarity, ...]
    deviations: tuple[Deviation, ...]
    findings: tuple[Finding, ...]  # their keys name the runs that they are about
    claims: tuple[ClaimVerdict, ...]
    printed: tuple[PrintedCheck, ...] = ()
    dropped: tuple[str, ...] = ()  # systems or criteria that not all runs have, in words
    notes: tuple[str, ...] = ()
    version: str = ""

    @property
    def in_cases(self) -> tuple[CaseOfRun, ...]:
        """Every run in each of its cases, the original first."""
        return tuple(case for run in self.runs for case in run.in_cases())

    def address(self, runs: Sequence[CaseOfRun]) -> tuple[tuple[str, ...], str]:
        """The runs and the case in the keys of numbers about them."""
        several = frozenset(run.id for run in self.runs if len(run.cases) > 1)
        return tuple(run.study for run in runs), common_case(runs, several)

    def criterion_of(self, finding: Finding) -> RunCriterion | None:
        """What a finding is about; None: all criteria together."""
        cell = finding.key.cell
        return next((each for each in self.criteria if each.cell == cell), None)

    def select(
        self,
        *measures: Measure,
        criterion: RunCriterion | None = None,
        runs: Sequence[CaseOfRun] = (),
        method: str | None = None,
        systems: tuple[str, ...] | None = None,
    ) -> list[Finding]:
        """The findings of these measures; what is left out may be anything."""
        where = self.address(runs) if runs else None
        return [
            each
            for each in self.findings
            if each.key.measure in measures
            and (criterion is None or each.key.cell == criterion.cell)
            and (where is None or (each.key.runs, each.key.case) == where)
            and method in (None, each.key.method)
            and systems in (None, each.key.systems)
        ]
