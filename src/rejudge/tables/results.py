"""All tables of an analysis, and the files they are written to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from rejudge.analysis.results import Results
from rejudge.errors import Problem, UsageError
from rejudge.findings.frame import Frame
from rejudge.layout.latex import to_latex
from rejudge.layout.table import Table, file_name, to_csv, to_markdown
from rejudge.tables.columns import frame_file
from rejudge.tables.findings import Scope, claim_table, finding_table, model_tables
from rejudge.tables.looks import look_table
from rejudge.tables.quality import precision_tables
from rejudge.tables.summary import summary_tables
from rejudge.tables.view import Labels

_WRITERS = {"csv": to_csv, "tex": to_latex, "md": to_markdown}


def result_tables(results: Results, labels: Labels | None = None) -> tuple[Table, ...]:
    """All tables of an analysis that have rows; systems are named by their labels."""
    return tuple(table for table in _tables(results, labels or {}) if table.rows)


def _tables(results: Results, labels: Labels) -> Iterator[Table]:
    yield from summary_tables(results, labels)
    for name in ("systems", "pairs", "tests", "agreement"):
        yield _for_files(results, name, labels, Scope())
    for groups in results.groups:
        for name in ("systems", "pairs", "interactions"):
            scope = Scope(column=groups.column)
            yield _for_files(results, name, labels, scope, f"-by-{file_name(groups.column)}")
    for name in ("systems", "pairs"):
        yield _for_files(results, name, labels, Scope(by_case=True), "-by-case")
    yield claim_table(results.claims, labels)
    yield from model_tables(results)
    by_name: dict[str, list[Frame]] = {}
    for frame in filter(len, results.frames):
        by_name.setdefault(frame.name, []).append(frame)
    for frames in by_name.values():
        yield frame_file(frames, labels)
    yield from precision_tables(results, labels)
    if results.stopping is not None and results.stopping.log is not None:
        yield look_table(results.stopping.log, labels)


def _for_files(
    results: Results, name: str, labels: Labels, scope: Scope, suffix: str = ""
) -> Table:
    """A table of findings for programs, with the one that papers print."""
    name_of_file = f"{name}{suffix}"
    in_print = finding_table(results, name, "paper", labels, scope)
    whole = finding_table(results, name, "csv", labels, scope)
    printed = replace(in_print, name=name_of_file)
    return replace(whole, name=name_of_file, caption=in_print.caption, in_print=printed)


def table_files(
    tables: Iterable[Table], endings: tuple[str, ...] = ("csv", "tex", "md")
) -> dict[str, bytes]:
    """Tables in these formats, by the names of their files; what has no rows in print has none."""
    for ending in endings:
        if ending not in _WRITERS:
            what = f"tables cannot be written as '{ending}'."
            raise UsageError(Problem(what, f"Give some of: {', '.join(_WRITERS)}."))
    return {
        f"tables/{table.name}.{ending}": _WRITERS[ending](table).encode("utf-8")
        for table in tables
        for ending in endings
        if ending == "csv" or table.rendering("print").rows
    }
