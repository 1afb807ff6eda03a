"""Intervals for coefficients of agreement that generalise to new participants and new units.

Most coefficients are resampled; percent agreement has a formula and needs no resampling.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import replace
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from rejudge import parallel
from rejudge.errors import require_known
from rejudge.stats.agreement.alpha import MANY_KINDS, ONE_UNIT
from rejudge.stats.agreement.alpha_participants import (
    alpha_for_new_participants,
    for_few_participants,
    shared_rows,
    too_few_people,
)
from rejudge.stats.agreement.disagreement import NO_PAIRS, Level
from rejudge.stats.agreement.kappa import (
    Weights,
    fleiss_interval,
    fleiss_of_table,
    mean_kappa,
    with_enough_units,
)
from rejudge.stats.agreement.resampling import (
    CELLS,
    NO_WIDTH,
    Crossing,
    cross_units,
    item_draws,
    left_out,
    over_units,
    pair_participants,
    percentiles,
    repeats_of,
    unit_draws,
)
from rejudge.stats.arrays import (
    Codes,
    Numbers,
    count_table,
    distinct,
    group_sizes,
    number_codes,
)
from rejudge.stats.clusters import Clusters, ClusterSums, JudgmentWeights
from rejudge.stats.estimate import Estimate, Interval
from rejudge.stats.mixed.effects import quantile
from rejudge.stats.reasons import Why, unique

Measure: TypeAlias = Literal[
    "percent",
    "percent-per-pair",
    "krippendorff-alpha",
    "fleiss-kappa",
    "cohen-kappa",
    "cohen-kappa-linear",
    "cohen-kappa-quadratic",
]
_Statistic: TypeAlias = Callable[[Numbers, NDArray[np.bool_]], Numbers]

_KAPPAS: dict[Measure, Weights] = {
    "cohen-kappa": "none",
    "cohen-kappa-linear": "linear",
    "cohen-kappa-quadratic": "quadratic",
}
_PERCENTS: tuple[Measure, ...] = ("percent", "percent-per-pair")
# Below so many people resamples give no interval: they cannot show how far people differ. Alpha has
# a formula of its own, from three on.
FEWEST_PEOPLE = 5
_TINY = 1e-12
_PER_PART = 50  # resamples; each part pairs people anew


def new_participants_interval(
    unit: Codes,
    participant: Codes,
    value: Numbers | Codes,
    measure: Measure,
    *,
    rng: np.random.Generator,
    measured: Level = "nominal",
    item: Codes | None = None,
    level: float = 0.95,
    replicates: int = 400,
    executor: Executor | None = None,
) -> Estimate:
    """A coefficient with an interval that generalises to new participants.

    Krippendorff's alpha and Fleiss' kappa have a formula (`alpha_for_new_participants`), and so has
    the percentage where there are very many kinds of unit (`percent_for_new_participants`). For the
    others participants and units are both drawn with replacement; of participants drawn several
    times one is kept, so that no one is compared with themselves; percentiles of what the rest
    would give. Cohen's kappa is the mean over pairs. `measured` is the level of values, for alpha.
    Resamples in which the coefficient is undefined are left out and counted in the note. Fewer than
    five participants (three with the formula) give no interval: so few do not show how much people
    differ. With the `item` of each judgment, where several units belong to one item,
    items are drawn instead of units. Resamples are drawn in parts of fifty, each with its own seed
    from `rng`, which an `executor` can run on several processes.
    """
    require_known(measure, get_args(Measure), option="measure")
    require_known(measured, get_args(Level), option="measured")
    crossing = cross_units(unit, participant, value, item=item)
    n, judgments = crossing.n, crossing.judgments
    if crossing.repeats:
        return over_units(None, n, judgments, reasons=(repeats_of(crossing.repeats),))
    if not n:
        return over_units(None, 0, 0, reasons=(NO_PAIRS,))
    if measure in {"krippendorff-alpha", "fleiss-kappa"}:
        return _by_formula(
            (unit, participant, value), measure, measured=measured, item=item, level=level
        )
    if measure in _PERCENTS and len(crossing.units) > MANY_KINDS:
        return percent_for_new_participants(
            unit, participant, value, per_pair=measure != "percent", item=item, level=level
        )
    statistic = _statistic(crossing, measure)
    everybody = np.ones((1, len(crossing.people)), dtype=np.bool_)
    whole = float(statistic(crossing.units[np.newaxis].astype(np.float64), everybody)[0])
    if math.isnan(whole):
        return over_units(
            None,
            n,
            judgments,
            reasons=(
                Why.NO_BOUND("value", cause=f"{measure} of all judgments is itself undefined"),
            ),
        )
    people = len(np.unique(crossing.participant))
    if people < FEWEST_PEOPLE:
        return over_units(whole, n, judgments, reasons=(too_few_people(people, FEWEST_PEOPLE),))
    drawn = _resample((crossing, measure), rng, replicates, executor)
    defined = drawn[~np.isnan(drawn)]
    lost = left_out(len(drawn) - len(defined), replicates)
    if n < 2 or not len(defined):
        return over_units(
            whole, n, judgments, reasons=(Why.NEEDS("interval", least="two", what="units"), *lost)
        )
    interval, reasons = percentiles(defined, level=level)
    return over_units(whole, n, judgments, interval, reasons=(*reasons, *lost))


def _resample(
    sample: tuple[Crossing, Measure],
    rng: np.random.Generator,
    replicates: int,
    executor: Executor | None,
) -> Numbers:
    sizes = [min(_PER_PART, replicates - start) for start in range(0, replicates, _PER_PART)]
    seeds = rng.integers(0, 2**63, size=len(sizes)).tolist()
    parts = [(*sample, size, seed) for size, seed in zip(sizes, seeds, strict=True)]
    return np.concatenate([np.zeros(0), *parallel.run(_resample_part, parts, executor)])


def _resample_part(crossing: Crossing, measure: Measure, replicates: int, seed: int) -> Numbers:
    """Some resamples of people and units: the coefficient in each."""
    statistic, people = _statistic(crossing, measure), len(crossing.people)
    rng = np.random.default_rng(seed)
    if crossing.by_item is None:
        blocks = unit_draws(crossing.units, rng, replicates)
    else:
        blocks = item_draws(crossing.by_item, rng, replicates)
    found = []
    for units in blocks:
        kept = np.zeros((len(units), people), dtype=np.bool_)
        np.put_along_axis(kept, rng.integers(0, people, kept.shape), values=True, axis=1)
        found.append(statistic(units, kept))
    return np.concatenate(found) if found else np.zeros(0)


def _by_formula(
    columns: tuple[Codes, Codes, Numbers | Codes],
    measure: Measure,
    *,
    measured: Level,
    item: Codes | None,
    level: float,
) -> Estimate:
    if measure == "krippendorff-alpha":
        return alpha_for_new_participants(*columns, measured, item=item, level=level)
    alpha = alpha_for_new_participants(*columns, "nominal", item=item, level=level)
    kappa = fleiss_of_table(count_table(columns[0], columns[2]))
    interval = fleiss_interval(alpha.interval, alpha.judgments or 0)
    return replace(
        kappa,
        interval=interval if kappa.value is not None else None,
        reasons=unique(kappa.reasons, alpha.reasons),
    )


def _statistic(crossing: Crossing, measure: Measure) -> _Statistic:
    """The coefficient as a function of how many units of each kind, and of who is kept.

    Both have one row for each resample. NaN where the coefficient is undefined.
    """
    if measure in _PERCENTS:
        return _percent_statistic(crossing, per_pair=measure == "percent-per-pair")
    pairs, weights = with_enough_units(pair_participants(crossing), crossing), _KAPPAS[measure]
    return lambda units, kept: np.array(
        [
            mean_kappa(pairs, row, weights, among=those[pairs.first] & those[pairs.second])
            for row, those in zip(units, kept, strict=True)
        ]
    )


def _percent_statistic(crossing: Crossing, *, per_pair: bool) -> _Statistic:
    """Percent agreement among those who are kept, of many resamples at once."""
    from scipy.sparse import csr_array

    width = len(crossing.values)
    cells, cell = number_codes(crossing.kind.astype(np.int64) * width + crossing.code)
    first = np.searchsorted(cells, np.arange(len(crossing.units)) * width)
    ones = np.ones(len(cell))
    judged = csr_array(
        (ones, (cell, crossing.participant)), shape=(len(cells), len(crossing.people))
    )
    step = max(1, CELLS // len(cells))

    def statistic(units: Numbers, kept: NDArray[np.bool_]) -> Numbers:
        return np.concatenate(
            [
                of_block(units[start : start + step], kept[start : start + step])
                for start in range(0, len(units), step)
            ]
        )

    def of_block(units: Numbers, kept: NDArray[np.bool_]) -> Numbers:
        counts = judged @ kept.T.astype(np.float64)  # those who gave a value to a kind of unit
        size = np.add.reduceat(counts, first)
        same = np.add.reduceat(counts * (counts - 1), first)
        pairs = size * (size - 1)
        if not per_pair:
            same /= np.maximum(pairs, 1)
            pairs = (pairs > 0).astype(np.float64)
        above, below = (np.einsum("rk,kr->r", units, part) for part in (same, pairs))
        share = np.full(len(units), np.nan)
        np.divide(above, below, out=share, where=below > 0)
        return 100 * share

    return statistic


def percent_for_new_participants(
    unit: Codes,
    participant: Codes,
    value: Numbers | Codes,
    *,
    per_pair: bool = False,
    item: Codes | None = None,
    level: float = 0.95,
) -> Estimate:
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
        return over_units(None, 0, 0, reasons=(NO_PAIRS,))
    units, people = number_codes(unit[rows])[1], number_codes(participant[rows])[1]
    groups = units if item is None else number_codes(item[rows])[1]
    n, judgments = int(units.max()) + 1, len(rows)
    values, code = distinct(value[rows])
    others = np.bincount(units)[units] - 1.0
    alike = (group_sizes(units * np.int64(len(values)) + code) - 1) / others
    weight = others if per_pair else 1 / (others + 1)
    weight = weight / weight.sum()
    share = min(1.0, float(weight @ alike))
    if int(groups.max()) < 1:
        return over_units(100 * share, n, judgments, reasons=(ONE_UNIT,))
    in_unit = (np.bincount(units, weight * alike) / np.bincount(units, weight))[units]
    error, df = _spread(2 * weight * (alike - share), weight * (in_unit - share), groups, people)
    interval = _interval(share, error, df, level)
    return over_units(100 * share, n, judgments, interval, reasons=() if interval else (NO_WIDTH,))


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
