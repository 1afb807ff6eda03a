"""Do two groups of people say the same of the same things? Agreement across groups, not inside.

Cross-replication reliability (Wong, Paritosh & Aroyo 2021): only judgments of different groups are
set against each other, so that neither agreement inside a group nor its size adds to it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rejudge.stats.alpha import Level, alphas, distances
from rejudge.stats.clusters import Codes, Interval, Numbers
from rejudge.stats.counting import count_cells, counted, dense, distinct
from rejudge.stats.missing import refuse_missing
from rejudge.stats.negligible import ROUNDING
from rejudge.stats.resampling import Measured, from_error

_NOTHING_SHARED = "Undefined: the two groups judged no unit in common."
_NO_VARIATION = "Undefined: everybody said the same, so chance agreement is complete."
_ONE_UNIT = "No interval: it needs at least two units that both groups judged."


@dataclass(frozen=True, slots=True)
class CrossKappa:
    """Agreement between two groups of people. Undefined is None, and `note` says why."""

    value: float | None
    n: int  # units that both groups judged
    judgments: int  # of these units
    interval: Interval | None = None
    normalised: float | None = None  # over the geometric mean of the agreement inside the groups
    inside: tuple[float | None, float | None] = (None, None)  # Krippendorff's alpha of each
    note: str = ""


def cross_kappa(
    unit: Codes,
    value: Numbers,
    is_second: NDArray[np.bool_],
    measured: Level,
    *,
    level: float = 0.95,
) -> CrossKappa:
    """1 − observed / expected disagreement between two groups (Wong, Paritosh & Aroyo 2021).

    Observed: the mean δ² of all pairs across the groups on one unit, each unit weighing by its
    judgments; expected: of all pairs across the groups, whatever the unit. Units that only one
    group judged are left out. δ² as for Krippendorff's alpha; ordinal places come from both groups
    together. `normalised` divides by √(α₁ α₂): near 1, the groups agree across as well as inside.
    The interval leaves out one unit at a time (normal on log(1 − κ)), for these participants.
    """
    refuse_missing(value)
    table = _shared(unit, value, is_second)
    n = len(table.first)
    judgments = int(table.first.sum() + table.second.sum())
    if not n:
        return CrossKappa(None, 0, 0, note=_NOTHING_SHARED)
    found, without = _kappas(table, measured)
    if found is None:
        return CrossKappa(None, n, judgments, note=_NO_VARIATION)
    inside = (_inside(table.first, table, measured), _inside(table.second, table, measured))
    interval, note = _interval(found, without, level)
    return CrossKappa(found, n, judgments, interval, _normalised(found, inside), inside, note)


@dataclass(frozen=True, slots=True)
class _Shared:
    """How often each value was given to each unit that both groups judged."""

    values: Numbers
    first: NDArray[np.int64]
    second: NDArray[np.int64]


def _shared(unit: Codes, value: Numbers, is_second: NDArray[np.bool_]) -> _Shared:
    values, column = distinct(value)
    row, height = dense(unit)
    first, second = (
        count_cells(row[rows], column[rows], height=height, width=len(values))
        for rows in (~is_second, is_second)
    )
    both = (first.sum(axis=1) > 0) & (second.sum(axis=1) > 0)
    said = (first[both] + second[both]).sum(axis=0) > 0
    return _Shared(values[said], first[both][:, said], second[both][:, said])


def _kappas(table: _Shared, measured: Level) -> tuple[float | None, Numbers]:
    """Kappa, and kappa without each unit; the places of ordinal values stay those of all units."""
    first, second = table.first.astype(np.float64), table.second.astype(np.float64)
    apart = distances(table.values, first.sum(axis=0) + second.sum(axis=0), measured)
    sizes = first.sum(axis=1), second.sum(axis=1)
    weight = sizes[0] + sizes[1]
    meeting = np.einsum("uv,vk,uk->u", first, apart, second)
    observed = weight * meeting / (sizes[0] * sizes[1])
    across = first.sum(axis=0) @ apart
    chance = float(across @ second.sum(axis=0))
    totals = float(sizes[0].sum()), float(sizes[1].sum())
    if chance <= 0:
        return None, np.zeros(0)
    kappa = 1 - float(observed.sum() / weight.sum()) / (chance / (totals[0] * totals[1]))
    if len(first) == 1:
        return kappa, np.zeros(0)
    without = chance - second @ across - first @ (apart @ second.sum(axis=0)) + meeting
    pairs = (totals[0] - sizes[0]) * (totals[1] - sizes[1])
    rest = (observed.sum() - observed) / (weight.sum() - weight)
    is_known = without > ROUNDING * chance
    return kappa, np.where(is_known, 1 - rest * pairs / np.where(is_known, without, 1.0), np.nan)


def _interval(kappa: float, without: Numbers, level: float) -> tuple[Interval | None, str]:
    n = len(without)
    if not n:
        return None, _ONE_UNIT
    if not np.isfinite(without).all():
        return None, "No interval: without one of its units kappa is undefined."
    error = math.sqrt((n - 1) / n * float(((without - without.mean()) ** 2).sum()))
    return from_error(Measured(np.array([kappa]), np.array([error])), level=level)


def _inside(counts: NDArray[np.int64], table: _Shared, measured: Level) -> float | None:
    inner = counted(counts, table.values)
    if not inner.n:
        return None
    found = float(alphas(inner, inner.units[np.newaxis, :].astype(np.float64), measured)[0])
    return None if math.isnan(found) else found


def _normalised(kappa: float, inside: tuple[float | None, float | None]) -> float | None:
    one, two = inside
    if one is None or two is None or one <= 0 or two <= 0:
        return None
    return kappa / math.sqrt(one * two)
