"""Krippendorff's alpha with an interval that generalises to new participants.

Each judgment has an influence on alpha: what it adds to the observed disagreement minus what it
adds to the disagreement expected by chance. Summed by participant, the influence shows how far
participants differ; leaving out one unit at a time shows how much units differ. The interval allows
for both, without resampling. `crossed_parts` separates the variance of judgments into participants,
units and the rest.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import get_args

import numpy as np

from rejudge.errors import require_known
from rejudge.stats.agreement.alpha import (
    NO_VARIATION,
    NOT_WITHOUT,
    ONE_UNIT,
    LeaveOneOutAlphas,
    alphas_without,
)
from rejudge.stats.agreement.disagreement import NO_PAIRS, Level, by_marginals, distances
from rejudge.stats.agreement.resampling import over_units
from rejudge.stats.arrays import (
    Codes,
    Numbers,
    count_cells,
    count_table,
    dense_codes,
    distinct,
    number_codes,
    require_equally_long,
)
from rejudge.stats.clusters import Clusters, JudgmentWeights
from rejudge.stats.estimate import Estimate, Interval, t_half_width
from rejudge.stats.reasons import Reason, Why

FEWEST_FOR_ALPHA = 3  # participants: with two, nothing shows how far people differ
FEW_FOR_ALPHA = 5
FEW_UNITS = 10
_TINY = 1e-12
_LEAST_DF = 3.0  # unless there are fewer units or participants
_FURTHEST = 600.0  # its exponential is still a number
_EDGE = 1e-4  # how far from its lowest value alpha is kept on the scale of z
_FEWEST_EFFECTIVE = 2.5  # participants, below which a correction for few is undefined

_COMPLETE = Why.COMPLETE()
_NO_WIDTH = Why.NO_BOUND(
    "interval for new participants", cause="they all agree equally well on every unit"
)
_BLOCK = 4_000_000  # how many numbers a block of the computation may hold


def alpha_for_new_participants(
    unit: Codes,
    participant: Codes,
    value: Numbers | Codes,
    measured: Level,
    *,
    item: Codes | None = None,
    level: float = 0.95,
) -> Estimate:
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
    systems or the sentences of a text: items then count instead of units.
    """
    require_known(measured, get_args(Level), option="measured")
    require_equally_long(unit, participant, value, item)
    rows = shared_rows(unit)
    units = number_codes(unit[rows])[1]
    n_units = int(units.max(initial=-1)) + 1
    if not n_units:
        return over_units(None, reasons=(NO_PAIRS,))
    people = number_codes(participant[rows])[1]
    groups = number_codes((unit if item is None else item)[rows])[1]
    blank = replace(over_units(None, n_units, len(people)), participants=int(people.max()) + 1)
    judged = _SharedJudgments(units, groups, people, value[rows])
    pulls = influence_on_alpha(units, judged.value, measured)
    if pulls is None:
        return replace(blank, reasons=(NO_VARIATION,))
    blank = replace(blank, value=pulls.alpha)
    reason = _obstacle(pulls.alpha, blank.participants, int(groups.max()) + 1)
    if reason:
        return replace(blank, reasons=(reason,))
    table = count_table(units, judged.value, item=None if item is None else groups)
    without = alphas_without(table, measured)
    if np.isnan(without.value).any():
        return replace(
            blank, reasons=(NOT_WITHOUT.using(what="units" if item is None else "items"),)
        )
    spread = _z_variance(judged, pulls, without, centre=_unbiased_alpha(judged, measured))
    if spread.error <= _TINY:
        return replace(blank, reasons=(_NO_WIDTH,))
    interval = spread.interval(pulls.alpha, level)
    return replace(
        blank,
        interval=interval,
        standard_error=spread.error,
        df=spread.df,
        reasons=_warnings(blank.participants, int(groups.max()) + 1),
    )


@dataclass(frozen=True, slots=True)
class _SharedJudgments:
    """Judgments of units that two or more people judged, numbered from 0."""

    unit: Codes
    group: Codes  # what is independent: units, or the items they belong to
    participant: Codes
    value: Numbers | Codes


def shared_rows(unit: Codes) -> Codes:
    """The rows of units with two or more judgments."""
    codes, _ = dense_codes(unit)
    return np.flatnonzero((np.bincount(codes) > 1)[codes]) if len(codes) else codes


def too_few_people(participants: int, least: int) -> Reason:
    """Why there is no interval for new participants."""
    return Why.TOO_FEW_PEOPLE(n=participants, least=least)


def _obstacle(alpha: float, participants: int, groups: int) -> Reason | None:
    if participants < FEWEST_FOR_ALPHA:
        return too_few_people(participants, FEWEST_FOR_ALPHA)
    if groups < 2:
        return ONE_UNIT
    return _COMPLETE if 1 - alpha <= _TINY else None


def _warnings(participants: int, groups: int) -> tuple[Reason, ...]:
    found = []
    if participants < FEW_FOR_ALPHA:
        effect = "the interval for new participants is very uncertain"
        found.append(Why.FEW(n=participants, what="participants", effect=effect))
    if groups <= FEW_UNITS:
        effect = "the interval for new participants may be slightly too narrow"
        found.append(Why.FEW(n=groups, what="units", effect=effect))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _ZVariance:
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
        """The interval of alpha, which always contains the observed alpha."""
        centre, reach = _z(self.centre, self.size), t_half_width(self.error_of_z, self.df, level)
        low, high = (_alpha_of(z, self.size) for z in (centre - reach, centre + reach))
        return Interval(max(-1.0, min(low, alpha)), min(1.0, max(high, alpha)), level)


