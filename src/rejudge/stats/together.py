"""How each participant goes with the others, in columns: as quick for a crowd as for a few."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rejudge.stats.agreement import NO_PAIRS
from rejudge.stats.clusters import Codes, Numbers
from rejudge.stats.crossing import Pairs, crossed, paired
from rejudge.stats.kappa import repeated
from rejudge.stats.participants import Method, pair_correlations

Likeness: TypeAlias = Method | Literal["percent"]


@dataclass(frozen=True, slots=True)
class Company:
    """Pairs of participants who share units, and the mean of each over the others.

    In arrays what is undefined is NaN: a pair with fewer shared units than asked for, or of which
    one always said the same (for correlations), and the mean of somebody without a defined pair.
    """

    measure: Likeness
    people: Codes  # as they were given
    first: Codes  # of each pair: place in `people`
    second: Codes
    n: NDArray[np.int64]  # units that both judged
    value: Numbers  # of each pair
    mean: Numbers  # of each of `people`; each other counts once, however many units are shared
    others: NDArray[np.int64]  # with whom it is defined
    note: str = ""


def company(
    unit: Codes,
    participant: Codes,
    value: Numbers,
    *,
    measure: Likeness = "spearman",
    minimum: int = 3,
) -> Company:
    """Compare every two participants over the units both judged, at least `minimum` of them.

    The correlations are those of `participant_correlations`; `percent` is the percentage of shared
    units of which both said the same.
    """
    crossing = crossed(unit, participant, value)
    people = crossing.people
    if crossing.repeats or not crossing.n:
        note = repeated(crossing.repeats) if crossing.repeats else NO_PAIRS
        return _nobody(measure, people, note)
    pairs, units = paired(crossing), crossing.units.astype(np.float64)
    n = np.bincount(pairs.pair, weights=pairs.weights(units)).astype(np.int64)
    is_enough = n >= minimum
    some = pairs.among(is_enough)  # few of a crowd
    counts, found = some.weights(units), np.full(len(n), np.nan)
    found[is_enough] = (
        _percent(some, counts) if measure == "percent" else pair_correlations(some, counts, measure)
    )
    mean, others = _means(pairs, found, len(people))
    return Company(measure, people, pairs.first, pairs.second, n, found, mean, others)


def _nobody(measure: Likeness, people: Codes, note: str) -> Company:
    none = np.zeros(0, dtype=np.int64)
    mean, others = np.full(len(people), np.nan), np.zeros(len(people), dtype=np.int64)
    return Company(measure, people, none, none, none, np.zeros(0), mean, others, note)


def _percent(pairs: Pairs, counts: Numbers) -> Numbers:
    together = np.bincount(pairs.pair, counts)
    same = np.bincount(pairs.pair, np.where(pairs.x == pairs.y, counts, 0.0))
    return np.asarray(100 * same / together)


def _means(pairs: Pairs, found: Numbers, people: int) -> tuple[Numbers, NDArray[np.int64]]:
    known = ~np.isnan(found)
    who = np.concatenate([pairs.first[known], pairs.second[known]])
    others = np.bincount(who, minlength=people)
    total = np.bincount(who, np.tile(found[known], 2), people)
    mean = np.full(people, np.nan)
    np.divide(total, others, out=mean, where=others > 0)
    return mean, others
