"""Rank and sign tests of two groups or pairs, without assuming a normal distribution.

Like the t tests they assume independent values or pairs, which judgments of shared items or by
shared participants are not. The differences are Hodges–Lehmann estimates: medians of all pairwise
differences or averages, with the interval that belongs to the test (Hollander, Wolfe & Chicken).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from rejudge.english import join_notes
from rejudge.errors import require_known
from rejudge.stats.arrays import Numbers, refuse_missing, round_off, scale_of
from rejudge.stats.estimate import Interval
from rejudge.stats.testing.classical import Alternative, Contrast, require_pairs
from rejudge.stats.testing.effect_sizes import Effect

_Ranks: TypeAlias = NDArray[np.int64]

_EXACT_UP_TO = 50  # values; beyond, the normal approximation is good to three digits

_ALL_TIED = "Every pair is tied: p is 1 by convention, and nothing was tested."
_NO_VALUES = "Undefined: one of the groups is empty."
_SHORT = "No interval: so few values cannot exclude anything at this level."


def wilcoxon(
    first: Numbers,
    second: Numbers,
    *,
    alternative: Alternative = "two-sided",
    level: float = 0.95,
) -> Contrast:
    """Signed-rank test of pairs (Wilcoxon 1945): do the differences lie symmetrically about 0?

    Assumes independent pairs and differences of symmetric distribution, on a scale where
    differences can be ordered. Tied pairs are left out of the test, as Wilcoxon did;
    equal differences share their mean rank. p is exact up to 50 pairs, ties included, and beyond
    from the normal approximation with corrections for ties and continuity. The statistic is the
    rank sum of the positive differences. Not where pairs share items or participants.
    """
    require_known(alternative, get_args(Alternative), option="alternative")
    require_pairs(first, second)
    change = _changes(first, second)
    n = len(change)
    moved = change[change != 0]
    shell = Contrast(None, (n, n), "Wilcoxon signed-rank", alternative=alternative)
    if not n:
        return replace(shell, note="Undefined: there are no pairs.")
    if not len(moved):
        return replace(shell, value=0.0, p=1.0, note=_ALL_TIED)
    ranks = _doubled_ranks(np.abs(moved))
    plus, total = int(ranks[moved > 0].sum()), int(ranks.sum())
    exact = len(moved) <= _EXACT_UP_TO
    p = (_signed_p if exact else _signed_p_normal)(ranks, plus, alternative)
    sums, count = _Sums(change / 2, np.sort(change / 2), symmetric=True), n * (n + 1) // 2
    limits, reason = _limits(count, _signed_cut(n, level), sums, level)
    left_out = n - len(moved)
    return replace(
        shell,
        value=_middle(count, sums),
        statistic=plus / 2,
        p=p,
        interval=limits,
        effect=Effect((2 * plus - total) / total, "rank-biserial", len(moved)),
        note=join_notes(_tied_pairs_note(left_out), reason),
    )


def mann_whitney(
    first: Numbers,
    second: Numbers,
    *,
    alternative: Alternative = "two-sided",
    level: float = 0.95,
) -> Contrast:
    """Rank-sum test of two independent groups (Mann & Whitney 1947).

    Tests whether a value of the first group is as likely above as below one of the second. It is a
    test of medians only if the two distributions have one shape. Exact up to 50 values in all, ties
    included; beyond, normal with corrections for ties and continuity. The statistic is U of the
    first group; the effect is the rank-biserial correlation 2U/(n₁n₂) − 1. Not for judgments that
    share items or participants.
    """
    require_known(alternative, get_args(Alternative), option="alternative")
    one, two = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    refuse_missing(one, two)
    sizes = len(one), len(two)
    shell = Contrast(None, sizes, "Mann–Whitney U", alternative=alternative)
    if not min(sizes):
        return replace(shell, note=_NO_VALUES)
    ranks = _doubled_ranks(np.concatenate([one, two]))
    doubled_u = int(ranks[: sizes[0]].sum()) - sizes[0] * (sizes[0] + 1)
    pairs = sizes[0] * sizes[1]
    effect = Effect(doubled_u / pairs - 1, "rank-biserial", sum(sizes))
    if np.ptp(ranks) == 0:
        return replace(shell, value=0.0, note="Undefined: all values are equal.")
    exact = sum(sizes) <= _EXACT_UP_TO
    p = (_u_p if exact else _u_p_normal)(ranks, sizes, doubled_u, alternative)
    sums = _Sums(one, np.sort(-two))
    limits, reason = _limits(pairs, _u_cut(sizes, level), sums, level)
    return replace(
        shell,
        value=_middle(pairs, sums),
        statistic=doubled_u / 2,
        p=p,
        interval=limits,
        effect=effect,
        note=reason,
    )


def mann_whitney_r(first: Numbers, second: Numbers) -> Effect:
    """The effect Z/√N that goes with a rank-sum test (Rosenthal 1994), Z corrected for ties only.

    It has no simple meaning, unlike the rank-biserial correlation, but is often printed.
    """
    one, two = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    refuse_missing(one, two)
    sizes, n = (len(one), len(two)), len(one) + len(two)
    if not min(sizes):
        return Effect(None, "r", n, note=_NO_VALUES)
    ranks = _doubled_ranks(np.concatenate([one, two]))
    if np.ptp(ranks) == 0:
        return Effect(None, "r", n, note="Undefined: all values are equal.")
    doubled_u = int(ranks[: sizes[0]].sum()) - sizes[0] * (sizes[0] + 1)
    z = (doubled_u - sizes[0] * sizes[1]) / 2 / math.sqrt(_u_variance(ranks, sizes))
    return Effect(z / math.sqrt(n), "r", n)


def sign_test(
    first: Numbers,
    second: Numbers,
    *,
    alternative: Alternative = "two-sided",
    level: float = 0.95,
) -> Contrast:
    """How often the first of a pair is higher than the second, against one half.

    Assumes independent pairs and nothing about the differences. Tied pairs are left out; if all
    are tied, p is 1 by convention. `value` is the median difference with its order-statistic
    interval, the statistic is the number of pairs in which the first is higher, and the effect is
    its share of those not tied, with the exact interval of Clopper & Pearson (1934). Judgments of
    one item or by one participant are not independent pairs: use `sign_flip`.
    """
    require_known(alternative, get_args(Alternative), option="alternative")
    from scipy.special import bdtr

    require_pairs(first, second)
    change = np.sort(_changes(first, second))
    n, up, down = len(change), int((change > 0).sum()), int((change < 0).sum())
    shell = Contrast(None, (n, n), "sign test", alternative=alternative)
    if not n:
        return replace(shell, note="Undefined: there are no pairs.")
    value, decided = float(np.median(change)), up + down
    if not decided:
        return replace(shell, value=value, statistic=0.0, p=1.0, note=_ALL_TIED)
    rank = _lower_rank(lambda k: float(bdtr(k - 1, n, 0.5)), n, level)
    limits = Interval(float(change[rank - 1]), float(change[n - rank]), level) if rank else None
    return replace(
        shell,
        value=value,
        statistic=float(up),
        p=_sign_p(up, down, alternative),
        interval=limits,
        effect=Effect(up / decided, "share", decided, _clopper_pearson(up, decided, level)),
        note=join_notes(_tied_pairs_note(n - decided), "" if rank else _SHORT),
    )


def _changes(first: Numbers, second: Numbers) -> Numbers:
    """First minus second, where 0.3 − 0.2 and 0.2 − 0.1 are the same change."""
    one, two = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    refuse_missing(one, two)
    return round_off(one - two, scale_of(one, two))


def _doubled_ranks(values: Numbers) -> _Ranks:
    """Twice the mean ranks: whole numbers even where values are equal."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return np.asarray((2 * last - counts + 1)[place], dtype=np.int64)


