"""Rank and sign tests of two groups or pairs, and correlations of lists of scores.

Like the t tests, the tests assume independent values or pairs, which judgments of shared items or
by shared participants are not. Their differences are Hodges–Lehmann estimates: medians of all
pairwise differences or averages, with the interval that belongs to the test (Hollander, Wolfe &
Chicken).

Lists of three to six systems are common in correlations, and there the usual p values are far off:
a perfect order of three is one of six, whatever the formula gives. Rank correlations of nine values
or fewer are therefore tested against all permutations.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from rejudge.errors import DataError, require_known
from rejudge.stats.arrays import Numbers, is_negligible, refuse_missing, round_off, scale_of
from rejudge.stats.estimate import Alternative, Contrast, Effect, Estimate, Interval, Test
from rejudge.stats.reasons import Reason, Why
from rejudge.stats.testing.classical import require_pairs

PMethod: TypeAlias = Literal["default", "t", "permutation"]
WTies: TypeAlias = Literal["corrected", "uncorrected"]
_Ranks: TypeAlias = NDArray[np.int64]

EXACT_UP_TO = 9  # values of a correlation: 362,880 orders
_EXACT_UP_TO = 50  # values of a test; beyond, the normal approximation is good to three digits
_COUNTED_UP_TO = 60  # Kendall's tau without ties: orders are counted by a recursion
_LISTED_UP_TO = 2_000
_ORDERS_OF_SETS = 600_000
_FISHER_NEEDS = 4
_FISHER_NEEDS_FOR_RANKS = 10
_CLOSE = 1e-9

_ALL_TIED = Why.ALL_TIED(what="pair")
_NO_PAIRS = Why.NEEDS(least="one", what="pair")
_NO_VALUES = Why.NOT_JUDGED(what="groups")
_ALL_EQUAL = Why.SAME(what="values")
_SHORT = Why.NO_BOUND(cause="so few values cannot exclude anything at this level")
_TWO = Why.NO_BOUND("p", cause="any two points lie on a line")
_PERFECT = Why.PERFECT()
_PERFECT_NO_P = Why.PERFECT("test")
_W_METHODS: dict[WTies, str] = {
    "corrected": "Kendall's W, corrected for ties",
    "uncorrected": "Kendall's W, not corrected for ties",
}


def wilcoxon(
    first: Numbers,
    second: Numbers,
    *,
    alternative: Alternative = "two-sided",
    level: float = 0.95,
) -> Contrast:
    """Signed-rank test of pairs (Wilcoxon 1945): do the differences lie symmetrically about 0?

    Assumes independent pairs and differences of symmetric distribution, on a scale where
    differences can be ordered. Tied pairs are left out of the test, as Wilcoxon did, and so of the
    estimate and its interval; equal differences share their mean rank. p is exact up to 50 pairs,
    ties included, and beyond from the normal approximation with corrections for ties and
    continuity. The statistic is the rank sum of the positive differences. Not where pairs share
    items or participants.
    """
    require_known(alternative, get_args(Alternative), option="alternative")
    require_pairs(first, second)
    change = _changes(first, second)
    n = len(change)
    moved = change[change != 0]
    shell = _Shell("W", "Wilcoxon signed-rank", n, alternative)
    if not n:
        return shell.result(None, reasons=(_NO_PAIRS,))
    if not len(moved):
        return shell.result(0.0, 1.0, reasons=(_ALL_TIED,))
    ranks = _doubled_ranks(np.abs(moved))
    plus, total = int(ranks[moved > 0].sum()), int(ranks.sum())
    exact = len(moved) <= _EXACT_UP_TO
    p = (_signed_p if exact else _signed_p_normal)(ranks, plus, alternative)
    kept = len(moved)
    sums, count = _Sums(moved / 2, np.sort(moved / 2), symmetric=True), kept * (kept + 1) // 2
    limits, reason = _limits(count, _signed_cut(kept, level), sums, level)
    left_out = n - kept
    return shell.result(
        _middle(count, sums),
        p,
        plus / 2,
        interval=limits,
        effect=Effect((2 * plus - total) / total, "rank-biserial", len(moved)),
        reasons=(*_tied_pairs(left_out, n), *reason),
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
    shell = _Shell("U", "Mann–Whitney U", sum(sizes), alternative)
    if not min(sizes):
        return shell.result(None, reasons=(_NO_VALUES,))
    ranks = _doubled_ranks(np.concatenate([one, two]))
    doubled_u = int(ranks[: sizes[0]].sum()) - sizes[0] * (sizes[0] + 1)
    pairs = sizes[0] * sizes[1]
    effect = Effect(doubled_u / pairs - 1, "rank-biserial", sum(sizes))
    if np.ptp(ranks) == 0:
        return shell.result(0.0, reasons=(_ALL_EQUAL,))
    exact = sum(sizes) <= _EXACT_UP_TO
    p = (_u_p if exact else _u_p_normal)(ranks, sizes, doubled_u, alternative)
    sums = _Sums(one, np.sort(-two))
    limits, reason = _limits(pairs, _u_cut(sizes, level), sums, level)
    return shell.result(
        _middle(pairs, sums), p, doubled_u / 2, interval=limits, effect=effect, reasons=reason
    )


def mann_whitney_r(first: Numbers, second: Numbers) -> Effect:
    """The effect Z/√N that goes with a rank-sum test (Rosenthal 1994), Z corrected for ties only.

    It has no simple meaning, unlike the rank-biserial correlation, but is often printed.
    """
    one, two = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    refuse_missing(one, two)
    sizes, n = (len(one), len(two)), len(one) + len(two)
    if not min(sizes):
        return Effect(None, "r", n, reasons=(_NO_VALUES,))
    ranks = _doubled_ranks(np.concatenate([one, two]))
    if np.ptp(ranks) == 0:
        return Effect(None, "r", n, reasons=(_ALL_EQUAL,))
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
    shell = _Shell("", "sign test", n, alternative)
    if not n:
        return shell.result(None, reasons=(_NO_PAIRS,))
    value, decided = float(np.median(change)), up + down
    if not decided:
        return shell.result(value, 1.0, 0.0, reasons=(_ALL_TIED,))
    rank = _lower_rank(lambda k: float(bdtr(k - 1, n, 0.5)), n, level)
    limits = Interval(float(change[rank - 1]), float(change[n - rank]), level) if rank else None
    return shell.result(
        value,
        _sign_p(up, down, alternative),
        float(up),
        interval=limits,
        effect=Effect(up / decided, "share", decided, _clopper_pearson(up, decided, level)),
        reasons=(*_tied_pairs(n - decided, n), *(() if rank else (_SHORT,))),
    )


@dataclass(frozen=True, slots=True)
class _Shell:
    """What is known of a test before it is made."""

    name: str
    method: str
    n: int
    alternative: Alternative

    def result(
        self,
        value: float | None,
        p: float | None = None,
        statistic: float | None = None,
        *,
        interval: Interval | None = None,
        effect: Effect | None = None,
        reasons: tuple[Reason, ...] = (),
    ) -> Contrast:
        test = Test(
            p,
            self.name,
            statistic,
            n=self.n,
            alternative=self.alternative,
            method=self.method,
            effects=() if effect is None else (effect,),
        )
        return Contrast(
            value, self.n, interval=interval, counted="values", test=test, reasons=reasons
        )


def _tied_pairs(left_out: int, pairs: int) -> tuple[Reason, ...]:
    if not left_out:
        return ()
    return (Why.LEFT_OUT(n=left_out, total=pairs, what="pairs are tied"),)


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


def _limits(
    count: int, rank: int, sums: _Sums, level: float
) -> tuple[Interval | None, tuple[Reason, ...]]:
    if not rank:
        return None, (_SHORT,)
    return Interval(sums.smallest(rank), sums.smallest(count + 1 - rank), level), ()


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


def pearson(
    x: Numbers, y: Numbers, *, p_value: PMethod = "default", level: float = 0.95
) -> Estimate:
    """Linear correlation, with Fisher's interval from four pairs on.

    By default p comes from Student's t with n − 2 degrees of freedom, exact for normal values;
    `permutation` counts all orders of nine or fewer values instead.
    """
    require_known(p_value, get_args(PMethod), option="p_value")
    one, two = _numbers(x, y)
    n = len(one)
    reason = _reason(one, two)
    if reason:
        return Estimate(None, n, counted="pairs", reasons=(reason,))
    r = _product_moment(one, two)
    if n == 2:
        return Estimate(r, n, counted="pairs", reasons=(_TWO,))
    limits = _fisher_interval(r, n, level=level)
    reasons: tuple[Reason, ...] = ()
    if limits is None:
        reasons = (
            _PERFECT if n >= _FISHER_NEEDS else Why.NEEDS("interval", least="four", what="values"),
        )
    perfect = abs(r) > 1 - _CLOSE and p_value == "default"  # there is no t, but there are orders
    if (p_value == "permutation" and _can_permute(n)) or (perfect and n <= EXACT_UP_TO):
        exact = Test(_permutation_p(one, two), "", n=n, is_exact=True)
        return Estimate(r, n, interval=limits, counted="pairs", test=exact, reasons=reasons)
    if perfect:
        return Estimate(r, n, counted="pairs", reasons=(_PERFECT_NO_P,))
    test = Test(t_approximation(r, n), "t", df=(n - 2.0,), n=n)
    return Estimate(r, n, interval=limits, counted="pairs", test=test, reasons=reasons)


def spearman(
    x: Numbers, y: Numbers, *, p_value: PMethod = "default", level: float = 0.95
) -> Estimate:
    """Correlation of ranks, equal values sharing their mean rank.

    By default p counts all orders up to nine values, and comes from Student's t beyond; `t` asks
    for the approximation whatever the number, as many programs print it. From ten values on there
    is an interval after Bonett & Wright (2000).
    """
    require_known(p_value, get_args(PMethod), option="p_value")
    one, two = _numbers(x, y)
    n = len(one)
    reason = _reason(one, two)
    if reason:
        return Estimate(None, n, counted="pairs", reasons=(reason,))
    ranks = _ranks(one), _ranks(two)
    rho = _product_moment(*ranks)
    if n == 2:
        return Estimate(rho, n, counted="pairs", reasons=(_TWO,))
    exact = p_value == "permutation" or (p_value == "default" and n <= EXACT_UP_TO)
    if exact and _can_permute(n):
        p = _permutation_p(*ranks)
        return Estimate(rho, n, counted="pairs", test=Test(p, "", n=n, is_exact=True))
    is_perfect = abs(rho) > 1 - _CLOSE
    if is_perfect and p_value != "t":
        return Estimate(rho, n, counted="pairs", reasons=(_PERFECT_NO_P,))
    short = Why.FEW(n=n, what="values", effect="a p from Student's t is unreliable")
    return Estimate(
        rho,
        n,
        interval=_bonett_wright(rho, n, level=level),
        counted="pairs",
        test=Test(t_approximation(rho, n), "t", df=(n - 2.0,), n=n),
        reasons=(_PERFECT_NO_P,) if is_perfect else (short,) if n <= EXACT_UP_TO else (),
    )


def kendall_tau(x: Numbers, y: Numbers) -> Estimate:
    """Pairs in the same order minus pairs in the opposite one, τ-b: corrected for ties.

    p counts all orders up to nine values, and up to sixty where no values are equal; beyond, it is
    normal with the variance for ties (Kendall 1970).
    """
    one, two = _numbers(x, y)
    n = len(one)
    reason = _reason(one, two)
    if reason:
        return Estimate(None, n, counted="pairs", reasons=(reason,))
    score, untied = _concordant(one, two)
    tau = score / math.sqrt(untied[0] * untied[1])
    if n == 2:
        return Estimate(tau, n, counted="pairs", reasons=(_TWO,))
    if n <= EXACT_UP_TO:
        test = Test(_tau_permutation_p(one, two), n=n, is_exact=True)
    elif untied == (n * (n - 1) // 2,) * 2 and n <= _COUNTED_UP_TO:
        test = Test(_tau_counted_p(n, score), n=n, is_exact=True)
    else:
        test = Test(_tau_normal_p(one, two, score), "z", n=n)
    return Estimate(tau, n, counted="pairs", test=test)


def kendall_w(scores: Numbers, *, ties: WTies = "corrected") -> Estimate:
    """Agreement of several lists on the order of the same things; one row per list.

        W = 12 S / (m² (k³ − k) − m Σ (t³ − t)),   S = Σ_j (R_j − m (k + 1)/2)²

    with mean ranks and the correction for t equal values (Kendall & Babington Smith 1939). Many
    published figures leave out the correction, m Σ (t³ − t); `uncorrected` repeats them. It cannot
    reach 1 where values are tied. p counts all orders where there are at most 600,000, and else
    comes from χ² = m (k − 1) W, which is rough below eight things.
    """
    require_known(ties, get_args(WTies), option="ties")
    table = np.asarray(scores, dtype=np.float64)
    refuse_missing(table)
    m, k = table.shape
    reason = Why.NEEDS(least="two", what="lists of two or more values") if min(m, k) < 2 else None
    ranks = np.array([_ranks(row) for row in table])
    most, tied = m * m * (k**3 - k), m * sum(_ties(row) for row in table)
    if reason is None and most <= tied:
        reason = Why.TIED(what="values", within="list")
    if reason:
        return Estimate(None, k, participants=m, counted="items", reasons=(reason,))
    w = 12 * _squares(ranks.sum(axis=0)) / (most - tied if ties == "corrected" else most)
    is_exact = (m - 1) * math.lgamma(k + 1) <= math.log(_ORDERS_OF_SETS)
    statistic = m * (k - 1) * w
    p = _w_permutation_p(ranks) if is_exact else _chi_square_p(statistic, k - 1)
    test = Test(
        p, "chi²", statistic, (k - 1.0,), n=k, groups=m, method=_W_METHODS[ties], is_exact=is_exact
    )
    return Estimate(w, k, participants=m, counted="items", test=test)


def _fisher_interval(r: float, n: int, *, level: float = 0.95) -> Interval | None:
    """Interval of a correlation by Fisher's z (1921); None below four pairs or where |r| is 1."""
    if n < _FISHER_NEEDS or abs(r) > 1 - _CLOSE:
        return None
    return _around_z(r, 1 / math.sqrt(n - 3), level)


