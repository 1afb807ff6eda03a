"""How scores are spread: count, mean, deviation, quantiles, and how often each value was given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rejudge.stats.clusters import Codes, Numbers

QUARTILES = (0.25, 0.5, 0.75)


@dataclass(frozen=True, slots=True)
class Distribution:
    """A set of numbers in a few. What is undefined is None, and `note` says why."""

    n: int
    mean: float | None
    standard_deviation: float | None  # of a sample: n − 1
    minimum: float | None
    median: float | None
    maximum: float | None
    total: float
    quantiles: tuple[tuple[float, float], ...] = ()  # share, value
    note: str = ""


@dataclass(frozen=True, slots=True)
class Histogram:
    """How many values lie in each bin; a value on an edge belongs to the bin above it, the last
    edge to the last bin."""

    edges: Numbers
    counts: NDArray[np.int64]
    outside: int


@dataclass(frozen=True, slots=True)
class ScoreTable:
    """How often each group was given each value of the scale: groups × values."""

    values: Numbers
    counts: NDArray[np.int64]
    off_scale: int  # judgments whose value is not on the scale; not counted

    @property
    def shares(self) -> tuple[tuple[float | None, ...], ...]:
        """The share of each value within its group; None for a group without judgments."""
        return tuple(
            tuple(count / sum(row) if sum(row) else None for count in row)
            for row in self.counts.tolist()
        )


def distribution(value: Numbers, *, at: Sequence[float] = QUARTILES) -> Distribution:
    """Mean, sample standard deviation, median and quantiles of numbers.

    Quantiles interpolate linearly between order statistics (type 7 of Hyndman & Fan 1996).
    """
    n = len(value)
    if not n:
        return Distribution(0, None, None, None, None, None, 0.0, note="No values.")
    several = n > 1
    return Distribution(
        n,
        float(value.mean()),
        float(value.std(ddof=1)) if several else None,
        float(value.min()),
        float(np.median(value)),
        float(value.max()),
        float(value.sum()),
        tuple(zip(at, np.quantile(value, at).tolist(), strict=True)),
        "" if several else "No standard deviation: it needs two or more values.",
    )


def distributions(
    value: Numbers, group: Codes, *, groups: int, at: Sequence[float] = QUARTILES
) -> tuple[Distribution, ...]:
    """The distribution within each group: a system, a participant, a system by a participant."""
    order = np.argsort(group, kind="stable")
    ends = np.cumsum(np.bincount(group, minlength=groups))[:-1]
    return tuple(distribution(part, at=at) for part in np.split(value[order], ends))


def histogram(value: Numbers, edges: Numbers) -> Histogram:
    """Counts between given edges; what lies outside them is counted apart."""
    counts, _ = np.histogram(value, bins=edges)
    return Histogram(edges, counts.astype(np.int64), len(value) - int(counts.sum()))


def score_table(value: Numbers, group: Codes, *, groups: int, scale: Numbers) -> ScoreTable:
    """How often each value of a declared scale was given, also those that never were."""
    place = np.minimum(np.searchsorted(scale, value), len(scale) - 1)
    on_scale = scale[place] == value
    cell = group[on_scale] * len(scale) + place[on_scale]
    counts = np.bincount(cell, minlength=groups * len(scale)).reshape(groups, len(scale))
    return ScoreTable(scale, counts.astype(np.int64), int((~on_scale).sum()))
