"""What was found within groups of items or participants, one section for each column."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rejudge.analysis import Results
from rejudge.layout import file_name
from rejudge.report.blocks import Block, Paragraph, Section
from rejudge.report.page_tables import folded, page_table
from rejudge.tables.groups import group_sentences, tables_of_groups
from rejudge.tables.summary import summary_tables


def group_sections(results: Results, labels: Mapping[str, str]) -> Iterator[Section]:
    """One section for each column of groups."""
    summaries = {table.name: table for table in summary_tables(results, labels)}
    for each in results.by_group:
        summary = summaries.get(f"summary-{file_name(each.column)}")
        tables = [*([summary] if summary else []), *tables_of_groups(each, labels)]
        blocks: list[Block] = [Paragraph(text) for text in group_sentences(each, labels)]
        blocks += [folded(page_table(table)) for table in tables if table.rows]
        yield Section(f"groups-{file_name(each.column)}", f"By {each.column}", tuple(blocks))
