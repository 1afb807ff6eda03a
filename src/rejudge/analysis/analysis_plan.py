"""The analysis plan of a study, or the default one, and how large a table may be."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, TypeAlias

import numpy as np

from rejudge import parallel, stats
from rejudge.analysis.formula import Formula
from rejudge.analysis.outline import AnalysedQuestion, AnalysisOutline
from rejudge.analysis.planned_looks import LookCorrection
from rejudge.analysis.results import Pair
from rejudge.english import count
from rejudge.errors import Problem, UsageError
from rejudge.stats.reasons import Reason, Why
from rejudge.study.analysis_plan import (
    Alternative,
    Analysis,
    DfMethod,
    MultipleCase,
    PlannedTest,
    Slopes,
    Unit,
)
from rejudge.study.kinds.question import Level
from rejudge.study.methods import USUAL_AGREEMENT, Coefficient, Test, has_direction

MOST_JUDGMENTS: Final = 10_000_000  # of a mixed model
USUAL_TESTS: tuple[Test, ...] = ("cluster-robust", "mixed-model")  # the check, and the headline
USUAL_OF_RANKINGS: tuple[Test, ...] = ("cluster-robust", "joint-mixed-model")
DEFAULT_SEED = 1  # of everything that resamples
WITHOUT_PLAN = (
    "There is no analysis plan: these are the default analyses of such judgments, and all of them "
    "are exploratory."
)
FEWEST: Final = 5  # participants, or items, that can show how far they vary (decision 8)


def over_size(size: int, most: int, unit: str, what: str = "the model") -> Reason | None:
    """Why a model or another step is left out for the size of the table; None if it is not."""
    return Why.OVER_SIZE(what=what, most=most, unit=unit, size=size) if size > most else None


def too_few(items: int, participants: int | None) -> Reason | None:
    """Why a model that nobody planned is left out: it would not keep its level (decision 8)."""
    if participants is not None and participants < FEWEST:
        few, vary = count(participants, "participant"), "people"
    elif items < FEWEST:
        few, vary = count(items, "item"), "items"
    else:
        return None
    return Why.TOO_FEW(few=few, vary=vary)


@dataclass(frozen=True, slots=True)
class FurtherTest:
    """A test requested in addition to the default ones."""

    test: Test
    unit: Unit | None = None  # what counts once; the usual one of the test when left out
    alternative: Alternative = "two-sided"

    def __str__(self) -> str:
        direction = "" if self.alternative == "two-sided" else self.alternative
        return ":".join(part for part in (self.test, self.unit, direction) if part)


@dataclass(frozen=True, slots=True)
class Further:
    """Analyses of a table requested in addition to the default ones; also exploratory."""

    tests: tuple[FurtherTest, ...] = ()
    agreement: tuple[Coefficient, ...] = ()
    cases: tuple[str, ...] = ()  # ways to treat what several people judged, as in a study
    items_dealt_at_random: bool = False  # as in a study
    pairs: tuple[Pair, ...] = ()  # the only ones that are tested; none: all
    pooled_agreement: bool = False  # over all criteria of the same scale as well
    df: DfMethod = "satterthwaite"  # of linear mixed models of scores
    slopes: Slopes = "equal"  # of the same models: how systems vary over items and participants
    models: tuple[Formula, ...] = ()  # mixed models over the table's columns
    profile: tuple[str, ...] = ()  # columns that describe participants, to be counted
    remarks: tuple[str, ...] = ()  # columns with remarks in participants' own words

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
class QuestionStep:
    """A step of the analysis of a question, or a part of one, for those who wait."""

    question: str
    what: str
    share: float  # of the time of the question


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of an analysis that depends on no other, so that it can run in another process."""

    function: Callable[..., Any]  # of the top level of a module; takes the AnalysisPlan first
    arguments: tuple[Any, ...]  # then these
    step: QuestionStep | None = None  # that it belongs to


def _compute(piece: Piece, analysis: AnalysisPlan) -> Any:  # whatever its function returns
    return piece.function(analysis, *piece.arguments)


