"""Results and comparisons as tables and sentences, for screens, pages, papers and programs."""

from __future__ import annotations

from importlib import import_module
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
    from rejudge.tables.baselines import baseline_sentences, baseline_tables
    from rejudge.tables.comparison import comparison_tables

__all__ = [
    "baseline_sentences",
    "baseline_tables",
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


_LATE = {
    "comparison_tables": "comparison",
    "baseline_sentences": "baselines",
    "baseline_tables": "baselines",
}


def __getattr__(name: str) -> Any:  # whatever the name stands for
    """Comparisons and baselines are loaded when they are first asked for: an analysis has none."""
    if name in _LATE:
        return getattr(import_module(f"rejudge.tables.{_LATE[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
