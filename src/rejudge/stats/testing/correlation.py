"""Correlations of two or more lists of scores: Pearson, Spearman, Kendall's tau and W.

Lists of three to six systems are common, and there the usual p values are far off: a perfect order
of three is one of six, whatever the formula gives. Rank correlations of nine values or fewer are
therefore tested against all permutations.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from rejudge.errors import DataError, require_known
from rejudge.stats.arrays import Numbers, is_negligible, refuse_missing, scale_of
from rejudge.stats.estimate import Interval

PMethod: TypeAlias = Literal["default", "t", "permutation"]
WTies: TypeAlias = Literal["corrected", "uncorrected"]

EXACT_UP_TO = 9  # values: 362,880 orders
_COUNTED_UP_TO = 60  # Kendall's tau without ties: orders are counted by a recursion
_LISTED_UP_TO = 2_000
_ORDERS_OF_SETS = 600_000
_FISHER_NEEDS = 4
_FISHER_NEEDS_FOR_RANKS = 10
_CLOSE = 1e-9

_W_METHODS: dict[WTies, str] = {
    "corrected": "Kendall's W, corrected for ties",
    "uncorrected": "Kendall's W, not corrected for ties",
}

_TWO = "No p: any two points lie on a line."
_ONE = "Undefined: it needs two or more pairs of values."
_CONSTANT = "Undefined: {} values are all the same."
_PERFECT = "No interval: the correlation is perfect."
_PERFECT_NO_P = "No interval and no p: the correlation is perfect, and no order is more extreme."
_PERFECT_T = "The t approximation fails at a perfect correlation; its p of 0 means nothing."
_BY_T = "p from Student's t, which is unreliable for so few values."


@dataclass(frozen=True, slots=True)
class Correlation:
    """A correlation of two lists. None if undefined; `note` says why."""

    value: float | None
    n: int  # pairs of values
    method: str
    p: float | None = None  # two-sided
    is_exact: bool = False  # p counts all orders
    interval: Interval | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Concordance:
    """How well several lists agree in their order: Kendall's W, from 0 to 1."""

    value: float | None
    n: int  # things ordered
    sets: int  # lists
    method: str  # with or without the correction for ties
    statistic: float | None = None  # χ² on n − 1 degrees of freedom
    p: float | None = None
    is_exact: bool = False
    note: str = ""


def pearson(
    x: Numbers, y: Numbers, *, p_value: PMethod = "default", level: float = 0.95
) -> Correlation:
    """Linear correlation, with Fisher's interval from four pairs on.

    By default p comes from Student's t with n − 2 degrees of freedom, exact for normal values;
    `permutation` counts all orders of nine or fewer values instead.
    """
    require_known(p_value, get_args(PMethod), option="p_value")
    one, two = _numbers(x, y)
    n = len(one)
    reason = _reason(one, two)
    if reason:
        return Correlation(None, n, "Pearson's r", note=reason)
    r = _product_moment(one, two)
    if n == 2:
        return Correlation(r, n, "Pearson's r", note=_TWO)
    limits, note = fisher_interval(r, n, level=level), ""
    if limits is None:
        note = _PERFECT if n >= _FISHER_NEEDS else "No interval: it needs four or more values."
    perfect = abs(r) > 1 - _CLOSE and p_value == "default"  # there is no t, but there are orders
    if (p_value == "permutation" and _can_permute(n)) or (perfect and n <= EXACT_UP_TO):
        return Correlation(r, n, "Pearson's r", _permutation_p(one, two), True, limits, note)
    if perfect:
        return Correlation(r, n, "Pearson's r", note=_PERFECT_NO_P)
    return Correlation(r, n, "Pearson's r", t_approximation(r, n), interval=limits, note=note)


