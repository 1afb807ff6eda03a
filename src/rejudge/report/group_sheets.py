"""The tables of groups: systems and pairs within each, and whether differences differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rejudge.analysis import POPULATIONS, Finding, GroupAnalysis, Interval, Results
from rejudge.english import count, span, versus
from rejudge.report.sheet import Cell, Column, Sheet, file_name
from rejudge.report.wording import between, capital, listed, name_of_test, number, verdict

_MOST_NAMED = 6  # groups whose sizes are told one by one
_MEASURES = {"mean": "means", "win-percent": "percentages of comparisons won"}


def group_sheets(results: Results, labels: Mapping[str, str]) -> Iterator[Sheet]:
    """Three tables for each column of groups."""
    for each in results.by_group:
        name = f"groups-{file_name(each.column)}"
        yield _systems(f"{name}-systems", each, labels)
        yield _pairs(f"{name}-pairs", each, labels)
        yield _interactions(f"{name}-interactions", each, labels)


def sizes_in_words(analysis: GroupAnalysis) -> str:
    """Such as agent (432 judgments, 12 items, 6 participants); of many groups, how they range."""
    if len(analysis.groups) > _MOST_NAMED:
        people = [size.participants for size in analysis.groups if size.participants is not None]
        ranges = [
            span([size.judgments for size in analysis.groups], "judgment"),
            span([size.items for size in analysis.groups], "item"),
            *([span(people, "participant")] if people else []),
        ]
        return f"{count(len(analysis.groups), 'group')} with {listed(ranges)} each"
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
            *ends_of(f),
            f.n,
            f.items,
            f.participants,
            f.note or None,
        )
        for f in found
    )
    measures = dict.fromkeys(_MEASURES.get(f.measure, f.measure) for f in found)
    caption = (
        f"Systems by {analysis.column}. {capital(listed(list(measures)))}, with intervals that "
        f"allow for shared items and participants. {_said(analysis)}"
    )
    in_print = Sheet(
        name,
        caption,
        (*map(Column, ("question", "group", "system")), Column("value", 2), Column("interval"),
         Column("n", 0)),
        tuple((*row[:3], row[4], between(f.interval, 2), f.n)
              for row, f in zip(rows, found, strict=True)),
        align_as="lllrrr",
    )  # fmt: skip
    return Sheet(name, caption, columns, rows, in_print=in_print)


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
            *ends_of(f),
            f.n,
            *decision_of(f),
            f.is_planned,
            POPULATIONS[f.population] if f.population else None,
            f.note or None,
        )
        for f in found
    )
    caption = (
        f"The headline test of each pair by {analysis.column}. {_tests(found)}{_said(analysis)}"
    )
    in_print = Sheet(
        name,
        caption,
        (*map(Column, ("question", "group", "pair")), Column("difference", 2), *_TESTED_IN_PRINT),
        tuple((f.question, _group(f), _pair(f, labels), f.value, *_tested_in_print(f, f.interval))
              for f in found),
        align_as="lllrrrrrl",
    )  # fmt: skip
    return Sheet(name, caption, columns, rows, in_print=in_print)


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
            *decision_of(f),
            f.is_planned,
            POPULATIONS[f.population] if f.population else None,
            f.note or None,
        )
        for f in found
    )
    two = f" Of two groups, {order}." if (order := _order(analysis)) else ""
    caption = (
        f"Whether the difference of two systems differs by {analysis.column} (system × group)."
        f"{two} {capital(_how(found))}{_said(analysis)}"
    )
    in_print = Sheet(
        name,
        caption,
        (*map(Column, ("question", "pair")), Column("difference of differences", 2),
         *_TESTED_IN_PRINT),
        tuple((f.question, _pair(f, labels), f.effect.value if f.effect else None,
               *_tested_in_print(f, f.effect.interval if f.effect else None))
              for f in found),
        align_as="llrrrrrl",
    )  # fmt: skip
    return Sheet(name, caption, columns, rows, in_print=in_print)


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


def ends_of(finding: Finding) -> tuple[Cell, Cell]:
    """The ends of the interval."""
    interval = finding.interval
    return (None, None) if interval is None else (interval.low, interval.high)


def decision_of(finding: Finding) -> tuple[Cell, ...]:
    """The statistic with its degrees of freedom, both p, and whether it is supported."""
    statistic = finding.statistic
    return (
        statistic.name if statistic else None,
        statistic.value if statistic else None,
        ", ".join(f"{df:.4g}" for df in statistic.df) if statistic else None,
        finding.p,
        finding.p_adjusted,
        finding.is_supported,
    )


def _pair(finding: Finding, labels: Mapping[str, str]) -> str | None:
    names = [labels.get(system, system) for system in finding.systems]
    return versus(names, finding.measure) or None


_TESTED_IN_PRINT = (
    Column("interval"),
    Column("statistic"),
    Column("p", 4),
    Column("p corrected", 4),
    Column("outcome"),
)


def _tested_in_print(finding: Finding, interval: Interval | None) -> tuple[Cell, ...]:
    """The interval, the statistic with its degrees of freedom, both p, and what follows."""
    found = finding.statistic
    statistic = None
    if found is not None:
        df = ", ".join(f"{df:.4g}" for df in found.df)
        statistic = f"{found.name}{f'({df})' if df else ''} = {number(found.value, 2)}"
    return between(interval, 2), statistic, finding.p, finding.p_adjusted, verdict(finding)


def _tests(found: Sequence[Finding]) -> str:
    """The tests with the populations they speak for, such as linear mixed model (for new …)."""
    tested = [f for f in found if f.systems and f.p is not None]
    names = dict.fromkeys(
        f"{name_of_test(f)} ({POPULATIONS[f.population]})" if f.population else name_of_test(f)
        for f in tested
    )
    return f"{capital(listed(list(names)))}. " if names else ""


def _how(found: Sequence[Finding]) -> str:
    methods = dict.fromkeys(f.method for f in found if f.p is not None)
    return f"{'; '.join(methods)}. " if methods else ""


def _said(analysis: GroupAnalysis) -> str:
    """The sizes and whether it was planned, for a caption."""
    plan = "" if analysis.is_planned else " Exploratory: not planned beforehand."
    lead = "" if len(analysis.groups) > _MOST_NAMED else "Groups: "
    return f"{lead}{sizes_in_words(analysis)}.{plan}"