@dataclass(frozen=True, slots=True)
class AnalysisPlan:
    """What to compute: the planned or the default analyses, with level, correction and seed."""

    outline: AnalysisOutline
    plan: Analysis | None
    seed: int
    coding: Literal["side", "winner"] = "side"  # of choices, for agreement
    further: Further = Further()
    looks: LookCorrection | None = None  # None: the study plans no looks
    steps: Steps = field(default_factory=lambda: Steps(1), compare=False)  # reports progress
    executor: Executor | None = field(default=None, compare=False)

    def run_pieces(self, pieces: Sequence[Piece]) -> list[Any]:  # what each function returns
        """The results of independent pieces, in their order, wherever each of them ran.

        Chance follows from the names of findings, so it does not matter how an analysis is split.
        """
        sent = self if self.executor is None else replace(self, steps=Steps(1), executor=None)
        results = parallel.run(_compute, [(piece, sent) for piece in pieces], self.executor)
        found = []
        for piece in pieces:
            self.steps.enter(piece.step)  # that the next result belongs to
            found.append(next(results))
        return found

    @property
    def level(self) -> float:
        """Of every interval."""
        return 1 - self.alpha

    @property
    def alpha(self) -> float:
        """Below this a corrected p value supports a difference."""
        return self.plan.alpha if self.plan else 0.05

    @property
    def correction(self) -> stats.Correction:
        """For the number of comparisons."""
        return self.plan.correction if self.plan else "holm"

    @property
    def items_dealt_at_random(self) -> bool:
        """Whether items were assigned to systems at random."""
        return (self.plan or self.further).items_dealt_at_random

    @property
    def pools_agreement(self) -> bool:
        """Whether agreement is also computed over all criteria of the same scale."""
        return (self.plan or self.further).pooled_agreement

    def tests(self, asked: AnalysedQuestion, *, by_group: bool = False) -> tuple[PlannedTest, ...]:
        """The tests planned for a question; if there are none, the default ones of its kind.

        Within groups those that the headline needs.
        """
        if self.is_planned(asked):
            planned = self.plan.tests if self.plan else ()
            own = (each for each in planned if each.question == asked.id)
            return tuple(each for each in own if not by_group or has_direction(each.test))
        if asked.is_named:  # no usual test fits; those that were asked for are listed with why
            return tuple(self.exploratory_test(asked, each) for each in self.further.tests)
        usual = [FurtherTest(n) for n in (USUAL_OF_RANKINGS if asked.is_implied else USUAL_TESTS)]
        further = () if by_group else self.further.tests
        requested = {(each.test, each.unit): each for each in further}  # perhaps in one direction
        usual = [requested.get((each.test, each.unit), each) for each in usual]
        tests = dict.fromkeys((*usual, *further))
        return tuple(self.exploratory_test(asked, each) for each in tests)

    def exploratory_test(self, asked: AnalysedQuestion, test: FurtherTest) -> PlannedTest:
        """A test of a question as if it were planned; `is_planned` of its findings is False."""
        return PlannedTest.model_construct(
            question=asked.id,
            test=test.test,
            unit=test.unit,
            alternative=test.alternative,
            pairs=self.further.pairs,
        )

    def check(self, asked: AnalysedQuestion) -> PlannedTest:
        """The cluster-robust comparison: as planned, or else of the pairs that are tested."""
        tests = [each for each in self.tests(asked) if has_direction(each.test)]
        for each in tests:
            if each.test == "cluster-robust":
                return each
        known = {frozenset(pair): pair for each in reversed(tests) for pair in each.pairs[::-1]}
        pairs = tuple(known.values())[::-1] if all(each.pairs for each in tests) else ()
        return PlannedTest.model_construct(question=asked.id, test="cluster-robust", pairs=pairs)

    def df_of(self, asked: AnalysedQuestion, planned: PlannedTest) -> DfMethod:
        """How a linear mixed model gets its degrees of freedom."""
        return planned.df if self.is_planned(asked, planned.test) else self.further.df

    def slopes_of(self, asked: AnalysedQuestion, planned: PlannedTest) -> Slopes:
        """How systems vary over items and participants in a linear mixed model."""
        return planned.slopes if self.is_planned(asked, planned.test) else self.further.slopes

    def has(self, asked: AnalysedQuestion, test: Test) -> bool:
        """Whether a test is to be computed for a question."""
        return any(each.test == test for each in self.tests(asked))

    def alternative(self, asked: AnalysedQuestion, test: Test) -> Alternative:
        """The direction of a test that is computed once for a question."""
        found = [each.alternative for each in self.tests(asked) if each.test == test]
        return found[0] if found else "two-sided"

    def is_planned(self, asked: AnalysedQuestion, test: Test | None = None) -> bool:
        """Whether a test (or any) was fixed beforehand for a question."""
        planned = self.plan.tests if self.plan else ()
        return any(t.question == asked.id and test in (None, t.test) for t in planned)

    @property
    def agreement(self) -> tuple[Coefficient, ...]:
        """The measures of agreement to compute."""
        if self.plan:
            return self.plan.agreement
        return tuple(dict.fromkeys((*USUAL_AGREEMENT, *self.further.agreement)))

    @property
    def cases(self) -> tuple[MultipleCase, ...]:
        """The ways to treat what several people judged; each is its own name in a table."""
        if self.plan:
            return self.plan.cases
        return tuple(
            MultipleCase.model_construct(id=case, multiple=case)
            for case in dict.fromkeys(self.further.cases)
        )

    def rng(self, finding: str) -> np.random.Generator:
        """A separate random stream for each finding, so that adding one changes no other."""
        return np.random.default_rng([self.seed, zlib.crc32(finding.encode())])


