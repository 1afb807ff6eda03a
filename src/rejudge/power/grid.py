"""Compute the power of a study over a grid of sizes, with as many simulated studies as it takes.

Every size gets studies until the Monte-Carlo interval of its power is as narrow as asked for; those
that could be the cheapest to reach the target get more, until it is clear whether they do. Studies
of a size are balanced tables with tests in closed form, or complete studies.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import asdict, dataclass, field
from datetime import date
from statistics import NormalDist
from typing import TYPE_CHECKING, Final, TypeAlias

from rejudge import fingerprint, parallel, stats
from rejudge.english import count
from rejudge.errors import Problem, UsageError
from rejudge.power.balanced import simulate_studies
from rejudge.power.complete import complete_reasons, complete_tally
from rejudge.power.plan import PowerTask, StatedEffect
from rejudge.power.results import (
    ComparisonPower,
    Engine,
    LookPower,
    PlannedPower,
    SizePower,
    choose_cheapest,
    hardest_comparison,
)
from rejudge.power.sizes import StudyPrice, StudyShape, planned_shape, price_study
from rejudge.power.tally import (
    Z95,
    SizeTally,
    claim_repeats,
    comparison_powers,
    count_findings,
    ranking_repeats,
    studies_needed,
)
from rejudge.stats import Interval
from rejudge.study.methods import TESTS
from rejudge.study.model import Study
from rejudge.study.sample_size import Stop

if TYPE_CHECKING:
    from rejudge.design.plan import Plan

Watch: TypeAlias = Callable[[str, float], None]
_ANSWERS: Final = 8_000_000  # in one part of balanced studies: a fraction of a second
_MOST_TIMES: Final = 4  # as many studies near the target as the precision asks for
_LEAST_PRECISION: Final = 0.0005
_EVEN: Final = 0.5
_FEW: Final = 5  # participants
_OFTEN: Final = 0.05  # share of studies without a result that is remarked on
_NORMAL: Final = NormalDist()


@dataclass(frozen=True, slots=True)
class _Amount:
    """How many studies of a size are simulated, and in which parts."""

    first: int
    precision: float  # where none is asked for
    seed: tuple[int, ...]  # so that the two kinds of studies do not share chance
    most: int  # in one part


_AMOUNTS: Final[Mapping[Engine, _Amount]] = {
    "balanced": _Amount(1000, 0.01, (), 5000),
    "complete": _Amount(48, 0.07, (3_000_017,), 8),
}


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
    with_planned: bool = True  # whether the planned size is among those to choose from

    def __post_init__(self) -> None:
        if not 0 < self.target < 1:
            what = f"a target of {self.target:g} is not a power."
            raise UsageError(Problem(what, "Give a number such as 0.8.", field="--target"))
        if self.precision is not None and not _LEAST_PRECISION <= self.precision < _EVEN:
            what = f"a precision of {self.precision:g} cannot be reached."
            remedy = f"Give a number from {_LEAST_PRECISION:g} to 0.5, such as 0.01."
            raise UsageError(Problem(what, remedy, field="--precision"))


def compute_power(
    request: GridRequest, *, executor: Executor | None = None, watch: Watch | None = None
) -> PlannedPower:
    """Simulate every size of the grid, and find the cheapest one that reaches the target."""
    planned = planned_shape(request.study, request.plan)
    shapes = tuple(sorted({*request.shapes, planned}, key=lambda shape: shape.size))
    prices = {
        shape: price_study(request.study, request.plan, shape, on=request.on) for shape in shapes
    }
    grid = _Grid(request, prices, executor, watch)
    grid.simulate()
    shown = [s for s in shapes if request.with_planned or s in request.shapes]
    sizes = tuple(grid.describe(shape, planned) for shape in shown)
    as_planned = grid.describe(planned, planned).comparisons
    task, plan = request.task, request.task.plan
    looks = look_power(request.study, planned, as_planned, alpha=plan.alpha)
    return PlannedPower(
        study=power_fingerprint(request.study),
        target=request.target,
        effects=request.effects,
        tests=plan.tests,
        alpha=plan.alpha,
        correction=plan.correction,
        family=1 if plan.correction == "none" else plan.comparisons,
        parameters={name: asdict(each) for name, each in task.parameters.items()},
        source=request.source,
        assumptions=request.assumptions,
        sizes=sizes,
        cheapest=choose_cheapest(sizes, request.target),
        precision=grid.precision(planned),
        seed=request.seed,
        engine=grid.engine(planned),
        command=request.command,
        is_after_data=request.is_after_data,
        looks=looks,
        notes=(
            *plan.notes,
            *request.notes,
            *_missing_items(request.study, sizes),
            *grid.notes(shown),
            *_unmodelled(request, looks),
            *_few_people(task, planned),
            *_undefined(sizes),
        ),
    )


def power_fingerprint(study: Study) -> str:
    """Names what a power analysis depends on: design, analysis, claims and pay."""
    spec = study.spec.model_dump(mode="json", include={"analysis", "claims", "payment"})
    return fingerprint.of_json({"design": study.design_fingerprint, **spec})


def balanced_tally(
    task: PowerTask, shape: StudyShape, studies: int, seed: tuple[int, ...]
) -> SizeTally:
    """Simulate studies of one shape, tests of one question on the same answers, and count them."""
    place = {name: number for number, name in enumerate(task.questions)}
    return count_findings(
        task,
        [
            simulate_studies(
                shape,
                task.parameters[test.question],
                task.questions[test.question],
                test.test,
                studies,
                (*seed, place[test.question]),
                unit=test.planned.unit,
            )
            for test in task.plan.tests
        ],
    )


@dataclass(slots=True)
class _Grid:
    """The tallies of all sizes."""

    request: GridRequest
    prices: Mapping[StudyShape, StudyPrice]
    executor: Executor | None
    watch: Watch | None
    tallies: dict[StudyShape, SizeTally] = field(default_factory=dict)
    reasons: Mapping[StudyShape, tuple[str, ...]] = field(init=False)  # of complete studies
    _parts: dict[StudyShape, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        study, task = self.request.study, self.request.task
        self.reasons = {shape: complete_reasons(study, task, shape) for shape in self.prices}

    def engine(self, shape: StudyShape) -> Engine:
        """How studies of this size are simulated."""
        return "complete" if self.reasons[shape] else "balanced"

    def precision(self, shape: StudyShape) -> float:
        """The half-width of the Monte-Carlo interval of this size."""
        return self.request.precision or _AMOUNTS[self.engine(shape)].precision

    def simulate(self) -> None:
        """Until every interval is as narrow as asked for, and clear what reaches the target."""
        first = {shape: self._first(shape) for shape in self.prices}
        self._run("first studies", first, (0.0, 0.25))
        wanted = {
            shape: studies_needed(self._mc(shape), self.precision(shape)) for shape in self.prices
        }
        self._run("all sizes", wanted, (0.25, 0.75))
        self._run("sizes near the target", self._near_target(), (0.75, 1.0))

    def notes(self, shapes: Sequence[StudyShape]) -> list[str]:
        """Why and how often complete studies were simulated, in sentences."""
        complete = [shape for shape in shapes if self.reasons[shape]]
        if not complete:
            return []
        why = dict.fromkeys(reason for shape in complete for reason in self.reasons[shape])
        which = "each size" if complete == list(shapes) else count(len(complete), "size")
        studies = sorted({self.tallies[shape].studies for shape in complete})
        most = f" to {studies[-1]:,}" if len(studies) > 1 else ""
        how = (
            f"Therefore {studies[0]:,}{most} complete studies of {which} were simulated, with the "
            "planned exclusions and the planned analysis itself."
        )
        return [" ".join([*why, how])]

    def describe(self, shape: StudyShape, planned: StudyShape) -> SizePower:
        """The result of one size, with its cost."""
        tally, cost, task = self.tallies[shape], self.prices[shape], self.request.task
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
            rankings=ranking_repeats(tally),
            claims=claim_repeats(task, tally),
            cost=cost.cost,
            currency=cost.currency,
            missing_items=cost.missing_items,
            is_planned=shape == planned,
        )

    def _first(self, shape: StudyShape) -> int:
        """Studies to begin with: no more than any power can need."""
        enough = math.ceil(Z95**2 / 4 / self.precision(shape) ** 2)
        first = _AMOUNTS[self.engine(shape)].first
        return min(first, enough) if self.reasons[shape] else first

    def _near_target(self) -> dict[StudyShape, int]:
        """Sizes that may or may not reach the target, with four times as many studies."""
        target = self.request.target
        sure = [shape for shape in self.prices if self._mc(shape).low >= target]
        limit = min((self._price(shape) for shape in sure), default=None)
        return {
            shape: math.ceil(
                _MOST_TIMES * Z95**2 * target * (1 - target) / self.precision(shape) ** 2
            )
            for shape in self.prices
            if self._mc(shape).low < target <= self._mc(shape).high
            and (limit is None or self._price(shape) <= limit)
        }

    def _mc(self, shape: StudyShape) -> Interval:
        return hardest_comparison(
            comparison_powers(self.request.task, self.tallies[shape])
        ).interval

    def _price(self, shape: StudyShape) -> tuple[object, float, int]:
        each = self.prices[shape]
        return (each.cost or 0, each.hours, each.judgments)

    def _run(self, what: str, wanted: Mapping[StudyShape, int], share: tuple[float, float]) -> None:
        """Simulate what is missing of so many studies of each size."""
        parts = [
            part for shape, studies in wanted.items() for part in self._missing(shape, studies)
        ]
        parts.sort(key=lambda part: -_answers(part[0]) * part[1])  # the long ones first
        start, end = share
        asked = self.request
        whole = {True: (asked.study, asked.plan), False: None}
        arguments = [(whole[bool(self.reasons[part[0]])], asked.task, *part) for part in parts]
        tallies = parallel.run(_tally, arguments, self.executor)
        for done, ((shape, *_), tally) in enumerate(zip(parts, tallies, strict=True), start=1):
            self.tallies[shape] = self.tallies[shape] + tally if shape in self.tallies else tally
            if self.watch is not None:
                self.watch(what, start + (end - start) * done / len(parts))

    def _missing(self, shape: StudyShape, studies: int) -> list[_Part]:
        done = self.tallies[shape].studies if shape in self.tallies else 0
        amount = _AMOUNTS[self.engine(shape)]
        most = max(1, min(amount.most, _ANSWERS // _answers(shape)))
        parts: list[_Part] = []
        for start in range(done, studies, most):
            number = self._parts.get(shape, 0)
            self._parts[shape] = number + 1
            seed = (self.request.seed, *amount.seed, *shape.size, number)
            parts.append((shape, min(most, studies - start), seed))
        return parts


_Part: TypeAlias = tuple[StudyShape, int, tuple[int, ...]]  # a size, how many studies, their seed


def _tally(
    whole: tuple[Study, Plan] | None,  # of complete studies
    task: PowerTask,
    shape: StudyShape,
    studies: int,
    seed: tuple[int, ...],
) -> SizeTally:
    if whole is None:
        return balanced_tally(task, shape, studies, seed)
    return complete_tally(*whole, task, shape, studies, seed)


def _answers(shape: StudyShape) -> int:
    return shape.items * shape.participants_per_item * shape.systems


# ── notes ────────────────────────────────────────────────────────────────────────────────────────


def _missing_items(study: Study, sizes: Sequence[SizePower]) -> list[str]:
    if not any(size.missing_items for size in sizes):
        return []
    limit = count(len(study.items), "item")
    return [f"Sizes with more than {limit} need more items than the file has."]


def _unmodelled(request: GridRequest, looks: LookPower | None) -> list[str]:
    """What no simulation of power includes, in sentences."""
    notes = []
    if request.study.spec.stop is not None and looks is None:
        notes.append("Planned looks are left out: the power is that of all answers at the end.")
    selection = request.plan.selection
    is_weighted = any(test.test == "cluster-robust" for test in request.task.plan.tests)
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
    if planned.judging >= _FEW or not any(t.test == "mixed-model" for t in task.plan.tests):
        return []
    if planned.judging == 1:
        return []  # there is no result at all, which another note says
    note = (
        f"With {planned.judging} participants in all, the linear mixed model has slightly too many "
        "false positives, as in other programs; part of this power is due to that."
    )
    return [note]


# ── planned looks ─────────────────────────────────────────────────────────────────────────────────


def look_power(
    study: Study, shape: StudyShape, comparisons: Sequence[ComparisonPower], *, alpha: float
) -> LookPower | None:
    """The power of the comparison that decides, with all looks; None if it is not known.

    The statistics of successive looks follow a Brownian motion (`stats.sequential_boundary`). Its
    drift is taken from the `comparisons` of the simulated studies as planned: the mean difference
    in half-widths of its interval. The looks test the deciding comparison alone, without a
    correction for others.
    """
    stop = study.spec.stop
    if stop is None:
        return None
    decides = next((each for each in comparisons if _decides(each, stop)), None)
    if decides is None or not decides.width:
        return None
    usual = _NORMAL.inv_cdf(1 - alpha / 2)
    drift = usual * abs(decides.true_difference) / (decides.width / 2)
    levels = _levels(stop, min(shape.items, shape.participants), alpha)
    critical = [_NORMAL.inv_cdf(1 - level / 2) for level in levels]
    shares = stop.shares
    stops = stats.crossing_probabilities(critical, shares, drift=drift).tolist()
    single = float(stats.crossing_probabilities([usual], [1.0], drift=drift)[0])
    goes_on = 1 - sum(stops[:-1])
    used = sum(share * chance for share, chance in zip(shares, [*stops[:-1], goes_on], strict=True))
    return LookPower(
        stop.question, stop.systems, stop.boundary, shares, sum(stops), single, tuple(stops), used
    )


def _decides(each: ComparisonPower, stop: Stop) -> bool:
    return each.question == stop.question and set(each.systems) == set(stop.systems)


def _levels(stop: Stop, clusters: int, alpha: float) -> Sequence[float]:
    """The two-sided level of each look."""
    if stop.boundary == "always-valid":
        return [
            stats.always_valid_level(max(1, round(share * clusters)), planned=clusters, alpha=alpha)
            for share in stop.shares
        ]
    return stats.sequential_boundary(stop.shares, stop.boundary, alpha=alpha).levels
