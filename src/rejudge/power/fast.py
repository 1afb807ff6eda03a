"""Simulate many studies at once, with their planned tests in closed form.

Answers are drawn in batches that fit the processor's cache and reduced to sums of products at once;
every test is computed from these sums (`moments`, `strata`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from rejudge.errors import DataError, Problem
from rejudge.power.answers import PointRange, draw_scores
from rejudge.power.moments import Moments, moments_of
from rejudge.power.strata import Stratum, fit_variances
from rejudge.power.studies import SimulatedStudies, StudyShape

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rejudge.simulate import Parameters
    from rejudge.study import Question, Unit

_NUMBERS = 250_000  # in one table of answers: about 1 MB
_FEW = 5  # items or participants, below which the cluster-robust test has fewer df
_USUAL_UNITS = {"paired-t": "item"}


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
    scores are marks on a line without ends, for which closed forms of power exist. The same seed
    gives the same numbers.
    """
    _refuse_wrong_qualities(parameters, shape)
    if question.is_comparison or test not in TESTS:
        raise DataError(
            Problem(
                f"No fast simulation of {test} for a question of kind {question.kind}.",
                "Simulate complete studies instead.",
            )
        )
    scale = scale_of(question)
    parts = [
        _tested(moments_of(table, shape), test, unit)
        for table in _tables(shape, parameters, scale, studies, seed, is_rounded=is_rounded)
    ]
    return _joined(parts, scale.middle if is_rounded or scale.middle else 0.0)


def _refuse_wrong_qualities(parameters: Parameters, shape: StudyShape) -> None:
    if parameters.quality and len(parameters.quality) != shape.systems:
        raise DataError(
            Problem(
                f"{len(parameters.quality)} systems have a quality, but the study has "
                f"{shape.systems}.",
                "Give a quality for each system, or for none if all are equally good.",
            )
        )


def scale_of(question: Question) -> PointRange:
    """The points that simulated participants choose from."""
    points = question.simulated_scores
    return PointRange(points[0], points[-1], points[1] - points[0])


