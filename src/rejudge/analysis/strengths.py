"""Strengths of systems: Bradley–Terry from comparisons, Plackett–Luce from rankings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from rejudge.analysis.analysis_plan import Agenda, over_limit
from rejudge.analysis.choice_models import judged_sets
from rejudge.analysis.columns import SHARES, answers, are_choices, comparisons, knows_participants
from rejudge.analysis.estimates import n_of
from rejudge.analysis.findings import (
    join_notes,
    population_of_clusters,
    undefined_finding,
    with_alternative,
    with_population,
)
from rejudge.analysis.outline import AnalysedQuestion
from rejudge.analysis.results import Finding
from rejudge.judgments import Judgments
from rejudge.stats import (
    BradleyTerry,
    Comparisons,
    FirstChance,
    JudgedSets,
    PlackettLuce,
    bradley_terry,
    plackett_luce,
)
from rejudge.study import PlannedTest

if TYPE_CHECKING:
    from numpy.typing import NDArray

_NOT_CHOICES = "Undefined: strengths are estimated from comparisons, not from scores."
_NOT_RANKED = (
    "Undefined: this is a model of rankings. Best–worst answers do not order the other systems; "
    "plan joint-mixed-model. For choices between two, plan bradley-terry."
)
_CONTRADICTS = "Undefined: some answers contradict themselves, so they are not rankings."
_MODEL = "Plackett–Luce model of whole rankings, log worths that sum to 0, a tie in every order"
_PER_ROW = 1e-7  # seconds, for each estimate


def bradley_terry_findings(
    agenda: Agenda, asked: AnalysedQuestion, judgments: Judgments, planned: PlannedTest
) -> Iterator[Finding]:
    """Bradley–Terry strengths of systems, and how far each pair lies apart."""
    if not asked.is_comparison:
        yield undefined_finding(agenda, asked, planned.test, _NOT_CHOICES)
        return
    if not are_choices(judgments):
        yield undefined_finding(agenda, asked, planned.test, SHARES)
        return
    rows = comparisons(agenda.outline, judgments)
    is_known = knows_participants(rows)
    fit = bradley_terry(rows, level=agenda.level, errors="two-way" if is_known else "item")
    systems = agenda.outline.systems
    if all(each.value is None for each in fit.strengths):
        yield undefined_finding(agenda, asked, planned.test, _why_no_strengths(fit, systems))
        return
    model = "Bradley–Terry model, log strengths that sum to 0, a tie as half a win each way"
    blank = blank_strength(agenda, asked, planned, fit, model=model, is_known=is_known)
    yield from strength_findings(agenda, planned, fit, replace(blank, n_of=n_of(asked)))


def blank_strength(
    agenda: Agenda,
    asked: AnalysedQuestion,
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
                note=join_notes((notes or {}).get(each.system, ""), blank.note),
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
        yield with_population(
            with_alternative(finding, planned.alternative),
            population_of_clusters(has_participants=blank.participants is not None),
        )


def _by_t(df: float | None) -> str:
    return "" if df is None else f", t with {df:.4g} df"


def _why_no_strengths(fit: BradleyTerry, systems: Sequence[str]) -> str:
    """Why there are no strengths, with the groups of systems by name."""
    groups = "; ".join(", ".join(systems[code] for code in group) for group in fit.groups)
    reason = fit.note.split(" Groups by number:")[0].split(", by number:")[0].rstrip(".")
    return f"{reason}. Groups of systems: {groups}." if groups else f"{reason}."


def plackett_luce_findings(
    agenda: Agenda, asked: AnalysedQuestion, judgments: Judgments, planned: PlannedTest
) -> Iterator[Finding]:
    """Log worths of systems, and how far each pair lies apart."""
    found = _sets(agenda, asked, judgments)
    is_wanted = agenda.is_planned(asked) or any(
        each.test == planned.test for each in agenda.further.tests
    )
    if isinstance(found, str):
        if is_wanted or found not in {_NOT_RANKED, SHARES}:
            yield undefined_finding(agenda, asked, planned.test, found)
        return
    reason = _too_long(found, agenda.further.time_limit)
    if reason:
        yield undefined_finding(agenda, asked, planned.test, reason)
        return
    is_known = knows_participants(comparisons(agenda.outline, judgments))
    fit = plackett_luce(found, level=agenda.level, errors="two-way" if is_known else "item")
    if not fit.differences:
        yield undefined_finding(
            agenda, asked, planned.test, _why_no_worths(fit, agenda.outline.systems)
        )
        return
    blank = blank_strength(agenda, asked, planned, fit, model=_MODEL, is_known=is_known)
    notes = {
        each.system: _first(chance) for each, chance in zip(fit.strengths, fit.first, strict=True)
    }
    yield from strength_findings(agenda, planned, fit, blank, notes=notes)


def _sets(agenda: Agenda, asked: AnalysedQuestion, judgments: Judgments) -> JudgedSets | str:
    """The rankings of a question, or why it has none."""
    if not asked.is_comparison or not asked.is_implied:
        return _NOT_RANKED
    if not are_choices(judgments):
        return SHARES
    rows = comparisons(agenda.outline, judgments)
    sets = judged_sets(rows, judgments)
    judgment = answers(judgments)
    unranked = _unranked(sets, judgment)
    if unranked is None:
        return _NOT_RANKED
    if not _is_consistent(rows, sets, judgment):
        return _CONTRADICTS
    return replace(sets, score=unranked)


def _unranked(sets: JudgedSets, judgment: NDArray[np.int64]) -> NDArray[np.float64] | None:
    """The scores, −∞ for systems at the end whose order was not asked for.

    None if the order of others is not known: not all pairs of an answer were decided.
    """
    shown = np.bincount(sets.judgment)
    missing = shown * (shown - 1) // 2 - np.bincount(judgment, minlength=len(shown))
    lowest = np.full(len(shown), np.inf)
    np.minimum.at(lowest, sets.judgment, sets.score)
    is_last = sets.score == lowest[sets.judgment]
    last = np.bincount(sets.judgment, is_last).astype(np.int64)
    open_end = (missing > 0) & (missing == last * (last - 1) // 2)
    if bool(((missing > 0) & ~open_end).any()):
        return None
    return np.where(is_last & open_end[sets.judgment], -np.inf, sets.score)


def _is_consistent(rows: Comparisons, sets: JudgedSets, judgment: NDArray[np.int64]) -> bool:
    """Whether the order by scores says of each pair what was said of it."""
    key = sets.judgment * rows.systems + sets.system  # sorted, as the rows of sets are
    sides = (
        sets.score[np.searchsorted(key, judgment * rows.systems + side)]
        for side in (rows.first, rows.second)
    )
    first, second = sides
    said = np.where(first > second, 1.0, np.where(first < second, 0.0, 0.5))
    return bool((said == rows.preference).all())


def _too_long(sets: JudgedSets, limit: float) -> str:
    estimates = sets.systems * (sets.systems + 3) // 2
    return over_limit(_PER_ROW * len(sets.system) * estimates, limit)


def _first(chance: FirstChance) -> str:
    if chance.value is None:
        return ""
    found = f"Expected to be ranked first of all in {100 * chance.value:.1f} %"
    if chance.interval is None:
        return f"{found}."
    low, high = 100 * chance.interval.low, 100 * chance.interval.high
    return f"{found} [{low:.1f}, {high:.1f}]."


def _why_no_worths(fit: PlackettLuce, systems: Sequence[str]) -> str:
    """Why there are no worths, with the groups of systems by name."""
    listed = "; ".join(", ".join(map(str, group)) for group in fit.groups)
    names = "; ".join(", ".join(systems[code] for code in group) for group in fit.groups)
    note = fit.note.replace(
        f"{listed} (by number, the better first)", f"{names} (the better first)"
    )
    return note.replace(f"{listed} (by number)", names)
