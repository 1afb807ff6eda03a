"""Simulate many studies whose tables are balanced, with their planned tests in closed form.

Answers are drawn in batches that fit the processor's cache and reduced to moments at once: means,
and sums of products in each stratum of the table. Every test is a function of these. It is what
`rejudge.analysis` computes from the same judgments: to the last digits where blocks are equally
large, and within about a percent where they differ by one item.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from rejudge.errors import DataError, Problem
from rejudge.power import draw
from rejudge.power.draw import PointRange, Table, difference_rows, pairs_of, strength_rows
from rejudge.power.sizes import StudyShape
from rejudge.power.strata import Stratum, VarianceFits, fit_variances
from rejudge.power.tally import SimulatedStudies
from rejudge.study.kinds.question import ScoreQuestion

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rejudge.simulate.parameters import Parameters
    from rejudge.study.analysis_plan import Unit
    from rejudge.study.kinds.question import Question

_NUMBERS: Final = 250_000  # in one table of answers: about 1 MB
_LEAST: Final = 2  # items, participants or units: one of each shows no variation
_FEW: Final = 5  # items or participants, below which the cluster-robust test has fewer df
_ROUNDING: Final = 1e-12  # of all squares
_PARTS: Final = ("rest", "item", "person", "block")
_TASTE, _SEVERITY = 2, 4  # places of variances: system × participant, participant
_BY_UNIT: Final = frozenset({"paired-t", "t-test", "welch"})
_SCORE_TESTS: Final = frozenset({"mixed-model", "cluster-robust", *_BY_UNIT})
_CHOICE_TESTS: Final = frozenset({"mixed-model", "joint-mixed-model", "cluster-robust", "paired-t"})
_CLOSED: Final[dict[str, frozenset[str]]] = {
    "rating": _SCORE_TESTS,
    "slider": _SCORE_TESTS,
    "pairwise": _CHOICE_TESTS,
    "ranking": _CHOICE_TESTS,
    "best-worst": frozenset({"joint-mixed-model"}),
}


def simulate_studies(
    shape: StudyShape,
    parameters: Parameters,
    question: Question,
    test: str,
    studies: int,
    seed: tuple[int, ...],
    *,
    unit: Unit | None = None,
    is_rounded: bool = True,
) -> SimulatedStudies:
    """Simulate studies of one shape and compute the planned test of each.

    `unit` is what counts once in a test by item, participant or judgment. With `is_rounded` false,
    scores are marks on a line without ends, for which closed forms of power exist.
    `why_not_balanced` says which plans this is not for.
    """
    reason = why_not_balanced(shape, parameters, question, test, unit=unit)
    if reason:
        remedy = (
            "Give each participant more items or each item more participants, or simulate complete "
            "studies (`rejudge.power.complete.simulate_complete`)."
        )
        raise DataError(Problem(reason, remedy))
    usual = "item" if test == "paired-t" else "judgment"
    run = _Run(shape, parameters, question, test, unit or usual)
    rng = np.random.Generator(np.random.SFC64(np.random.SeedSequence(seed)))
    return SimulatedStudies.joined(
        [run.studies(count, rng, is_rounded=is_rounded) for count in _counts(shape, studies)]
    )


def why_not_balanced(
    shape: StudyShape,
    parameters: Parameters,
    question: Question,
    test: str,
    *,
    unit: Unit | None = None,
) -> str:
    """Why studies must be simulated one by one; empty if they need not."""
    is_ranked = question.is_comparison and question.kind != "pairwise"
    if parameters.dropout > 0:
        return "Participants who leave early make tables incomplete, and these have no closed form."
    if test not in _CLOSED.get(question.kind, frozenset()):
        return f"No closed form is known for {test} of a question of kind {question.kind}."
    if is_ranked and question.shows(shape.systems) != shape.systems:
        return "Judgments that show some of the systems have no closed form."
    if test in _BY_UNIT and unit == "batch":
        return "The participants of several batches overlap, so tests by batch have no closed form."
    is_choice_by_unit = question.is_comparison and test == "paired-t"
    if is_choice_by_unit and unit == "judgment" and shape.systems > _LEAST:
        return "Choices of several pairs by one participant are not paired scores."
    if shape.participants_per_item == 1 and shape.blocks == shape.items:
        return "Each participant judges one item, and each item is judged once."
    return ""


def _counts(shape: StudyShape, studies: int) -> Iterator[int]:
    """How many studies to simulate at a time."""
    columns = max(shape.systems, shape.systems * (shape.systems - 1) // 2)
    most = max(1, _NUMBERS // (shape.items * shape.participants_per_item * columns))
    for start in range(0, studies, most):
        yield min(most, studies - start)


@dataclass(frozen=True, slots=True)
class _Run:
    """What is simulated, and which test is computed."""

    shape: StudyShape
    parameters: Parameters
    question: Question
    test: str
    unit: str

    def studies(
        self, count: int, rng: np.random.Generator, *, is_rounded: bool
    ) -> SimulatedStudies:
        """Simulate some studies."""
        if isinstance(self.question, ScoreQuestion):
            points = self.question.simulated_scores
            scale = PointRange(points[0], points[-1], points[1] - points[0])
            return self._of_scores(scale, count, rng, is_rounded=is_rounded)
        if self.question.kind == "pairwise":
            table = draw.draw_choices(
                self.shape, self.parameters, count, rng, has_ties=self.question.allows_tie
            )
            return self._of_choices(table, draw.sides(self.shape))
        seen = draw.draw_ranked(self.shape, self.parameters, count, rng)
        if self.test == "joint-mixed-model":
            return self._of_sets(seen)
        return self._of_choices(draw.implied_choices(seen), draw.ranking_sides(self.shape))

    def _of_scores(
        self, scale: PointRange, count: int, rng: np.random.Generator, *, is_rounded: bool
    ) -> SimulatedStudies:
        """Scores are drawn as steps from the middle of the scale."""
        table = draw.draw_scores(
            self.shape, self.parameters, scale, count, rng, is_rounded=is_rounded
        )
        moments = moments_of(table, self.shape)
        tests = SCORE_TESTS[self.test](moments, self.unit)
        steps = tests.studies(moments.mean * scale.step + scale.middle)
        return SimulatedStudies(
            steps.value * scale.step,
            steps.standard_error * scale.step,
            steps.df,
            steps.p,
            steps.scores,
        )

    def _of_sets(self, seen: Table) -> SimulatedStudies:
        if self.question.kind == "best-worst":
            table = draw.best_worst_scores(seen)
        else:
            table = draw.ranking_scores(draw.implied_choices(seen), self.shape.systems)
        moments = moments_of(table, self.shape)
        return set_model(moments).studies(moments.mean)

    def _of_choices(self, table: Table, sides: Table) -> SimulatedStudies:
        """Choices between two, of one pair or of all; `sides` say which of them was shown first."""
        s, raw = self.shape.systems, moments_of(table, self.shape)
        systems = transform(raw, strength_rows(s) * s / (s - 1))
        if self.test == "paired-t":
            tests = paired_t(systems, self.unit)
        elif self.test == "cluster-robust":
            tests = cluster_robust_pairs(raw, unit=50.0)
        else:
            is_joint = self.test == "joint-mixed-model"
            even = moments_of(draw.without_sides(table, sides, is_shared=is_joint), self.shape)
            tests = (joint_model if is_joint else pair_models)(even, side_df=1)
        return tests.studies(100 * systems.mean)


# ── moments ──────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Moments:
    """Means of columns (systems, or pairs of systems), and sums of products of their deviations.

    The parts of the whole are orthogonal: blocks of items, items within blocks, participants
    within blocks, and what is left. Arrays are studies × columns (× columns).
    """

    shape: StudyShape
    mean: NDArray[np.float64]
    products: Mapping[str, NDArray[np.float64]]  # by part

    @property
    def judgments(self) -> int:
        """Of each system."""
        return self.shape.items * self.shape.participants_per_item

    @property
    def item_mean(self) -> float:
        """How many items a participant judges, on average over participants."""
        return self.shape.items / self.shape.blocks

    @property
    def df(self) -> dict[str, int]:
        """Degrees of freedom of each part."""
        blocks, others = self.shape.blocks, self.shape.participants_per_item - 1
        item = self.shape.items - blocks
        return {
            "rest": item * others,
            "item": item,
            "person": blocks * others,
            "block": blocks - 1,
        }

    def together(self, *parts: str) -> NDArray[np.float64]:
        """The products of several parts."""
        return np.asarray(sum(self.products[part] for part in parts))


def moments_of(table: Table, shape: StudyShape) -> Moments:
    """Add up a table of answers: studies × columns × places × items."""
    n, columns, k, items = table.shape
    sizes = np.asarray(shape.block_sizes, dtype=np.float64)
    starts = np.concatenate([[0], np.cumsum(shape.block_sizes)[:-1]])
    by_item = table.sum(axis=2)
    by_person = _by_block(table, starts)
    by_block = by_person.sum(axis=2)
    cells = _products(table.reshape(n, columns, k * items))
    item = _products(by_item) / k
    person = _products((by_person / np.sqrt(sizes)).reshape(n, columns, -1))
    block = _products(by_block / np.sqrt(sizes * k))
    total = by_block.sum(axis=2)
    whole = _products(total[:, :, None]) / (k * items)
    parts = {
        "rest": cells - item - person + block,
        "item": item - block,
        "person": person - block,
        "block": block - whole,
    }
    return _without_rounding_errors(Moments(shape, total / (k * items), parts))


def _without_rounding_errors(moments: Moments) -> Moments:
    """The same with 0 where only rounding is left: answers that never vary have no error at all."""
    whole = moments.judgments * np.square(moments.mean).sum(axis=1)
    whole = whole + np.einsum("nss->n", moments.together(*_PARTS))
    least = _ROUNDING * whole[:, None, None]
    cleaned = {
        part: np.where(np.abs(products) > least, products, 0.0)
        for part, products in moments.products.items()
    }
    return Moments(moments.shape, moments.mean, cleaned)


def _by_block(table: Table, starts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Sums over the items of each block."""
    if len(starts) == 1:
        return np.asarray(table.sum(axis=3, dtype=np.float64, keepdims=True))
    return np.asarray(np.add.reduceat(table, starts, axis=3, dtype=np.float64))


