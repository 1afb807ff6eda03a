"""Simulated studies of one size, counted: what was found, how far off, and what was concluded.

Only counts and sums are kept, so any number of studies takes the same memory, and parts can be
added in any order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TYPE_CHECKING, Final, TypeVar

import numpy as np

from rejudge.power.fast import simulate_studies
from rejudge.power.pair_tests import SCORE_TESTS
from rejudge.power.planned_tests import Pair, SimulatedTest, TestPlan
from rejudge.power.verdicts import (
    VERDICTS,
    SimulatedEvidence,
    can_be_simulated,
    judge_studies,
    t_quantile,
)
from rejudge.study.claims import Claim
from rejudge.study.kinds.question import Question

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rejudge.power.studies import Engine, SimulatedStudies, StudyShape
    from rejudge.simulate.parameters import Parameters
    from rejudge.stats import Correction

K = TypeVar("K")  # what studies came to
DEFINED, FOUND, REVERSED, FOUND_SIZE, VALUE, WIDTH, WIDTHS = range(7)
EDGES: Final = (0.2, 1.0, 4.0)  # of p, as shares of the level: strata of studies
STRATA: Final = slice(WIDTHS + 1, WIDTHS + 2 + len(EDGES))  # studies in each of them
_EVEN: Final = 50.0
_WIN_SCALE: Final = 2.0  # from percentage points of wins to the scale from −100 to 100 of claims


@dataclass(frozen=True, slots=True)
class PowerTask:
    """What is simulated, whatever the size of the study: systems, truth, tests and claims."""

    systems: tuple[str, ...]
    questions: Mapping[str, Question]
    parameters: Mapping[str, Parameters]  # by question
    truth: Mapping[str, Mapping[Pair, float]]  # differences by question and pair, as combinations
    plan: TestPlan
    claims: tuple[Claim, ...] = ()
    judgments: Mapping[str, float] = field(default_factory=dict)  # that decide, per judgment
    engine: Engine = "numpy"  # the same in all parts, since its numbers differ from others'
    is_quick: bool = False  # stand-ins decide, even if they are not accurate for the study

    def shape_of(self, question: str, shape: StudyShape) -> StudyShape:
        """The shape of a study as a question is simulated in it."""
        share = self.judgments.get(question, 1.0)
        per_item = max(1, round(shape.participants_per_item * share))
        if per_item == shape.participants_per_item:
            return shape
        people = max(per_item, shape.participants)
        return replace(shape, participants_per_item=per_item, participants=people)

    @property
    def comparisons(self) -> tuple[tuple[SimulatedTest, Pair], ...]:
        """Every pair of every test, in the order of the tallies."""
        return tuple((test, pair) for test in self.plan.tests for pair in test.pairs)

    @property
    def simulated_claims(self) -> tuple[Claim, ...]:
        """The claims on which simulated studies can decide."""
        return tuple(
            claim
            for claim in self.claims
            if claim.question in self.plan.questions and can_be_simulated(claim, self.systems)
        )

    def difference(self, question: str, pair: Pair) -> float:
        """What is true of a pair, first minus second."""
        known = self.truth[question]
        return known[pair] if pair in known else -known[pair[::-1]]


@dataclass(frozen=True, slots=True)
class SizeTally:
    """What so many studies of one size came to."""

    studies: int
    sums: NDArray[np.float64]  # comparisons × what is counted
    all_found: int  # studies in which every true difference was found, in its direction
    rankings: Mapping[str, Mapping[tuple[int, ...], int]]  # by question: orders of the systems
    verdicts: Mapping[str, Mapping[int, int]]  # by claim: places in VERDICTS
    engine: Engine

    def __add__(self, other: SizeTally) -> SizeTally:
        return SizeTally(
            self.studies + other.studies,
            self.sums + other.sums,
            self.all_found + other.all_found,
            _added(self.rankings, other.rankings),
            _added(self.verdicts, other.verdicts),
            self.engine,
        )


def tally(task: PowerTask, shape: StudyShape, studies: int, seed: tuple[int, ...]) -> SizeTally:
    """Simulate studies of one shape and count what they came to."""
    return count_findings(task, simulate_tests(task, shape, studies, seed))


def count_findings(task: PowerTask, found: Mapping[SimulatedTest, SimulatedStudies]) -> SizeTally:
    """Count what the tests of the same studies came to, corrected together."""
    studies = len(_first(found).value)
    blocks = [_Tested(task, test, found[test]) for test in task.plan.tests]
    p = _corrected_by_family(task.plan, blocks)
    sums, is_found = [], np.ones(studies, dtype=bool)
    start = 0
    for block in blocks:
        own = p[:, start : start + len(block.test.pairs)]
        sums.append(block.sums(own, task.plan.alpha))
        is_found &= block.finds_all(own, task.plan.alpha)
        start += len(block.test.pairs)
    evidence = dict(_evidence(task, blocks, p))
    return SizeTally(
        studies,
        np.concatenate(sums),
        int(is_found.sum()),
        {name: _rankings(each.scores) for name, each in evidence.items()},
        {
            claim.id: _counts(judge_studies(claim, evidence[claim.question]))
            for claim in task.simulated_claims
        },
        max((each.engine for each in found.values()), key=lambda name: name != "numpy"),
    )


def corrected_p(
    task: PowerTask, found: Mapping[SimulatedTest, SimulatedStudies]
) -> NDArray[np.float64]:
    """The p value of each comparison in each study, corrected as planned: studies × comparisons."""
    return _corrected_by_family(
        task.plan, [_Tested(task, test, found[test]) for test in task.plan.tests]
    )


def _first(found: Mapping[SimulatedTest, SimulatedStudies]) -> SimulatedStudies:
    return next(iter(found.values()))


def simulate_tests(
    task: PowerTask, shape: StudyShape, studies: int, seed: tuple[int, ...]
) -> dict[SimulatedTest, SimulatedStudies]:
    """Each test on its question's answers; tests of one question see the same answers."""
    place = {name: number for number, name in enumerate(task.questions)}
    return {
        test: simulate_studies(
            task.shape_of(test.question, shape),
            task.parameters[test.question],
            task.questions[test.question],
            test.test,
            studies,
            (*seed, place[test.question]),
            unit=test.unit,
            engine=_engine(task, test),
        )
        for test in task.plan.tests
    }


