"""Gwet's AC1 and AC2: agreement beyond chance that does not fall when one value is common."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rejudge.english import join_notes
from rejudge.stats.agreement.alpha import ONE_ITEM, ONE_UNIT, Agreement
from rejudge.stats.agreement.disagreement import NO_PAIRS
from rejudge.stats.arrays import Codes, Numbers, count_cells, dense_codes, distinct
from rejudge.stats.estimates.clusters import Interval, t_reach
from rejudge.stats.resampling import NO_WIDTH

__all__ = ["GwetAgreement", "GwetWeights", "gwet_agreement"]

GwetWeights: TypeAlias = Literal["none", "ordinal", "linear", "quadratic"]

_TINY = 1e-12
_ONE_VALUE = "Undefined: only one value was given, and the other possible values are not known."
_SINGLE = "Units with one judgment ({}) show how common values are, but no agreement."


@dataclass(frozen=True, slots=True)
class GwetAgreement(Agreement):
    """Gwet's coefficient with its parts."""

    observed: float | None = None  # agreement of two judgments of a unit
    expected: float | None = None  # by chance
    standard_error: float | None = None


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
    scale, code = _on_scale(value, values)
    row, height = dense_codes(unit)
    counts = count_cells(row, code, height=height, width=len(scale))
    seen = counts.any(axis=1)
    parts = _gwet_parts(counts[seen], _credit(scale, weights))
    if parts is None:
        return GwetAgreement(None, 0, 0, note=NO_PAIRS)
    if len(scale) < 2:  # noqa: PLR2004 - no other value is known
        return GwetAgreement(None, parts.n, parts.judgments, note=_ONE_VALUE)
    groups = np.arange(int(seen.sum()))
    if item is not None:
        item_of = np.zeros(height, dtype=np.int64)
        item_of[row] = item
        groups = np.unique(item_of[seen], return_inverse=True)[1]
    interval, error, reason = _interval(parts, groups, level, by_item=item is not None)
    single = int(np.count_nonzero(counts.sum(axis=1) == 1))
    return GwetAgreement(
        parts.value,
        parts.n,
        parts.judgments,
        interval,
        join_notes(_SINGLE.format(single) if single else "", reason),
        observed=parts.observed,
        expected=parts.expected,
        standard_error=error,
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
    shared = size >= 2  # noqa: PLR2004 - a pair
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


def _interval(
    parts: _GwetParts, group: Codes, level: float, *, by_item: bool
) -> tuple[Interval | None, float | None, str]:
    off = np.bincount(group, parts.off)
    n = len(off)
    if n < 2:  # noqa: PLR2004 - one shows no spread
        return None, None, ONE_ITEM if by_item else ONE_UNIT
    error = math.sqrt(float(off @ off) * n / (n - 1)) / len(parts.off)
    if error <= _TINY:
        return None, None, NO_WIDTH
    reach = t_reach(error, n - 1, level)
    if by_item and parts.value < 1:  # few items: skewed, and less so on this scale
        disagreement = 1 - parts.value
        low, high = (1 - disagreement * math.exp(sign * reach / disagreement) for sign in (1, -1))
    else:
        low, high = parts.value - reach, parts.value + reach
    return Interval(max(-1.0, low), min(1.0, high), level), error, ""


def _on_scale(value: Numbers | Codes, values: Numbers | None) -> tuple[Numbers, Codes]:
    given, code = distinct(value)
    if values is None:
        return given, code
    scale = np.unique(np.concatenate([np.asarray(values, dtype=np.float64), given]))
    return scale, np.searchsorted(scale, given)[code]


def _credit(scale: Numbers, weights: GwetWeights) -> Numbers:
    """1 for the same value; for others nothing, or the more the nearer they are."""
    width = len(scale)
    if weights == "none" or width < 2:  # noqa: PLR2004 - nothing lies apart
        return np.eye(width)
    if weights == "ordinal":  # by the number of values between, both ends counted: n(n − 1)/2
        place = np.arange(width)
        between = np.abs(place[:, np.newaxis] - place) + 1
        apart = between * (between - 1) / 2
    else:
        apart = np.abs(scale[:, np.newaxis] - scale) ** (1 if weights == "linear" else 2)
    return np.asarray(1 - apart / apart.max())
