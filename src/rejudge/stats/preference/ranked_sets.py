"""Counts of rankings: which systems were chosen from which sets.

A ranking is a sequence of choices: the first from all that were ranked, the second from the rest,
and so on. The Plackett–Luce likelihood depends on rankings only through how often each system was
chosen and how often each set of systems was chosen from, so these are counted once. All orders of
tied systems count equally.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import comb

import numpy as np
from numpy.typing import NDArray

from rejudge.stats.arrays import Codes, Numbers
from rejudge.stats.preference.choice_model import JudgedSets

MOST_SYSTEMS = 62  # a set of systems is the bits of one whole number
MOST_TIED = 10  # in one place of a ranking: all orders of them are counted

_BLOCK = 4_000_000  # how many numbers a block of the computation may hold


@dataclass(frozen=True, slots=True)
class Rankings:
    """Rankings by row, one row for each system in them, the best of each ranking first.

    Places are numbered over all rankings; systems that tie share one. `is_chosen` is False for
    systems that were shown but not ranked: they lie below the others, in no known order.
    """

    ranking: Codes  # of each row, numbered from 0
    system: Codes
    place: Codes
    is_chosen: NDArray[np.bool_]
    start: Codes  # the first row of each place
    size: Codes  # of each place: how many systems share it
    systems: int

    @classmethod
    def of(cls, sets: JudgedSets) -> Rankings:
        """The rankings of two systems or more, by their scores: higher is better, equal is a tie,
        and −∞ is shown but not ranked."""
        rows = np.flatnonzero(np.bincount(sets.judgment)[sets.judgment] > 1)
        order = rows[np.lexsort((sets.system[rows], -sets.score[rows], sets.judgment[rows]))]
        ranking = np.unique(sets.judgment[order], return_inverse=True)[1]
        score = sets.score[order]
        begins = np.ones(len(order), dtype=np.bool_)
        begins[1:] = (ranking[1:] != ranking[:-1]) | (score[1:] != score[:-1])
        start = np.flatnonzero(begins)
        size = np.diff(np.append(start, len(order)))
        is_chosen = ~np.isneginf(score)
        return cls(
            ranking,
            sets.system[order],
            np.cumsum(begins) - 1,
            is_chosen,
            start,
            size,
            sets.systems,
        )

    @property
    def n(self) -> int:
        """Rankings."""
        return int(self.ranking[-1]) + 1 if len(self.ranking) else 0

    @property
    def ties(self) -> int:
        """Rankings with a tie."""
        tied = self.size[self.place] > 1
        return len(np.unique(self.ranking[tied & self.is_chosen]))

    def below(self, amount: Numbers | NDArray[np.int64]) -> NDArray[np.float64 | np.int64]:
        """The sum of an amount over all that lies below each place in its ranking."""
        after = np.cumsum(amount[::-1])[::-1] - amount  # over all rows below, of any ranking
        last = self.start + self.size - 1
        end = np.searchsorted(self.ranking, self.ranking[last], side="right") - 1
        return np.asarray(after[last] - after[end])

    def places_of(self, size: int) -> Codes:
        """The places that so many chosen systems share."""
        return np.flatnonzero((self.size == size) & self.is_chosen[self.start])

    def sizes(self) -> list[int]:
        """How many chosen systems share a place, each number once."""
        return [int(size) for size in np.unique(self.size[self.is_chosen[self.start]])]

    def members(self, places: Codes, size: int) -> Codes:
        """The systems in these places, which all have this size."""
        return np.asarray(self.system[self.start[places][:, np.newaxis] + np.arange(size)])


@dataclass(frozen=True, slots=True)
class ChosenFrom:
    """How often each set of systems was chosen from, and how often each system was chosen."""

    sets: NDArray[np.int64]  # each the bits of its systems
    often: Numbers
    chosen: Numbers
    above: NDArray[np.bool_]  # whether the system of the row was ever above that of the column
    met: NDArray[np.bool_]  # whether two systems were ever in one ranking


def count_choices(rankings: Rankings) -> ChosenFrom:
    """Count the choices in rankings; of tied systems each order counts alike."""
    bit = np.left_shift(np.int64(1), rankings.system.astype(np.int64))
    below = rankings.below(bit).astype(np.int64)
    masks, weights = [], []
    for size in rankings.sizes():
        places = rankings.places_of(size)
        picks, share = orders(size)
        members = np.left_shift(np.int64(1), rankings.members(places, size).astype(np.int64))
        found = (members @ picks.T + below[places][:, np.newaxis]).ravel()
        mask, place = np.unique(found, return_inverse=True)
        masks.append(mask)
        weights.append(np.bincount(place, np.tile(share, len(places))))
    sets, place = np.unique(np.concatenate(masks), return_inverse=True)
    often = np.bincount(place, np.concatenate(weights)).astype(np.float64)
    chosen = np.bincount(rankings.system[rankings.is_chosen], minlength=rankings.systems)
    above, met = _above(rankings, bit, below)
    return ChosenFrom(sets, often, chosen.astype(np.float64), above, met)


def _above(
    rankings: Rankings, bit: NDArray[np.int64], below: NDArray[np.int64]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Who was above whom (ties both ways), and who was ranked together."""
    level = np.bincount(rankings.place, minlength=len(rankings.size))[rankings.place] > 1
    own = np.zeros(len(rankings.size), dtype=np.int64)
    np.bitwise_or.at(own, rankings.place, bit)
    beaten = below[rankings.place] | np.where(level, own[rankings.place] & ~bit, 0)
    whole = np.zeros(rankings.n, dtype=np.int64)
    np.bitwise_or.at(whole, rankings.ranking, bit)
    above = _table(rankings, np.where(rankings.is_chosen, beaten, 0))
    return above, _table(rankings, whole[rankings.ranking])


