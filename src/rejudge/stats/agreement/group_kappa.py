"""Kappa for crowds, between two groups, and from a contingency table.

`pooled_kappa` measures agreement beyond chance where few people share many units. `cross_kappa` is
cross-replication reliability (Wong, Paritosh & Aroyo 2021): it compares only judgments from
different groups, so neither agreement within a group nor its size contributes.
`contingency_agreement` computes coefficients from a table of how often two labels occurred
together.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rejudge.english import join_notes
from rejudge.stats.agreement.alpha import Agreement, alpha_jackknife, percent_agreement
from rejudge.stats.agreement.alpha_participants import alpha_for_new_participants
from rejudge.stats.agreement.disagreement import NO_PAIRS, Level, alphas, distances
from rejudge.stats.agreement.kappa import Kappa, Weights, kappa_of_counts
from rejudge.stats.arrays import (
    ROUNDING,
    Codes,
    CountTable,
    Numbers,
    count_cells,
    counted,
    dense_codes,
    distinct,
    refuse_missing,
)
from rejudge.stats.estimates.clusters import Interval
from rejudge.stats.resampling import CoefficientWithError, interval_from_error

__all__ = ["CrossKappa", "PooledKappa", "contingency_agreement", "cross_kappa", "pooled_kappa"]

_TINY = 1e-12
_ONE_VALUE = "Undefined: everybody always gave the same value, so chance agreement is complete."
_OF_ALPHA = "The interval is that of Krippendorff's alpha for nominal values."
_NOTHING_SHARED = "Undefined: the two groups judged no unit in common."
_NO_VARIATION = "Undefined: everybody said the same, so chance agreement is complete."
_ONE_UNIT = "No interval: it needs at least two units that both groups judged."
_WEIGHTED: Final[dict[str, Weights]] = {
    "cohen-kappa-linear": "linear",
    "cohen-kappa-quadratic": "quadratic",
}


@dataclass(frozen=True, slots=True)
class PooledKappa(Agreement):
    """Kappa over all pairs of judgments at once."""

    observed: float | None = None  # the share of pairs of judgments of a unit that agree
    expected: float | None = None  # the same by chance
    pairs: int = 0  # of judgments


def pooled_kappa(
    unit: Codes,
    participant: Codes,
    value: Numbers | Codes,
    *,
    item: Codes | None = None,
    level: float = 0.95,
) -> PooledKappa:
    """(P_o − P_e)/(1 − P_e) over all pairs of judgments of one unit.

    P_o is the share of pairs that agree; P_e the chance that they would, each participant choosing
    values as often as in their other judgments (Conger 1980, pooled over pairs as by De Vries,
    Elliott, Kanouse & Teleki 2008). Unlike the mean of kappas it needs no pair that shares many
    units. Judgments of people without any other judgment do not count. The interval is that of
    nominal alpha for new participants, which estimates the same.
    """
    rows = np.flatnonzero(_has_others(participant))
    codes, height = dense_codes(unit[rows])
    values, code = distinct(value[rows])
    people, _ = dense_codes(participant[rows])
    size = np.bincount(codes, minlength=height).astype(np.float64)
    pairs = float(size @ (size - 1))
    if not pairs:
        return PooledKappa(None, 0, 0, note=NO_PAIRS)
    own = np.bincount(people)[people] - 1.0
    agreed = chance = 0.0
    for each in range(len(values)):
        said = (code == each).astype(np.float64)
        agreed += _cross_products(codes, said)
        chance += _cross_products(codes, (np.bincount(people, said)[people] - said) / own)
    observed, expected = agreed / pairs, chance / pairs
    units, judgments = int(np.count_nonzero(size > 1)), int(size[size > 1].sum())
    parts = {"observed": observed, "expected": expected, "pairs": round(pairs) // 2}
    if 1 - expected <= _TINY:
        return PooledKappa(None, units, judgments, note=_ONE_VALUE, **parts)  # type: ignore[arg-type]  # its fields
    alpha = alpha_for_new_participants(unit, participant, value, "nominal", item=item, level=level)
    note = join_notes(_OF_ALPHA if alpha.interval else "", alpha.note)
    kappa = (observed - expected) / (1 - expected)
    return PooledKappa(kappa, units, judgments, alpha.interval, note, **parts)  # type: ignore[arg-type]  # its fields


def _has_others(participant: Codes) -> np.ndarray:
    codes, _ = dense_codes(participant)
    return np.asarray(np.bincount(codes)[codes] > 1) if len(codes) else np.zeros(0, np.bool_)


def _cross_products(unit: Codes, share: Numbers) -> float:
    """Σ over ordered pairs of different judgments of a unit of the product of their shares."""
    sums = np.bincount(unit, share)
    return float(sums @ sums - share @ share)


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
    table = _shared_counts(unit, value, is_second)
    n = len(table.first)
    judgments = int(table.first.sum() + table.second.sum())
    if not n:
        return CrossKappa(None, 0, 0, note=_NOTHING_SHARED)
    found, without = _kappas(table, measured)
    if found is None:
        return CrossKappa(None, n, judgments, note=_NO_VARIATION)
    inside = (
        _alpha_within(table.first, table, measured),
        _alpha_within(table.second, table, measured),
    )
    interval, note = _interval(found, without, level)
    return CrossKappa(found, n, judgments, interval, _normalised_kappa(found, inside), inside, note)


@dataclass(frozen=True, slots=True)
class _SharedCounts:
    """How often each value was given to each unit that both groups judged."""

    values: Numbers
    first: NDArray[np.int64]
    second: NDArray[np.int64]


def _shared_counts(unit: Codes, value: Numbers, is_second: NDArray[np.bool_]) -> _SharedCounts:
    values, column = distinct(value)
    row, height = dense_codes(unit)
    first, second = (
        count_cells(row[rows], column[rows], height=height, width=len(values))
        for rows in (~is_second, is_second)
    )
    both = (first.sum(axis=1) > 0) & (second.sum(axis=1) > 0)
    said = (first[both] + second[both]).sum(axis=0) > 0
    return _SharedCounts(values[said], first[both][:, said], second[both][:, said])


def _kappas(table: _SharedCounts, measured: Level) -> tuple[float | None, Numbers]:
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
    return interval_from_error(
        CoefficientWithError(np.array([kappa]), np.array([error])), level=level
    )


def _alpha_within(counts: NDArray[np.int64], table: _SharedCounts, measured: Level) -> float | None:
    inner = counted(counts, table.values)
    if not inner.n:
        return None
    found = float(alphas(inner, inner.units[np.newaxis, :].astype(np.float64), measured)[0])
    return None if math.isnan(found) else found


def _normalised_kappa(kappa: float, inside: tuple[float | None, float | None]) -> float | None:
    one, two = inside
    if one is None or two is None or one <= 0 or two <= 0:
        return None
    return kappa / math.sqrt(one * two)


def contingency_agreement(
    counts: NDArray[np.integer],
    measured: Level,
    *,
    values: Numbers | None = None,
    level: float = 0.95,
) -> dict[str, Agreement]:
    """Coefficients of agreement by name, from a square table of counts alone.

    Cell (i, j) counts the units that the first side gave label i and the second label j. There are
    `percent`, `cohen-kappa` and `krippendorff-alpha` and, unless labels are nominal,
    `cohen-kappa-linear` and `cohen-kappa-quadratic`. `values` are the numbers that labels stand
    for; without them labels lie one apart. Ordinal labels are always taken as one apart for
    weighted kappa. The table does not say which units belong to one item or participant, so every
    interval takes units as independent and is too narrow where they are not.
    """
    places = np.arange(len(counts), dtype=np.float64)
    if values is not None and measured not in {"nominal", "ordinal"}:
        places = np.asarray(values, dtype=np.float64)
    order = np.argsort(places)
    table = np.asarray(counts, dtype=np.int64)[np.ix_(order, order)]
    places = places[order]
    pairs = _as_pairs(table, places)
    found: dict[str, Agreement] = {
        "percent": percent_agreement(pairs, level=level),
        "cohen-kappa": _as_agreement(kappa_of_counts(table, values=places, level=level)),
    }
    if measured != "nominal":
        for name, weights in _WEIGHTED.items():
            kappa = kappa_of_counts(table, values=places, weights=weights, level=level)
            found[name] = _as_agreement(kappa)
    found["krippendorff-alpha"] = alpha_jackknife(pairs, measured, level=level)
    return found


def _as_pairs(table: NDArray[np.int64], values: Numbers) -> CountTable:
    """Each unit as two judgments; it does not matter which side gave which."""
    either = np.triu(table + table.T, 1) + np.diag(np.diag(table))
    x, y = np.nonzero(either)
    patterns = np.zeros((len(x), len(table)), dtype=np.int64)
    np.add.at(patterns, (np.arange(len(x)), x), 1)
    np.add.at(patterns, (np.arange(len(x)), y), 1)
    return CountTable(values, patterns, either[x, y])


def _as_agreement(kappa: Kappa) -> Agreement:
    return Agreement(kappa.value, kappa.n, 2 * kappa.n, kappa.interval, kappa.note)
