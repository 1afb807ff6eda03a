"""Scores in the units of a test: single judgments, or means by item, participant or batch."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from rejudge import stats
from rejudge.analysis.analysis_plan import AnalysisPlan, FurtherTest
from rejudge.analysis.columns import combine_codes
from rejudge.analysis.data import QuestionData
from rejudge.analysis.estimates import n_of
from rejudge.analysis.findings import (
    population_of_unit,
    undefined_test,
)
from rejudge.analysis.outline import AnalysedQuestion
from rejudge.findings.model import EffectSize, Finding, Measure, Statistic
from rejudge.findings.planned_keys import method_of
from rejudge.findings.words import Fact, How
from rejudge.stats.reasons import Reason, Why
from rejudge.study.analysis_plan import PlannedTest, Unit

if TYPE_CHECKING:
    from numpy.typing import NDArray

_UNEVEN = 0.05  # of the weight of all scores: what parts differ by has hardly any effect below it
Counted: TypeAlias = Literal[
    "judgments", "scores", "items", "participants", "batches", "pairs", "comparisons"
]
Method: TypeAlias = Callable[..., stats.Contrast]
_USUAL_UNIT: dict[str, Unit] = {"paired-t": "item", "wilcoxon": "item"}
_PAIRED = ("paired-t", "wilcoxon")
_METHODS: dict[str, tuple[Method, Measure, str]] = {
    "t-test": (stats.t_test, "mean-difference", "t"),
    "welch": (partial(stats.t_test, equal_variances=False), "mean-difference", "t"),
    "paired-t": (stats.paired_t_test, "mean-difference", "t"),
    "wilcoxon": (stats.wilcoxon, "median-difference", "W"),
    "mann-whitney": (stats.mann_whitney, "median-difference", "U"),
}
_PLURALS: dict[Unit, Counted] = {
    "item": "items",
    "participant": "participants",
    "batch": "batches",
}


@dataclass(frozen=True, eq=False, slots=True)
class Cells:
    """Scores of systems in the units of a test. Those of one unit belong together."""

    value: NDArray[np.float64]
    system: NDArray[np.integer]
    unit: NDArray[np.integer]
    within: NDArray[np.integer] | None = None  # pairs are made within these parts of a unit, too
    is_by_item: bool = False  # with `within`: units are items and their parts participants

    def of(self, system: int) -> NDArray[np.float64]:
        """All scores of a system."""
        rows = self.system == system
        found: NDArray[np.float64] = self.value[rows]
        return found

    def pair_scores(
        self, first: int, second: int
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The mean scores of two systems in the units where both have one.

        With `within`, only parts of a unit that have a score of both systems count, each once.
        Where no part has both (a Latin square, in which everybody judges another system of an
        item), all scores count, provided that each part has its share in both systems: what parts
        differ by then cancels out over the units.
        """
        if self.within is not None:
            if not self.has_parts_with_both(first, second) and self.is_balanced(first, second):
                return replace(self, within=None).pair_scores(first, second)
            return self._parts(self.within, first, second).pair_scores(first, second)
        sides = []
        for system in (first, second):
            rows = self.system == system
            unit, place = np.unique(self.unit[rows], return_inverse=True)
            means = np.bincount(place, weights=self.value[rows]) / np.bincount(place)
            sides.append((unit, means))
        (unit_1, mean_1), (unit_2, mean_2) = sides
        _, at_1, at_2 = np.intersect1d(unit_1, unit_2, return_indices=True)
        return mean_1[at_1], mean_2[at_2]

    def has_parts_with_both(self, first: int, second: int) -> bool:
        """Whether any part of a unit has scores of both systems."""
        return self.within is not None and len(self._parts(self.within, first, second).value) > 0

    def is_balanced(self, first: int, second: int) -> bool:
        """Whether parts weigh as much in the first system's mean scores as in the second's, over
        the units that have both."""
        if self.within is None:
            return False
        with_first, with_second = (np.unique(self.unit[self.system == k]) for k in (first, second))
        rows = np.isin(self.unit, np.intersect1d(with_first, with_second))
        rows &= np.isin(self.system, (first, second))
        if not rows.any():
            return False
        part = combine_codes(self.within[rows])
        cell = combine_codes(self.unit[rows], self.system[rows])
        weight = 1 / np.bincount(cell)[cell]
        gap = np.bincount(part, np.where(self.system[rows] == first, weight, -weight))
        return bool(np.abs(gap).sum() <= _UNEVEN * weight.sum())

    def _parts(self, within: NDArray[np.integer], first: int, second: int) -> Cells:
        """One mean of each of two systems for each part of a unit that has both."""
        rows = np.isin(self.system, (first, second))
        value, (part, unit, system) = stats.average_within(
            self.value[rows],
            combine_codes(self.unit, within)[rows],
            self.unit[rows],
            self.system[rows],
        )
        has_both = np.bincount(part, minlength=1)[part] == len((first, second))
        return Cells(value[has_both], system[has_both], unit[has_both])

    def matrix(self, systems: int) -> NDArray[np.float64]:
        """Units by systems, in those units where every one of these systems has a score."""
        units, place = np.unique(self.unit, return_inverse=True)
        at = place * systems + self.system
        counts = np.bincount(at, minlength=len(units) * systems).reshape(len(units), systems)
        sums = np.bincount(at, weights=self.value, minlength=len(units) * systems)
        whole = (counts > 0).all(axis=1)
        means = sums.reshape(len(units), systems)[whole] / counts[whole]
        return np.asarray(means, dtype=np.float64)


