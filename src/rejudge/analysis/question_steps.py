"""The steps of a question's analysis. They are independent, so they can run at the same time.

Each step of each question is a piece of work, or several. Agreement begins in this process, since
its resamples are chunks themselves.
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
from rejudge.analysis.estimates import differences, means
from rejudge.analysis.findings import pairs_of
from rejudge.analysis.outline import AnalysedQuestion
from rejudge.analysis.participants import participant_details
from rejudge.analysis.question_estimates import estimate_findings
from rejudge.analysis.results import Finding
from rejudge.analysis.sensitivity import Price, generalizability, precisions
from rejudge.analysis.tests import test_pieces
from rejudge.judgments.table import Judgments

Step = tuple[str, float]  # its name, and its share of the time of a question
_MOST_PIECES = 16  # of the pairs of a question: each piece takes all its judgments along


@dataclass(frozen=True, slots=True)
class QuestionReach:
    """Sensitivity and reliability of one question, and how well its participants judged."""

    precisions: tuple[Precision, ...]
    reliability: Generalizability
    competence: Competence


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
        *_of_step(asked, ESTIMATES, estimate_pieces(analysis, asked, real)),
        *_of_step(asked, TESTS, test_pieces(analysis, asked, real)),
        *_of_step(asked, BEHAVIOUR, [Piece(f"{asked.id}: behaviour", _behaviour, (asked, rows))]),
    ]


def estimate_pieces(
    analysis: AnalysisPlan, asked: AnalysedQuestion, judgments: Judgments
) -> list[Piece]:
    """What `estimate_findings` computes, in pieces: differences of scores take long."""
    name = f"{asked.id}: scores of systems"
    is_whole = asked.is_comparison or asked.is_named or bool(analysis.check(asked).pairs)
    if not analysis.is_split or is_whole:
        return [Piece(name, _estimates, (asked, judgments))]
    pairs = list(pairs_of(analysis.outline.systems))
    each = -(-len(pairs) // _MOST_PIECES)
    some = [tuple(pairs[start : start + each]) for start in range(0, len(pairs), max(each, 1))]
    return [
        Piece(name, _means_alone, (asked, judgments)),
        *(Piece(f"{asked.id}: differences", _differences, (asked, judgments, p)) for p in some),
    ]


def _estimates(
    analysis: AnalysisPlan, asked: AnalysedQuestion, judgments: Judgments
) -> tuple[Finding, ...]:
    return tuple(estimate_findings(analysis, asked, judgments))


def _means_alone(
    analysis: AnalysisPlan, asked: AnalysedQuestion, judgments: Judgments
) -> tuple[Finding, ...]:
    return tuple(means(analysis, asked, judgments))


def _differences(
    analysis: AnalysisPlan,
    asked: AnalysedQuestion,
    judgments: Judgments,
    pairs: Sequence[tuple[int, int]],
) -> tuple[Finding, ...]:
    return tuple(differences(analysis, asked, judgments, pairs))


def question_details(
    analysis: AnalysisPlan,
    judgments: Judgments,
    *,
    hasty: frozenset[str] | None,
    price: Price | None,
) -> tuple[tuple[Details, ...], tuple[QuestionReach, ...]]:
    """The details behind the findings of every question, and their sensitivity."""
    pieces: list[Piece] = []
    for asked in analysis.outline.questions:
        rows = judgments.of_question(asked.id)
        details = Piece(f"{asked.id}: {PEOPLE[0]}", _details, (asked, rows, hasty))
        reach = Piece(f"{asked.id}: {REACH[0]}", _reach, (asked, rows, price))
        pieces += (*_of_step(asked, PEOPLE, [details]), *_of_step(asked, REACH, [reach]))
    found = analysis.run_pieces(pieces)
    return tuple(found[::2]), tuple(found[1::2])


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
        competence_of(analysis, asked, real),
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
