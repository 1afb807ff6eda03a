"""How surely two scores lie apart, when no more is known than what a paper prints of them."""

from __future__ import annotations

import math

from rejudge.errors import DataError, Problem
from rejudge.stats.clusters import Interval, t_reach
from rejudge.stats.effects import NO_VARIATION, TOO_FEW, Effect, Summary, pooled_sd

_ROUNDING = 1e-9


def win_sd(score: float) -> float:
    """The SD of wins (1) and losses (−1) whose mean is this: √(1 − score²), as if none was a tie.

    Where pairs of systems differ in how often the first wins, it is rather too large.
    """
    if abs(score) > 1 + _ROUNDING:
        raise DataError(
            Problem(
                f"A mean of wins (1) and losses (−1) lies between −1 and 1, not at {score:g}.",
                "Bring the score onto that scale first.",
            )
        )
    return math.sqrt(max(0.0, 1 - score**2))


def implied_error(interval: Interval) -> float:
    """The standard error that an interval shows, if it reaches evenly by the normal distribution.

    One that was made with Student's t on few degrees of freedom gives too large an error.
    """
    from scipy.special import ndtri

    return (interval.high - interval.low) / 2 / float(ndtri((1 + interval.level) / 2))


def normal_interval(value: float, standard_error: float, *, level: float = 0.95) -> Interval:
    """The value and as many standard errors to each side as the normal distribution asks for."""
    from scipy.special import ndtri

    reach = float(ndtri((1 + level) / 2)) * standard_error
    return Interval(value - reach, value + reach, level)


def difference_variance(first: float, second: float, *, rivals: int | None = None) -> float:
    """The variance of the difference of two scores with these standard errors.

    Independent: s₁² + s₂². Where `rivals` systems were compared with each other, what one wins the
    others lose; equally often compared, their scores correlate by −1/(k − 1), and the variance is
    s₁² + s₂² + 2 s₁ s₂ / (k − 1).
    """
    if rivals is None:
        return first**2 + second**2
    if rivals < 2:  # noqa: PLR2004 - a comparison is of two
        raise DataError(f"Comparisons are between two systems or more, got {rivals}.")
    return first**2 + second**2 + 2 * first * second / (rivals - 1)


def cohen_d_with_error(
    first: Summary, second: Summary, *, error: float, df: float | None = None, level: float = 0.95
) -> Effect:
    """Cohen's d of two groups whose difference of means has this standard error.

    For values that share items or participants, where the exact interval is too narrow:
    d ± t(df) √((error / SD)² + d² / (2n)), the variance of `standardised_difference` for d. Without
    `df` the normal distribution stands for t.
    """
    n = first.n + second.n
    if min(first.n, second.n) < 2:  # noqa: PLR2004 - one value has no spread
        return Effect(None, "d", n, note=TOO_FEW)
    if not (first.varies or second.varies):
        return Effect(None, "d", n, note=NO_VARIATION)
    sd = pooled_sd(first, second)
    d = (first.mean - second.mean) / sd
    spread = math.sqrt((error / sd) ** 2 + d**2 / (2 * n))
    if df is None:
        return Effect(d, "d", n, normal_interval(d, spread, level=level))
    reach = t_reach(spread, df, level)
    return Effect(d, "d", n, Interval(d - reach, d + reach, level))
