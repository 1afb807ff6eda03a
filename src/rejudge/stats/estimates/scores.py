"""Scores described and rescaled: distributions, histograms, z scores, MQM weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from rejudge.errors import DataError, Problem
from rejudge.stats.arrays import ROUNDING, Codes, Numbers

__all__ = [
    "MQM_WEIGHTS",
    "Distribution",
    "Histogram",
    "ScoreTable",
    "ZScores",
    "distribution",
    "distributions",
    "histogram",
    "mqm_scores",
    "normalised",
    "score_table",
    "z_by_participant",
]

QUARTILES = (0.25, 0.5, 0.75)
MQM_WEIGHTS: Mapping[str, float] = MappingProxyType(
    {
        "non-translation": 25.0,
        "major": 5.0,
        "minor": 1.0,
        "minor-punctuation": 0.1,
        "neutral": 0.0,
    }
)
"""What an error costs in MQM (Lommel et al. 2014) with the weights of Freitag et al. (2021)."""

_MANY = 2  # judgments, from which a deviation can be taken


@dataclass(frozen=True, slots=True)
class Distribution:
    """Summary of a set of numbers. What is undefined is None, and `note` says why."""

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
    """Counts between given edges; values outside them are counted separately."""
    counts, _ = np.histogram(value, bins=edges)
    return Histogram(edges, counts.astype(np.int64), len(value) - int(counts.sum()))


def score_table(value: Numbers, group: Codes, *, groups: int, scale: Numbers) -> ScoreTable:
    """How often each value of a declared scale was given, including values never given."""
    place = np.minimum(np.searchsorted(scale, value), len(scale) - 1)
    on_scale = scale[place] == value
    cell = group[on_scale] * len(scale) + place[on_scale]
    counts = np.bincount(cell, minlength=groups * len(scale)).reshape(groups, len(scale))
    return ScoreTable(scale, counts.astype(np.int64), int((~on_scale).sum()))


@dataclass(frozen=True, slots=True)
class ZScores:
    """Scores in units of each participant's own spread, around their own mean.

    Those of a participant who gave one score throughout are 0: centred, but not divided.
    """

    value: Numbers
    constant: tuple[int, ...]  # participants without spread
    note: str = ""


def normalised(value: Numbers, bounds: tuple[float, float]) -> Numbers:
    """Scores from 0 at the scale's lower bound to 1 at its upper one.

    The bounds are those declared for the question. The lowest and highest score that happened to
    be given would make the result depend on who was asked.
    """
    low, high = bounds
    if not low < high:
        raise DataError(
            Problem(
                f"The scale runs from {low:g} to {high:g}.",
                "Give its lower bound first and its higher one second.",
            )
        )
    outside = int(((value < low) | (value > high)).sum())
    if outside:
        raise DataError(
            Problem(
                f"{outside} of {len(value)} scores lie outside the scale of {low:g} to {high:g}.",
                "Give the bounds that the question declared, or correct the scores.",
            )
        )
    return np.asarray((value - low) / (high - low))


def z_by_participant(value: Numbers, participant: Codes) -> ZScores:
    """Scores minus the participant's mean, over their sample standard deviation (n − 1).

    It takes away that people use a scale differently, and with it that some saw better outputs
    than others: use it where everybody saw a fair share of all systems.
    """
    if not len(value):
        return ZScores(value, (), "No judgments.")
    count = np.bincount(participant)
    mean = np.bincount(participant, value) / np.maximum(count, 1)
    centred = value - mean[participant]
    spread = np.sqrt(np.bincount(participant, centred**2) / np.maximum(count - 1, 1))
    size = np.bincount(participant, np.abs(value)) / np.maximum(count, 1)
    varies = (count >= _MANY) & (spread > ROUNDING * size)
    scaled = np.where(varies[participant], centred / np.where(varies, spread, 1)[participant], 0.0)
    constant = tuple(np.flatnonzero((count > 0) & ~varies).tolist())
    note = (
        f"{len(constant)} of {int((count > 0).sum())} participants always gave the same score; "
        "their z scores are 0."
        if constant
        else ""
    )
    return ZScores(scaled, constant, note)


def mqm_scores(
    severity: Sequence[str],
    unit: Codes,
    *,
    units: int,
    weights: Mapping[str, float] = MQM_WEIGHTS,
) -> Numbers:
    """The penalty of each unit: the summed weights of the errors marked in it, 0 for none.

    A unit is what one participant judged (a segment of an output); average over participants and
    segments afterwards. Lower is better.
    """
    unknown = sorted(set(severity) - set(weights))
    if unknown:
        raise DataError(
            Problem(
                f"No weight is known for {', '.join(unknown)}.",
                f"Known: {', '.join(weights)}; pass `weights` for others.",
            )
        )
    cost = np.array([weights[name] for name in severity], dtype=np.float64)
    return np.bincount(unit, cost, units).astype(np.float64)
