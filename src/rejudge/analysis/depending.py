"""Where an outcome depends on a choice of the analysis: on exclusions, or on the case."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rejudge.analysis.analysis_plan import Agenda, corrected
from rejudge.analysis.results import Case, Dependence, Finding

_PAIR = 2


def dependences(
    agenda: Agenda,
    findings: Sequence[Finding],
    without: Sequence[Finding],
    cases: Sequence[Case],
) -> tuple[Dependence, ...]:
    """Each comparison of two systems that comes out differently by one of the choices."""
    by_exclusion = {"with": findings, "without": without} if without else {}
    by_case = {case.id: case.findings for case in cases}
    return (
        *(Dependence(name, "exclusions", out) for name, out in _changing(agenda, by_exclusion)),
        *(Dependence(name, "cases", out) for name, out in _changing(agenda, by_case)),
    )


def _changing(
    agenda: Agenda, choices: Mapping[str, Sequence[Finding]]
) -> Iterator[tuple[str, dict[str, str]]]:
    """The same tests on both sides: what one choice cannot test is no other conclusion.

    Such tests do not count in the correction either, which would be stricter on one side.
    """
    shared = _tested_in_all(tuple(choices.values()))
    outcomes: dict[str, dict[str, str]] = {}
    for choice, findings in choices.items():
        for finding in corrected(agenda, (each for each in findings if each.id in shared)):
            if len(finding.systems) == _PAIR and finding.measure != "agreement":
                outcomes.setdefault(finding.id, {})[choice] = outcome(finding)
    for name, by_choice in outcomes.items():
        if len(set(by_choice.values())) > 1:
            yield name, by_choice


def _tested_in_all(choices: Sequence[Sequence[Finding]]) -> set[str]:
    tested = [{each.id for each in findings if each.p is not None} for findings in choices]
    return set.intersection(*tested) if tested else set()


def outcome(finding: Finding) -> str:
    """Which of two systems is supported as better: first, second, or open."""
    if finding.value is None or finding.is_supported is None:
        return "undefined"
    if not finding.is_supported:
        return "open"
    middle = 50.0 if finding.measure == "win-percent" else 0.0
    return "first" if finding.value > middle else "second"
