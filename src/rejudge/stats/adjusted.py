"""How far two systems lie apart on the items that both were judged on.

Where systems were judged on different items or by different people, a difference of means is also
one of items and of people. Here systems are compared within items, and within participants where
they saw both.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from rejudge.stats.cluster_sums import Clusters, JudgmentWeights
from rejudge.stats.clusters import Codes, Estimate, Numbers, clustered
from rejudge.stats.missing import refuse_missing
from rejudge.stats.negligible import scale_of
from rejudge.stats.numbering import how_many
from rejudge.stats.resampling import joined
from rejudge.stats.within import within_both, within_one

LITTLE_SHARED = 0.2  # of the information: below this, few items carry a comparison
_KEPT = 0.5  # of the information within items, if participants are to be accounted for too
_NOTHING = 1e-9  # a weight of zero but for rounding

NOT_JUDGED = "Undefined: one of the two systems was not judged."
NONE_SHARED = (
    "Undefined: no item was judged for both systems, so a difference between them cannot be told "
    "from one between items. If chance decided which items each system was judged on, means can be "
    "compared instead (items_dealt_at_random)."
)


@dataclass(frozen=True, slots=True)
class AdjustedDifference(Estimate):
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
        return AdjustedDifference(None, 0, 0, 0, note=NOT_JUDGED)
    clusters = Clusters.of(item[rows], participant[rows])
    chosen = _weights(is_first, clusters)
    if chosen.shared_items == 0:
        return AdjustedDifference(None, 0, 0, 0, note=NONE_SHARED, information_share=0.0)
    estimate = _estimate(score, is_first, clusters, chosen, level=level)
    note = joined(estimate.note, few_shared(chosen.shared_items, chosen.share))
    inherited = {each.name: getattr(estimate, each.name) for each in fields(Estimate)}
    return AdjustedDifference(
        **inherited | {"note": note},
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
    if np.abs(both - left).max() <= 1e-6:  # noqa: PLR2004 - dummies of participants change nothing
        return _Weights(left, within_items.share, shared, True)
    counts = np.bincount(item, np.abs(both)) > _NOTHING
    judgments = int(counts[item].sum()) - int(counts.sum())
    people = how_many(clusters.participant[clusters.cell][counts[item]])
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
    return clustered(
        slope,
        influence[counts],
        item=item[counts],
        participant=participant[counts],
        weights=JudgmentWeights(weight[counts], is_first[counts].astype(np.int64)),
        scale=scale_of(score),
        level=level,
        null=0.0,
    )


def few_shared(items: int, information_share: float) -> str:
    """A warning where few items carry the comparison of two systems."""
    if information_share >= LITTLE_SHARED:
        return ""
    return (
        f"Only {items:,} {'item was' if items == 1 else 'items were'} judged for both systems, "
        f"with {100 * information_share:.0f} % of the information that a comparison of means would "
        "use. If chance decided which items each system was judged on, means can be compared "
        "instead (items_dealt_at_random)."
    )
