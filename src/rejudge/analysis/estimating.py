"""Scores and differences computed again from the judgments, to find results that were altered."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

from rejudge.analysis.analysis_plan import Agenda, Further
from rejudge.analysis.comparing import rates, standings
from rejudge.analysis.deriving import with_derived
from rejudge.analysis.outline import Asked, outline_of_study
from rejudge.analysis.planned_pairs import on_planned_pairs
from rejudge.analysis.results import Finding, Results
from rejudge.analysis.scoring import differences, means
from rejudge.judgments import Judgments
from rejudge.study import Study
from rejudge.version import __version__

_TOLERANCE: Final = 1e-9  # relative: other machines add up in another order


def estimated(agenda: Agenda, asked: Asked, judgments: Judgments) -> Iterator[Finding]:
    """Scores of systems and differences between them."""
    yield from (standings if asked.is_comparison else means)(agenda, asked, judgments)
    pairs = rates if asked.is_comparison else differences
    yield from on_planned_pairs(
        agenda, asked, agenda.check(asked), lambda ordered: pairs(ordered, asked, judgments)
    )


def altered(results: Results, study: Study, kept: Judgments) -> tuple[str, ...]:
    """Ids of scores and differences that do not come out of the judgments that counted.

    It takes little time, so it is done whenever results are read with their judgments. Everything
    else is computed again by `rejudge verify`. Another version may give other intervals, and other
    differences where systems were judged on different items.
    """
    outline = outline_of_study(study, [each.question for each in results.details])
    agenda = Agenda(outline, study.spec.analysis, results.signature.seed, results.coding, Further())
    real = with_derived(kept, outline.derived)[0].of_kind("real")
    again = {
        finding.id: finding
        for asked in outline.questions
        for finding in estimated(agenda, asked, real.of_question(asked.id))
    }
    is_same_version = results.signature.version == __version__
    return tuple(
        stored.id
        for stored in results.findings
        if stored.id in again
        and (is_same_version or len(stored.systems) == 1)
        and not _is_same(stored, again[stored.id], is_same_version)
    )


def _is_same(stored: Finding, again: Finding, is_same_version: bool) -> bool:  # noqa: FBT001
    numbers = [(stored.value, again.value), (stored.n, again.n)]
    if is_same_version and stored.interval and again.interval:
        numbers += [
            (stored.interval.low, again.interval.low),
            (stored.interval.high, again.interval.high),
        ]
    return all(_is_close(*pair) for pair in numbers)


def _is_close(one: float | None, two: float | None) -> bool:
    if one is None or two is None:
        return one is two
    return math.isclose(one, two, rel_tol=_TOLERANCE, abs_tol=_TOLERANCE)
