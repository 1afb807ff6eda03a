"""The one place that decides about findings: roles, families, corrected p, looks, populations.

Headline: the planned test. Where nothing was planned, the mixed model from five participants and
five items on; of rankings and best–worst answers the one of whole judgments, which loses nothing
that they say. With fewer participants it is a test by item, which holds for these participants
only, and with fewer items a test by participant. The cluster-robust difference is the check.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, TypeAlias

from rejudge import stats
from rejudge.analysis.analysis_plan import FEWEST, AnalysisPlan
from rejudge.analysis.evidence import CHECK, is_difference
from rejudge.analysis.findings import population_of_unit
from rejudge.analysis.item_selection import ItemSelection
from rejudge.findings.model import Finding, Key, Population, Role
from rejudge.stats.reasons import Why
from rejudge.study.analysis_plan import PlannedTest, Unit

Family: TypeAlias = tuple[str, ...]
_DECIDING: Final[Family] = ("deciding",)
_PLANNED: Final[Family] = ("planned",)
_SIMULTANEOUS: Final[Family] = ("simultaneous",)
_NOT_CORRECTED: Final = frozenset({"first-shown-percent", "order-effect"})
_WITHOUT_ITEMS: Final[Mapping[Population | None, Population]] = {
    "items and participants": "participants",
    "items": "these items and participants",
}


def decide(analysis: AnalysisPlan, findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The findings with their roles, corrected p values and populations.

    Each two systems have one headline on each question, in each group and case; within groups
    nothing else that is tested is kept. Everything that was planned is one family. What was not
    planned is corrected by test and question, and stays exploratory whatever comes out. The
    headlines of all groups of a column are one family, also where a small group needs another test
    than a large one. Each case is corrected on its own. Where looks are planned, the comparison
    that decides stands first and alone, and the other planned ones follow it: none of them has a
    smaller p value.
    """
    listed = list(findings)
    roles = _roles(analysis, listed)
    kept = [place for place, each in enumerate(listed) if _is_kept(each, roles.get(place))]
    listed, known = [listed[place] for place in kept], [roles.get(place) for place in kept]
    families = _families(analysis, listed, known)
    corrected = _corrected(analysis, listed, families)
    return tuple(
        replace(
            each if analysis.looks is None else analysis.looks.widen(each),
            role=role,
            **_decision(analysis, p) if family else {},
            **_population(analysis.outline.selection, each),
        )
        for each, role, family, p in zip(listed, known, families, corrected, strict=True)
    )


