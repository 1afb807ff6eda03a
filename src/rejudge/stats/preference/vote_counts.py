"""Pairwise comparisons reduced to counts and sums, which can be added up part by part.

Win rates and their cluster-robust intervals depend on the judgments only through sums over clusters
of powers of cluster sizes and scores. A table of any length can therefore be read in parts, each of
which holds whole clusters, and gives the same numbers as `win_table` and `pair_rates`.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from rejudge.stats.arrays import Numbers
from rejudge.stats.clusters import (
    ONE_CLUSTER,
    UNSEEN,
    ClusterPart,
    ClusterSums,
    Estimate,
    estimate_of_sums,
)
from rejudge.stats.preference.pairwise import PairRate, Standing, WinMatrix

_PERCENT = (0.0, 100.0)
_HALF = 50.0


@dataclass(frozen=True, slots=True)
class CellMoments:
    """Sums over cells (an item judged by a participant), one entry per estimate.

    n is the number of comparisons of a cell, s the sum of their scores: ½, 0 (a tie) or −½.
    """

    count: Numbers
    s_s: Numbers
    s_n: Numbers
    n_n: Numbers

    def __add__(self, other: CellMoments) -> CellMoments:
        return CellMoments(*(x + y for x, y in zip(_parts(self), _parts(other), strict=True)))


@dataclass(frozen=True, slots=True)
class ClusterMoments:
    """Sums over clusters of one kind, one entry per estimate.

    n and s as in cells; m is the sum of the squared n of the cells of a cluster, c their number.
    """

    count: Numbers
    n_n: Numbers
    n3: Numbers
    n4: Numbers
    n5: Numbers
    s_s: Numbers
    s_n: Numbers
    m: Numbers
    m_m: Numbers
    n_n_m: Numbers
    n3_m: Numbers
    c_c: Numbers

    def __add__(self, other: ClusterMoments) -> ClusterMoments:
        return ClusterMoments(*(x + y for x, y in zip(_parts(self), _parts(other), strict=True)))


def _parts(moments: CellMoments | ClusterMoments) -> list[Numbers]:
    return [getattr(moments, each.name) for each in fields(moments)]


def cells_of_pairs(matrix: WinMatrix) -> CellMoments:
    """The cells of each pair, in the order of `pair_codes`: a cell has one vote of a pair."""
    first, second = np.triu_indices(len(matrix.wins), 1)
    won, lost = matrix.wins[first, second], matrix.wins[second, first]
    n = matrix.n[first, second].astype(np.float64)
    return CellMoments(n, (won + lost) / 4, (won - lost) / 2, n)


@dataclass(frozen=True, slots=True)
class RateMoments:
    """All that the win rates of several estimates depend on, and their intervals."""

    by_item: ClusterMoments
    by_participant: ClusterMoments
    by_cell: CellMoments


def rate_estimates(
    wins: Numbers,
    n: NDArray[np.int64],
    moments: RateMoments,
    *,
    level: float,
    null: float | None = None,
) -> tuple[Estimate, ...]:
    """Win percentages with their intervals; `wins` counts a tie as half."""
    return tuple(
        _rate(place, float(wins[place]), int(n[place]), moments, level=level, null=null)
        for place in range(len(n))
    )


def _rate(
    place: int, wins: float, n: int, moments: RateMoments, *, level: float, null: float | None
) -> Estimate:
    if not n:
        return Estimate(None, 0, 0, 0, note="No judgments.")
    value = 100 * wins / n
    items = int(moments.by_item.count[place])
    participants = int(moments.by_participant.count[place])
    bare = Estimate(value, n, items, participants)
    if min(items, participants) < 2:  # noqa: PLR2004 - one cluster shows no variation
        return Estimate(value, n, items, participants, note=ONE_CLUSTER)
    sums = _sums(place, value - _HALF, n, moments)
    return estimate_of_sums(bare, sums, scale=100.0, level=level, null=null, bounds=_PERCENT)


def _sums(place: int, value: float, n: int, moments: RateMoments) -> ClusterSums:
    cell = moments.by_cell
    by_cell = _squares(cell, place, value, n)
    return ClusterSums(
        by_item=_part(moments.by_item, place, value, n=n, cell_squares=by_cell),
        by_participant=_part(moments.by_participant, place, value, n=n, cell_squares=by_cell),
        by_cell=by_cell,
        cells=int(cell.count[place]),
    )


def _squares(moments: CellMoments | ClusterMoments, place: int, value: float, n: int) -> float:
    """The sum of squared cluster sums of (100 s − value n) / n."""
    s_s, s_n, n_n = (float(getattr(moments, each)[place]) for each in ("s_s", "s_n", "n_n"))
    return max(0.0, 1e4 * s_s - 200 * value * s_n + value**2 * n_n) / n**2


def _part(  # the formulas of `clusters._part`, for one system and equal weights
    moments: ClusterMoments, place: int, value: float, *, n: int, cell_squares: float
) -> ClusterPart:
    def of(name: str, power: int) -> float:
        return float(getattr(moments, name)[place]) / float(n) ** power

    squares = _squares(moments, place, value, n)
    clusters, pairs = int(moments.count[place]), int(moments.c_c[place])
    w2, w3, w4, w5 = of("n_n", 2), of("n3", 3), of("n4", 4), of("n5", 5)
    seen = w2 - 2 * w3 + w2**2
    if seen <= UNSEEN * w2:
        return ClusterPart(squares, float("inf"), 1.0, clusters, pairs)
    effect = max(0.0, squares - cell_squares) / seen
    k = cell_squares / of("m", 2)  # noise of a cell by its squared weight
    m_m, w2_m, w3_m = of("m_m", 4), of("n_n_m", 4), of("n3_m", 5)
    trace = effect * w2 + k * of("m", 2) - effect * (2 * w3 - w2**2)
    own = effect**2 * w4 + 2 * effect * k * w2_m + k**2 * m_m
    less = effect * (effect * (2 * w5 - w2 * w4) + k * (2 * w3_m - w2 * w2_m))
    low = np.array([[effect * w2, -effect], [-effect, 0.0]]) @ np.array([[w2, w3], [w3, w4]])
    total = own - 2 * less + float(np.sum(low * low.T))
    most = clusters - 1.0
    df = min(trace**2 / total, most) if total > 0 else most
    return ClusterPart(squares, w2 / seen, df, clusters, pairs)


def standings_of(
    matrix: WinMatrix, moments: RateMoments, *, level: float = 0.95
) -> tuple[Standing, ...]:
    """As `win_table`; estimates are the systems."""
    won, lost, tied = matrix.wins.sum(axis=1), matrix.wins.sum(axis=0), matrix.ties.sum(axis=1)
    n = won + lost + tied
    rates = rate_estimates(won + tied / 2, n, moments, level=level)
    return tuple(
        Standing(
            system,
            int(won[system]),
            int(lost[system]),
            int(tied[system]),
            100 * float(won[system] - lost[system]) / int(n[system]) if n[system] else None,
            rate,
        )
        for system, rate in enumerate(rates)
    )


def pair_rates_of(
    matrix: WinMatrix, moments: RateMoments, *, level: float = 0.95
) -> tuple[PairRate, ...]:
    """As `pair_rates`; estimates are the pairs in the order of `pair_codes`."""
    first, second = np.triu_indices(len(matrix.wins), 1)
    won, lost = matrix.wins[first, second], matrix.wins[second, first]
    tied, n = matrix.ties[first, second], matrix.n[first, second]
    rates = rate_estimates(won + tied / 2, n, moments, level=level, null=_HALF)
    return tuple(
        PairRate(
            int(first[place]),
            int(second[place]),
            int(won[place]),
            int(lost[place]),
            int(tied[place]),
            rates[place],
        )
        for place in np.flatnonzero(n).tolist()
    )


def pair_codes(systems: int) -> NDArray[np.int64]:
    """The number of each pair of systems, in a table of both; 0, 1 is the first."""
    codes = np.zeros((systems, systems), dtype=np.int64)
    first, second = np.triu_indices(systems, 1)
    codes[first, second] = codes[second, first] = np.arange(len(first))
    return codes
