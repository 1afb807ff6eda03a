"""How well repetitions agree: CV* of scores, order of systems, effects and conclusions.

CV* (Belz, Popović & Mille 2022) is a percentage of the mean, so it needs a scale that starts at 0.
The lower end of the scale is taken from how the scores were defined, never from the scores.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from rejudge.errors import DataError, Problem, require_known
from rejudge.stats.arrays import ROUNDING, Numbers, is_negligible, refuse_missing, scale_of
from rejudge.stats.estimate import Effect, Estimate, Interval
from rejudge.stats.reasons import Reason, Why, WithReasons

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
_DRAWS = 100_000  # of a repetition
_CORNERS_UP_TO = 12  # scores: 4,096 corners

_NO_SCALE = Why.WRONG_KIND(
    what="a percentage of the mean",
    needs="a scale that begins at 0",
    has="one without a lower end: compare such scores by differences",
)
_FEW = Why.NEEDS(least="two", what="measurements of the same thing")
_ZERO = Why.NO_BOUND("value", cause="the mean is 0, so there is no percentage of it")
_EQUAL = Why.SAME("interval", what="measurements")
_TWO = Why.FEW(
    n=2,
    what="measurements",
    effect="the exact interval of the SD reaches from about half to 32 times the observed one",
)


@dataclass(frozen=True, slots=True)
class CVStar(Estimate):
    """CV* of `n` measurements in percent, 0 for equal ones, with its parts."""

    variant: CVVariant = "cv*"
    shift: float = 0.0  # added to the scores before anything else
    mean: float | None = None  # of the shifted scores
    sd: float | None = None  # with n − 1
    unbiased_sd: float | None = None  # s* = s / c4
    sd_error: float | None = None  # the standard error of s*
    sd_interval: Interval | None = None  # s* ± t · SE as published; may begin below 0
    sd_interval_from_zero: Interval | None = None  # the same, cut at 0
    exact_sd_interval: Interval | None = None  # of the true SD, from chi-square
    within_one: float | None = None  # percent of scores less than one s* from the mean
    within_two: float | None = None


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
        return CVStar(None, n, counted="values", variant=variant, reasons=(_NO_SCALE,))
    shift = 0.0 if variant in _UNSHIFTED else 0.0 - scale_minimum
    if n < 2:
        return CVStar(None, n, counted="values", variant=variant, shift=shift, reasons=(_FEW,))
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

    n, mean, sd = len(shifted), _mean_of(shifted), _sd(shifted)
    if is_negligible(mean, scale_of(shifted)):
        mean = 0.0
    unbiased = sd / c4(n)
    error = sd * sd * math.sqrt(2 / (n - 1)) / (2 * unbiased) if sd else 0.0
    reach = float(stdtrit(n - 1, (1 + level) / 2)) * error
    far = np.abs(shifted - mean)
    remarks = (_EQUAL,) if not sd else (_TWO,) if n == 2 else ()
    return CVStar(
        _percent(shifted, variant) if mean else None,
        n,
        counted="values",
        variant=variant,
        shift=shift,
        mean=mean,
        sd=sd,
        unbiased_sd=unbiased,
        sd_error=error,
        sd_interval=Interval(unbiased - reach, unbiased + reach, level),
        sd_interval_from_zero=Interval(max(0.0, unbiased - reach), unbiased + reach, level),
        exact_sd_interval=sd_interval(sd, n, level=level) if sd else None,
        within_one=100 * float(np.mean(far < unbiased)) if sd else None,
        within_two=100 * float(np.mean(far < 2 * unbiased)) if sd else None,
        reasons=remarks if mean else (_ZERO,),
    )


def _percent(shifted: Numbers, variant: CVVariant) -> float:
    n = len(shifted)
    spread = _sd(shifted)
    if variant not in _WITHOUT_C4:
        spread /= c4(n)
    if variant not in _WITHOUT_FACTOR:
        spread *= 1 + 1 / (4 * n)
    return 100 * spread / abs(_mean_of(shifted))


def _shift(values: Numbers, shift: float) -> Numbers:
    """The scores on a scale that begins at 0, where one at the lower end is 0 exactly."""
    shifted = values + shift
    at_the_end = np.abs(shifted) <= ROUNDING * max(scale_of(values), abs(shift))
    return np.where(at_the_end, 0.0, shifted)


def _mean_of(values: Numbers) -> float:
    return math.fsum(values) / len(values)


def _sd(values: Numbers) -> float:
    if is_negligible(float(np.ptp(values)), scale_of(values)):
        return 0.0
    mean = _mean_of(values)
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
    is_known = all(_mean_of(each) > ROUNDING * scale_of(each) for each in corners)
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


# ── order, effects and conclusions ──────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class PairKept:
    """How probable it is that a repetition puts the first above the second again."""

    first: int
    second: int
    probability: float


@dataclass(frozen=True, slots=True)
class OrderStability(WithReasons):
    """How probable it is that a repetition keeps an order. None if undefined."""

    order: tuple[int, ...]  # the highest score first
    probability: float | None  # that all of it is kept
    pairs: tuple[PairKept, ...]  # every pair, in that order
    reasons: tuple[Reason, ...] = ()


def order_stability(
    score: Numbers, variance: Numbers, *, rng: np.random.Generator, draws: int = _DRAWS
) -> OrderStability:
    """How probable it is that the same study, done again, orders the systems as this one did.

    `variance`: of the difference of every two scores, as a square table. A repetition with the same
    design misses the truth as this study does, and independently, so its difference lies around the
    one seen here with twice the variance: P = Φ(d / √(2V)) for a pair (Killeen 2005; a flat prior,
    normal errors). For the whole order such repetitions are drawn. It says nothing of a repetition
    that is designed differently. Of equal scores the earlier counts as higher.
    """
    refuse_missing(score)
    _refuse_bad_variances(score, variance)
    order = tuple(np.argsort(-np.asarray(score), kind="stable").tolist())
    if len(order) < 2:
        return OrderStability(order, None, (), (Why.NEEDS(least="two", what="systems"),))
    pairs = tuple(
        PairKept(
            first,
            second,
            _chance_of_same_order(float(score[first] - score[second]), variance[first, second]),
        )
        for first, second in combinations(order, 2)
    )
    if len(order) == 2:
        return OrderStability(order, pairs[0].probability, pairs)
    drawn = _repetitions(score, variance, order, rng=rng, draws=draws)
    steps = np.column_stack([drawn[:, :-1] - drawn[:, 1:], drawn[:, -1]])
    return OrderStability(order, float((steps > 0).all(axis=1).mean()), pairs)


def effect_difference(first: Effect, second: Effect) -> Effect:
    """The first effect minus the second, of two independent studies, with its interval.

    The limits are recovered from those of the two effects, which need not lie evenly around them
    (MOVER; Zou & Donner 2008): L = a − b − √((a − l₁)² + (u₂ − b)²), U likewise. It asks more than
    whether two intervals overlap: they may, and that of the difference still leave out 0.
    """
    if first.measure != second.measure:
        raise DataError(
            Problem(
                f"{first.measure} and {second.measure} are different measures of an effect.",
                "Compare effects of one measure.",
            )
        )
    n = first.n + second.n
    if first.value is None or second.value is None:
        return Effect(None, first.measure, n, reasons=first.reasons or second.reasons)
    value = first.value - second.value
    one, two = first.interval, second.interval
    if one is None or two is None or one.level != two.level:
        reason = Why.NO_BOUND(cause="one of the effects has none, or they are of different levels")
        return Effect(value, first.measure, n, reasons=(reason,))
    below = math.hypot(first.value - one.low, two.high - second.value)
    above = math.hypot(one.high - first.value, second.value - two.low)
    return Effect(value, first.measure, n, Interval(value - below, value + above, one.level))


def _refuse_bad_variances(score: Numbers, variance: Numbers) -> None:
    """A square table of numbers that are none below 0, as large as there are scores."""
    table = np.asarray(variance)
    size = len(score)
    is_sound = table.shape == (size, size) and bool(np.isfinite(table).all() and (table >= 0).all())
    if not is_sound or not np.allclose(table, table.T):
        raise DataError(
            Problem(
                f"{size} scores need a table of {size} × {size} variances of differences.",
                "Give the variance of each difference, the same both ways, and 0 with itself.",
            )
        )


def _chance_of_same_order(difference: float, variance: float) -> float:
    from scipy.special import ndtr

    if variance <= 0:
        return 1.0 if difference > 0 else 0.5
    return float(ndtr(difference / math.sqrt(2 * variance)))


def _repetitions(
    score: Numbers,
    variance: Numbers,
    order: tuple[int, ...],
    *,
    rng: np.random.Generator,
    draws: int,
) -> Numbers:
    """Scores of drawn repetitions, above that of the last system; one column for each other."""
    last, others = order[-1], list(order[:-1])
    # Var(a − c), Var(b − c) and Var(a − b) give the covariance of a − c and b − c.
    to_last = variance[others, last]
    covariance = (to_last[:, None] + to_last[None, :] - variance[np.ix_(others, others)]) / 2
    spread, axes = np.linalg.eigh(2 * covariance)
    root = axes * np.sqrt(np.maximum(spread, 0.0))  # estimated variances need not fit each other
    middle = np.asarray(score)[others] - score[last]
    return np.asarray(middle + rng.standard_normal((draws, len(others))) @ root.T)


@dataclass(frozen=True, slots=True)
class Matching(WithReasons):
    """The share of pairs that both studies put in the same order. None if undefined."""

    value: float | None
    matches: int
    n: int  # pairs
    matched: tuple[bool, ...] = ()  # pair by pair
    reasons: tuple[Reason, ...] = ()


@dataclass(frozen=True, slots=True)
class SignificanceF1(WithReasons):
    """How well a second study finds what the first called significant."""

    value: float | None
    n: int  # comparisons
    both: int  # significant in both studies
    original: int  # in the first
    reproduction: int  # in the second
    precision: float | None = None  # both / reproduction
    recall: float | None = None  # both / original
    reasons: tuple[Reason, ...] = ()


def matching_accuracy(
    original: Numbers,
    reproduction: Numbers,
    pairs: Sequence[tuple[int, int]] | None = None,
    *,
    tolerance: float = 0.0,
) -> Matching:
    """Share of pairs of scores that are lower, equal or higher in both studies (Ito et al. 2023).

    Scores have the same position in both lists. All pairs count unless some are named.
    Differences up to `tolerance` are equal. Scores rounded for print make pairs equal that were
    not; prefer unrounded ones.
    """
    one = np.asarray(original, dtype=np.float64)
    two = np.asarray(reproduction, dtype=np.float64)
    _require_same_length(len(one), len(two))
    chosen = list(combinations(range(len(one)), 2)) if pairs is None else list(pairs)
    if not chosen:
        return Matching(None, 0, 0, reasons=(Why.NEEDS(least="one", what="pair to compare"),))
    first, second = np.array(chosen, dtype=np.int64).T
    same = _order(one[first] - one[second], tolerance) == _order(
        two[first] - two[second], tolerance
    )
    matches = int(same.sum())
    return Matching(matches / len(chosen), matches, len(chosen), tuple(same.tolist()))


def significance_f1(
    original: Sequence[bool] | NDArray[np.bool_], reproduction: Sequence[bool] | NDArray[np.bool_]
) -> SignificanceF1:
    """F1 of the significance labels of a second study, taking those of the first as correct.

    2·both / (original + reproduction). Where neither study found anything significant there is
    nothing to be found again, and F1 is undefined, not 0.
    """
    one, two = np.asarray(original, dtype=np.bool_), np.asarray(reproduction, dtype=np.bool_)
    _require_same_length(len(one), len(two))
    both, first, second = int((one & two).sum()), int(one.sum()), int(two.sum())
    if not first + second:
        reason = Why.NO_BOUND("value", cause="nothing is significant in either study")
        return SignificanceF1(None, len(one), 0, 0, 0, reasons=(reason,))
    return SignificanceF1(
        2 * both / (first + second),
        len(one),
        both,
        first,
        second,
        precision=both / second if second else None,
        recall=both / first if first else None,
    )


def _order(difference: Numbers, tolerance: float) -> Numbers:
    return np.where(np.abs(difference) <= tolerance, 0.0, np.sign(difference))


def _require_same_length(one: int, two: int) -> None:
    if one != two:
        raise DataError(
            f"Two studies are compared entry by entry, but one has {one} and the other {two}. "
            "Join them by what was scored first."
        )
