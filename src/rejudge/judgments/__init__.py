"""From answers to judgments: one row for each thing a person said about a system, by column."""

from rejudge.judgments.answers import Answer, CheckCount, check_counts, tabulate
from rejudge.judgments.column_reader import ChoiceReading
from rejudge.judgments.columns import ColumnRoles, refuse_many_systems
from rejudge.judgments.duplicates import Duplicates
from rejudge.judgments.exclude import Cleaned, drop_excluded, exclude, exclude_rows, excluded_csv
from rejudge.judgments.judgments_csv import fingerprint_of, read_csv, to_csv
from rejudge.judgments.reading import ReadTable, read_judgments, read_table
from rejudge.judgments.rules import Exclusion, ExclusionRules, Haste, Rule, haste
from rejudge.judgments.score_labels import parse_labels
from rejudge.judgments.shapes import Wide
from rejudge.judgments.sources import Where
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
from rejudge.judgments.vote_runs import ClusterKind, RunSlice
from rejudge.judgments.votes import (
    CountedVotes,
    VoteColumns,
    count_votes,
    first_systems,
    vote_columns,
)

__all__ = [
    "COLUMNS",
    "KINDS",
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
    "Haste",
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
    "check_counts",
    "count_votes",
    "drop_excluded",
    "exclude",
    "exclude_rows",
    "excluded_csv",
    "fingerprint_of",
    "first_systems",
    "haste",
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
