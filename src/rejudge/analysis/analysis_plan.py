"""What was planned for a study, or what is usual without a plan, and what all findings share."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from rejudge.analysis.limits import LONGEST_FIT
from rejudge.analysis.outline import Asked, Outline
from rejudge.analysis.pairs import Pair
from rejudge.analysis.population import POPULATIONS
from rejudge.analysis.results import Finding, Measure, Population, Statistic
from rejudge.analysis.watching import Steps
from rejudge.errors import Problem, UsageError
from rejudge.stats import Correction, Estimate, adjusted, one_sided
from rejudge.study import (
    Alternative,
    Analysis,
    DfMethod,
    MultipleCase,
    PlannedTest,
    Slopes,
    Test,
    Unit,
    has_direction,
)

if TYPE_CHECKING:
    import numpy as np

USUAL_TESTS: dict[str, tuple[Test, ...]] = {
    "comparison": (
        "cluster-robust",
        "mixed-model",
        "joint-mixed-model",
        "sign-flip",
        "bradley-terry",
        "friedman",
        "hotelling",
    ),
    "score": ("cluster-robust", "mixed-model", "ordinal-mixed-model"),
}
USUAL_OF_RANKINGS: tuple[Test, ...] = ("plackett-luce",)
_DECISIVE = (  # one of them is the headline
    "cluster-robust",
    "mixed-model",
    "joint-mixed-model",
    "sign-flip",
)
DEFAULT_SEED = 1  # of everything that resamples
USUAL_AGREEMENT = ("percent", "krippendorff-alpha")


@dataclass(frozen=True, slots=True)
class FurtherTest:
    """A test that somebody asks for beside the usual ones."""

    test: Test
    unit: Unit | None = None  # what counts once; the usual one of the test when left out
    alternative: Alternative = "two-sided"

    def __str__(self) -> str:
        direction = "" if self.alternative == "two-sided" else self.alternative
        return ":".join(part for part in (self.test, self.unit, direction) if part)


@dataclass(frozen=True, slots=True)
class Further:
    """What is wanted of a table beside the usual numbers; exploratory like these."""

    tests: tuple[FurtherTest, ...] = ()
    agreement: tuple[str, ...] = ()
    cases: tuple[str, ...] = ()  # ways to treat what several people judged, as in a study
    items_dealt_at_random: bool = False  # as in a study
    pairs: tuple[Pair, ...] = ()  # the only ones that are tested; none: all
    pooled_agreement: bool = False  # over all criteria of the same scale as well
    time_limit: float = LONGEST_FIT  # seconds that a mixed model may take, by estimate
    df: DfMethod = "satterthwaite"  # of linear mixed models of scores
    slopes: Slopes = "equal"  # 〃 how systems vary over items and participants

    def __post_init__(self) -> None:
        if self.slopes == "free" and self.df == "kenward-roger":
            raise UsageError(
                Problem(
                    "Kenward and Roger's degrees of freedom are not available with free slopes.",
                    "Leave out one of the two.",
                    field="--slopes",
                )
            )


@dataclass(frozen=True, slots=True)
class Agenda:
    """What was planned, and how sure and how corrected every number shall be."""

    outline: Outline
    plan: Analysis | None
    seed: int
    coding: Literal["side", "winner"] = "side"  # of choices, for agreement
    further: Further = Further()
    by_group: bool = False  # only what is needed for the headline within a group
    steps: Steps = field(default_factory=lambda: Steps(1), compare=False)  # for whoever watches

    @property
    def level(self) -> float:
        """Of every interval."""
        return 1 - self.alpha

    @property
    def alpha(self) -> float:
        """Below this a corrected p value supports a difference."""
        return self.plan.alpha if self.plan else 0.05

    @property
    def correction(self) -> Correction:
        """For the number of comparisons."""
        return self.plan.correction if self.plan else "holm"

    @property
    def items_dealt_at_random(self) -> bool:
        """Whether chance decided which items each system was judged on."""
        return (self.plan or self.further).items_dealt_at_random

    @property
    def pools_agreement(self) -> bool:
        """Whether agreement is also computed over all criteria of the same scale."""
        return (self.plan or self.further).pooled_agreement

    def tests(self, asked: Asked) -> tuple[PlannedTest, ...]:
        """The tests planned for a question; where none are, the usual ones of its kind."""
        if self.is_planned(asked):
            planned = self.plan.tests if self.plan else ()
            own = (each for each in planned if each.question == asked.id)
            return tuple(each for each in own if not self.by_group or has_direction(each.test))
        pairs = self.further.pairs
        names = (*USUAL_TESTS[asked.kind], *(USUAL_OF_RANKINGS if asked.is_implied else ()))
        usual = [FurtherTest(name) for name in names if not pairs or has_direction(name)]
        further = self.further.tests
        if self.by_group:
            usual, further = [each for each in usual if each.test in _DECISIVE], ()
        tests = dict.fromkeys((*usual, *further))
        return tuple(self.unplanned(asked, each) for each in tests)

    def unplanned(self, asked: Asked, test: FurtherTest) -> PlannedTest:
        """A test of a question as if it were planned; `is_planned` of its findings is False."""
        return PlannedTest.model_construct(
            question=asked.id,
            test=test.test,
            unit=test.unit,
            alternative=test.alternative,
            pairs=self.further.pairs,
        )

    def check(self, asked: Asked) -> PlannedTest:
        """The cluster-robust comparison: as planned, or else of the pairs that are tested."""
        tests = [each for each in self.tests(asked) if has_direction(each.test)]
        for each in tests:
            if each.test == "cluster-robust":
                return each
        known = {frozenset(pair): pair for each in reversed(tests) for pair in each.pairs[::-1]}
        pairs = tuple(known.values())[::-1] if all(each.pairs for each in tests) else ()
        return PlannedTest.model_construct(question=asked.id, test="cluster-robust", pairs=pairs)

    def df_of(self, asked: Asked, planned: PlannedTest) -> DfMethod:
        """How a linear mixed model gets its degrees of freedom."""
        return planned.df if self.is_planned(asked, planned.test) else self.further.df

    def slopes_of(self, asked: Asked, planned: PlannedTest) -> Slopes:
        """How systems vary over items and participants in a linear mixed model."""
        return planned.slopes if self.is_planned(asked, planned.test) else self.further.slopes

    def has(self, asked: Asked, test: Test) -> bool:
        """Whether a test is to be computed for a question."""
        return any(each.test == test for each in self.tests(asked))

    def alternative(self, asked: Asked, test: Test) -> Alternative:
        """The direction of a test that is computed once for a question."""
        found = [each.alternative for each in self.tests(asked) if each.test == test]
        return found[0] if found else "two-sided"

    def is_planned(self, asked: Asked, test: Test | None = None) -> bool:
        """Whether a test (or any) was fixed beforehand for a question."""
        planned = self.plan.tests if self.plan else ()
        return any(t.question == asked.id and test in (None, t.test) for t in planned)

    @property
    def agreement(self) -> tuple[str, ...]:
        """The measures of agreement to compute."""
        if self.plan:
            return tuple(self.plan.agreement)
        return tuple(dict.fromkeys((*USUAL_AGREEMENT, *self.further.agreement)))

    @property
    def cases(self) -> tuple[MultipleCase, ...]:
        """The ways to treat what several people judged; each is its own name in a table."""
        if self.plan:
            return self.plan.cases
        return tuple(
            MultipleCase.model_construct(id=way, multiple=way)
            for way in dict.fromkeys(self.further.cases)
        )

    def rng(self, finding: str) -> np.random.Generator:
        """A stream of its own for each finding, so that a further one changes no other."""
        import numpy as np

        return np.random.default_rng([self.seed, zlib.crc32(finding.encode())])


def corrected(agenda: Agenda, findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """All findings with their p values corrected.

    Everything that was planned is one family. What was not planned is corrected by test and
    question, and stays exploratory whatever comes out. The headlines of all groups of a column are
    one family, also where a small group needs another test than a large one.
    """
    listed = list(findings)
    families: dict[tuple[str, ...], list[int]] = {}
    for place, finding in enumerate(listed):
        if is_corrected(finding):
            families.setdefault(family_of(finding), []).append(place)
    for places in families.values():
        p_values = [listed[place].p for place in places]
        is_done = listed[places[0]].is_simultaneous
        values = p_values if is_done else adjusted(p_values, agenda.correction)
        for place, p in zip(places, values, strict=True):
            supported = None if p is None else p < agenda.alpha
            listed[place] = replace(listed[place], p_adjusted=p, is_supported=supported)
    return tuple(listed)


def is_corrected(finding: Finding) -> bool:
    """Whether a p value counts in a correction."""
    return finding.p is not None and finding.measure not in {"first-shown-percent", "order-effect"}


def family_of(finding: Finding) -> tuple[str, ...]:
    """What a p value is corrected together with."""
    if finding.is_simultaneous:
        return ("simultaneous",)
    if finding.is_planned:
        return ("planned",)
    if finding.group is None:
        return (finding.question, finding.by, finding.measure)
    kind = "headline" if finding.role == "headline" else finding.by
    return (finding.question, kind, finding.group.column)


def estimated(
    finding: Finding, estimate: Estimate, note: str = "", *, has_participants: bool = True
) -> Finding:
    """A finding with the interval of its estimate and what it rests on."""
    return replace(
        finding,
        interval=estimate.interval,
        standard_error=estimate.standard_error,
        df=estimate.df,
        items=estimate.items,
        participants=estimate.participants if has_participants else None,
        note=joined(estimate.note, note),
    )


def directed(finding: Finding, alternative: Alternative, *, null: float = 0.0) -> Finding:
    """A finding with its t or z, whose two-sided p is made one-sided if that was planned."""
    off = None if finding.value is None else finding.value - null
    tested = replace(
        finding,
        p=one_sided(finding.p, off, alternative),
        statistic=finding.statistic or _in_errors(off, finding),
    )
    return in_direction(tested, alternative)


def _in_errors(off: float | None, finding: Finding) -> Statistic | None:
    """How many standard errors a value is off what it is tested against."""
    if off is None or finding.p is None or not finding.standard_error:
        return None
    df = () if finding.df is None else (float(finding.df),)
    return Statistic("t" if df else "z", off / finding.standard_error, df)


def in_direction(finding: Finding, alternative: Alternative) -> Finding:
    """A finding whose p is one-sided already, with the direction in its method."""
    if alternative == "two-sided":
        return finding
    higher = "first higher than second" if alternative == "greater" else "second higher than first"
    method = f"{finding.method}; one-sided p: {higher}"
    return replace(finding, alternative=alternative, method=method)


def interval_method(estimate: Estimate, *, has_participants: bool = True) -> str:
    """How an estimate got its interval, in words."""
    if estimate.df is None:
        return "no interval"
    clusters = "item and participant" if has_participants else "item"
    return f"interval: cluster-robust by {clusters}, t with {estimate.df:.4g} df"


def undefined(
    agenda: Agenda, asked: Asked, test: str, reason: str, *, measure: Measure = "test"
) -> Finding:
    """A number that was wanted and cannot be had: listed with the reason, never replaced."""
    planned = agenda.plan.agreement if agenda.plan and measure == "agreement" else ()
    is_planned = test in planned or any(
        t.question == asked.id and t.test == test
        for t in (agenda.plan.tests if agenda.plan else ())
    )
    return Finding(
        id=f"{asked.id}.{test}",
        question=asked.id,
        measure=measure,
        by=test,
        systems=(),
        value=None,
        n=0,
        n_of="judgments",
        method=test,
        is_planned=is_planned,
        note=reason,
    )


def speaking_for(finding: Finding, population: Population) -> Finding:
    """A finding that says whom it speaks for, in its method too."""
    method = f"{finding.method}; {POPULATIONS[population]}"
    return replace(finding, population=population, method=method)


def name_of(asked: Asked, planned: PlannedTest) -> str:
    """The beginning of the ids of a test's findings."""
    unit = f"-by-{planned.unit}" if planned.unit else ""
    side = "" if planned.alternative == "two-sided" else f"-{planned.alternative}"
    return f"{asked.id}.{planned.test}{unit}{side}"


def pairs_of(systems: Sequence[str]) -> Iterator[tuple[int, int]]:
    """All pairs of systems, by their places."""
    for first in range(len(systems)):
        for second in range(first + 1, len(systems)):
            yield first, second


def joined(*notes: str) -> str:
    """Notes in one, without empty ones."""
    return " ".join(note for note in notes if note)
