"""Scores and times described: counts, rescaled scores, quantiles of times, active time."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rejudge.errors import DataError, Problem
from rejudge.stats.arrays import ROUNDING, Codes, Numbers
from rejudge.stats.estimate import Estimate, Interval
from rejudge.stats.reasons import Why

_MANY = 2  # judgments, from which a deviation can be taken


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


def normalise(value: Numbers, bounds: tuple[float, float]) -> Numbers:
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

    It removes differences in how people use a scale, but also that some saw better outputs
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


IDLE_AFTER_SECONDS = 300.0


@dataclass(frozen=True, slots=True)
class Sitting:
    """One session: from the first to the last time stamp, and how much of it was active."""

    session: int
    n: int  # marks on the clock
    wall_seconds: float | None
    active_seconds: float | None  # pauses shortened to the limit
    pauses: int  # steps longer than the limit
    note: str = ""


@dataclass(frozen=True, slots=True)
class EmpiricalShares:
    """The share of times up to each point, with a band that holds at all points at once."""

    at: Numbers
    share: Numbers
    low: Numbers
    high: Numbers
    n: int
    level: float
    note: str = ""


def session_times(
    clock_seconds: Numbers, session: Codes, *, idle_after_seconds: float = IDLE_AFTER_SECONDS
) -> tuple[Sitting, ...]:
    """Wall and active time of each session, from time stamps (pages shown, answers given).

    A step between two marks that is longer than the limit counts as active for the limit only.
    """
    order = np.lexsort((clock_seconds, session))
    names, starts = np.unique(session[order], return_index=True)
    marks = np.split(clock_seconds[order], starts[1:]) if len(names) else []
    return tuple(
        _sitting(int(name), clock, idle_after_seconds)
        for name, clock in zip(names, marks, strict=True)
    )


def time_quantile(seconds: Numbers, share: float = 0.5, *, level: float = 0.95) -> Estimate:
    """A quantile of times, by default the median, with an exact interval.

    The value interpolates linearly between order statistics (type 7 of Hyndman & Fan 1996). The
    interval lies between the order statistics that leave at most (1 − level)/2 of the binomial
    law on each side; it assumes no distribution and treats times as independent.
    """
    n = len(seconds)
    if not n:
        return Estimate(None, 0, counted="values", reasons=(Why.NOBODY(what="times"),))
    value = float(np.quantile(seconds, share))
    ranks = _binomial_ranks(n, share, (1 - level) / 2)
    if ranks is None:
        why = Why.NO_BOUND(cause=f"{n} times are too few for {level:.0%}")
        return Estimate(value, n, counted="values", reasons=(why,))
    low, high = np.sort(seconds)[[ranks[0] - 1, ranks[1] - 1]]
    interval = Interval(float(low), float(high), level)
    return Estimate(value, n, interval=interval, counted="values")


def empirical_shares(
    seconds: Numbers, at: Numbers | None = None, *, level: float = 0.95
) -> EmpiricalShares:
    """The empirical distribution function, at every observed time or at given ones.

    The band is that of Dvoretzky, Kiefer & Wolfowitz with Massart's (1990) constant, cut at 0 and
    1: share ± √(ln(2/(1−level)) / 2n), simultaneously. It treats times as independent.
    """
    points = np.unique(seconds) if at is None else at
    n = len(seconds)
    if not n:
        nothing = np.zeros(0)
        return EmpiricalShares(nothing, nothing, nothing, nothing, 0, level, "No times.")
    share = np.searchsorted(np.sort(seconds), points, side="right") / n
    reach = math.sqrt(math.log(2 / (1 - level)) / (2 * n))
    low, high = np.maximum(share - reach, 0.0), np.minimum(share + reach, 1.0)
    return EmpiricalShares(points, share, low, high, n, level)


def _sitting(session: int, clock: Numbers, limit: float) -> Sitting:
    if len(clock) < 2:
        note = "Undefined: a single time stamp spans no time."
        return Sitting(session, len(clock), None, None, 0, note)
    steps = np.diff(clock)
    active = float(np.minimum(steps, limit).sum())
    return Sitting(session, len(clock), float(steps.sum()), active, int((steps > limit).sum()))


def _binomial_ranks(n: int, share: float, tail: float) -> tuple[int, int] | None:
    """Ranks l < u such that P(B < l) ≤ tail and P(B ≥ u) ≤ tail for B ~ Binomial(n, share)."""
    from scipy.special import bdtr

    # Ten deviations from the middle nothing is left; a search of all n would be slow for millions.
    reach = 10 * math.sqrt(n * share * (1 - share)) + 10
    start, stop = max(0, math.floor(n * share - reach)), min(n, math.ceil(n * share + reach))
    below = bdtr(np.arange(start, stop, dtype=np.float64), n, share)  # P(B ≤ start), …
    low = start + int(np.searchsorted(below, tail, side="right"))
    high = start + int(np.searchsorted(below, 1 - tail, side="left")) + 1
    return (low, high) if low >= 1 and high <= n else None
