"""Tests of all systems at once that compare within items, as scores from comparisons need."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rejudge.analysis.analysis_plan import Agenda, joined, name_of, speaking_for
from rejudge.analysis.cells import cells
from rejudge.analysis.outline import Asked
from rejudge.analysis.population import population_of_unit
from rejudge.analysis.results import Effect, Finding, Statistic
from rejudge.judgments import Judgments
from rejudge.stats import (
    RepeatedMeasures,
    friedman,
    hotelling,
    partial_eta_squared,
    repeated_measures,
)
from rejudge.study import PlannedTest, Unit

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def by_block(
    agenda: Agenda, asked: Asked, judgments: Judgments, planned: PlannedTest
) -> Iterator[Finding]:
    """Friedman's test, repeated measures or Hotelling's, on one score per item and system."""
    import numpy as np

    unit: Unit = "batch" if planned.unit == "batch" else "item"
    table = cells(agenda.outline, asked, judgments, unit)
    used, place = np.unique(table.system, return_inverse=True)
    blocks = len(np.unique(table.unit))
    scores = type(table)(table.value, place, table.unit).matrix(len(used))
    p, statistic, effect, note = _computed(planned.test, scores)
    lost = blocks - len(scores)
    left_out = f"{lost} of {blocks} {_plural(unit)} lack a system; left out." if lost else ""
    finding = Finding(
        id=name_of(asked, planned),
        question=asked.id,
        measure="test",
        by=planned.test,
        systems=(),
        value=statistic.value if statistic else None,
        n=len(scores),
        n_of="batches" if unit == "batch" else "items",
        method=f"{_NAMES[planned.test]} of {len(used)} systems, on one mean score per {unit} and "
        "system",
        p=p,
        is_planned=agenda.is_planned(asked, planned.test),
        statistic=statistic,
        effect=effect,
        note=joined(note, left_out),
    )
    yield speaking_for(finding, population_of_unit(unit))


_NAMES = {
    "friedman": "Friedman's test",
    "repeated-measures": "repeated measures, corrected after Greenhouse & Geisser",
    "hotelling": "Hotelling's test",
}


def _computed(
    test: str, scores: NDArray[np.float64]
) -> tuple[float | None, Statistic | None, Effect | None, str]:
    """p, the statistic, an effect where the test has one, and its note."""
    if test == "friedman":
        ranked = friedman(scores)
        statistic = _of("chi²", ranked.chi_squared, ranked.df)
        agreed = None if ranked.concordance is None else Effect("W", ranked.concordance)
        return ranked.p, statistic, agreed, ranked.note
    if test == "repeated-measures":
        repeated = repeated_measures(scores)
        epsilon = repeated.epsilon or 1.0
        statistic = _of("F", repeated.f, epsilon * repeated.df, epsilon * repeated.df_error)
        return repeated.p_corrected, statistic, _partial(repeated), repeated.note
    joint = hotelling(scores)
    return joint.p, _of("F", joint.f, joint.df, joint.df_error), None, joint.note


def _partial(found: RepeatedMeasures) -> Effect | None:
    """Partial eta²; its interval is known for independent groups only."""
    if found.f is None:
        return None
    size = partial_eta_squared(found.f, (found.df, found.df_error))
    return None if size.value is None else Effect(size.measure, size.value)


def _of(name: str, value: float | None, *df: float) -> Statistic | None:
    return None if value is None else Statistic(name, value, tuple(float(each) for each in df))


def _plural(unit: str) -> str:
    return "batches" if unit == "batch" else "items"
