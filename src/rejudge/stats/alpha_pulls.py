"""How far each judgment pulls Krippendorff's alpha, from sums over units and over everything."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rejudge.stats.alpha import Level, by_marginals, distances
from rejudge.stats.clusters import Codes, Numbers
from rejudge.stats.counting import count_cells, distinct

_BLOCK = 4_000_000  # how many numbers a block of the computation may hold


@dataclass(frozen=True, slots=True)
class Pulls:
    """Alpha, and how far each judgment pulls it: as its participant's, and as its unit's."""

    alpha: float
    of_participant: Numbers
    of_unit: Numbers


def pulls_on_alpha(unit: Codes, value: Numbers | Codes, measured: Level) -> Pulls | None:
    """The pulls of judgments of units with two or more of them; None where alpha is undefined."""
    values, code = distinct(value)
    n, width = len(code), len(values)
    counts = np.bincount(code, minlength=width).astype(np.float64)
    size = np.bincount(unit)[unit].astype(np.float64)
    everything = np.zeros(n, dtype=np.int64)
    scale = Scale.of(values, counts, measured)
    apart = scale.apart(unit, code) / (size - 1)  # from each of the others of its unit, on average
    by_chance = scale.apart(everything, code)
    observed, expected = float(apart.sum()) / n, float(by_chance.sum()) / n**2
    if expected <= 0:
        return None
    slope = 2 * by_chance
    moved = np.zeros(n)
    if measured == "ordinal":  # places follow from how often each value was given
        moved = scale.moves(unit, code, size - 1)[code]
        slope = slope + scale.moves(everything, code, np.ones(n))[code]
    chance = observed * (slope / n**2 - 2 * expected / n) / expected**2
    in_unit = np.bincount(unit, apart)[unit] / size
    return Pulls(
        1 - (n - 1) / n * observed / expected,
        chance - (2 * apart + moved - 2 * observed) / n / expected,
        chance - (in_unit + moved - observed) / n / expected,
    )


@dataclass(frozen=True, slots=True)
class Scale:
    """δ² between values: by their places on a line, or by a table."""

    places: Numbers | None  # interval and ordinal
    table: Numbers | None  # ratio; nominal has neither
    width: int

    @classmethod
    def of(cls, values: Numbers, counts: Numbers, measured: Level) -> Scale:
        """The distances at a level of measurement, given how often each value was given."""
        if measured == "ratio":
            return cls(None, distances(values, counts, measured), len(values))
        if measured == "nominal":
            return cls(None, None, len(values))
        places = values if measured == "interval" else np.cumsum(counts) - counts / 2
        return cls(places - float(counts @ places) / counts.sum(), None, len(values))

    def apart(self, group: Codes, code: Codes) -> Numbers:
        """Σ δ² of each judgment to all judgments of its group."""
        if self.places is not None:
            place = self.places[code]
            size, total, squares = (
                np.bincount(group, weights)[group] for weights in (None, place, place**2)
            )
            return np.asarray(np.maximum(0.0, size * place**2 - 2 * place * total + squares))
        if self.table is None:
            size = np.bincount(group)[group]
            return np.asarray(size - _same(group, code, self.width), dtype=np.float64)
        return self._by_table(group, code, self.table)

    def moves(self, group: Codes, code: Codes, others: Numbers) -> Numbers:
        """How Σ δ²/others over all pairs of a group moves with the count of each value, because
        the places do."""
        place = self.places[code] if self.places is not None else np.zeros(len(code))
        lean = np.bincount(group)[group] * place - np.bincount(group, place)[group]
        slopes = 4.0 * np.bincount(code, lean / others, self.width)
        return np.asarray(by_marginals(np.atleast_2d(slopes).astype(np.float64))[0])

    def _by_table(self, group: Codes, code: Codes, table: Numbers) -> Numbers:
        groups = int(group.max()) + 1
        found = np.zeros(len(code))
        order = np.argsort(group, kind="stable")
        step = max(1, _BLOCK // self.width)
        for start in range(0, groups, step):
            low, high = np.searchsorted(group[order], [start, start + step])
            rows = order[low:high]
            height = min(step, groups - start)
            counts = count_cells(group[rows] - start, code[rows], height=height, width=self.width)
            found[rows] = (counts @ table)[group[rows] - start, code[rows]]
        return found


def _same(group: Codes, code: Codes, width: int) -> Codes:
    """How many judgments of its group have the same value as each."""
    key = group.astype(np.int64) * width + code
    if int(key.max()) < 8 * len(key) + 1000:
        return np.asarray(np.bincount(key)[key])
    _, place, counts = np.unique(key, return_inverse=True, return_counts=True)
    return np.asarray(counts[place])
