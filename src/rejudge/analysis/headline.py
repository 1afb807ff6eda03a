"""Which test decides between two systems, which one checks it, and where they disagree.

Headline: the planned test. Where nothing was planned, the mixed model from five participants and
five items on; of rankings and best–worst answers the one of whole judgments, which loses nothing
that they say. With fewer participants it is a test by item, which speaks for these participants
alone, and with fewer items a test by participant. The cluster-robust difference is the check.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from rejudge.analysis.analysis_plan import Agenda
from rejudge.analysis.evidence import on_the_scale, sign_of, tests_of_pairs
from rejudge.analysis.population import FEWEST, population_of_unit
from rejudge.analysis.results import Finding, Role
from rejudge.study import PlannedTest, Unit

CHECK = "cluster-robust"


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A headline and its check that do not say the same of two systems."""

    headline: Finding
    check: Finding


def with_roles(agenda: Agenda, findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The findings with one headline for each two systems on each question, and its check."""
    listed = list(findings)
    roles: dict[str, Role] = {}
    for tests in tests_of_pairs(listed):
        roles |= {each.id: "further" for each in tests}
        roles |= {each.id: "check" for each in tests if each.by == CHECK}
        roles[_headline(agenda, tests).id] = "headline"
    return tuple(
        replace(each, role=roles[each.id]) if each.id in roles else each for each in listed
    )


def _headline(agenda: Agenda, tests: Sequence[Finding]) -> Finding:
    """The first test in order of preference that has a result, or else the first of all."""
    unit = _unit(tests)
    ranked = sorted(tests, key=lambda each: _rank(agenda, each, unit))
    return next((each for each in ranked if each.p is not None), ranked[0])


def _rank(agenda: Agenda, finding: Finding, unit: Unit | None) -> tuple[int, int]:
    """Planned tests in the order of the plan, then the usual ones by what the data can bear."""
    if finding.is_planned:
        return 0, _place(agenda.plan.tests if agenda.plan else (), finding)
    if unit is None:
        usual = _usual(agenda, finding.question)
        place = usual.index(finding.by) if finding.by in usual else None
    else:
        place = 0 if finding.population == population_of_unit(unit) else None
    return (2 if finding.by == CHECK else 3, 0) if place is None else (1, place)


def _usual(agenda: Agenda, question: str) -> tuple[str, ...]:
    """The models that decide without a plan, the first that has a result."""
    is_implied = any(each.is_implied for each in agenda.outline.questions if each.id == question)
    return ("joint-mixed-model", "mixed-model") if is_implied else ("mixed-model",)


def _place(planned: Sequence[PlannedTest], finding: Finding) -> int:
    tests = [each.test for each in planned if each.question == finding.question]
    return next((place for place, test in enumerate(tests) if test == finding.by), len(tests))


def _unit(tests: Sequence[Finding]) -> Unit | None:
    items = [each.items for each in tests if each.items is not None]
    people = [each.participants for each in tests if each.participants is not None]
    return unit_of_few(max(items), max(people)) if items and people else None


def unit_of_few(items: int, participants: int) -> Unit | None:
    """What a test must count once where participants or items are few; None where neither are."""
    if participants < FEWEST:
        return "item"
    return "participant" if items < FEWEST else None


def disagreements(findings: Iterable[Finding]) -> Iterator[Disagreement]:
    """Headlines whose check supports something else."""
    for tests in tests_of_pairs(findings):
        by_role = {each.role: each for each in tests}
        headline, check = by_role.get("headline"), by_role.get("check")
        if headline and check and _disagree(headline, check):
            yield Disagreement(headline, check)


def _disagree(one: Finding, other: Finding) -> bool:
    if one.is_supported is None or other.is_supported is None:
        return False
    if one.is_supported != other.is_supported:
        return True
    signs = {sign_of(on_the_scale(each, each.value)) for each in (one, other)}
    return one.is_supported and len(signs) > 1
