"""Intervals that hold when judgments come in clusters: several of one item, several of one person.

Judgments of one item resemble each other, and so do judgments by one participant. An interval that
takes them as independent is too narrow, often by half. Here both dependences count at once.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from rejudge.stats.cluster_sums import Clusters, ClusterSums, Codes, JudgmentWeights, Numbers
from rejudge.stats.negligible import is_negligible

__all__ = [
    "FEW_PARTICIPANTS",
    "ClusterSums",
    "Codes",
    "Estimate",
    "Interval",
    "JudgmentWeights",
    "Numbers",
    "clustered",
    "t_reach",
    "t_test",
]

FEW_PARTICIPANTS = 5  # below this, what holds for these people need not hold for others

_NO_WIDTH = (
    "No interval: the judgments do not vary from item to item or from participant to participant."
)
_ONE_CLUSTER = "No interval: it needs at least two items and two participants."
_UNKNOWN = (
    "No interval: all judgments of a system are of one item or by one participant, so that nothing "
    "shows how far items or participants differ."
)


@dataclass(frozen=True, slots=True)
class Interval:
    """Where the true value may lie, at a level of confidence such as 0.95."""

    low: float
    high: float
    level: float


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with what it rests on. What is undefined is None, and `note` says why."""

    value: float | None
    n: int  # judgments
    items: int
    participants: int
    interval: Interval | None = None
    standard_error: float | None = None
    df: float | None = None
    p: float | None = None  # two-sided, against the null value where one was given
    note: str = ""
    sums: ClusterSums | None = None  # behind the standard error


def clustered(  # noqa: PLR0913 - what an interval depends on
    value: float,
    influence: Numbers,
    *,
    item: Codes,
    participant: Codes,
    weights: JudgmentWeights | None = None,
    scale: float | None = None,
    level: float = 0.95,
    null: float | None = None,
    bounds: tuple[float, float] | None = None,
) -> Estimate:
    """An estimate with an interval that allows for clusters of items and of participants.

    `influence` holds how much each judgment pulls the estimate, so that their sum is its error;
    `weights` holds how much its score counts and for which system (equally and for one, if not
    given, as in a mean).
    Variance: V(items) + V(participants) − V(item × participant), each the sum of squared cluster
    sums (Cameron, Gelbach & Miller 2011), not below the larger of the first two. These two are
    multiplied by factors for few and unequal clusters (G/(G−1) for G equal ones), and Student's t
    has the degrees of freedom that such clusters leave (`ClusterSums`, Bell & McCaffrey 2002).
    The interval is cut at `bounds`, beyond which no value can lie. `scale` is the largest score
    behind the estimate, which tells an error from rounding; without it, the estimate is taken.
    """
    items, participants = _how_many(item), _how_many(participant)
    n = len(influence)
    if min(items, participants) < 2:  # noqa: PLR2004 - one cluster shows no variation
        return Estimate(value, n, items, participants, note=_ONE_CLUSTER)
    if weights is None:
        weights = JudgmentWeights(np.full(n, 1 / n), np.zeros(n, dtype=np.int64))
    sums = Clusters.of(item, participant).sums(influence, weights)
    if not sums.is_known:
        return Estimate(value, n, items, participants, note=_UNKNOWN)
    error = math.sqrt(sums.variance)
    if is_negligible(error, value if scale is None else scale):
        return Estimate(value, n, items, participants, note=_NO_WIDTH)
    return Estimate(
        value,
        n,
        items,
        participants,
        interval=_t_interval(value, error, df=sums.df, level=level, bounds=bounds),
        standard_error=error,
        df=sums.df,
        p=None if null is None else t_test(value - null, error, sums.df),
        note=_few_people(participants),
        sums=sums,
    )


def _how_many(codes: Codes) -> int:
    return int(np.count_nonzero(np.bincount(codes))) if len(codes) else 0


def _t_interval(
    value: float, error: float, *, df: float, level: float, bounds: tuple[float, float] | None
) -> Interval:
    reach = t_reach(error, df, level)
    low, high = bounds or (-math.inf, math.inf)
    return Interval(max(value - reach, low), min(value + reach, high), level)


def t_reach(error: float, df: float, level: float) -> float:
    """How far an interval reaches to either side: Student's t times the standard error."""
    from scipy.special import stdtrit

    return float(stdtrit(df, (1 + level) / 2)) * error


def t_test(distance: float, error: float, df: float) -> float:
    """The two-sided p of so large a distance from the null value, by Student's t."""
    from scipy.special import stdtr

    return min(1.0, 2 * float(stdtr(df, -abs(distance) / error)))


def _few_people(participants: int) -> str:
    if participants >= FEW_PARTICIPANTS:
        return ""
    return (
        f"Only {participants} participants in all: whatever the number of items, "
        "this can hardly speak for other people."
    )
