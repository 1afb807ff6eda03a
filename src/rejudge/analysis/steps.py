"""The steps of an analysis: functions of the plan and of one question's data.

They are independent, so they can run at the same time, each as a piece of work, or several.
Agreement begins in this process, since its resamples are divided themselves.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

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
from rejudge.analysis.columns import answers_by_unit
from rejudge.analysis.data import QuestionData, split_groups
from rejudge.analysis.decide import headline_pairs
from rejudge.analysis.descriptives import coverage, own_differences, score_frames, units, wins
from rejudge.analysis.details import Precision
from rejudge.analysis.estimates import estimates
from rejudge.analysis.evidence import is_difference
from rejudge.analysis.findings import undefined_test
from rejudge.analysis.interactions import interactions
from rejudge.analysis.outline import Grouping
from rejudge.analysis.participants import participant_frames
from rejudge.analysis.sensitivity import Price, generalizability, precisions
from rejudge.analysis.tests import findings_of_test, tests_of
from rejudge.findings.frame import Frame
from rejudge.findings.model import Finding
from rejudge.stats.reasons import Why

Step = tuple[str, float]  # its name, and its share of the time of a question
_PLAIN = ("mean", "wins")  # the estimate that describes a system
_EMPTY = Why.NOBODY("value", what="judgments in this group")
_ALONE = Why.ALONE(where=" in this group")


@dataclass(frozen=True, slots=True)
class QuestionReach:
    """Sensitivity and reliability of one question."""

    precisions: tuple[Precision, ...]
    reliability: tuple[Frame, ...]


def compute(analysis: AnalysisPlan, listed: Sequence[QuestionData]) -> list[Finding]:
    """Estimates and tests; of the analysis itself also agreement and behaviour."""
    pieces: list[list[Piece]] = [_pieces_of(analysis, data) for data in listed]
    found = iter(analysis.run_pieces([piece for each in pieces for piece in each]))
    findings: list[Finding] = []
    for data, own in zip(listed, pieces, strict=True):
        for _ in own:
            findings += next(found)
        if not data.case and not data.group:
            analysis.steps.begin(data.question.id, AGREEMENT)
            findings += agreement_findings(analysis, data)
    return findings


def compute_groups(analysis: AnalysisPlan, listed: Sequence[QuestionData]) -> Iterator[Finding]:
    """Each system and each pair within the groups of every column, and whether groups differ."""
    for grouping in analysis.outline.groupings:
        for data in listed:
            yield from _by_group(analysis, data, grouping)


def _by_group(analysis: AnalysisPlan, data: QuestionData, grouping: Grouping) -> Iterator[Finding]:
    parts = split_groups(analysis, data, grouping)
    found = analysis.run_pieces([Piece(_within_group, (part,)) for part in parts])
    for each in (each for within in found for each in within):
        is_planned = each.is_planned and grouping.is_planned
        yield each if is_planned == each.is_planned else replace(each, is_planned=is_planned)
    pairs = dict.fromkeys(pair for within in found for pair in headline_pairs(analysis, within))
    yield from interactions(analysis, parts, grouping, tuple(pairs))


def _within_group(analysis: AnalysisPlan, data: QuestionData) -> list[Finding]:
    """The scores of systems, and the tests of which one will be the headline."""
    if data.question.is_named or not len(data.rows):
        reason = Why.NOT_BY_GROUP() if data.question.is_named else _EMPTY
        return [undefined_test(analysis, data, "group", reason)]
    found = [*estimates(analysis, data), *_tests(analysis, data)]
    kept = [each for each in found if each.n and (each.by in _PLAIN or is_difference(each))]
    if not any(map(is_difference, found)):
        kept.append(undefined_test(analysis, data, "group", _ALONE))
    return kept


def _tests(analysis: AnalysisPlan, data: QuestionData) -> Iterator[Finding]:
    for planned in tests_of(analysis, data):
        yield from findings_of_test(analysis, data, planned)


def _pieces_of(analysis: AnalysisPlan, data: QuestionData) -> list[Piece]:
    """Estimates and tests of a question, and last how people behaved."""
    pieces = [
        *_of_step(data, ESTIMATES, [Piece(_estimates, (data,))]),
        *_of_step(
            data,
            TESTS,
            [Piece(findings_of_test, (data, each)) for each in tests_of(analysis, data)],
        ),
    ]
    if not data.case:
        pieces += _of_step(data, BEHAVIOUR, [Piece(_behaviour, (data,))])
    return pieces


def _estimates(analysis: AnalysisPlan, data: QuestionData) -> tuple[Finding, ...]:
    return tuple(estimates(analysis, data))


def compute_details(
    analysis: AnalysisPlan,
    listed: Sequence[QuestionData],
    *,
    hasty: frozenset[str] | None,
    price: Price | None,
) -> tuple[tuple[Frame, ...], tuple[QuestionReach, ...]]:
    """The descriptive tables of every question, and the sensitivity of its findings."""
    pieces: list[Piece] = []
    for data in listed:
        pieces += _of_step(data, PEOPLE, [Piece(_details, (data, hasty))])
        pieces += _of_step(data, REACH, [Piece(_reach, (data, price))])
    found = analysis.run_pieces(pieces)
    return tuple(frame for frames in found[::2] for frame in frames), tuple(found[1::2])


def _of_step(data: QuestionData, step: Step, pieces: Sequence[Piece]) -> list[Piece]:
    """The pieces of a step, which share its time; those of cases belong to the step before."""
    if data.case:
        return list(pieces)
    what, share = step
    about = data.question.id
    return [replace(p, step=QuestionStep(about, what, share / len(pieces))) for p in pieces]


def _reach(analysis: AnalysisPlan, data: QuestionData, price: Price | None) -> QuestionReach:
    reliability = tuple(generalizability(data, price))
    return QuestionReach(tuple(precisions(analysis, data, price)), reliability)


def _behaviour(analysis: AnalysisPlan, data: QuestionData) -> tuple[Finding, ...]:
    asked = data.question
    again: Iterator[Finding] | tuple[Finding, ...] = ()
    if data.has_participants:
        again = self_consistencies(analysis, asked, data.everything)
    return (*again, *order_effects(analysis, asked, data.rows))


def _details(
    analysis: AnalysisPlan, data: QuestionData, hasty: frozenset[str] | None
) -> tuple[Frame, ...]:
    """Descriptive tables behind the findings of a question; nothing in them is tested."""
    asked, real = data.question, data.rows
    table = answers_by_unit(real)
    return (
        *score_frames(analysis, asked, real),
        *coverage(analysis, asked, real),
        *own_differences(analysis, asked, real),
        *wins(analysis, asked, real),
        *units(asked, real, table),
        *participant_frames(analysis, asked, data.everything, table, hasty=hasty),
    )