def _products(rows: NDArray[np.floating]) -> NDArray[np.float64]:
    """Sums of products of each two columns, for each study."""
    n, columns, _ = rows.shape
    found = np.empty((n, columns, columns))
    for one in range(columns):
        for other in range(one, columns):
            both = np.einsum("nj,nj->n", rows[:, one], rows[:, other])
            found[:, one, other] = found[:, other, one] = both
    return found


def transform(moments: Moments, rows: NDArray[np.floating]) -> Moments:
    """The moments of linear combinations of the columns, one for each row."""
    parts = {part: rows @ products @ rows.T for part, products in moments.products.items()}
    return Moments(moments.shape, moments.mean @ rows.T, parts)


# ── tests of each pair ────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class PairTests:
    """One test of each pair of systems: studies × pairs. What is undefined is NaN."""

    value: NDArray[np.float64]
    standard_error: NDArray[np.float64]
    df: NDArray[np.float64]

    def studies(self, scores: NDArray[np.float64]) -> SimulatedStudies:
        """With p by Student's t; NaN where there is no error, or less than one df."""
        from scipy.special import stdtr

        with np.errstate(divide="ignore", invalid="ignore"):
            p = 2 * stdtr(self.df, -np.abs(self.value) / self.standard_error)
        p = np.where((self.standard_error > 0) & (self.df >= 1), p, np.nan)
        return SimulatedStudies(self.value, self.standard_error, self.df, p, scores)