def _tables(
    shape: StudyShape,
    parameters: Parameters,
    scale: PointRange,
    studies: int,
    seed: tuple[int, ...],
    *,
    is_rounded: bool,
) -> Iterator[NDArray[np.float32]]:
    """Tables of answers of as many studies as fit into one."""
    rng = np.random.Generator(np.random.SFC64(np.random.SeedSequence(seed)))
    size = shape.items * shape.participants_per_item * shape.systems
    most = max(1, _NUMBERS // size)
    for start in range(0, studies, most):
        count = min(most, studies - start)
        yield draw_scores(shape, parameters, scale, count, rng, is_rounded=is_rounded)


@dataclass(frozen=True, slots=True)
class PairTests:
    """One test of each pair of systems: studies × pairs."""

    value: NDArray[np.float64]
    standard_error: NDArray[np.float64]
    df: NDArray[np.float64]
    scores: NDArray[np.float64]  # studies × systems


def _tested(moments: Moments, test: str, unit: Unit | None) -> PairTests:
    return TESTS[test](moments, unit or _USUAL_UNITS.get(test, "judgment"))


def _joined(parts: list[PairTests], middle: float) -> SimulatedStudies:
    value, error, df, scores = (
        np.concatenate([getattr(part, name) for part in parts])
        for name in ("value", "standard_error", "df", "scores")
    )
    p = two_sided(value, error, df)
    return SimulatedStudies(value, error, df, p, scores + middle)


def two_sided(
    value: NDArray[np.float64], error: NDArray[np.float64], df: NDArray[np.float64]
) -> NDArray[np.float64]:
    """p by Student's t; NaN where there is no error, or less than one degree of freedom."""
    from scipy.special import stdtr

    with np.errstate(divide="ignore", invalid="ignore"):
        p = 2 * stdtr(df, -np.abs(value) / error)
    return np.asarray(np.where((error > 0) & (df >= 1), p, np.nan))


# ── tests ────────────────────────────────────────────────────────────────────────────────────────


def pairs_of(systems: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The first and the second of each pair, in the order of `itertools.combinations`."""
    both = np.array(list(combinations(range(systems), 2)))
    return both[:, 0], both[:, 1]


def _differences(moments: Moments) -> NDArray[np.float64]:
    first, second = pairs_of(moments.shape.systems)
    return np.asarray(moments.mean[:, first] - moments.mean[:, second])


def _squares(products: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sums of squares of the differences of each pair, from products of systems."""
    first, second = pairs_of(products.shape[1])
    own = np.einsum("nss->ns", products)
    found = own[:, first] + own[:, second] - 2 * products[:, first, second]
    return np.asarray(np.maximum(found, 0.0))


def _same(moments: Moments, error: NDArray[np.float64], df: NDArray[np.float64]) -> PairTests:
    """One error and df for all pairs of a study."""
    value = _differences(moments)
    return PairTests(
        value,
        np.broadcast_to(error[:, None], value.shape),
        np.broadcast_to(df[:, None], value.shape),
        moments.mean,
    )


def _mixed_model(moments: Moments, _: str) -> PairTests:
    """Participants, items and both crossed with systems random; REML, Satterthwaite's df.

    As in the analysis, df are at most 2 (G − 1) where the variance of system × participant is 0.
    """
    shape = moments.shape
    if min(shape.items, shape.judging) < 2:  # noqa: PLR2004 - one of each shows no variation
        return _same(moments, *(np.full(len(moments.mean), np.nan),) * 2)
    strata, combination = _score_strata(moments)
    fit = fit_variances(strata, combination)
    people = fit.variances[:, 2] if combination[2] else fit.variances[:, 4]
    limit = 2 * (min(shape.judging, shape.items) - 1)
    df = np.where(people == 0, np.minimum(fit.df, limit), fit.df)
    return _same(moments, np.sqrt(2 * fit.value / moments.judgments), df)


def _score_strata(moments: Moments) -> tuple[list[Stratum], tuple[float, ...]]:
    """Residual, system × item, system × participant, item, participant: strata and the variance
    of a system's mean within blocks."""
    shape, s = moments.shape, moments.shape.systems
    k, m = shape.participants_per_item, moments.item_mean
    crowded = sum(size**2 for size in shape.block_sizes) / shape.items
    si, sp = float(k > 1) * k, float(max(shape.block_sizes) > 1)
    weights = {
        "rest": (1.0, 0.0, 0.0, 0.0, 0.0),
        "item": (1.0, si, 0.0, 0.0, 0.0),
        "person": (1.0, 0.0, sp * m, 0.0, 0.0),
        "block": (1.0, si, sp * crowded, 0.0, 0.0),
    }
    common = {
        "rest": (1.0, 0.0, 0.0, 0.0, 0.0),
        "item": (1.0, si, 0.0, float(s * k), 0.0),
        "person": (1.0, 0.0, sp * m, 0.0, s * m),
        "block": (1.0, si, sp * crowded, float(s * k), s * crowded),
    }
    strata = []
    for name, row in weights.items():
        products, df = getattr(moments, name), getattr(moments, f"df_{name}")
        whole = np.einsum("nss->n", products)
        level = products.sum(axis=(1, 2)) / s
        strata.append(Stratum(np.maximum(whole - level, 0.0), (s - 1) * df, row))
        strata.append(Stratum(np.maximum(level, 0.0), df, common[name]))
    return strata, weights["block"]


def _unit_products(moments: Moments, unit: str) -> tuple[NDArray[np.float64], int]:
    """Products of the mean scores of each unit, and how many units there are."""
    shape = moments.shape
    if unit == "item":
        return (moments.block + moments.item) / shape.participants_per_item, shape.items
    if unit == "participant":
        return (moments.block + moments.person) / moments.item_mean, shape.judging
    whole = moments.block + moments.item + moments.person + moments.rest
    return whole, moments.judgments


def _paired_t(moments: Moments, unit: str) -> PairTests:
    products, n = _unit_products(moments, unit)
    value = _differences(moments)
    if n < 2:  # noqa: PLR2004 - one difference has no spread
        return _undefined(moments)
    error = np.sqrt(_squares(products) / (n - 1) / n)
    return PairTests(value, error, np.full(value.shape, n - 1.0), moments.mean)


def _pooled_t(moments: Moments, unit: str) -> PairTests:
    """Student's t of two independent groups of scores."""
    products, n = _unit_products(moments, unit)
    if n < 2:  # noqa: PLR2004 - 〃
        return _undefined(moments)
    first, second = pairs_of(moments.shape.systems)
    own = np.einsum("nss->ns", products) / (n - 1)
    error = np.sqrt((own[:, first] + own[:, second]) / n)
    return PairTests(_differences(moments), error, np.full(error.shape, 2.0 * n - 2), moments.mean)


def _welch(moments: Moments, unit: str) -> PairTests:
    products, n = _unit_products(moments, unit)
    if n < 2:  # noqa: PLR2004 - 〃
        return _undefined(moments)
    first, second = pairs_of(moments.shape.systems)
    own = np.einsum("nss->ns", products) / (n - 1)
    one, other = own[:, first], own[:, second]
    with np.errstate(invalid="ignore"):
        df = (n - 1) * (one + other) ** 2 / (one**2 + other**2)
    return PairTests(_differences(moments), np.sqrt((one + other) / n), df, moments.mean)


def _cluster_robust(moments: Moments, _: str) -> PairTests:
    """Clusters of items and of participants, all of equal weight (`stats.clustered`)."""
    shape, n = moments.shape, moments.judgments
    items, people = shape.items, shape.judging
    if min(items, people) < 2:  # noqa: PLR2004 - one cluster shows no variation
        return _undefined(moments)
    by_item = _squares(moments.block + moments.item) * shape.participants_per_item / n**2
    by_person = _squares(moments.block + moments.person) * moments.item_mean / n**2
    by_cell = _squares(moments.block + moments.item + moments.person + moments.rest) / n**2
    by_item, by_person = by_item * items / (items - 1), by_person * people / (people - 1)
    same = {items: items / (items - 1), people: people / (people - 1)}.get(n, 1.0)
    together = by_item + by_person - same * by_cell
    larger = np.maximum(by_item, by_person)
    with np.errstate(invalid="ignore", divide="ignore"):
        df = together**2 / (by_item**2 / (items - 1) + by_person**2 / (people - 1))
    df = np.where(together <= larger, np.where(by_item >= by_person, items - 1.0, people - 1.0), df)
    fewest = min(items, people)
    if fewest < _FEW:
        df = np.minimum(df, fewest - 1.0)
    error = np.sqrt(np.maximum(together, larger))
    return PairTests(_differences(moments), error, np.maximum(df, 1.0), moments.mean)


def _undefined(moments: Moments) -> PairTests:
    value = _differences(moments)
    none = np.full(value.shape, np.nan)
    return PairTests(value, none, none, moments.mean)


TESTS: dict[str, Callable[[Moments, str], PairTests]] = {
    "mixed-model": _mixed_model,
    "cluster-robust": _cluster_robust,
    "paired-t": _paired_t,
    "t-test": _pooled_t,
    "welch": _welch,
}
