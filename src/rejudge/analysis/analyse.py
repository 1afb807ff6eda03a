"""Run the planned analysis of a study, or the usual one of a table; all else is exploratory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal

from rejudge.analysis.agenda import DEFAULT_SEED, Agenda, Further, corrected
from rejudge.analysis.agreeing import agreed
from rejudge.analysis.behaving import behaved, repeated
from rejudge.analysis.cases import AGGREGATED, refuse_unknown, treated
from rejudge.analysis.collected import places_of
from rejudge.analysis.columns import duplicates, has_participants, refuse_strangers, said
from rejudge.analysis.depending import dependences
from rejudge.analysis.describing import duels, score_counts, scores_by_dataset, units
from rejudge.analysis.details import Details
from rejudge.analysis.estimating import estimated
from rejudge.analysis.outline import Asked, outline_of_study, outline_of_table
from rejudge.analysis.participating import people
from rejudge.analysis.precision import Price, precisions, price_of
from rejudge.analysis.profiling import way_of
from rejudge.analysis.reach import Precision
from rejudge.analysis.results import Case, Finding, Flow, Results, Signature
from rejudge.analysis.sensitivity import sensitivities
from rejudge.analysis.size import left_out_for_size
from rejudge.analysis.testing import tested
from rejudge.analysis.timing import Pages, pace, pages_of, timed
from rejudge.analysis.verdicts import judge_claims
from rejudge.design import Plan, ReadingFloor
from rejudge.errors import DataError
from rejudge.judgments import (
    Cleaned,
    ExclusionRules,
    Judgments,
    check_counts,
    exclude_rows,
    fingerprint_of,
    haste,
)
from rejudge.study import Level, Study
from rejudge.version import __version__

_DEFAULT = (
    "There is no plan of analysis: these are the usual numbers for such judgments, and every one "
    "of them is exploratory."
)


def analyse(  # noqa: PLR0913 - each is a keyword of its own
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
) -> Results:
    """Every number that a study plans; for judgments without a study, the usual ones.

    `level` of measurement and the ends of the `scale` are those of a table's scores; a study has
    its own. `questions` leaves the others out. For agreement on choices, `coding` takes each as the
    side that was chosen or as the system that won. `further` names tests and coefficients that a
    table has beside the usual ones. The seed feeds resampling alone.
    """
    cleaned = judgments
    if isinstance(cleaned, Judgments):
        cleaned = exclude_rows(cleaned, ExclusionRules())
    everything = cleaned.collected
    if study is None:
        outline = outline_of_table(everything, level=level, scale=scale, questions=questions)
    else:
        refuse_strangers(study, cleaned.kept.of_kind("real"))
        outline = outline_of_study(study, questions)
    places = places_of(plan, cleaned) if plan else None
    hasty = _hasty(cleaned.kept, study, plan)
    cleaned = cleaned.of_questions(questions)
    real = cleaned.kept.of_kind("real")
    problem = duplicates(real)
    if problem is not None:
        raise DataError(problem)
    planned = study.spec.analysis if study else None
    agenda = Agenda(outline, planned, seed, coding, further or Further())
    findings = _findings(agenda, cleaned.kept)
    without, notes = _without_exclusions(agenda, cleaned)
    cases = tuple(_cases(agenda, real, findings))
    basis = (_DEFAULT,) if agenda.plan is None else ()
    pages = pages_of(cleaned.kept)
    return Results(
        findings=findings,
        flow=replace(_flow(cleaned, pages), places=places),
        checks=check_counts(study, plan, everything) if study and plan else (),
        signature=Signature(
            study=study.fingerprint if study else None,
            plan=plan.fingerprint if plan else None,
            judgments=fingerprint_of(everything),
            excluded_rows={rule: cleaned.rules.count(rule) for rule in sorted(set(cleaned.rules))},
            seed=seed,
            level=agenda.level,
            correction=agenda.correction,
            version=__version__,
            options=_options(
                agenda, level=level, scale=scale, is_part=len(cleaned.collected) < len(everything)
            ),
        ),
        basis="planned" if agenda.plan else "default",
        without_exclusions=without,
        cases=cases,
        depends=dependences(agenda, findings, without, cases),
        notes=(
            *basis,
            *cleaned.collected.notes,
            *outline.notes,
            *notes,
            *left_out_for_size(findings),
        ),
        details=tuple(_details(agenda, asked, cleaned.kept, hasty) for asked in outline.questions),
        times=timed(cleaned.kept, pages, level=agenda.level),
        coding=coding,
        sensitivity=tuple(sensitivities(agenda, findings)),
        precision=tuple(_precisions(agenda, real, study, plan)),
        way=way_of((), cleaned.kept, pages, level=agenda.level),
        claims=judge_claims(
            study.spec.claims if study else (), findings, [q.id for q in outline.questions]
        ),
    )


def _options(
    agenda: Agenda, *, level: Level | None, scale: tuple[float, float] | None, is_part: bool
) -> dict[str, tuple[str, ...]]:
    """What was asked for beside the usual and changes a number, named as on the command line."""
    further = agenda.further
    given = {
        "question": tuple(asked.id for asked in agenda.outline.questions) if is_part else (),
        "level": (level,) if level else (),
        "scale": (f"{scale[0]:g}..{scale[1]:g}",) if scale else (),
        "coding": (agenda.coding,) if agenda.coding != "side" else (),
        "test": tuple(map(str, further.tests)),
        "agreement": further.agreement,
        "cases": further.cases,
    }
    return {name: values for name, values in given.items() if values}


def _findings(agenda: Agenda, judgments: Judgments) -> tuple[Finding, ...]:
    """All numbers of all questions: estimates, tests, agreement, and how people went about it."""
    return corrected(
        agenda,
        (
            finding
            for asked in agenda.outline.questions
            for finding in _of_question(agenda, asked, judgments.of_question(asked.id))
        ),
    )


def _of_question(agenda: Agenda, asked: Asked, judgments: Judgments) -> Iterator[Finding]:
    real = judgments.of_kind("real")
    for part in (estimated, tested, agreed):
        yield from part(agenda, asked, real)
    if has_participants(real):
        yield from repeated(agenda, asked, judgments)
    yield from behaved(agenda, asked, real)


def _hasty(judgments: Judgments, study: Study | None, plan: Plan | None) -> frozenset[str] | None:
    """Who did a batch faster than its texts can be read; None where the texts are not known."""
    if study is None or plan is None:
        return None
    return frozenset(each.participant for each in haste(judgments, ReadingFloor(study, plan)))


def _details(
    agenda: Agenda, asked: Asked, judgments: Judgments, hasty: frozenset[str] | None
) -> Details:
    """What lies behind the findings of a question: described, never tested."""
    rows = judgments.of_question(asked.id)
    real = rows.of_kind("real")
    table = said(real)
    won, reason = duels(agenda, real) if asked.is_comparison else ((), "")
    return Details(
        asked.id,
        scores=None if asked.is_comparison else score_counts(agenda, asked, real),
        duels=won,
        units=units(asked, real, table),
        people=people(agenda, asked, rows, table, hasty=hasty),
        notes=(reason,) if reason else (),
        scores_by_dataset=() if asked.is_comparison else scores_by_dataset(agenda, asked, real),
    )


def _precisions(
    agenda: Agenda, real: Judgments, study: Study | None, plan: Plan | None
) -> Iterator[Precision]:
    price: Price | None = price_of(study, plan, real) if study and plan else None
    for asked in agenda.outline.questions if has_participants(real) else ():
        yield from precisions(agenda, asked, real.of_question(asked.id), price)


def _without_exclusions(
    agenda: Agenda, cleaned: Cleaned
) -> tuple[tuple[Finding, ...], tuple[str, ...]]:
    """The same numbers from all that was collected, where something was left out."""
    everything = cleaned.collected.of_kind("real")
    if len(everything) == len(cleaned.kept.of_kind("real")):
        return (), ()
    problem = duplicates(everything)
    if problem is not None:
        return (), (f"Not computed without exclusions, for {problem.what}",)
    return _findings(agenda, cleaned.collected), ()


def _cases(agenda: Agenda, real: Judgments, whole: Sequence[Finding]) -> Iterator[Case]:
    """Every case by the same method.

    A mean belongs to no participant. Where one of the cases is such a mean, items are the only
    clusters in all of them, or the error would change with the case and not the judgments. A model
    that the analysis leaves out is left out of its cases too.
    """
    left_out = {(each.question, each.by) for each in whole if each.note.startswith("Left out: ")}
    refuse_unknown(real, [case.multiple for case in agenda.cases])
    if any(case.multiple in AGGREGATED for case in agenda.cases):
        agenda = replace(agenda, outline=replace(agenda.outline, by_items_alone=True))
    for case in agenda.cases:
        findings: list[Finding] = []
        rows = 0
        for asked in agenda.outline.questions:
            taken = treated(real.of_question(asked.id), case.multiple)
            rows += len(taken)
            seen = replace(asked, level="interval") if case.multiple in AGGREGATED[:2] else asked
            for part in (estimated, tested):
                findings += part(agenda, seen, taken)
        known = [each for each in findings if (each.question, each.by) not in left_out]
        yield Case(case.id, case.multiple, rows, corrected(agenda, known))


def _flow(cleaned: Cleaned, pages: Pages) -> Flow:
    collected = cleaned.collected
    return Flow(
        participants=_people(collected),
        participants_kept=_people(cleaned.kept),
        rows=len(collected),
        rows_kept=len(cleaned.kept),
        real_rows=sum(int(collected.is_of_kind(kind).sum()) for kind in ("real", "dropped")),
        real_rows_kept=int(cleaned.kept.is_of_kind("real").sum()),
        simulated_rows=collected.simulated,
        exclusions=cleaned.exclusions,
        pace=pace(pages),
    )


def _people(judgments: Judgments) -> int | None:
    import numpy as np

    if not has_participants(judgments):
        return None
    return len(np.unique(judgments.participant.codes))
