"""Compute the power of a study over a grid of sizes, with as many simulated studies as it takes.

Every size gets studies until the Monte-Carlo interval of its power is as narrow as asked for; those
that could be the cheapest to reach the target get more, until it is clear whether they do.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import asdict, dataclass, field, replace
from datetime import date
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

from rejudge import fingerprint, parallel
from rejudge.english import count
from rejudge.errors import Problem, UsageError
from rejudge.power.complete import complete_notes, complete_reasons, complete_tally
from rejudge.power.look_power import look_power
from rejudge.power.paired import PairedTally, fit_notes, pair
from rejudge.power.planned_power import (
    LookPower,
    PlannedPower,
    RankingRepeat,
    SizePower,
    StatedEffect,
    TestInWords,
    choose_cheapest,
)
from rejudge.power.sizes import StudyPrice, planned_shape, price_study
from rejudge.power.studies import Z95, Engine, StudyShape, studies_needed
from rejudge.power.summaries import claim_repeats, comparison_powers, hardest_power
from rejudge.power.tallies import PowerTask, SizeTally, repeats, tally
from rejudge.stats import Interval
from rejudge.study.methods import TESTS
from rejudge.study.model import Study

if TYPE_CHECKING:
    from rejudge.design.plan import Plan

Watch = Callable[[str, float], None]
_Tally = Any  # a SizeTally or a PairedTally
_Part = tuple[StudyShape, int, tuple[int, ...]]  # a size, how many studies, and their seed


@dataclass(frozen=True, slots=True)
class _Sample:
    """Studies that are computed one by one."""

    name: str
    seed: int  # so that they do not share chance with others
    per_part: int


_FIRST: Final = 1000  # studies of each size to begin with
_ANSWERS: Final = 8_000_000  # in one part: a fraction of a second
_MOST_TIMES: Final = 4  # as many studies near the target as the precision asks for
_LEAST_PRECISION: Final = 0.0005
_WORTH_COMPILING: Final = 2e9  # answers
_EVEN: Final = 0.5
_FEW: Final = 5  # participants
_OFTEN: Final = 0.05  # share of studies without a result that is remarked on
_SHARE_OF_STAND_INS: Final = 0.2  # of the progress, where planned tests are fitted
_PRECISION: Final = 0.01
_PRECISION_OF_SAMPLES: Final = 0.05  # where each study is computed by itself
_STAND_INS: Final = 10  # times as many studies of the similar test as of the planned one are enough
_FITS: Final = _Sample("planned tests", 2_000_003, 50)
_COMPLETE: Final = _Sample("complete studies", 3_000_017, 10)


@dataclass(frozen=True, slots=True)
class GridRequest:
    """A requested power analysis."""

    study: Study
    plan: Plan
    task: PowerTask
    effects: tuple[StatedEffect, ...]
    shapes: tuple[StudyShape, ...]
    on: date  # of the wages
    target: float = 0.8
    precision: float | None = None  # of every size; None: the usual one of how it is simulated
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
        if self.precision is not None and not _LEAST_PRECISION <= self.precision < _EVEN:
            what = f"a precision of {self.precision:g} cannot be reached."
            remedy = f"Give a number from {_LEAST_PRECISION:g} to 0.5, such as 0.01."
            raise UsageError(Problem(what, remedy, field="--precision"))

    @property
    def sampled(self) -> int:
        """How many studies of a size are computed one by one, enough for any power."""
        return math.ceil(Z95**2 / 4 / (self.precision or _PRECISION_OF_SAMPLES) ** 2)


def compute_power(
    request: GridRequest, *, executor: Executor | None = None, watch: Watch | None = None
) -> PlannedPower:
    """Simulate every size of the grid, and find the cheapest one that reaches the target."""
    planned = planned_shape(request.study, request.plan)
    shapes = tuple(sorted({*request.shapes, planned}, key=_by_size))
    prices = {
        shape: price_study(request.study, request.plan, shape, on=request.on) for shape in shapes
    }
    request = replace(request, task=replace(request.task, engine=_engine(request, shapes)))
    grid = _Grid(request, prices, executor, watch)
    grid.simulate()
    shown = [s for s in shapes if request.with_planned or s in request.shapes]
    sizes = tuple(grid.describe(shape, planned) for shape in shown)
    notes = list(request.notes)
    if any(size.missing_items for size in sizes):
        have = len(request.study.items)
        limit = count(have, "item")
        notes.append(f"Sizes with more than {limit} need more items than the file has.")
    notes += grid.notes(dict(zip(shown, sizes, strict=True)))
    as_planned = grid.describe(planned, planned)
    looks = look_power(
        request.study, planned, as_planned.comparisons, alpha=request.task.plan.alpha
    )
    notes += _unmodelled(request, looks)
    notes += _few_people(request.task, planned)
    notes += _undefined(sizes)
    task, plan = request.task, request.task.plan
    return PlannedPower(
        study=power_fingerprint(request.study),
        target=request.target,
        effects=request.effects,
        tests=tuple(
            TestInWords(
                t.question, t.planned, t.as_planned.test, t.unit, t.alternative, len(t.pairs)
            )
            for t in plan.tests
        ),
        alpha=plan.alpha,
        correction=plan.correction,
        family=1 if plan.correction == "none" else plan.comparisons,
        parameters={name: asdict(each) for name, each in task.parameters.items()},
        source=request.source,
        assumptions=request.assumptions,
        sizes=sizes,
        cheapest=choose_cheapest(sizes, request.target),
        precision=request.precision or grid.usual_precision(planned),
        seed=request.seed,
        engine=grid.tallies[planned].engine,
        command=request.command,
        is_after_data=request.is_after_data,
        looks=looks,
        notes=(*plan.notes, *notes),
    )


def _unmodelled(request: GridRequest, looks: LookPower | None) -> list[str]:
    """What no simulation of power includes, in sentences."""
    notes = []
    if request.study.spec.stop is not None and looks is None:
        notes.append("Planned looks are left out: the power is that of all answers at the end.")
    selection = request.plan.selection
    is_weighted = any(test.planned == "cluster-robust" for test in request.task.plan.tests)
    if is_weighted and selection is not None and not selection.is_nearly_equal:
        notes.append(
            "Inputs are simulated as equally likely. Weighting them by their unequal probabilities "
            "raises the variance of the cluster-robust test by a factor of about "
            f"{selection.design_effect or 1.0:.2f}, so its power is lower than stated."
        )
    return notes


def _undefined(sizes: Sequence[SizePower]) -> list[str]:
    """A warning where the planned test often has no result at the planned size."""
    size = next((each for each in sizes if each.is_planned), sizes[0])
    share = size.hardest.undefined
    if share < _OFTEN:
        return []
    often = "all" if share == 1 else f"{100 * share:.0f} % of the"
    note = (
        f"In {often} simulated studies of {count(size.items, 'item')} the "
        f"{TESTS[size.hardest.test].label} has no result, for instance because a system has one "
        "score only or there are too few items or participants; these count as not found."
    )
    return [note]


def _few_people(task: PowerTask, planned: StudyShape) -> list[str]:
    """A warning if the mixed model is based on very few participants."""
    if planned.judging >= _FEW or not any(t.planned == "mixed-model" for t in task.plan.tests):
        return []
    if planned.judging == 1:
        return []  # there is no result at all, which another note says
    note = (
        f"With {planned.judging} participants in all, the linear mixed model has slightly too many "
        "false positives, as in other programs; part of this power is due to that."
    )
    return [note]


def _engine(request: GridRequest, shapes: Sequence[StudyShape]) -> Engine:
    """Numba where it is installed and there is so much to draw that compiling is worth it."""
    if request.engine is not None:
        return request.engine
    studies = Z95**2 / 4 / (request.precision or _PRECISION) ** 2
    answers = studies * sum(map(_answers, shapes)) * len(request.task.plan.tests)
    return "numba" if answers > _WORTH_COMPILING and find_spec("numba") else "numpy"


def _by_size(shape: StudyShape) -> tuple[int, int, int]:
    return (shape.items, shape.participants_per_item, shape.participants)


def power_fingerprint(study: Study) -> str:
    """Names what a power analysis depends on: design, analysis, claims and pay."""
    spec = study.spec.model_dump(mode="json", include={"analysis", "claims", "payment"})
    return fingerprint.of_json({"design": study.design_fingerprint, **spec})


@dataclass(slots=True)
class _Grid:
    """The tallies of all sizes, and how many studies each has had."""

    request: GridRequest
    prices: Mapping[StudyShape, StudyPrice]
    executor: Executor | None
    watch: Watch | None
    tallies: dict[StudyShape, SizeTally] = field(default_factory=dict)
    paired: dict[StudyShape, PairedTally] = field(default_factory=dict)
    reasons: Mapping[StudyShape, tuple[str, ...]] = field(init=False)  # of complete studies
    _parts: dict[StudyShape, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        study, task = self.request.study, self.request.task
        self.reasons = {shape: complete_reasons(study, task, shape) for shape in self.prices}

    def is_complete(self, shape: StudyShape) -> bool:
        """Whether whole studies of this size are simulated one by one."""
        return bool(self.reasons[shape]) and not self.request.task.is_quick

    def simulate(self) -> None:
        """As many studies of every size as the precision asks for."""
        asked = self.request
        complete = [shape for shape in self.prices if self.is_complete(shape)]
        fast = [shape for shape in self.prices if not self.is_complete(shape)]
        is_fitted = bool(fast) and asked.task.plan.is_fitted
        begin = 0.0
        if fast:
            begin = _SHARE_OF_STAND_INS if is_fitted or complete else 1.0
            self._simulate_many(fast, begin)
        if is_fitted:
            end = (1 + begin) / 2 if complete else 1.0
            self._sample(
                _FITS, partial(pair, asked.task), fast, tallies=self.paired, share=(begin, end)
            )
            begin = end
        if complete:
            whole = partial(complete_tally, asked.study, asked.plan, self._task(complete[0]))
            self._sample(_COMPLETE, whole, complete, tallies=self.tallies, share=(begin, 1.0))

    def usual_precision(self, planned: StudyShape) -> float:
        """Where none was asked for: that of the planned size."""
        is_sampled = self.is_complete(planned) or self.request.task.plan.is_fitted
        return _PRECISION_OF_SAMPLES if is_sampled else _PRECISION

    def notes(self, sizes: Mapping[StudyShape, SizePower]) -> list[str]:
        """How the sizes were simulated, in sentences."""
        asked = self.request
        complete = {shape: each for shape, each in sizes.items() if self.is_complete(shape)}
        fast = [size for shape, size in sizes.items() if shape not in complete]
        why = dict.fromkeys(each for shape in sizes for each in self.reasons[shape])
        notes = fit_notes(asked.task, fast) if fast else []
        if asked.task.is_quick:
            return [*notes, *(f"{reason} The fast simulation ignores this." for reason in why)]
        if complete:
            found = list(complete.values())
            notes += complete_notes(list(why), found, is_whole_grid=not fast)
        return notes

    def _task(self, shape: StudyShape) -> PowerTask:
        """What is simulated: in complete studies, the planned tests themselves."""
        task = self.request.task
        return replace(task, plan=task.plan.without_stand_ins) if self.is_complete(shape) else task

    def _simulate_many(self, shapes: Sequence[StudyShape], end: float) -> None:
        """Until every interval is as narrow as asked for, and it is clear what reaches the target.

        Where planned tests are computed on a sample of the studies, that decides on the target.
        """
        is_fitted = self.request.task.plan.is_fitted
        last = end if is_fitted else 0.75 * end
        self._run("first studies", dict.fromkeys(shapes, _FIRST), (0.0, last / 5))
        precision = self.request.precision or _PRECISION
        wanted = {shape: studies_needed(self._mc(shape), precision) for shape in shapes}
        if is_fitted:
            most = max(_FIRST, _STAND_INS * self.request.sampled)
            wanted = {shape: min(studies, most) for shape, studies in wanted.items()}
        self._run("all sizes", wanted, (last / 5, last))
        if not is_fitted:
            self._run("sizes near the target", self._near_target(shapes), (last, end))

    def _near_target(self, shapes: Sequence[StudyShape]) -> dict[StudyShape, int]:
        """Sizes that may or may not reach the target, with four times as many studies."""
        target = self.request.target
        precision = self.request.precision or _PRECISION
        enough = math.ceil(_MOST_TIMES * Z95**2 * target * (1 - target) / precision**2)
        sure = [shape for shape in shapes if self._mc(shape).low >= target]
        limit = min((self._price(shape) for shape in sure), default=None)
        unclear = [
            shape
            for shape in shapes
            if self._mc(shape).low < target <= self._mc(shape).high
            and (limit is None or self._price(shape) <= limit)
        ]
        return dict.fromkeys(unclear, enough)

    def describe(self, shape: StudyShape, planned: StudyShape) -> SizePower:
        """The result of one size, with its cost."""
        tally, cost, task = self.tallies[shape], self.prices[shape], self._task(shape)
        as_planned = self.tallies[planned]
        paired = self.paired.get(shape)
        decided, decided_as_planned = self._decided(shape), self._decided(planned)
        return SizePower(
            shape.items,
            shape.participants_per_item,
            shape.participants,
            cost.judgments,
            cost.batches,
            cost.batches_per_participant,
            cost.hours,
            decided.studies,
            comparison_powers(task, tally, paired),
            decided.all_found / decided.studies,
            rankings=tuple(
                RankingRepeat(name, repeats(own), repeats(own, as_planned.rankings[name]))
                if shape != planned
                else RankingRepeat(name, repeats(own), repeats(own))
                for name, own in tally.rankings.items()
            ),
            claims=claim_repeats(task, decided, None if shape == planned else decided_as_planned),
            cost=cost.cost,
            currency=cost.currency,
            missing_items=cost.missing_items,
            is_planned=shape == planned,
        )

    def _decided(self, shape: StudyShape) -> SizeTally:
        """The studies in which the planned tests were computed."""
        paired = self.paired.get(shape)
        return self.tallies[shape] if paired is None else paired.planned

    def _mc(self, shape: StudyShape) -> Interval:
        return hardest_power(self.request.task, self.tallies[shape]).mc

    def _price(self, shape: StudyShape) -> tuple[object, float, int]:
        each = self.prices[shape]
        return (each.cost or 0, each.hours, each.judgments)

    def _run(self, what: str, wanted: Mapping[StudyShape, int], share: tuple[float, float]) -> None:
        """Simulate what is missing of so many studies of each size."""
        parts: list[_Part] = []
        for shape, studies in wanted.items():
            done = self.tallies[shape].studies if shape in self.tallies else 0
            most = max(50, min(5000, _ANSWERS // _answers(shape)))
            for size in _portions(studies - done, most):
                number = self._parts.get(shape, 0)
                self._parts[shape] = number + 1
                parts.append((shape, size, (self.request.seed, *_by_size(shape), number)))
        parts.sort(key=lambda each: -_answers(each[0]))  # the long ones first, to end together
        self._compute(
            what, partial(tally, self.request.task), parts, tallies=self.tallies, share=share
        )

    def _sample(
        self,
        sample: _Sample,
        compute: Callable[..., _Tally],
        shapes: Sequence[StudyShape],
        *,
        tallies: dict[StudyShape, _Tally],
        share: tuple[float, float],
    ) -> None:
        """Compute the studies of every size that are sampled."""
        seed = (self.request.seed, sample.seed)
        parts = [
            (shape, size, (*seed, *_by_size(shape), number))
            for shape in shapes
            for number, size in enumerate(_portions(self.request.sampled, sample.per_part))
        ]
        self._compute(sample.name, compute, parts, tallies=tallies, share=share)

    def _compute(
        self,
        what: str,
        compute: Callable[..., _Tally],
        parts: Sequence[_Part],
        *,
        tallies: dict[StudyShape, _Tally],
        share: tuple[float, float],
    ) -> None:
        """Add the studies of every part to those of its size."""
        start, end = share
        results = parallel.run(compute, parts, self.executor)
        for done, ((shape, *_), result) in enumerate(zip(parts, results, strict=True), start=1):
            tallies[shape] = tallies[shape] + result if shape in tallies else result
            if self.watch is not None:
                self.watch(what, start + (end - start) * done / len(parts))


def _portions(studies: int, most: int) -> list[int]:
    return [min(most, studies - start) for start in range(0, studies, most)]


def _answers(shape: StudyShape) -> int:
    return shape.items * shape.participants_per_item * shape.systems
