"""Agreement beyond chance: Gwet's AC1 and AC2; kappa of crowds, of two groups and of tables.

Gwet's coefficients do not fall when one value is common. `pooled_kappa` measures agreement beyond
chance where few people share many units. `cross_kappa` is cross-replication reliability (Wong,
Paritosh & Aroyo 2021): it compares only judgments from different groups, so neither agreement
within a group nor its size contributes. `contingency_agreement` computes coefficients from a table
of how often two labels occurred together.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from rejudge.errors import require_known
from rejudge.stats.agreement.alpha import (
    NOT_WITHOUT,
    ONE_ITEM,
    ONE_UNIT,
    alpha_jackknife,
    percent_agreement,
)
from rejudge.stats.agreement.alpha_participants import alpha_for_new_participants
from rejudge.stats.agreement.disagreement import NO_PAIRS, Level, alphas, distances
from rejudge.stats.agreement.kappa import Weights, kappa_of_counts
from rejudge.stats.agreement.resampling import (
    NO_WIDTH,
    CoefficientWithError,
    Reasons,
    interval_from_error,
)
from rejudge.stats.arrays import (
    ROUNDING,
    Codes,
    CountTable,
    Numbers,
    count_cells,
    dense_codes,
    distinct,
    refuse_missing,
    table_of_counts,
)
from rejudge.stats.estimate import Estimate, Interval, t_half_width
from rejudge.stats.reasons import Why

GwetWeights: TypeAlias = Literal["none", "ordinal", "linear", "quadratic"]

_TINY = 1e-12
_UNKNOWN_SCALE = Why.ONE_CATEGORY()


@dataclass(frozen=True, slots=True)
class GwetAgreement(Estimate):
    """Gwet's coefficient with its parts."""

    observed: float | None = None  # agreement of two judgments of a unit
    expected: float | None = None  # by chance


def gwet_agreement(
    unit: Codes,
    value: Numbers | Codes,
    *,
    weights: GwetWeights = "none",
    values: Numbers | None = None,
    item: Codes | None = None,
    level: float = 0.95,
) -> GwetAgreement:
    """Gwet's AC1 (2008), or with weights for near agreement AC2 (2014), of any number of people.

    (P_a − P_e)/(1 − P_e), with P_e = T/(q(q−1)) · Σ_k π_k(1 − π_k) for q values, T the sum of the
    weights, and π_k the mean share of a value over units. `values` are all values that could have
    been given; without them, those that were. A unit with one judgment counts in π. The interval is
    that of Gwet's linearisation over units with Student's t, cut at −1 and 1, for these
    participants; with the `item` of each judgment, over items on the scale of log(1 − AC).
    """
    require_known(weights, get_args(GwetWeights), option="weights")
    scale, code = _on_scale(value, values)
    row, height = dense_codes(unit)
    counts = count_cells(row, code, height=height, width=len(scale))
    seen = counts.any(axis=1)
    parts = _gwet_parts(counts[seen], _credit(scale, weights))
    if parts is None:
        return GwetAgreement(None, counted="units", judgments=0, reasons=(NO_PAIRS,))
    if len(scale) < 2:
        return GwetAgreement(
            None,
            parts.n,
            counted="units",
            judgments=parts.judgments,
            reasons=(_UNKNOWN_SCALE,),
        )
    groups = np.arange(int(seen.sum()))
    if item is not None:
        item_of = np.zeros(height, dtype=np.int64)
        item_of[row] = item
        groups = np.unique(item_of[seen], return_inverse=True)[1]
    interval, error, reasons = _gwet_interval(parts, groups, level, by_item=item is not None)
    single = int(np.count_nonzero(counts.sum(axis=1) == 1))
    return GwetAgreement(
        parts.value,
        parts.n,
        interval=interval,
        standard_error=error,
        counted="units",
        judgments=parts.judgments,
        reasons=(*((Why.SINGLE(n=single),) if single else ()), *reasons),
        observed=parts.observed,
        expected=parts.expected,
    )


@dataclass(frozen=True, slots=True)
class _GwetParts:
    value: float
    observed: float
    expected: float
    off: Numbers  # of each unit: how far it lies from the coefficient, linearised; their mean is 0
    n: int  # units with two or more judgments
    judgments: int


