"""Krippendorff's alpha with an interval that speaks for new participants too.

Each judgment pulls alpha by what it adds to disagreement and takes from chance. The pulls of a
participant's judgments add up and show how far participants differ; leaving out one unit at a time
shows how far units do. The interval allows for both, without resampling.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from rejudge.stats.agreement import (
    NO_PAIRS,
    NO_VARIATION,
    NOT_WITHOUT,
    ONE_UNIT,
    Agreement,
    LeftOut,
    alphas_without,
)
from rejudge.stats.alpha import Level
from rejudge.stats.alpha_pulls import Pulls, Scale, pulls_on_alpha
from rejudge.stats.cluster_sums import Clusters, JudgmentWeights
from rejudge.stats.clusters import Codes, Interval, Numbers, t_reach
from rejudge.stats.counting import count_table, dense, distinct
from rejudge.stats.crossed_parts import crossed_parts
from rejudge.stats.numbering import numbered
from rejudge.stats.resampling import joined

FEWEST_FOR_ALPHA = 3  # participants: with two, nothing shows how far people differ
FEW_FOR_ALPHA = 5
FEW_UNITS = 10
_TINY = 1e-12
_LEAST_DF = 3.0  # unless there are fewer units or participants
_FURTHEST = 600.0  # its exponential is still a number
_EDGE = 1e-4  # how far from its lowest value alpha is kept on the scale of z
_FEWEST_EFFECTIVE = 2.5  # participants, below which a correction for few is undefined

_TOO_FEW = (
    "No interval for new participants: with {} participants it is not known how far people differ; "
    "it needs {}."
)
_FEW = "With {} participants the interval for new participants is very uncertain."
_NARROW = "With {} units the interval for new participants may be a little too narrow."
_COMPLETE = "No interval: agreement is complete."


@dataclass(frozen=True, slots=True)
class ParticipantAlpha(Agreement):
    """Krippendorff's alpha with an interval for new participants and units."""

    participants: int = 0
    standard_error: float | None = None
    df: float | None = None


def alpha_for_new_participants(
    unit: Codes,
    participant: Codes,
    value: Numbers | Codes,
    measured: Level,
    *,
    item: Codes | None = None,
    level: float = 0.95,
) -> ParticipantAlpha:
    """Krippendorff's alpha with an interval for other participants and other units.

    alpha = 1 − d_o/d_e, means over pairs of judgments. The interval is one of Student's t on the
    scale of z = ½ log((1 + (m−1)α)/(1 − α)), m judgments for each unit (Fisher 1925), around the
    alpha whose d_e is the mean over pairs of different units and different participants: pairs that
    share one of them differ less, which in a small table makes alpha too low.

    V = V(units) + V(participants) · ((e−1)/(e−2))² ((e−1)/e)², with the effective number of
    participants e = 1/Σ(n_r/n)². V(units) leaves out one unit at a time. V(participants) is split
    off by moments (`crossed_parts`) from what each judgment does to alpha: with disagreement p
    with the m − 1 others of its unit, −(2p/(m−1) − 2d_o)/(n d_e) and what it does to d_e.
    Degrees of freedom by Satterthwaite. The interval is cut at −1 and 1 and holds alpha. `item` is
    the item of each judgment where several units belong to one item, such as the outputs of several
    systems or the sentences of a text: items then count in place of units.
    """
    rows = shared_rows(unit)
    units = numbered(unit[rows])[1]
    n_units = int(units.max(initial=-1)) + 1
    if not n_units:
        return ParticipantAlpha(None, 0, 0, note=NO_PAIRS)
    people = numbered(participant[rows])[1]
    groups = numbered((unit if item is None else item)[rows])[1]
    blank = ParticipantAlpha(None, n_units, len(people), participants=int(people.max()) + 1)
    judged = _Judged(units, groups, people, value[rows])
    pulls = pulls_on_alpha(units, judged.value, measured)
    if pulls is None:
        return _with(blank, note=NO_VARIATION)
    blank = _with(blank, value=pulls.alpha)
    reason = _obstacle(pulls.alpha, blank.participants, int(groups.max()) + 1)
    if reason:
        return _with(blank, note=reason)
    table = count_table(units, judged.value, item=None if item is None else groups)
    without = alphas_without(table, measured)
    if np.isnan(without.value).any():
        return _with(blank, note=NOT_WITHOUT.format("units" if item is None else "items"))
    spread = _spread(judged, pulls, without, centre=_unbiased(judged, measured))
    if spread.error <= _TINY:
        return _with(blank, note=_COMPLETE)
    interval = spread.interval(pulls.alpha, level)
    note = _warnings(blank.participants, int(groups.max()) + 1)
    return _with(blank, interval=interval, standard_error=spread.error, df=spread.df, note=note)


@dataclass(frozen=True, slots=True)
class _Judged:
    """Judgments of units that two or more people judged, numbered from 0."""

    unit: Codes
    group: Codes  # what is independent: units, or the items they belong to
    participant: Codes
    value: Numbers | Codes


def _with(found: ParticipantAlpha, **changes: object) -> ParticipantAlpha:
    return replace(found, **changes)  # type: ignore[arg-type]  # the fields of the caller


def shared_rows(unit: Codes) -> Codes:
    """The rows of units with two or more judgments."""
    codes, _ = dense(unit)
    return np.flatnonzero((np.bincount(codes) > 1)[codes]) if len(codes) else codes


