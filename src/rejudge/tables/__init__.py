"""Results and comparisons as tables and sentences, for screens, pages, papers and programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rejudge.tables.results import result_tables, table_files
from rejudge.tables.wording import (
    disagreement_sentences,
    group_sentences,
    guessing_sentences,
    pair_limit,
    pair_limits,
    remark_counts,
    unfinished_sentences,
)

if TYPE_CHECKING:
    from rejudge.tables.comparison import comparison_tables

__all__ = [
    "comparison_tables",
    "disagreement_sentences",
    "group_sentences",
    "guessing_sentences",
    "pair_limit",
    "pair_limits",
    "remark_counts",
    "result_tables",
    "table_files",
    "unfinished_sentences",
]


def __getattr__(name: str) -> Any:  # whatever the name stands for
    """Comparisons are loaded when they are first asked for: an analysis needs none."""
    if name == "comparison_tables":
        from rejudge.tables.comparison import comparison_tables

        return comparison_tables
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
