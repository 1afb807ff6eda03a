"""Multiple comparisons: corrected p values, the studentized range and Tukey's HSD."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from rejudge.errors import DataError, require_known
from rejudge.stats.arrays import Numbers, is_negligible, refuse_missing, scale_of
from rejudge.stats.estimate import Interval
from rejudge.stats.roots import find_root
from rejudge.stats.testing.effect_sizes import estimated_sd, legendre

Correction: TypeAlias = Literal["holm", "bonferroni", "benjamini-hochberg", "none"]
_Z_NODES = 192  # four times as many change nothing above 1e-11, for up to 100 groups
_ALMOST_1 = 1 - 2**-53  # keeps the logarithm finite

_NO_VARIATION = "Undefined: the values do not vary within the groups."
_NO_SPREAD_KNOWN = "Undefined: no group has two values, so nothing is known of their spread."
_NO_GROUP = "Undefined: one of the two groups is empty."


def adjust_p(p_values: Sequence[float | None], correction: Correction) -> tuple[float | None, ...]:
    """The p values of one family, corrected; those that are undefined stay so and do not count.

    Holm (1979) and Bonferroni control the family-wise error rate, Benjamini & Hochberg (1995) the
    false discovery rate.
    """
    require_known(correction, get_args(Correction), option="correction")
    known = [place for place, p in enumerate(p_values) if p is not None]
    raw = np.array([p for p in p_values if p is not None], dtype=np.float64)
    corrected = dict(zip(known, _correct(raw, correction).tolist(), strict=True))
    return tuple(corrected.get(place) for place in range(len(p_values)))


def _correct(
    raw: np.ndarray[tuple[int], np.dtype[np.float64]], correction: Correction
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    count = len(raw)
    if correction == "none" or count == 0:
        return raw
    if correction == "bonferroni":
        return np.minimum(raw * count, 1.0)
    order = np.argsort(raw, kind="stable")
    rank = np.arange(1, count + 1)
    if correction == "holm":
        steps = np.maximum.accumulate(raw[order] * (count - rank + 1))
    else:
        steps = np.minimum.accumulate((raw[order] * count / rank)[::-1])[::-1]
    result = np.empty(count)
    result[order] = np.minimum(steps, 1.0)
    return result


@dataclass(frozen=True, slots=True)
class TukeyPair:
    """Two of several groups: mean of the first minus mean of the second, tested with the rest."""

    first: int
    second: int
    value: float | None
    n: tuple[int, int]
    standard_error: float | None = None  # of the difference
    statistic: float | None = None  # q = √2 · difference / standard error
    df: int | None = None
    p: float | None = None  # holds for all pairs together
    interval: Interval | None = None  # 〃
    note: str = ""


def studentized_range_sf(q: ArrayLike, k: int, df: float) -> Numbers:
    """The chance that the range of k normal values over an independent SD on `df` exceeds q.

        P(Q > q) = ∫ f(s) · P(R > q s) ds,   f the density of χ_df/√df,
        P(R > w) = ∫ k φ(z) [Φ(z)^(k−1) − (Φ(z) − Φ(z − w))^(k−1)] dz

    Fixed Gauss–Legendre nodes over where the integrands live, log s instead of s. The complement
    is integrated itself, so that small probabilities keep their digits, down to 1e-20 or so. An
    infinite `df` means a known SD.
    """
    if k < 2 or not df > 0:
        raise DataError(
            f"The studentized range needs k ≥ 2 groups and df > 0, got k = {k}, df = {df}."
        )
    wanted = np.atleast_1d(np.asarray(q, dtype=np.float64))
    found = np.array([_sf(float(each), k, df) for each in wanted.ravel()])
    return np.asarray(found.reshape(wanted.shape))


def studentized_range_isf(p: float, k: int, df: float) -> float:
    """The q that is exceeded with chance p: for example the critical value at p = 0.05."""
    if not 0 < p < 1:
        raise DataError(f"A critical value needs 0 < p < 1, got {p}.")
    high = 4.0
    while studentized_range_sf(high, k, df)[0] > p:
        high *= 2
    target = math.log(p)
    return find_root(lambda q: _log(float(studentized_range_sf(q, k, df)[0])) - target, 0.0, high)


def tukey_hsd(groups: Sequence[Numbers], *, level: float = 0.95) -> tuple[TukeyPair, ...]:
    """Every difference of two group means, with p and intervals that hold for all together.

    Tukey (1949), for unequal sizes Kramer (1956): q = |difference| / √(MSW/2 · (1/n₁ + 1/n₂)) on
    N − k degrees of freedom, one variance for all groups. It treats the values as independent and
    the groups as equally spread. Judgments that share items or participants are neither; nor are
    preference scores, where each win is another's loss. Then use a mixed model or paired contrasts
    with Holm's correction.
    """
    arrays = [np.asarray(group, dtype=np.float64) for group in groups]
    refuse_missing(*arrays)
    filled = [group for group in arrays if len(group)]
    df = sum(map(len, filled)) - len(filled)
    squares = math.fsum(float(((group - group.mean()) ** 2).sum()) for group in filled)
    pairs = list(combinations(range(len(arrays)), 2))
    reason = _reason(df, squares, filled)
    if reason:
        return tuple(_undefined_pair(arrays, pair, reason) for pair in pairs)
    reach = studentized_range_isf(1 - level, len(filled), df) if len(filled) > 1 else math.nan
    test = _Test(squares / df, df, len(filled), reach, level)
    return tuple(
        _test_pair(arrays, pair, test)
        if len(arrays[pair[0]]) and len(arrays[pair[1]])
        else _undefined_pair(arrays, pair, _NO_GROUP)
        for pair in pairs
    )


@dataclass(frozen=True, slots=True)
class _Test:
    """What all pairs share."""

    within: float  # mean square
    df: int
    groups: int
    reach: float  # critical value of q
    level: float


def _reason(df: int, squares: float, filled: Sequence[Numbers]) -> str:
    if df < 1:
        return _NO_SPREAD_KNOWN
    return _NO_VARIATION if is_negligible(math.sqrt(squares / df), scale_of(*filled)) else ""


def _test_pair(groups: Sequence[Numbers], pair: tuple[int, int], test: _Test) -> TukeyPair:
    one, two = groups[pair[0]], groups[pair[1]]
    difference = float(one.mean() - two.mean())
    error = math.sqrt(test.within * (1 / len(one) + 1 / len(two)))
    q = math.sqrt(2) * difference / error
    reach = test.reach * error / math.sqrt(2)
    return TukeyPair(
        *pair,
        value=difference,
        n=(len(one), len(two)),
        standard_error=error,
        statistic=q,
        df=test.df,
        p=float(studentized_range_sf(abs(q), test.groups, test.df)[0]),
        interval=Interval(difference - reach, difference + reach, test.level),
    )


def _undefined_pair(groups: Sequence[Numbers], pair: tuple[int, int], reason: str) -> TukeyPair:
    one, two = groups[pair[0]], groups[pair[1]]
    value = float(one.mean() - two.mean()) if len(one) and len(two) else None
    return TukeyPair(*pair, value=value, n=(len(one), len(two)), note=reason)


def _sf(q: float, k: int, df: float) -> float:
    if q <= 0:
        return 1.0
    if math.isinf(df):
        return min(1.0, float(_range_sf(np.array([q]), k)[0]))
    s, weight = estimated_sd(df, q)
    return min(1.0, float(weight @ _range_sf(q * s, k)))


def _range_sf(w: Numbers, k: int) -> Numbers:
    """P(R > w) for the range of k independent standard normal values, one per w."""
    from scipy.special import ndtr

    z, weight = legendre(_Z_NODES, -8.5, 15.5)
    below = ndtr(z)
    beyond = ndtr(z - w[:, np.newaxis])
    share = -np.expm1((k - 1) * np.log1p(-np.minimum(beyond / below, _ALMOST_1)))
    density = k * np.exp(-z * z / 2) / math.sqrt(2 * math.pi) * below ** (k - 1)
    return np.asarray(share @ (weight * density))


def _log(p: float) -> float:
    return math.log(p) if p > 0 else -math.inf
