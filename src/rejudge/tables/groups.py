"""Results within groups of items or participants: tables and sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rejudge.analysis import POPULATIONS, Finding, GroupAnalysis, Results
from rejudge.english import capital, count, join_words, span, verb, versus
from rejudge.layout import Table, file_name
from rejudge.layout.numbers import interval_text, number, p_equals
from rejudge.tables.findings import DECISION, Labels, finding_table
from rejudge.tables.wording import final_p, name_of_test, names_of

_MOST_NAMED = 6  # groups or differences in one sentence; more are counted
_MEASURES = {"mean": "means", "win-percent": "percentages of comparisons won"}


def group_tables(results: Results, labels: Labels) -> Iterator[Table]:
    """Three tables for each column of groups."""
    for each in results.by_group:
        yield from tables_of_groups(each, labels)


def tables_of_groups(analysis: GroupAnalysis, labels: Labels) -> Iterator[Table]:
    """Systems and pairs within groups, and whether differences differ between groups."""
    name = f"groups-{file_name(analysis.column)}"
    alone = [f for f in analysis.findings if len(f.systems) == 1]
    pairs = [f for f in analysis.findings if f.measure != "interaction" and len(f.systems) != 1]
    interactions = [f for f in analysis.findings if f.measure == "interaction"]
    measures = dict.fromkeys(_MEASURES.get(f.measure, f.measure) for f in alone)
    yield finding_table(
        f"{name}-systems",
        f"Systems by {analysis.column}. {capital(join_words(list(measures)))}, with intervals that "
        f"allow for shared items and participants. {_sizes_caption(analysis)}",
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
        f"The headline test of each pair by {analysis.column}. {_tests(pairs)}"
        f"{_sizes_caption(analysis)}",
        pairs,
        ("question", "group", "csv: test", "csv: first", "csv: second", "print: pair",
         "difference", "interval", *for_csv[:4], *decision, *for_csv[4:]),
        labels=labels,
    )  # fmt: skip
    order = _order(analysis)
    yield finding_table(
        f"{name}-interactions",
        f"Whether the difference of two systems differs by {analysis.column} (system × group)."
        f"{f' Of two groups, {order}.' if order else ''} {capital(_methods(interactions))}"
        f"{_sizes_caption(analysis)}",
        interactions,
        ("question", "csv: first", "csv: second", "print: pair", "difference of differences",
         "interval of the effect", *for_csv[:4], *decision, *for_csv[4:]),
        labels=labels,
    )  # fmt: skip


def _order(analysis: GroupAnalysis) -> str:
    names = [size.name for size in analysis.groups if size.judgments]
    if len(names) != 2:  # noqa: PLR2004 - only two groups have one difference
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


def _sizes_caption(analysis: GroupAnalysis) -> str:
    """The sizes of the groups and whether they were planned."""
    plan = "" if analysis.is_planned else " Exploratory: not planned beforehand."
    lead = "" if len(analysis.groups) > _MOST_NAMED else "Groups: "
    return f"{lead}{_sizes(analysis)}.{plan}"


def _sizes(analysis: GroupAnalysis) -> str:
    """Such as agent (432 judgments, 12 items, 6 participants); for many groups, their range."""
    if len(analysis.groups) > _MOST_NAMED:
        people = [size.participants for size in analysis.groups if size.participants is not None]
        ranges = [
            span([size.judgments for size in analysis.groups], "judgment"),
            span([size.items for size in analysis.groups], "item"),
            *([span(people, "participant")] if people else []),
        ]
        return f"{count(len(analysis.groups), 'group')} with {join_words(ranges)} each"
    return "; ".join(
        f"{size.name} ({', '.join(_counts(size.judgments, size.items, size.participants))})"
        for size in analysis.groups
    )


def _counts(judgments: int, items: int, participants: int | None) -> Iterator[str]:
    yield count(judgments, "judgment")
    yield count(items, "item")
    if participants is not None:
        yield count(participants, "participant")


# sentences


def group_sentences(analysis: GroupAnalysis, labels: Labels) -> Iterator[str]:
    """The groups, what is supported within them, and where differences differ between them."""
    planned = "planned" if analysis.is_planned else "exploratory"
    left = analysis.without_group
    without = f" {capital(count(left, 'judgment'))} {verb(left, 'is', 'are')} in no group."
    yield (
        f"By {analysis.column} ({planned}; groups of {analysis.of}): {_sizes(analysis)}."
        f"{without if left else ''}"
    )
    for question in dict.fromkeys(f.question for f in analysis.findings):
        yield from _of_question(analysis, question, labels)


def _of_question(analysis: GroupAnalysis, question: str, labels: Labels) -> Iterator[str]:
    found = analysis.of_question(question)
    tested = [f for f in found if f.role == "headline" and f.is_supported is not None]
    if tested:
        ahead = [_lead(f, labels) for f in tested if f.is_supported]
        named = _first_named(ahead)
        of = f"{len(ahead):,} of {count(len(tested), 'difference')} within groups"
        are = verb(len(ahead), "is", "are")
        yield f"On {question}, {of} {are} supported{': ' if named else ''}{join_words(named)}."
    yield from _between_groups(analysis, [f for f in found if f.measure == "interaction"], labels)
    for each in found:
        if each.value is None and each.measure != "interaction" and each.group:
            pair = versus(names_of(each, labels), each.measure)
            what = f", {pair}" if pair else ""
            yield f"{analysis.column} {each.group.name}{what} on {question}: {each.note}"


def _first_named(names: Sequence[str]) -> list[str]:
    more = len(names) - _MOST_NAMED
    return [*names[:_MOST_NAMED], *([f"{more:,} more"] if more > 0 else [])]


def _lead(finding: Finding, labels: Labels) -> str:
    group = finding.group.name if finding.group else ""
    middle = 50.0 if finding.measure == "win-percent" else 0.0
    names = names_of(finding, labels)
    one, other = names if (finding.value or 0.0) > middle else names[::-1]
    return f"{one} over {other} in {group}"


def _between_groups(
    analysis: GroupAnalysis, found: Sequence[Finding], labels: Labels
) -> Iterator[str]:
    """For how many pairs the difference differs between groups, and which could not be tested."""
    tested = [f for f in found if f.p is not None]
    if tested:
        differ = [f for f in tested if f.is_supported]
        named = _first_named([_interaction(analysis, f, labels) for f in differ])
        populations = join_words(
            list(dict.fromkeys(POPULATIONS[f.population] for f in tested if f.population))
        )
        yield (
            f"That the difference between two systems differs by {analysis.column} is supported "
            f"for {len(differ):,} of {count(len(tested), 'pair')} on {tested[0].question}"
            f"{f', {populations}' if populations else ''}{': ' if named else ''}"
            f"{join_words(named)}."
        )
    for each in found:
        if each.p is None:
            yield (
                f"Whether {_difference(each, labels)} on {each.question} differs by "
                f"{analysis.column} could not be tested. {each.note}".strip()
            )


def _difference(finding: Finding, labels: Labels) -> str:
    return versus(names_of(finding, labels), "mean-difference")


def _interaction(analysis: GroupAnalysis, finding: Finding, labels: Labels) -> str:
    effect, size = finding.effect, ""
    if effect:
        groups = [each.name for each in analysis.groups if each.judgments]
        size = f"{groups[0]} minus {groups[1]} {number(effect.value, 2)} "
        size += f"{interval_text(effect.interval, 2)}, "
    return f"{_difference(finding, labels)} ({size}{p_equals(final_p(finding) or 0.0)})"
