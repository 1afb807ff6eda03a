"""Equivalence: two one-sided tests (TOST), and a bound from an earlier study.

Bounds are given in the units of the scores or in standard deviations, and a result shows both.
Tests from values, pairs or summaries assume independence; for judgments that share items or
participants, `tost_from_error` takes a difference with a standard error that allows for it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from rejudge.errors import DataError
from rejudge.stats.arrays import Numbers
from rejudge.stats.estimate import Interval
from rejudge.stats.testing.classical import require_pairs, standard_error
from rejudge.stats.testing.effect_sizes import (
    NO_VARIATION,
    TOO_FEW,
    TOO_FEW_PAIRS,
    Summary,
    pooled_sd,
)
from rejudge.stats.testing.power import CohenD, CohenDz


@dataclass(frozen=True, slots=True)
class RawBounds:
    """The differences between which two means count as equivalent, in units of the scores."""

    low: float
    high: float

    @classmethod
    def around_zero(cls, reach: float) -> RawBounds:
        """As far down as up."""
        return cls(-abs(reach), abs(reach))


@dataclass(frozen=True, slots=True)
class StandardisedBounds:
    """The same in standard deviations: the pooled one of two groups, for pairs that of the
    differences, or `sd` where one is given, such as that of an earlier study."""

    low: float
    high: float
    sd: float | None = None

    @classmethod
    def around_zero(
        cls, effect: CohenD | CohenDz | float, *, sd: float | None = None
    ) -> StandardisedBounds:
        """As far down as up."""
        reach = abs(effect if isinstance(effect, int | float) else effect.value)
        return cls(-reach, reach, sd)


@dataclass(frozen=True, slots=True)
class OneSided:
    """One of the two tests: that the difference is not beyond this bound."""

    raw_bound: float
    standardised_bound: float | None  # None: no standard deviation is known
    statistic: float
    p: float


@dataclass(frozen=True, slots=True)
class Equivalence:
    """Two one-sided tests of a difference, first minus second. None if undefined; see `note`."""

    value: float | None
    n: tuple[int, int] | None  # values of each group, a pair counts in both; None: not known
    method: str
    p: float | None = None  # the larger of the two
    df: float | None = None
    lower: OneSided | None = None
    upper: OneSided | None = None
    sd: float | None = None  # that turns one kind of bound into the other
    interval: Interval | None = None  # inside the bounds exactly if p < alpha
    p_differ: float | None = None  # of the usual two-sided test that there is no difference
    note: str = ""


def tost(
    first: Numbers,
    second: Numbers,
    bounds: RawBounds | StandardisedBounds,
    *,
    equal_variances: bool = True,
    alpha: float = 0.05,
) -> Equivalence:
    """Equivalence of two independent means (Schuirmann 1987): both one-sided t tests at `alpha`.

    Student's pooled t, or Welch's without equal variances. The interval has level 1 − 2·alpha.
    """
    return tost_from_summary(
        Summary.of(np.asarray(first)),
        Summary.of(np.asarray(second)),
        bounds,
        equal_variances=equal_variances,
        alpha=alpha,
    )


def tost_from_summary(
    first: Summary,
    second: Summary,
    bounds: RawBounds | StandardisedBounds,
    *,
    equal_variances: bool = True,
    alpha: float = 0.05,
) -> Equivalence:
    """The same from printed means, SDs and numbers of values."""
    n = (first.n, second.n)
    method = "TOST, Student's t" if equal_variances else "TOST, Welch's t"
    value = first.mean - second.mean if min(n) else None
    if min(n) < 2:
        return Equivalence(value, n, method, note=TOO_FEW)
    if not (first.varies or second.varies):
        return Equivalence(value, n, method, note=NO_VARIATION)
    error, df = standard_error(first, second, equal_variances=equal_variances)
    spread = _DifferenceWithError(first.mean - second.mean, error, df, pooled_sd(first, second))
    return _test(spread, bounds, n, method, alpha=alpha)


def tost_from_error(
    difference: float,
    standard_error: float,
    df: float | None,
    bounds: RawBounds,
    *,
    alpha: float = 0.05,
) -> Equivalence:
    """Equivalence from a difference with its standard error, however that was estimated.

    Student's t, or the normal distribution where `df` is None.
    """
    spread = _DifferenceWithError(difference, standard_error, math.inf if df is None else df, None)
    method = "TOST, Student's t" if df is not None else "TOST, normal"
    return _test(spread, bounds, None, method, alpha=alpha)


def paired_tost(
    first: Numbers,
    second: Numbers,
    bounds: RawBounds | StandardisedBounds,
    *,
    alpha: float = 0.05,
) -> Equivalence:
    """Equivalence of two scores of the same things, by the paired t test."""
    require_pairs(first, second)
    change = Summary.of_changes(first, second)
    n, method = (change.n, change.n), "TOST, paired t"
    value = change.mean if change.n else None
    if change.n < 2:
        return Equivalence(value, n, method, note=TOO_FEW_PAIRS)
    if not change.varies:
        return Equivalence(value, n, method, note=NO_VARIATION)
    error = change.sd / math.sqrt(change.n)
    spread = _DifferenceWithError(change.mean, error, change.n - 1, change.sd)
    return _test(spread, bounds, n, method, alpha=alpha)


def critical_effect(sizes: tuple[int, int], *, alpha: float = 0.05) -> CohenD:
    """The smallest d that a study with groups of these sizes could have called significant.

    t(1 − alpha/2; n₁ + n₂ − 2) · √(1/n₁ + 1/n₂): a bound from a study one repeats (Lakens 2018).
    """
    from scipy.special import stdtrit

    df = _degrees(sizes)
    critical = float(stdtrit(df, 1 - alpha / 2))
    return CohenD(critical * math.sqrt(1 / sizes[0] + 1 / sizes[1]))


@dataclass(frozen=True, slots=True)
class _DifferenceWithError:
    """A difference with its standard error, and the SD that bounds are measured in, if known."""

    difference: float
    error: float
    df: float  # inf: normal
    sd: float | None


def _test(
    spread: _DifferenceWithError,
    bounds: RawBounds | StandardisedBounds,
    n: tuple[int, int] | None,
    method: str,
    *,
    alpha: float,
) -> Equivalence:
    if not bounds.low < bounds.high:
        raise DataError(
            f"The lower bound must lie below the upper one, got {bounds.low} and {bounds.high}."
        )
    given = bounds.sd if isinstance(bounds, StandardisedBounds) else None
    sd = spread.sd if given is None else given
    unit = sd if isinstance(bounds, StandardisedBounds) and sd is not None else 1.0
    low, high = bounds.low * unit, bounds.high * unit
    lower, upper = _one_sided(spread, low, 1, sd), _one_sided(spread, high, -1, sd)
    reach = _quantile(spread.df, 1 - alpha) * spread.error
    return Equivalence(
        spread.difference,
        n,
        method,
        p=max(lower.p, upper.p),
        df=spread.df if math.isfinite(spread.df) else None,
        lower=lower,
        upper=upper,
        sd=sd,
        interval=Interval(spread.difference - reach, spread.difference + reach, 1 - 2 * alpha),
        p_differ=2 * min(_one_sided(spread, 0.0, sign, sd).p for sign in (1, -1)),
    )


def _one_sided(spread: _DifferenceWithError, bound: float, sign: int, sd: float | None) -> OneSided:
    """That the difference lies above a lower bound (sign 1), or below an upper one (−1)."""
    from scipy.special import ndtr, stdtr

    statistic = (spread.difference - bound) / spread.error
    tail = -sign * statistic
    p = float(stdtr(spread.df, tail) if math.isfinite(spread.df) else ndtr(tail))
    return OneSided(bound, None if sd is None else bound / sd, statistic, p)


def _quantile(df: float, share: float) -> float:
    from scipy.special import ndtri, stdtrit

    return float(stdtrit(df, share) if math.isfinite(df) else ndtri(share))


def _degrees(sizes: tuple[int, int]) -> int:
    if min(sizes) < 2:
        raise DataError(f"Each group of the earlier study has two or more values, got {sizes}.")
    return sum(sizes) - 2