def _engine(task: PowerTask, test: SimulatedTest) -> Engine:
    """Numba draws scores only, and only for tests that are functions of sums."""
    is_scored = not task.questions[test.question].is_comparison and test.test in SCORE_TESTS
    return task.engine if is_scored else "numpy"


class _Tested:
    """One test of one question in all studies, its pairs in the order and direction planned."""

    def __init__(self, task: PowerTask, test: SimulatedTest, found: SimulatedStudies) -> None:
        columns = list(combinations(task.systems, 2))
        places = [columns.index(_in_order(pair, task.systems)) for pair in test.pairs]
        sign = np.array([1.0 if pair in columns else -1.0 for pair in test.pairs])
        self.test, self.found = test, found
        self.value = found.value[:, places] * sign
        self.error, self.df = found.standard_error[:, places], found.df[:, places]
        self.p = one_sided(found.p[:, places], self.value, test.alternative)
        self.truth = np.array([task.difference(test.question, pair) for pair in test.pairs])

    def sums(self, p: NDArray[np.float64], alpha: float) -> NDArray[np.float64]:
        """What is counted of each pair."""
        is_found = p < alpha
        is_reversed = is_found & (self.value * self.truth < 0)
        width = 2 * self.error * t_quantile(1 - alpha / 2, self.df)
        counted = (
            (~np.isnan(p)).sum(axis=0),
            is_found.sum(axis=0),
            is_reversed.sum(axis=0),
            np.where(is_found, np.abs(self.value), 0.0).sum(axis=0),
            self.value.sum(axis=0),
            np.nansum(width, axis=0),
            (~np.isnan(width)).sum(axis=0),
        )
        rows = np.stack([np.asarray(each, dtype=np.float64) for each in counted], axis=1)
        return np.concatenate([rows, count_strata(p, alpha)], axis=1)

    def finds_all(self, p: NDArray[np.float64], alpha: float) -> NDArray[np.bool_]:
        """In which studies every true difference is found, in its direction."""
        is_right = (p < alpha) & (self.value * self.truth > 0)
        return np.asarray((is_right | (self.truth == 0)).all(axis=1))


def strata_of(p: NDArray[np.float64], alpha: float) -> NDArray[np.int64]:
    """Where each p lies among the edges; what is undefined lies in the last stratum."""
    known = np.where(np.isnan(p), np.inf, p)
    return np.searchsorted(np.array(EDGES) * alpha, known, side="right")


def count_strata(p: NDArray[np.float64], alpha: float) -> NDArray[np.float64]:
    """How many studies lie in each stratum: comparisons × strata."""
    strata = strata_of(p, alpha)
    counts = [(strata == place).sum(axis=0) for place in range(len(EDGES) + 1)]
    return np.stack(counts, axis=1).astype(np.float64)


