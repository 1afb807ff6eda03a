"""Results at a glance: a few lines to print, the same as a table in notebooks, all as a frame."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from rejudge.english import count, versus
from rejudge.layout.table import (
    Column,
    Table,
    interval_column,
    p_column,
    tabulate,
    to_html,
    to_text,
)

if TYPE_CHECKING:
    import pyarrow as pa

    from rejudge.analysis.results import Flow, Results
    from rejudge.findings.model import Finding

_MOST_ROWS = 12  # the rest is counted
_PAIR = 2
_LISTED = frozenset({"mean", "wins", "share"})


def results_text(results: Results) -> str:
    """What it is of, how many count, the most important numbers, and where the rest is."""
    table = to_text(_table(results))
    return "\n".join((_summary(results), table, _rest(results), results.signature.short))


def results_html(results: Results) -> str:
    """The same as a table for notebooks; methods and notes appear on hovering."""
    methods = [" ".join(part for part in (f.method, f.note) if part) for f in _headline(results)]
    return (
        f"<p>{escape(_summary(results))}</p>"
        f"{to_html(_table(results), titles={'what': methods})}"
        f"<p>{escape(_rest(results))}</p><p><small>{escape(results.signature.short)}</small></p>"
    )


def _table(results: Results) -> Table:
    return tabulate(
        "results",
        "",
        _headline(results)[:_MOST_ROWS],
        (Column("criterion"), "question"),
        (Column("what"), _what),
        (Column("value", 2), lambda f: "undefined" if f.value is None else f.value),
        (interval_column(), "interval"),
        (Column("n", 0), "n"),
        (p_column("p, corrected"), lambda f: f.p if f.p_adjusted is None else f.p_adjusted),
    )


def findings_to_arrow(findings: Sequence[Finding]) -> pa.Table:
    """One row per finding; what a finding does not have is null."""
    import pyarrow as pa

    rows = [_record(finding) for finding in findings]
    return pa.table(
        {name: pa.array([row[name] for row in rows], kind) for name, kind in _kinds().items()}
    )


def _summary(results: Results) -> str:
    flow = results.flow
    asked = ", ".join(results.questions) or "nothing"
    how = "as planned" if results.basis == "planned" else "nothing was planned"
    simulated = ", simulated" if flow.is_simulated else ""
    return f"Results on {asked} ({how}{simulated}): {counts_in_words(flow)}."


def counts_in_words(flow: Flow) -> str:
    """How many participants and judgments count, as part of a sentence."""
    who = (
        "it is not known who judged; "
        if flow.participants is None
        else f"{flow.participants_kept:,} of {count(flow.participants, 'participant')} and "
    )
    return f"{who}{flow.judgments_kept:,} of {count(flow.judgments, 'judgment')} count"


def _rest(results: Results) -> str:
    left = len(_headline(results)) - _MOST_ROWS
    more = f"{left:,} more rows and a" if left > 0 else "A"
    found = count(len(results.findings), "finding")
    return (
        f"{more}ll {found}: .to_pandas(), .findings, .select(criterion, measure). Also .notes, "
        ".depends, .cases, .frames, .sensitivity and .precision."
    )


def _headline(results: Results) -> list[Finding]:
    """The score of each system, and each pair by its headline test."""
    found = [f for f in results.select() if f.by in _LISTED or f.role == "headline"]
    return sorted(found, key=lambda each: results.questions.index(each.question))


def _what(finding: Finding) -> str:
    systems = versus(finding.systems, finding.measure)
    is_pair = len(finding.systems) == _PAIR
    if finding.category:
        return f"{finding.category} of {systems}, %"
    return f"{systems}, {finding.by}" if is_pair else f"{finding.by} of {systems}"


def _kinds() -> dict[str, pa.DataType]:
    import pyarrow as pa

    words = dict.fromkeys(
        ("criterion", "measure", "by", "category", "first", "second", "grouping", "group", "case"),
        pa.string(),
    )
    numbers = ("value", "low", "high", "level", "standard_error", "df", "p", "p_adjusted")
    return {
        **words,
        **dict.fromkeys(numbers, pa.float64()),
        **dict.fromkeys(("is_supported", "is_planned"), pa.bool_()),
        **dict.fromkeys(("n", "items", "participants"), pa.int64()),
        **dict.fromkeys(("n_of", "statistic"), pa.string()),
        "statistic_value": pa.float64(),
        **dict.fromkeys(("method", "note", "id"), pa.string()),
    }


def _record(finding: Finding) -> dict[str, Any]:  # cells of several types
    first, second = (*finding.systems, None, None)[:_PAIR]
    key, interval, statistic = finding.key, finding.interval, finding.statistic
    return {
        **{name: getattr(finding, name) for name in _kinds() if hasattr(finding, name)},
        "criterion": finding.question,
        "category": finding.category or None,
        "first": first,
        "second": second,
        "grouping": ", ".join(each.column for each in key.group) or None,
        "group": key.group_name or None,
        "case": key.case or None,
        "low": interval.low if interval else None,
        "high": interval.high if interval else None,
        "level": interval.level if interval else None,
        "statistic": statistic.name if statistic else None,
        "statistic_value": statistic.value if statistic else None,
    }
