"""Estimates from items that were not equally likely to be selected: means and differences.

Each judgment counts by 1/π, the inverse of the probability that its item was selected (Horvitz &
Thompson 1952), and the weights are divided by their sum (Hájek 1971). Strata count by the number
of items they stand for, and items vary around the mean of their own stratum, since how many come
from each is fixed. Intervals are those of `clustered`: as if items had been drawn with
replacement, without a finite-population correction. They hold for further items of the same kind,
and are slightly too wide for the items of the file alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from rejudge.stats.arrays import Codes, Numbers, count_distinct, refuse_missing, scale_of
from rejudge.stats.clusters import JudgmentWeights, clustered_estimate
from rejudge.stats.estimate import Estimate
from rejudge.stats.means import (
    NO_JUDGMENTS,
    NONE_SHARED,
    NOT_JUDGED,
    AdjustedDifference,
    few_shared,
    within_one,
)

_TWO = 2
_NOTHING = 1e-12  # what is left of a system where an item was judged for one only


@dataclass(frozen=True, eq=False, slots=True)
class ItemWeights:
    """The weight of each judgment's item, and its stratum."""

    weight: Numbers  # 1/π
    stratum: Codes
    unit: Codes  # the item, to count those of a stratum

    @classmethod
    def of(cls, weight: Numbers, stratum: Codes, unit: Codes) -> ItemWeights:
        """Weights with strata of one item combined, since one item does not show variation."""
        first = np.unique(unit, return_index=True)[1]
        items = np.bincount(stratum[first]) if len(first) else np.zeros(1, dtype=np.int64)
        merged = np.where(items < _TWO, len(items), np.arange(len(items)))
        code = np.unique(merged[stratum], return_inverse=True)[1]
        return cls(weight, code.astype(np.int64), unit)

    def take(self, rows: np.ndarray) -> ItemWeights:
        """Of some judgments."""
        return ItemWeights(self.weight[rows], self.stratum[rows], self.unit[rows])

    @property
    def without_strata(self) -> ItemWeights:
        """The same weights, all items varying around one mean."""
        return replace(self, stratum=np.zeros(len(self.stratum), dtype=np.int64))

    @property
    def strata(self) -> int:
        """How many strata there can be."""
        return int(self.stratum.max()) + 1 if len(self.stratum) else 0

    def normalise(self, base: Numbers) -> Numbers:
        """Weights that sum to 1: in each stratum by base and 1/π, together as many as its items.

        Judgments of base 0 count nothing, and items without any other do not count either.
        """
        size = self.strata
        own = self.weight * base
        sums = np.bincount(self.stratum, own, size)
        judged = np.flatnonzero(base)
        first = judged[np.unique(self.unit[judged], return_index=True)[1]]
        items = np.bincount(self.stratum[first], self.weight[first], size)
        per_judgment = np.divide(items / items.sum(), sums, out=np.zeros(size), where=sums > 0)
        return np.asarray(own * per_judgment[self.stratum])

    def centre(self, share: Numbers, value: Numbers) -> Numbers:
        """The values minus the mean of their stratum."""
        sums = np.bincount(self.stratum, share, self.strata)
        total = np.bincount(self.stratum, share * value, self.strata)
        means = np.divide(total, sums, out=np.zeros(self.strata), where=sums > 0)
        return np.asarray(value - means[self.stratum])

    def first_known(self, compute: Callable[[ItemWeights], Estimate]) -> Estimate:
        """An estimate whose items vary within strata, or else, where that is unknown, overall.

        It is unknown where each stratum was judged by one participant.
        """
        found = compute(self)
        if found.interval is None and found.value is not None and self.strata > 1:
            overall = compute(self.without_strata)
            return found if overall.interval is None else overall
        return found

    def side(self, system: Codes) -> Codes:
        """One code for each system and stratum: items vary around a mean for each."""
        return np.asarray(system.astype(np.int64) * self.strata + self.stratum)


