"""What is left out of an analysis because the table is too large for it, in one sentence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rejudge.analysis.limits import TOO_LONG
from rejudge.analysis.results import Finding

INTERVALS = "the interval for new participants"
_LISTED = "agreement intervals for new participants"


def left_out_for_size(findings: Sequence[Finding]) -> Iterator[str]:
    """Which tests and intervals were left out, with their questions; nothing where none was."""
    found: dict[str, dict[str, None]] = {}
    for finding in findings:
        if finding.value is None and finding.note.endswith(TOO_LONG):
            found.setdefault(finding.by, {})[finding.question] = None
        elif f"Left out: {INTERVALS}" in finding.note:
            found.setdefault(_LISTED, {})[finding.question] = None
    if found:
        parts = "; ".join(f"{what} ({', '.join(asked)})" for what, asked in found.items())
        yield f"Left out because it would take longer than --time-limit allows: {parts}."
