"""Means of systems and their differences: over all judgments, within items, by participant.

Where systems were judged on different items or by different people, a difference of means also
contains differences between items and people. `adjusted_difference` compares systems within items,
and within participants where these judged both.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rejudge.errors import DataError
from rejudge.stats.arrays import (
    Codes,
    Numbers,
    count_distinct,
    is_negligible,
    refuse_missing,
    scale_of,
)
from rejudge.stats.clusters import Clusters, JudgmentWeights, clustered_estimate, t_test_of
from rejudge.stats.estimate import Contrast, Estimate, t_interval
from rejudge.stats.reasons import Reason, Why

if TYPE_CHECKING:
    from scipy.sparse import csr_array


LITTLE_SHARED = 0.2  # of the information: below this, few items carry a comparison
_KEPT = 0.5  # of the information within items, if participants are to be accounted for too
_NOTHING = 1e-9  # a weight of zero but for rounding

NO_JUDGMENTS = Why.NOBODY(what="judgments")
NOT_JUDGED = Why.NOT_JUDGED(what="systems")
NONE_SHARED = Why.DIFFERENT_ITEMS()
_ONE_SHARED = Why.NEEDS("interval", least="two", what="items that were judged for both systems")
_NO_WIDTH = Why.NO_VARIATION("interval", what="the differences", over=" from item to item")
_CLOSE = 1e-12  # relative to the right-hand side
_STEPS = 2000


def mean_by_system(
    value: Numbers,
    system: Codes,
    *,
    item: Codes,
    participant: Codes,
    systems: int,
    level: float = 0.95,
    bounds: tuple[float, float] | None = None,
) -> tuple[Estimate, ...]:
    """The mean of all judgments of each system, each judgment counting once."""
    refuse_missing(value)
    return tuple(
        _mean(
            value[rows], item=item[rows], participant=participant[rows], level=level, bounds=bounds
        )
        for rows in (system == code for code in range(systems))
    )


def mean_difference(
    value: Numbers,
    system: Codes,
    pair: tuple[int, int],
    *,
    item: Codes,
    participant: Codes,
    level: float = 0.95,
) -> Estimate:
    """The mean of the first system minus that of the second, with a test against no difference.

    Where both means come from the same items or people, what they share cancels, since the
    clusters run across both systems.
    """
    refuse_missing(value)
    first, second = pair
    rows = (system == first) | (system == second)
    score, is_first = value[rows], system[rows] == first
    counts = int(is_first.sum()), int((~is_first).sum())
    if 0 in counts:
        return Estimate(None, len(score), 0, 0, reasons=(NOT_JUDGED,))
    means = float(score[is_first].mean()), float(score[~is_first].mean())
    weight = np.where(is_first, 1 / counts[0], -1 / counts[1])
    return clustered_estimate(
        means[0] - means[1],
        weight * (score - np.where(is_first, *means)),
        item=item[rows],
        participant=participant[rows],
        weights=JudgmentWeights(weight, is_first.astype(np.int64)),
        scale=scale_of(score),
        level=level,
        null=0.0,
    )


def average_within(value: Numbers, *keys: Codes) -> tuple[Numbers, tuple[Codes, ...]]:
    """One mean per combination of keys: the segments of an output become one score.

    Scored sentence by sentence, a long output would weigh more than a short one.
    """
    if not keys:
        raise DataError("average_within needs keys: the codes of what is averaged within.")
    if not len(value):
        return value, keys
    table = np.stack(keys, axis=1)
    cells, place = np.unique(table, axis=0, return_inverse=True)
    place = place.reshape(-1)
    means = np.bincount(place, weights=value) / np.bincount(place)
    return means, tuple(cells[:, column] for column in range(len(keys)))


def _mean(
    value: Numbers,
    *,
    item: Codes,
    participant: Codes,
    level: float,
    bounds: tuple[float, float] | None,
) -> Estimate:
    if not len(value):
        return Estimate(None, 0, 0, 0, reasons=(NO_JUDGMENTS,))
    mean = float(value.mean())
    return clustered_estimate(
        mean,
        (value - mean) / len(value),
        item=item,
        participant=participant,
        scale=scale_of(value),
        level=level,
        bounds=bounds,
    )


@dataclass(frozen=True, slots=True)
class AdjustedDifference(Contrast):
    """First system minus second, compared within items; `items` and `n` are those that count."""

    shared_items: int = 0  # judged for both systems
    information_share: float | None = None  # how much of a comparison of means is within items
    is_within_participants: bool = False


def adjusted_difference(
    value: Numbers,
    system: Codes,
    pair: tuple[int, int],
    *,
    item: Codes,
    participant: Codes,
    level: float = 0.95,
) -> AdjustedDifference:
    """The first system's scores minus the second's, within items, with a test against 0.

    The slope of a regression on the system with dummies of items, and of participants if these
    leave half of the information or more (Frisch & Waugh 1933); in a complete table, the difference
    of means. Interval and p as in `clustered`. Where dummies of participants change the weights,
    they also fit noise, and the variance is multiplied by ν/(ν − participants), ν being judgments
    minus items. The information share is Σ(d − d̄ᵢ)²/Σ(d − d̄)², d being 1 for the first system.
    """
    refuse_missing(value)
    rows = (system == pair[0]) | (system == pair[1])
    score, is_first = value[rows].astype(np.float64), system[rows] == pair[0]
    if is_first.all() or not is_first.any():
        return AdjustedDifference(None, 0, 0, 0, reasons=(NOT_JUDGED,))
    clusters = Clusters.of(item[rows], participant[rows])
    chosen = _weights(is_first, clusters)
    if chosen.shared_items == 0:
        return AdjustedDifference(None, 0, 0, 0, information_share=0.0, reasons=(NONE_SHARED,))
    estimate = _estimate(score, is_first, clusters, chosen, level=level)
    return AdjustedDifference.of(
        estimate.with_reasons(few_shared(chosen.shared_items, chosen.share)),
        shared_items=chosen.shared_items,
        information_share=chosen.share,
        is_within_participants=chosen.is_within_participants,
    )


@dataclass(frozen=True, slots=True)
class _Weights:
    """What is left of the system when items, or items and participants, are accounted for."""

    left: Numbers
    share: float
    shared_items: int
    is_within_participants: bool
    factor: float = 1.0  # for the noise that dummies of participants fit


def _weights(is_first: NDArray[np.bool_], clusters: Clusters) -> _Weights:
    d = is_first.astype(np.float64)
    item = clusters.item[clusters.cell]
    left = within_one(d, item)
    held = float(left @ left)
    firsts, all_of = np.bincount(item, d), np.bincount(item)
    shared = int(np.count_nonzero((firsts > 0) & (firsts < all_of)))
    within_items = _Weights(left, held / float(np.sum((d - d.mean()) ** 2)), shared, False)
    if not shared:
        return within_items
    both = within_both(d, clusters)
    if float(both @ both) < _KEPT * held:
        return within_items
    if np.abs(both - left).max() <= 1e-6:
        return _Weights(left, within_items.share, shared, True)
    counts = np.bincount(item, np.abs(both)) > _NOTHING
    judgments = int(counts[item].sum()) - int(counts.sum())
    people = count_distinct(clusters.participant[clusters.cell][counts[item]])
    if judgments <= people + 1:
        return within_items
    return _Weights(both, within_items.share, shared, True, judgments / (judgments - people))


def _estimate(
    score: Numbers,
    is_first: NDArray[np.bool_],
    clusters: Clusters,
    chosen: _Weights,
    *,
    level: float,
) -> Estimate:
    item, participant = clusters.item[clusters.cell], clusters.participant[clusters.cell]
    if chosen.is_within_participants:
        rest = within_both(score, clusters)
    else:
        rest = within_one(score, item)
    weight = chosen.left / float(chosen.left @ chosen.left)
    slope = float(weight @ score)
    influence = weight * (rest - slope * chosen.left) * chosen.factor**0.5
    counts = np.abs(chosen.left) > _NOTHING
    return clustered_estimate(
        slope,
        influence[counts],
        item=item[counts],
        participant=participant[counts],
        weights=JudgmentWeights(weight[counts], is_first[counts].astype(np.int64)),
        scale=scale_of(score),
        level=level,
        null=0.0,
    )


def few_shared(items: int, information_share: float) -> tuple[Reason, ...]:
    """A warning if the comparison of two systems depends on few items."""
    if information_share >= LITTLE_SHARED:
        return ()
    return (Why.FEW_SHARED(items=items, percent=100 * information_share),)


@dataclass(frozen=True, slots=True)
class ParticipantDifference(Contrast):
    """The difference between two systems for one participant, over the items judged for both."""

    participant: int = 0


def participant_differences(
    value: Numbers,
    system: Codes,
    pair: tuple[int, int],
    *,
    item: Codes,
    participant: Codes,
    level: float = 0.95,
) -> tuple[ParticipantDifference, ...]:
    """The first system minus the second for each participant: a paired t test over their items.

    One difference for each item that a participant judged for both systems; `n` counts the
    judgments behind them. It says nothing about other participants.
    """
    refuse_missing(value)
    rows = np.isin(system, pair)
    width = int(item.max()) + 1 if len(item) else 1
    key = participant[rows].astype(np.int64) * width + item[rows]
    apart = _paired_differences(value[rows], system[rows] == pair[0], key)
    people = np.unique(participant[rows])
    ends = np.searchsorted(apart.key // width, people, side="right")
    starts = np.searchsorted(apart.key // width, people, side="left")
    scale = scale_of(value[rows])
    return tuple(
        ParticipantDifference.of(
            _paired_estimate(apart.part(start, end), scale, 1, level), participant=int(person)
        )
        for person, start, end in zip(people, starts, ends, strict=True)
    )


@dataclass(frozen=True, slots=True)
class _PairedDifferences:
    """Differences of mean scores, in the order of their keys, with the judgments behind each."""

    key: Codes
    difference: Numbers
    judgments: Codes

    def part(self, start: int, end: int) -> _PairedDifferences:
        chosen = slice(start, end)
        return _PairedDifferences(self.key[chosen], self.difference[chosen], self.judgments[chosen])


def _paired_differences(score: Numbers, is_first: np.ndarray, key: Codes) -> _PairedDifferences:
    keys, place = np.unique(key, return_inverse=True)
    counts = [np.bincount(place[side], minlength=len(keys)) for side in (is_first, ~is_first)]
    sums = [np.bincount(place[side], score[side], len(keys)) for side in (is_first, ~is_first)]
    both = (counts[0] > 0) & (counts[1] > 0)
    first, second = (total[both] / count[both] for total, count in zip(sums, counts, strict=True))
    return _PairedDifferences(keys[both], first - second, (counts[0] + counts[1])[both])


def _paired_estimate(
    apart: _PairedDifferences, scale: float, people: int, level: float
) -> Estimate:
    items, n = len(apart.key), int(apart.judgments.sum())
    if not items:
        return Estimate(None, 0, 0, 0, reasons=(Why.NONE_SHARED(),))
    mean = float(apart.difference.mean())
    if items == 1:
        return Estimate(mean, n, items, people, reasons=(_ONE_SHARED,))
    error, df = float(apart.difference.std(ddof=1)) / math.sqrt(items), items - 1.0
    if is_negligible(error, scale):
        return Estimate(mean, n, items, people, reasons=(_NO_WIDTH,))
    return Estimate(
        mean,
        n,
        items,
        people,
        interval=t_interval(mean, error, df, level),
        standard_error=error,
        df=df,
        test=t_test_of(mean, error, df),
    )


def within_one(column: Numbers, group: Codes) -> Numbers:
    """A column minus the mean of its group: what a regression on dummies of groups leaves."""
    counts = np.bincount(group)
    means = np.bincount(group, column) / np.maximum(counts, 1)
    return np.asarray(column - means[group])


def within_both(column: Numbers, clusters: Clusters) -> Numbers:
    """The residuals of a regression on dummies of items and of participants.

    The kind with more clusters is eliminated exactly. For the other, the normal equations that are
    left are solved by conjugate gradients on the table of who judged what, so that neither time nor
    memory depends on more than the number of cells (Guimarães & Portugal 2010 give the problem;
    the solution is the same as with dummies). Where effects are not unique the residuals still are.
    """
    sides = (clusters.item, clusters.participant)
    large, small = sides if sides[0].max() >= sides[1].max() else sides[::-1]
    left = within_one(column, large[clusters.cell])
    right = np.bincount(small[clusters.cell], left).astype(np.float64)
    rounding = _CLOSE * np.bincount(small[clusters.cell], np.abs(left))
    right[np.abs(right) <= rounding] = 0.0
    each = _judgments_of_each_cell(clusters)
    if each is None:
        effects = _NormalEquations.of(clusters, large, small).solve(right)
    else:  # the equations are N (x − mean x) = right, whose sum is 0
        effects = right / (each * _distinct(large))
    return within_one(column - effects[small[clusters.cell]], large[clusters.cell])


def _judgments_of_each_cell(clusters: Clusters) -> int | None:
    """How often everybody judged every item; None if not all did equally often."""
    cells = _distinct(clusters.item) * _distinct(clusters.participant)
    counts = np.bincount(clusters.cell)
    is_complete = len(counts) == cells and counts.min() == counts.max()
    return int(counts[0]) if is_complete else None


def _distinct(codes: Codes) -> int:
    return int(np.count_nonzero(np.bincount(codes)))


@dataclass(frozen=True, slots=True)
class _NormalEquations:
    """The normal equations of the smaller kind when the larger is eliminated: N − Mᵀ L⁻¹ M."""

    table: csr_array  # M: judgments by clusters of the larger kind and of the smaller
    large: Numbers  # L: judgments of each cluster
    small: Numbers  # N

    @classmethod
    def of(cls, clusters: Clusters, large: Codes, small: Codes) -> _NormalEquations:
        from scipy.sparse import csr_array

        counts = np.bincount(clusters.cell).astype(np.float64)
        table = csr_array((counts, (large, small)))
        return cls(
            table, np.maximum(table.sum(axis=1), 1.0), np.asarray(table.sum(axis=0), np.float64)
        )

    def times(self, x: Numbers) -> Numbers:
        return np.asarray(self.small * x - self.table.T @ ((self.table @ x) / self.large))

    def solve(self, right: Numbers) -> Numbers:
        """Conjugate gradients, scaled by the diagonal. The matrix is singular along shifts of
        connected clusters, which the right-hand side never is."""
        squares = self.table.multiply(self.table).T @ (1 / self.large)
        diagonal = self.small - squares
        scale = np.where(diagonal > _CLOSE * self.small, 1 / np.maximum(diagonal, 1e-300), 0.0)
        found, rest = np.zeros_like(right), right.copy()
        step = scale * rest
        size, goal = float(rest @ step), _CLOSE * float(np.linalg.norm(right))
        for _ in range(_STEPS):
            if np.linalg.norm(rest) <= goal or size <= 0:
                break
            moved = self.times(step)
            length = size / float(step @ moved)
            found += length * step
            rest -= length * moved
            scaled = scale * rest
            size, before = float(rest @ scaled), size
            step = scaled + size / before * step
        return found