def cells(data: QuestionData, unit: Unit) -> Cells:
    """The scores that a test compares: single judgments, or means by item, participant or batch.

    In a comparison the winner has 1, the loser −1, and both have 0 in a tie.
    """
    if data.question.is_comparison:
        rows, judgments = data.unweighted_comparisons, data.rows
        value = np.concatenate([2 * rows.preference - 1, 1 - 2 * rows.preference])
        system = np.concatenate([rows.first, rows.second])
        places = {
            "judgment": np.arange(len(rows.preference)),
            "item": rows.item,
            "participant": judgments.participant.codes,
            "batch": judgments.batch.codes,
        }
        where = np.tile(places[unit], 2)
    else:
        table = data.scores_by_person
        value, system = table.value, table.system
        if unit == "batch":
            value, system, where = _by_batch(data)
        elif unit == "judgment":
            where = combine_codes(table.item, table.participant)
        else:
            where = table.item if unit == "item" else table.participant
    known = where >= 0
    return Cells(value[known], system[known], where[known])


def cells_within(data: QuestionData, unit: Unit) -> Cells:
    """Scores by item that are compared within participants, or by participant within items.

    Where not everybody judged both systems on every item, a mean score of an item is also one of
    the people who gave it.
    """
    table = data.scores_by_person
    if unit == "item":
        return Cells(table.value, table.system, table.item, table.participant, is_by_item=True)
    return Cells(table.value, table.system, table.participant, table.item)


def average(table: Cells) -> Cells:
    """One mean per unit and system."""
    value, (unit, system) = stats.average_within(table.value, table.unit, table.system)
    return Cells(value, system, unit)


def _by_batch(
    data: QuestionData,
) -> tuple[NDArray[np.float64], NDArray[np.integer], NDArray[np.integer]]:
    """Means by batch of the scores of outputs, however many segments an output has."""
    judgments, systems = data.rows, data.systems
    value: NDArray[np.float64] = judgments.value
    batch: NDArray[np.integer] = judgments.batch.codes
    system: NDArray[np.integer] = judgments.system.recode(systems)
    if (judgments.segment >= 0).any():
        output = judgments.item.codes, judgments.participant.codes
        value, (batch, system, _, _) = stats.average_within(value, batch, system, *output)
    value, (batch, system) = stats.average_within(value, batch, system)
    return value, system, batch


def unit_of(planned: PlannedTest) -> Unit:
    """The unit of a test: as planned, otherwise the default."""
    return planned.unit or _USUAL_UNIT.get(planned.test, "judgment")


