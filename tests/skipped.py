"""Which tests were skipped and what would let them run, for the end of a test run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any


def skip_lines(reports: Sequence[Any]) -> list[str]:
    """One line in all, and one for each reason, the most frequent first; none if nothing skipped.

    `reports`: pytest's reports of skipped tests; the third part of `longrepr` is the reason.
    """
    if not reports:
        return []
    reasons = Counter(report.longrepr[2].removeprefix("Skipped: ") for report in reports)
    head = f"{len(reports)} {'test was' if len(reports) == 1 else 'tests were'} skipped:"
    return [head, *(f"  {count:>5}  {reason}" for reason, count in reasons.most_common())]
