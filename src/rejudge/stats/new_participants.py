"""What a coefficient of agreement might have been with other people and other units."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rejudge.stats.agreement import MANY_KINDS, NO_PAIRS, Agreement, observed, percents
from rejudge.stats.alpha import Level
from rejudge.stats.alpha_participants import alpha_for_new_participants
from rejudge.stats.clusters import Codes, Numbers
from rejudge.stats.counting import CountTable, count_cells, count_table
from rejudge.stats.crossing import Crossing, crossed, paired
from rejudge.stats.kappa import (
    Weights,
    fleiss_interval,
    fleiss_of_table,
    mean_kappa,
    repeated,
    with_enough_units,
)
from rejudge.stats.percent_participants import percent_for_new_participants
from rejudge.stats.resampling import item_draws, joined, percentiles, unit_draws

Measure: TypeAlias = Literal[
    "percent",
    "percent-per-pair",
    "krippendorff-alpha",
    "fleiss-kappa",
    "cohen-kappa",
    "cohen-kappa-linear",
    "cohen-kappa-quadratic",
]
_Statistic: TypeAlias = Callable[[Numbers, NDArray[np.bool_]], float]

_KAPPAS: dict[Measure, Weights] = {
    "cohen-kappa": "none",
    "cohen-kappa-linear": "linear",
    "cohen-kappa-quadratic": "quadratic",
}
_PERCENTS: tuple[Measure, ...] = ("percent", "percent-per-pair")
# Below so many people resamples give no interval: they cannot show how far people differ. Alpha has
# a formula of its own, from three on.
FEWEST_PEOPLE = 5
_FEW_PEOPLE = (
    "No interval for new participants: with {} participants it is not known how far people differ; "
    "it needs {}."
)


def new_participants_interval(  # noqa: PLR0913 - each is a keyword of its own
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
) -> Agreement:
    """A coefficient with an interval that speaks for new participants too, not for these alone.

    Krippendorff's alpha and Fleiss' kappa have a formula (`alpha_for_new_participants`), and so has
    the percentage where there are very many kinds of unit (`percent_for_new_participants`). For the
    others participants and units are both drawn with replacement; of participants drawn several
    times one is kept, so that no one is compared with themselves; percentiles of what the rest
    would give. Cohen's kappa is the mean over pairs. `measured` is the level of values, for alpha.
    Resamples in which the coefficient is undefined are left out and counted in the note. Fewer than
    five participants (three with the formula) give no interval: how far people differ cannot be
    told from so few. With the `item` of each judgment, where several units belong to one item,
    items are drawn instead of units.
    """
    crossing = crossed(unit, participant, value, item=item)
    n, judgments = crossing.n, crossing.judgments
    if crossing.repeats:
        return Agreement(None, n, judgments, note=repeated(crossing.repeats))
    if not n:
        return Agreement(None, 0, 0, note=NO_PAIRS)
    if measure in {"krippendorff-alpha", "fleiss-kappa"}:
        return _by_formula(
            (unit, participant, value), measure, measured=measured, item=item, level=level
        )
    if measure in _PERCENTS and len(crossing.units) > MANY_KINDS:
        return percent_for_new_participants(
            unit, participant, value, per_pair=measure != "percent", item=item, level=level
        )
    statistic = _statistic(crossing, measure)
    everybody = np.ones(len(crossing.people), dtype=np.bool_)
    whole = statistic(crossing.units.astype(np.float64), everybody)
    if np.isnan(whole):
        return Agreement(None, n, judgments, note=f"Undefined: {measure} of all judgments is.")
    people = len(np.unique(crossing.participant))
    if people < FEWEST_PEOPLE:
        return Agreement(whole, n, judgments, note=_FEW_PEOPLE.format(people, FEWEST_PEOPLE))
    drawn = _drawn(crossing, statistic, rng, replicates)
    defined = drawn[~np.isnan(drawn)]
    note = _left_out(len(drawn) - len(defined), replicates)
    if n < 2 or not len(defined):  # noqa: PLR2004 - nothing to be resampled with
        return Agreement(whole, n, judgments, note=joined("No interval: one unit only.", note))
    interval, reason = percentiles(defined, level=level)
    return Agreement(whole, n, judgments, interval, joined(reason, note))


def _drawn(
    crossing: Crossing, statistic: _Statistic, rng: np.random.Generator, replicates: int
) -> Numbers:
    people = len(crossing.people)
    found = []
    if crossing.by_item is None:
        blocks = unit_draws(crossing.units, rng, replicates)
    else:
        blocks = item_draws(crossing.by_item, rng, replicates)
    for block in blocks:
        for units in block:
            kept = np.zeros(people, dtype=np.bool_)
            kept[rng.integers(0, people, people)] = True
            found.append(statistic(units, kept))
    return np.array(found)


def _by_formula(
    columns: tuple[Codes, Codes, Numbers | Codes],
    measure: Measure,
    *,
    measured: Level,
    item: Codes | None,
    level: float,
) -> Agreement:
    if measure == "krippendorff-alpha":
        return alpha_for_new_participants(*columns, measured, item=item, level=level)
    alpha = alpha_for_new_participants(*columns, "nominal", item=item, level=level)
    kappa = fleiss_of_table(count_table(columns[0], columns[2]))
    interval = fleiss_interval(alpha.interval, alpha.judgments)
    return replace(
        kappa,
        interval=interval if kappa.value is not None else None,
        note=joined(kappa.note, alpha.note),
    )


def _statistic(crossing: Crossing, measure: Measure) -> _Statistic:
    """The coefficient as a function of how many units of each kind, and of who is kept."""
    if measure in _KAPPAS:
        pairs, weights = with_enough_units(paired(crossing), crossing), _KAPPAS[measure]
        return lambda units, kept: mean_kappa(
            pairs, units, weights, among=kept[pairs.first] & kept[pairs.second]
        )
    column = _PERCENTS.index(measure)

    def statistic(units: Numbers, kept: NDArray[np.bool_]) -> float:
        table = _table(crossing, units, kept)
        return float(percents(table, observed(table))[0, column]) if table.n else float("nan")

    return statistic


def _table(crossing: Crossing, units: Numbers, kept: NDArray[np.bool_]) -> CountTable:
    """The counts of those who are kept; kinds of unit stay as they are, for they weigh anew."""
    rows = kept[crossing.participant] & (units[crossing.kind] > 0)
    counts = count_cells(
        crossing.kind[rows], crossing.code[rows], height=len(units), width=len(crossing.values)
    )
    size = counts.sum(axis=1)
    shared = size >= 2  # noqa: PLR2004 - a pair
    single = int(units[size == 1].sum())
    return CountTable(crossing.values, counts[shared], units[shared].astype(np.int64), single)


def _left_out(undefined: int, replicates: int) -> str:
    return f"{undefined} of {replicates} resamples were undefined; left out." if undefined else ""
