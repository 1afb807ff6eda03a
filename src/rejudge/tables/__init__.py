"""Results and comparisons as tables and sentences, for screens, pages, papers and programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rejudge.arguments import explain_arguments, lazy_names
from rejudge.tables.results import result_tables, table_files
from rejudge.tables.wording import (
    disagreement_sentences,
    group_sentences,
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
__getattr__ = lazy_names(__name__, _LATE)  # an analysis has neither comparisons nor baselines
explain_arguments(__name__)
