"""Checks, sides, drift and the evenness of the plan: what could have bent the numbers."""

from __future__ import annotations

from collections.abc import Iterator

from rejudge.analysis import Finding, Results
from rejudge.design import measure
from rejudge.english import count
from rejudge.layout.numbers import (
    interval_phrase,
    interval_text,
    number,
    p_equals,
    p_value,
    percent,
)
from rejudge.report.blocks import Block, Facts, Heading, Paragraph, Table
from rejudge.report.page_tables import page_table
from rejudge.report.subject import Designed, Subject
from rejudge.tables.details import copied_table

_ON_FAIL = {"exclude": "leads to exclusion", "flag": "is only flagged", "reject": "is rejected"}
_EVEN = 50.0


def diagnostic_blocks(subject: Subject) -> Iterator[Block]:
    """The whole section but its figures."""
    results = subject.results
    yield from _checks(results, subject.designed)
    for finding in results.findings:
        if finding.measure == "first-shown-percent":
            yield Paragraph(side_sentence(finding, results.signature.level))
    yield from _drift(results)
    if subject.designed is not None:
        yield Heading("How even the plan is")
        balance = measure(subject.designed.study, subject.designed.plan)
        yield Facts(tuple((each.what, each.detail) for each in balance.statements))


def _checks(results: Results, designed: Designed | None) -> Iterator[Block]:
    if not results.checks:
        has = "The study has" if designed else "The table holds"
        yield Paragraph(f"{has} no checks.")
        return
    checks = designed.study.spec.checks if designed else ()
    aims = {check.id: check.question for check in checks}
    yield Table(
        id="table-checks",
        caption="Checks: how many were answered by all who took part, and how many failed.",
        head=("Check", "Aimed at", "A failure", "Answered", "Failed", "Failed, %"),
        align="lllrrr",
        rows=tuple(
            (
                check.check,
                aims.get(check.check, "–"),
                _ON_FAIL[check.on_fail],
                f"{check.answered:,}",
                f"{check.failed:,}",
                number(100 * check.failed / check.answered if check.answered else None),
            )
            for check in results.checks
        ),
    )


def _drift(results: Results) -> Iterator[Block]:
    """Whether answers change along the tasks of a participant."""
    found = [f for f in results.findings if f.measure == "order-effect" and f.value is not None]
    if found:
        yield Table(
            id="table-drift",
            caption="Change from one task to the next, mean over participants of their slopes. "
            "Exploratory.",
            head=("Question", "What", "Change per task", "Interval", "p"),
            align="llrrr",
            rows=tuple(
                (
                    f.question,
                    f.by.removesuffix("-by-position"),
                    number(f.value, 4),
                    interval_text(f.interval, 4),
                    p_value(f.p),
                )
                for f in found
            ),
        )


def side_sentence(finding: Finding, level: float) -> str:
    """How often the output shown first was chosen, and whether that is a pull."""
    if finding.value is None:
        return f"On {finding.question} it is not known which output was shown first."
    share = (
        f"On {finding.question}, the output shown first was chosen in {percent(finding.value)} of "
        f"{count(finding.n, 'comparison')} ({interval_phrase(finding.interval)})"
    )
    if finding.p is None or finding.value == _EVEN:
        return f"{share}."
    side = "first" if finding.value > _EVEN else "second"
    is_seen = finding.p < 1 - level
    return (
        f"{share}; a pull towards the side shown {side} is {'' if is_seen else 'not '}supported "
        f"({p_equals(finding.p)})."
    )


def copied_blocks(subject: Subject) -> Iterator[Block]:
    """How often each system returned its input unchanged, however rarely."""
    table = copied_table(subject.results.copied, subject.labels)
    if table.rows:
        yield page_table(table)
