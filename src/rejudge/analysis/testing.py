"""Every test that can be planned, by name; what cannot be computed is listed with the reason."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import TypeAlias

from rejudge.analysis.analysis_plan import Agenda, FurtherTest, joined, undefined
from rejudge.analysis.by_block import by_block
from rejudge.analysis.choosing import choice_models
from rejudge.analysis.classical import contrasts, variances
from rejudge.analysis.columns import SHARES, are_choices, has_participants, levels, scores
from rejudge.analysis.comparing import sign_flips
from rejudge.analysis.headline import unit_of_few
from rejudge.analysis.models import mixed
from rejudge.analysis.outline import Asked
from rejudge.analysis.planned_pairs import on_planned_pairs
from rejudge.analysis.ranking import rankings
from rejudge.analysis.results import Finding
from rejudge.analysis.slopes import ONLY_SCORES
from rejudge.analysis.strengths import strengths
from rejudge.judgments import Judgments
from rejudge.study import PlannedTest, Test

Tester: TypeAlias = Callable[[Agenda, Asked, Judgments, PlannedTest], Iterator[Finding]]

_ONLY_SCORES = (
    "Kenward and Roger's adjustment is for scores; the model of choices keeps Satterthwaite's "
    "degrees of freedom."
)
_NOT_CHOICES = "Undefined: it flips the signs of choices; for scores take wilcoxon by item."


def tested(agenda: Agenda, asked: Asked, judgments: Judgments) -> Iterator[Finding]:
    """The tests of a question. (The cluster-robust one comes with the estimates.)"""
    for planned in (*agenda.tests(asked), *_of_few(agenda, asked, judgments)):
        if planned.test != "cluster-robust":
            compute = partial(_computed, asked=asked, judgments=judgments, planned=planned)
            yield from on_planned_pairs(agenda, asked, planned, compute)


def _computed(
    agenda: Agenda, *, asked: Asked, judgments: Judgments, planned: PlannedTest
) -> Iterator[Finding]:
    return _TESTS[planned.test](agenda, asked, judgments, planned)


def _of_few(agenda: Agenda, asked: Asked, judgments: Judgments) -> Iterator[PlannedTest]:
    """The test that decides where participants or items are few and nothing was planned."""
    if asked.is_comparison or agenda.is_planned(asked) or not has_participants(judgments):
        return
    if agenda.outline.by_items_alone or not len(judgments):
        return
    table = scores(agenda.outline, judgments)
    unit = unit_of_few(levels(table.item), levels(table.participant))
    if unit and FurtherTest("paired-t", unit) not in agenda.further.tests:
        yield agenda.unplanned(asked, FurtherTest("paired-t", unit))


def _flips(
    agenda: Agenda, asked: Asked, judgments: Judgments, planned: PlannedTest
) -> Iterator[Finding]:
    if not asked.is_comparison:
        yield undefined(agenda, asked, planned.test, _NOT_CHOICES)
    elif not are_choices(judgments):
        yield undefined(agenda, asked, planned.test, SHARES)
    else:
        yield from sign_flips(agenda, asked, judgments)


def _mixed(
    agenda: Agenda, asked: Asked, judgments: Judgments, planned: PlannedTest
) -> Iterator[Finding]:
    if not asked.is_comparison:
        yield from mixed(agenda, asked, judgments, planned)
        return
    unused = joined(
        _ONLY_SCORES if agenda.df_of(asked, planned) == "kenward-roger" else "",
        ONLY_SCORES if agenda.slopes_of(asked, planned) == "free" else "",
    )
    for finding in choice_models(agenda, asked, judgments, planned):
        yield replace(finding, note=joined(finding.note, unused))


_TESTS: dict[Test, Tester] = {
    "sign-flip": _flips,
    "bradley-terry": strengths,
    "plackett-luce": rankings,
    "friedman": by_block,
    "hotelling": by_block,
    "repeated-measures": by_block,
    "mixed-model": _mixed,
    "joint-mixed-model": choice_models,
    "ordinal-mixed-model": mixed,
    "binary-mixed-model": mixed,
    "one-way-anova": variances,
    "t-test": contrasts,
    "welch": contrasts,
    "paired-t": contrasts,
    "wilcoxon": contrasts,
    "mann-whitney": contrasts,
}
