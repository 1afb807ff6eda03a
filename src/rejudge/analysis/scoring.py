"""Findings of questions that give numbers: rating, slider, segments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from rejudge.analysis.analysis_plan import (
    Agenda,
    directed,
    estimated,
    interval_method,
    pairs_of,
    speaking_for,
)
from rejudge.analysis.columns import Scores, scores
from rejudge.analysis.coverage import dealt_in_words, has_comparable_means
from rejudge.analysis.outline import Asked
from rejudge.analysis.population import population_of_clusters
from rejudge.analysis.results import Finding, Spread
from rejudge.judgments import Judgments
from rejudge.stats import (
    AdjustedDifference,
    Estimate,
    adjusted_difference,
    mean_by_system,
    mean_difference,
    normalised,
    z_by_participant,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

UNLIKE = (
    "The systems were judged on different items or by different people, so their means do not show "
    "which is better. Compare them by their differences, which are taken within items."
)
_MOST_VALUES = 20  # a slider's scores are not listed one by one


def means(agenda: Agenda, asked: Asked, judgments: Judgments) -> Iterator[Finding]:
    """The mean of each system."""
    yield from _means(agenda, asked, scores(agenda.outline, judgments))


def differences(agenda: Agenda, asked: Asked, judgments: Judgments) -> Iterator[Finding]:
    """How far each pair of systems lies apart."""
    table = scores(agenda.outline, judgments)
    judged = set(table.system.tolist())
    for pair in pairs_of(agenda.outline.systems):
        if judged.issuperset(pair):
            yield _difference(agenda, asked, table, pair)


def _means(agenda: Agenda, asked: Asked, table: Scores) -> Iterator[Finding]:
    systems = agenda.outline.systems
    is_comparable = has_comparable_means(agenda, table)
    means = mean_by_system(
        table.value,
        table.system,
        item=table.item,
        participant=table.participant,
        systems=len(systems),
        level=agenda.level,
        bounds=asked.bounds,
    )
    what = "mean of all scores"
    if asked.in_segments:
        what = "mean over outputs of the mean of their segments"
    z = _z(table, len(systems))
    for code, (system, mean) in enumerate(zip(systems, means, strict=True)):
        finding = Finding(
            id=f"{asked.id}.mean.{system}",
            question=asked.id,
            measure="mean",
            by="mean",
            systems=(system,),
            value=mean.value,
            n=mean.n,
            n_of=n_of(asked),
            method=f"{what}; {_interval(table, mean)}",
            is_planned=agenda.is_planned(asked),
            spread=_spread(table.value[table.system == code], asked, z.get(code)),
            is_comparable=is_comparable,
        )
        note = "" if is_comparable else UNLIKE
        yield estimated(finding, mean, note, has_participants=table.has_participants)


def _spread(
    value: NDArray[np.float64], asked: Asked, z: NDArray[np.float64] | None
) -> Spread | None:
    import numpy as np

    if not len(value):
        return None
    lower, median, upper = np.quantile(value, [0.25, 0.5, 0.75]).tolist()
    values, counts = np.unique(value, return_counts=True)
    listed = dict(zip((f"{each:g}" for each in values), counts.tolist(), strict=True))
    return Spread(
        sd=float(value.std(ddof=1)) if len(value) > 1 else None,
        median=median,
        lower=lower,
        upper=upper,
        counts=listed if len(values) <= _MOST_VALUES else {},
        normalised=_normalised(value, asked.bounds),
        z=None if z is None else float(z.mean()),
    )


def _z(table: Scores, systems: int) -> dict[int, NDArray[np.float64]]:
    """Scores in each participant's own terms, by system; none where no participants are known."""
    if not table.has_participants or not len(table.value) or table.participant.min() < 0:
        return {}
    z = z_by_participant(table.value, table.participant).value
    return {code: z[table.system == code] for code in range(systems)}


def _normalised(value: NDArray[np.float64], bounds: tuple[float, float] | None) -> float | None:
    """The mean between the declared ends of the scale; None where these are not known or kept."""
    if bounds is None or value.min() < bounds[0] or value.max() > bounds[1]:
        return None
    return float(normalised(value, bounds).mean())


def _difference(agenda: Agenda, asked: Asked, table: Scores, pair: tuple[int, int]) -> Finding:
    first, second = (agenda.outline.systems[code] for code in pair)
    compare = mean_difference if agenda.items_dealt_at_random else adjusted_difference
    difference = compare(
        table.value,
        table.system,
        pair,
        item=table.item,
        participant=table.participant,
        level=agenda.level,
    )
    finding = Finding(
        id=f"{asked.id}.cluster-robust.{first}.{second}",
        question=asked.id,
        measure="mean-difference",
        by="cluster-robust",
        systems=(first, second),
        value=difference.value,
        n=difference.n or _rows_of(table, pair),
        n_of=n_of(asked),
        method=f"{_compared(difference)}{dealt_in_words(agenda, table)}; "
        f"{_interval(table, difference)}; p against 0",
        p=difference.p,
        is_planned=agenda.is_planned(asked, "cluster-robust"),
    )
    found = directed(
        estimated(finding, difference, has_participants=table.has_participants),
        agenda.alternative(asked, "cluster-robust"),
    )
    return speaking_for(found, population_of_clusters(has_participants=table.has_participants))


def _rows_of(table: Scores, pair: tuple[int, int]) -> int:
    return int(((table.system == pair[0]) | (table.system == pair[1])).sum())


def _compared(difference: Estimate) -> str:
    """How two systems were compared, in words."""
    if not isinstance(difference, AdjustedDifference):
        return "mean of the first minus mean of the second"
    within = "items and participants" if difference.is_within_participants else "items"
    return f"first minus second, compared within {within}"


def _interval(table: Scores, estimate: Estimate) -> str:
    return interval_method(estimate, has_participants=table.has_participants)


def n_of(asked: Asked) -> Literal["judgments", "outputs", "comparisons"]:
    """What is counted: segments are averaged per output first; a ranking implies comparisons."""
    if asked.is_implied:
        return "comparisons"
    return "outputs" if asked.in_segments else "judgments"
