"""Run the planned analysis of a study, or the usual one of a table; all else is exploratory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal

from rejudge.analysis.agenda import Agenda, Further, corrected, without_people
from rejudge.analysis.agreeing import agreed
from rejudge.analysis.behaving import behaved, repeated
from rejudge.analysis.cases import AGGREGATED, treated
from rejudge.analysis.columns import duplicates, has_participants, refuse_strangers, said
from rejudge.analysis.comparing import compared
from rejudge.analysis.depending import dependences
from rejudge.analysis.describing import duels, score_counts, scores_by_dataset, units
from rejudge.analysis.details import Details
from rejudge.analysis.outline import Asked, Outline, outline_of_study, outline_of_table
from rejudge.analysis.participating import people
from rejudge.analysis.precision import Price, precisions, price_of
from rejudge.analysis.profiling import way_of
from rejudge.analysis.reach import Precision
from rejudge.analysis.results import Case, Finding, Flow, Results, Signature
from rejudge.analysis.scoring import scored
from rejudge.analysis.sensitivity import sensitivities
from rejudge.analysis.testing import tested
from rejudge.analysis.timing import Pages, pace, pages_of, timed
from rejudge.design import Plan
from rejudge.errors import DataError
from rejudge.judgments import (
    Cleaned,
    ExclusionRules,
    Judgments,
    check_counts,
    exclude_rows,
    fingerprint_of,
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
    seed: int = 0,
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
    table shall have beside the usual ones. The seed feeds resampling alone.
    """
    cleaned = judgments
    if isinstance(cleaned, Judgments):
        cleaned = exclude_rows(cleaned, ExclusionRules())
    real = cleaned.kept.of_kind("real")
    if study is None:
        outline = outline_of_table(cleaned.collected, level=level, scale=scale, questions=questions)
    else:
        refuse_strangers(study, real)
        outline = _asked_for(outline_of_study(study), questions)
    problem = duplicates(real)
    if problem is not None:
        raise DataError(problem)
    planned = study.spec.analysis if study else None
    agenda = Agenda(outline, planned, seed, coding, further or Further())
    findings = _findings(agenda, cleaned.kept)
    without, notes = _without_exclusions(agenda, cleaned)
    cases = tuple(_cases(agenda, real))
    basis = (_DEFAULT,) if agenda.plan is None else ()
    pages = pages_of(cleaned.kept)
    if not has_participants(real):
        findings, without = without_people(findings), without_people(without)
    return Results(
        findings=findings,
        flow=_flow(cleaned, pages),
        checks=check_counts(study, plan, cleaned.collected) if study and plan else (),
        signature=Signature(
            study=study.fingerprint if study else None,
            plan=plan.fingerprint if plan else None,
            judgments=fingerprint_of(cleaned.collected),
            excluded_rows={rule: cleaned.rules.count(rule) for rule in sorted(set(cleaned.rules))},
            seed=seed,
            level=agenda.level,
            correction=agenda.correction,
            version=__version__,
        ),
        basis="planned" if agenda.plan else "default",
        without_exclusions=without,
        cases=cases,
        depends=dependences(findings, without, cases),
        notes=(*basis, *cleaned.collected.notes, *outline.notes, *notes),
        details=tuple(_details(agenda, asked, cleaned.kept) for asked in outline.questions),
        times=timed(cleaned.kept, pages, level=agenda.level),
        coding=coding,
        sensitivity=tuple(sensitivities(agenda, findings)),
        precision=tuple(_precisions(agenda, real, study, plan)),
        way=way_of((), cleaned.kept, pages, level=agenda.level),
    )


def _asked_for(outline: Outline, questions: Sequence[str]) -> Outline:
    if not questions:
        return outline
    return replace(outline, questions=tuple(q for q in outline.questions if q.id in questions))


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
    for part in (_estimated, tested, agreed):
        yield from part(agenda, asked, real)
    if has_participants(real):
        yield from repeated(agenda, asked, judgments)
    yield from behaved(agenda, asked, real)


def _estimated(agenda: Agenda, asked: Asked, judgments: Judgments) -> Iterator[Finding]:
    yield from (compared if asked.is_comparison else scored)(agenda, asked, judgments)


def _details(agenda: Agenda, asked: Asked, judgments: Judgments) -> Details:
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
        people=people(agenda, asked, rows, table),
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


def _cases(agenda: Agenda, real: Judgments) -> Iterator[Case]:
    for case in agenda.plan.cases if agenda.plan else ():
        findings: list[Finding] = []
        rows = 0
        for asked in agenda.outline.questions:
            taken = treated(real.of_question(asked.id), case.multiple)
            rows += len(taken)
            seen = replace(asked, level="interval") if case.multiple in AGGREGATED[:2] else asked
            for part in (_estimated, tested):
                found = tuple(part(agenda, seen, taken))
                findings += found if has_participants(taken) else without_people(found)
        yield Case(case.id, case.multiple, rows, corrected(agenda, findings))


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
