"""Agreement between two sets of labels from a table that counts how often each two labels met."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from rejudge.stats.agreement import Agreement, alpha_jackknife, percent_agreement
from rejudge.stats.alpha import Level
from rejudge.stats.clusters import Numbers
from rejudge.stats.counting import CountTable
from rejudge.stats.kappa import Kappa, Weights, kappa_of_counts

_WEIGHTED: Final[dict[str, Weights]] = {
    "cohen-kappa-linear": "linear",
    "cohen-kappa-quadratic": "quadratic",
}


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
