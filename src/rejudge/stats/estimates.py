"""Mean scores of systems, and how far they lie apart."""

from __future__ import annotations

import numpy as np

from rejudge.stats.clusters import Codes, Estimate, JudgmentWeights, Numbers, clustered
from rejudge.stats.missing import refuse_missing
from rejudge.stats.negligible import scale_of


def mean_by_system(
    value: Numbers,
    system: Codes,
    *,
    item: Codes,
    participant: Codes,
    systems: int,
    level: float = 0.95,
    bounds: tuple[float, float] | None = None,
) -> tuple[Estimate, ...]:
    """The mean of all judgments of each system, each judgment counting once."""
    refuse_missing(value)
    return tuple(
        _mean(
            value[rows], item=item[rows], participant=participant[rows], level=level, bounds=bounds
        )
        for rows in (system == code for code in range(systems))
    )


def mean_difference(
    value: Numbers,
    system: Codes,
    pair: tuple[int, int],
    *,
    item: Codes,
    participant: Codes,
    level: float = 0.95,
) -> Estimate:
    """The mean of the first system minus that of the second, with a test against no difference.

    Where the same items or people stand behind both means, what they share cancels, since the
    clusters run across both systems.
    """
    refuse_missing(value)
    first, second = pair
    rows = (system == first) | (system == second)
    score, is_first = value[rows], system[rows] == first
    counts = int(is_first.sum()), int((~is_first).sum())
    if 0 in counts:
        return Estimate(None, len(score), 0, 0, note="One of the two systems was not judged.")
    means = float(score[is_first].mean()), float(score[~is_first].mean())
    weight = np.where(is_first, 1 / counts[0], -1 / counts[1])
    return clustered(
        means[0] - means[1],
        weight * (score - np.where(is_first, *means)),
        item=item[rows],
        participant=participant[rows],
        weights=JudgmentWeights(weight, is_first.astype(np.int64)),
        scale=scale_of(score),
        level=level,
        null=0.0,
    )


def average_within(value: Numbers, *keys: Codes) -> tuple[Numbers, tuple[Codes, ...]]:
    """One mean per combination of keys: the segments of an output become one score.

    Scored sentence by sentence, a long output would otherwise weigh more than a short one.
    """
    if not len(value):
        return value, keys
    table = np.stack(keys, axis=1)
    cells, place = np.unique(table, axis=0, return_inverse=True)
    place = place.reshape(-1)
    means = np.bincount(place, weights=value) / np.bincount(place)
    return means, tuple(cells[:, column] for column in range(len(keys)))


def _mean(
    value: Numbers,
    *,
    item: Codes,
    participant: Codes,
    level: float,
    bounds: tuple[float, float] | None,
) -> Estimate:
    if not len(value):
        return Estimate(None, 0, 0, 0, note="No judgments.")
    mean = float(value.mean())
    return clustered(
        mean,
        (value - mean) / len(value),
        item=item,
        participant=participant,
        scale=scale_of(value),
        level=level,
        bounds=bounds,
    )
