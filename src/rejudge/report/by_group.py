"""What was found within groups of items or participants: sentences and tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rejudge.analysis import POPULATIONS, Finding, GroupAnalysis, Results
from rejudge.english import count, verb, versus
from rejudge.report.blocks import Block, Paragraph, Section, Table
from rejudge.report.group_sheets import group_sheets, sizes_in_words
from rejudge.report.outcomes import folded
from rejudge.report.sheet import Sheet, file_name
from rejudge.report.starred import starred_sheets
from rejudge.report.wording import between, capital, listed, number, p_equals

_MOST_NAMED = 6
_OURS = frozenset(  # heads that are words, not signs such as p or ids of questions
    ("system", "question", "group", "pair", "value", "difference", "difference of differences",
     "interval", "statistic", "outcome")
)  # fmt: skip


def group_sections(results: Results, labels: Mapping[str, str]) -> Iterator[Section]:
    """One section for each column of groups."""
    sheets = {sheet.name: sheet for sheet in group_sheets(results, labels)}
    summaries = {sheet.name: sheet for sheet in starred_sheets(results, labels)}
    for each in results.by_group:
        name = f"groups-{file_name(each.column)}"
        starred = f"summary-{file_name(each.column)}"
        parts = [sheets[f"{name}-{part}"] for part in ("systems", "pairs", "interactions")]
        parts = [*([summaries[starred]] if starred in summaries else []), *parts]
        blocks: list[Block] = [Paragraph(text) for text in group_sentences(each, labels)]
        blocks += [folded(table_of(sheet)) for sheet in parts if sheet.rows]
        yield Section(name, f"By {each.column}", tuple(blocks))


def group_sentences(analysis: GroupAnalysis, labels: Mapping[str, str]) -> Iterator[str]:
    """The groups, what is supported within them, and where differences differ between them."""
    planned = "planned" if analysis.is_planned else "exploratory"
    left = analysis.without_group
    without = f" {capital(count(left, 'judgment'))} {verb(left, 'is', 'are')} in no group."
    yield (
        f"By {analysis.column} ({planned}; groups of {analysis.of}): {sizes_in_words(analysis)}."
        f"{without if left else ''}"
    )
    for question in dict.fromkeys(f.question for f in analysis.findings):
        yield from _of_question(analysis, question, labels)


def _of_question(
    analysis: GroupAnalysis, question: str, labels: Mapping[str, str]
) -> Iterator[str]:
    found = analysis.of_question(question)
    headlines = [f for f in found if f.role == "headline"]
    tested = [f for f in headlines if f.is_supported is not None]
    if tested:
        ahead = [_in_group(f, labels) for f in tested if f.is_supported]
        more = len(ahead) - _MOST_NAMED
        shown = [*ahead[:_MOST_NAMED], *([f"{more:,} more"] if more > 0 else [])]
        of = f"{len(ahead):,} of {count(len(tested), 'difference')} within groups"
        are = verb(len(ahead), "is", "are")
        yield f"On {question}, {of} {are} supported{': ' if shown else ''}{listed(shown)}."
    yield from _between_groups(analysis, [f for f in found if f.measure == "interaction"], labels)
    for each in found:
        if each.value is None and each.measure != "interaction" and each.group:
            who = versus([labels.get(s, s) for s in each.systems], each.measure)
            what = f", {who}" if who else ""
            yield f"{analysis.column} {each.group.name}{what} on {question}: {each.note}"


def _in_group(finding: Finding, labels: Mapping[str, str]) -> str:
    group = finding.group.name if finding.group else ""
    middle = 50.0 if finding.measure == "win-percent" else 0.0
    order = finding.systems if (finding.value or 0.0) > middle else finding.systems[::-1]
    one, other = (labels.get(system, system) for system in order)
    return f"{one} over {other} in {group}"


def _between_groups(
    analysis: GroupAnalysis, found: Sequence[Finding], labels: Mapping[str, str]
) -> Iterator[str]:
    """For how many pairs the difference differs between groups, and which could not be tested."""
    tested = [f for f in found if f.p is not None]
    if tested:
        differ = [f for f in tested if f.is_supported]
        more = len(differ) - _MOST_NAMED
        shown = [_interaction(analysis, f, labels) for f in differ[:_MOST_NAMED]]
        shown += [f"{more:,} more"] if more > 0 else []
        whom = listed(
            list(dict.fromkeys(POPULATIONS[f.population] for f in tested if f.population))
        )
        yield (
            f"That the difference between two systems differs by {analysis.column} is supported "
            f"for {len(differ):,} of {count(len(tested), 'pair')} on {tested[0].question}"
            f"{f', {whom}' if whom else ''}{': ' if shown else ''}{listed(shown)}."
        )
    for each in found:
        if each.p is None:
            yield (
                f"Whether {_pair(each, labels)} on {each.question} differs by {analysis.column} "
                f"could not be tested. {each.note}".strip()
            )


def _pair(finding: Finding, labels: Mapping[str, str]) -> str:
    return versus([labels.get(system, system) for system in finding.systems], "mean-difference")


def _interaction(analysis: GroupAnalysis, finding: Finding, labels: Mapping[str, str]) -> str:
    p = finding.p if finding.p_adjusted is None else finding.p_adjusted
    effect, size = finding.effect, ""
    if effect:
        groups = [each.name for each in analysis.groups if each.judgments]
        size = f"{groups[0]} minus {groups[1]} {number(effect.value, 2)} "
        size += f"{between(effect.interval, 2)}, "
    return f"{_pair(finding, labels)} ({size}{p_equals(p or 0.0)})"


def table_of(sheet: Sheet) -> Table:
    """A sheet as it stands on the page."""
    sheet = sheet.in_print or sheet
    return Table(
        id=f"table-{sheet.name}",
        caption=sheet.caption,
        head=tuple(
            capital(column.name) if column.name in _OURS else column.name
            for column in sheet.columns
        ),
        align=sheet.align,
        rows=sheet.printed,
    )
