"""Mixed models of choices: each pair of systems alone, and all systems together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from rejudge.analysis.analysis_plan import Agenda, over_limit, too_few
from rejudge.analysis.columns import (
    SHARES,
    answers,
    are_choices,
    combine_codes,
    comparisons,
    knows_participants,
    levels,
    sides,
)
from rejudge.analysis.findings import (
    join_notes,
    pairs_of,
    population_of_clusters,
    undefined_finding,
    with_alternative,
    with_estimate,
    with_population,
)
from rejudge.analysis.outline import AnalysedQuestion
from rejudge.analysis.results import Finding
from rejudge.judgments import Judgments
from rejudge.stats import (
    ChoiceModel,
    Comparisons,
    JudgedSets,
    SystemContrast,
    choice_model,
    estimated_fit_seconds,
    pair_model,
    set_model,
)
from rejudge.study import PlannedTest

if TYPE_CHECKING:
    from numpy.typing import NDArray

_NOT_CHOICES = "Undefined: this is a model of choices, not of scores. For scores, plan mixed-model."
_ONE_PAIR = (
    "linear mixed model of this pair's choices (1, 0 for a tie, −1), REML: {fixed}item and "
    "participant random; share preferring the first, a tie as half"
)
_ALL = (
    "linear mixed model of all choices, REML: {fixed}system fixed, system × item and system × "
    "participant random; strengths add up"
)
_SCORED = (
    "linear mixed model of whole judgments, REML: system fixed, system × item and system × "
    "participant random; each system's score in a judgment runs from −100 (last) to 100 (first)"
)
_PER_PAIR = 0.02  # seconds
_DF = "t with Satterthwaite's degrees of freedom"


def choice_models(
    agenda: Agenda, asked: AnalysedQuestion, judgments: Judgments, planned: PlannedTest
) -> Iterator[Finding]:
    """How often the first of two systems is preferred, for new items and new participants."""
    reason = _reason(agenda, asked, judgments, planned)
    if reason:
        yield undefined_finding(agenda, asked, planned.test, reason)
        return
    rows = _with_participants(agenda, judgments)
    if planned.test == "joint-mixed-model":
        models: tuple[ChoiceModel, ...] = (_joint(agenda, asked, rows, judgments),)
    else:
        models = _pairs(agenda, rows, sides(judgments))
    found = [(model, contrast) for model in models for contrast in model.contrasts]
    if not found:
        note = next((model.note for model in models), "")
        yield undefined_finding(
            agenda, asked, planned.test, note or "Undefined: no two systems were compared."
        )
    for each in found:
        yield _finding(agenda, asked, planned, each)


def _reason(
    agenda: Agenda, asked: AnalysedQuestion, judgments: Judgments, planned: PlannedTest
) -> str:
    """Why there is no model."""
    limit = agenda.further.time_limit
    if not asked.is_comparison:
        return _NOT_CHOICES
    if not are_choices(judgments):
        return SHARES
    rows = comparisons(agenda.outline, judgments)
    if not agenda.is_planned(asked, planned.test):
        people = levels(rows.participant) if knows_participants(rows) else None
        few = too_few(levels(rows.item), people)
        if few:
            return few
    return _too_long(rows, limit) if planned.test == "mixed-model" else ""


def _too_long(rows: Comparisons, limit: float) -> str:
    """The models of all pairs are fitted one by one; together they take as long as all rows do."""
    pairs = levels(combine_codes(rows.first, rows.second)) if len(rows.first) else 0
    groups = {"item": rows.item, "participant": rows.participant}
    return over_limit(estimated_fit_seconds(groups, 2) + _PER_PAIR * pairs, limit)


def _with_participants(agenda: Agenda, judgments: Judgments) -> Comparisons:
    """The comparisons; participants who are not known have no code of their own."""
    rows = comparisons(agenda.outline, judgments)
    if knows_participants(rows):
        return rows
    return replace(rows, participant=np.full(len(rows.item), -1))


def _pairs(
    agenda: Agenda, rows: Comparisons, side: NDArray[np.int64] | None
) -> tuple[ChoiceModel, ...]:
    low, high = np.minimum(rows.first, rows.second), np.maximum(rows.first, rows.second)
    met = set(np.unique(low.astype(np.int64) * rows.systems + high).tolist())
    return tuple(
        pair_model(rows, pair, side=side, level=agenda.level)
        for pair in pairs_of(agenda.outline.systems)
        if pair[0] * rows.systems + pair[1] in met
    )


def _joint(
    agenda: Agenda, asked: AnalysedQuestion, rows: Comparisons, judgments: Judgments
) -> ChoiceModel:
    limit = agenda.further.time_limit
    if asked.is_implied:
        sets = judged_sets(rows, judgments)
        return set_model(sets, adjust="none", level=agenda.level, most_seconds=limit)
    side = sides(judgments)
    return choice_model(rows, side=side, adjust="none", level=agenda.level, most_seconds=limit)


def judged_sets(rows: Comparisons, judgments: Judgments) -> JudgedSets:
    """Whole judgments from the comparisons that they imply, on the scale of best–worst scores:
    100 · (wins − losses) / (systems − 1)."""
    judgment = answers(judgments)
    both = np.tile(judgment, 2)
    system = np.concatenate([rows.first, rows.second])
    won = np.concatenate([2 * rows.preference - 1, 1 - 2 * rows.preference])
    cell, place = np.unique(both * rows.systems + system, return_inverse=True)
    owner = cell // rows.systems
    shown = np.bincount(owner)[owner]
    score = 100 * np.bincount(place, won) / np.maximum(shown - 1, 1)
    first = np.unique(both, return_index=True)[1] % len(judgment)
    return JudgedSets(
        judgment=owner,
        system=cell % rows.systems,
        score=score,
        item=rows.item[first][owner],
        participant=rows.participant[first][owner],
        systems=rows.systems,
    )


def _finding(
    agenda: Agenda,
    asked: AnalysedQuestion,
    planned: PlannedTest,
    found: tuple[ChoiceModel, SystemContrast],
) -> Finding:
    model, contrast = found
    first, second = (agenda.outline.systems[code] for code in (contrast.first, contrast.second))
    estimate = contrast.estimate
    is_share = not (planned.test == "joint-mixed-model" and asked.is_implied)
    is_known = model.participants > 0
    finding = with_estimate(
        Finding(
            id=f"{asked.id}.{planned.test}.{first}.{second}",
            question=asked.id,
            measure="win-percent" if is_share else "score-difference",
            by=planned.test,
            systems=(first, second),
            value=estimate.value,
            n=estimate.n,
            n_of="comparisons" if asked.is_implied and is_share else "judgments",
            method=f"{_method(asked, planned, model)}; {_DF}; {_variances(model)}; p against "
            f"{'50 %' if is_share else '0'}",
            p=contrast.p_alone,
            is_planned=agenda.is_planned(asked, planned.test),
        ),
        estimate,
        "" if model.note in estimate.note else model.note,
        has_participants=is_known,
    )
    tested = with_alternative(finding, planned.alternative, null=50.0 if is_share else 0.0)
    return with_population(tested, population_of_clusters(has_participants=is_known))


def _method(asked: AnalysedQuestion, planned: PlannedTest, model: ChoiceModel) -> str:
    fixed = "side fixed, " if model.side is not None else ""
    if planned.test == "mixed-model":
        return _ONE_PAIR.format(fixed=fixed)
    return _SCORED if asked.is_implied else _ALL.format(fixed=fixed)


def _variances(model: ChoiceModel) -> str:
    known = (f"{name} {value:.3g}" for name, value in model.variances.items() if value)
    return join_notes("variances:", ", ".join(known) or "none")