def correct_again(analysis: AnalysisPlan, findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Some of the findings that were decided, corrected as if there were no others."""
    families = _families(analysis, findings, [each.role for each in findings])
    corrected = _corrected(analysis, findings, families)
    return tuple(
        replace(each, **_decision(analysis, p)) if family else each
        for each, family, p in zip(findings, families, corrected, strict=True)
    )


def family_sizes(findings: Sequence[Finding]) -> dict[Key, int]:
    """How many p values were corrected together with that of each finding, whatever the looks."""
    sizes = Counter(_family(each, each.role) for each in findings if _is_corrected(each))
    return {
        each.key: 1 if each.is_simultaneous else max(1, sizes[_family(each, each.role)])
        for each in findings
    }


def _is_kept(finding: Finding, role: Role | None) -> bool:
    """Within groups, only estimates of systems, headlines and what has no role."""
    return not finding.group or role in {None, "headline"}


# Families and correction


def _families(
    analysis: AnalysisPlan, findings: Sequence[Finding], roles: Sequence[Role | None]
) -> list[Family | None]:
    """What each p value is corrected together with; None: nothing is corrected."""
    looks = analysis.looks
    return [
        None
        if not _is_corrected(each)
        else (each.key.case, *_DECIDING)
        if looks is not None and role == "headline" and looks.is_about(each)
        else _family(each, role)
        for each, role in zip(findings, roles, strict=True)
    ]


def _is_corrected(finding: Finding) -> bool:
    return finding.p is not None and finding.measure not in _NOT_CORRECTED


def _family(finding: Finding, role: Role | None) -> Family:
    case = finding.key.case
    if finding.is_simultaneous:
        return (case, *_SIMULTANEOUS)
    if finding.is_planned:
        return (case, *_PLANNED)
    if not finding.group:
        return (case, finding.question, finding.by, finding.measure)
    kind = "headline" if role == "headline" else finding.by
    return (case, finding.question, kind, *(each.column for each in finding.group))


def _corrected(
    analysis: AnalysisPlan, findings: Sequence[Finding], families: Sequence[Family | None]
) -> list[float | None]:
    """The p value of each finding after correction and for all looks; None: not corrected."""
    looks = analysis.looks
    corrected: list[float | None] = [None] * len(findings)
    members: dict[Family, list[int]] = {}
    for place, family in enumerate(families):
        if family is not None:
            members.setdefault(family, []).append(place)
    for family, places in members.items():
        alone = [findings[place].p for place in places]
        if looks is not None:
            alone = [looks.p_of(findings[place]) for place in places]
        is_done = family[1:] == _SIMULTANEOUS
        adjusted = alone if is_done else stats.adjust_p(alone, analysis.correction)
        for place, p in zip(places, adjusted, strict=True):
            corrected[place] = p
    for family, places in members.items():
        if family[1:] == _PLANNED:
            first = _largest(corrected, members.get((family[0], *_DECIDING), ()))
            for place in places:
                corrected[place] = _not_below(corrected[place], first)
    return corrected


def _largest(p_values: Sequence[float | None], places: Sequence[int]) -> float:
    return max((p for place in places if (p := p_values[place]) is not None), default=0.0)


def _not_below(p: float | None, least: float) -> float | None:
    return None if p is None else max(p, least)


def _decision(analysis: AnalysisPlan, p: float | None) -> dict[str, Any]:
    return {"p_adjusted": p, "is_supported": None if p is None else p < analysis.alpha}


# Roles


def _roles(analysis: AnalysisPlan, findings: Sequence[Finding]) -> dict[int, Role]:
    """The role of each test of two systems, by its place: one headline for each two."""
    roles: dict[int, Role] = {}
    tests: dict[tuple[object, ...], list[int]] = {}
    for place, each in enumerate(findings):
        if is_difference(each):
            about = (each.question, each.group, each.key.case, frozenset(each.systems))
            tests.setdefault(about, []).append(place)
    for places in tests.values():
        roles |= {p: "check" if findings[p].by == CHECK else "further" for p in places}
        roles[_headline(analysis, [findings[place] for place in places], places)] = "headline"
    return roles


def headline_pairs(analysis: AnalysisPlan, findings: Sequence[Finding]) -> list[tuple[str, ...]]:
    """The pairs of systems that are tested, in the order that their headlines have."""
    roles = _roles(analysis, findings)
    return [findings[place].systems for place, role in sorted(roles.items()) if role == "headline"]


def _headline(analysis: AnalysisPlan, tests: Sequence[Finding], places: Sequence[int]) -> int:
    """The first test in order of preference that has a result, or else the first of all."""
    unit = _unit(tests)
    ranks = {p: _rank(analysis, each, unit) for p, each in zip(places, tests, strict=True)}
    defined = [p for p, each in zip(places, tests, strict=True) if each.p is not None]
    return min(defined or places, key=ranks.__getitem__)


def _rank(analysis: AnalysisPlan, finding: Finding, unit: Unit | None) -> tuple[int, int]:
    """Planned tests in the order of the plan, then the usual ones by what the data allow."""
    if finding.is_planned:
        return 0, _place(analysis.plan.tests if analysis.plan else (), finding)
    selection = analysis.outline.selection
    if selection is not None and selection.decides_by_weights and finding.by == CHECK:
        return 1, -1  # models without weights speak for the selected items only
    if unit is None:
        usual = _usual_models(analysis, finding.question)
        place = usual.index(finding.by) if finding.by in usual else None
    else:
        place = 0 if finding.population == population_of_unit(unit) else None
    return (2 if finding.by == CHECK else 3, 0) if place is None else (1, place)


def _usual_models(analysis: AnalysisPlan, question: str) -> tuple[str, ...]:
    """The models that decide without a plan, the first that has a result."""
    is_implied = any(each.is_implied for each in analysis.outline.questions if each.id == question)
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


# Populations


def _population(selection: ItemSelection | None, finding: Finding) -> dict[str, Any]:
    """What changes in a finding that does not generalise to other items.

    That is all that is not weighted where items were not equally likely to be selected, and
    everything where a person chose them.
    """
    if selection is None or (selection.is_random and not selection.decides_by_weights):
        return {}
    if finding.is_weighted:
        return {}
    before = finding.population
    after = _WITHOUT_ITEMS.get(before, before)
    is_unweighted = selection.is_random and finding.value is not None
    further = (Why.UNWEIGHTED(),) if is_unweighted else ()
    return {"population": after, "reasons": (*finding.reasons, *further)}