def _sign_p(up: int, down: int, alternative: Alternative) -> float:
    """How likely so many or more tosses of a coin fall the same way."""
    from scipy.special import bdtr

    if alternative == "two-sided":
        return min(1.0, 2 * float(bdtr(min(up, down), up + down, 0.5)))
    return float(bdtr(down if alternative == "greater" else up, up + down, 0.5))


def _signed_p(ranks: _Ranks, plus: int, alternative: Alternative) -> float:
    """As far from the middle or further, over all patterns of signs."""
    chance = _signed_chances([int(rank) for rank in ranks])
    middle = len(chance) - 1  # doubled: the sums run from 0 to this number
    off = 2 * np.arange(len(chance)) - middle
    return min(1.0, float(chance[_as_far(off, 2 * plus - middle, alternative)].sum()))


def _as_far(off: _Ranks, observed: int, alternative: Alternative) -> NDArray[np.bool_]:
    """Which distances from the middle are as extreme as the observed one."""
    if alternative == "two-sided":
        return np.asarray(np.abs(off) >= abs(observed))
    return np.asarray(off >= observed if alternative == "greater" else off <= observed)


def _signed_chances(ranks: list[int]) -> Numbers:
    """Chance of each rank sum of the positive ones when every sign is a toss."""
    chance = np.zeros(sum(ranks) + 1)
    chance[0] = 1.0
    for rank in ranks:
        moved = np.zeros_like(chance)
        moved[rank:] = chance[: len(chance) - rank]
        chance = (chance + moved) / 2
    return chance


