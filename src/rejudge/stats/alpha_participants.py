"""Krippendorff's alpha with an interval that speaks for new participants too.

Each judgment pulls alpha by what it adds to disagreement and takes from chance. The pulls of a
unit's judgments add up, and so do those of a participant's; both sums vary, and the interval allows
for both, without resampling.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from rejudge.stats.agreement import NO_PAIRS, NO_VARIATION, ONE_UNIT, Agreement
from rejudge.stats.alpha import Level, by_marginals, distances
from rejudge.stats.cluster_sums import Clusters, ClusterSums, JudgmentWeights
from rejudge.stats.clusters import Codes, Interval, Numbers, t_reach
from rejudge.stats.counting import count_cells, dense, distinct
from rejudge.stats.resampling import joined

FEWEST_FOR_ALPHA = 3  # participants: with two, nothing shows how far people differ
FEW_FOR_ALPHA = 5
FEW_UNITS = 20
_TINY = 1e-12
_BLOCK = 4_000_000  # how many numbers a block of the computation may hold
_FEWEST_EFFECTIVE = 2.5  # participants, below which a correction for few is undefined

_TOO_FEW = (
    "No interval for new participants: with {} participants it is not known how far people differ; "
    "it needs {}."
)
_FEW = "With {} participants the interval for new participants is very uncertain."
_NARROW = "With {} units the interval for new participants is a little too narrow."
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

    alpha = 1 − d_o/d_e, means over pairs of judgments. A judgment with disagreement p with the
    m − 1 others of its unit pulls alpha, for its participant, by −(2p/(m−1) − 2d_o)/(n d_e) and
    by what it does to d_e; for its unit by the unit's part d_u/m − d_o instead: a pair belongs to
    one unit but to two people. V = V(units) · U/(U−1) + f · max(0, V(participants) − V(judgments))
    · c: f is the factor of `clustered`, and c = ((e−1)/(e−2))² ((e−1)/e)² with the effective number
    of participants e = 1/Σ(n_r/n)². Student's t with Satterthwaite's degrees of freedom, cut at −1
    and 1. `item` is the item of each judgment where several units belong to one item, such as
    the sentences of a text: items then count in place of units.
    """
    rows = _shared(unit)
    n_units = len(np.unique(unit[rows]))
    if not n_units:
        return ParticipantAlpha(None, 0, 0, note=NO_PAIRS)
    people = np.unique(participant[rows], return_inverse=True)[1]
    pulls = _pulls(np.unique(unit[rows], return_inverse=True)[1], value[rows], measured)
    blank = ParticipantAlpha(None, n_units, len(people), participants=int(people.max()) + 1)
    if pulls is None:
        return _with(blank, note=NO_VARIATION)
    blank = _with(blank, value=pulls.alpha)
    groups = np.unique((unit if item is None else item)[rows], return_inverse=True)[1]
    reason = _obstacle(pulls.alpha, blank.participants, int(groups.max()) + 1)
    if reason:
        return _with(blank, note=reason)
    error, df = _spread(pulls, groups, people)
    if error <= _TINY:
        return _with(blank, note=_COMPLETE)
    reach = t_reach(error, df, level)
    interval = Interval(max(-1.0, pulls.alpha - reach), min(1.0, pulls.alpha + reach), level)
    note = _warnings(blank.participants, int(groups.max()) + 1)
    return _with(blank, interval=interval, standard_error=error, df=df, note=note)


def _with(found: ParticipantAlpha, **changes: object) -> ParticipantAlpha:
    from dataclasses import replace

    return replace(found, **changes)  # type: ignore[arg-type]  # the fields of the caller


def _shared(unit: Codes) -> Codes:
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
class _Pulls:
    """Alpha, and how far each judgment pulls it: as its participant's, and as its unit's."""

    alpha: float
    of_participant: Numbers
    of_unit: Numbers


def _pulls(unit: Codes, value: Numbers | Codes, measured: Level) -> _Pulls | None:
    values, code = distinct(value)
    n, width = len(code), len(values)
    counts = np.bincount(code, minlength=width).astype(np.float64)
    size = np.bincount(unit)[unit].astype(np.float64)
    everything = np.zeros(n, dtype=np.int64)
    scale = _Scale.of(values, counts, measured)
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
    return _Pulls(
        1 - (n - 1) / n * observed / expected,
        chance - (2 * apart + moved - 2 * observed) / n / expected,
        chance - (in_unit + moved - observed) / n / expected,
    )


@dataclass(frozen=True, slots=True)
class _Scale:
    """δ² between values: by their places on a line, or by a table."""

    places: Numbers | None  # interval and ordinal
    table: Numbers | None  # ratio; nominal has neither
    width: int

    @classmethod
    def of(cls, values: Numbers, counts: Numbers, measured: Level) -> _Scale:
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


def _spread(pulls: _Pulls, group: Codes, participant: Codes) -> tuple[float, float]:
    """The standard error of alpha and its degrees of freedom."""
    n = len(group)
    weights = JudgmentWeights(np.full(n, 1 / n), np.zeros(n, dtype=np.int64))
    sums = Clusters.of(group, participant).sums(pulls.of_participant, weights)
    by_unit = np.bincount(group, pulls.of_unit)
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
    effective = 1 / float(share @ share)
    if effective <= _FEWEST_EFFECTIVE:
        return part.factor * excess
    correction = ((effective - 1) / (effective - 2)) * ((effective - 1) / effective)
    return part.factor * excess * correction**2
