"""All tables of an analysis and their files: the summary of papers, and results within groups.

The summary has systems by criteria. A star marks a system that the headline test supports as better
than every system it was tested against. With the pair "both, multi" that is the better of the two;
with a baseline against all others, each system that is better than the baseline; with all pairs,
the best system, if it is better than all others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from rejudge.analysis.evidence import on_the_scale
from rejudge.analysis.results import Groups, Results
from rejudge.english import capital, join_words, span
from rejudge.errors import Problem, UsageError
from rejudge.findings.model import Finding, Group
from rejudge.findings.words import POPULATIONS
from rejudge.layout.latex import to_latex
from rejudge.layout.numbers import number
from rejudge.layout.table import Cell, Column, EmphasisedText, Table, file_name, to_csv, to_markdown
from rejudge.tables.columns import frame_table
from rejudge.tables.findings import (
    DECISION,
    Labels,
    choice_tables,
    claim_table,
    finding_table,
    model_tables,
    pooled_agreement_tables,
    question_tables,
)
from rejudge.tables.looks import look_table
from rejudge.tables.quality import precision_tables
from rejudge.tables.wording import (
    MOST_GROUPS,
    NOUNS,
    WEIGHTED_INPUTS,
    group_sizes,
    name_of_test,
    pair_limits,
)

_WRITERS = {"csv": to_csv, "tex": to_latex, "md": to_markdown}


def result_tables(results: Results, labels: Labels | None = None) -> tuple[Table, ...]:
    """All tables of an analysis that have rows; systems are named by their labels."""
    return tuple(table for table in _tables(results, labels or {}) if table.rows)


def _tables(results: Results, labels: Labels) -> Iterator[Table]:
    for question in results.questions:
        yield from question_tables(results, question, labels)
    for frame in results.frames:
        yield frame_table(frame, labels)
    yield from precision_tables(results, labels)
    yield from pooled_agreement_tables(results)
    yield from group_tables(results, labels)
    yield from model_tables(results)
    yield from choice_tables(results, labels)
    yield claim_table(results.claims, labels)
    if results.stopping is not None and results.stopping.log is not None:
        yield look_table(results.stopping.log, labels)
    yield from summary_tables(results, labels)


def table_files(
    tables: Iterable[Table], endings: tuple[str, ...] = ("csv", "tex", "md")
) -> dict[str, bytes]:
    """Tables as CSV, LaTeX and Markdown, by the names of their files."""
    for ending in endings:
        if ending not in _WRITERS:
            what = f"tables cannot be written as '{ending}'."
            raise UsageError(Problem(what, f"Give some of: {', '.join(_WRITERS)}."))
    return {
        f"tables/{table.name}.{ending}": _WRITERS[ending](table).encode("utf-8")
        for table in tables
        for ending in endings
    }


_SCORES = ("mean", "wins")
_MEASURES = {"mean": "means", "win-percent": "percentages of comparisons won"}
_MOST_IN_A_CELL = 4  # groups side by side in one cell; more have a row each


@dataclass(frozen=True, slots=True)
class _Criterion:
    """One criterion, in all judgments or in one group."""

    question: str
    values: Mapping[str, Finding]  # by system
    tests: Sequence[Finding]  # headlines

    def is_best(self, system: str) -> bool:
        known = [f.value for f in self.values.values() if f.value is not None]
        has_order = len(known) > 1 and all(f.is_comparable for f in self.values.values())
        return has_order and self._value(system) == max(known)

    def is_starred(self, system: str) -> bool:
        """Whether it is supported as better than every system it was tested against."""
        own = [f for f in self.tests if system in f.systems and f.is_supported is not None]
        return bool(own) and all(f.is_supported and _winner(f) == system for f in own)

    def _value(self, system: str) -> float | None:
        found = self.values.get(system)
        return None if found is None else found.value

    def piece(self, system: str) -> tuple[str, bool]:
        """The cell in print, and whether it is the best."""
        found = self.values.get(system)
        if found is None or found.value is None:
            return "–", False
        digits = 2 if found.measure == "mean" else 1
        star = "*" if self.is_starred(system) else ""
        return f"{number(found.value, digits)}{star}", self.is_best(system)


def summary_tables(results: Results, labels: Labels) -> Iterator[Table]:
    """One table of all judgments, and one for each column of groups."""
    systems = list(dict.fromkeys(f.systems[0] for f in results.select() if f.by in _SCORES))
    if not systems or not any(f.role == "headline" for f in results.select()):
        return
    whole = [[each] for each in _columns(results.select())]
    yield _table("summary", whole, systems, results=results, labels=labels)
    for groups in results.groups:
        names = [each.name for each in groups.sizes]
        by_group = [
            {
                column.question: column
                for column in _columns(results.select(group=(Group(groups.column, name),)))
            }
            for name in names
        ]
        questions = dict.fromkeys(question for part in by_group for question in part)
        grouped = [
            [part.get(question, _Criterion(question, {}, ())) for part in by_group]
            for question in questions
        ]
        if grouped:
            yield _table(
                f"summary-{file_name(groups.column)}",
                grouped,
                systems,
                results=results,
                labels=labels,
                groups=(groups.column, *names),
            )


def _columns(findings: Sequence[Finding]) -> Iterator[_Criterion]:
    for question in dict.fromkeys(f.question for f in findings):
        own = [f for f in findings if f.question == question]
        values = {f.systems[0]: f for f in own if f.by in _SCORES}
        if values:
            yield _Criterion(question, values, [f for f in own if f.role == "headline"])


def _table(
    name: str,
    columns: Sequence[Sequence[_Criterion]],
    systems: Sequence[str],
    *,
    results: Results,
    labels: Labels,
    groups: tuple[str, ...] = (),
) -> Table:
    caption = " ".join(_legend(columns, results, labels, groups))
    names = [labels.get(system, system) for system in systems]
    heads = tuple(Column(cells[0].question, heading=cells[0].question) for cells in columns)
    if len(groups) - 1 > _MOST_IN_A_CELL:
        in_print = Table(
            name,
            caption,
            (Column(groups[0], heading=groups[0]), Column("system"), *heads),
            tuple(
                (group, label, *(_print_cell([cells[place]], system) for cells in columns))
                for place, group in enumerate(groups[1:])
                for system, label in zip(systems, names, strict=True)
            ),
            align_as="ll" + "r" * len(columns),
        )
    else:
        in_print = Table(
            name,
            caption,
            (Column("system"), *heads),
            tuple(
                (label, *(_print_cell(cells, system) for cells in columns))
                for system, label in zip(systems, names, strict=True)
            ),
            align_as="l" + "r" * len(columns),
        )
    flat = [(column, group) for cells in columns for column, group in _with_groups(cells, groups)]
    flat_heads = (
        head
        for column, group in flat
        for title in (f"{column.question}{f', {group}' if group else ''}",)
        for head in (Column(title, 2), Column(f"{title}: star"), Column(f"{title}: best"))
    )
    rows = tuple(
        (labels.get(system, system), *(c for column, _ in flat for c in _csv_cells(column, system)))
        for system in systems
    )
    return replace(in_print, columns=(Column("system"), *flat_heads), rows=rows, in_print=in_print)


def _with_groups(
    cells: Sequence[_Criterion], groups: tuple[str, ...]
) -> Iterator[tuple[_Criterion, str]]:
    names = groups[1:] or ("",)
    yield from zip(cells, names, strict=True)


def _print_cell(cells: Sequence[_Criterion], system: str) -> Cell:
    pieces: list[tuple[str, bool]] = []
    for place, column in enumerate(cells):
        if place:
            pieces.append((" / ", False))
        pieces.append(column.piece(system))
    return EmphasisedText.of(pieces)


def _csv_cells(column: _Criterion, system: str) -> tuple[Cell, Cell, Cell]:
    found = column.values.get(system)
    value = None if found is None else found.value
    if value is None:
        return None, None, None
    return value, column.is_starred(system), column.is_best(system)


def _winner(finding: Finding) -> str | None:
    difference = on_the_scale(finding, finding.value)
    if not difference:
        return None
    return finding.systems[0 if difference > 0 else 1]


def _legend(
    columns: Sequence[Sequence[_Criterion]],
    results: Results,
    labels: Labels,
    groups: tuple[str, ...],
) -> Iterator[str]:
    """What the numbers and the stars are: measure, test, correction, level, n."""
    flat = [column for cells in columns for column in cells]
    values = [f for column in flat for f in column.values.values()]
    tests = [f for column in flat for f in column.tests]
    kinds = [_MEASURES[each] for each in dict.fromkeys(f.measure for f in values)]
    by = f" by {groups[0]}" if len(groups) - 1 > _MOST_IN_A_CELL else ""
    yield f"{capital(' and '.join(kinds))} of systems{by}; the highest in bold."
    if 0 < len(groups) - 1 <= _MOST_IN_A_CELL:
        yield f"By {groups[0]}: {' / '.join(groups[1:])}."
    names = join_words(list(dict.fromkeys(map(name_of_test, tests))))
    held = dict.fromkeys(POPULATIONS[f.population] for f in tests if f.population)
    yield (
        f"A star: supported as better than every system it was tested against ({names}; "
        f"{join_words(list(held))}; {_correction(results, tests)}, "
        f"level {1 - results.signature.level:.2g})."
    )
    if any(f.is_weighted for f in values):
        yield WEIGHTED_INPUTS
    if not all(f.is_comparable for f in values):
        yield "Means over different items or people are not ranked."
    limits = [f"{each}." for each in pair_limits(results, labels)]
    yield " ".join(limits) if limits else "All pairs of systems were tested."
    sizes = sorted({f.n for f in values if f.n})
    if sizes:
        yield f"n = {span(sizes, NOUNS[values[0].n_of])} of each system."


def _correction(results: Results, tests: Sequence[Finding]) -> str:
    if results.signature.correction == "none":
        return "not corrected"
    over = "all planned tests" if all(f.is_planned for f in tests) else "the tests of a criterion"
    return f"{results.signature.correction.title()} correction over {over}"


def group_tables(results: Results, labels: Labels) -> Iterator[Table]:
    """Three tables for each column of groups."""
    for each in results.groups:
        yield from tables_of_groups(results, each, labels)


def tables_of_groups(results: Results, groups: Groups, labels: Labels) -> Iterator[Table]:
    """Systems and pairs within groups, and whether differences differ between groups."""
    name = f"groups-{file_name(groups.column)}"
    found = results.of_column(groups.column)
    alone = [f for f in found if len(f.systems) == 1]
    pairs = [f for f in found if f.measure != "interaction" and len(f.systems) != 1]
    interactions = [f for f in found if f.measure == "interaction"]
    measures = dict.fromkeys(_MEASURES.get(f.measure, f.measure) for f in alone)
    yield finding_table(
        f"{name}-systems",
        f"Systems by {groups.column}. {capital(join_words(list(measures)))}, with intervals that "
        f"allow for shared items and participants. {_sizes_caption(groups)}",
        alone,
        ("question", "group", "system", "csv: measure", "value", "interval", "n", "csv: items",
         "csv: participants", "csv: note"),
        labels=labels,
    )  # fmt: skip
    shared = ("n", *DECISION, "planned", "holds", "note")
    for_csv = tuple(f"csv: {column}" for column in shared if column not in {"p", "p corrected"})
    decision = ("print: statistic with df", "p", "p corrected", "print: outcome")
    yield finding_table(
        f"{name}-pairs",
        f"The headline test of each pair by {groups.column}. {_tests(pairs)}"
        f"{_sizes_caption(groups)}",
        pairs,
        ("question", "group", "csv: test", "csv: first", "csv: second", "print: pair",
         "difference", "interval", *for_csv[:4], *decision, *for_csv[4:]),
        labels=labels,
    )  # fmt: skip
    order = _order(groups)
    yield finding_table(
        f"{name}-interactions",
        f"Whether the difference of two systems differs by {groups.column} (system × group)."
        f"{f' Of two groups, {order}.' if order else ''} {capital(_methods(interactions))}"
        f"{_sizes_caption(groups)}",
        interactions,
        ("question", "csv: first", "csv: second", "print: pair", "difference of differences",
         "interval of the effect", *for_csv[:4], *decision, *for_csv[4:]),
        labels=labels,
    )  # fmt: skip


def _order(groups: Groups) -> str:
    names = [size.name for size in groups.sizes if size.judgments]
    if len(names) != 2:
        return ""
    return f"the difference in {names[0]} minus that in {names[1]}"


def _tests(found: Sequence[Finding]) -> str:
    """The tests with the populations they hold for, such as linear mixed model (for new …)."""
    tested = [f for f in found if f.systems and f.p is not None]
    names = dict.fromkeys(
        f"{name_of_test(f)} ({POPULATIONS[f.population]})" if f.population else name_of_test(f)
        for f in tested
    )
    return f"{capital(join_words(list(names)))}. " if names else ""


def _methods(found: Sequence[Finding]) -> str:
    methods = dict.fromkeys(f.method for f in found if f.p is not None)
    return f"{'; '.join(methods)}. " if methods else ""


def _sizes_caption(groups: Groups) -> str:
    """The sizes of the groups and whether they were planned."""
    plan = "" if groups.is_planned else " Exploratory: not planned beforehand."
    lead = "" if len(groups.sizes) > MOST_GROUPS else "Groups: "
    return f"{lead}{group_sizes(groups)}.{plan}"