def _signed_p_normal(ranks: _Ranks, plus: int, alternative: Alternative) -> float:
    mean, variance = ranks.sum() / 4, float((ranks.astype(np.float64) ** 2).sum()) / 16
    return _normal_p(plus / 2 - mean, variance, alternative)


def _u_p(ranks: _Ranks, sizes: tuple[int, int], doubled_u: int, alternative: Alternative) -> float:
    """Over all ways to choose the first group from the pooled values."""
    chance = _u_chances(ranks, sizes)
    middle = sizes[0] * sizes[1]
    off = np.arange(len(chance)) - sizes[0] * (sizes[0] + 1) - middle
    return min(1.0, float(chance[_as_far(off, doubled_u - middle, alternative)].sum()))


def _u_chances(ranks: _Ranks, sizes: tuple[int, int]) -> Numbers:
    """Chance of each doubled rank sum of the first group."""
    ways = np.zeros((sizes[0] + 1, int(ranks.sum()) + 1))
    ways[0, 0] = 1.0
    for rank in ranks:
        ways[1:, rank:] += ways[:-1, : ways.shape[1] - rank].copy()
    return np.asarray(ways[sizes[0]] / math.comb(sum(sizes), sizes[0]))


def _u_p_normal(
    ranks: _Ranks, sizes: tuple[int, int], doubled_u: int, alternative: Alternative
) -> float:
    off = (doubled_u - sizes[0] * sizes[1]) / 2
    return _normal_p(off, _u_variance(ranks, sizes), alternative)


def _u_variance(ranks: _Ranks, sizes: tuple[int, int]) -> float:
    n = sum(sizes)
    counts = np.unique(ranks, return_counts=True)[1].astype(np.float64)
    ties = float((counts**3 - counts).sum()) / (n * (n - 1))
    return sizes[0] * sizes[1] / 12 * (n + 1 - ties)


def _normal_p(off: float, variance: float, alternative: Alternative) -> float:
    """How likely so large a distance from the middle is, corrected for continuity."""
    from scipy.special import ndtr

    if alternative == "two-sided":
        return min(1.0, 2 * float(ndtr(-max(0.0, abs(off) - 0.5) / math.sqrt(variance))))
    ahead = off if alternative == "greater" else -off
    return float(ndtr(-(ahead - 0.5) / math.sqrt(variance)))