def _obstacle(alpha: float, participants: int, groups: int) -> str:
    if participants < FEWEST_FOR_ALPHA:
        return _TOO_FEW.format(participants, FEWEST_FOR_ALPHA)
    if groups < 2:  # noqa: PLR2004 - one unit shows no spread
        return ONE_UNIT
    return _COMPLETE if 1 - alpha <= _TINY else ""


def _warnings(participants: int, groups: int) -> str:
    return joined(
        _FEW.format(participants) if participants < FEW_FOR_ALPHA else "",
        _NARROW.format(groups) if groups <= FEW_UNITS else "",
    )


@dataclass(frozen=True, slots=True)
class _Spread:
    """Where alpha lies on the scale of z for m judgments of a unit, and how well that is known."""

    centre: float  # alpha
    size: float  # m
    error_of_z: float
    df: float

    @property
    def error(self) -> float:
        """On the scale of alpha."""
        return self.error_of_z / _slope(self.centre, self.size)

    def interval(self, alpha: float, level: float) -> Interval:
        """The interval of alpha, which holds the alpha of the judgments themselves."""
        centre, reach = _z(self.centre, self.size), t_reach(self.error_of_z, self.df, level)
        low, high = (_alpha_of(z, self.size) for z in (centre - reach, centre + reach))
        return Interval(max(-1.0, min(low, alpha)), min(1.0, max(high, alpha)), level)


def _spread(judged: _Judged, pulls: Pulls, without: LeftOut, *, centre: float) -> _Spread:
    """The error of alpha on the scale of z, and its degrees of freedom."""
    n, size = len(judged.unit), len(judged.unit) / (int(judged.unit.max()) + 1)
    centre = min(max(centre, _lowest(size)), 1 - _TINY)
    slope = _slope(centre, size)
    from_units = without.variance(lambda alpha: _z(np.maximum(alpha, _lowest(size)), size))
    parts = crossed_parts(pulls.of_participant, judged.group, judged.participant)
    share = np.bincount(judged.participant) / n
    from_people = parts.participants * for_few_participants(1 / float(share @ share)) * slope**2
    df_units = _df_of_units(np.bincount(judged.group, pulls.of_unit).astype(np.float64))
    df_people = _df_of_people(judged, pulls)
    doubt = from_units**2 / df_units
    doubt += (parts.cells * slope**2 + from_people) ** 2 / df_people
    variance = from_units + from_people
    least = min(_LEAST_DF, df_units, df_people)
    df = max(least, variance**2 / doubt) if doubt > 0 else least
    return _Spread(centre, size, math.sqrt(variance), df)


def _unbiased(judged: _Judged, measured: Level) -> float:
    """Alpha with the disagreement by chance of pairs that share neither unit nor participant."""
    values, code = distinct(judged.value)
    counts = np.bincount(code, minlength=len(values)).astype(np.float64)
    scale = Scale.of(values, counts, measured)
    clusters = Clusters.of(judged.group, judged.participant)
    together = (judged.group, judged.participant, clusters.cell)
    apart = [float(scale.apart(group, code).sum()) for group in together]
    pairs = [float(np.sum(np.bincount(group).astype(np.float64) ** 2)) for group in together]
    n = len(code)
    all_apart = float(scale.apart(np.zeros(n, dtype=np.int64), code).sum())
    chance, of = all_apart - apart[0] - apart[1] + apart[2], n**2 - pairs[0] - pairs[1] + pairs[2]
    size = np.bincount(judged.unit)[judged.unit]
    observed = float((scale.apart(judged.unit, code) / (size - 1)).sum()) / n
    return 1 - observed * of / chance if chance > _TINY * all_apart else 0.0


def for_few_participants(effective: float) -> float:
    """Few participants show less of how far participants differ than there is."""
    if effective <= _FEWEST_EFFECTIVE:
        return 1.0
    return (((effective - 1) / (effective - 2)) * ((effective - 1) / effective)) ** 2


def _df_of_units(pull: Numbers) -> float:
    """One fewer than units; fewer still where some pull much further than others."""
    squares, n = float(pull @ pull), len(pull)
    excess = float(np.sum(pull**4)) - squares**2 / n
    return max(1.0, min(n - 1.0, 2 * squares**2 / excess)) if excess > 0 else n - 1.0


def _df_of_people(judged: _Judged, pulls: Pulls) -> float:
    n = len(judged.group)
    weights = JudgmentWeights(np.full(n, 1 / n), np.zeros(n, dtype=np.int64))
    sums = Clusters.of(judged.group, judged.participant).sums(pulls.of_participant, weights)
    return max(1.0, sums.by_participant.df)


def _lowest(size: float) -> float:
    return -1 / (size - 1) + _EDGE


def _z(alpha: Numbers | float, size: float) -> Numbers:
    return np.asarray(0.5 * np.log((1 + (size - 1) * alpha) / np.maximum(1 - alpha, _TINY)))


def _slope(alpha: float, size: float) -> float:
    return size / (2 * (1 + (size - 1) * alpha) * (1 - alpha))


def _alpha_of(z: Numbers, size: float) -> float:
    ratio = math.exp(max(-_FURTHEST, min(2 * float(z), _FURTHEST)))
    return (ratio - 1) / (ratio + size - 1)