def _bonett_wright(rho: float, n: int, *, level: float) -> Interval | None:
    if n < _FISHER_NEEDS_FOR_RANKS or abs(rho) > 1 - _CLOSE:
        return None
    return _around_z(rho, math.sqrt((1 + rho * rho / 2) / (n - 3)), level)


def _around_z(r: float, error: float, level: float) -> Interval:
    from scipy.special import ndtri

    z, reach = math.atanh(r), float(ndtri((1 + level) / 2)) * error
    return Interval(math.tanh(z - reach), math.tanh(z + reach), level)


def _numbers(x: Numbers, y: Numbers) -> tuple[Numbers, Numbers]:
    one, two = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if len(one) != len(two):
        raise DataError(
            f"A correlation needs two lists of one length, got {len(one)} and {len(two)}. "
            "Join them by what was scored first."
        )
    refuse_missing(one, two)
    return one, two


def _reason(one: Numbers, two: Numbers) -> Reason | None:
    if len(one) < 2:
        return Why.NEEDS(least="two", what="pairs of values")
    flat = [name for name, each in (("first", one), ("second", two)) if _is_constant(each)]
    return Why.SAME(what=f"values of the {' and the '.join(flat)}") if flat else None


def _is_constant(values: Numbers) -> bool:
    return is_negligible(float(np.ptp(values)), scale_of(values))


