"""What is left out of an analysis because the table is too large for it, in one sentence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rejudge.analysis.results import Finding

TOO_LONG = "takes too long."  # ends the reason of every number that is left out for size
BEYOND = "No interval for new participants beyond"
_INTERVALS = "agreement intervals for new participants"


def left_out_for_size(findings: Sequence[Finding]) -> Iterator[str]:
    """Which tests and intervals were left out, with their questions; nothing where none was."""
    found: dict[str, dict[str, None]] = {}
    for finding in findings:
        if finding.value is None and finding.note.endswith(TOO_LONG):
            found.setdefault(finding.by, {})[finding.question] = None
        elif BEYOND in finding.note:
            found.setdefault("agreement intervals for new participants", {})[finding.question] = (
                None
            )
    if found:
        parts = "; ".join(f"{what} ({', '.join(asked)})" for what, asked in found.items())
        yield f"Left out because the table is so large: {parts}."
