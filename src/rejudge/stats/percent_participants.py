"""Percent agreement with an interval that speaks for new participants too, without resampling."""

from __future__ import annotations

import math

import numpy as np

from rejudge.stats.agreement import NO_PAIRS, ONE_UNIT, Agreement
from rejudge.stats.alpha_participants import for_few_participants, shared_rows
from rejudge.stats.cluster_sums import Clusters, ClusterSums, JudgmentWeights
from rejudge.stats.clusters import Codes, Interval, Numbers
from rejudge.stats.counting import distinct
from rejudge.stats.mixed_effects import quantile
from rejudge.stats.numbering import group_sizes, numbered
from rejudge.stats.resampling import NO_WIDTH

_TINY = 1e-12


def percent_for_new_participants(
    unit: Codes,
    participant: Codes,
    value: Numbers | Codes,
    *,
    per_pair: bool = False,
    item: Codes | None = None,
    level: float = 0.95,
) -> Agreement:
    """Percent agreement, mean over units or over pairs of judgments, with an interval for other
    participants and other units.

    With a the share of the m − 1 others of its unit who say the same, a judgment holds a w of the
    percentage, where w is 1/m for a mean over units and m − 1 for one over pairs. It pulls the
    percentage by w (a − mean), as its unit's, and by twice that as its participant's: a pair
    belongs to one unit but to two people. The variance of both kinds of sums is taken together as
    for Krippendorff's alpha; Student's t on the scale of log odds.
    """
    rows = shared_rows(unit)
    if not len(rows):
        return Agreement(None, 0, 0, note=NO_PAIRS)
    units, people = numbered(unit[rows])[1], numbered(participant[rows])[1]
    groups = units if item is None else numbered(item[rows])[1]
    n, judgments = int(units.max()) + 1, len(rows)
    values, code = distinct(value[rows])
    others = np.bincount(units)[units] - 1.0
    alike = (group_sizes(units * np.int64(len(values)) + code) - 1) / others
    weight = others if per_pair else 1 / (others + 1)
    weight = weight / weight.sum()
    share = min(1.0, float(weight @ alike))
    if int(groups.max()) < 1:
        return Agreement(100 * share, n, judgments, note=ONE_UNIT)
    in_unit = (np.bincount(units, weight * alike) / np.bincount(units, weight))[units]
    error, df = _spread(2 * weight * (alike - share), weight * (in_unit - share), groups, people)
    interval = _interval(share, error, df, level)
    return Agreement(100 * share, n, judgments, interval, "" if interval else NO_WIDTH)


def _spread(
    of_participant: Numbers, of_unit: Numbers, group: Codes, participant: Codes
) -> tuple[float, float]:
    """The standard error of the percentage and its degrees of freedom, given how far each judgment
    pulls it: as its participant's, and as its unit's."""
    n = len(group)
    weights = JudgmentWeights(np.full(n, 1 / n), np.zeros(n, dtype=np.int64))
    sums = Clusters.of(group, participant).sums(of_participant, weights)
    by_unit = np.bincount(group, of_unit)
    units = len(by_unit)
    from_units = float(by_unit @ by_unit) * units / (units - 1)
    from_people = _excess(sums, np.bincount(participant) / n)
    variance = from_units + from_people
    few = min(units, sums.by_participant.clusters) - 1  # few people show in units' spread too
    doubt = from_units**2 / few
    if from_people > 0:
        doubt += (sums.by_cell + from_people) ** 2 / sums.by_participant.df
    return math.sqrt(variance), max(1.0, variance**2 / doubt) if doubt > 0 else 1.0


def _excess(sums: ClusterSums, share: Numbers) -> float:
    """What participants add beyond their single judgments."""
    part = sums.by_participant
    excess = max(0.0, part.squares - sums.by_cell)
    if excess == 0 or not math.isfinite(part.factor):
        return 0.0
    return part.factor * excess * for_few_participants(1 / float(share @ share))


def _interval(share: float, error: float, df: float, level: float) -> Interval | None:
    """On the scale of log odds, and back."""
    from scipy.special import expit, logit

    if error <= _TINY or not 0 < share < 1:
        return None
    reach = quantile(level, df) * error / (share * (1 - share))
    low, high = 100 * expit(logit(share) + np.array([-reach, reach]))
    return Interval(float(low), float(high), level)