def weighted_mean(
    value: Numbers,
    *,
    weights: ItemWeights,
    item: Codes,
    participant: Codes,
    base: Numbers | None = None,
    level: float = 0.95,
    null: float | None = None,
    bounds: tuple[float, float] | None = None,
    scale: float | None = None,
) -> Estimate:
    """The mean over all items that could have been selected; `base` is what a judgment counts."""
    refuse_missing(value)
    if not len(value):
        return Estimate(None, 0, 0, 0, reasons=(NO_JUDGMENTS,))
    share = weights.normalise(np.ones(len(value)) if base is None else base)
    return weights.first_known(
        lambda strata: clustered_estimate(
            float(share @ value),
            share * strata.centre(share, value),
            item=item,
            participant=participant,
            weights=JudgmentWeights(share, strata.stratum),
            scale=scale_of(value) if scale is None else scale,
            level=level,
            null=null,
            bounds=bounds,
        )
    )


def weighted_mean_by_system(
    value: Numbers,
    system: Codes,
    *,
    weights: ItemWeights,
    item: Codes,
    participant: Codes,
    systems: int,
    level: float = 0.95,
    bounds: tuple[float, float] | None = None,
) -> tuple[Estimate, ...]:
    """The weighted mean of each system."""
    return tuple(
        weighted_mean(
            value[rows],
            weights=weights.take(rows),
            item=item[rows],
            participant=participant[rows],
            level=level,
            bounds=bounds,
        )
        for rows in (system == code for code in range(systems))
    )


def weighted_mean_difference(
    value: Numbers,
    system: Codes,
    pair: tuple[int, int],
    *,
    weights: ItemWeights,
    item: Codes,
    participant: Codes,
    level: float = 0.95,
) -> Estimate:
    """The weighted mean of the first system minus that of the second, with a test against 0."""
    refuse_missing(value)
    rows = (system == pair[0]) | (system == pair[1])
    score, is_first, own = value[rows], system[rows] == pair[0], weights.take(rows)
    if is_first.all() or not is_first.any():
        return Estimate(None, len(score), 0, 0, reasons=(NOT_JUDGED,))
    signs = np.where(is_first, 1.0, -1.0)
    share = np.where(
        is_first, own.normalise(is_first.astype(float)), own.normalise((~is_first).astype(float))
    )

    def compute(strata: ItemWeights) -> Estimate:
        apart = np.where(
            is_first,
            strata.centre(share * is_first, score),
            strata.centre(share * ~is_first, score),
        )
        return clustered_estimate(
            float((signs * share) @ score),
            signs * share * apart,
            item=item[rows],
            participant=participant[rows],
            weights=JudgmentWeights(signs * share, strata.side(is_first)),
            scale=scale_of(score),
            level=level,
            null=0.0,
        )

    return own.first_known(compute)


def weighted_adjusted_difference(
    value: Numbers,
    system: Codes,
    pair: tuple[int, int],
    *,
    weights: ItemWeights,
    item: Codes,
    participant: Codes,
    level: float = 0.95,
) -> AdjustedDifference:
    """The first system's scores minus the second's, within items, with a test against 0.

    In each stratum the slope of a weighted regression on the system with dummies of items; strata
    are put together by the number of items they stand for. In a complete table that is the
    difference of the weighted means.
    """
    refuse_missing(value)
    rows = (system == pair[0]) | (system == pair[1])
    score, is_first = value[rows].astype(np.float64), system[rows] == pair[0]
    if is_first.all() or not is_first.any():
        return AdjustedDifference(None, 0, 0, 0, reasons=(NOT_JUDGED,))
    cluster, people = item[rows], participant[rows]
    d = is_first.astype(np.float64)
    left, rest = within_one(d, cluster), within_one(score, cluster)
    counts = np.abs(left) > _NOTHING
    if not counts.any():
        return AdjustedDifference(None, 0, 0, 0, information_share=0.0, reasons=(NONE_SHARED,))
    share = float(left @ left) / float(np.sum((d - d.mean()) ** 2))
    shared = count_distinct(cluster[counts])
    own, left, rest = weights.take(rows).take(counts), left[counts], rest[counts]
    weight = own.normalise(left**2) / left  # a slope is the mean of rest / left, by left²
    slope = float(weight @ rest)

    def compute(strata: ItemWeights) -> Estimate:
        return clustered_estimate(
            slope,
            weight * left * strata.centre(weight * left, rest / left),
            item=cluster[counts],
            participant=people[counts],
            weights=JudgmentWeights(weight, strata.side(is_first[counts])),
            scale=scale_of(score),
            level=level,
            null=0.0,
        )

    estimate = own.first_known(compute)
    return AdjustedDifference.of(
        estimate.with_reasons(few_shared(shared, share)),
        shared_items=shared,
        information_share=share,
    )
