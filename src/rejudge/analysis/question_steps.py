"""The steps of a question's analysis. They are independent, so they can run at the same time.

Each step of each question is a chunk of work. Agreement stays in this process: it takes little time
except for resamples, which are chunks themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from rejudge.analysis.agreement import agreement_findings
from rejudge.analysis.analysis_plan import (
    AGREEMENT,
    BEHAVIOUR,
    ESTIMATES,
    PEOPLE,
    REACH,
    TESTS,
    AnalysisPlan,
    Steps,
)
from rejudge.analysis.behaviour import competence_of, order_effects, self_consistencies
from rejudge.analysis.columns import answers_by_unit, has_participants
from rejudge.analysis.descriptives import (
    coverage_by_name,
    duels,
    own_differences,
    score_counts,
    scores_by_dataset,
    units,
)
from rejudge.analysis.details import Competence, Details, Generalizability, Precision
from rejudge.analysis.estimates import estimate_findings
from rejudge.analysis.outline import AnalysedQuestion
from rejudge.analysis.participants import participant_details
from rejudge.analysis.results import Finding
from rejudge.analysis.sensitivity import Price, generalizability, precisions
from rejudge.analysis.tests import test_findings
from rejudge.executors import Chunk, SerialExecutor
from rejudge.judgments import Judgments

Step = tuple[str, float]  # its name, and its share of the time of a question


@dataclass(frozen=True, slots=True)
class QuestionReach:
    """Sensitivity and reliability of one question, and how well its participants judged."""

    precisions: tuple[Precision, ...]
    reliability: Generalizability
    competence: Competence


def question_findings(analysis: AnalysisPlan, judgments: Judgments) -> list[Finding]:
    """Estimates, tests, agreement and behaviour of every question, in this order."""
    apart = (ESTIMATES, TESTS, BEHAVIOUR)
    found = iter(_run(analysis, judgments, apart))
    listed: list[Finding] = []
    for asked in analysis.outline.questions:
        before, tests, after = next(found), next(found), next(found)
        analysis.steps.begin(asked.id, AGREEMENT)
        real = judgments.of_question(asked.id).of_kind("real")
        listed += (*before, *tests, *agreement_findings(analysis, asked, real), *after)
    return listed


def question_details(
    analysis: AnalysisPlan,
    judgments: Judgments,
    *,
    hasty: frozenset[str] | None,
    price: Price | None,
) -> tuple[tuple[Details, ...], tuple[QuestionReach, ...]]:
    """The details behind the findings of every question, and their sensitivity."""
    found = _run(analysis, judgments, (PEOPLE, REACH), hasty, price)
    return tuple(found[::2]), tuple(found[1::2])


def _run(
    analysis: AnalysisPlan,
    judgments: Judgments,
    steps: Sequence[Step],
    *others: object,
) -> list[Any]:  # what each step returns
    is_here = isinstance(analysis.executor, SerialExecutor)
    sent = analysis if is_here else analysis.without_watch()
    chunks = [
        Chunk(f"{asked.id}: {step[0]}", (analysis.seed,), (sent, asked, rows, step, *others))
        for asked in analysis.outline.questions
        for rows in [judgments.of_question(asked.id)]
        for step in steps
    ]
    done = None if is_here else _progress(analysis.steps, chunks)
    return analysis.executor.run(run_step, chunks, progress=done)


def _progress(steps: Steps, chunks: Sequence[Chunk]) -> Callable[[float], None]:
    """Count a step as done for each chunk that is finished, whichever it is."""
    left = iter(chunks)

    def show(_share: float) -> None:
        chunk = next(left)
        steps.begin(chunk.arguments[1].id, chunk.arguments[3])

    return show


def run_step(chunk: Chunk) -> Any:  # findings, details or reach
    """One step of the analysis of one question."""
    analysis, asked, rows, step, *others = chunk.arguments
    analysis.steps.begin(asked.id, step)
    real = rows.of_kind("real")
    if step == ESTIMATES:
        return tuple(estimate_findings(analysis, asked, real))
    if step == TESTS:
        return tuple(test_findings(analysis, asked, real))
    if step == BEHAVIOUR:
        return tuple(_behaviour(analysis, asked, rows))
    hasty, price = others
    if step == PEOPLE:
        return _details(analysis, asked, rows, hasty)
    return QuestionReach(
        tuple(precisions(analysis, asked, real, price)) if has_participants(real) else (),
        generalizability(analysis, asked, real, price),
        competence_of(analysis, asked, real),
    )


def _behaviour(
    analysis: AnalysisPlan, asked: AnalysedQuestion, rows: Judgments
) -> Iterator[Finding]:
    real = rows.of_kind("real")
    if has_participants(real):
        yield from self_consistencies(analysis, asked, rows)
    yield from order_effects(analysis, asked, real)


def _details(
    analysis: AnalysisPlan,
    asked: AnalysedQuestion,
    rows: Judgments,
    hasty: frozenset[str] | None,
) -> Details:
    """Descriptive tables behind the findings of a question; nothing in them is tested."""
    real = rows.of_kind("real")
    table = answers_by_unit(real)
    won, reason = duels(analysis, real) if asked.is_comparison else ((), "")
    return Details(
        asked.id,
        scores=None if asked.is_comparison else score_counts(analysis, asked, real),
        duels=won,
        units=units(asked, real, table, limit=analysis.further.time_limit),
        people=participant_details(analysis, asked, rows, table, hasty=hasty),
        notes=(reason,) if reason else (),
        scores_by_dataset=() if asked.is_comparison else scores_by_dataset(analysis, asked, real),
        coverage=coverage_by_name(analysis, asked, real),
        own_differences=tuple(own_differences(analysis, asked, real)),
    )
