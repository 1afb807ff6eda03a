"""Compute the power of a study over a grid of sizes, with as many simulated studies as it takes.

Every size gets studies until the Monte-Carlo interval of its power is as narrow as asked for; those
that could be the cheapest to reach the target get more, until it is clear whether they do.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import date
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

from rejudge import fingerprint
from rejudge.english import count
from rejudge.errors import Problem, UsageError
from rejudge.executors.chunks import Chunk, Executor, SerialExecutor
from rejudge.power.complete import CompleteStudies, complete_notes, complete_reasons
from rejudge.power.look_power import look_power
from rejudge.power.planned_fits import PlannedFits, fit_notes, most_stand_ins
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
from rejudge.power.tallies import PowerTask, SizeTally, repeats, tally_chunk
from rejudge.power.timed_sample import TimedSample, Watch, left_out_notes
from rejudge.stats import Interval
from rejudge.study.methods import TESTS
from rejudge.study.model import Study

if TYPE_CHECKING:
    from rejudge.design.plan import Plan
    from rejudge.power.paired import PairedTally

_FIRST: Final = 1000  # studies of each size to begin with
_ANSWERS: Final = 8_000_000  # in one chunk: a fraction of a second
_MOST_TIMES: Final = 4  # as many studies near the target as the precision asks for
_LEAST_PRECISION: Final = 0.0005
_WORTH_COMPILING: Final = 2e9  # answers
_EVEN: Final = 0.5
_FEW: Final = 5  # participants
_OFTEN: Final = 0.05  # share of studies without a result that is remarked on
_SHARE_OF_STAND_INS: Final = 0.2  # of the progress, where planned tests are fitted
TIME_LIMIT: Final = 300.0


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
    precision: float = 0.01
    seed: int = 1
    source: str = ""
    assumptions: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    command: str = ""
    is_after_data: bool = False
    time_limit: float = TIME_LIMIT  # processor seconds for planned tests without a closed form
    engine: Engine | None = None  # what draws the answers; None: the fastest
    with_planned: bool = True  # whether the planned size is among those to choose from
    needs_all: bool = False  # whether every size is computed even if that takes longer

    def __post_init__(self) -> None:
        if not 0 < self.target < 1:
            what = f"a target of {self.target:g} is not a power."
            raise UsageError(Problem(what, "Give a number such as 0.8.", field="--target"))
        if not self.time_limit > 0:
            what = f"a time limit of {self.time_limit:g} seconds is not possible."
            raise UsageError(Problem(what, "Give a number above 0.", field="--time-limit"))
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
    prices = {
        shape: price_study(request.study, request.plan, shape, on=request.on) for shape in shapes
    }
    request = replace(request, task=replace(request.task, engine=_engine(request, shapes)))
    grid = _Grid(request, prices, executor or SerialExecutor(), watch)
    grid.simulate(planned)
    shown = [s for s in grid.computed if request.with_planned or s in request.shapes]
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
        precision=request.precision,
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
    studies = Z95**2 / 4 / request.precision**2
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
    executor: Executor
    watch: Watch | None
    tallies: dict[StudyShape, SizeTally] = field(default_factory=dict)
    paired: Mapping[StudyShape, PairedTally] = field(default_factory=dict)
    reasons: Mapping[StudyShape, tuple[str, ...]] = field(init=False)  # of complete studies
    samples: list[TimedSample[Any]] = field(default_factory=list)
    _chunks: dict[StudyShape, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        study, task = self.request.study, self.request.task
        self.reasons = {shape: complete_reasons(study, task, shape) for shape in self.prices}

    def is_complete(self, shape: StudyShape) -> bool:
        """Whether whole studies of this size are simulated one by one."""
        return bool(self.reasons[shape]) and not self.request.task.is_quick

    @property
    def computed(self) -> list[StudyShape]:
        """The sizes that there was time for."""
        left_out = {s for each in self.samples for s in each.shapes if s not in each.tallies}
        return [shape for shape in self.prices if shape not in left_out]

    def simulate(self, planned: StudyShape) -> None:
        """Studies of all sizes, as many as it takes or as there is time for."""
        complete = [shape for shape in self.prices if self.is_complete(shape)]
        fast = [shape for shape in self.prices if not self.is_complete(shape)]
        is_fitted = self.request.task.plan.is_fitted
        start = 0.0
        if fast:
            later = is_fitted or complete
            self._simulate_many(fast, _SHARE_OF_STAND_INS if later else 1.0)
            start = _SHARE_OF_STAND_INS
        if fast and is_fitted:
            fits = PlannedFits(
                self.request.task,
                self.tallies,
                self.executor,
                self.watch,
                seed=self.request.seed,
                start=start,
            )
            self._spend_time(fits, planned)
            self.paired = fits.tallies
        if complete:
            sample = CompleteStudies(
                self.request.study,
                self.request.plan,
                self._task(complete[0]),
                complete,
                executor=self.executor,
                watch=self.watch,
                seed=self.request.seed,
                start=start,
            )
            self._spend_time(sample, planned)
            self.tallies |= sample.tallies

    def notes(self, sizes: Mapping[StudyShape, SizePower]) -> list[str]:
        """How the sizes were simulated, in sentences."""
        asked = self.request
        complete = {shape: each for shape, each in sizes.items() if self.is_complete(shape)}
        fast = [size for shape, size in sizes.items() if shape not in complete]
        why = dict.fromkeys(each for shape in sizes for each in self.reasons[shape])
        notes = fit_notes(asked.task, fast, asked.precision) if fast else []
        notes += left_out_notes(self.samples, len(self.prices))
        if asked.task.is_quick:
            return [*notes, *(f"{reason} The fast simulation ignores this." for reason in why)]
        if complete:
            found = list(complete.values())
            notes += complete_notes(list(why), found, asked.precision, is_whole_grid=not fast)
        return notes

    def _task(self, shape: StudyShape) -> PowerTask:
        """What is simulated: in complete studies, the planned tests themselves."""
        task = self.request.task
        return replace(task, plan=task.plan.without_stand_ins) if self.is_complete(shape) else task

    def _spend_time(self, sample: TimedSample[Any], planned: StudyShape) -> None:
        asked = self.request
        self.samples.append(sample)
        sample.run(
            asked.time_limit,
            precision=asked.precision,
            target=asked.target,
            planned=planned,
            needs_all=asked.needs_all,
        )

    def _simulate_many(self, shapes: Sequence[StudyShape], end: float) -> None:
        """Until every interval is as narrow as asked for, and it is clear what reaches the target.

        Where planned tests are computed on a sample of the studies, that decides on the target.
        """
        is_fitted = self.request.task.plan.is_fitted
        last = end if is_fitted else 0.75 * end
        self._run("first studies", dict.fromkeys(shapes, _FIRST), (0.0, last / 5))
        wanted = {
            shape: studies_needed(self._mc(shape), self.request.precision) for shape in shapes
        }
        if is_fitted:
            most = most_stand_ins(self.request.task, shapes, self.request.time_limit)
            wanted = {shape: min(studies, most[shape]) for shape, studies in wanted.items()}
        self._run("all sizes", wanted, (last / 5, last))
        if not is_fitted:
            self._run("sizes near the target", self._near_target(shapes), (last, end))

    def _near_target(self, shapes: Sequence[StudyShape]) -> dict[StudyShape, int]:
        """Sizes that may or may not reach the target, with four times as many studies."""
        target = self.request.target
        enough = math.ceil(_MOST_TIMES * Z95**2 * target * (1 - target) / self.request.precision**2)
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
