"""How wide an interval would be had the study been larger or smaller.

An interval from clusters narrows with participants only as far as participants make it wide: what
items contribute stays when more people judge the same items, and the reverse.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from rejudge.errors import DataError
from rejudge.stats.cluster_sums import ClusterPart, ClusterSums
from rejudge.stats.clusters import Estimate, t_reach

_NO_INTERVAL = "Undefined: the study itself has no interval to begin with."
_ONE_CLUSTER = "Undefined: it needs at least two items and two participants."
_ITEMS_ONCE = (
    "Undefined: each item was judged by one participant, so that what items contribute cannot be "
    "told from the rest."
)
_PEOPLE_ONCE = (
    "Undefined: each participant judged one item, so that what participants contribute cannot be "
    "told from the rest."
)
_TOO_FEW = "Undefined: so few judgments would not reach all {what}."
_UNKNOWN = "Undefined: with so few, a single item or participant would decide alone."


@dataclass(frozen=True, slots=True)
class Resized:
    """An estimate's error in a study of another size. Undefined is None; see `note`."""

    items: int
    participants: int
    standard_error: float | None = None
    df: float | None = None
    half_width: float | None = None  # of the interval
    note: str = ""


@dataclass(frozen=True, slots=True)
class VarianceShares:
    """Variance of an estimate by where it comes from; None where the table cannot tell."""

    items: float | None
    participants: float | None
    rest: float | None


def with_participants(estimate: Estimate, participants: int, *, level: float = 0.95) -> Resized:
    """The error with so many participants on the same items, each judging as much as now.

    Each judgment is taken as the sum of an effect of its item, one of its participant, and its own.
    With k times the participants, the cluster sums of `clustered` are expected to become

        V(cell) / k,   (V(participants) − V(cell)) / k + V(cell) / k,
        (V(items) − V(cell)) · (Σ nᵢ² − n/k) / (Σ nᵢ² − n) + V(cell) / k

    where item i has nᵢ of the n cells: pairs of different people who judged one item, which is all
    that V(items) − V(cell) holds, become more frequent. What residuals lose, 1 − 1/f of a factor f,
    is divided by k for participants, and (df + 1) is multiplied by k. Then the interval is made as
    by `clustered`.
    """
    made_of = estimate.sums
    wanted = Resized(estimate.items, participants)
    if made_of is None:
        return replace(wanted, note=_NO_INTERVAL)
    k = _times(participants, estimate.participants)
    if made_of.by_item.pairs == made_of.cells and k != 1:
        return replace(wanted, note=_ITEMS_ONCE)
    if made_of.cells * k < estimate.items:
        return replace(wanted, note=_TOO_FEW.format(what="items"))
    larger = ClusterSums(
        by_item=_more_in_each(made_of.by_item, made_of, k),
        by_participant=_more_of_them(made_of.by_participant, k),
        by_cell=made_of.by_cell / k,
        cells=round(made_of.cells * k),
    )
    return _resized(wanted, larger, level)


def with_items(estimate: Estimate, items: int, *, level: float = 0.95) -> Resized:
    """The error with so many items, each judged by as many of the same people as now.

    Each participant then judges more; otherwise as `with_participants`, sides exchanged.
    """
    made_of = estimate.sums
    wanted = Resized(items, estimate.participants)
    if made_of is None:
        return replace(wanted, note=_NO_INTERVAL)
    k = _times(items, estimate.items)
    if made_of.by_participant.pairs == made_of.cells and k != 1:
        return replace(wanted, note=_PEOPLE_ONCE)
    if made_of.cells * k < estimate.participants:
        return replace(wanted, note=_TOO_FEW.format(what="participants"))
    larger = ClusterSums(
        by_item=_more_of_them(made_of.by_item, k),
        by_participant=_more_in_each(made_of.by_participant, made_of, k),
        by_cell=made_of.by_cell / k,
        cells=round(made_of.cells * k),
    )
    return _resized(wanted, larger, level)


def variance_shares(estimate: Estimate) -> VarianceShares:
    """How much of an estimate's variance comes from items, from participants, and from the rest.

    By the same sums, so that a share can be negative, which means about none; it is then given
    as 0. Where every item (or participant) has one judgment, its share cannot be told: None.
    """
    made_of = estimate.sums
    if made_of is None:
        return VarianceShares(None, None, None)
    items, people = (
        None
        if part.pairs == made_of.cells
        else max(0.0, (part.squares - made_of.by_cell) * _more_pairs(part, made_of, math.inf))
        for part in (made_of.by_item, made_of.by_participant)
    )
    squares = made_of.by_item.squares, made_of.by_participant.squares
    whole = max(sum(squares) - made_of.by_cell, *squares)
    return VarianceShares(items, people, max(0.0, whole - (items or 0.0) - (people or 0.0)))


def _times(wanted: int, now: int) -> float:
    if wanted < 1:
        raise DataError(f"A study needs at least one item and one participant, got {wanted}.")
    return wanted / now


def _more_in_each(part: ClusterPart, made_of: ClusterSums, k: float) -> ClusterPart:
    """The same clusters, each with k times the cells."""
    shared = (part.squares - made_of.by_cell) * _more_pairs(part, made_of, k)
    return replace(part, squares=shared + made_of.by_cell / k)


def _more_of_them(part: ClusterPart, k: float) -> ClusterPart:
    """K times the clusters, each as it is."""
    seen = 1 - (1 - 1 / part.factor) / k
    return replace(
        part,
        squares=part.squares / k,
        factor=1 / seen if seen > 0 else math.inf,
        df=(part.df + 1) * k - 1,
        clusters=round(part.clusters * k),
    )


def _more_pairs(part: ClusterPart, made_of: ClusterSums, k: float) -> float:
    """By how much the mean product of two cells of one cluster counts for more."""
    if part.pairs == made_of.cells:
        return 1.0
    return (part.pairs - made_of.cells / k) / (part.pairs - made_of.cells)


def _resized(wanted: Resized, made_of: ClusterSums, level: float) -> Resized:
    if min(wanted.items, wanted.participants) < 2:  # noqa: PLR2004 - one shows no variation
        return replace(wanted, note=_ONE_CLUSTER)
    if not made_of.is_known:
        return replace(wanted, note=_UNKNOWN)
    error = math.sqrt(made_of.variance)
    return replace(
        wanted,
        standard_error=error,
        df=made_of.df,
        half_width=t_reach(error, made_of.df, level),
    )