def _gwet_parts(counts: NDArray[np.int64], credit: Numbers) -> _GwetParts | None:
    size = counts.sum(axis=1)
    shared = size >= 2
    n, all_units = int(shared.sum()), len(size)
    if not n:
        return None
    agreed = np.zeros(all_units)
    pairs = (size * (size - 1))[shared]
    agreed[shared] = (counts * (counts @ credit - 1)).sum(axis=1)[shared] / pairs
    share = counts / size[:, np.newaxis]
    mean, width = share.mean(axis=0), counts.shape[1]
    scale = float(credit.sum()) / max(width * (width - 1), 1)
    by_unit = scale * (share @ (1 - mean))
    observed, expected = float(agreed[shared].mean()), float(by_unit.mean())
    if 1 - expected <= _TINY:
        return _GwetParts(1.0, observed, expected, np.zeros(all_units), n, int(size[shared].sum()))
    value = (observed - expected) / (1 - expected)
    own = np.where(shared, all_units / n * (agreed - expected) / (1 - expected), 0.0)
    # expected varies with the units as well, twice as far as each unit's own part (Gwet 2014)
    own -= 2 * (1 - value) * (by_unit - expected) / (1 - expected)
    judgments = int(size[shared].sum())
    return _GwetParts(value, observed, expected, own - own.mean(), n, judgments)


def _gwet_interval(
    parts: _GwetParts, group: Codes, level: float, *, by_item: bool
) -> tuple[Interval | None, float | None, Reasons]:
    off = np.bincount(group, parts.off)
    n = len(off)
    if n < 2:
        return None, None, (ONE_ITEM if by_item else ONE_UNIT,)
    error = math.sqrt(float(off @ off) * n / (n - 1)) / len(parts.off)
    if error <= _TINY:
        return None, None, (NO_WIDTH,)
    reach = t_half_width(error, n - 1, level)
    if by_item and parts.value < 1:  # few items: skewed, and less so on this scale
        disagreement = 1 - parts.value
        low, high = (1 - disagreement * math.exp(sign * reach / disagreement) for sign in (1, -1))
    else:
        low, high = parts.value - reach, parts.value + reach
    return Interval(max(-1.0, low), min(1.0, high), level), error, ()


def _on_scale(value: Numbers | Codes, values: Numbers | None) -> tuple[Numbers, Codes]:
    given, code = distinct(value)
    if values is None:
        return given, code
    scale = np.unique(np.concatenate([np.asarray(values, dtype=np.float64), given]))
    return scale, np.searchsorted(scale, given)[code]


def _credit(scale: Numbers, weights: GwetWeights) -> Numbers:
    """1 for the same value; for others nothing, or the more the nearer they are."""
    width = len(scale)
    if weights == "none" or width < 2:
        return np.eye(width)
    if weights == "ordinal":  # by the number of values between, both ends counted: n(n − 1)/2
        place = np.arange(width)
        between = np.abs(place[:, np.newaxis] - place) + 1
        apart = between * (between - 1) / 2
    else:
        apart = np.abs(scale[:, np.newaxis] - scale) ** (1 if weights == "linear" else 2)
    return np.asarray(1 - apart / apart.max())


_ONE_VALUE = Why.ONE_VALUE(who="everybody")
_OF_ALPHA = Why.ANOTHER_METHOD(
    what="the interval is that of Krippendorff's alpha for nominal values"
)
_NOTHING_SHARED = Why.NOTHING_IN_COMMON(whose="groups")
_ONE_UNIT = Why.NEEDS("interval", least="two", what="units that both groups judged")
_WEIGHTED: Final[dict[str, Weights]] = {
    "cohen-kappa-linear": "linear",
    "cohen-kappa-quadratic": "quadratic",
}