def options_in_use(
    analysis: AnalysisPlan, *, level: Level | None, scale: tuple[float, float] | None, is_part: bool
) -> dict[str, tuple[str, ...]]:
    """The options that change a number and are not the default, named as on the command line."""
    further = analysis.further
    given = {
        "question": tuple(asked.id for asked in analysis.outline.questions) if is_part else (),
        "level": (level,) if level else (),
        "scale": (f"{scale[0]:g}..{scale[1]:g}",) if scale else (),
        "coding": (analysis.coding,) if analysis.coding != "side" else (),
        "test": tuple(map(str, further.tests)),
        "pairs": tuple(":".join(pair) for pair in further.pairs),
        "derive": ()
        if analysis.plan
        else tuple(f"{each.id} = {each.formula.text}" for each in analysis.outline.derived),
        "pooled-agreement": ("yes",) if further.pooled_agreement else (),
        "by": tuple(g.column for g in analysis.outline.groupings if not g.is_planned),
        "agreement": further.agreement,
        "cases": further.cases,
        "df": () if further.df == "satterthwaite" else (further.df,),
        "slopes": () if further.slopes == "equal" else (further.slopes,),
        "items-dealt-at-random": ("yes",) if further.items_dealt_at_random else (),
        "model": tuple(each.text for each in further.models),
        "profile": further.profile,
        "remarks": further.remarks,
    }
    return {name: tuple(dict.fromkeys(values)) for name, values in given.items() if values}


Watch: TypeAlias = Callable[[str, float], None]  # what is being done, and the share that is done

# Shares of the time of one question, measured with a million scores.
ESTIMATES: Final = ("means and differences", 0.15)
TESTS: Final = ("tests and models", 0.45)
AGREEMENT: Final = ("agreement", 0.1)
BEHAVIOUR: Final = ("repeated judgments and order effects", 0.05)
PEOPLE: Final = ("participants and items", 0.15)
REACH: Final = ("precision and reliability", 0.1)


@dataclass(slots=True)
class Steps:
    """Adds up how much of the analysis is done, and passes it on to a watch."""

    questions: int
    watch: Watch | None = None
    _done: float = 0.0
    _name: str = ""
    _size: float = field(default=0.0)

    def begin(self, question: str, step: tuple[str, float]) -> None:
        """End the previous step and begin this one."""
        self._done += self._size
        what, share = step
        self._name, self._size = f"{question}: {what}", share / max(self.questions, 1)
        self.within(0.0)

    def enter(self, step: QuestionStep | None) -> None:
        """Begin a step; None belongs to the previous one."""
        if step is not None:
            self.begin(step.question, (step.what, step.share))

    def within(self, share: float) -> None:
        """Report how much of the current step is done."""
        if self.watch is not None:
            self.watch(self._name, min(1.0, self._done + share * self._size))
