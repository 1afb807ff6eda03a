"""The coefficient of variation of a few repeated measurements: CV* and its variants.

CV* (Belz, Popović & Mille 2022) is a percentage of the mean, so it needs a scale that starts at 0.
The lower end of the scale is taken from how the scores were defined, never from the scores.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, TypeAlias, get_args

import numpy as np

from rejudge.errors import DataError, require_known
from rejudge.stats.arrays import ROUNDING, Numbers, is_negligible, scale_of
from rejudge.stats.estimate import Interval

CVVariant: TypeAlias = Literal[
    "cv*",  # as defined
    "unshifted",  # scores as they are, wherever their scale begins
    "without-c4",  # the usual SD, biased in small samples
    "without-small-sample-factor",  # 100 · s* / mean, no 1 + 1/(4n)
    "plain",  # 100 · s / mean, neither correction
    "unshifted-plain",  # the same of scores as they are: the usual coefficient of variation
]

_UNSHIFTED = ("unshifted", "unshifted-plain")
_WITHOUT_C4 = ("without-c4", "plain", "unshifted-plain")
_WITHOUT_FACTOR = ("without-small-sample-factor", "plain", "unshifted-plain")
_CORNERS_UP_TO = 12  # scores: 4,096 corners

_NO_SCALE = (
    "Undefined: the scale has no lower end, and a percentage of the mean needs one at 0. "
    "Compare such scores by differences."
)
_FEW = "Undefined: it needs two or more measurements of the same thing."
_ZERO = "Undefined: the mean is 0, so there is no percentage of it."
_EQUAL = "All measurements are equal: no exact interval, and no share within one or two SDs."
_TWO = (
    "Two measurements say little about their spread: the exact interval of the SD reaches from "
    "about half to 32 times the observed one."
)


@dataclass(frozen=True, slots=True)
class CVStar:
    """CV* in percent, 0 for equal measurements, with its parts. None if undefined; see `note`."""

    value: float | None
    n: int
    variant: CVVariant
    shift: float  # added to the scores before anything else
    mean: float | None = None  # of the shifted scores
    sd: float | None = None  # with n − 1
    unbiased_sd: float | None = None  # s* = s / c4
    standard_error: float | None = None  # of s*
    sd_interval: Interval | None = None  # s* ± t · SE as published; may begin below 0
    sd_interval_from_zero: Interval | None = None  # the same, cut at 0
    exact_sd_interval: Interval | None = None  # of the true SD, from chi-square
    within_one: float | None = None  # percent of scores less than one s* from the mean
    within_two: float | None = None
    note: str = ""


def cv_star(
    scores: Sequence[float] | Numbers,
    *,
    scale_minimum: float | None,
    variant: CVVariant = "cv*",
    level: float = 0.95,
) -> CVStar:
    """Spread of measurements of one thing in percent of their mean, for small samples.

        CV* = 100 · (1 + 1/(4n)) · s* / |mean|,   s* = s / c4(n)

    after moving the scale to begin at 0: 1 is subtracted from scores on 1–4, 100 is added to
    best–worst scores. `scale_minimum` is where the scale begins; None means nowhere, as for
    z-scores, and CV* is then undefined. The other variants repeat figures that were published
    without one of the steps.
    """
    require_known(variant, get_args(CVVariant), option="variant")
    values = np.asarray(scores, dtype=np.float64)
    n = len(values)
    if scale_minimum is None:
        return CVStar(None, n, variant, 0.0, note=_NO_SCALE)
    shift = 0.0 if variant in _UNSHIFTED else 0.0 - scale_minimum
    if n < 2:
        return CVStar(None, n, variant, shift, note=_FEW)
    if variant not in _UNSHIFTED:
        _require_on_scale(values, scale_minimum)
    return _measure(_shift(values, shift), shift, variant, level)


def cv_star_interval(
    scores: Sequence[float] | Numbers,
    *,
    scale_minimum: float,
    half_unit: float | Sequence[float],
    variant: CVVariant = "cv*",
) -> Interval | None:
    """Lowest and highest CV* of all scores that round to the printed ones.

    Each score may lie `half_unit` to either side: 0.005 for two decimals; scores that were printed
    with different decimals, or not rounded at all, have one each. A printed CV* inside is
    reproduced as far as printed scores can tell. No score is taken below the lower end of its
    scale, so that CV* stays within what non-negative scores can have: 100 · √n with the corrections
    for small samples. None where rounding alone could make the mean 0. The level of the interval is
    1: it is certain, given the rounding.
    """
    require_known(variant, get_args(CVVariant), option="variant")
    values = np.asarray(scores, dtype=np.float64)
    order = np.argsort(values, kind="stable")
    values = values[order]
    half = np.broadcast_to(np.asarray(half_unit, dtype=np.float64), values.shape)[order]
    size, floor = scale_of(values), scale_minimum
    if variant not in _UNSHIFTED:
        _require_on_scale(values, scale_minimum)
        values, floor = _shift(values, 0.0 - scale_minimum), 0.0
    lows = np.maximum(values - half, np.minimum(values, floor))
    least = float(lows.mean()) if len(values) else 0.0
    if len(values) < 2 or least <= 0 or is_negligible(least, size):
        return None
    highs = values + half
    can_be_equal = lows.max() <= highs.min() + 1e-9 * float(half.max())
    greatest = _greatest(_farthest(lows, highs), variant, is_from_zero=floor >= 0)
    if greatest is None:
        return None
    return Interval(
        0.0 if can_be_equal else min(_percent(each, variant) for each in _closest(lows, highs)),
        greatest,
        1.0,
    )


@dataclass(frozen=True, slots=True)
class ExplainedFigure:
    """A printed CV* and the definitions that give it, each with its value."""

    printed: float
    fits: Mapping[CVVariant, float]  # within the rounding of figure and scores
    exact: frozenset[CVVariant]  # of them, those that give it to its last digit


def likeliest_definitions(
    figure: ExplainedFigure, table: Sequence[ExplainedFigure]
) -> tuple[CVVariant, ...]:
    """The definitions that give a printed figure, the likeliest first.

    Rounding often lets several definitions give one figure, but a table is computed by one of them:
    the definition that explains most figures of the table comes first; of equals the one that gives
    most of them to the last digit, then the one whose value is nearest to the printed figure. CV*
    itself comes first, unless another definition explains the whole table and CV* does not.
    """
    explained = {name: sum(name in each.fits for each in table) for name in figure.fits}
    is_of_another = len(table) in explained.values() and explained.get("cv*") != len(table)
    is_cv_star = "cv*" in figure.exact or not is_of_another

    def rank(name: CVVariant) -> tuple[bool, int, int, float]:
        exact = sum(name in each.exact for each in table)
        distance = abs(figure.fits[name] - figure.printed)
        return not (is_cv_star and name == "cv*"), -explained[name], -exact, distance

    return tuple(sorted(figure.fits, key=rank))


def c4(n: int) -> float:
    """By how much the SD of n normal values falls short on average; lgamma, for Γ overflows."""
    return math.sqrt(2 / (n - 1)) * math.exp(math.lgamma(n / 2) - math.lgamma((n - 1) / 2))


def sd_interval(sd: float, n: int, *, level: float = 0.95) -> Interval:
    """Exact interval of the true SD of n normal values, from the chi-square of (n − 1)s²/σ²."""
    from scipy.special import chdtri

    high, low = (float(chdtri(n - 1, tail)) for tail in ((1 + level) / 2, (1 - level) / 2))
    return Interval(sd * math.sqrt((n - 1) / low), sd * math.sqrt((n - 1) / high), level)


def _measure(shifted: Numbers, shift: float, variant: CVVariant, level: float) -> CVStar:
    from scipy.special import stdtrit

    n, mean, sd = len(shifted), _mean(shifted), _sd(shifted)
    if is_negligible(mean, scale_of(shifted)):
        mean = 0.0
    unbiased = sd / c4(n)
    error = sd * sd * math.sqrt(2 / (n - 1)) / (2 * unbiased) if sd else 0.0
    reach = float(stdtrit(n - 1, (1 + level) / 2)) * error
    far = np.abs(shifted - mean)
    remark = _EQUAL if not sd else _TWO if n == 2 else ""
    return CVStar(
        _percent(shifted, variant) if mean else None,
        n,
        variant,
        shift,
        mean=mean,
        sd=sd,
        unbiased_sd=unbiased,
        standard_error=error,
        sd_interval=Interval(unbiased - reach, unbiased + reach, level),
        sd_interval_from_zero=Interval(max(0.0, unbiased - reach), unbiased + reach, level),
        exact_sd_interval=sd_interval(sd, n, level=level) if sd else None,
        within_one=100 * float(np.mean(far < unbiased)) if sd else None,
        within_two=100 * float(np.mean(far < 2 * unbiased)) if sd else None,
        note=remark if mean else _ZERO,
    )


def _percent(shifted: Numbers, variant: CVVariant) -> float:
    n = len(shifted)
    spread = _sd(shifted)
    if variant not in _WITHOUT_C4:
        spread /= c4(n)
    if variant not in _WITHOUT_FACTOR:
        spread *= 1 + 1 / (4 * n)
    return 100 * spread / abs(_mean(shifted))


def _shift(values: Numbers, shift: float) -> Numbers:
    """The scores on a scale that begins at 0, where one at the lower end is 0 exactly."""
    shifted = values + shift
    at_the_end = np.abs(shifted) <= ROUNDING * max(scale_of(values), abs(shift))
    return np.where(at_the_end, 0.0, shifted)


def _mean(values: Numbers) -> float:
    return math.fsum(values) / len(values)


def _sd(values: Numbers) -> float:
    if is_negligible(float(np.ptp(values)), scale_of(values)):
        return 0.0
    mean = _mean(values)
    return math.sqrt(math.fsum((values - mean) ** 2) / (len(values) - 1))


def _require_on_scale(values: Numbers, scale_minimum: float) -> None:
    low = float(values.min()) if len(values) else scale_minimum
    if low < scale_minimum - 1e-9 * max(scale_of(values), abs(scale_minimum)):
        raise DataError(
            f"A score of {low:g} lies below {scale_minimum:g}, the stated lower end of its scale. "
            "Give the lower end of the scale as the study defines it."
        )


def _greatest(
    corners: Sequence[Numbers], variant: CVVariant, *, is_from_zero: bool
) -> float | None:
    """The largest CV* of these scores; None where their mean could be 0.

    Scores from 0 on spread most where all but one of them are 0.
    """
    is_known = all(_mean(each) > ROUNDING * scale_of(each) for each in corners)
    found = [_percent(each, variant) for each in corners] if is_known else []
    if is_from_zero:
        cap = _percent(np.eye(len(corners[0]))[0], variant)
        return min(cap, max(found, default=cap))
    return max(found, default=None)


def _farthest(lows: Numbers, highs: Numbers) -> list[Numbers]:
    """Corners of the box that can spread most.

    sd/mean is quasi-convex, so its maximum is at a corner; and of two scores moved equally far
    apart, moving the larger one up spreads more at the same mean: the lower scores go down, the
    rest up. Where some can move farther than others, all corners are tried; of many scores the
    widest move is taken for all, which can only widen the interval.
    """
    place, n, reach = np.arange(len(lows)), len(lows), highs - lows
    widest = float(reach.max())
    if is_negligible(float(np.ptp(reach)), scale_of(highs)) or n > _CORNERS_UP_TO:
        return [np.where(place < cut, highs - widest, highs) for cut in range(n + 1)]
    signs = (np.arange(2**n)[:, np.newaxis] >> place) & 1
    return list(np.where(signs, highs, lows))


def _closest(lows: Numbers, highs: Numbers) -> list[Numbers]:
    """Points of the box that can spread least: every score moved towards a common value.

    At the minimum of the quasi-convex sd/mean all scores that are not at an edge are equal. Between
    two neighbouring edges, m scores lie at the common value t and the others still; with their sum
    a and sum of squares b, (b + m t²)/(a + m t)² is least at t = b/a.
    """
    edges = np.unique(np.concatenate([lows, highs]))
    common = list(edges)
    for low, high in pairwise(edges):
        middle = (low + high) / 2
        still = np.clip(middle, lows, highs)[(middle < lows) | (middle > highs)]
        total = float(still.sum())
        if total > 0:
            common.append(min(high, max(low, float(still @ still) / total)))
    return [np.clip(t, lows, highs) for t in common]
