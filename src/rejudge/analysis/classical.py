"""The tests that most papers report: analysis of variance, t, and ranks.

They take their units as independent. So that old analyses can be repeated, the unit can be a
single judgment, an item, a participant or a batch; single judgments are not independent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Literal, TypeAlias

from rejudge.analysis.analysis_plan import (
    Agenda,
    FurtherTest,
    in_direction,
    joined,
    name_of,
    pairs_of,
    speaking_for,
    undefined,
)
from rejudge.analysis.cells import Cells, averaged, cells, cells_within
from rejudge.analysis.columns import NOBODY, has_participants
from rejudge.analysis.outline import Asked
from rejudge.analysis.population import population_of_unit
from rejudge.analysis.results import Effect, Finding, Measure, Statistic
from rejudge.analysis.scoring import n_of
from rejudge.judgments import Judgments
from rejudge.stats import (
    NONE_SHARED,
    Contrast,
    hedges_g,
    hedges_gz,
    mann_whitney,
    mann_whitney_r,
    one_way_anova,
    paired_t_test,
    t_test,
    tukey_hsd,
    wilcoxon,
)
from rejudge.stats import Effect as Size
from rejudge.study import PlannedTest, Unit

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Counted: TypeAlias = Literal[
    "judgments", "outputs", "items", "participants", "batches", "pairs", "comparisons"
]
Method: TypeAlias = Callable[..., Contrast]

_USUAL_UNIT: dict[str, Unit] = {"paired-t": "item", "wilcoxon": "item"}
_PAIRED = ("paired-t", "wilcoxon")
_METHODS: dict[str, tuple[Method, Measure, str]] = {
    "t-test": (t_test, "mean-difference", "t"),
    "welch": (partial(t_test, equal_variances=False), "mean-difference", "t"),
    "paired-t": (paired_t_test, "mean-difference", "t"),
    "wilcoxon": (wilcoxon, "median-difference", "W"),
    "mann-whitney": (mann_whitney, "median-difference", "U"),
}
_PLURALS: dict[Unit, Counted] = {
    "item": "items",
    "participant": "participants",
    "batch": "batches",
}
_POOLED = (
    "Single judgments were taken as independent, which those of one item or one person are not: "
    "read it beside a test that knows of them."
)
_NOBODY_BOTH = (
    "Undefined: nobody judged both systems on the same item, so a difference between them cannot "
    "be told from one between people, or between items."
)
_ZERO_SUM = "A win of one system is a loss of another, so these scores are not independent."


def unit_of(planned: PlannedTest) -> Unit:
    """What counts once in a test: as planned, else the usual."""
    return planned.unit or _USUAL_UNIT.get(planned.test, "judgment")


def contrasts(
    agenda: Agenda, asked: Asked, judgments: Judgments, planned: PlannedTest
) -> Iterator[Finding]:
    """A test of each pair of systems."""
    if unit_of(planned) == "participant" and not has_participants(judgments):
        yield undefined(agenda, asked, planned.test, NOBODY)
        return
    method, measure, letter = _METHODS[planned.test]
    table = _table(agenda, asked, judgments, planned)
    systems = agenda.outline.systems
    for pair in pairs_of(systems):
        if planned.test in _PAIRED:
            sides = table.paired(*pair)
        else:
            sides = table.of(pair[0]), table.of(pair[1])
        if not (len(table.of(pair[0])) and len(table.of(pair[1]))):
            continue
        found = method(*sides, alternative=planned.alternative, level=agenda.level)
        first, second = (systems[code] for code in pair)
        finding = Finding(
            id=f"{name_of(asked, planned)}.{first}.{second}",
            question=asked.id,
            measure=measure,
            by=planned.test,
            systems=(first, second),
            value=found.value,
            n=len(sides[0]) if planned.test in _PAIRED else sum(found.n),
            n_of=_counted(asked, planned),
            method=f"{found.method}; {_units(asked, planned, table, pair)}",
            interval=found.interval,
            standard_error=found.standard_error,
            df=found.df if found.standard_error is not None else None,
            p=found.p,
            is_planned=agenda.is_planned(asked, planned.test),
            statistic=_statistic(letter, found),
            effect=_effect(found.effect),
            further_effects=_further(planned.test, sides, agenda.level),
            note=joined(_unpaired(table, pair) or found.note, _caution(asked, planned)),
        )
        yield speaking_for(
            in_direction(finding, planned.alternative), population_of_unit(unit_of(planned))
        )


def variances(
    agenda: Agenda, asked: Asked, judgments: Judgments, planned: PlannedTest
) -> Iterator[Finding]:
    """One-way analysis of variance of all systems, and Tukey's test of their pairs."""
    if unit_of(planned) == "participant" and not has_participants(judgments):
        yield undefined(agenda, asked, planned.test, NOBODY)
        return
    table = _table(agenda, asked, judgments, planned)
    found = one_way_anova(table.value, table.system, level=agenda.level)
    note = joined(found.note, _caution(asked, planned))
    units = _units(asked, planned)
    population = population_of_unit(unit_of(planned))
    whole = Finding(
        id=name_of(asked, planned),
        question=asked.id,
        measure="test",
        by=planned.test,
        systems=(),
        value=found.statistic,
        n=found.n,
        n_of=_counted(asked, planned),
        method=f"{found.method} of {found.groups} systems, F; {units}",
        p=found.p,
        is_planned=agenda.is_planned(asked, planned.test),
        statistic=None
        if found.statistic is None or found.df is None
        else Statistic("F", found.statistic, found.df),
        effect=_effect(found.eta_squared),
        further_effects=_known(found.omega_squared),
        note=note,
    )
    yield speaking_for(whole, population)
    systems = agenda.outline.systems
    for pair in tukey_hsd([table.of(code) for code in range(len(systems))], level=agenda.level):
        if min(pair.n):
            first, second = systems[pair.first], systems[pair.second]
            apart = Finding(
                id=f"{name_of(asked, planned)}.{first}.{second}",
                question=asked.id,
                measure="mean-difference",
                by=planned.test,
                systems=(first, second),
                value=pair.value,
                n=sum(pair.n),
                n_of=_counted(asked, planned),
                method=f"Tukey's honest difference, already corrected for all pairs; {units}",
                interval=pair.interval,
                standard_error=pair.standard_error,
                df=pair.df,
                p=pair.p,
                is_planned=agenda.is_planned(asked, planned.test),
                is_simultaneous=True,
                statistic=None
                if pair.statistic is None or pair.df is None
                else Statistic("q", pair.statistic, (float(pair.df),)),
                note=joined(pair.note, _caution(asked, planned)),
            )
            yield speaking_for(apart, population)


