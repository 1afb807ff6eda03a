"""From answers to judgments: one row for each thing a person said about a system, by column.

What reads tables of others is loaded when it is first used: most commands read none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rejudge.arguments import explain_arguments, lazy_names
from rejudge.judgments.answers import Answer, CheckCount, check_counts, tabulate
from rejudge.judgments.duplicates import MOST_DUPLICATES, Duplicates, are_many_duplicates
from rejudge.judgments.exclude import Cleaned, drop_excluded, exclude, exclude_rows, excluded_csv
from rejudge.judgments.judgments_csv import fingerprint_of, read_csv, to_csv
from rejudge.judgments.rules import Exclusion, ExclusionRules, FastBatch, Rule, find_fast_batches
from rejudge.judgments.table import (
    COLUMNS,
    KINDS,
    Choice,
    Coded,
    Judgment,
    Judgments,
    Kind,
    Origin,
    to_pandas,
)

if TYPE_CHECKING:
    from rejudge.judgments.column_reader import ChoiceReading
    from rejudge.judgments.columns import ColumnRoles, refuse_many_systems
    from rejudge.judgments.reading import ReadTable, read_judgments, read_table
    from rejudge.judgments.score_labels import parse_labels
    from rejudge.judgments.shapes import Wide
    from rejudge.judgments.sources import Where
    from rejudge.judgments.vote_runs import ClusterKind, RunSlice
    from rejudge.judgments.votes import (
        CountedVotes,
        VoteColumns,
        count_votes,
        first_systems,
        vote_columns,
    )

_NAMES = {
    "column_reader": "ChoiceReading",
    "columns": "ColumnRoles refuse_many_systems",
    "reading": "ReadTable read_judgments read_table",
    "score_labels": "parse_labels",
    "shapes": "Wide",
    "sources": "Where",
    "vote_runs": "ClusterKind RunSlice",
    "votes": "CountedVotes VoteColumns count_votes first_systems vote_columns",
}
_MODULES = {name: module for module, names in _NAMES.items() for name in names.split()}

__all__ = [
    "COLUMNS",
    "KINDS",
    "MOST_DUPLICATES",
    "Answer",
    "CheckCount",
    "Choice",
    "ChoiceReading",
    "Cleaned",
    "ClusterKind",
    "Coded",
    "ColumnRoles",
    "CountedVotes",
    "Duplicates",
    "Exclusion",
    "ExclusionRules",
    "FastBatch",
    "Judgment",
    "Judgments",
    "Kind",
    "Origin",
    "ReadTable",
    "Rule",
    "RunSlice",
    "VoteColumns",
    "Where",
    "Wide",
    "are_many_duplicates",
    "check_counts",
    "count_votes",
    "drop_excluded",
    "exclude",
    "exclude_rows",
    "excluded_csv",
    "find_fast_batches",
    "fingerprint_of",
    "first_systems",
    "parse_labels",
    "read_csv",
    "read_judgments",
    "read_table",
    "refuse_many_systems",
    "tabulate",
    "to_csv",
    "to_pandas",
    "vote_columns",
]

if not TYPE_CHECKING:  # mypy would take every unknown name for Any
    __getattr__ = lazy_names(__name__, _MODULES)


def __dir__() -> list[str]:
    return __all__


explain_arguments(__name__)