def _table(rankings: Rankings, mask: NDArray[np.int64]) -> NDArray[np.bool_]:
    together = np.zeros(rankings.systems, dtype=np.int64)
    np.bitwise_or.at(together, rankings.system, mask)
    return in_sets(together, rankings.systems)


def in_sets(sets: NDArray[np.int64], systems: int) -> NDArray[np.bool_]:
    """Sets as a table: rows of sets, columns of systems."""
    return np.asarray(sets[:, np.newaxis] >> np.arange(systems) & 1, dtype=np.bool_)


@cache
def orders(size: int) -> tuple[NDArray[np.int64], Numbers]:
    """The sets that are left of so many tied systems in all their orders, and each one's share."""
    picks = np.array(
        [[number >> place & 1 for place in range(size)] for number in range(1, 2**size)]
    )
    return picks, np.array([1 / comb(size, int(pick.sum())) for pick in picks])


def residuals(rankings: Rankings, worth: Numbers) -> Numbers:
    """How often each row's system was chosen in its ranking (0 or 1), minus what is expected."""
    own = worth[rankings.system]
    below = rankings.below(own)
    passed = np.zeros(len(rankings.size))  # of each place: Σ 1 / worth of the sets chosen from
    at_place = np.zeros(len(rankings.system))
    for size in rankings.sizes():
        picks, share = orders(size)
        every = rankings.places_of(size)
        step = max(1, _BLOCK // len(picks))
        for first in range(0, len(every), step):
            places = every[first : first + step]
            members = worth[rankings.members(places, size)]
            inverse = share / (below[places][:, np.newaxis] + members @ picks.T)
            passed[places] = inverse.sum(axis=1)
            rows = rankings.start[places][:, np.newaxis] + np.arange(size)
            at_place[rows] = members * (inverse @ picks)
    before = np.cumsum(passed) - passed
    first_place = np.unique(rankings.ranking, return_index=True)[1]
    origin = before[rankings.place[first_place]][rankings.ranking]
    expected = at_place + own * (before[rankings.place] - origin)
    return np.asarray(rankings.is_chosen - expected)
