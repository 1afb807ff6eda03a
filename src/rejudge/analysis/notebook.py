"""Results at a glance: a few lines to print, the same as a table in notebooks, all as a frame."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from rejudge.english import count, versus

if TYPE_CHECKING:
    import pyarrow as pa

    from rejudge.analysis.results import Finding, Results

_HEAD = ("criterion", "what", "value", "interval", "n", "p, corrected")
_SHOWN = 12  # rows; the rest is counted
_SMALLEST_P = 0.001
_PAIR = 2


def results_text(results: Results) -> str:
    """What it is of, how many count, the most important numbers, and where the rest is."""
    rows = [_HEAD, *map(_cells, _headline(results)[:_SHOWN])]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEAD))]
    lines = [
        "  ".join(
            cell.ljust(width) if column < _PAIR else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    return "\n".join((_summary(results), *lines, _rest(results), results.signature.short))


def results_html(results: Results) -> str:
    """The same as a table for notebooks; methods and notes are told on hovering."""
    head = "".join(f"<th>{escape(word)}</th>" for word in _HEAD)
    rows = "".join(f"<tr>{_row(finding)}</tr>" for finding in _headline(results)[:_SHOWN])
    return (
        f"<p>{escape(_summary(results))}</p>"
        f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
        f"<p>{escape(_rest(results))}</p><p><small>{escape(results.signature.short)}</small></p>"
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
    who = (
        "it is not known who judged; "
        if flow.participants is None
        else f"{flow.participants_kept:,} of {count(flow.participants, 'participant')} and "
    )
    judged = f"{flow.judged_kept:,} of {count(flow.judged, 'judgment')} count"
    return f"Results on {asked} ({how}{simulated}): {who}{judged}."


def _rest(results: Results) -> str:
    shown = _headline(results)
    more = f"{len(shown) - _SHOWN:,} more rows and a" if len(shown) > _SHOWN else "A"
    found = count(len(results.findings), "finding")
    return (
        f"{more}ll {found}: .to_pandas(), .findings, .of(criterion, measure). Also .notes, "
        ".depends, .cases, .details, .times, .sensitivity and .precision."
    )


def _headline(results: Results) -> list[Finding]:
    """How each system stands, and each pair by its headline test."""
    shown = [f for f in results.findings if f.by in {"mean", "wins"} or f.role == "headline"]
    return sorted(shown, key=lambda each: results.questions.index(each.question))


def _cells(finding: Finding) -> tuple[str, ...]:
    interval = finding.interval
    p = finding.p if finding.p_adjusted is None else finding.p_adjusted
    who = versus(finding.systems, finding.measure)
    return (
        finding.question,
        f"{who}, {finding.by}" if len(finding.systems) == _PAIR else f"{finding.by} of {who}",
        "undefined" if finding.value is None else f"{finding.value:.2f}",
        "" if interval is None else f"{interval.low:.2f} to {interval.high:.2f}",
        f"{finding.n:,}",
        _p(p),
    )


def _row(finding: Finding) -> str:
    title = escape(" ".join(part for part in (finding.method, finding.note) if part), quote=True)
    criterion, what, *numbers = (escape(cell) for cell in _cells(finding))
    right = "".join(f'<td style="text-align:right">{cell}</td>' for cell in numbers)
    return f'<td>{criterion}</td><td title="{title}">{what}</td>{right}'


def _p(p: float | None) -> str:
    if p is None:
        return ""
    return "< 0.001" if p < _SMALLEST_P else f"{p:.3f}"


def _kinds() -> dict[str, pa.DataType]:
    import pyarrow as pa

    words = dict.fromkeys(("criterion", "measure", "by", "first", "second"), pa.string())
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
    interval, statistic = finding.interval, finding.statistic
    return {
        **{name: getattr(finding, name) for name in _kinds() if hasattr(finding, name)},
        "criterion": finding.question,
        "first": first,
        "second": second,
        "low": interval.low if interval else None,
        "high": interval.high if interval else None,
        "level": interval.level if interval else None,
        "statistic": statistic.name if statistic else None,
        "statistic_value": statistic.value if statistic else None,
    }
