"""Results on the terminal: how many judgments count, a table per question, what to bear in mind."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from rejudge.english import count, verb, versus

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import RenderableType
    from rich.table import Table
    from rich.text import Text

    from rejudge.analysis import (
        Details,
        Finding,
        Flow,
        Generalizability,
        GroupAnalysis,
        Results,
        Times,
    )

_UNITS = {
    "win-percent": "% won",
    "score-difference": "difference of best–worst scores",
    "mean": "mean",
    "mean-difference": "difference of means",
    "median-difference": "median difference",
    "latent-difference": "difference in log odds",
    "strength": "log odds",
}
_TRENDS = {
    "score-by-position": "score, change per task",
    "first-shown-by-position": "first shown chosen, change per task",
    "agreement-by-position": "agreement with others, change per task",
    "seconds-by-position": "seconds, change per task",
}
_SCORES = {"mean", "wins"}
_ORDER = {"headline": 1, "check": 2, "further": 3}
_MOST_COLUMNS = 11  # of a table that still fits a screen
_MOST_UNITS = 5
_MOST_PAIRS = 10
_MOST_PEOPLE = 8
_NEARLY_ALL = 0.9  # of the information: systems were judged on much the same items


def render_results(results: Results, labels: Mapping[str, str]) -> tuple[RenderableType, ...]:
    """Everything that is printed, in order."""
    from rejudge.tables import group_sentences, guessing_sentences, pair_limits
    from rejudge.tables.sentences import unfinished_sentences

    return (
        _text(_counts(results.flow), "bold"),
        *_texts(unfinished_sentences(results.flow), "yellow"),
        *_texts(results.notes),
        *_texts(_options(results)),
        *_texts(f"{sentence}." for sentence in pair_limits(results, labels)),
        *(
            part
            for question in results.questions
            for part in (
                _question(results, question, labels),
                *_texts(_warnings(results, question, labels), "yellow"),
                *_texts(_ties(results, question)),
                *_details(results, question, labels),
            )
        ),
        *_texts(_pooled_agreement(results)),
        *(
            part
            for analysis in results.by_group
            for part in (
                _groups(analysis, results, labels),
                *_texts(group_sentences(analysis, labels)),
            )
        ),
        *_cases(results, labels),
        *_texts(_pace(results.times)),
        *_texts(_reliability(results.reliability)),
        *_texts(guessing_sentences([each for each in results.competence if each.like_guessing])),
        *_texts(_tests_without_result(results.findings), "yellow"),
        *_texts(_claims(results)),
        *_texts(_dependences(results, labels), "yellow"),
        *_texts(_case_notes(results)),
    )


def render_files(written: Sequence[str]) -> Text:
    """The files that were written; tables are counted, since there are many."""
    if not written:
        return _text("Nothing written; --out DIR writes it.")
    tables = [name for name in written if "/tables/" in name.replace("\\", "/")]
    others = [name for name in written if name not in tables]
    named = [*others, *([count(len(tables), "table")] if tables else [])]
    return _text(f"Written: {', '.join(named)}")


def _options(results: Results) -> Iterator[str]:
    if results.signature.options:
        yield f"Options: {results.signature.listed_options}."


def _text(words: str, style: str = "") -> Text:
    from rich.text import Text

    return Text(words, style)


def _texts(sentences: Iterable[str], style: str = "") -> list[Text]:
    return [_text(sentence, style) for sentence in sentences]


def _counts(flow: Flow) -> str:
    who = (
        "It is not known who judged; "
        if flow.participants is None
        else f"{flow.participants_kept:,} of {count(flow.participants, 'participant')} and "
    )
    counts = f"{who}{flow.judged_kept:,} of {count(flow.judged, 'judgment')} count."
    if not flow.is_simulated:
        return counts
    if flow.simulated_rows == flow.rows:
        return f"{counts} All were simulated."
    rows = f"{flow.simulated_rows:,} of {count(flow.rows, 'row')}"
    return f"{counts} {rows} {verb(flow.simulated_rows, 'was', 'were')} simulated."


# tables of findings


def _finding_table(title: str, results: Results) -> Table:
    from rich.table import Table

    table = Table(
        box=None, padding=(0, 2, 0, 0), title=_text(f"\n{title}", "bold"), title_justify="left"
    )
    table.add_column("")
    level = f"{100 * results.signature.level:g} %"
    for head in ("value", f"{level} interval", "n", "p, corrected"):
        table.add_column(head, justify="right")
    return table


def _numbers(finding: Finding) -> list[Text]:
    from rejudge.tables.findings import screen_cells

    return _texts(screen_cells(finding))


def _question(results: Results, question: str, labels: Mapping[str, str]) -> Table:
    """All findings on a question, grouped by measure and test."""
    from rejudge.layout.numbers import range_text

    table = _finding_table(question, results)
    found = [f for f in results.findings if f.question == question and _is_printed(f)]
    for place, (head, group) in enumerate(groupby(sorted(found, key=_place), key=_group)):
        if place:
            table.add_row()
        if head:
            table.add_row(_text(head, "italic"))
        for finding in group:
            table.add_row(_text(_name(finding, labels)), *_numbers(finding))
            if finding.interval_for_new_people is not None:
                ends = range_text(finding.interval_for_new_people)
                table.add_row(_text("  for new people too"), "", _text(ends))
    return table


def _groups(analysis: GroupAnalysis, results: Results, labels: Mapping[str, str]) -> Table:
    table = _finding_table(f"By {analysis.column}", results)
    for question in dict.fromkeys(f.question for f in analysis.findings):
        for size in analysis.groups:
            table.add_row(_text(f"{question}, {size.name}", "italic"))
            for finding in analysis.of_question(question):
                if finding.group and finding.group.name == size.name and finding.systems:
                    by = f" ({finding.by})" if len(finding.systems) > 1 else ""
                    name = f"  {_systems(finding, labels)}{by}"
                    table.add_row(_text(name), *_numbers(finding))
    return table


def _cases(results: Results, labels: Mapping[str, str]) -> Iterator[Table]:
    """Each system and each pair, with one row for every way to treat multiple judgments."""
    if not results.cases:
        return
    table = _finding_table("Cases", results)
    by_case = {case.id: {f.id: f for f in case.findings} for case in results.cases}
    first = next(iter(by_case.values()))
    for finding in (f for f in first.values() if f.by in {*_SCORES, "cluster-robust"}):
        unit = _UNITS.get(finding.measure, "")
        head = f"{finding.question}, {_name(finding, labels)}, {unit}"
        table.add_row(_text(head, "italic"))
        for case, found in by_case.items():
            if finding.id in found:
                table.add_row(_text(f"  {case}"), *_numbers(found[finding.id]))
    yield table


def _is_printed(finding: Finding) -> bool:
    """The rest is in the files: scores that repeat a percentage, agreement pair by pair."""
    if finding.measure == "best-worst-score":
        return False
    if finding.measure == "agreement":
        return not finding.systems
    return finding.value is not None or bool(finding.systems)


def _place(finding: Finding) -> int:
    """Scores of systems first, then headline, check and further tests, then everything else."""
    return 0 if finding.by in _SCORES else _ORDER.get(finding.role or "", 4)


def _group(finding: Finding) -> str:
    from rejudge.analysis import POPULATIONS

    if finding.measure == "agreement":
        return "agreement"
    if finding.measure in {"first-shown-percent", "order-effect"}:
        return "conditions of judging"
    unit = _UNITS.get(finding.measure, "")
    if len(finding.systems) == 1 and finding.by in _SCORES:
        return unit
    side = "" if finding.alternative == "two-sided" else ", one-sided"
    role = f"{finding.role}: " if finding.role in {"headline", "check"} else ""
    population = POPULATIONS[finding.population] if finding.population else ""
    what = ", ".join(part for part in (f"{role}{finding.by}{side}", unit, population) if part)
    return what if finding.is_planned else f"{what} (exploratory)"


def _name(finding: Finding, labels: Mapping[str, str]) -> str:
    from rejudge.layout.numbers import df_text

    if finding.measure == "agreement":
        return finding.by
    if finding.measure == "first-shown-percent":
        return "output shown first, % chosen"
    if finding.measure == "order-effect":
        return _TRENDS.get(finding.by, finding.by)
    if finding.measure == "test" and finding.statistic is not None:
        df = df_text(finding.statistic.df)
        return f"{finding.statistic.name} ({df})" if df else finding.statistic.name
    return _systems(finding, labels) or finding.by


def _systems(finding: Finding, labels: Mapping[str, str]) -> str:
    return versus([labels.get(system, system) for system in finding.systems], finding.measure)


# sentences


def _warnings(results: Results, question: str, labels: Mapping[str, str]) -> Iterator[str]:
    """What to know before reading the table: unequal coverage, tests that disagree."""
    from rejudge.tables import disagreement_sentences

    alone = [f for f in results.of(question, "mean") if not f.is_comparable]
    yield from dict.fromkeys(f.note for f in alone)
    for f in results.findings:
        if f.question == question and f.role == "headline" and f.value is None:
            yield f"{_name(f, labels)}: {f.note}"
    yield from _few_shared_items(results, question, labels)
    yield from disagreement_sentences(results, question, labels)


def _few_shared_items(results: Results, question: str, labels: Mapping[str, str]) -> Iterator[str]:
    """Comparisons that rest on few items."""
    from rejudge.stats import few_shared

    headlines = {
        frozenset(f.systems): f
        for f in results.findings
        if f.question == question and f.role == "headline"
    }
    coverage = [d.coverage for d in results.details if d.question == question and d.coverage]
    for pair in (each for found in coverage for each in found.pairs):
        warning = few_shared(pair.shared_items, pair.information_share)
        finding = headlines.get(frozenset((pair.first, pair.second)))
        if finding is not None and warning and warning in finding.note:
            yield f"{_name(finding, labels)}: {warning}"


def _ties(results: Results, question: str) -> Iterator[str]:
    """How many choices were ties; each is in the tallies of two systems."""
    found = [
        finding
        for finding in results.of(question, "win-percent")
        if finding.tally is not None and len(finding.systems) == 1
    ]
    tallies = [finding.tally for finding in found if finding.tally is not None]
    is_implied = any(finding.n_of == "comparisons" for finding in found)
    total = sum(each.wins + each.losses + each.ties for each in tallies) // 2
    ties = sum(each.ties for each in tallies) // 2
    if total:
        of = count(total, "comparison" if is_implied else "choice")
        yield f"Ties: {ties:,} of {of} ({100 * ties / total:.1f} %)."


def _pooled_agreement(results: Results) -> Iterator[str]:
    """Agreement over several criteria at once."""
    from rejudge.tables.findings import screen_cells

    for each in results.pooled_agreement:
        for f in each.findings:
            value, interval, *_ = screen_cells(f)
            ends = f" ({interval})" if interval else ""
            over = f"{f.by} over {', '.join(each.questions)} together"
            yield f"{over}: {value}{ends}, {count(f.n, 'unit')}. {f.note}".strip()


def _pace(times: Times | None) -> Iterator[str]:
    """How long a page took."""
    middle = next((mark for mark in times.quantiles if mark.share == 0.5), None) if times else None  # noqa: PLR2004 - the median
    if times is None or middle is None:
        return
    ends = middle.interval
    sure = f" ({100 * ends.level:g} % interval {ends.low:.1f} to {ends.high:.1f})" if ends else ""
    half = [mark.seconds for mark in times.quantiles if mark.share in {0.25, 0.75}]
    yield (
        f"\nThe median time per page was {middle.seconds:.1f} seconds{sure}; the middle half of "
        f"{times.pages:,} pages took between {half[0]:.1f} and {half[-1]:.1f}."
    )


def _reliability(found: Sequence[Generalizability]) -> Iterator[str]:
    """How reliably the scores of each question separate the systems."""
    for each in found:
        if each.now is not None and each.now.relative is not None:
            share = next((p.share for p in each.parts if p.facets == ("system",)), None) or 0.0
            yield (
                f"Reliability of the order of systems on {each.question}: {each.now.relative:.2f} "
                f"(of their means {each.now.absolute or 0.0:.2f}); systems are {100 * share:.0f} % "
                "of the variance of a score."
            )


def _tests_without_result(findings: Sequence[Finding]) -> Iterator[str]:
    for finding in findings:
        if finding.value is None and finding.measure == "test":
            yield f"{finding.question}, {finding.by}: {finding.note}"


def _claims(results: Results) -> Iterator[str]:
    for claim in results.claims:
        reason = claim.because.rstrip(".")
        yield f"Claim {claim.says}: {claim.verdict.replace('-', ' ')} ({reason})."


def _dependences(results: Results, labels: Mapping[str, str]) -> Iterator[str]:
    """Comparisons that come out differently by exclusions or by case."""
    of_cases = (finding for case in results.cases for finding in case.findings)
    by_id = {finding.id: finding for finding in (*of_cases, *results.findings)}
    for dependence in results.depends:
        finding = by_id[dependence.finding]
        names = [labels.get(system, system) for system in finding.systems]
        better = {"first": f"{names[0]} better", "second": f"{names[1]} better"}
        states = "; ".join(
            f"{state}: {better.get(out, out)}" for state, out in dependence.outcomes.items()
        )
        what = f"{finding.question}, {finding.by}, {versus(names, finding.measure)}"
        yield f"Depends on {dependence.choice}: {what} ({states})."


def _case_notes(results: Results) -> Iterator[str]:
    from rejudge.analysis import method_of

    if results.cases:
        yield method_of([case.multiple for case in results.cases])
        if not any(each.choice == "cases" for each in results.depends):
            yield "No comparison depends on how multiple judgments are treated."


# what is behind the findings


def _details(
    results: Results, question: str, labels: Mapping[str, str]
) -> Iterator[RenderableType]:
    """Coverage, scores, win matrix, hardest units, and who stands out."""
    for details in results.details:
        if details.question == question:
            yield from _coverage(details, labels)
            yield from _own_differences(details, labels)
            yield from _score_grids(details, labels)
            yield from _hardest(details, labels)
            yield from _texts(_people(details), "yellow")


def _coverage(details: Details, labels: Mapping[str, str]) -> Iterator[RenderableType]:
    """The pairs of systems that are compared on only part of the items, the worst first."""
    from dataclasses import replace

    from rejudge.cli.terminal_tables import to_terminal
    from rejudge.tables.details import coverage_table

    if details.coverage is None:
        return
    pairs = [each for each in details.coverage.pairs if each.information_share < _NEARLY_ALL]
    pairs.sort(key=lambda each: each.information_share)
    if pairs:
        worst = replace(details.coverage, pairs=tuple(pairs[:_MOST_PAIRS]))
        table = coverage_table(details.question, worst, labels).rendering("print")
        heads = ("items", "participants", "% of information")
        yield to_terminal(table, f"shared by two systems{_first_of(len(pairs))}", heads)


def _own_differences(details: Details, labels: Mapping[str, str]) -> Iterator[RenderableType]:
    from rejudge.cli.terminal_tables import grid

    own = details.own_differences
    people = list(dict.fromkeys(each.participant for each in own))
    pairs = list(dict.fromkeys((each.first, each.second) for each in own))
    found = {(each.first, each.second, each.participant): each.value for each in own}
    if own:
        yield grid(
            f"each participant's own difference{_first_of(len(pairs))}",
            people,
            [
                (
                    versus([labels.get(system, system) for system in pair], ""),
                    *(_signed(found.get((*pair, who))) for who in people),
                )
                for pair in pairs[:_MOST_PAIRS]
            ],
        )


def _signed(value: float | None) -> str:
    from rejudge.layout.numbers import number

    return f"{'+' if value is not None and value >= 0 else ''}{number(value, 2)}"


def _first_of(pairs: int) -> str:
    return f", {_MOST_PAIRS} of {pairs:,} pairs" if pairs > _MOST_PAIRS else ""


def _score_grids(details: Details, labels: Mapping[str, str]) -> Iterator[RenderableType]:
    """How often each score was given, or who beat whom, if it fits the screen."""
    from rejudge.cli.terminal_tables import to_terminal
    from rejudge.tables.details import score_grid, win_matrix

    scores = details.scores
    if scores is not None and len(scores.systems[0].counts) <= _MOST_COLUMNS:
        table = score_grid(details.question, scores, labels, digits=0)
        judged = table.where(lambda row: bool(row[1])).without("n")
        yield to_terminal(judged, "scores, % within systems")
    wins = win_matrix(details, labels, digits=0)
    if 0 < len(wins.rows) <= _MOST_COLUMNS:
        yield to_terminal(wins, "% won by the row", absent="–")


def _hardest(details: Details, labels: Mapping[str, str]) -> Iterator[RenderableType]:
    from rejudge.cli.terminal_tables import grid
    from rejudge.layout.numbers import number

    units = details.units
    hardest = [row for row in units.rows if row.disagreement] if units else []
    if units is None or not hardest:
        return
    listed = hardest[:_MOST_UNITS]
    has_times = any(row.slowness is not None for row in listed)
    alike = sum(row.rank == listed[0].rank for row in hardest)
    tied = f", {alike:,} alike" if alike > len(listed) else ""
    yield grid(
        f"hardest of {units.total:,}{tied}",
        [units.measure, *(("slowness",) if has_times else ()), "n"],
        [
            (
                " ".join(
                    (row.item, " and ".join(labels.get(each, each) for each in row.systems))
                    + (() if row.segment is None else (f"segment {row.segment}",))
                ),
                number(row.disagreement, 2),
                *((number(row.slowness, 2),) if has_times else ()),
                f"{row.n:,}",
            )
            for row in listed
        ],
    )


def _people(details: Details) -> Iterator[str]:
    """Participants who stand out, and by what."""
    from rejudge.tables.details import FLAGS

    flagged = [row for row in details.people.rows if row.flags] if details.people else []
    for row in flagged[:_MOST_PEOPLE]:
        parts = [f"{row.judgments:,} judgments", f"{row.modal_share:.0f} % the same"]
        if row.seconds is not None:
            parts.append(f"{row.seconds / row.pages:.1f} s per page")
        if row.first_shown is not None:
            parts.append(f"{row.first_shown:.0f} % first shown")
        why = ", ".join(FLAGS[flag] for flag in row.flags)
        yield f"{row.participant}: {why} ({', '.join(parts)})."
    if len(flagged) > _MOST_PEOPLE:
        yield f"And {len(flagged) - _MOST_PEOPLE} more participants stand out."