Tester: TypeAlias = "Callable[[Moments, str], PairTests]"


def _of_pairs(moments: Moments) -> Moments:
    """The moments of the differences of each two systems."""
    return transform(moments, difference_rows(moments.shape.systems))


def _undefined(value: NDArray[np.float64]) -> PairTests:
    """No test."""
    none = np.full(value.shape, np.nan)
    return PairTests(value, none, none)


# ── mixed models ─────────────────────────────────────────────────────────────────────────────────


def mixed_model(moments: Moments, _: str = "") -> PairTests:
    """Scores: participants, items and both crossed with systems random."""
    strata = {part: (*_between(moments, part), _level(moments, part)) for part in _PARTS}
    return _score_model(moments, strata)


def set_model(moments: Moments) -> PairTests:
    """Scores of whole judgments that add up to 0: both crossed with systems random."""
    return _score_model(moments, {part: _between(moments, part) for part in _PARTS})


def _score_model(moments: Moments, strata: Mapping[str, Sequence[Stratum]]) -> PairTests:
    fit = _fit(moments, strata, moments.shape.systems)
    return _same_for_all(_of_pairs(moments).mean, fit, 2 / moments.judgments)


def pair_models(moments: Moments, *, side_df: int = 0) -> PairTests:
    """Choices, each pair by itself: items and participants random; the win percentage minus 50.

    `side_df` counts the effects of sides that were taken off each pair's items.
    """
    value = 50 * moments.mean
    fits = [
        _fit(moments, {part: (_own(moments, part, pair, side_df),) for part in _PARTS}, 1)
        for pair in range(value.shape[1])
    ]
    error = 50 * np.sqrt(np.stack([fit.value for fit in fits], axis=1) / moments.judgments)
    return PairTests(value, error, np.stack([fit.df for fit in fits], axis=1))


