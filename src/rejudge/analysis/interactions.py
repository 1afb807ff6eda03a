"""Whether the difference of two systems is the same in all groups of a column."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rejudge import stats
from rejudge.analysis.analysis_plan import AnalysisPlan, over_size
from rejudge.analysis.columns import combine_codes, levels
from rejudge.analysis.data import QuestionData
from rejudge.analysis.decide import unit_of_few
from rejudge.analysis.findings import (
    population_of_clusters,
    population_of_unit,
    texts,
)
from rejudge.analysis.outline import Grouping
from rejudge.findings.model import EffectSize, Finding, Group, Statistic
from rejudge.findings.words import Fact, How
from rejudge.stats.reasons import Reason, Why
from rejudge.study.analysis_plan import Unit

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LARGEST_MODEL = 200_000  # judgments of two systems; beyond this a fit may take minutes


@dataclass(frozen=True, eq=False, slots=True)
class _PairRows:
    """The judgments of two systems with their groups; of choices, the preference for the first."""

    value: NDArray[np.float64]
    is_first: NDArray[np.bool_] | None  # None: choices
    group: NDArray[np.integer]
    item: NDArray[np.integer]
    participant: NDArray[np.integer] | None  # None: not known
    side: NDArray[np.float64] | None = None

    @property
    def unit(self) -> Unit | None:
        """What a test must count once where participants or items are few."""
        people = None if self.participant is None else levels(self.participant)
        return None if people is None else unit_of_few(levels(self.item), people)


def interactions(
    analysis: AnalysisPlan,
    parts: Sequence[QuestionData],
    grouping: Grouping,
    pairs: Sequence[tuple[str, ...]],
) -> Iterator[Finding]:
    """One test for each pair of systems; `parts` are the judgments of each group."""
    for pair in pairs:
        first, second = (analysis.outline.systems.index(system) for system in pair)
        yield _finding(analysis, parts[0], grouping, pair, _of_pair(parts, (first, second)))


def _of_pair(parts: Sequence[QuestionData], pair: tuple[int, int]) -> _PairRows:
    read = _choices if parts[0].question.is_comparison else _scores
    found = [read(part, pair, code) for code, part in enumerate(parts) if len(part.rows)]

    def together(name: str) -> Any:  # an array, or None where a group does not know it
        listed = [getattr(each, name) for each in found]
        return np.concatenate(listed) if all(each is not None for each in listed) else None

    return _PairRows(**{each.name: together(each.name) for each in fields(_PairRows)})


def _scores(part: QuestionData, pair: tuple[int, int], code: int) -> _PairRows:
    table = part.scores
    rows = np.isin(table.system, pair)
    people = table.participant[rows] if table.has_participants else None
    return _PairRows(
        table.value[rows],
        table.system[rows] == pair[0],
        np.full(int(rows.sum()), code),
        table.item[rows],
        people,
    )


def _choices(part: QuestionData, pair: tuple[int, int], code: int) -> _PairRows:
    table, side = part.unweighted_comparisons, part.sides
    turned = (table.first == pair[1]) & (table.second == pair[0])
    rows = turned | ((table.first == pair[0]) & (table.second == pair[1]))
    shown = None if side is None else np.where(turned, -side, side)[rows].astype(np.float64)
    return _PairRows(
        np.where(turned, 1 - table.preference, table.preference)[rows],
        None,
        np.full(int(rows.sum()), code),
        table.item[rows],
        table.participant[rows] if part.knows_clusters else None,
        shown,
    )


def _finding(
    analysis: AnalysisPlan,
    data: QuestionData,
    grouping: Grouping,
    pair: tuple[str, ...],
    rows: _PairRows,
) -> Finding:
    asked = data.question
    unit = rows.unit
    found = _interaction(analysis, rows, unit)
    reason = (
        None if unit else over_size(len(rows.value), _LARGEST_MODEL, "judgments of two systems")
    )
    reasons = () if reason is None else (reason,)
    is_known = rows.participant is not None
    population = (
        population_of_unit(unit) if unit else population_of_clusters(has_participants=is_known)
    )
    test = found.test or stats.Test(None)
    return Finding(
        key=replace(data.key("interaction", "interaction", pair), group=(Group(grouping.column),)),
        by="interaction",
        value=found.statistic,
        n=len(rows.value),
        n_of="comparisons" if asked.is_implied else "judgments",
        how=_method(found, unit, is_choice=asked.is_comparison),
        p=found.p,
        is_planned=analysis.is_planned(asked) and grouping.is_planned,
        items=levels(rows.item),
        participants=levels(rows.participant) if rows.participant is not None else None,
        statistic=None
        if found.statistic is None
        else Statistic(test.name, found.statistic, tuple(map(float, test.df))),
        effect=None
        if found.value is None
        else EffectSize("difference of differences", found.value, found.interval),
        population=population,
        reasons=(*reasons, *_reasons(found, unit)),
    )


def _interaction(analysis: AnalysisPlan, rows: _PairRows, unit: Unit | None) -> stats.Contrast:
    level = analysis.level
    if unit:
        codes = rows.item if unit == "item" or rows.participant is None else rows.participant
        if rows.is_first is not None:
            both = _has_both(rows, rows.is_first)
            group, codes = rows.group[both], codes[both]
            return stats.unit_interaction(
                rows.value[both], rows.is_first[both], group, codes, level=level
            )
        n = len(rows.value)  # a choice as a share of the first minus nothing, in percentage points
        return stats.unit_interaction(
            np.concatenate([100 * rows.value, np.zeros(n)]),
            np.repeat([True, False], n),
            np.tile(rows.group, 2),
            np.tile(codes, 2),
            level=level,
        )
    if len(rows.value) > _LARGEST_MODEL:
        return stats.Contrast(None, len(rows.value), test=stats.Test(None, "F"))
    shared: dict[str, Any] = {"item": rows.item, "participant": rows.participant, "level": level}
    if rows.is_first is None:
        return stats.choice_interaction(rows.value, rows.group, side=rows.side, **shared)
    if analysis.items_dealt_at_random:
        shared["shares_of"] = ()
    return stats.score_interaction(rows.value, rows.is_first, rows.group, **shared)


def _has_both(rows: _PairRows, is_first: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Judgments of an item by somebody who judged both systems on it."""
    keys = (
        (rows.group, rows.item)
        if rows.participant is None
        else (rows.group, rows.item, rows.participant)
    )
    cell = combine_codes(*keys)
    counts = [np.bincount(cell, side, minlength=1) for side in (is_first, ~is_first)]
    found: NDArray[np.bool_] = np.minimum(*counts)[cell] > 0
    return found


def _method(found: stats.Contrast, unit: Unit | None, *, is_choice: bool) -> tuple[Fact, ...]:
    what = "share preferring the first" if is_choice else "difference of the two systems"
    if unit:
        return (How.SAME_IN_GROUPS(what=what, test=f"{found.method} on one mean per {unit}"),)
    fixed = "group" if is_choice else "system, group and system × group"
    crossed = "with the group" if is_choice else "with the system and with the group"
    test = (
        f"linear mixed model, REML: {fixed} fixed, participants and items random, crossed "
        f"{crossed} if the data allow it; F with Satterthwaite's degrees of freedom"
    )
    return (How.SAME_IN_GROUPS(what=what, test=test),)


def _reasons(found: stats.Contrast, unit: Unit | None) -> Iterator[Reason]:
    for reason in found.reasons:
        if reason.why is stats.Why.LEFT_OUT:
            yield Why.SOME_GROUPS_ONLY(n=reason.get("n") or 0, unit=unit or "item")
        else:
            yield from texts(str(reason))
    if found.test:
        yield from texts(found.test.note)
