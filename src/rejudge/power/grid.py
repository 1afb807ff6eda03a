"""Compute the power of a study over a grid of sizes, with as many simulated studies as it takes.

Every size gets studies until the Monte-Carlo interval of its power is as narrow as asked for; those
that could be the cheapest to reach the target get more, until it is clear whether they do.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import date
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from rejudge import fingerprint
from rejudge.errors import Problem, UsageError
from rejudge.executors import Chunk, Executor, SerialExecutor
from rejudge.power.planned_power import (
    ClaimRepeat,
    ComparisonPower,
    PlannedPower,
    RankingRepeat,
    SizePower,
    StatedEffect,
    TestInWords,
    choose_cheapest,
)
from rejudge.power.planned_tests import Pair, SimulatedTest
from rejudge.power.sizes import StudyPrice, planned_shape, price
from rejudge.power.studies import Engine, StudyShape
from rejudge.power.tallies import (
    DEFINED,
    FOUND,
    FOUND_SIZE,
    REVERSED,
    VALUE,
    WIDTH,
    WIDTHS,
    PowerTask,
    SizeTally,
    repeats,
    tally_chunk,
)
from rejudge.power.verdicts import VERDICTS
from rejudge.stats import Interval
from rejudge.study import Study

if TYPE_CHECKING:
    from rejudge.design import Plan

_Z: Final = 1.959964  # 95 %
_FIRST: Final = 1000  # studies of each size to begin with
_ANSWERS: Final = 8_000_000  # in one chunk: a fraction of a second
_MOST_TIMES: Final = 4  # as many studies near the target as the precision asks for
_LEAST_PRECISION: Final = 0.0005
_WORTH_COMPILING: Final = 2e9  # answers
_EVEN: Final = 0.5  # the share that varies most

Watch = Callable[[str, float], None]


@dataclass(frozen=True, slots=True)
class GridRequest:
    """A power analysis that is asked for."""

    study: Study
    plan: Plan
    task: PowerTask
    effects: tuple[StatedEffect, ...]
    shapes: tuple[StudyShape, ...]
    on: date  # of the wages
    target: float = 0.8
    precision: float = 0.01
    seed: int = 1
    source: str = ""
    assumptions: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    command: str = ""
    is_after_data: bool = False
    engine: Engine | None = None  # what draws the answers; None: the fastest
    with_planned: bool = True  # whether the planned size is among those to choose from

    def __post_init__(self) -> None:
        if not 0 < self.target < 1:
            what = f"a target of {self.target:g} is not a power."
            raise UsageError(Problem(what, "Give a number such as 0.8.", field="--target"))
        if not _LEAST_PRECISION <= self.precision < _EVEN:
            what = f"a precision of {self.precision:g} cannot be reached."
            remedy = f"Give a number from {_LEAST_PRECISION:g} to 0.5, such as 0.01."
            raise UsageError(Problem(what, remedy, field="--precision"))


def compute_power(
    request: GridRequest, *, executor: Executor | None = None, watch: Watch | None = None
) -> PlannedPower:
    """Simulate every size of the grid, and find the cheapest one that reaches the target."""
    planned = planned_shape(request.study, request.plan)
    shapes = tuple(sorted({*request.shapes, planned}, key=_by_size))
    prices = {shape: price(request.study, request.plan, shape, on=request.on) for shape in shapes}
    request = replace(request, task=replace(request.task, engine=_engine(request, shapes)))
    grid = _Grid(request, prices, executor or SerialExecutor(), watch)
    grid.simulate_all()
    grid.simulate_near_target()
    shown = [s for s in shapes if request.with_planned or s in request.shapes]
    sizes = tuple(grid.describe(shape, planned) for shape in shown)
    notes = list(request.notes)
    if any(size.missing_items for size in sizes):
        have = len(request.study.items)
        notes.append(f"Sizes with more than {have:,} items need more items than the file has.")
    task, plan = request.task, request.task.plan
    return PlannedPower(
        study=power_fingerprint(request.study),
        target=request.target,
        effects=request.effects,
        tests=tuple(
            TestInWords(t.question, t.planned, t.test, t.unit, t.alternative, len(t.pairs))
            for t in plan.tests
        ),
        alpha=plan.alpha,
        correction=plan.correction,
        family=plan.comparisons,
        parameters={name: asdict(each) for name, each in task.parameters.items()},
        source=request.source,
        assumptions=request.assumptions,
        sizes=sizes,
        cheapest=choose_cheapest(sizes, request.target),
        precision=request.precision,
        seed=request.seed,
        engine=grid.tallies[shapes[0]].engine,
        command=request.command,
        is_after_data=request.is_after_data,
        notes=(*plan.notes, *notes),
    )


def _engine(request: GridRequest, shapes: Sequence[StudyShape]) -> Engine:
    """Numba where it is installed and there is so much to draw that compiling is worth it."""
    if request.engine is not None:
        return request.engine
    studies = _Z**2 / 4 / request.precision**2
    answers = studies * sum(map(_answers, shapes)) * len(request.task.plan.tests)
    return "numba" if answers > _WORTH_COMPILING and find_spec("numba") else "numpy"


def _by_size(shape: StudyShape) -> tuple[int, int, int]:
    return (shape.items, shape.participants_per_item, shape.participants)


def power_fingerprint(study: Study) -> str:
    """Names what a power analysis depends on: design, analysis, claims and pay."""
    spec = study.spec.model_dump(mode="json", include={"analysis", "claims", "payment"})
    return fingerprint.of_json({"design": study.design_fingerprint, **spec})


def wilson(found: float, n: int, z: float = _Z) -> Interval:
    """The interval of a share after Wilson (1927), at 95 %."""
    if n < 1:
        return Interval(0.0, 1.0, 0.95)
    share, square = found / n, z * z
    middle = (share + square / (2 * n)) / (1 + square / n)
    reach = z / (1 + square / n) * math.sqrt(share * (1 - share) / n + square / (4 * n * n))
    low = 0.0 if found <= 0 else max(0.0, middle - reach)
    high = 1.0 if found >= n else min(1.0, middle + reach)  # rounding must not cut off the share
    return Interval(low, high, 0.95)


def studies_needed(mc: Interval, precision: float) -> int:
    """How many studies make the interval of a power as narrow as this, for any power within it."""
    share = min(max(_EVEN, mc.low), mc.high)
    return math.ceil(_Z**2 * share * (1 - share) / precision**2)


@dataclass(slots=True)
class _Grid:
    """The tallies of all sizes, and how many studies each has had."""

    request: GridRequest
    prices: Mapping[StudyShape, StudyPrice]
    executor: Executor
    watch: Watch | None
    tallies: dict[StudyShape, SizeTally] = field(default_factory=dict)
    _chunks: dict[StudyShape, int] = field(default_factory=dict)

    def simulate_all(self) -> None:
        """Until every interval is as narrow as asked for."""
        shapes = list(self.prices)
        self._run("first studies", dict.fromkeys(shapes, _FIRST), (0.0, 0.15))
        wanted = {
            shape: studies_needed(self._mc(shape), self.request.precision) for shape in shapes
        }
        self._run("all sizes", wanted, (0.15, 0.75))

    def simulate_near_target(self) -> None:
        """Until it is clear which sizes reach the target, or four times as many are done."""
        target = self.request.target
        enough = math.ceil(_MOST_TIMES * _Z**2 * target * (1 - target) / self.request.precision**2)
        sure = [shape for shape in self.prices if self._mc(shape).low >= target]
        limit = min((self._price(shape) for shape in sure), default=None)
        unclear = [
            shape
            for shape in self.prices
            if self._mc(shape).low < target <= self._mc(shape).high
            and (limit is None or self._price(shape) <= limit)
        ]
        self._run("sizes near the target", dict.fromkeys(unclear, enough), (0.75, 1.0))

    def describe(self, shape: StudyShape, planned: StudyShape) -> SizePower:
        """What one size came to, beside what it costs."""
        tally, cost, task = self.tallies[shape], self.prices[shape], self.request.task
        as_planned = self.tallies[planned]
        return SizePower(
            shape.items,
            shape.participants_per_item,
            shape.participants,
            cost.judgments,
            cost.batches,
            cost.batches_per_participant,
            cost.hours,
            tally.studies,
            comparison_powers(task, tally),
            tally.all_found / tally.studies,
            rankings=tuple(
                RankingRepeat(name, repeats(own), repeats(own, as_planned.rankings[name]))
                if shape != planned
                else RankingRepeat(name, repeats(own), repeats(own))
                for name, own in tally.rankings.items()
            ),
            claims=_claims(task, tally, None if shape == planned else as_planned),
            cost=cost.cost,
            currency=cost.currency,
            missing_items=cost.missing_items,
            is_planned=shape == planned,
        )

    def _mc(self, shape: StudyShape) -> Interval:
        return _hardest(self.request.task, self.tallies[shape]).mc

    def _price(self, shape: StudyShape) -> tuple[object, float, int]:
        each = self.prices[shape]
        return (each.cost or 0, each.hours, each.judgments)

    def _run(self, what: str, wanted: Mapping[StudyShape, int], share: tuple[float, float]) -> None:
        """Simulate what is missing of so many studies of each size."""
        chunks: list[tuple[StudyShape, Chunk]] = []
        for shape, studies in wanted.items():
            done = self.tallies[shape].studies if shape in self.tallies else 0
            chunks += self._split(shape, studies - done)
        if not chunks:
            return
        chunks.sort(key=lambda each: -_answers(each[0]))  # the long ones first, to end together
        start, end = share
        watch = self.watch
        progress = None if watch is None else lambda done: watch(what, start + (end - start) * done)
        results = self.executor.run(tally_chunk, [chunk for _, chunk in chunks], progress=progress)
        for (shape, _), result in zip(chunks, results, strict=True):
            known = self.tallies.get(shape)
            self.tallies[shape] = result if known is None else known + result

    def _split(self, shape: StudyShape, studies: int) -> list[tuple[StudyShape, Chunk]]:
        most = max(50, min(5000, _ANSWERS // _answers(shape)))
        found = []
        while studies > 0:
            number = self._chunks.get(shape, 0)
            self._chunks[shape] = number + 1
            size = (shape.items, shape.participants_per_item, shape.participants)
            found.append(
                (
                    shape,
                    Chunk(
                        "x".join(map(str, (*size, number))),
                        (self.request.seed, *size, number),
                        (self.request.task, shape, min(most, studies)),
                    ),
                )
            )
            studies -= most
        return found


def _answers(shape: StudyShape) -> int:
    return shape.items * shape.participants_per_item * shape.systems


def comparison_powers(task: PowerTask, tally: SizeTally) -> tuple[ComparisonPower, ...]:
    """What each test of each pair came to."""
    return tuple(
        _comparison(task, test, pair, (tally.studies, row))
        for (test, pair), row in zip(task.comparisons, tally.sums.tolist(), strict=True)
    )


def _comparison(
    task: PowerTask, test: SimulatedTest, pair: Pair, counted: tuple[int, Sequence[float]]
) -> ComparisonPower:
    studies, row = counted
    truth = task.difference(test.question, pair)
    mean = abs(row[VALUE] / studies)
    has_effect = truth != 0 and row[FOUND] > 0 and mean > 0
    width = row[WIDTH] / row[WIDTHS] if row[WIDTHS] else None
    if width is not None and truth and mean > 0 and not test.is_on_scale(task.questions):
        width *= abs(truth) / mean
    return ComparisonPower(
        test.question,
        test.planned,
        pair,
        truth,
        row[FOUND] / studies,
        wilson(row[FOUND], studies),
        row[FOUND_SIZE] / row[FOUND] / mean if has_effect else None,
        row[REVERSED] / row[FOUND] if has_effect else None,
        width,
        1 - row[DEFINED] / studies,
    )


def _hardest(task: PowerTask, tally: SizeTally) -> ComparisonPower:
    every = comparison_powers(task, tally)
    differing: Sequence[ComparisonPower] = [each for each in every if each.is_difference]
    return min(differing or every, key=lambda each: each.power)


def _claims(
    task: PowerTask, tally: SizeTally, planned: SizeTally | None
) -> tuple[ClaimRepeat, ...]:
    found = []
    for claim in task.simulated_claims:
        own = tally.verdicts[claim.id]
        same = repeats(own)
        shares = {VERDICTS[place]: number / tally.studies for place, number in own.items()}
        found.append(
            ClaimRepeat(
                claim.id,
                claim.says,
                shares.get("upheld", 0.0),
                dict(sorted(shares.items())),
                same,
                same if planned is None else repeats(own, planned.verdicts[claim.id]),
            )
        )
    return tuple(found)
