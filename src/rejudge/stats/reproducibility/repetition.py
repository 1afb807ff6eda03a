"""How well repetitions agree: order, effects and conclusions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from rejudge.errors import DataError, Problem
from rejudge.stats.arrays import Numbers, refuse_missing
from rejudge.stats.estimate import Interval
from rejudge.stats.testing.effect_sizes import Effect

_DRAWS = 100_000


@dataclass(frozen=True, slots=True)
class PairKept:
    """How probable it is that a repetition puts the first above the second again."""

    first: int
    second: int
    probability: float


@dataclass(frozen=True, slots=True)
class OrderStability:
    """How probable it is that a repetition keeps an order. None if undefined; see `note`."""

    order: tuple[int, ...]  # the highest score first
    probability: float | None  # that all of it is kept
    pairs: tuple[PairKept, ...]  # every pair, in that order
    note: str = ""


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
        return OrderStability(order, None, (), "Undefined: it needs two or more systems.")
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
        note = first.note or second.note
        return Effect(None, first.measure, n, note=note)
    value = first.value - second.value
    one, two = first.interval, second.interval
    if one is None or two is None or one.level != two.level:
        note = "No interval: one of the effects has none, or they are of different levels."
        return Effect(value, first.measure, n, note=note)
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
class Matching:
    """The share of pairs that both studies put in the same order. None if undefined; see `note`."""

    value: float | None
    matches: int
    n: int  # pairs
    matched: tuple[bool, ...] = ()  # pair by pair
    note: str = ""


@dataclass(frozen=True, slots=True)
class SignificanceF1:
    """How well a second study finds what the first called significant."""

    value: float | None
    n: int  # comparisons
    both: int  # significant in both studies
    original: int  # in the first
    reproduction: int  # in the second
    precision: float | None = None  # both / reproduction
    recall: float | None = None  # both / original
    note: str = ""


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
        return Matching(None, 0, 0, note="Undefined: there are no pairs to compare.")
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
        reason = "Undefined: nothing is significant in either study."
        return SignificanceF1(None, len(one), 0, 0, 0, note=reason)
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
