"""Results as a run: of a study with its plan, or of a table whose conditions are told beside it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from rejudge.analysis import UNVERIFIABLE, Effect, Finding, Flow, Results
from rejudge.compare.from_paper import criterion_as_run
from rejudge.compare.run import (
    Run,
    RunAgreement,
    RunContrast,
    RunCriterion,
    RunEffect,
    RunRate,
    RunScore,
    Source,
)
from rejudge.compare.study_conditions import study_conditions, study_pages
from rejudge.english import count
from rejudge.errors import DataError, Problem
from rejudge.paper import UNTOLD, Paper, PropertyValue, StatedDeviation
from rejudge.stats import Interval
from rejudge.study import BestWorst, Pairwise, Ranking, Slider, Study

if TYPE_CHECKING:
    from rejudge.design import Plan
    from rejudge.judgments import Judgments

_PAIR = 2
_EVEN = 50.0
_NOT_VACATED = frozenset(("surplus", "faster-than", "duplicates-first", "duplicates-last"))
_RULES = {
    "surplus": "came after as many as planned",
    "failed-checks": "failed checks",
    "incomplete": "not finished",
    "returned": "given back",
    "excluded": "excluded while the study ran",
    "named": "named beforehand",
    "chose": "preferred what nobody should",
    "straight-lining": "nearly always the same answer",
    "too-fast": "too fast in all",
    "faster-than": "answered too fast",
    "duplicates-first": "judged again later",
    "duplicates-last": "judged again later",
}


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
    """What a study found, under the conditions that its files tell."""
    told = study_conditions(
        study, plan, participants=results.flow.participants, judgments=judgments
    )
    found = from_table(
        results,
        study.spec.id,
        criteria=tuple(_criteria(study)),
        conditions=told,
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
        departures=(*found.departures, *_replaced(results.flow, plan, judgments)),
        fingerprint=results.signature.judgments,
    )


def from_table(
    results: Results,
    run: str,
    *,
    criteria: Sequence[RunCriterion] = (),
    conditions: Mapping[str, PropertyValue],
    deviations: Sequence[StatedDeviation] = (),
    judgments: Judgments | None = None,
) -> Run:
    """What was found in a table of judgments that has no study; its scales are told beside it."""
    asked = {each.id: each for each in (*_known_scales(results), *criteria)}
    missing = [name for name in results.questions if name not in asked]
    if missing:
        raise DataError(
            Problem(
                f"the scale of '{missing[0]}' is not known in '{run}'.",
                "Write it under `criteria:` in the file of conditions, such as "
                f"`- {{id: {missing[0]}, scale: {{kind: rating, low: 1, high: 5}}}}`.",
            )
        )
    systems = dict.fromkeys(system for finding in results.findings for system in finding.systems)
    return Run(
        id=run,
        name=run,
        source="results",
        reproduces=None,
        systems={system: system for system in systems},
        criteria=tuple(asked[name] for name in results.questions),
        scores=tuple(_scores(results)),
        conditions=dict(conditions),
        agreement=tuple(_agreement(results.findings)),
        contrasts=tuple(_contrasts(results.findings)),
        rates=tuple(_rates(results.findings)),
        deviations=tuple(deviations),
        departures=(
            *_departures(results.flow),
            *(note for note in results.notes if note == UNVERIFIABLE),
        ),
        flow=results.flow,
        judgments=judgments,
        fingerprint=results.signature.judgments,
    )


def from_told(
    results: Results, told: Paper, *, run: str, judgments: Judgments | None = None
) -> Run:
    """What was found in a table, with what is told beside it: conditions, scales, reasons."""
    found = from_table(
        results,
        run if told.id == UNTOLD else told.id,
        criteria=tuple(criterion_as_run(each) for each in told.criteria if each.id != UNTOLD),
        conditions=told.conditions,
        deviations=told.deviations,
        judgments=judgments,
    )
    reference = told.reference
    names = {each.id: each.name for each in told.systems if each.name}
    return replace(
        found,
        name=found.id if reference.authors == UNTOLD else f"{reference.authors} {reference.year}",
        reproduces=told.reproduces,
        systems={system: names.get(system, system) for system in found.systems},
        claims=told.claims,
        printed=told.reproducibility,
    )


def _criteria(study: Study) -> Iterator[RunCriterion]:
    for question in study.spec.questions:
        name = question.id
        if isinstance(question, Pairwise | BestWorst | Ranking):
            yield RunCriterion(name, name, "best-worst", -100.0, 100.0)
        elif isinstance(question, Slider):
            yield RunCriterion(name, name, "slider", question.lowest, question.highest)
        else:
            yield RunCriterion(name, name, "rating", question.lowest, question.highest)


def _known_scales(results: Results) -> Iterator[RunCriterion]:
    """Comparisons have a scale of their own: from always lost to always won."""
    for name in results.questions:
        if results.of(name, "best-worst-score"):
            yield RunCriterion(name, name, "best-worst", -100.0, 100.0)


def _scores(results: Results) -> Iterator[RunScore]:
    for finding in results.findings:
        if finding.value is None or len(finding.systems) != 1:
            continue
        if finding.measure in {"best-worst-score", "mean"}:
            yield RunScore(
                criterion=finding.question,
                system=finding.systems[0],
                value=finding.value,
                sd=finding.spread.sd if finding.spread else None,
                n=finding.n,
                interval=finding.interval,
            )


def _agreement(findings: Sequence[Finding]) -> Iterator[RunAgreement]:
    for finding in findings:
        if finding.measure == "agreement" and finding.value is not None:
            yield RunAgreement(
                criterion=finding.question,
                coefficient=finding.by,
                value=finding.value,
                interval=finding.interval,
                n=finding.n,
                systems=finding.systems,
            )


def _contrasts(findings: Sequence[Finding]) -> Iterator[RunContrast]:
    """Tests of two systems, planned ones first: the first of a pair decides."""
    tested = [
        finding
        for finding in findings
        if len(finding.systems) == _PAIR
        and finding.p is not None
        and finding.measure not in {"agreement", "order-effect", "first-shown-percent"}
    ]
    for finding in sorted(tested, key=lambda each: not each.is_planned):
        yield RunContrast(
            criterion=finding.question,
            first=finding.systems[0],
            second=finding.systems[1],
            test=_test(finding),
            difference=_difference(finding, finding.value),
            p=finding.p if finding.p_adjusted is None else finding.p_adjusted,
            p_below=None,
            is_significant=finding.is_supported,
            effect=_effect(finding.effect),
            interval=_interval(finding),
        )


def _rates(findings: Sequence[Finding]) -> Iterator[RunRate]:
    """Each pair once, whatever it was tested by."""
    seen = set()
    for finding in findings:
        key = (finding.question, finding.systems)
        is_rate = finding.measure == "win-percent" and len(finding.systems) == _PAIR
        if is_rate and finding.value is not None and key not in seen:
            seen.add(key)
            first, second = finding.systems
            yield RunRate(finding.question, first, second, finding.value, finding.n)


def _effect(effect: Effect | None) -> RunEffect | None:
    return None if effect is None else RunEffect(effect.name, effect.value, effect.interval)


def _test(finding: Finding) -> str:
    corrected = "" if finding.p_adjusted is None else ", corrected"
    return f"{finding.by}{corrected}{'' if finding.is_planned else ', not planned'}"


def _difference(finding: Finding, value: float | None) -> float | None:
    """First minus second; a share of wins as a score from −100 to 100."""
    if value is None or finding.measure != "win-percent":
        return value
    return 2 * (value - _EVEN)


def _interval(finding: Finding) -> Interval | None:
    if finding.interval is None or finding.measure not in {"win-percent", "mean-difference"}:
        return None
    low, high = (_difference(finding, end) for end in (finding.interval.low, finding.interval.high))
    if low is None or high is None:
        return None
    return Interval(low, high, finding.interval.level)


def _replaced(flow: Flow, plan: Plan, kept: Judgments | None) -> Iterator[str]:
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
        yield f"{count(filled, 'place')} of those left out filled by others."


def _departures(flow: Flow) -> Iterator[str]:
    """What happened at run time that no plan foresaw: who was left out, by rule."""
    gone = (flow.participants or 0) - (flow.participants_kept or 0)
    if gone:
        yield f"{count(gone, 'participant')} of {flow.participants:,} left out altogether."
    rows, people = Counter[str](), dict[str, set[str]]()
    for each in flow.exclusions:
        rows[each.rule] += each.rows
        people.setdefault(each.rule, set()).add(each.participant)
    for rule, judgments in rows.items():
        who = count(len(people[rule]), "participant")
        yield (
            f"{count(judgments, 'judgment')} of {who} left out: {_RULES.get(rule, rule)} ({rule})."
        )
    if flow.is_simulated:
        yield f"{count(flow.simulated_rows, 'judgment')} made by simulated participants."