def one_sided(
    p: NDArray[np.float64], value: NDArray[np.float64], alternative: str
) -> NDArray[np.float64]:
    """Two-sided p values made one-sided where that was planned."""
    if alternative == "two-sided":
        return p
    is_ahead = value > 0 if alternative == "greater" else value < 0
    return np.where(is_ahead, p / 2, 1 - p / 2)


def _corrected_by_family(plan: TestPlan, blocks: list[_Tested]) -> NDArray[np.float64]:
    """All planned p values are one family; what is not planned is corrected by test."""
    if plan.is_planned:
        return corrected(
            np.concatenate([b.p for b in blocks], axis=1), plan.correction, plan.others
        )
    return np.concatenate([corrected(b.p, plan.correction) for b in blocks], axis=1)


def corrected(
    p: NDArray[np.float64], correction: Correction, others: int = 0
) -> NDArray[np.float64]:
    """The p values of each row corrected together, as by `stats.adjusted`.

    `others` are further p values of the family that are not known; they count as not significant.
    """
    if correction == "none":
        return p
    known = (~np.isnan(p)).sum(axis=1, keepdims=True) + others
    if correction == "bonferroni":
        return np.asarray(np.minimum(p * known, 1.0))
    order = np.argsort(p, axis=1, kind="stable")  # what is undefined comes last
    ranked = np.take_along_axis(p, order, axis=1)
    rank = np.arange(1, p.shape[1] + 1)
    if correction == "holm":
        steps = np.maximum.accumulate(ranked * (known - rank + 1), axis=1)
    else:
        scaled = np.where(np.isnan(ranked), np.inf, ranked * known / rank)
        steps = np.minimum.accumulate(scaled[:, ::-1], axis=1)[:, ::-1]
    result = np.empty_like(p)
    np.put_along_axis(result, order, np.minimum(steps, 1.0), axis=1)
    return np.asarray(np.where(np.isnan(p), np.nan, result))


def _evidence(
    task: PowerTask, blocks: list[_Tested], p: NDArray[np.float64]
) -> Iterator[tuple[str, SimulatedEvidence]]:
    """What the deciding test of each question, the first one, shows on the scale of claims."""
    columns = list(combinations(task.systems, 2))
    start, seen = 0, set()
    for block in blocks:
        test, own = block.test, p[:, start : start + len(block.test.pairs)]
        start += len(test.pairs)
        if test.question in seen:
            continue
        seen.add(test.question)
        decided = np.full(block.found.value.shape, np.nan)
        decided[:, [columns.index(_in_order(pair, task.systems)) for pair in test.pairs]] = own
        wide = _WIN_SCALE if task.questions[test.question].is_comparison else 1.0
        yield (
            test.question,
            SimulatedEvidence(
                task.systems,
                block.found.scores,
                wide * block.found.value,
                wide * block.found.standard_error,
                block.found.df,
                decided,
                task.plan.alpha,
            ),
        )


def _rankings(scores: NDArray[np.float64]) -> dict[tuple[int, ...], int]:
    """How often each order of the systems came out; systems that are level share a place."""
    order = np.argsort(-scores, axis=1, kind="stable")
    ranked = np.take_along_axis(scores, order, axis=1)
    is_new = np.diff(ranked, axis=1, prepend=np.inf) != 0
    places = np.empty_like(order)
    np.put_along_axis(places, order, is_new.cumsum(axis=1), axis=1)
    found, counts = np.unique(places, axis=0, return_counts=True)
    return {tuple(row): int(number) for row, number in zip(found.tolist(), counts, strict=True)}


def _counts(verdicts: NDArray[np.int8]) -> dict[int, int]:
    counts = np.bincount(verdicts, minlength=len(VERDICTS))
    return {place: int(number) for place, number in enumerate(counts) if number}


def _in_order(pair: Pair, systems: tuple[str, ...]) -> Pair:
    one, other = pair
    return pair if systems.index(one) < systems.index(other) else (other, one)


def _added(one: Mapping[str, Mapping], other: Mapping[str, Mapping]) -> dict[str, Counter]:  # type: ignore[type-arg]
    return {name: Counter(one[name]) + Counter(other[name]) for name in one}


def repeats(one: Mapping[K, int], other: Mapping[K, int] | None = None) -> float | None:
    """The chance that two studies come to the same; of one size, or of two sizes."""
    n = sum(one.values())
    if other is None:
        return sum(k * (k - 1) for k in one.values()) / (n * (n - 1)) if n > 1 else None
    m = sum(other.values())
    return sum(k * other.get(key, 0) for key, k in one.items()) / (n * m) if n and m else None
