"""Results as a run: of a study with its plan, or of a table with its conditions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from rejudge.analysis.analyse import analyse
from rejudge.analysis.derived_scores import add_derived
from rejudge.analysis.outline import outline_of_study
from rejudge.analysis.results import Flow, Results
from rejudge.compare.conditions import study_conditions, study_pages, table_conditions
from rejudge.compare.run import (
    Run,
    RunCriterion,
    Source,
    criterion_as_run,
)
from rejudge.english import count
from rejudge.judgments.exclusions import RULE_LABELS, RULES
from rejudge.paper.model import Paper, PaperCriterion, PropertyValue, StatedDeviation
from rejudge.paper.paper_file import UNSTATED
from rejudge.study.model import Study

if TYPE_CHECKING:
    from rejudge.design.plan import Plan
    from rejudge.judgments.exclusions import Cleaned
    from rejudge.judgments.table import Judgments
    from rejudge.study.kinds.question import Level

_NOT_IN_IDS = re.compile(r"[^\w.-]+")
_SEED = 1  # as `rejudge analyse` has it, so that both give the same numbers
_NOT_VACATED = frozenset(rule.id for rule in RULES if not rule.frees_place)


def from_results(
    results: Results,
    study: Study,
    plan: Plan,
    *,
    source: Source = "study",
    reproduces: str | None = None,
    deviations: Sequence[StatedDeviation] = (),
    judgments: Judgments | None = None,
) -> Run:
    """A study's results as a run, under the conditions that its files show."""
    description = study_conditions(
        study, plan, participants=results.flow.participants, judgments=judgments
    )
    outline = outline_of_study(study)
    if judgments is not None:
        judgments = add_derived(judgments, outline.derived)[0]
    found = from_table(
        results,
        study.spec.id,
        criteria=tuple(_criteria(study)),
        conditions=description,
        deviations=deviations,
        judgments=judgments,
    )
    return replace(
        found,
        name=study.spec.title,
        source=source,
        reproduces=reproduces,
        systems={system.id: system.label for system in study.spec.systems},
        claims=study.spec.claims,
        pages=study_pages(study),
        departures=(*found.departures, *_replacements(results.flow, plan, judgments)),
        fingerprint=results.signature.judgments,
        items_dealt_at_random=found.items_dealt_at_random or _is_dealt_at_random(study),
        groupings=outline.groupings,
    )


def _is_dealt_at_random(study: Study) -> bool:
    plan = study.spec.analysis
    return plan is not None and plan.items_dealt_at_random


def from_table(
    results: Results,
    run: str,
    *,
    criteria: Sequence[RunCriterion] = (),
    conditions: Mapping[str, PropertyValue],
    deviations: Sequence[StatedDeviation] = (),
    judgments: Judgments | None = None,
) -> Run:
    """What was found in a table of judgments that has no study; its scales are given beside it."""
    asked = {each.id: each for each in (*_known_scales(results), *criteria)}
    cells = tuple(_cells(results, asked))
    systems = dict.fromkeys(system for finding in results.select() for system in finding.systems)
    cases = ("", *(case.id for case in results.cases))
    return Run(
        id=run,
        name=run,
        source="results",
        reproduces=None,
        systems={system: system for system in systems},
        criteria=cells,
        findings=tuple(each for case in cases for each in results.select(group=None, case=case)),
        cases=cases,
        conditions=dict(conditions),
        deviations=tuple(deviations),
        departures=tuple(_departures(results.flow)),
        flow=results.flow,
        judgments=judgments,
        fingerprint=results.signature.judgments,
        items_dealt_at_random="items-dealt-at-random" in results.signature.options,
        pairs={
            each.question: frozenset(map(frozenset, each.pairs))
            for each in results.limited_pairs
            if each.is_every_test
        },
    )


def _cells(results: Results, asked: Mapping[str, RunCriterion]) -> Iterator[RunCriterion]:
    """Every question, and each of its groups as a criterion of its own."""
    for name in results.questions:
        whole = asked[name]
        yield whole
        found = results.select(name, group=None)
        for group in dict.fromkeys(each.group for each in found if each.key.group_name):
            names = "-".join(each.name for each in group)
            yield replace(
                whole,
                id=f"{name}-{_NOT_IN_IDS.sub('-', names)}",
                name=f"{whole.name}, {', '.join(each.name for each in group)}",
                asks=name,
                group=group,
            )


def from_described_results(
    results: Results,
    description: Paper,
    *,
    run: str,
    judgments: Judgments | None = None,
    scale: tuple[float, float] | None = None,
) -> Run:
    """What was found in a table, with a description of how: conditions, scales, deviations.

    `scale` has the ends of the scales that the description does not give. Conditions that the
    judgments show are added to those that it states.
    """
    rated = () if scale is None else tuple(_on_scale(results, scale))
    found = from_table(
        results,
        run if description.id == UNSTATED else description.id,
        criteria=(
            *rated,
            *(_stated_criterion(each) for each in description.criteria if each.id != UNSTATED),
        ),
        conditions={**_visible_conditions(results, judgments), **description.conditions},
        deviations=description.deviations,
        judgments=judgments,
    )
    reference = description.reference
    names = {each.id: each.name for each in description.systems if each.name}
    return replace(
        found,
        name=found.id if reference.authors == UNSTATED else f"{reference.authors} {reference.year}",
        reproduces=description.reproduces,
        systems={system: names.get(system, system) for system in found.systems},
        claims=description.claims,
        printed=tuple(each for each in description.reproducibility if each.value is not None),
    )