def _can_permute(n: int) -> bool:
    if n > EXACT_UP_TO:
        raise DataError(
            f"All orders of {n} values are too many to count; at most {EXACT_UP_TO} can be. "
            "Ask for the default p."
        )
    return True


def _product_moment(one: Numbers, two: Numbers) -> float:
    a, b = one - one.mean(), two - two.mean()
    a, b = a / np.abs(a).max(), b / np.abs(b).max()  # squares of tiny or huge values would be lost
    r = float(a @ b) / math.sqrt(float(a @ a) * float(b @ b))
    return min(1.0, max(-1.0, r))


def _ranks(values: Numbers) -> Numbers:
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return np.asarray((last - (counts - 1) / 2)[place])


def _ties(values: Numbers) -> int:
    return sum(int(count**3 - count) for count in np.unique(values, return_counts=True)[1])


def _squares(sums: Numbers) -> float:
    return float(((sums - sums.mean()) ** 2).sum())


def t_approximation(r: float, n: int) -> float:
    """t = r √((n − 2) / (1 − r²)), by the beta distribution so that |r| = 1 needs no division."""
    from scipy.special import betainc

    return float(betainc((n - 2) / 2, 0.5, max(0.0, 1 - r * r)))


@cache
def permutations(n: int) -> NDArray[np.int8]:
    """All orders of n things, one per row."""
    if n == 1:
        return np.zeros((1, 1), dtype=np.int8)
    shorter = permutations(n - 1)
    parts = []
    for first in range(n):
        rest = shorter + (shorter >= first)
        parts.append(np.hstack([np.full((len(rest), 1), first, dtype=np.int8), rest]))
    return np.vstack(parts).astype(np.int8)


