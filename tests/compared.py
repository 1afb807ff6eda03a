"""Findings of comparisons, by what they are about."""

from __future__ import annotations

from collections.abc import Iterable

from rejudge.findings.model import Finding


def select(
    findings: Iterable[Finding],
    measure: str,
    *runs: str,
    question: str | None = None,
    systems: tuple[str, ...] | None = None,
    method: str | None = None,
) -> list[Finding]:
    """The findings of a measure; what is left out may be anything."""
    return [
        each
        for each in findings
        if each.measure == measure
        and (not runs or each.key.runs == runs)
        and question in (None, each.key.question)
        and systems in (None, each.systems)
        and method in (None, each.key.method)
    ]


def single(
    findings: Iterable[Finding],
    measure: str,
    *runs: str,
    question: str | None = None,
    systems: tuple[str, ...] | None = None,
    method: str | None = None,
) -> Finding:
    """The one finding about this."""
    (found,) = select(findings, measure, *runs, question=question, systems=systems, method=method)
    return found
