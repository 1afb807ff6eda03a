"""Estimates and the headline test of each pair within groups, and whether groups differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rejudge.analysis.analysis_plan import Agenda, undefined
from rejudge.analysis.columns import has_participants, levels
from rejudge.analysis.estimating import estimated
from rejudge.analysis.groups import Group, Grouping, GroupSize
from rejudge.analysis.headline import with_roles
from rejudge.analysis.interacting import interactions
from rejudge.analysis.outline import Asked
from rejudge.analysis.results import Finding, GroupAnalysis
from rejudge.analysis.testing import tested
from rejudge.judgments import Judgments

_ALONE = "Undefined: only one system was judged in this group."
_NOBODY = "Undefined: there are no judgments in this group."
_PLAIN = ("mean", "wins")  # the estimate that describes a system


def analysed_by_groups(agenda: Agenda, judgments: Judgments) -> tuple[GroupAnalysis, ...]:
    """The analysis by every grouping of the study or the table; p values are not corrected yet."""
    real = judgments.of_kind("real")
    return tuple(_analysed(agenda, real, grouping) for grouping in agenda.outline.groupings)


def _analysed(agenda: Agenda, real: Judgments, grouping: Grouping) -> GroupAnalysis:
    codes = grouping.codes(real)
    parts = [real.take(codes == code) for code in range(len(grouping.names))]
    findings = [
        finding
        for asked in agenda.outline.questions
        for finding in _of_question(replace(agenda, by_group=True), asked, parts, grouping)
    ]
    return GroupAnalysis(
        column=grouping.column,
        of=grouping.of,
        groups=tuple(map(_size, grouping.names, (_judged(agenda, part) for part in parts))),
        findings=tuple(findings),
        is_planned=grouping.is_planned,
        without_group=int((codes < 0).sum()),
    )


def _of_question(
    agenda: Agenda, asked: Asked, parts: Sequence[Judgments], grouping: Grouping
) -> Iterator[Finding]:
    rows = [part.of_question(asked.id) for part in parts]
    found: list[Finding] = []
    for name, part in zip(grouping.names, rows, strict=True):
        found += (_in_group(each, grouping, name) for each in _within(agenda, asked, part))
    yield from found
    pairs = dict.fromkeys(each.systems for each in found if each.role == "headline")
    for each in interactions(agenda, asked, rows, tuple(pairs)):
        yield _in_group(each, grouping, None)


def _within(agenda: Agenda, asked: Asked, part: Judgments) -> Iterator[Finding]:
    """Each system, and the headline of each pair."""
    if not len(part):
        yield undefined(agenda, asked, "group", _NOBODY)
        return
    found = with_roles(agenda, (*estimated(agenda, asked, part), *tested(agenda, asked, part)))
    kept = [each for each in found if each.by in _PLAIN or each.role == "headline"]
    yield from (each for each in kept if each.n)
    if not any(each.role == "headline" for each in kept):
        yield undefined(agenda, asked, "group", _ALONE)


def _in_group(finding: Finding, grouping: Grouping, name: str | None) -> Finding:
    where = grouping.column if name is None else f"{grouping.column}={name}"
    return replace(
        finding,
        id=f"{finding.id}@{where}",
        group=Group(grouping.column, name),
        is_planned=finding.is_planned and grouping.is_planned,
    )


def _judged(agenda: Agenda, part: Judgments) -> Judgments:
    """The judgments that people made; scores that were computed from them are none."""
    import numpy as np

    derived = [part.question.code(each.id) for each in agenda.outline.derived]
    return part.take(~np.isin(part.question.codes, derived))


def _size(name: str, part: Judgments) -> GroupSize:
    people = levels(part.participant.codes) if has_participants(part) else None
    return GroupSize(name, len(part), levels(part.item.codes), people)
