"""Findings about how far people agree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from rejudge.analysis.analysis_plan import Agenda, over_limit, seconds_of_resampled_pairs
from rejudge.analysis.coefficients import COMPUTATIONS, nominal_alpha
from rejudge.analysis.columns import (
    NOBODY,
    UnitAnswers,
    answers_by_unit,
    combine_codes,
    has_participants,
    inputs,
    units,
)
from rejudge.analysis.findings import INTERVALS, join_notes, undefined_finding
from rejudge.analysis.outline import AnalysedQuestion
from rejudge.analysis.results import Finding, PooledAgreement
from rejudge.judgments import Judgments
from rejudge.stats import (
    Interval,
    PooledKappa,
    how_many,
    new_participants_interval,
)
from rejudge.study import USUAL_AGREEMENT, Coefficient

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MANY_PEOPLE = 50  # of so many no two units are judged alike by all
_OF_INTERVAL_ALPHA = (
    "The interval for new participants is that of Krippendorff's alpha for interval values, which "
    "estimates the same."
)
_UNKNOWN_SCALE = "The ends of the scales are not known; they are taken to be the same."


def agreement_findings(
    agenda: Agenda, asked: AnalysedQuestion, judgments: Judgments
) -> Iterator[Finding]:
    """Each planned coefficient, without a plan the usual two; then agreement on each pair."""
    yield from overall_agreement(agenda, asked, judgments)
    if asked.is_comparison and has_participants(judgments):
        yield from _by_pair(agenda, asked, judgments, answers_by_unit(judgments, agenda.coding))


def overall_agreement(
    agenda: Agenda, asked: AnalysedQuestion, judgments: Judgments
) -> Iterator[Finding]:
    """Each planned coefficient over all systems; without a plan the usual two, as exploratory."""
    item = inputs(agenda.outline, judgments)
    table = _with_items(asked, answers_by_unit(judgments, agenda.coding), item)
    for coefficient in agenda.agreement:
        reason = _why_undefined(asked, coefficient) if has_participants(judgments) else NOBODY
        if reason:
            yield undefined_finding(agenda, asked, coefficient, reason, measure="agreement")
        else:
            yield overall(agenda, asked, coefficient, table)


def _with_items(
    asked: AnalysedQuestion, table: UnitAnswers, item: NDArray[np.integer]
) -> UnitAnswers:
    """The table with the item of each judgment, where several units belong to one item.

    Outputs of one item, sentences of a text and pairs of a ranking resemble each other.
    """
    are_alike = asked.in_segments or asked.is_implied or how_many(table.unit) > how_many(item)
    return replace(table, item=item if are_alike else None)


def _why_undefined(asked: AnalysedQuestion, coefficient: Coefficient) -> str:
    return COMPUTATIONS[coefficient].not_of_choices if asked.is_comparison else ""


def overall(
    agenda: Agenda, asked: AnalysedQuestion, coefficient: Coefficient, table: UnitAnswers
) -> Finding:
    """One coefficient over all units of a table."""
    name = f"{asked.id}.{coefficient}"
    rng = agenda.rng(name)
    found, how = COMPUTATIONS[coefficient].compute(agenda, asked, table, rng)
    if isinstance(found, PooledKappa):  # its interval is for new participants
        new, note = found.interval, ""
        found = replace(found, interval=nominal_alpha(table, rng, agenda.level).interval)
    else:
        new, note = _for_new_people(agenda, asked, coefficient, table, rng=rng)
    planned = agenda.plan.agreement if agenda.plan else ()
    return Finding(
        id=name,
        question=asked.id,
        measure="agreement",
        by=coefficient,
        systems=(),
        value=found.value,
        n=found.n,
        n_of="units",
        method=how,
        interval=found.interval,
        interval_for_new_people=new if found.value is not None else None,
        is_planned=coefficient in planned,
        note=join_notes(found.note, note if found.value is not None else ""),
    )


def _by_pair(
    agenda: Agenda, asked: AnalysedQuestion, judgments: Judgments, table: UnitAnswers
) -> Iterator[Finding]:
    """Agreement on each pair of systems: some are harder to tell apart than others."""
    a = judgments.system_a.recoded(agenda.outline.systems)
    b = judgments.system_b.recoded(agenda.outline.systems)
    low, high = np.minimum(a, b), np.maximum(a, b)
    systems = agenda.outline.systems
    item = inputs(agenda.outline, judgments)
    for first, second in sorted(set(zip(low.tolist(), high.tolist(), strict=True))):
        chosen = (low == first) & (high == second)
        rows = _with_items(asked, table.of(chosen), item[chosen])
        for coefficient in USUAL_AGREEMENT:
            name = f"{asked.id}.{coefficient}.{systems[first]}.{systems[second]}"
            found, how = COMPUTATIONS[coefficient].compute(agenda, asked, rows, agenda.rng(name))
            yield Finding(
                id=name,
                question=asked.id,
                measure="agreement",
                by=coefficient,
                systems=(systems[first], systems[second]),
                value=found.value,
                n=found.n,
                n_of="units",
                method=how,
                interval=found.interval,
                is_planned=False,
                note=found.note,
            )


def _for_new_people(
    agenda: Agenda,
    asked: AnalysedQuestion,
    coefficient: Coefficient,
    table: UnitAnswers,
    *,
    rng: np.random.Generator,
) -> tuple[Interval | None, str]:
    """The interval that holds were other people asked, with what it says of itself."""
    measured, of_alpha = asked.level, ""
    if coefficient == "icc" and table.item is not None:  # interval alpha estimates the same
        coefficient, measured, of_alpha = "krippendorff-alpha", "interval", _OF_INTERVAL_ALPHA
    if not COMPUTATIONS[coefficient].has_interval_for_new_people:
        return None, ""
    seconds = seconds_of_resampled_pairs(_meetings(table)) if coefficient == "cohen-kappa" else 0
    reason = over_limit(seconds, agenda.further.time_limit, INTERVALS)
    if reason:
        return None, reason
    found = new_participants_interval(
        table.unit,
        table.participant,
        table.value,
        coefficient,  # type: ignore[arg-type]  # one of its measures, as was asked above
        rng=rng,
        measured=measured,
        item=table.item,
        level=agenda.level,
    )
    return found.interval, join_notes(of_alpha if found.interval else "", found.note)


def _meetings(table: UnitAnswers) -> float:
    """How many pairs of judgments of one unit there are at most, counting once the units that the
    same people judged alike."""
    size = np.bincount(table.unit).astype(np.float64)
    units, meetings = int(np.count_nonzero(size)), float((size * (size - 1) / 2).sum())
    kinds = float(1 + how_many(table.value)) ** min(how_many(table.participant), _MANY_PEOPLE)
    return meetings * min(1.0, kinds / max(units, 1))


def pooled_agreement(agenda: Agenda, real: Judgments) -> Iterator[PooledAgreement]:
    """Every coefficient over all criteria that share a scale, where a plan or a user asks for it.

    A unit is an output (or a segment) on one criterion. Units of one item are alike, so intervals
    go by items.
    """
    if not agenda.pools_agreement or not has_participants(real):
        return
    for asked in _on_one_scale(agenda):
        names = [each.id for each in asked]
        table = _answers_on(agenda, real, names)
        whole = replace(asked[0], id=", ".join(names))
        yield PooledAgreement(tuple(names), tuple(_findings(agenda, whole, table)))


def _on_one_scale(agenda: Agenda) -> Iterator[tuple[AnalysedQuestion, ...]]:
    derived = {each.id for each in agenda.outline.derived}
    found: dict[object, list[AnalysedQuestion]] = {}
    for asked in agenda.outline.questions:
        if not asked.is_comparison and asked.id not in derived:
            scale = asked.level, asked.bounds, asked.points
            found.setdefault(scale, []).append(asked)
    yield from (tuple(same) for same in found.values() if len(same) > 1)


def _answers_on(agenda: Agenda, real: Judgments, names: Sequence[str]) -> UnitAnswers:
    codes = [real.question.code(name) for name in names]
    rows = real.take(np.isin(real.question.codes, codes))
    unit = combine_codes(rows.question.codes, units(rows))
    item = inputs(agenda.outline, rows)
    return UnitAnswers(unit, rows.participant.codes, rows.value, item)


def _findings(agenda: Agenda, whole: AnalysedQuestion, table: UnitAnswers) -> Iterator[Finding]:
    note = _UNKNOWN_SCALE if whole.bounds is None else ""
    for coefficient in agenda.agreement:
        found = overall(agenda, whole, coefficient, table)
        yield replace(found, id=f"pooled.{found.id}", note=join_notes(found.note, note))
