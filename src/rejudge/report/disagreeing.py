"""Sentences about comparisons whose headline and check disagree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rejudge.analysis import POPULATIONS, Finding, Results, disagreements, outcome
from rejudge.english import versus
from rejudge.report.wording import capital, name_of_test, p_equals


def disagreement_sentences(
    results: Results, question: str, labels: Mapping[str, str]
) -> Iterator[str]:
    """Where the check supports something else than the headline, on one question."""
    for each in disagreements(f for f in results.findings if f.question == question):
        names = [labels.get(system, system) for system in each.headline.systems]
        sides = [_said(f, names) for f in (each.headline, each.check)]
        pair = versus(names, each.headline.measure)
        yield f"{pair}: the headline and its check disagree. {capital('; '.join(sides))}."


def _said(finding: Finding, names: list[str]) -> str:
    result = outcome(finding)
    what = (
        "does not support a difference"
        if result == "open"
        else f"supports that {names[0 if result == 'first' else 1]} is ahead"
    )
    p = finding.p if finding.p_adjusted is None else finding.p_adjusted
    whom = f", {POPULATIONS[finding.population]}" if finding.population else ""
    return f"the {name_of_test(finding)} {what} ({p_equals(p or 0.0)}{whom})"
