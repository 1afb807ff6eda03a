"""All tables of an analysis, and their files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rejudge.analysis import Results
from rejudge.layout import Table, to_csv, to_latex, to_markdown
from rejudge.tables.details import copied_table, detail_tables
from rejudge.tables.findings import (
    Labels,
    choice_tables,
    model_tables,
    pooled_agreement_tables,
    question_tables,
)
from rejudge.tables.groups import group_tables
from rejudge.tables.participants import (
    competence_tables,
    page_time_table,
    profile_table,
    remark_table,
    time_tables,
)
from rejudge.tables.precision import precision_tables
from rejudge.tables.summary import summary_tables

_WRITERS = {"csv": to_csv, "tex": to_latex, "md": to_markdown}


def result_tables(results: Results, labels: Labels | None = None) -> tuple[Table, ...]:
    """All tables of an analysis that have rows; systems are named by their labels."""
    return tuple(table for table in _tables(results, labels or {}) if table.rows)


def _tables(results: Results, labels: Labels) -> Iterator[Table]:
    for question in results.questions:
        yield from question_tables(results, question, labels)
    for details in results.details:
        yield from detail_tables(details, labels)
    yield copied_table(results.copied, labels)
    yield from time_tables(results.times)
    yield from precision_tables(results, labels)
    if results.profile:
        yield profile_table(results.profile)
    if results.way:
        yield page_time_table(results.way)
    yield from competence_tables(results.competence)
    yield remark_table(results.remarks, labels)
    yield from pooled_agreement_tables(results)
    yield from group_tables(results, labels)
    yield from model_tables(results)
    yield from choice_tables(results, labels)
    yield from summary_tables(results, labels)


def table_files(
    tables: Iterable[Table], endings: tuple[str, ...] = ("csv", "tex", "md")
) -> dict[str, bytes]:
    """Tables as CSV, LaTeX and Markdown, by the names of their files."""
    return {
        f"tables/{table.name}.{ending}": _WRITERS[ending](table).encode("utf-8")
        for table in tables
        for ending in endings
    }