def _stated_criterion(given: PaperCriterion) -> RunCriterion:
    """A scale that is given beside a table, perhaps without saying which end is the better one."""
    return replace(criterion_as_run(given), states_direction="better" in given.model_fields_set)


def _criteria(study: Study) -> Iterator[RunCriterion]:
    for question in study.spec.questions:
        name = question.id
        if question.bounds is None:
            yield RunCriterion(name, name, "best-worst", -100.0, 100.0)
        else:
            yield _criterion_without_direction(
                name, "rating" if question.has_points else "slider", *question.bounds
            )


def _criterion_without_direction(
    name: str, kind: str, low: float | None, high: float | None
) -> RunCriterion:
    """A scale of scores; neither a study nor a table says which of its ends is the better one."""
    return RunCriterion(name, name, kind, low, high, states_direction=False)


def from_judgments(
    cleaned: Cleaned,
    run: str,
    *,
    description: Paper | None = None,
    level: Level | None = None,
    scale: tuple[float, float] | None = None,
) -> Run:
    """A table of judgments as a run: analysed, with what is given beside it."""
    ends = scale if description is None else scale or _common_ends(description)
    results = analyse(cleaned, level=level, scale=ends, seed=_SEED)
    if description is not None:
        return from_described_results(
            results, description, run=run, judgments=cleaned.kept, scale=scale
        )
    rated = () if scale is None else tuple(_on_scale(results, scale))
    seen = _visible_conditions(results, cleaned.kept)
    return from_table(results, run, criteria=rated, conditions=seen, judgments=cleaned.kept)


def _common_ends(description: Paper) -> tuple[float, float] | None:
    """The ends of the scale that all scores share, by what is given beside them."""
    scales = [
        each.scale for each in description.criteria if each.scale.kind in {"rating", "slider"}
    ]
    ends = {(scale.low, scale.high) for scale in scales}
    if len(ends) != 1:
        return None
    ((low, high),) = ends
    return None if low is None or high is None else (low, high)


def _visible_conditions(results: Results, judgments: Judgments | None) -> dict[str, PropertyValue]:
    if judgments is None:
        return {}
    return table_conditions(judgments, participants=results.flow.participants)


def _known_scales(results: Results) -> Iterator[RunCriterion]:
    """Comparisons have a scale of their own: from always lost to always won.

    The ends of a scale of scores cannot be seen in them; those of a derived score follow from its
    parts.
    """
    ends = {each.id: (each.low, each.high) for each in results.derived}
    for name in results.questions:
        if results.select(name, "best-worst-score"):
            yield RunCriterion(name, name, "best-worst", -100.0, 100.0)
        else:
            low, high = ends.get(name, (None, None))
            whole = _criterion_without_direction(name, "rating", low, high)
            yield replace(whole, is_derived=name in ends)


def _on_scale(results: Results, scale: tuple[float, float]) -> Iterator[RunCriterion]:
    """The questions about scores, all on one scale; a derived score has its own."""
    derived = {each.id for each in results.derived}
    for name in results.questions:
        if name not in derived and not results.select(name, "best-worst-score"):
            yield _criterion_without_direction(name, "rating", *scale)


def _replacements(flow: Flow, plan: Plan, kept: Judgments | None) -> Iterator[str]:
    """How many of those left out had their place filled by somebody else."""
    if kept is None:
        return
    people = set(zip(kept.participant.words(), kept.batch.words(), strict=True))
    places = sum(batch.participants for batch in plan.batches)
    vacated = {
        (each.participant, each.batch) for each in flow.exclusions if each.rule not in _NOT_VACATED
    }
    filled = min(len(vacated), max(0, len(people) - (places - len(vacated))))
    if filled:
        yield f"{count(filled, 'place')} of excluded participants filled by others."


def _departures(flow: Flow) -> Iterator[str]:
    """What happened at run time that no plan foresaw: who was left out, by rule."""
    gone = (flow.participants or 0) - (flow.participants_kept or 0)
    if gone:
        yield f"{count(gone, 'participant')} of {flow.participants:,} excluded completely."
    rows, people = Counter[str](), dict[str, set[str]]()
    for each in flow.exclusions:
        rows[each.rule] += each.rows
        people.setdefault(each.rule, set()).add(each.participant)
    for rule, judgments in rows.items():
        who = count(len(people[rule]), "participant")
        why = f"{RULE_LABELS.get(rule, rule)} ({rule})"
        yield f"{count(judgments, 'judgment')} by {who} excluded: {why}."
    if flow.is_simulated:
        yield f"{count(flow.simulated_rows, 'judgment')} made by simulated participants."