def _own(moments: Moments, part: str, column: int, side_df: int) -> Stratum:
    """The squares of one column in this part."""
    squares = np.maximum(moments.products[part][:, column, column], 0.0)
    with_side = "item" if moments.df["item"] else "block"
    return Stratum(squares, moments.df[part] - side_df * (part == with_side), ())


def joint_model(moments: Moments, *, side_df: int = 0) -> PairTests:
    """Choices of all pairs: strengths of systems that vary over items and participants.

    A strength is Σ choices / S. What contradicts strengths that add up is part of the residual.
    """
    s, n = moments.shape.systems, moments.judgments
    if s == _LEAST:  # one pair: its strengths are its win percentage
        return pair_models(moments, side_df=side_df)
    strengths = transform(moments, strength_rows(s))
    strata = {part: _between(strengths, part, factor=s) for part in _PARTS}
    rest, cyclic_df = strata["rest"][0], n * (s - 1) * (s - 2) // 2
    all_squares, explained = (
        np.einsum("nss->n", each.together(*_PARTS)) + n * np.square(each.mean).sum(axis=1)
        for each in (moments, strengths)
    )
    cycles = np.maximum(all_squares - s * explained, 0.0)
    strata["rest"] = (Stratum(rest.squares + cycles, rest.df + cyclic_df - side_df, ()),)
    fit = _fit(moments, strata, s)
    return _same_for_all(50 * _of_pairs(strengths).mean, fit, 50**2 * 2 / s / n)


def _between(moments: Moments, part: str, factor: float = 1.0) -> tuple[Stratum]:
    """How systems differ in this part: all squares but those of their mean."""
    products, s = moments.products[part], moments.shape.systems
    squares = np.einsum("nss->n", products) - products.sum(axis=(1, 2)) / s
    return (Stratum(factor * np.maximum(squares, 0.0), (s - 1) * moments.df[part], ()),)


def _level(moments: Moments, part: str) -> Stratum:
    """How the mean of all systems differs in this part."""
    products, df = moments.products[part], moments.df[part]
    squares = products.sum(axis=(1, 2)) / products.shape[1]
    return Stratum(np.maximum(squares, 0.0), df, ())


def _fit(moments: Moments, strata: Mapping[str, Sequence[Stratum]], systems: int) -> VarianceFits:
    """Fit the variances of system × item and system × participant, and of items and participants
    where the strata show them."""
    shape = moments.shape
    is_once = shape.participants_per_item == 1 and shape.blocks == shape.items
    if min(shape.items, shape.judging) < _LEAST or is_once:
        return VarianceFits.undefined(len(moments.mean))
    most = 2 * (min(shape.judging, shape.items) - 1)
    if shape.blocks == 1:
        rest = sum(each.df for each in strata["rest"])
        if min(rest, strata["item"][0].df, strata["person"][0].df) < 1:
            return VarianceFits.undefined(len(moments.mean))
    weights, combination = _weights(moments, systems)
    weighted = [
        Stratum(each.squares, each.df, row)
        for part in _PARTS
        for each, row in zip(strata[part], weights[part], strict=False)
    ]
    has_levels = len(strata["rest"]) > 1
    people = _TASTE if combination[_TASTE] else (_SEVERITY if has_levels else None)
    return fit_variances(weighted, combination, people=people).limit_df(most)


def _weights(
    moments: Moments, s: int
) -> tuple[dict[str, tuple[tuple[float, ...], ...]], tuple[float, ...]]:
    """What each part is expected to be, of systems and of their mean: residual, system × item,
    system × participant, item, participant; and the same of a difference of systems.

    Where an output is judged once, the residual holds what differs from item to item as well;
    likewise for participants who judge one item.
    """
    shape = moments.shape
    k = float(shape.participants_per_item)
    m, crowded = moments.item_mean, sum(n**2 for n in shape.block_sizes) / shape.items
    si, sp = k * (k > 1), float(max(shape.block_sizes) > 1)
    own = {
        "rest": (1.0, 0.0, 0.0, 0.0, 0.0),
        "item": (1.0, si, 0.0, 0.0, 0.0),
        "person": (1.0, 0.0, sp * m, 0.0, 0.0),
        "block": (1.0, si, sp * crowded, 0.0, 0.0),
    }
    shared = {"rest": (0.0, 0.0), "item": (s * k, 0.0), "person": (0.0, s * m),
              "block": (s * k, s * crowded)}  # fmt: skip
    return {part: (row, (*row[:3], *shared[part])) for part, row in own.items()}, own["block"]