@dataclass(frozen=True, slots=True)
class PooledKappa(Estimate):
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
        return PooledKappa(None, counted="units", judgments=0, reasons=(NO_PAIRS,))
    own = np.bincount(people)[people] - 1.0
    agreed = chance = 0.0
    for each in range(len(values)):
        said = (code == each).astype(np.float64)
        agreed += _cross_products(codes, said)
        chance += _cross_products(codes, (np.bincount(people, said)[people] - said) / own)
    observed, expected = agreed / pairs, chance / pairs
    units, judgments = int(np.count_nonzero(size > 1)), int(size[size > 1].sum())
    blank = PooledKappa(
        None,
        units,
        counted="units",
        judgments=judgments,
        observed=observed,
        expected=expected,
        pairs=round(pairs) // 2,
    )
    if 1 - expected <= _TINY:
        return replace(blank, reasons=(_ONE_VALUE,))
    alpha = alpha_for_new_participants(unit, participant, value, "nominal", item=item, level=level)
    return replace(
        blank,
        value=(observed - expected) / (1 - expected),
        interval=alpha.interval,
        reasons=(*((_OF_ALPHA,) if alpha.interval else ()), *alpha.reasons),
    )


def _has_others(participant: Codes) -> np.ndarray:
    codes, _ = dense_codes(participant)
    return np.asarray(np.bincount(codes)[codes] > 1) if len(codes) else np.zeros(0, np.bool_)


def _cross_products(unit: Codes, share: Numbers) -> float:
    """Σ over ordered pairs of different judgments of a unit of the product of their shares."""
    sums = np.bincount(unit, share)
    return float(sums @ sums - share @ share)


@dataclass(frozen=True, slots=True)
class CrossKappa(Estimate):
    """Agreement between two groups of people, on the units that both judged."""

    normalised: float | None = None  # over the geometric mean of the agreement inside the groups
    inside: tuple[float | None, float | None] = (None, None)  # Krippendorff's alpha of each


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
    require_known(measured, get_args(Level), option="measured")
    refuse_missing(value)
    table = _shared_counts(unit, value, is_second)
    n = len(table.first)
    judgments = int(table.first.sum() + table.second.sum())
    if not n:
        return CrossKappa(None, counted="units", judgments=0, reasons=(_NOTHING_SHARED,))
    found, without = _kappas(table, measured)
    if found is None:
        return CrossKappa(None, n, counted="units", judgments=judgments, reasons=(_ONE_VALUE,))
    inside = (
        _alpha_within(table.first, table, measured),
        _alpha_within(table.second, table, measured),
    )
    interval, reasons = _interval(found, without, level)
    return CrossKappa(
        found,
        n,
        interval=interval,
        counted="units",
        judgments=judgments,
        reasons=reasons,
        normalised=_normalised_kappa(found, inside),
        inside=inside,
    )


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


def _interval(kappa: float, without: Numbers, level: float) -> tuple[Interval | None, Reasons]:
    n = len(without)
    if not n:
        return None, (_ONE_UNIT,)
    if not np.isfinite(without).all():
        return None, (NOT_WITHOUT,)
    error = math.sqrt((n - 1) / n * float(((without - without.mean()) ** 2).sum()))
    return interval_from_error(
        CoefficientWithError(np.array([kappa]), np.array([error])), level=level
    )


def _alpha_within(counts: NDArray[np.int64], table: _SharedCounts, measured: Level) -> float | None:
    inner = table_of_counts(counts, table.values)
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
) -> dict[str, Estimate]:
    """Coefficients of agreement by name, from a square table of counts alone.

    Cell (i, j) counts the units that the first side gave label i and the second label j. There are
    `percent`, `cohen-kappa` and `krippendorff-alpha` and, unless labels are nominal,
    `cohen-kappa-linear` and `cohen-kappa-quadratic`. `values` are the numbers that labels stand
    for; without them labels lie one apart. Ordinal labels are always taken as one apart for
    weighted kappa. The table does not say which units belong to one item or participant, so every
    interval treats units as independent and is too narrow where they are not.
    """
    require_known(measured, get_args(Level), option="measured")
    places = np.arange(len(counts), dtype=np.float64)
    if values is not None and measured not in {"nominal", "ordinal"}:
        places = np.asarray(values, dtype=np.float64)
    order = np.argsort(places)
    table = np.asarray(counts, dtype=np.int64)[np.ix_(order, order)]
    places = places[order]
    pairs = _as_pairs(table, places)
    found: dict[str, Estimate] = {
        "percent": percent_agreement(pairs, level=level),
        "cohen-kappa": kappa_of_counts(table, values=places, level=level),
    }
    if measured != "nominal":
        for name, weights in _WEIGHTED.items():
            found[name] = kappa_of_counts(table, values=places, weights=weights, level=level)
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
