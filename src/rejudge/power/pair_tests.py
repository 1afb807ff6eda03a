"""Tests of each pair of systems, from moments of balanced tables.

Each is what `rejudge.analysis` computes from the same judgments: to the last digits where blocks
are equally large, and within about a percent where they differ by one item.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from rejudge.power.moments import Moments, pairs_of, strength_rows, transform
from rejudge.power.strata import Stratum, VarianceFits, fit_blocks, fit_crossed

if TYPE_CHECKING:
    from numpy.typing import NDArray

_FEW = 5  # items or participants, below which the cluster-robust test has fewer df
_PARTS = ("rest", "item", "person", "block")
_TASTE, _SEVERITY = 2, 4  # places of variances: system × participant, participant
_LEAST = 2  # items, participants or units: one of each shows no variation


@dataclass(frozen=True, slots=True)
class PairTests:
    """One test of each pair of systems: studies × pairs. What is undefined is NaN."""

    value: NDArray[np.float64]
    standard_error: NDArray[np.float64]
    df: NDArray[np.float64]
    p: NDArray[np.float64] | None = None  # None: by Student's t


Tester: TypeAlias = Callable[[Moments, str], PairTests]


def two_sided(found: PairTests) -> NDArray[np.float64]:
    """p by Student's t; NaN where there is no error, or less than one degree of freedom."""
    from scipy.special import stdtr

    if found.p is not None:
        return found.p
    with np.errstate(divide="ignore", invalid="ignore"):
        p = 2 * stdtr(found.df, -np.abs(found.value) / found.standard_error)
    return np.asarray(np.where((found.standard_error > 0) & (found.df >= 1), p, np.nan))


def differences(moments: Moments) -> NDArray[np.float64]:
    """Of the mean scores of each pair."""
    first, second = pairs_of(moments.mean.shape[1])
    return np.asarray(moments.mean[:, first] - moments.mean[:, second])


def undefined(value: NDArray[np.float64]) -> PairTests:
    """No test."""
    none = np.full(value.shape, np.nan)
    return PairTests(value, none, none)


# ── mixed models ─────────────────────────────────────────────────────────────────────────────────


def mixed_model(moments: Moments, _: str = "") -> PairTests:
    """Scores: participants, items and both crossed with systems random."""
    s = moments.shape.systems
    strata = {part: (_between(moments, part, s - 1), _level(moments, part)) for part in _PARTS}
    fit = _fit(moments, strata, s)
    return _same_for_all(differences(moments), fit, 2 / moments.judgments)


def set_model(moments: Moments, _: str = "") -> PairTests:
    """Scores of whole judgments that add up to 0: both crossed with systems random."""
    s = moments.shape.systems
    strata = {part: (_between(moments, part, s - 1),) for part in _PARTS}
    fit = _fit(moments, strata, s)
    return _same_for_all(differences(moments), fit, 2 / moments.judgments)


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
    squares = np.maximum(getattr(moments, part)[:, column, column], 0.0)
    with_side = "item" if moments.df_item else "block"
    return Stratum(squares, getattr(moments, f"df_{part}") - side_df * (part == with_side), ())


def joint_model(moments: Moments, *, side_df: int = 0) -> PairTests:
    """Choices of all pairs: strengths of systems that vary over items and participants.

    A strength is Σ choices / S. What contradicts strengths that add up is part of the residual.
    """
    s, n = moments.shape.systems, moments.judgments
    if s == _LEAST:  # one pair: its strengths are its win percentage
        return pair_models(moments, side_df=side_df)
    strengths = transform(moments, strength_rows(s))
    strata = {part: (_between(strengths, part, s - 1, factor=s),) for part in _PARTS}
    rest, cyclic_df = strata["rest"][0], n * (s - 1) * (s - 2) // 2
    all_squares, explained = (
        np.einsum("nss->n", _whole(each)) + n * np.square(each.mean).sum(axis=1)
        for each in (moments, strengths)
    )
    cycles = np.maximum(all_squares - s * explained, 0.0)
    strata["rest"] = (Stratum(rest.squares + cycles, rest.df + cyclic_df - side_df, ()),)
    return _same_for_all(50 * differences(strengths), _fit(moments, strata, s), 50**2 * 2 / s / n)


def _between(moments: Moments, part: str, width: int, factor: float = 1.0) -> Stratum:
    """How systems differ in this part: all squares but those of their mean."""
    products, df = getattr(moments, part), getattr(moments, f"df_{part}")
    squares = np.einsum("nss->n", products) - products.sum(axis=(1, 2)) / (width + 1)
    return Stratum(factor * np.maximum(squares, 0.0), width * df, ())


def _level(moments: Moments, part: str) -> Stratum:
    """How the mean of all systems differs in this part."""
    products, df = getattr(moments, part), getattr(moments, f"df_{part}")
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
        rest = _pool(strata["rest"])
        if min(rest.df, strata["item"][0].df, strata["person"][0].df) < 1:
            return VarianceFits.undefined(len(moments.mean))
        return fit_crossed(rest, strata["item"], strata["person"]).limit_df(most)
    weights, combination = _weights(moments, systems)
    weighted = [
        Stratum(each.squares, each.df, row)
        for part in _PARTS
        for each, row in zip(strata[part], weights[part], strict=False)
    ]
    has_levels = len(strata["rest"]) > 1
    people = _TASTE if combination[_TASTE] else (_SEVERITY if has_levels else None)
    return fit_blocks(weighted, combination, people=people).limit_df(most)


