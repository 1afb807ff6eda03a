"""Tables on how far results can be trusted: plan, agreement, checks, drift, exclusions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rejudge.analysis import Finding, Flow, Results
from rejudge.english import capital
from rejudge.judgments import CheckCount
from rejudge.layout import Cell, Column, Table, interval_column, p_column, tabulate
from rejudge.layout.numbers import interval_text, number
from rejudge.tables.wording import (
    TEST_NAMES,
    coefficient,
    digits_of,
    name_of_coefficient,
    name_of_test,
)

_PAIR = 2
_DIAGNOSTICS = {
    "first-shown-percent": "pull of the side shown first",
    "score-by-position": "drift of scores",
    "first-shown-by-position": "drift towards a side",
    "agreement-by-position": "drift of agreement",
    "seconds-by-position": "drift of times",
}
EXCLUSIONS = {
    "duplicates-first": "judged again; the first judgment counts",
    "duplicates-last": "judged again later; the last judgment counts",
    "named": "left out by name",
    "returned": "batches given back",
    "incomplete": "batches not finished",
    "failed-checks": "failed checks",
    "excluded": "batches excluded while the study ran",
    "chose": "a system nobody should choose was chosen",
    "straight-lining": "always the same answer",
    "too-fast": "batches done too fast",
    "faster-than-reading": "batches done faster than they can be read",
    "surplus": "batches beyond the planned number",
    "faster-than": "answers given too fast",
}
_ON_FAIL = {"exclude": "leads to exclusion", "flag": "is only flagged", "reject": "is rejected"}


# planned and exploratory analyses


def planned_table(results: Results) -> Table:
    """Every analysis with whether it was planned, planned ones first."""
    rows = sorted(_planned_rows(results), key=lambda row: row[2] != "planned")
    return Table(
        "planned",
        "Every analysis of systems and of agreement, and whether it was fixed before anybody was "
        "asked. What is exploratory may suggest something; it confirms nothing. How participants "
        "worked and what they disagree about is exploratory, too.",
        (
            *map(Column, ("question", "analysis", "status")),
            Column("numbers", 0),
            Column("supported", 0),
        ),
        tuple(rows),
    )


def _planned_rows(results: Results) -> Iterator[tuple[Cell, ...]]:
    for question in results.questions:
        found = [f for f in results.findings if f.question == question and _is_analysis(f)]
        for kind in dict.fromkeys(_kind(f) for f in found):
            these = [f for f in found if _kind(f) == kind]
            name, is_planned = kind
            yield (
                question,
                name,
                "planned" if is_planned else "exploratory",
                sum(f.value is not None for f in these),
                _count_supported(these),
            )


def _is_analysis(finding: Finding) -> bool:
    is_agreement = finding.measure == "agreement" and not finding.systems
    is_diagnostic = finding.by in _DIAGNOSTICS or finding.measure in _DIAGNOSTICS
    return is_comparison_of_systems(finding) or is_agreement or is_diagnostic


def is_comparison_of_systems(finding: Finding) -> bool:
    """Whether a finding says which system is better, or whether any differ."""
    is_pair = len(finding.systems) == _PAIR and finding.measure != "agreement"
    return is_pair or finding.measure == "test"


def _kind(finding: Finding) -> tuple[str, bool]:
    """What an analysis is called, and whether it was planned; diagnostics never are."""
    diagnostic = _DIAGNOSTICS.get(finding.by) or _DIAGNOSTICS.get(finding.measure)
    if diagnostic:
        return capital(diagnostic), False
    name = name_of_test(finding) if finding.by in TEST_NAMES else coefficient(finding.by)
    return capital(name), finding.is_planned


def _count_supported(found: Sequence[Finding]) -> str | None:
    tested = [f for f in found if f.is_supported is not None]
    if not tested:
        return None
    return f"{sum(bool(f.is_supported) for f in tested):,} of {len(tested):,}"


# agreement, checks and drift


def agreement_table(found: Sequence[Finding]) -> Table:
    """Coefficients of agreement with both their intervals."""
    return tabulate(
        "agreement",
        "How far participants agree. A unit is an output, or a pair of outputs, that two or more "
        "people judged. The first interval is for these participants and other units, or other "
        "items where several units belong to one; the second for new participants too.",
        found,
        (Column("question"), "question"),
        (Column("coefficient"), name_of_coefficient),
        (Column("units", 0), "n"),
        (Column("value", 2), lambda f: number(f.value, digits_of(f))),
        (interval_column(), lambda f: interval_text(f.interval, digits_of(f))),
        (
            interval_column(2, "for new participants"),
            lambda f: interval_text(f.interval_for_new_people, digits_of(f)),
        ),
    )


def check_table(checks: Sequence[CheckCount], aims: Mapping[str, str]) -> Table:
    """How many checks were answered and failed; `aims` are the questions they are aimed at."""
    return tabulate(
        "checks",
        "Checks: how many were answered by all who took part, and how many failed.",
        checks,
        (Column("check"), "check"),
        (Column("aimed at"), lambda each: aims.get(each.check)),
        (Column("a failure"), lambda each: _ON_FAIL[each.on_fail]),
        (Column("answered", 0), "answered"),
        (Column("failed", 0), "failed"),
        (
            Column("failed, %", 1),
            lambda each: 100 * each.failed / each.answered if each.answered else None,
        ),
    )


def drift_table(found: Sequence[Finding]) -> Table:
    """Whether answers change along the tasks of a participant."""
    return tabulate(
        "drift",
        "Change from one task to the next, mean over participants of their slopes. Exploratory.",
        found,
        (Column("question"), "question"),
        (Column("what"), lambda f: f.by.removesuffix("-by-position")),
        (Column("change per task", 4), "value"),
        (interval_column(4), "interval"),
        (p_column("p"), "p"),
    )


# exclusions


def exclusion_table(flow: Flow) -> Table:
    """What each rule left out; kept and excluded add up."""

    def left_out(rule: str) -> tuple[Cell, ...]:
        these = [each for each in flow.exclusions if each.rule == rule]
        people = len({each.participant for each in these})
        return f"– {EXCLUSIONS.get(rule, rule)}", people, sum(each.rows for each in these)

    return Table(
        "exclusions",
        "Exclusions by rule, with all rows of those left out (judgments of systems, checks and "
        "repeats). Kept and excluded rows add up to what was collected.",
        (Column("step"), Column("participants", 0), Column("rows", 0)),
        (
            ("collected", flow.participants, flow.rows),
            *map(left_out, dict.fromkeys(each.rule for each in flow.exclusions)),
            ("kept", flow.participants_kept, flow.rows_kept),
        ),
    )
