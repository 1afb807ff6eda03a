"""Intervals that hold when judgments come in clusters: several of one item, several of one person.

Judgments of one item resemble each other, and so do judgments by one participant. An interval that
takes them as independent is too narrow, often by half. Here both dependences count at once.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from rejudge.stats.negligible import is_negligible

Codes: TypeAlias = NDArray[np.integer]
Numbers: TypeAlias = NDArray[np.float64]

FEW_PARTICIPANTS = 5  # below this, what holds for these people need not hold for others

_NO_WIDTH = (
    "No interval: the judgments do not vary from item to item or from participant to participant."
)
_ONE_CLUSTER = "No interval: it needs at least two items and two participants."


@dataclass(frozen=True, slots=True)
class Interval:
    """Where the true value may lie, at a level of confidence such as 0.95."""

    low: float
    high: float
    level: float


@dataclass(frozen=True, slots=True)
class ClusterSums:
    """What the variance of an estimate is made of, before G/(G − 1).

    Each is a sum of squared cluster sums; a cell is an item in the hands of one participant. The
    pairs are sums of squared numbers of cells, over items and over participants.
    """

    by_item: float
    by_participant: float
    by_cell: float
    cells: int
    item_pairs: int
    participant_pairs: int

    @property
    def variance(self) -> float:
        """Of the estimate, never below that of one kind of clusters alone."""
        return max(
            self.by_item + self.by_participant - self.by_cell, self.by_item, self.by_participant
        )


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with what it rests on. What is undefined is None, and `note` says why."""

    value: float | None
    n: int  # judgments
    items: int
    participants: int
    interval: Interval | None = None
    standard_error: float | None = None
    df: int | None = None
    p: float | None = None  # two-sided, against the null value where one was given
    note: str = ""
    sums: ClusterSums | None = None  # behind the standard error


def clustered(
    value: float,
    influence: Numbers,
    *,
    item: Codes,
    participant: Codes,
    scale: float | None = None,
    level: float = 0.95,
    null: float | None = None,
    bounds: tuple[float, float] | None = None,
) -> Estimate:
    """An estimate with an interval that allows for clusters of items and of participants.

    `influence` holds how much each judgment pulls the estimate, so that their sum is its error.
    Variance: V(items) + V(participants) − V(item × participant), each the sum of squared cluster
    sums (Cameron, Gelbach & Miller 2011); where everybody judged once the last is the variance of
    independent judgments. It is not let below the larger of the first two, is multiplied by
    G/(G−1), and is used with Student's t on G−1 degrees of freedom, where G is the smaller number
    of clusters. The interval is cut at `bounds`, beyond which no value can lie. `scale` is the
    largest score behind the estimate, by which an error is told from rounding; without it, the
    estimate itself is taken.
    """
    items, participants = _how_many(item), _how_many(participant)
    clusters = min(items, participants)
    n = len(influence)
    if clusters < 2:  # noqa: PLR2004 - one cluster shows no variation between clusters
        return Estimate(value, n, items, participants, note=_ONE_CLUSTER)
    sums = _sums(influence, item, participant)
    variance = sums.variance * clusters / (clusters - 1)
    if is_negligible(math.sqrt(variance), value if scale is None else scale):
        return Estimate(value, n, items, participants, note=_NO_WIDTH)
    error, df = math.sqrt(variance), clusters - 1
    return Estimate(
        value,
        n,
        items,
        participants,
        interval=_t_interval(value, error, df=df, level=level, bounds=bounds),
        standard_error=error,
        df=df,
        p=None if null is None else _t_test(value - null, error, df),
        note=_few_people(participants),
        sums=sums,
    )


def _sums(influence: Numbers, item: Codes, participant: Codes) -> ClusterSums:
    width = int(participant.max()) + 1
    seen, cells = np.unique(item.astype(np.int64) * width + participant, return_inverse=True)
    return ClusterSums(
        by_item=_squared_sums(influence, item),
        by_participant=_squared_sums(influence, participant),
        by_cell=_squared_sums(influence, cells),
        cells=len(seen),
        item_pairs=_pairs(seen // width),
        participant_pairs=_pairs(seen % width),
    )


def _pairs(codes: Codes) -> int:
    return int(np.sum(np.bincount(codes) ** 2))


def _squared_sums(influence: Numbers, cluster: Codes) -> float:
    return float(np.sum(np.bincount(cluster, weights=influence) ** 2))


def _how_many(codes: Codes) -> int:
    return int(np.count_nonzero(np.bincount(codes))) if len(codes) else 0


def _t_interval(
    value: float, error: float, *, df: int, level: float, bounds: tuple[float, float] | None
) -> Interval:
    reach = t_reach(error, df, level)
    low, high = bounds or (-math.inf, math.inf)
    return Interval(max(value - reach, low), min(value + reach, high), level)


def t_reach(error: float, df: float, level: float) -> float:
    """How far an interval reaches to either side: Student's t times the standard error."""
    from scipy.special import stdtrit

    return float(stdtrit(df, (1 + level) / 2)) * error


def _t_test(distance: float, error: float, df: int) -> float:
    from scipy.special import stdtr

    return min(1.0, 2 * float(stdtr(df, -abs(distance) / error)))


def _few_people(participants: int) -> str:
    if participants >= FEW_PARTICIPANTS:
        return ""
    return (
        f"Only {participants} participants in all: whatever the number of items, "
        "this can hardly speak for other people."
    )
