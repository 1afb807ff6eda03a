"""Systems and pairs within groups, printed for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from rejudge.english import versus

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

    from rejudge.analysis import Finding, GroupAnalysis, Results

_SMALLEST_P = 0.001


def shown_groups(results: Results, labels: Mapping[str, str]) -> Iterator[RenderableType]:
    """For each column a table of its groups, and what it says in sentences."""
    from rich.text import Text

    from rejudge.report import group_sentences

    for analysis in results.by_group:
        yield _table(analysis, results, labels)
        for sentence in group_sentences(analysis, labels):
            yield Text(sentence)


def _table(analysis: GroupAnalysis, results: Results, labels: Mapping[str, str]) -> Table:
    from rich.table import Table
    from rich.text import Text

    title = Text(f"\nBy {analysis.column}", "bold")
    table = Table(box=None, padding=(0, 2, 0, 0), title=title, title_justify="left")
    table.add_column("")
    percent = f"{100 * results.signature.level:g} %"
    for head in ("value", f"{percent} interval", "n", "p, corrected"):
        table.add_column(head, justify="right")
    for question in dict.fromkeys(f.question for f in analysis.findings):
        for size in analysis.groups:
            table.add_row(Text(f"{question}, {size.name}", "italic"))
            for finding in analysis.of_question(question):
                if finding.group and finding.group.name == size.name and finding.systems:
                    table.add_row(*map(Text, _row(finding, labels)))
    return table


def _row(finding: Finding, labels: Mapping[str, str]) -> tuple[str, ...]:
    interval = finding.interval
    p = finding.p if finding.p_adjusted is None else finding.p_adjusted
    who = versus([labels.get(system, system) for system in finding.systems], finding.measure)
    by = f" ({finding.by})" if len(finding.systems) > 1 else ""
    return (
        f"  {who}{by}",
        "undefined" if finding.value is None else f"{finding.value:.2f}",
        "" if interval is None else f"{interval.low:.2f} to {interval.high:.2f}",
        f"{finding.n:,}",
        "" if p is None else ("< 0.001" if p < _SMALLEST_P else f"{p:.3f}"),
    )