def _same_for_all(value: NDArray[np.float64], fit: VarianceFits, factor: float) -> PairTests:
    error = np.sqrt(factor * fit.value)
    both = (np.broadcast_to(each[:, None], value.shape) for each in (error, fit.df))
    return PairTests(value, *both)


# ── tests by unit, and clusters ──────────────────────────────────────────────────────────────────


def _units(moments: Moments, unit: str) -> tuple[NDArray[np.float64], int]:
    """Squares of the mean scores of each unit, and how many units there are."""
    shape = moments.shape
    if unit == "item":
        products = moments.together("block", "item") / shape.participants_per_item
        return _squares(products), shape.items
    if unit == "participant":
        return _squares(moments.together("block", "person") / moments.item_mean), shape.judging
    return _squares(moments.together(*_PARTS)), moments.judgments


def _squares(products: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.maximum(np.einsum("nss->ns", products), 0.0))


def paired_t(moments: Moments, unit: str) -> PairTests:
    """Student's t of the differences of units."""
    pairs = _of_pairs(moments)
    squares, n = _units(pairs, unit)
    if n < _LEAST:
        return _undefined(pairs.mean)
    error = np.sqrt(squares / (n - 1) / n)
    return PairTests(pairs.mean, error, np.full(error.shape, n - 1.0))


def pooled_t(moments: Moments, unit: str) -> PairTests:
    """Student's t of two independent groups of scores."""
    value, one, other, n = _groups(moments, unit)
    if n < _LEAST:
        return _undefined(value)
    return PairTests(value, np.sqrt((one + other) / n), np.full(value.shape, 2.0 * n - 2))


def welch(moments: Moments, unit: str) -> PairTests:
    """The same without assuming equal variances."""
    value, one, other, n = _groups(moments, unit)
    if n < _LEAST:
        return _undefined(value)
    with np.errstate(invalid="ignore"):
        df = (n - 1) * (one + other) ** 2 / (one**2 + other**2)
    return PairTests(value, np.sqrt((one + other) / n), df)


def _groups(
    moments: Moments, unit: str
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], int]:
    """Differences, the variances of the scores of both systems of each pair, and the units."""
    squares, n = _units(moments, unit)
    first, second = pairs_of(moments.shape.systems)
    own = squares / max(n - 1, 1)
    return _of_pairs(moments).mean, own[:, first], own[:, second], n


def cluster_robust(moments: Moments, _: str = "") -> PairTests:
    """Differences of scores; clusters of items and of participants, all of equal weight."""
    return cluster_robust_pairs(_of_pairs(moments))


def cluster_robust_pairs(pairs: Moments, unit: float = 1.0) -> PairTests:
    """`stats.clustered`: V(items) + V(participants) − V(cells), not below the larger of two."""
    shape, n, value = pairs.shape, pairs.judgments, unit * pairs.mean
    items, people = shape.items, shape.judging
    if min(items, people) < _LEAST:
        return _undefined(value)
    item, person = (_squares(pairs.together("block", part)) for part in ("item", "person"))
    by_item = item * shape.participants_per_item / n**2 * items / (items - 1)
    by_person = person * pairs.item_mean / n**2 * people / (people - 1)
    same = {items: items / (items - 1), people: people / (people - 1)}.get(n, 1.0)
    together = by_item + by_person - same * _squares(pairs.together(*_PARTS)) / n**2
    larger = np.maximum(by_item, by_person)
    alone = np.where(by_item >= by_person, items - 1.0, people - 1.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        df = together**2 / (by_item**2 / (items - 1) + by_person**2 / (people - 1))
    df = np.where(together <= larger * (1 + 1e-12), alone, df)
    fewest = min(items, people)
    if fewest < _FEW:
        df = np.minimum(df, fewest - 1.0)
    error = unit * np.sqrt(np.maximum(together, larger))
    return PairTests(value, error, np.maximum(df, 1.0))


SCORE_TESTS: dict[str, Tester] = {
    "mixed-model": mixed_model,
    "cluster-robust": cluster_robust,
    "paired-t": paired_t,
    "t-test": pooled_t,
    "welch": welch,
}