def pair_tests(
    analysis: AnalysisPlan, data: QuestionData, planned: PlannedTest
) -> Iterator[Finding]:
    """A test of each pair of systems."""
    if unit_of(planned) == "participant" and not data.has_participants:
        yield undefined_test(analysis, data, planned.test, Why.UNKNOWN_PEOPLE())
        return
    method, measure, letter = _METHODS[planned.test]
    table = _table(analysis, data, planned)
    for pair in data.pairs(planned):
        if planned.test in _PAIRED:
            sides = table.pair_scores(*pair)
        else:
            sides = table.of(pair[0]), table.of(pair[1])
        if not (len(table.of(pair[0])) and len(table.of(pair[1]))):
            continue
        found = method(*sides, alternative=planned.alternative, level=analysis.level)
        yield Finding(
            key=data.key(measure, method_of(planned), data.names(pair)),
            by=planned.test,
            value=found.value,
            n=found.n,
            n_of=_n_of(data.question, planned),
            how=(How.TEST(test=found.method), _units(data.question, planned, table, pair)),
            interval=found.interval,
            standard_error=found.standard_error,
            df=found.df if found.standard_error is not None else None,
            p=found.p,
            is_planned=analysis.is_planned(data.question, planned.test),
            statistic=_statistic(letter, found),
            effect=_effect(found.test.effects[0] if found.test and found.test.effects else None),
            further_effects=_further(planned.test, sides, analysis.level),
            alternative=planned.alternative,
            population=population_of_unit(unit_of(planned)),
            reasons=(
                *(_why_unpaired(table, pair) or found.reasons),
                *_caution(data.question, planned),
            ),
        )


def variance_tests(
    analysis: AnalysisPlan, data: QuestionData, planned: PlannedTest
) -> Iterator[Finding]:
    """One-way analysis of variance of all systems, and Tukey's test of their pairs."""
    if unit_of(planned) == "participant" and not data.has_participants:
        yield undefined_test(analysis, data, planned.test, Why.UNKNOWN_PEOPLE())
        return
    table = _table(analysis, data, planned)
    found = stats.one_way_anova(table.value, table.system, level=analysis.level)
    reasons = (*found.reasons, *_caution(data.question, planned))
    units = _units(data.question, planned)
    population = population_of_unit(unit_of(planned))
    yield Finding(
        key=data.key("test", method_of(planned)),
        by=planned.test,
        value=found.statistic,
        n=found.n or 0,
        n_of=_n_of(data.question, planned),
        how=(How.TEST_OF_ALL(test=found.method, n=found.groups or 0), units),
        p=found.p,
        is_planned=analysis.is_planned(data.question, planned.test),
        statistic=None
        if found.statistic is None or found.df is None
        else Statistic("F", found.statistic, tuple(map(float, found.df))),
        effect=_effect(found.effects[0]),
        further_effects=_effects(found.effects[1]),
        population=population,
        reasons=reasons,
    )
    systems = analysis.outline.systems
    for pair in stats.tukey_hsd(
        [table.of(code) for code in range(len(systems))], level=analysis.level
    ):
        if min(len(table.of(pair.first)), len(table.of(pair.second))):
            first, second = systems[pair.first], systems[pair.second]
            yield Finding(
                key=data.key("mean-difference", method_of(planned), (first, second)),
                by=planned.test,
                value=pair.value,
                n=pair.n,
                n_of=_n_of(data.question, planned),
                how=(How.TUKEY(), units),
                interval=pair.interval,
                standard_error=pair.standard_error,
                df=pair.df,
                p=pair.p,
                is_planned=analysis.is_planned(data.question, planned.test),
                is_simultaneous=True,
                statistic=None
                if pair.statistic is None or pair.df is None
                else Statistic("q", pair.statistic, (float(pair.df),)),
                population=population,
                reasons=(*pair.reasons, *_caution(data.question, planned)),
            )


