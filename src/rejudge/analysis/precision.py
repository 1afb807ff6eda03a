"""How the intervals of a study would narrow with more participants or more items, at what cost."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from itertools import islice
from typing import TYPE_CHECKING

from rejudge.analysis.analysis_plan import Agenda, pairs_of
from rejudge.analysis.columns import comparisons, scores
from rejudge.analysis.outline import Asked
from rejudge.analysis.reach import Precision, PrecisionPoint
from rejudge.design import Plan, known_rates, quote
from rejudge.errors import DesignError
from rejudge.judgments import Judgments
from rejudge.stats import (
    Estimate,
    Resized,
    mean_difference,
    pair_rates,
    variance_shares,
    with_items,
    with_participants,
)
from rejudge.study import Study

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

TIMES = (0.5, 1.0, 1.5, 2.0, 4.0)  # as many as there are
MOST_PAIRS = 45  # of one question, which is ten systems; the first of them are looked at
_METHOD = (
    "half-width of the cluster-robust interval, from what items, participants and single judgments "
    "add to its variance"
)
_FORETOLD = (
    "Figures for other sizes are extrapolated from these judgments and are just as uncertain."
)


@dataclass(frozen=True, slots=True)
class Price:
    """What one participant costs, fee and taxes included."""

    each: float
    currency: str


def price_of(study: Study, plan: Plan, judgments: Judgments) -> Price | None:
    """What a participant costs, by the wages of the day on which the last of them answered.

    Without such a day, of the day on which the known wages were last looked through: the same
    judgments always give the same cost.
    """
    try:
        found = quote(study, plan, on=_last_day(judgments.submitted_at))
    except DesignError:
        return None
    if found.cost is None or found.currency is None or not found.work.participants:
        return None
    return Price(float(found.cost.total) / found.work.participants, found.currency)


def precisions(
    agenda: Agenda, asked: Asked, judgments: Judgments, price: Price | None
) -> Iterator[Precision]:
    """For each pair of systems, the interval against the size of the study."""
    limited = {frozenset(pair): pair for pair in agenda.check(asked).pairs}
    found = (
        (limited.get(frozenset(systems), systems), estimate)
        for systems, estimate in _estimates(agenda, asked, judgments)
        if not limited or frozenset(systems) in limited
    )
    for systems, estimate in islice(found, MOST_PAIRS):
        yield _precision(agenda, asked, estimate, systems=systems, price=price)


def _precision(
    agenda: Agenda,
    asked: Asked,
    estimate: Estimate,
    *,
    systems: tuple[str, str],
    price: Price | None,
) -> Precision:
    shares = variance_shares(estimate)
    blank = Precision(
        finding=f"{asked.id}.cluster-robust.{systems[0]}.{systems[1]}",
        question=asked.id,
        systems=systems,
        unit="percentage points" if asked.is_comparison else "points of the scale",
        level=agenda.level,
        from_items=shares.items,
        from_participants=shares.participants,
        from_rest=shares.rest,
    )
    if estimate.sums is None:
        return replace(blank, note=estimate.note)
    people, why_people = _points(
        estimate, estimate.participants, price,
        lambda size: with_participants(estimate, size, level=agenda.level),
    )  # fmt: skip
    items, why_items = _points(
        estimate, estimate.items, price,
        lambda size: with_items(estimate, size, level=agenda.level),
    )  # fmt: skip
    notes = dict.fromkeys((_FORETOLD, *why_people, *why_items))
    return replace(
        blank,
        by_participants=people,
        by_items=items,
        currency=price.currency if price else None,
        method=_METHOD,
        note=" ".join(notes),
    )


def _points(
    estimate: Estimate, now: int, price: Price | None, resized: Callable[[int], Resized]
) -> tuple[tuple[PrecisionPoint, ...], list[str]]:
    sizes = dict.fromkeys(max(1, round(times * now)) for times in TIMES)
    found = [resized(size) for size in sizes]
    points = tuple(
        PrecisionPoint(
            participants=each.participants,
            items=each.items,
            judgments=round(estimate.n * size / now),
            standard_error=each.standard_error,
            half_width=each.half_width,
            cost=price.each * estimate.participants * size / now if price else None,
        )
        for size, each in zip(sizes, found, strict=True)
    )
    return points, [each.note for each in found if each.note]


def _estimates(
    agenda: Agenda, asked: Asked, judgments: Judgments
) -> Iterator[tuple[tuple[str, str], Estimate]]:
    """The cluster-robust estimate of each pair that was judged, as the findings have it."""
    systems = agenda.outline.systems
    if asked.is_comparison:
        for rate in pair_rates(comparisons(agenda.outline, judgments), level=agenda.level):
            yield (systems[rate.first], systems[rate.second]), rate.win_percent
        return
    table = scores(agenda.outline, judgments)
    for pair in pairs_of(systems):
        difference = mean_difference(
            table.value,
            table.system,
            pair,
            item=table.item,
            participant=table.participant,
            level=agenda.level,
        )
        if difference.value is not None:
            yield (systems[pair[0]], systems[pair[1]]), difference


def _last_day(submitted_at: NDArray[np.datetime64]) -> date:
    import numpy as np

    known = submitted_at[~np.isnat(submitted_at)]
    if not len(known):
        return known_rates().reviewed
    day: date = known.max().astype("datetime64[D]").item()
    return day
