"""Agreement over several criteria at once: their values one after another, as one long table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rejudge.analysis.agreeing import overall
from rejudge.analysis.analysis_plan import Agenda, joined
from rejudge.analysis.columns import Said, combined, has_participants, inputs, units
from rejudge.analysis.outline import Asked
from rejudge.analysis.results import Finding, PooledAgreement
from rejudge.judgments import Judgments

_UNKNOWN_SCALE = "The ends of the scales are not known; they are taken to be the same."


def agreed_over_criteria(agenda: Agenda, real: Judgments) -> Iterator[PooledAgreement]:
    """Every coefficient over all criteria that share a scale, where a plan or a user asks for it.

    A unit is an output (or a segment) on one criterion. Units of one item are alike, so intervals
    go by items.
    """
    if not agenda.pools_agreement or not has_participants(real):
        return
    for asked in _on_one_scale(agenda):
        names = [each.id for each in asked]
        table = _said(agenda, real, names)
        whole = replace(asked[0], id=", ".join(names))
        yield PooledAgreement(tuple(names), tuple(_findings(agenda, whole, table)))


def _on_one_scale(agenda: Agenda) -> Iterator[tuple[Asked, ...]]:
    derived = {each.id for each in agenda.outline.derived}
    found: dict[object, list[Asked]] = {}
    for asked in agenda.outline.questions:
        if not asked.is_comparison and asked.id not in derived:
            scale = asked.level, asked.bounds, asked.points
            found.setdefault(scale, []).append(asked)
    yield from (tuple(same) for same in found.values() if len(same) > 1)


def _said(agenda: Agenda, real: Judgments, names: Sequence[str]) -> Said:
    import numpy as np

    codes = [real.question.code(name) for name in names]
    rows = real.take(np.isin(real.question.codes, codes))
    unit = combined(rows.question.codes, units(rows))
    item = inputs(agenda.outline, rows)
    return Said(unit, rows.participant.codes, rows.value, item)


def _findings(agenda: Agenda, whole: Asked, table: Said) -> Iterator[Finding]:
    note = _UNKNOWN_SCALE if whole.bounds is None else ""
    for coefficient in agenda.agreement:
        found = overall(agenda, whole, coefficient, table)
        yield replace(found, id=f"pooled.{found.id}", note=joined(found.note, note))
