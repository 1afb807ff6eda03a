"""How wide an interval would be had the study been larger or smaller.

An interval from clusters narrows with participants only as far as participants make it wide: what
items contribute stays when more people judge the same items, and the reverse.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from rejudge.errors import DataError
from rejudge.stats.clusters import ClusterSums, Estimate, t_reach

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


@dataclass(frozen=True, slots=True)
class Resized:
    """An estimate's error in a study of another size. Undefined is None; see `note`."""

    items: int
    participants: int
    standard_error: float | None = None
    df: int | None = None
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
    that V(items) − V(cell) holds, become more frequent. Then the interval is made as always, with
    its floor, G/(G − 1) and t on G − 1 degrees of freedom.
    """
    made_of = estimate.sums
    wanted = Resized(estimate.items, participants)
    if made_of is None:
        return replace(wanted, note=_NO_INTERVAL)
    k = _times(participants, estimate.participants)
    if made_of.item_pairs == made_of.cells and k != 1:
        return replace(wanted, note=_ITEMS_ONCE)
    if made_of.cells * k < estimate.items:
        return replace(wanted, note=_TOO_FEW.format(what="items"))
    rest = made_of.by_cell / k
    shared = (made_of.by_item - made_of.by_cell) * _more_pairs(made_of.item_pairs, made_of.cells, k)
    return _resized(
        wanted,
        replace(
            made_of,
            by_item=shared + rest,
            by_participant=made_of.by_participant / k,
            by_cell=rest,
        ),
        level,
    )


def with_items(estimate: Estimate, items: int, *, level: float = 0.95) -> Resized:
    """The error with so many items, each judged by as many of the same people as now.

    Each participant then judges more; otherwise as `with_participants`, sides exchanged.
    """
    made_of = estimate.sums
    wanted = Resized(items, estimate.participants)
    if made_of is None:
        return replace(wanted, note=_NO_INTERVAL)
    k = _times(items, estimate.items)
    if made_of.participant_pairs == made_of.cells and k != 1:
        return replace(wanted, note=_PEOPLE_ONCE)
    if made_of.cells * k < estimate.participants:
        return replace(wanted, note=_TOO_FEW.format(what="participants"))
    rest = made_of.by_cell / k
    shared = (made_of.by_participant - made_of.by_cell) * _more_pairs(
        made_of.participant_pairs, made_of.cells, k
    )
    return _resized(
        wanted,
        replace(made_of, by_item=made_of.by_item / k, by_participant=shared + rest, by_cell=rest),
        level,
    )


def variance_shares(estimate: Estimate) -> VarianceShares:
    """How much of an estimate's variance comes from items, from participants, and from the rest.

    By the same sums, so that a share can be negative, which means about none; it is then given
    as 0. Where every item (or participant) has one judgment, its share cannot be told: None.
    """
    made_of = estimate.sums
    if made_of is None:
        return VarianceShares(None, None, None)
    sides = (
        (made_of.by_item, made_of.item_pairs),
        (made_of.by_participant, made_of.participant_pairs),
    )
    items, people = (
        None
        if pairs == made_of.cells
        else max(0.0, (variance - made_of.by_cell) * _more_pairs(pairs, made_of.cells, math.inf))
        for variance, pairs in sides
    )
    rest = made_of.variance - (items or 0.0) - (people or 0.0)
    return VarianceShares(items, people, max(0.0, rest))


def _times(wanted: int, now: int) -> float:
    if wanted < 1:
        raise DataError(f"A study needs at least one item and one participant, got {wanted}.")
    return wanted / now


def _more_pairs(pairs: int, cells: int, k: float) -> float:
    """By how much the mean product of two cells of one cluster counts for more."""
    return 1.0 if pairs == cells else (pairs - cells / k) / (pairs - cells)


def _resized(wanted: Resized, made_of: ClusterSums, level: float) -> Resized:
    clusters = min(wanted.items, wanted.participants)
    if clusters < 2:  # noqa: PLR2004 - one cluster shows no variation between clusters
        return replace(wanted, note=_ONE_CLUSTER)
    error = math.sqrt(made_of.variance * clusters / (clusters - 1))
    df = clusters - 1
    return replace(wanted, standard_error=error, df=df, half_width=t_reach(error, df, level))