def _signed_cut(n: int, level: float) -> int:
    """How many of the ordered averages lie outside the interval on each side, plus one."""
    if n <= _EXACT_UP_TO:
        chances = np.cumsum(_signed_chances(list(range(1, n + 1))))
        return _lower_rank(lambda k: float(chances[k - 1]), len(chances), level)
    spread = math.sqrt(n * (n + 1) * (2 * n + 1) / 24)
    return max(0, math.floor(n * (n + 1) / 4 - _z(level) * spread))


def _u_cut(sizes: tuple[int, int], level: float) -> int:
    n, pairs = sum(sizes), sizes[0] * sizes[1]
    if n <= _EXACT_UP_TO:
        chances = _u_chances(2 * np.arange(1, n + 1), sizes)
        start = sizes[0] * (sizes[0] + 1)
        cumulated = np.cumsum(chances[start::2])
        return _lower_rank(lambda k: float(cumulated[k - 1]), pairs, level)
    return max(0, math.floor(pairs / 2 - _z(level) * math.sqrt(pairs * (n + 1) / 12)))


def _lower_rank(cumulated: Callable[[int], float], most: int, level: float) -> int:
    """The largest k for which k − 1 or fewer has a chance of at most (1 − level)/2; 0 for none."""
    rank = 0
    while rank < most and cumulated(rank + 1) <= (1 - level) / 2 + 1e-15:
        rank += 1
    return rank


def _z(level: float) -> float:
    from scipy.special import ndtri

    return float(ndtri((1 + level) / 2))


def _limits(count: int, rank: int, sums: _Sums, level: float) -> tuple[Interval | None, str]:
    if not rank:
        return None, _SHORT
    return Interval(sums.smallest(rank), sums.smallest(count + 1 - rank), level), ""


def _middle(count: int, sums: _Sums) -> float:
    """The median of all pairwise differences or averages."""
    return (sums.smallest((count + 1) // 2) + sums.smallest(count // 2 + 1)) / 2


@dataclass(frozen=True, slots=True)
class _Sums:
    """All sums of one number of each list, ordered by counting, for there may be too many to list.

    With `symmetric`, the two lists are one, and each two of it are added once.
    """

    one: Numbers
    two: Numbers  # in order
    symmetric: bool = False

    def smallest(self, k: int) -> float:
        """The k-th smallest sum, by halving where it can be."""
        slack = 1e-9 * max(float(np.abs(self.one).max()), float(np.abs(self.two).max()), 1e-300)
        low = float(self.one.min() + self.two[0]) - slack
        high = float(self.one.max() + self.two[-1]) + slack
        while low < (middle := (low + high) / 2) < high:
            low, high = (low, middle) if self._up_to(middle) >= k else (middle, high)
        return self._nearest(high)

    def _up_to(self, limit: float) -> int:
        count = int(np.searchsorted(self.two, limit - self.one, side="right").sum())
        if not self.symmetric:
            return count
        return (count + int(np.searchsorted(self.two, limit / 2, side="right"))) // 2

    def _nearest(self, limit: float) -> float:
        """The sum there is at that place: halving leaves it beside its last digit."""
        place = np.searchsorted(self.two, limit - self.one)
        last = len(self.two) - 1
        sums = self.one + self.two[np.clip(np.stack([place - 1, place]), 0, last)]
        return float(sums.flat[int(np.argmin(np.abs(sums - limit)))])


def _clopper_pearson(hits: int, n: int, level: float) -> Interval:
    from scipy.special import betaincinv

    tail = (1 - level) / 2
    low = float(betaincinv(hits, n - hits + 1, tail)) if hits else 0.0
    high = float(betaincinv(hits + 1, n - hits, 1 - tail)) if hits < n else 1.0
    return Interval(low, high, level)


def _tied_pairs_note(left_out: int) -> str:
    noun = "pair" if left_out == 1 else "pairs"
    return f"{left_out} tied {noun} left out of the test." if left_out else ""
