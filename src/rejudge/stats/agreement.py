"""How far people agree: percent agreement and Krippendorff's alpha, from counts.

Everything starts from a table of units by values that counts who said what. Units with the same
counts are interchangeable, so they are kept once with their number; resampling units is then a
multinomial draw over the kinds of unit, exactly, and costs the same for a thousand units or ten
million.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rejudge.stats.clusters import Codes, Interval, Numbers

Level: TypeAlias = Literal["nominal", "ordinal", "interval", "ratio"]

_CELLS = 4_000_000  # how many numbers a block of the computation may hold

_NO_PAIRS = "Undefined: no unit was judged by two or more participants."
_NO_VARIATION = "Undefined: all judgments are the same, so chance agreement is complete."
_ONE_UNIT = "No interval: it needs at least two units judged by two or more participants."
_NO_WIDTH = "No interval: every unit shows the same agreement, so resampling them shows no spread."


@dataclass(frozen=True, slots=True)
class CountTable:
    """Who said what: one row per kind of unit, one column per value, and how many units there are
    of the kind. Units with a single judgment are left out; nobody agrees or disagrees there."""

    values: Numbers
    patterns: NDArray[np.int64]
    units: NDArray[np.int64]

    @property
    def n(self) -> int:
        """Units judged by two or more participants."""
        return int(self.units.sum())

    @property
    def judgments(self) -> int:
        """Judgments of these units."""
        return int(self.units @ self.patterns.sum(axis=1))


@dataclass(frozen=True, slots=True)
class Agreement:
    """A measure of agreement with what it rests on. Undefined is None, and `note` says why."""

    value: float | None
    n: int  # units judged by two or more participants
    judgments: int
    interval: Interval | None = None
    note: str = ""


def count_table(unit: Codes, value: Numbers) -> CountTable:
    """Count the judgments of each unit by value."""
    values, column = np.unique(value, return_inverse=True)
    _, row = np.unique(unit, return_inverse=True)
    width = len(values)
    height = int(row.max()) + 1 if len(row) else 0
    cells = np.bincount(row.astype(np.int64) * width + column, minlength=height * width)
    table = cells.reshape(height, width)
    patterns, units = _collapsed(table[table.sum(axis=1) >= 2])  # noqa: PLR2004 - a pair
    return CountTable(values.astype(np.float64), patterns, units)


def percent_agreement(
    table: CountTable, *, rng: np.random.Generator, level: float = 0.95, replicates: int = 2000
) -> Agreement:
    """How often two people who judged the same unit say the same, in percent, mean over units.

    Where units have different numbers of judgments, the mean over pairs of people differs from it;
    the note then gives that number too. The interval resamples units, for these participants.
    """
    if not table.n:
        return Agreement(None, 0, 0, note=_NO_PAIRS)
    size = table.patterns.sum(axis=1)
    pairs = size * (size - 1)
    same = (table.patterns * (table.patterns - 1)).sum(axis=1)
    per_unit = 100 * same / pairs
    value = float(table.units @ per_unit) / table.n
    note = ""
    if len(np.unique(size)) > 1:
        per_pair = 100 * float(table.units @ same) / float(table.units @ pairs)
        note = f"Over all pairs of judgments it is {per_pair:.1f} %."
    drawn = _resampled(table, lambda units: units @ per_unit / table.n, rng, replicates)
    interval, reason = _percentiles(drawn, table, level=level)
    return Agreement(value, table.n, table.judgments, interval, _joined(note, reason))


def krippendorff_alpha(
    table: CountTable,
    measured: Level,
    *,
    rng: np.random.Generator,
    level: float = 0.95,
    replicates: int = 2000,
) -> Agreement:
    """Agreement beyond chance: 1 is perfect, 0 is what chance gives (Krippendorff 2011).

    The interval resamples units and so speaks for these participants and other items. (The
    resampling of pairs within units that some programs offer covers far less than it claims.)
    """
    if not table.n:
        return Agreement(None, 0, 0, note=_NO_PAIRS)
    observed = table.units[np.newaxis, :].astype(np.float64)
    value = float(_alphas(table, observed, measured)[0])
    if np.isnan(value):
        return Agreement(None, table.n, table.judgments, note=_NO_VARIATION)
    drawn = _resampled(table, lambda units: _alphas(table, units, measured), rng, replicates)
    undefined = int(np.isnan(drawn).sum())
    note = f"{undefined} of {replicates} resamples had no variation; left out." if undefined else ""
    interval, reason = _percentiles(drawn[~np.isnan(drawn)], table, level=level)
    return Agreement(value, table.n, table.judgments, interval, _joined(note, reason))


def _alphas(table: CountTable, weights: Numbers, measured: Level) -> Numbers:
    """One alpha per row of weights (how many units of each kind); NaN where undefined.

    alpha = 1 − (n−1) · Σ_u d_u / Σ_vk n_v n_k δ²_vk,  d_u = Σ_vk n_uv n_uk δ²_vk / (m_u − 1)
    """
    patterns = table.patterns.astype(np.float64)
    marginals = weights @ patterns
    n = marginals.sum(axis=1)
    left, right = np.triu_indices(len(table.values), 1)
    distance = _squared_distances(table.values, marginals, measured, (left, right))
    disagreement = (_coincidences(patterns, weights, (left, right)) * distance).sum(axis=1)
    by_chance = (marginals[:, left] * marginals[:, right] * distance).sum(axis=1)
    alphas = np.full(len(weights), np.nan)
    varies = by_chance > 0
    alphas[varies] = 1 - (n[varies] - 1) * disagreement[varies] / by_chance[varies]
    return alphas


def _squared_distances(
    values: Numbers, marginals: Numbers, measured: Level, pairs: tuple[Codes, Codes]
) -> Numbers:
    """δ² of each pair of values; for ordinal values it depends on how often each was given."""
    left, right = pairs
    if measured == "nominal":
        return np.ones((1, len(left)))
    if measured == "interval":
        return np.asarray(((values[left] - values[right]) ** 2)[np.newaxis, :])
    if measured == "ratio":
        total = values[left] + values[right]
        safe = np.where(total == 0, 1.0, total)
        share = np.where(total == 0, 0.0, (values[left] - values[right]) / safe)
        return np.asarray((share**2)[np.newaxis, :])
    middle = np.cumsum(marginals, axis=1) - marginals / 2
    return np.asarray((middle[:, left] - middle[:, right]) ** 2)


def _coincidences(patterns: Numbers, weights: Numbers, pairs: tuple[Codes, Codes]) -> Numbers:
    """How often each pair of values met within units, each meeting counted by 1/(m−1)."""
    left, right = pairs
    spread = 1 / (patterns.sum(axis=1) - 1)
    total = np.zeros((len(weights), len(left)))
    block = max(1, _CELLS // max(1, len(left)))
    for start in range(0, len(patterns), block):
        part = slice(start, start + block)
        met = patterns[part][:, left] * patterns[part][:, right] * spread[part, np.newaxis]
        total += weights[:, part] @ met
    return total


def _resampled(
    table: CountTable,
    statistic: Callable[[Numbers], Numbers],
    rng: np.random.Generator,
    replicates: int,
) -> Numbers:
    """The statistic of as many resamples of units, a block at a time to bound memory."""
    block = max(1, _CELLS // len(table.units))
    sizes = [min(block, replicates - start) for start in range(0, replicates, block)]
    share = table.units / table.n
    draws = (rng.multinomial(table.n, share, size=size).astype(np.float64) for size in sizes)
    return np.concatenate([statistic(units) for units in draws])


def _collapsed(table: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Equal rows once, with how many there are."""
    if not len(table):
        return table, np.zeros(0, dtype=np.int64)
    base = int(table.max()) + 1
    if table.shape[1] * np.log2(base) < 62:  # noqa: PLR2004 - a row fits into one 64-bit number
        key = table @ (base ** np.arange(table.shape[1], dtype=np.int64))
        _, first, counts = np.unique(key, return_index=True, return_counts=True)
        return table[first], counts
    return np.unique(table, axis=0, return_counts=True)


def _percentiles(drawn: Numbers, table: CountTable, *, level: float) -> tuple[Interval | None, str]:
    if table.n < 2 or not len(drawn):  # noqa: PLR2004 - nothing to be resampled with
        return None, _ONE_UNIT
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    if high - low <= 1e-12 * max(1.0, abs(high)):  # zero but for rounding
        return None, _NO_WIDTH
    return Interval(float(low), float(high), level), ""


def _joined(*notes: str) -> str:
    return " ".join(note for note in notes if note)
