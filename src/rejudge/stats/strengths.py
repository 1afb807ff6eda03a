"""What is told of strengths: each system's, each difference, how sure, and what it implies."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from rejudge.stats.clusters import Interval, Numbers, t_reach, t_test
from rejudge.stats.paired_spread import Spread

_NOTHING = 1e-24  # a variance of zero but for rounding


@dataclass(frozen=True, slots=True)
class Strength:
    """How strong a system is, on the log scale where all strengths sum to 0."""

    system: int
    value: float | None
    standard_error: float | None = None
    interval: Interval | None = None
    df: float | None = None  # of Student's t; None where the normal law or percentiles were used


@dataclass(frozen=True, slots=True)
class StrengthDifference:
    """How far the first system lies above the second: the log of the odds that it wins.

    `win_probability` counts a tie as half; in Davidson's model it is that of a decided comparison,
    and `tie_probability` is the chance of a tie.
    """

    first: int
    second: int
    value: float
    win_probability: float
    standard_error: float | None = None
    interval: Interval | None = None
    win_interval: Interval | None = None
    p: float | None = None  # two-sided, against equal strength
    tie_probability: float | None = None
    df: float | None = None


@dataclass(frozen=True, slots=True)
class BradleyTerry:
    """Strengths of all systems and the differences of all pairs, with what they rest on.

    Where the likelihood has no maximum the strengths are None, `differences` is empty and
    `groups` lists systems that can be compared with each other, the stronger groups first.
    """

    strengths: tuple[Strength, ...]
    differences: tuple[StrengthDifference, ...]
    n: int  # comparisons
    ties: int
    items: int
    participants: int
    errors: str  # how the standard errors were found
    tie: float | None = None  # Davidson's ν
    groups: tuple[tuple[int, ...], ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    """Strengths with their variances; with resampled strengths if these tell the intervals."""

    strengths: Numbers
    spread: Spread | None
    numbers: tuple[int, ...]  # of the systems that the strengths belong to
    level: float
    tie: float | None = None
    drawn: Numbers | None = None


def strengths_of(found: Found, systems: int) -> tuple[Strength, ...]:
    """The strength of each system; None for those that were not compared."""
    places = {number: place for place, number in enumerate(found.numbers)}
    return tuple(
        _strength(found, system, places[system]) if system in places else Strength(system, None)
        for system in range(systems)
    )


def differences_of(found: Found) -> tuple[StrengthDifference, ...]:
    """The difference of each pair of systems that have a strength."""
    pairs = combinations(range(len(found.numbers)), 2)
    return tuple(_difference(found, one, other) for one, other in pairs)


def _strength(found: Found, system: int, place: int) -> Strength:
    value = float(found.strengths[place])
    error = _error(found.spread.own[place]) if found.spread else None
    df = _finite(found.spread.own_df[place]) if found.spread else None
    drawn = None if found.drawn is None else found.drawn[:, place]
    return Strength(
        system, value, error, _interval(value, error, df, level=found.level, drawn=drawn), df
    )


def _difference(found: Found, one: int, other: int) -> StrengthDifference:
    value = float(found.strengths[one] - found.strengths[other])
    error = _error(found.spread.pairs[one, other]) if found.spread else None
    df = _finite(found.spread.pairs_df[one, other]) if found.spread else None
    drawn = None if found.drawn is None else found.drawn[:, one] - found.drawn[:, other]
    interval = _interval(value, error, df, level=found.level, drawn=drawn)
    return StrengthDifference(
        found.numbers[one],
        found.numbers[other],
        value,
        _logistic(value),
        error,
        interval,
        interval and Interval(_logistic(interval.low), _logistic(interval.high), found.level),
        _p(value, error, df, drawn),
        None if found.tie is None else found.tie / (2 * math.cosh(value / 2) + found.tie),
        df,
    )


def _finite(df: float) -> float | None:
    return float(df) if math.isfinite(df) else None


def _error(variance: float) -> float | None:
    return math.sqrt(variance) if variance > _NOTHING else None


def _interval(
    value: float, error: float | None, df: float | None, *, level: float, drawn: Numbers | None
) -> Interval | None:
    from scipy.special import ndtri

    if error is None:
        return None
    tail = (1 + level) / 2
    if drawn is not None:
        low, high = np.quantile(drawn, [1 - tail, tail])
        return Interval(float(low), float(high), level)
    reach = error * float(ndtri(tail)) if df is None else t_reach(error, df, level)
    return Interval(value - reach, value + reach, level)


def _p(value: float, error: float | None, df: float | None, drawn: Numbers | None) -> float | None:
    from scipy.special import ndtr

    if error is None:
        return None
    if drawn is not None:  # the observed table is one of the resamples, so p is never 0
        beyond = min(int((drawn <= 0).sum()), int((drawn >= 0).sum()))
        return min(1.0, 2 * (beyond + 1) / (len(drawn) + 1))
    if df is None:
        return min(1.0, 2 * float(ndtr(-abs(value) / error)))
    return t_test(value, error, df)


def _logistic(value: float) -> float:
    return (1 + math.tanh(value / 2)) / 2
