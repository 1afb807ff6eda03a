"""Differences between systems for each participant alone."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from rejudge.stats.clusters import Codes, Estimate, Interval, Numbers, t_reach, t_test
from rejudge.stats.missing import refuse_missing
from rejudge.stats.negligible import is_negligible, scale_of

_NONE_SHARED = "Undefined: no item was judged for both systems."
_ONE_SHARED = "No interval: one item only was judged for both systems."
_NO_WIDTH = "No interval: the difference is the same for every item."


@dataclass(frozen=True, slots=True)
class ParticipantDifference:
    """How far two systems lie apart for one participant, over the items judged for both."""

    participant: int
    difference: Estimate


def participant_differences(
    value: Numbers,
    system: Codes,
    pair: tuple[int, int],
    *,
    item: Codes,
    participant: Codes,
    level: float = 0.95,
) -> tuple[ParticipantDifference, ...]:
    """The first system minus the second for each participant: a paired t test over their items.

    One difference for each item that a participant judged for both systems; `n` counts the
    judgments behind them. It says nothing about other participants.
    """
    refuse_missing(value)
    rows = np.isin(system, pair)
    width = int(item.max()) + 1 if len(item) else 1
    key = participant[rows].astype(np.int64) * width + item[rows]
    apart = _apart(value[rows], system[rows] == pair[0], key)
    people = np.unique(participant[rows])
    ends = np.searchsorted(apart.key // width, people, side="right")
    starts = np.searchsorted(apart.key // width, people, side="left")
    scale = scale_of(value[rows])
    return tuple(
        ParticipantDifference(int(person), _paired(apart.part(start, end), scale, 1, level))
        for person, start, end in zip(people, starts, ends, strict=True)
    )


@dataclass(frozen=True, slots=True)
class _Apart:
    """Differences of mean scores, in the order of their keys, with the judgments behind each."""

    key: Codes
    difference: Numbers
    judgments: Codes

    def part(self, start: int, end: int) -> _Apart:
        chosen = slice(start, end)
        return _Apart(self.key[chosen], self.difference[chosen], self.judgments[chosen])


def _apart(score: Numbers, is_first: np.ndarray, key: Codes) -> _Apart:
    keys, place = np.unique(key, return_inverse=True)
    counts = [np.bincount(place[side], minlength=len(keys)) for side in (is_first, ~is_first)]
    sums = [np.bincount(place[side], score[side], len(keys)) for side in (is_first, ~is_first)]
    both = (counts[0] > 0) & (counts[1] > 0)
    first, second = (total[both] / count[both] for total, count in zip(sums, counts, strict=True))
    return _Apart(keys[both], first - second, (counts[0] + counts[1])[both])


def _paired(apart: _Apart, scale: float, people: int, level: float) -> Estimate:
    items, n = len(apart.key), int(apart.judgments.sum())
    if not items:
        return Estimate(None, 0, 0, 0, note=_NONE_SHARED)
    mean = float(apart.difference.mean())
    if items == 1:
        return Estimate(mean, n, items, people, note=_ONE_SHARED)
    error, df = float(apart.difference.std(ddof=1)) / math.sqrt(items), items - 1.0
    if is_negligible(error, scale):
        return Estimate(mean, n, items, people, note=_NO_WIDTH)
    reach = t_reach(error, df, level)
    return Estimate(
        mean,
        n,
        items,
        people,
        interval=Interval(mean - reach, mean + reach, level),
        standard_error=error,
        df=df,
        p=t_test(mean, error, df),
    )
