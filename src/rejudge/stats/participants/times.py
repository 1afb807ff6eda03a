"""How long people took: elapsed and active time, quantiles with intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rejudge.errors import DataError, Problem
from rejudge.stats.arrays import Codes, Numbers
from rejudge.stats.estimates.clusters import Interval

__all__ = [
    "Elapsed",
    "EmpiricalShares",
    "Sitting",
    "TimeQuantile",
    "TotalTime",
    "elapsed",
    "empirical_shares",
    "sittings",
    "time_quantile",
    "total_times",
    "without_days",
]

SECONDS_PER_DAY = 86_400
IDLE_AFTER_SECONDS = 300.0


@dataclass(frozen=True, slots=True)
class Elapsed:
    """Seconds from start to end, whole days included, and how many whole days each one holds."""

    seconds: Numbers
    days: NDArray[np.int64]
    note: str = ""


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
class TotalTime:
    """All the time of one participant."""

    participant: int
    pages: int
    seconds: float


@dataclass(frozen=True, slots=True)
class TimeQuantile:
    """A quantile of times with an interval from order statistics."""

    share: float
    value: float | None
    n: int
    interval: Interval | None = None
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


def elapsed(started: NDArray[np.datetime64], ended: NDArray[np.datetime64]) -> Elapsed:
    """Seconds between two moments. Whole days count: a session left open overnight is a long one.

    (In Python, `timedelta.seconds` drops them without a word; `total_seconds()` does not.)
    """
    seconds = (ended - started) / np.timedelta64(1, "s")
    backwards = int((seconds < 0).sum())
    if backwards:
        raise DataError(
            Problem(
                f"{backwards} of {len(seconds)} sessions end before they start.",
                "Give start and end in the same time zone, the start first.",
            )
        )
    days = (seconds // SECONDS_PER_DAY).astype(np.int64)
    over = int((days > 0).sum())
    note = f"{over} of {len(seconds)} sessions lasted a day or longer." if over else ""
    return Elapsed(seconds, days, note)


def without_days(seconds: Numbers) -> Numbers:
    """Seconds with whole days dropped, to repeat analyses that lost them; not for new ones."""
    return np.asarray(np.mod(seconds, SECONDS_PER_DAY))


def sittings(
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


def total_times(seconds: Numbers, page: Codes, participant: Codes) -> tuple[TotalTime, ...]:
    """The total of each participant; a page counts once, though each judgment repeats its time."""
    if not len(seconds):
        return ()
    cell = participant.astype(np.int64) * (int(page.max()) + 1) + page
    cells, first, place = np.unique(cell, return_index=True, return_inverse=True)
    spent = seconds[first]
    if not np.array_equal(spent[place], seconds):
        raise DataError(
            Problem(
                "The judgments of one page have different times.",
                "Give the time of the page at each of them, or take each judgment as a page.",
            )
        )
    people, row = np.unique(cells // (int(page.max()) + 1), return_inverse=True)
    parts = (people, np.bincount(row), np.bincount(row, spent))
    return tuple(TotalTime(*each) for each in zip(*(p.tolist() for p in parts), strict=True))


def time_quantile(seconds: Numbers, share: float = 0.5, *, level: float = 0.95) -> TimeQuantile:
    """A quantile of times, by default the median, with an exact interval.

    The value interpolates linearly between order statistics (type 7 of Hyndman & Fan 1996). The
    interval lies between the order statistics that leave at most (1 − level)/2 of the binomial
    law on each side; it needs no shape of the distribution and takes times as independent.
    """
    n = len(seconds)
    if not n:
        return TimeQuantile(share, None, 0, note="No times.")
    value = float(np.quantile(seconds, share))
    ranks = _binomial_ranks(n, share, (1 - level) / 2)
    if ranks is None:
        note = f"No interval: {n} times are too few for {level:.0%}."
        return TimeQuantile(share, value, n, note=note)
    low, high = np.sort(seconds)[[ranks[0] - 1, ranks[1] - 1]]
    return TimeQuantile(share, value, n, Interval(float(low), float(high), level))


def empirical_shares(
    seconds: Numbers, at: Numbers | None = None, *, level: float = 0.95
) -> EmpiricalShares:
    """The empirical distribution function, at every observed time or at given ones.

    The band is that of Dvoretzky, Kiefer & Wolfowitz with Massart's (1990) constant, cut at 0 and
    1: share ± √(ln(2/(1−level)) / 2n), at all points at once. It takes times as independent.
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
    if len(clock) < 2:  # noqa: PLR2004 - nothing has elapsed between marks
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