def spearman(
    x: Numbers, y: Numbers, *, p_value: PMethod = "default", level: float = 0.95
) -> Correlation:
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
        return Correlation(None, n, "Spearman's rho", note=reason)
    ranks = _ranks(one), _ranks(two)
    rho = _product_moment(*ranks)
    if n == 2:
        return Correlation(rho, n, "Spearman's rho", note=_TWO)
    exact = p_value == "permutation" or (p_value == "default" and n <= EXACT_UP_TO)
    if exact and _can_permute(n):
        return Correlation(rho, n, "Spearman's rho", _permutation_p(*ranks), is_exact=True)
    if abs(rho) > 1 - _CLOSE:
        p, note = (0.0, _PERFECT_T) if p_value == "t" else (None, _PERFECT_NO_P)
        return Correlation(rho, n, "Spearman's rho", p, note=note)
    limits = _bonett_wright(rho, n, level=level)
    note = _BY_T if n <= EXACT_UP_TO else ""
    return Correlation(
        rho, n, "Spearman's rho", t_approximation(rho, n), interval=limits, note=note
    )


def kendall_tau(x: Numbers, y: Numbers) -> Correlation:
    """Pairs in the same order minus pairs in the opposite one, τ-b: corrected for ties.

    p counts all orders up to nine values, and up to sixty where no values are equal; beyond, it is
    normal with the variance for ties (Kendall 1970).
    """
    one, two = _numbers(x, y)
    n = len(one)
    reason = _reason(one, two)
    if reason:
        return Correlation(None, n, "Kendall's tau-b", note=reason)
    score, untied = _concordant(one, two)
    tau = score / math.sqrt(untied[0] * untied[1])
    if n == 2:
        return Correlation(tau, n, "Kendall's tau-b", note=_TWO)
    if n <= EXACT_UP_TO:
        return Correlation(tau, n, "Kendall's tau-b", _tau_permutation_p(one, two), is_exact=True)
    if untied == (n * (n - 1) // 2,) * 2 and n <= _COUNTED_UP_TO:
        return Correlation(tau, n, "Kendall's tau-b", _tau_counted_p(n, score), is_exact=True)
    return Correlation(tau, n, "Kendall's tau-b", _tau_normal_p(one, two, score))


def kendall_w(scores: Numbers, *, ties: WTies = "corrected") -> Concordance:
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
    shell = Concordance(None, k, m, _W_METHODS[ties])
    if m < 2 or k < 2:
        return replace(shell, note="Undefined: it needs two or more lists of two or more values.")
    ranks = np.array([_ranks(row) for row in table])
    most, tied = m * m * (k**3 - k), m * sum(_ties(row) for row in table)
    if most <= tied:
        return replace(shell, note="Undefined: all values are tied in every list.")
    w = 12 * _squares(ranks.sum(axis=0)) / (most - tied if ties == "corrected" else most)
    found = replace(shell, value=w, statistic=m * (k - 1) * w)
    if (m - 1) * math.lgamma(k + 1) <= math.log(_ORDERS_OF_SETS):
        return replace(found, p=_w_permutation_p(ranks), is_exact=True)
    return replace(found, p=_chi_square_p(m * (k - 1) * w, k - 1))


def fisher_interval(r: float, n: int, *, level: float = 0.95) -> Interval | None:
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


def _reason(one: Numbers, two: Numbers) -> str:
    if len(one) < 2:
        return _ONE
    flat = [name for name, each in (("first", one), ("second", two)) if _is_constant(each)]
    return _CONSTANT.format(f"the {' and the '.join(flat)}") if flat else ""


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
    untied = pairs - _tied_pairs(one), pairs - _tied_pairs(two)
    if len(one) > _LISTED_UP_TO:
        from scipy.stats import kendalltau  # counts without listing all pairs

        tau = float(kendalltau(one, two, method="asymptotic").statistic)
        return round(tau * math.sqrt(untied[0] * untied[1])), untied
    score = 0
    for i in range(1, len(one)):
        score += int(np.sign(one[i] - one[:i]) @ np.sign(two[i] - two[:i]))
    return score, untied


def _tied_pairs(values: Numbers) -> int:
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
