"""The tables of groups: systems and pairs within each, and whether differences differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rejudge.analysis import POPULATIONS, Finding, GroupAnalysis, Results
from rejudge.english import count
from rejudge.report.sheet import Cell, Column, Sheet, file_name

_SHOWN_METHODS = 3


def group_sheets(results: Results, labels: Mapping[str, str]) -> Iterator[Sheet]:
    """Three tables for each column of groups."""
    for each in results.by_group:
        name = f"groups-{file_name(each.column)}"
        yield _systems(f"{name}-systems", each, labels)
        yield _pairs(f"{name}-pairs", each, labels)
        yield _interactions(f"{name}-interactions", each, labels)


def sizes_in_words(analysis: GroupAnalysis) -> str:
    """Such as agent (432 judgments, 12 items, 6 participants)."""
    return "; ".join(
        f"{size.name} ({', '.join(_counts(size.judgments, size.items, size.participants))})"
        for size in analysis.groups
    )


def _counts(judgments: int, items: int, participants: int | None) -> Iterator[str]:
    yield count(judgments, "judgment")
    yield count(items, "item")
    if participants is not None:
        yield count(participants, "participant")


def _systems(name: str, analysis: GroupAnalysis, labels: Mapping[str, str]) -> Sheet:
    found = [f for f in analysis.findings if len(f.systems) == 1]
    columns = (
        *map(Column, ("question", "group", "system", "measure")),
        *(Column(*each) for each in (("value", 2), ("low", 2), ("high", 2))),
        *(Column(each, 0) for each in ("n", "items", "participants")),
        Column("note"),
    )
    rows = tuple(
        (
            f.question,
            _group(f),
            labels.get(f.systems[0], f.systems[0]),
            f.measure,
            f.value,
            *_ends(f),
            f.n,
            f.items,
            f.participants,
            f.note or None,
        )
        for f in found
    )
    return Sheet(name, f"Systems by {analysis.column}. {_said(analysis, found)}", columns, rows)


def _pairs(name: str, analysis: GroupAnalysis, labels: Mapping[str, str]) -> Sheet:
    found = [f for f in analysis.findings if f.measure != "interaction" and len(f.systems) != 1]
    columns = (
        *map(Column, ("question", "group", "test", "first", "second")),
        *(Column(*each) for each in (("difference", 2), ("low", 2), ("high", 2), ("n", 0))),
        *_TESTED,
        *map(Column, ("planned", "holds", "note")),
    )
    rows = tuple(
        (
            f.question,
            _group(f),
            f.by if f.systems else None,
            *(_names(f, labels) if f.systems else (None, None)),
            f.value,
            *_ends(f),
            f.n,
            *_decided(f),
            f.is_planned,
            POPULATIONS[f.population] if f.population else None,
            f.note or None,
        )
        for f in found
    )
    caption = f"The headline test of each pair by {analysis.column}. {_said(analysis, found)}"
    return Sheet(name, caption, columns, rows)


def _interactions(name: str, analysis: GroupAnalysis, labels: Mapping[str, str]) -> Sheet:
    found = [f for f in analysis.findings if f.measure == "interaction"]
    columns = (
        *map(Column, ("question", "first", "second")),
        *(Column(*each) for each in (("difference of differences", 2), ("low", 2), ("high", 2))),
        Column("n", 0),
        *_TESTED,
        *map(Column, ("planned", "holds", "note")),
    )
    rows = tuple(
        (
            f.question,
            *_names(f, labels),
            f.effect.value if f.effect else None,
            *(
                (f.effect.interval.low, f.effect.interval.high)
                if f.effect and f.effect.interval
                else (None, None)
            ),
            f.n,
            *_decided(f),
            f.is_planned,
            POPULATIONS[f.population] if f.population else None,
            f.note or None,
        )
        for f in found
    )
    two = f" Of two groups, {order}." if (order := _order(analysis)) else ""
    caption = (
        f"Whether the difference of two systems differs by {analysis.column} (system × group)."
        f"{two} {_said(analysis, found)}"
    )
    return Sheet(name, caption, columns, rows)


_TESTED = (
    Column("statistic"),
    Column("statistic value", 2),
    Column("df"),
    Column("p", 4),
    Column("p corrected", 4),
    Column("supported"),
)


def _order(analysis: GroupAnalysis) -> str:
    names = [size.name for size in analysis.groups if size.judgments]
    if len(names) != 2:  # noqa: PLR2004 - only two groups have one difference
        return ""
    return f"the difference in {names[0]} minus that in {names[1]}"


def _group(finding: Finding) -> str | None:
    return finding.group.name if finding.group else None


def _names(finding: Finding, labels: Mapping[str, str]) -> tuple[str, str]:
    first, second = (labels.get(system, system) for system in finding.systems)
    return first, second


def _ends(finding: Finding) -> tuple[Cell, Cell]:
    interval = finding.interval
    return (None, None) if interval is None else (interval.low, interval.high)


def _decided(finding: Finding) -> tuple[Cell, ...]:
    statistic = finding.statistic
    return (
        statistic.name if statistic else None,
        statistic.value if statistic else None,
        ", ".join(f"{df:.4g}" for df in statistic.df) if statistic else None,
        finding.p,
        finding.p_adjusted,
        finding.is_supported,
    )


def _said(analysis: GroupAnalysis, found: Sequence[Finding]) -> str:
    """The sizes, the methods and whether it was planned, for a caption."""
    methods = list(dict.fromkeys(f.method.split("; variances:")[0] for f in found if f.value))
    shown = "; ".join(methods[:_SHOWN_METHODS])
    more = f"; and {len(methods) - _SHOWN_METHODS} more" if len(methods) > _SHOWN_METHODS else ""
    plan = "" if analysis.is_planned else " Exploratory: not planned beforehand."
    return f"{sizes_in_words(analysis)}. {shown}{more}.{plan}"
