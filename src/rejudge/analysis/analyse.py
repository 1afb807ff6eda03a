"""Run the planned analysis of a study, or the default one of a table; all else is exploratory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from typing import Literal

from rejudge.analysis.agreement import pooled_agreement
from rejudge.analysis.analysis_plan import (
    DEFAULT_SEED,
    WITHOUT_PLAN,
    AnalysisPlan,
    Further,
    Steps,
    Watch,
    options_in_use,
)
from rejudge.analysis.cases import AGGREGATED, dependences, refuse_unknown
from rejudge.analysis.claims import judge_claims
from rejudge.analysis.columns import (
    duplicates,
    refuse_strangers,
    rows_of_questions,
)
from rejudge.analysis.data import QuestionData, split, split_case
from rejudge.analysis.decide import decide
from rejudge.analysis.derived_scores import DerivedFormula, DerivedScore, add_derived
from rejudge.analysis.descriptives import (
    copies,
)
from rejudge.analysis.details import Visitor
from rejudge.analysis.findings import (
    left_out_for_size,
    limited_pairs_of,
    refuse_unknown_pairs,
)
from rejudge.analysis.formula import models_of_table, refuse_unknown_columns
from rejudge.analysis.item_selection import selection_of
from rejudge.analysis.outline import (
    AnalysisOutline,
    Grouping,
    groups_of,
    outline_of_study,
    outline_of_table,
    with_segments,
)
from rejudge.analysis.participation import (
    arrivals,
    flow_of,
    places_of,
    profile_of_table,
    profile_of_visitors,
    remarks_of_table,
    remarks_of_visitors,
)
from rejudge.analysis.planned_looks import Stopping, stopping_of
from rejudge.analysis.results import Case, ClaimOutcome, Places, Results, Signature
from rejudge.analysis.sensitivity import (
    price_of,
    sensitivities,
)
from rejudge.analysis.steps import compute, compute_details, compute_groups
from rejudge.analysis.times import list_notes, pages_of, time_frames
from rejudge.collect.looks import LookLog
from rejudge.design.duration import ReadingFloor
from rejudge.design.plan import Plan
from rejudge.english import count, join_words
from rejudge.errors import DataError
from rejudge.findings.model import WITHOUT_EXCLUSIONS, Finding
from rejudge.findings.planned_keys import planned_keys
from rejudge.judgments.answers import check_counts
from rejudge.judgments.exclusions import Cleaned, ExclusionRules, exclude_rows, find_fast_batches
from rejudge.judgments.judgments_csv import fingerprint_of
from rejudge.judgments.read import ReadTable
from rejudge.judgments.table import Judgments
from rejudge.study.kinds.question import Level
from rejudge.study.model import Study
from rejudge.version import __version__

_LABELS_IN_CASES = (
    "The labels of {} have no order and so no mean, median or majority: they are left out of the "
    "cases {}."
)


def analyse(
    judgments: Judgments | Cleaned,
    *,
    study: Study | None = None,
    plan: Plan | None = None,
    seed: int = DEFAULT_SEED,
    level: Level | None = None,
    scale: tuple[float, float] | None = None,
    questions: Sequence[str] = (),
    coding: Literal["side", "winner"] = "side",
    further: Further | None = None,
    inputs: Mapping[str, str] | None = None,
    groupings: Sequence[Grouping] = (),
    derived: Sequence[DerivedFormula] = (),
    visitors: Sequence[Visitor] = (),
    table: ReadTable | None = None,
    options: Mapping[str, tuple[str, ...]] | None = None,
    watch: Watch | None = None,
    looks: LookLog | None = None,
    executor: Executor | None = None,
) -> Results:
    """All numbers that a study plans; for judgments without a study, the default ones.

    `level` of measurement and the ends of the `scale` are those of a table's scores; a study has
    its own. `questions` restricts the analysis to some of them. For agreement on choices, `coding`
    takes each as the side that was chosen or as the system that won. `further` names tests,
    coefficients and models of a table in addition to the usual ones; models, the profile and
    remarks need the columns of the `table` that the judgments were read from. `inputs` give the
    input of each item of a table, where an item is one output: systems are compared on the same
    inputs. `groupings` of a table are groups of items or participants within which systems are
    compared as well; `derived` are scores to be computed from others. `visitors` are what the site
    recorded about the participants of a study. `options` are recorded in the signature. The seed
    is used only for resampling. `watch` is called with the current step and the share of the work
    that is done. `looks` is the log of a study that planned looks: p values and intervals of
    comparisons then hold for all looks together. `executor` runs the steps of questions, and
    resamples, on several processes or a cluster; the numbers are the same.
    """
    further = further or Further()
    refuse_unknown_columns(further.models, table, level)
    cleaned = judgments
    if isinstance(cleaned, Judgments):
        cleaned = exclude_rows(cleaned, ExclusionRules())
    whole, everything = cleaned, cleaned.collected
    if study is None:
        outline = outline_of_table(
            everything,
            level=level,
            scale=scale,
            questions=questions,
            inputs=inputs or {},
            groupings=groupings,
            derived=derived,
            labels=table.labels if table else None,
        )
    else:
        outline = _outline_of_study(study, plan, cleaned, questions)
    stopping = stopping_of(study, plan, cleaned, looks)
    places = _places(plan, cleaned, stopping)
    hasty = _hasty(cleaned.kept, study, plan)
    parts = [part for each in outline.derived for part in each.formula.parts]
    cleaned = cleaned.of_questions((*questions, *parts) if questions else ())
    kept, scores = add_derived(cleaned.kept, outline.derived)
    collected = add_derived(cleaned.collected, outline.derived)[0]
    outline = with_segments(outline, scores)
    real = kept.of_kind("real")
    problem = duplicates(real)
    if problem is not None:
        raise DataError(problem)
    planned = study.spec.analysis if study else None
    steps = Steps(len(outline.questions), watch)
    analysis = AnalysisPlan(
        outline,
        planned,
        seed,
        coding,
        further,
        steps=steps,
        looks=None if stopping is None else stopping.correction,
        executor=executor,
    )
    refuse_unknown_pairs(analysis)
    listed = list(split(analysis, kept))
    computed = _computed(analysis, listed)
    everybody, notes = _everybody(analysis, replace(cleaned, kept=kept, collected=collected))
    cases, of_cases = _cases(analysis, real, listed, computed)
    decided = [
        each
        for each in decide(analysis, (*computed, *_computed(analysis, everybody), *of_cases))
        if each.key.case != WITHOUT_EXCLUSIONS or (each.systems and not each.group)
    ]
    findings = [each for each in decided if not each.key.case]
    of_all = [each for each in findings if not each.group]
    pages = pages_of(cleaned.kept)
    price = price_of(study, plan, real) if study and plan else None
    frames, reach = compute_details(analysis, listed, hasty=hasty, price=price)
    rows = rows_of_questions(everything, (*questions, *parts) if questions else ())
    in_use = options_in_use(
        analysis,
        level=level,
        scale=scale,
        is_part=bool(questions) and _leaves_out(outline, everything, study, derived),
    )
    return Results(
        findings=(
            *findings,
            *pooled_agreement(analysis, real),
            *(each for each in decided if each.key.case),
        ),
        flow=replace(flow_of(analysis, cleaned), places=places),
        checks=check_counts(study, plan, everything) if study and plan else (),
        signature=_signature(
            analysis, cleaned, everything, study, plan, {**(options or {}), **in_use}
        ),
        basis="planned" if analysis.plan else "default",
        stopping=stopping,
        is_normalised=analysis.plan is not None and analysis.plan.show == "normalised",
        cases=cases,
        depends=dependences(analysis, [each for each in decided if not each.group]),
        notes=(
            *_notes(analysis, cleaned, stopping),
            *list_notes(cleaned.kept),
            *notes,
            *(each.says for each in scores),
            *left_out_for_size(of_all),
            *_untested(study, plan, outline, findings),
        ),
        frames=(
            *frames,
            *(copies(study, real) if study else ()),
            *(frame for each in reach for frame in each.reliability),
            *time_frames(visitors, cleaned.kept, pages, level=analysis.level),
            *arrivals(visitors),
            *(
                profile_of_visitors(study, visitors, cleaned)
                if study
                else profile_of_table(table, rows, further.profile, kept=cleaned.kept)
            ),
            *(
                remarks_of_visitors(study, visitors, cleaned.collected)
                if study
                else remarks_of_table(table, rows, further.remarks)
            ),
        ),
        coding=coding,
        sensitivity=tuple(sensitivities(analysis, findings)),
        groups=groups_of(outline, kept),
        derived=tuple(_on_scale(analysis, each) for each in scores),
        precision=tuple(one for each in reach for one in each.precisions),
        models=tuple(
            models_of_table(
                table, whole, questions, further.models, level=analysis.level, df=further.df
            )
        ),
        limited_pairs=tuple(limited_pairs_of(analysis)),
        claims=_judge_claims(study, outline, of_all),
    )


def _outline_of_study(
    study: Study, plan: Plan | None, cleaned: Cleaned, questions: Sequence[str]
) -> AnalysisOutline:
    refuse_strangers(study, cleaned.kept.of_kind("real"))
    return replace(outline_of_study(study, questions), selection=selection_of(study, plan))


def _signature(
    analysis: AnalysisPlan,
    cleaned: Cleaned,
    everything: Judgments,
    study: Study | None,
    plan: Plan | None,
    options: Mapping[str, tuple[str, ...]],
) -> Signature:
    return Signature(
        study=study.fingerprint if study else None,
        plan=plan.fingerprint if plan else None,
        judgments=fingerprint_of(everything),
        excluded_rows={rule: cleaned.rules.count(rule) for rule in sorted(set(cleaned.rules))},
        seed=analysis.seed,
        level=analysis.level,
        correction=analysis.correction,
        version=__version__,
        options=dict(options),
    )


def _notes(analysis: AnalysisPlan, cleaned: Cleaned, stopping: Stopping | None) -> Iterator[str]:
    """What was known before anything was computed."""
    if analysis.plan is None:
        yield WITHOUT_PLAN
    if stopping is not None:
        yield from stopping.notes
    yield from cleaned.collected.notes
    yield from analysis.outline.notes
    aggregated = [case.id for case in analysis.cases if case.multiple in AGGREGATED]
    named = [asked.id for asked in analysis.outline.questions if asked.is_named]
    if aggregated and named:
        yield _LABELS_IN_CASES.format(join_words(named), join_words(aggregated))
    if analysis.outline.selection:
        yield analysis.outline.selection.note


def _untested(
    study: Study | None, plan: Plan | None, outline: AnalysisOutline, findings: Sequence[Finding]
) -> Iterator[str]:
    """How many of the planned tests have a result, where some have none."""
    asked = {each.id for each in outline.questions}
    keys = planned_keys(study, plan) if study else ()
    planned = sum(key.question in asked for key in keys)
    tested = sum(each.is_planned and each.p_adjusted is not None for each in findings)
    tested -= sum(each.is_planned and each.is_simultaneous for each in findings)
    if tested < planned:
        yield (
            f"{tested:,} of {count(planned, 'planned test')} have a result; the others do not "
            "count in the correction."
        )


def _judge_claims(
    study: Study | None, outline: AnalysisOutline, findings: Sequence[Finding]
) -> tuple[ClaimOutcome, ...]:
    if study is None:
        return ()
    labels = {system.id: system.label for system in study.spec.systems}
    return judge_claims(study.spec.claims, findings, [q.id for q in outline.questions], labels)


def _places(plan: Plan | None, cleaned: Cleaned, stopping: Stopping | None) -> Places | None:
    """The places of the plan; of a study that a look has ended, those that it needed."""
    found = None if plan is None else places_of(plan, cleaned)
    last = None if stopping is None else stopping.last
    if found is None or last is None:
        return found
    return Places(last.places, min(found.filled, last.places))


def _on_scale(analysis: AnalysisPlan, score: DerivedScore) -> DerivedScore:
    """A derived score with the ends of its scale."""
    asked = next(each for each in analysis.outline.questions if each.id == score.id)
    low, high = asked.bounds or (None, None)
    return replace(score, low=low, high=high)


def _leaves_out(
    outline: AnalysisOutline,
    everything: Judgments,
    study: Study | None,
    derived: Sequence[DerivedFormula],
) -> bool:
    """Whether there are questions or derived scores that were not requested."""
    plan = study.spec.analysis if study else None
    names = [each.id for each in (plan.derived if plan else derived)]
    known = {*everything.question.used(), *names}
    return not known <= {asked.id for asked in outline.questions}


def _computed(analysis: AnalysisPlan, listed: Sequence[QuestionData]) -> list[Finding]:
    """All numbers about these questions, then those by group; nothing is decided yet."""
    return [*compute(analysis, listed), *compute_groups(analysis, listed)]


def _hasty(judgments: Judgments, study: Study | None, plan: Plan | None) -> frozenset[str] | None:
    """Who did a batch faster than its texts can be read; None where the texts are not known."""
    if study is None or plan is None:
        return None
    return frozenset(
        each.participant for each in find_fast_batches(judgments, ReadingFloor(study, plan))
    )


def _everybody(
    analysis: AnalysisPlan, cleaned: Cleaned
) -> tuple[list[QuestionData], tuple[str, ...]]:
    """The questions with all that was collected, where something was left out."""
    everything = cleaned.collected.of_kind("real")
    if len(everything) == len(cleaned.kept.of_kind("real")):
        return [], ()
    problem = duplicates(everything)
    if problem is not None:
        return [], (f"Not computed without exclusions, because {problem.what}",)
    return list(split(analysis, cleaned.collected, case=WITHOUT_EXCLUSIONS)), ()


def _cases(
    analysis: AnalysisPlan,
    real: Judgments,
    whole: Sequence[QuestionData],
    computed: Sequence[Finding],
) -> tuple[tuple[Case, ...], list[Finding]]:
    """Every case by the same method, and what was found in it, also within groups.

    A mean belongs to no participant. Where one of the cases is such a mean, items are the only
    clusters in all of them, or the error would change with the case and not the judgments.
    """
    left_out = frozenset((each.question, each.by) for each in computed if _is_left_out(each))
    refuse_unknown(real, [case.multiple for case in analysis.cases])
    if any(case.multiple in AGGREGATED for case in analysis.cases):
        analysis = replace(analysis, outline=replace(analysis.outline, by_items_alone=True))
    cases: list[Case] = []
    findings: list[Finding] = []
    for case in analysis.cases:
        listed = list(split_case(analysis, whole, case, left_out))
        findings += _computed(analysis, listed)
        cases.append(Case(case.id, case.multiple, sum(len(data.rows) for data in listed)))
    return tuple(cases), findings


def _is_left_out(finding: Finding) -> bool:
    return any(each.lost == "computation" for each in finding.reasons)