def _table(analysis: AnalysisPlan, data: QuestionData, planned: PlannedTest) -> Cells:
    unit = unit_of(planned)
    if _is_usual(analysis, data.question, planned):
        return cells_within(data, unit)
    table = cells(data, unit)
    return table if unit == "judgment" else average(table)


def _is_usual(analysis: AnalysisPlan, asked: AnalysedQuestion, planned: PlannedTest) -> bool:
    """Whether this test was not requested, but decides because participants or items are few."""
    wanted = FurtherTest(planned.test, planned.unit, planned.alternative)
    is_asked = wanted in analysis.further.tests or analysis.is_planned(asked, planned.test)
    return not (asked.is_comparison or is_asked)


def _comparability(table: Cells, pair: tuple[int, int]) -> str:
    """Why differences between participants (or items) do not affect the difference of systems."""
    if table.has_parts_with_both(*pair):
        return (
            "by the participants who judged both systems on it"
            if table.is_by_item
            else "over the items that they judged for both systems"
        )
    others = "participant" if table.is_by_item else "item"
    return f"each {others} counting as often for both systems"


def _why_unpaired(table: Cells, pair: tuple[int, int]) -> tuple[Reason, ...]:
    """Why two systems that were both judged have no pair of scores to compare."""
    if table.within is None or len(table.pair_scores(*pair)[0]):
        return ()
    item = table.unit if table.is_by_item else table.within
    first, second = (set(item[table.system == code].tolist()) for code in pair)
    return (Why.NO_SHARED_JUDGE() if first & second else stats.NONE_SHARED,)


def _units(
    asked: AnalysedQuestion,
    planned: PlannedTest,
    table: Cells | None = None,
    pair: tuple[int, int] | None = None,
) -> Fact:
    """What the test compares; of a usual test, for whom the scores of the pair are comparable."""
    if table is not None and table.within is not None and pair is not None:
        whose = "item" if unit_of(planned) == "item" else "participant"
        return How.UNITS(what=f"mean scores of each {whose}, {_comparability(table, pair)}")
    what = "scores of 1 (won), 0 (tied) and −1 (lost)" if asked.is_comparison else "scores"
    texts_by_unit = {
        "judgment": f"{what}, each judgment counts",
        "item": f"mean {what} of each item",
        "participant": f"mean {what} of each participant",
        "batch": f"mean {what} of each batch",
    }
    return How.UNITS(what=texts_by_unit[unit_of(planned)])


def _n_of(asked: AnalysedQuestion, planned: PlannedTest) -> Counted:
    if planned.test in _PAIRED:
        return "pairs"
    unit = unit_of(planned)
    return n_of(asked) if unit == "judgment" else _PLURALS[unit]


def _caution(asked: AnalysedQuestion, planned: PlannedTest) -> tuple[Reason, ...]:
    if unit_of(planned) == "judgment":
        return (Why.POOLED(),)
    is_between = planned.test not in _PAIRED
    return (Why.ZERO_SUM(),) if asked.is_comparison and is_between else ()


def _statistic(letter: str, found: stats.Contrast) -> Statistic | None:
    if found.statistic is None:
        return None
    return Statistic(letter, found.statistic, () if found.df is None else (float(found.df),))


def _effect(size: stats.Effect | None) -> EffectSize | None:
    if size is None or size.value is None:
        return None
    return EffectSize(size.measure, size.value, size.interval)


def _further(
    test: str, sides: tuple[NDArray[np.float64], NDArray[np.float64]], level: float
) -> tuple[EffectSize, ...]:
    """The same difference in other units: d without its bias, r of a rank sum."""
    if test in {"t-test", "welch"}:
        return _effects(stats.hedges_g(*sides, level=level))
    if test == "paired-t":
        return _effects(stats.hedges_gz(*sides, level=level))
    return _effects(stats.mann_whitney_r(*sides)) if test == "mann-whitney" else ()


def _effects(size: stats.Effect) -> tuple[EffectSize, ...]:
    effect = _effect(size)
    return () if effect is None else (effect,)
