"""The steps of a question's analysis. They are independent, so they can run at the same time.

Each step of each question is a piece of work, or several. Agreement begins in this process, since
its resamples are divided themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice

from rejudge.analysis.agreement import agreement_findings
from rejudge.analysis.analysis_plan import (
    AGREEMENT,
    BEHAVIOUR,
    ESTIMATES,
    PEOPLE,
    REACH,
    TESTS,
    AnalysisPlan,
    Piece,
    QuestionStep,
)
from rejudge.analysis.behaviour import order_effects, self_consistencies
from rejudge.analysis.columns import answers_by_unit, has_participants
from rejudge.analysis.descriptives import coverage, own_differences, score_frames, units, wins
from rejudge.analysis.details import Generalizability, Precision
from rejudge.analysis.outline import AnalysedQuestion
from rejudge.analysis.participants import participant_frames
from rejudge.analysis.question_estimates import estimate_findings
from rejudge.analysis.sensitivity import Price, generalizability, precisions
from rejudge.analysis.tests import test_pieces
from rejudge.findings.frame import Frame
from rejudge.findings.model import Finding
from rejudge.judgments.table import Judgments

Step = tuple[str, float]  # its name, and its share of the time of a question


@dataclass(frozen=True, slots=True)
class QuestionReach:
    """Sensitivity and reliability of one question."""

    precisions: tuple[Precision, ...]
    reliability: Generalizability


def question_findings(analysis: AnalysisPlan, judgments: Judgments) -> list[Finding]:
    """Estimates, tests, agreement and behaviour of every question, in this order."""
    planned = [_pieces_of(analysis, judgments, asked) for asked in analysis.outline.questions]
    found = iter(analysis.run_pieces([piece for pieces in planned for piece in pieces]))
    listed: list[Finding] = []
    for asked, pieces in zip(analysis.outline.questions, planned, strict=True):
        *before, after = islice(found, len(pieces))
        analysis.steps.begin(asked.id, AGREEMENT)
        real = judgments.of_question(asked.id).of_kind("real")
        listed += (finding for part in before for finding in part)
        listed += (*agreement_findings(analysis, asked, real), *after)
    return listed


def _pieces_of(
    analysis: AnalysisPlan, judgments: Judgments, asked: AnalysedQuestion
) -> list[Piece]:
    """Estimates and tests of a question, and last how people behaved."""
    rows = judgments.of_question(asked.id)
    real = rows.of_kind("real")
    return [
        *_of_step(asked, ESTIMATES, [Piece(estimates, (asked, real))]),
        *_of_step(asked, TESTS, test_pieces(analysis, asked, real)),
        *_of_step(asked, BEHAVIOUR, [Piece(_behaviour, (asked, rows))]),
    ]


def estimates(
    analysis: AnalysisPlan, asked: AnalysedQuestion, judgments: Judgments
) -> tuple[Finding, ...]:
    return tuple(estimate_findings(analysis, asked, judgments))


def question_details(
    analysis: AnalysisPlan,
    judgments: Judgments,
    *,
    hasty: frozenset[str] | None,
    price: Price | None,
) -> tuple[tuple[Frame, ...], tuple[QuestionReach, ...]]:
    """The descriptive tables of every question, and the sensitivity of its findings."""
    pieces: list[Piece] = []
    for asked in analysis.outline.questions:
        rows = judgments.of_question(asked.id)
        details = Piece(_details, (asked, rows, hasty))
        reach = Piece(_reach, (asked, rows, price))
        pieces += (*_of_step(asked, PEOPLE, [details]), *_of_step(asked, REACH, [reach]))
    found = analysis.run_pieces(pieces)
    return tuple(frame for frames in found[::2] for frame in frames), tuple(found[1::2])


def _of_step(asked: AnalysedQuestion, step: Step, pieces: Sequence[Piece]) -> list[Piece]:
    """The pieces of a step, which share its time."""
    what, share = step
    return [replace(p, step=QuestionStep(asked.id, what, share / len(pieces))) for p in pieces]


def _reach(
    analysis: AnalysisPlan, asked: AnalysedQuestion, rows: Judgments, price: Price | None
) -> QuestionReach:
    real = rows.of_kind("real")
    return QuestionReach(
        tuple(precisions(analysis, asked, real, price)) if has_participants(real) else (),
        generalizability(analysis, asked, real, price),
    )


def _behaviour(
    analysis: AnalysisPlan, asked: AnalysedQuestion, rows: Judgments
) -> tuple[Finding, ...]:
    real = rows.of_kind("real")
    again = self_consistencies(analysis, asked, rows) if has_participants(real) else ()
    return (*again, *order_effects(analysis, asked, real))


def _details(
    analysis: AnalysisPlan,
    asked: AnalysedQuestion,
    rows: Judgments,
    hasty: frozenset[str] | None,
) -> tuple[Frame, ...]:
    """Descriptive tables behind the findings of a question; nothing in them is tested."""
    real = rows.of_kind("real")
    table = answers_by_unit(real)
    return (
        *score_frames(analysis, asked, real),
        *coverage(analysis, asked, real),
        *own_differences(analysis, asked, real),
        *wins(analysis, asked, real),
        *units(asked, real, table),
        *participant_frames(analysis, asked, rows, table, hasty=hasty),
    )