def _pool(strata: Sequence[Stratum]) -> Stratum:
    return Stratum(
        np.asarray(sum(each.squares for each in strata)), sum(each.df for each in strata), ()
    )


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
    """Products of the mean scores of each unit, and how many units there are."""
    shape = moments.shape
    if unit == "item":
        return (moments.block + moments.item) / shape.participants_per_item, shape.items
    if unit == "participant":
        return (moments.block + moments.person) / moments.item_mean, shape.judging
    return _whole(moments), moments.judgments


def _whole(moments: Moments) -> NDArray[np.float64]:
    return np.asarray(moments.block + moments.item + moments.person + moments.rest)


def _squares(products: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sums of squares of the differences of each pair, from products of systems."""
    first, second = pairs_of(products.shape[1])
    own = np.einsum("nss->ns", products)
    found = own[:, first] + own[:, second] - 2 * products[:, first, second]
    return np.asarray(np.maximum(found, 0.0))


def paired_t(moments: Moments, unit: str) -> PairTests:
    """Student's t of the differences of units."""
    products, n = _units(moments, unit)
    value = differences(moments)
    if n < _LEAST:
        return undefined(value)
    error = np.sqrt(_squares(products) / (n - 1) / n)
    return PairTests(value, error, np.full(value.shape, n - 1.0))


def pooled_t(moments: Moments, unit: str) -> PairTests:
    """Student's t of two independent groups of scores."""
    value, (one, other), n = _groups(moments, unit)
    if n < _LEAST:
        return undefined(value)
    return PairTests(value, np.sqrt((one + other) / n), np.full(value.shape, 2.0 * n - 2))


def welch(moments: Moments, unit: str) -> PairTests:
    """The same without assuming equal variances."""
    value, (one, other), n = _groups(moments, unit)
    if n < _LEAST:
        return undefined(value)
    with np.errstate(invalid="ignore"):
        df = (n - 1) * (one + other) ** 2 / (one**2 + other**2)
    return PairTests(value, np.sqrt((one + other) / n), df)


def _groups(
    moments: Moments, unit: str
) -> tuple[NDArray[np.float64], tuple[NDArray[np.float64], NDArray[np.float64]], int]:
    """Differences, the variances of the scores of both systems of each pair, and the units."""
    products, n = _units(moments, unit)
    first, second = pairs_of(products.shape[1])
    own = np.maximum(np.einsum("nss->ns", products), 0.0) / max(n - 1, 1)
    return differences(moments), (own[:, first], own[:, second]), n


def cluster_robust(moments: Moments, _: str = "") -> PairTests:
    """Differences of scores; clusters of items and of participants, all of equal weight."""
    squares = (
        _squares(each)
        for each in (moments.block + moments.item, moments.block + moments.person, _whole(moments))
    )
    return _clustered(moments, differences(moments), *squares)


def cluster_robust_choices(moments: Moments) -> PairTests:
    """Win percentages minus 50, likewise."""
    squares = (
        np.maximum(np.einsum("nss->ns", each), 0.0) * 50**2
        for each in (moments.block + moments.item, moments.block + moments.person, _whole(moments))
    )
    return _clustered(moments, 50 * moments.mean, *squares)


def _clustered(  # noqa: PLR0917 - an estimate and the parts of its variance
    moments: Moments,
    value: NDArray[np.float64],
    item: NDArray[np.float64],
    person: NDArray[np.float64],
    cell: NDArray[np.float64],
) -> PairTests:
    """`stats.clustered`: V(items) + V(participants) − V(cells), not below the larger of two."""
    shape, n = moments.shape, moments.judgments
    items, people = shape.items, shape.judging
    if min(items, people) < _LEAST:
        return undefined(value)
    by_item = item * shape.participants_per_item / n**2 * items / (items - 1)
    by_person = person * moments.item_mean / n**2 * people / (people - 1)
    same = {items: items / (items - 1), people: people / (people - 1)}.get(n, 1.0)
    together = by_item + by_person - same * cell / n**2
    larger = np.maximum(by_item, by_person)
    alone = np.where(by_item >= by_person, items - 1.0, people - 1.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        df = together**2 / (by_item**2 / (items - 1) + by_person**2 / (people - 1))
    df = np.where(together <= larger * (1 + 1e-12), alone, df)
    fewest = min(items, people)
    if fewest < _FEW:
        df = np.minimum(df, fewest - 1.0)
    return PairTests(value, np.sqrt(np.maximum(together, larger)), np.maximum(df, 1.0))


SCORE_TESTS: dict[str, Tester] = {
    "mixed-model": mixed_model,
    "cluster-robust": cluster_robust,
    "paired-t": paired_t,
    "t-test": pooled_t,
    "welch": welch,
}