def _z_variance(
    judged: _SharedJudgments, pulls: AlphaInfluence, without: LeaveOneOutAlphas, *, centre: float
) -> _ZVariance:
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
    return _ZVariance(centre, size, math.sqrt(variance), df)


def _unbiased_alpha(judged: _SharedJudgments, measured: Level) -> float:
    """Alpha with the disagreement by chance of pairs that share neither unit nor participant."""
    values, code = distinct(judged.value)
    counts = np.bincount(code, minlength=len(values)).astype(np.float64)
    scale = DistanceScale.of(values, counts, measured)
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
    """The correction for few participants, who underestimate how much people differ."""
    if effective <= _FEWEST_EFFECTIVE:
        return 1.0
    return (((effective - 1) / (effective - 2)) * ((effective - 1) / effective)) ** 2


def _df_of_units(pull: Numbers) -> float:
    """One fewer than units, and fewer still if some have much more influence than others."""
    squares, n = float(pull @ pull), len(pull)
    excess = float(np.sum(pull**4)) - squares**2 / n
    return max(1.0, min(n - 1.0, 2 * squares**2 / excess)) if excess > 0 else n - 1.0


def _df_of_people(judged: _SharedJudgments, pulls: AlphaInfluence) -> float:
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


@dataclass(frozen=True, slots=True)
class AlphaInfluence:
    """Alpha, and the influence of each judgment: by participant and by unit."""

    alpha: float
    of_participant: Numbers
    of_unit: Numbers


def influence_on_alpha(
    unit: Codes, value: Numbers | Codes, measured: Level
) -> AlphaInfluence | None:
    """The influences of judgments of units with two or more; None if alpha is undefined."""
    values, code = distinct(value)
    n, width = len(code), len(values)
    counts = np.bincount(code, minlength=width).astype(np.float64)
    size = np.bincount(unit)[unit].astype(np.float64)
    everything = np.zeros(n, dtype=np.int64)
    scale = DistanceScale.of(values, counts, measured)
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
    return AlphaInfluence(
        1 - (n - 1) / n * observed / expected,
        chance - (2 * apart + moved - 2 * observed) / n / expected,
        chance - (in_unit + moved - observed) / n / expected,
    )


@dataclass(frozen=True, slots=True)
class DistanceScale:
    """δ² between values: by their places on a line, or by a table."""

    places: Numbers | None  # interval and ordinal
    table: Numbers | None  # ratio; nominal has neither
    width: int

    @classmethod
    def of(cls, values: Numbers, counts: Numbers, measured: Level) -> DistanceScale:
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
            return np.asarray(size - _same_value_counts(group, code, self.width), dtype=np.float64)
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


def _same_value_counts(group: Codes, code: Codes, width: int) -> Codes:
    """How many judgments of its group have the same value as each."""
    key = group.astype(np.int64) * width + code
    if int(key.max()) < 8 * len(key) + 1000:
        return np.asarray(np.bincount(key)[key])
    _, place, counts = np.unique(key, return_inverse=True, return_counts=True)
    return np.asarray(counts[place])


@dataclass(frozen=True, slots=True)
class CrossedParts:
    """The parts of the variance of a sum that come from participants and from single judgments."""

    participants: float
    cells: float  # judgments of one unit by one participant


def crossed_parts(pull: Numbers, unit: Codes, participant: Codes) -> CrossedParts:
    """Split the variance of Σ pull by the method of moments, where participants judge many units.

    Working model: each judgment's pull is an effect of its participant, one of its unit and one of
    its cell (a unit judged by one participant). The expected squares of the sums by participant, by
    unit and by cell are linear in the three variances; pulls are centred first, which the
    coefficients allow for. Negative estimates count as 0. Where each participant judged one unit
    alone, their effect cannot be separated from the cell's, and the smallest solution is taken.
    """
    clusters = Clusters.of(unit, participant)
    n = len(pull)
    centred = pull - pull.sum() / n
    cell = np.bincount(clusters.cell, centred, len(clusters.item))
    size = np.bincount(clusters.cell, minlength=len(clusters.item)).astype(np.float64)
    owners = (clusters.participant, clusters.item, np.arange(len(size)))
    observed = [float(np.sum(np.bincount(owner, cell) ** 2)) for owner in owners]
    coefficients, weights = _coefficients(owners, size)
    found = np.linalg.lstsq(coefficients, np.array(observed), rcond=1e-9)[0]
    people, _, alone = (max(0.0, float(part)) for part in found * weights)
    return CrossedParts(people, alone)


def _coefficients(owners: tuple[Codes, ...], size: Numbers) -> tuple[Numbers, Numbers]:
    """What each kind of effect, of variance 1, adds to the squares of each kind of sum.

    With K = ZZᵀ of each kind and H the centring, that is tr(K H L H) of every two kinds. Also
    1ᵀK1, what it adds to the variance of the sum of all judgments.
    """
    n = float(size.sum())
    sums = [np.bincount(owner, size) for owner in owners]
    whole = np.array([float(each @ each) for each in sums])
    of_cell = [each[owner] for each, owner in zip(sums, owners, strict=True)]
    table = np.full((3, 3), float(size @ size))
    table[np.diag_indices(3)] = whole
    for row in range(3):
        for column in range(3):
            both = float(size @ (of_cell[row] * of_cell[column]))
            table[row, column] += whole[row] * whole[column] / n**2 - 2 * both / n
    return table, whole
