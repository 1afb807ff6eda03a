"""From answers to judgments: one row for each thing a person said about a system, by column."""

from rejudge.judgments.answers import Answer, tabulate
from rejudge.judgments.exclude import (
    CheckCount,
    Cleaned,
    Exclusion,
    Rule,
    check_counts,
    exclude,
    excluded_csv,
)
from rejudge.judgments.sheet import fingerprint_of, read_csv, to_csv
from rejudge.judgments.table import KINDS, Choice, Coded, Judgment, Judgments, Kind, Origin

__all__ = [
    "KINDS",
    "Answer",
    "CheckCount",
    "Choice",
    "Cleaned",
    "Coded",
    "Exclusion",
    "Judgment",
    "Judgments",
    "Kind",
    "Origin",
    "Rule",
    "check_counts",
    "exclude",
    "excluded_csv",
    "fingerprint_of",
    "read_csv",
    "tabulate",
    "to_csv",
]