def _permutation_p(one: Numbers, two: Numbers) -> float:
    a, b = one - one.mean(), two - two.mean()
    products = b[permutations(len(b))] @ a
    return _share_as_far(products, float(a @ b))


def _tau_permutation_p(one: Numbers, two: Numbers) -> float:
    orders = permutations(len(one))
    signs = np.sign(np.subtract.outer(two, two)).astype(np.int8)
    scores = np.zeros(len(orders), dtype=np.int64)
    for i in range(len(one)):
        for j in range(i):
            scores += int(np.sign(one[i] - one[j])) * signs[orders[:, i], orders[:, j]]
    return _share_as_far(scores.astype(np.float64), float(scores[0]))


def _share_as_far(drawn: Numbers, observed: float) -> float:
    slack = _CLOSE * float(np.abs(drawn).max())
    return float(np.mean(np.abs(drawn) >= abs(observed) - slack))


def _w_permutation_p(ranks: Numbers) -> float:
    """Share of all orders of the lists, the first held still, with as large an S."""
    k = ranks.shape[1]
    sums = ranks[:1]
    for row in ranks[1:]:
        sums = (sums[:, np.newaxis, :] + row[permutations(k)][np.newaxis, :, :]).reshape(-1, k)
    spread = ((sums - sums.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    return _share_as_far(spread, _squares(ranks.sum(axis=0)))


def _concordant(one: Numbers, two: Numbers) -> tuple[int, tuple[int, int]]:
    """Concordant minus discordant pairs, and the pairs not tied in each list."""
    pairs = len(one) * (len(one) - 1) // 2
    untied = pairs - _ties_of(one), pairs - _ties_of(two)
    if len(one) > _LISTED_UP_TO:
        from scipy.stats import kendalltau  # counts without listing all pairs

        tau = float(kendalltau(one, two, method="asymptotic").statistic)
        return round(tau * math.sqrt(untied[0] * untied[1])), untied
    score = 0
    for i in range(1, len(one)):
        score += int(np.sign(one[i] - one[:i]) @ np.sign(two[i] - two[:i]))
    return score, untied


def _ties_of(values: Numbers) -> int:
    return sum(int(c * (c - 1) // 2) for c in np.unique(values, return_counts=True)[1])


def _tau_counted_p(n: int, score: int) -> float:
    """The chance of each number of inversions: one more value adds 0 … its place − 1 of them."""
    chance = np.ones(1)
    for place in range(2, n + 1):
        chance = np.convolve(chance, np.full(place, 1 / place))
    scores = n * (n - 1) // 2 - 2 * np.arange(len(chance))
    return min(1.0, float(chance[np.abs(scores) >= abs(score)].sum()))


def _tau_normal_p(one: Numbers, two: Numbers, score: int) -> float:
    from scipy.special import ndtr

    n = len(one)
    groups = [np.unique(each, return_counts=True)[1].astype(np.float64) for each in (one, two)]

    def total(formula: Callable[[Numbers], Numbers]) -> tuple[float, float]:
        return float(formula(groups[0]).sum()), float(formula(groups[1]).sum())

    fives = total(lambda t: t * (t - 1) * (2 * t + 5))
    threes = total(lambda t: t * (t - 1) * (t - 2))
    twos = total(lambda t: t * (t - 1))
    variance = (n * (n - 1) * (2 * n + 5) - sum(fives)) / 18
    variance += threes[0] * threes[1] / (9 * n * (n - 1) * (n - 2))
    variance += twos[0] * twos[1] / (2 * n * (n - 1))
    return min(1.0, 2 * float(ndtr(-abs(score) / math.sqrt(variance))))


def _chi_square_p(statistic: float, df: int) -> float:
    from scipy.special import chdtrc

    return float(chdtrc(df, statistic))
