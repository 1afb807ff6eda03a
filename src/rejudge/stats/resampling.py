"""Resampling of units or items, and intervals from the resamples."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rejudge.stats.arrays import Numbers
from rejudge.stats.estimates.clusters import Interval

if TYPE_CHECKING:
    from scipy.sparse import csr_array

CELLS = 4_000_000  # how many numbers a block of the computation may hold

_BLOCK = 65_536  # numbers of a block that is quickest; larger ones wake up threads in vain
_FEWEST_ROWS = 32
_MANY_KINDS = 1000
_SOME_KINDS = 64
_TINY = 1e-12  # zero but for rounding
_FAR = 1e9  # standard errors that a resample lies away which has none
_TOO_FAR = 50  # and so many that some of those are among the ends
LITTLE_DISAGREEMENT = (
    "Few units show any disagreement, so many resamples show none; the interval is of their "
    "percentiles and somewhat too narrow."
)
NO_WIDTH = "No interval: every unit shows the same agreement, so resampling them shows no spread."


def unit_draws(
    units: NDArray[np.int64], rng: np.random.Generator, replicates: int
) -> Iterator[Numbers]:
    """As many resamples of units of several kinds, in blocks of rows that fit into memory.

    Units of one kind are interchangeable, so drawing units with replacement is, exactly, a
    multinomial draw over the kinds. There are three ways to it, of which the quickest is taken.
    """
    n, kinds = int(units.sum()), len(units)
    if kinds > _MANY_KINDS and n < 4 * kinds:
        draw, width = _draw_one_by_one, n
    elif kinds > max(_SOME_KINDS, math.sqrt(n) / 3):
        draw, width = _poisson_counts, kinds
    else:
        draw, width = _multinomial_counts, kinds
    rows = max(_FEWEST_ROWS, _BLOCK // max(width, 1))
    block = max(1, min(rows, CELLS // max(width, 1)))
    for start in range(0, replicates, block):
        yield draw(units, rng, min(block, replicates - start)).astype(np.float64)


def item_draws(by_item: csr_array, rng: np.random.Generator, replicates: int) -> Iterator[Numbers]:
    """As many resamples of items, each with all its units, as numbers of units of each kind."""
    items, kinds = by_item.shape
    block = max(1, min(_FEWEST_ROWS, CELLS // max(items, kinds, 1)))
    for start in range(0, replicates, block):
        size = min(block, replicates - start)
        often = rng.multinomial(items, np.full(items, 1 / items), size=size)
        yield np.asarray((by_item.T @ often.T).T, dtype=np.float64)


def percentiles(drawn: Numbers, *, level: float) -> tuple[Interval | None, str]:
    """The middle of what was drawn, or the reason why it has no width."""
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    if high - low <= 1e-12 * max(1.0, abs(high)):  # zero but for rounding
        return None, NO_WIDTH
    return Interval(float(low), float(high), level), ""


@dataclass(frozen=True, slots=True)
class CoefficientWithError:
    """A coefficient that is 1 for complete agreement, with its error: one, or one per resample."""

    value: Numbers
    error: Numbers


def studentised_interval(
    whole: CoefficientWithError, drawn: CoefficientWithError, *, level: float
) -> tuple[Interval | None, str]:
    """The interval of a coefficient from resamples, each measured by its own standard error.

    Bootstrap-t (Efron 1982; Hall 1988) on log(1 − coefficient), where errors depend less on the
    value. Unlike percentiles it allows for a coefficient that is biased, skewed and the less
    certain the lower it is. Where so many resamples agree completely that their errors are none, it
    falls back to percentiles. Cut at −1, below which no value can lie.
    """
    value, error = float(whole.value[0]), float(whole.error[0])
    disagreement = 1 - value
    if error <= _TINY or disagreement <= _TINY:
        return None, NO_WIDTH
    left = 1 - drawn.value
    moved = np.log(np.maximum(left, _TINY)) - math.log(disagreement)
    without = (left <= _TINY) | (drawn.error <= _TINY)
    apart = moved * left / np.where(without, 1.0, drawn.error)
    distance = np.where(without, np.sign(moved) * _FAR, apart)
    ends = np.quantile(distance, [(1 + level) / 2, (1 - level) / 2])
    if np.abs(ends).max() > _TOO_FAR:
        interval, reason = percentiles(drawn.value, level=level)
        return interval, reason or LITTLE_DISAGREEMENT
    return _limits(value, error, ends, level=level), ""


def interval_from_error(
    whole: CoefficientWithError, *, level: float
) -> tuple[Interval | None, str]:
    """The interval of a coefficient from its standard error, normal on log(1 − coefficient)."""
    from scipy.special import ndtri

    value, error = float(whole.value[0]), float(whole.error[0])
    if error <= _TINY or 1 - value <= _TINY:
        return None, NO_WIDTH
    reach = float(ndtri((1 + level) / 2))
    return _limits(value, error, np.array([reach, -reach]), level=level), ""


def _limits(value: float, error: float, ends: Numbers, *, level: float) -> Interval:
    """So many errors away from the coefficient on the scale of log(1 − coefficient), and back."""
    disagreement = 1 - value
    high, low = 1 - disagreement * np.exp(-ends * error / disagreement)
    return Interval(max(-1.0, float(low)), float(high), level)


def _multinomial_counts(
    units: NDArray[np.int64], rng: np.random.Generator, size: int
) -> NDArray[np.int64]:
    n = int(units.sum())
    return rng.multinomial(n, units / n, size=size)


def _draw_one_by_one(
    units: NDArray[np.int64], rng: np.random.Generator, size: int
) -> NDArray[np.int64]:
    return _pick(units, rng, np.full(size, int(units.sum())))


def _poisson_counts(
    units: NDArray[np.int64], rng: np.random.Generator, size: int
) -> NDArray[np.int64]:
    """Poisson counts of nearly as many units, then the missing ones one by one.

    Independent Poisson counts are multinomial given their total, whatever it is, and the rest are
    drawn alike; so the whole is multinomial. Rows that came out too large are drawn again, which
    looks at their total only.
    """
    n = int(units.sum())
    expected = units * (1 - 2 / math.sqrt(n))
    counts = rng.poisson(expected, size=(size, len(units)))
    while len(too_many := np.flatnonzero(counts.sum(axis=1) > n)):
        counts[too_many] = rng.poisson(expected, size=(len(too_many), len(units)))
    return np.asarray(counts + _pick(units, rng, n - counts.sum(axis=1)))


def _pick(
    units: NDArray[np.int64], rng: np.random.Generator, times: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Counts by kind of so many units picked one by one, a row for each number."""
    kinds, rows = len(units), len(times)
    kind_of = np.repeat(np.arange(kinds), units)
    picked = kind_of[rng.integers(0, len(kind_of), int(times.sum()))]
    picked += np.repeat(np.arange(rows) * kinds, times)
    return np.bincount(picked, minlength=rows * kinds).reshape(rows, kinds)
