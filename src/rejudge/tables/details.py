"""The table of copies among the outputs."""

from __future__ import annotations

from collections.abc import Sequence

from rejudge.analysis.details import CopiedInputs
from rejudge.layout.table import Column, Table, tabulate
from rejudge.tables.findings import Labels


def copied_table(copied: Sequence[CopiedInputs], labels: Labels) -> Table:
    """How often each system returned its input unchanged."""
    return tabulate(
        "copied-inputs",
        "Outputs of judged items that are identical to their input, apart from white space, by "
        "system.",
        copied,
        (Column("system"), lambda each: labels.get(each.system, each.system)),
        (Column("outputs", 0), "outputs"),
        (Column("identical to input", 0), "identical"),
        (Column("share, percent", 1), "share"),
    )
