"""Every test that can be planned, by name; what cannot be computed is listed with the reason."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from rejudge.analysis.agenda import Agenda, undefined
from rejudge.analysis.by_block import by_block
from rejudge.analysis.classical import contrasts, variances
from rejudge.analysis.columns import SHARES, are_choices
from rejudge.analysis.comparing import sign_flips
from rejudge.analysis.models import mixed
from rejudge.analysis.outline import Asked
from rejudge.analysis.results import Finding
from rejudge.analysis.strengths import strengths
from rejudge.judgments import Judgments
from rejudge.study import PlannedTest, Test

Tester: TypeAlias = Callable[[Agenda, Asked, Judgments, PlannedTest], Iterator[Finding]]

_NOT_CHOICES = "Undefined: it flips the signs of choices; for scores take wilcoxon by item."


def tested(agenda: Agenda, asked: Asked, judgments: Judgments) -> Iterator[Finding]:
    """The tests of a question. (The cluster-robust one comes with the estimates.)"""
    for planned in agenda.tests(asked):
        if planned.test != "cluster-robust":
            yield from _TESTS[planned.test](agenda, asked, judgments, planned)


def _flips(
    agenda: Agenda, asked: Asked, judgments: Judgments, planned: PlannedTest
) -> Iterator[Finding]:
    if not asked.is_comparison:
        yield undefined(agenda, asked, planned.test, _NOT_CHOICES)
    elif not are_choices(judgments):
        yield undefined(agenda, asked, planned.test, SHARES)
    else:
        yield from sign_flips(agenda, asked, judgments)


_TESTS: dict[Test, Tester] = {
    "sign-flip": _flips,
    "bradley-terry": strengths,
    "friedman": by_block,
    "hotelling": by_block,
    "repeated-measures": by_block,
    "mixed-model": mixed,
    "ordinal-mixed-model": mixed,
    "binary-mixed-model": mixed,
    "one-way-anova": variances,
    "t-test": contrasts,
    "welch": contrasts,
    "paired-t": contrasts,
    "wilcoxon": contrasts,
    "mann-whitney": contrasts,
}