def _table(agenda: Agenda, asked: Asked, judgments: Judgments, planned: PlannedTest) -> Cells:
    unit = unit_of(planned)
    if _is_usual(agenda, asked, planned):
        return cells_within(agenda.outline, judgments, unit)
    table = cells(agenda.outline, asked, judgments, unit)
    return table if unit == "judgment" else averaged(table)


def _is_usual(agenda: Agenda, asked: Asked, planned: PlannedTest) -> bool:
    """Whether nobody asked for this test: it decides since participants or items are few."""
    asked_for = FurtherTest(planned.test, planned.unit, planned.alternative) in agenda.further.tests
    return not (asked.is_comparison or asked_for or agenda.is_planned(asked, planned.test))


def _comparable(table: Cells, pair: tuple[int, int]) -> str:
    """Why differences between participants (or items) do not enter a difference of systems."""
    if table.has_parts_with_both(*pair):
        return (
            "by the participants who judged both systems on it"
            if table.is_by_item
            else "over the items that they judged for both systems"
        )
    others = "participant" if table.is_by_item else "item"
    return f"each {others} counting as often for both systems"


def _unpaired(table: Cells, pair: tuple[int, int]) -> str:
    """Why two systems that were both judged have no pair of scores to compare."""
    if table.within is None or len(table.paired(*pair)[0]):
        return ""
    item = table.unit if table.is_by_item else table.within
    first, second = (set(item[table.system == code].tolist()) for code in pair)
    return _NOBODY_BOTH if first & second else NONE_SHARED


def _units(
    asked: Asked,
    planned: PlannedTest,
    table: Cells | None = None,
    pair: tuple[int, int] | None = None,
) -> str:
    """What the test compares; of a usual test, for whom the scores of the pair are comparable."""
    if table is not None and table.within is not None and pair is not None:
        whose = "item" if unit_of(planned) == "item" else "participant"
        return f"mean scores of each {whose}, {_comparable(table, pair)}"
    what = "scores of 1 (won), 0 (level) and −1 (lost)" if asked.is_comparison else "scores"
    return {
        "judgment": f"{what}, each judgment counts",
        "item": f"mean {what} of each item",
        "participant": f"mean {what} of each participant",
        "batch": f"mean {what} of each batch",
    }[unit_of(planned)]


def _counted(asked: Asked, planned: PlannedTest) -> Counted:
    if planned.test in _PAIRED:
        return "pairs"
    unit = unit_of(planned)
    return n_of(asked) if unit == "judgment" else _PLURALS[unit]


def _caution(asked: Asked, planned: PlannedTest) -> str:
    if unit_of(planned) == "judgment":
        return _POOLED
    is_between = planned.test not in _PAIRED
    return _ZERO_SUM if asked.is_comparison and is_between else ""


def _statistic(letter: str, found: Contrast) -> Statistic | None:
    if found.statistic is None:
        return None
    return Statistic(letter, found.statistic, () if found.df is None else (float(found.df),))


def _effect(size: Size | None) -> Effect | None:
    if size is None or size.value is None:
        return None
    return Effect(size.measure, size.value, size.interval)


def _further(
    test: str, sides: tuple[NDArray[np.float64], NDArray[np.float64]], level: float
) -> tuple[Effect, ...]:
    """The same difference in other units: d without its bias, r of a rank sum."""
    if test in {"t-test", "welch"}:
        return _known(hedges_g(*sides, level=level))
    if test == "paired-t":
        return _known(hedges_gz(*sides, level=level))
    return _known(mann_whitney_r(*sides)) if test == "mann-whitney" else ()


def _known(size: Size) -> tuple[Effect, ...]:
    effect = _effect(size)
    return () if effect is None else (effect,)
