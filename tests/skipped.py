"""Which tests were skipped and what would let them run, for the end of a test run.

CI first runs the tests on a bare machine and lists what was skipped there (`REJUDGE_SKIPPED_TO`),
then installs what was missing and runs exactly those (`REJUDGE_SKIPPED_FROM`). Where
`REJUDGE_SKIP_NOTHING` is set, what is missing is a failure.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

import pytest


def skip_or_fail(reason: str) -> NoReturn:
    """End a test that needs something that is not on this machine."""
    (pytest.fail if os.environ.get("REJUDGE_SKIP_NOTHING") else pytest.skip)(reason)


def skip_lines(reports: Sequence[Any]) -> list[str]:
    """One line in all, and one for each reason, the most frequent first; none if nothing skipped.

    `reports`: pytest's reports of skipped tests; the third part of `longrepr` is the reason.
    """
    if not reports:
        return []
    reasons = Counter(report.longrepr[2].removeprefix("Skipped: ") for report in reports)
    head = f"{len(reports)} {'test was' if len(reports) == 1 else 'tests were'} skipped:"
    return [head, *(f"  {count:>5}  {reason}" for reason, count in reasons.most_common())]


def write_skipped(environment: Mapping[str, str], reports: Sequence[Any]) -> None:
    """List the skipped tests in the file that the environment names, if it names one."""
    if "REJUDGE_SKIPPED_TO" in environment:
        names = sorted({report.nodeid for report in reports})
        Path(environment["REJUDGE_SKIPPED_TO"]).write_text("\n".join(names), encoding="utf-8")


def read_skipped(environment: Mapping[str, str]) -> frozenset[str] | None:
    """The tests that an earlier run skipped; None where no run has listed them."""
    if "REJUDGE_SKIPPED_FROM" not in environment:
        return None
    listed = Path(environment["REJUDGE_SKIPPED_FROM"]).read_text(encoding="utf-8")
    return frozenset(listed.splitlines())
