"""Strengths of systems from comparisons, on one scale for all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from rejudge.analysis.analysis_plan import Agenda, directed, joined, speaking_for, undefined
from rejudge.analysis.columns import SHARES, are_choices, comparisons, knows_participants
from rejudge.analysis.outline import Asked
from rejudge.analysis.population import population_of_clusters
from rejudge.analysis.results import Finding
from rejudge.analysis.scoring import n_of
from rejudge.judgments import Judgments
from rejudge.stats import BradleyTerry, PlackettLuce, bradley_terry
from rejudge.study import PlannedTest

_NOT_CHOICES = "Undefined: strengths are estimated from comparisons, not from scores."


def strengths(
    agenda: Agenda, asked: Asked, judgments: Judgments, planned: PlannedTest
) -> Iterator[Finding]:
    """Bradley–Terry strengths of systems, and how far each pair lies apart."""
    if not asked.is_comparison:
        yield undefined(agenda, asked, planned.test, _NOT_CHOICES)
        return
    if not are_choices(judgments):
        yield undefined(agenda, asked, planned.test, SHARES)
        return
    rows = comparisons(agenda.outline, judgments)
    is_known = knows_participants(rows)
    fit = bradley_terry(rows, level=agenda.level, errors="two-way" if is_known else "item")
    systems = agenda.outline.systems
    if all(each.value is None for each in fit.strengths):
        yield undefined(agenda, asked, planned.test, _named(fit, systems))
        return
    model = "Bradley–Terry model, log strengths that sum to 0, a tie as half a win each way"
    blank = blank_strength(agenda, asked, planned, fit, model=model, is_known=is_known)
    yield from strength_findings(agenda, planned, fit, replace(blank, n_of=n_of(asked)))


def blank_strength(
    agenda: Agenda,
    asked: Asked,
    planned: PlannedTest,
    fit: BradleyTerry | PlackettLuce,
    *,
    model: str,
    is_known: bool,
) -> Finding:
    """What the findings of a model of strengths have in common."""
    return Finding(
        id=f"{asked.id}.{planned.test}",
        question=asked.id,
        measure="strength",
        by=planned.test,
        systems=(),
        value=None,
        n=fit.n,
        n_of="judgments",
        method=f"{model}; errors: sandwich, {fit.errors} clusters",
        is_planned=agenda.is_planned(asked, planned.test),
        items=fit.items,
        participants=fit.participants if is_known else None,
        note=fit.note,
    )


def strength_findings(
    agenda: Agenda,
    planned: PlannedTest,
    fit: BradleyTerry | PlackettLuce,
    blank: Finding,
    *,
    notes: Mapping[int, str] | None = None,
) -> Iterator[Finding]:
    """The strength of each system, with its note, and how far each pair lies apart."""
    systems = agenda.outline.systems
    model, _, error = blank.method.partition("; ")
    for each in fit.strengths:
        if each.value is not None:
            name = systems[each.system]
            yield replace(
                blank,
                id=f"{blank.id}.{name}",
                systems=(name,),
                value=each.value,
                interval=each.interval,
                standard_error=each.standard_error,
                df=each.df,
                method=f"{blank.method}{_by_t(each.df)}",
                note=joined((notes or {}).get(each.system, ""), blank.note),
            )
    for pair in fit.differences:
        first, second = systems[pair.first], systems[pair.second]
        finding = replace(
            blank,
            id=f"{blank.id}.{first}.{second}",
            systems=(first, second),
            value=pair.value,
            method=f"{model}; first minus second; {error}{_by_t(pair.df)}; p against 0",
            interval=pair.interval,
            standard_error=pair.standard_error,
            df=pair.df,
            p=pair.p,
        )
        yield speaking_for(
            directed(finding, planned.alternative),
            population_of_clusters(has_participants=blank.participants is not None),
        )


def _by_t(df: float | None) -> str:
    return "" if df is None else f", t with {df:.4g} df"


def _named(fit: BradleyTerry, systems: Sequence[str]) -> str:
    """Why there are no strengths, with the groups of systems by name."""
    groups = "; ".join(", ".join(systems[code] for code in group) for group in fit.groups)
    reason = fit.note.split(" Groups by number:")[0].split(", by number:")[0].rstrip(".")
    return f"{reason}. Groups of systems: {groups}." if groups else f"{reason}."
