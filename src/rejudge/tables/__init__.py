"""Results and comparisons as tables and sentences, for screens, pages, papers and programs."""

from rejudge.tables.comparison import comparison_tables
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
