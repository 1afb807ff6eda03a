"""Findings as a small table for notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rejudge.analysis.results import Finding

_HEAD = ("finding", "value", "interval", "n", "p", "p, corrected")
_SHOWN = 60  # rows; the rest is counted
_SMALLEST_P = 0.001


def results_html(findings: Sequence[Finding], signature: str) -> str:
    """One row per finding, with the signature below."""
    head = "".join(f"<th>{escape(word)}</th>" for word in _HEAD)
    rows = "".join(f"<tr>{_cells(finding)}</tr>" for finding in findings[:_SHOWN])
    more = len(findings) - _SHOWN
    rest = f"<p>{more} more in <code>.findings</code>.</p>" if more > 0 else ""
    return (
        f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
        f"{rest}<p><small>{escape(signature)}</small></p>"
    )


def _cells(finding: Finding) -> str:
    interval = finding.interval
    cells = (
        finding.id,
        "undefined" if finding.value is None else f"{finding.value:.3f}",
        "" if interval is None else f"{interval.low:.3f} to {interval.high:.3f}",
        f"{finding.n:,}",
        _p(finding.p),
        _p(finding.p_adjusted),
    )
    title = escape(" ".join(part for part in (finding.method, finding.note) if part), quote=True)
    first, *others = (escape(cell) for cell in cells)
    right = "".join(f'<td style="text-align:right">{cell}</td>' for cell in others)
    return f'<td title="{title}">{first}</td>{right}'


def _p(p: float | None) -> str:
    if p is None:
        return ""
    return "< 0.001" if p < _SMALLEST_P else f"{p:.3f}"
