"""Results on the terminal: how many judgments count, a table per question, what to bear in mind."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from rejudge.cli.result_details import render_details
from rejudge.english import count, verb, versus

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import RenderableType
    from rich.table import Table
    from rich.text import Text

    from rejudge.analysis import (
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


def render_results(results: Results, labels: Mapping[str, str]) -> tuple[RenderableType, ...]:
    """Everything that is printed, in order."""
    from rejudge.tables import guessing_sentences, pair_limits, unfinished_sentences

    return (
        _text(_counts(results.flow), "bold"),
        *_texts(unfinished_sentences(results.flow), "yellow"),
        *_texts(results.notes),
        *_texts(_options(results)),
        *_texts(f"{sentence}." for sentence in pair_limits(results, labels)),
        *_questions(results, labels),
        *_texts(_pooled_agreement(results)),
        *_by_group(results, labels),
        *_cases(results, labels),
        *_texts(_pace(results.times)),
        *_texts(_reliability(results.reliability)),
        *_texts(guessing_sentences([each for each in results.competence if each.like_guessing])),
        *_texts(_tests_without_result(results.findings), "yellow"),
        *_texts(_claims(results)),
        *_texts(_dependences(results, labels), "yellow"),
        *_texts(_case_notes(results)),
    )


def _questions(results: Results, labels: Mapping[str, str]) -> Iterator[RenderableType]:
    for question in results.questions:
        yield _question(results, question, labels)
        yield from _texts(_warnings(results, question, labels), "yellow")
        yield from _texts(_ties(results, question))
        yield from render_details(results, question, labels)


def _by_group(results: Results, labels: Mapping[str, str]) -> Iterator[RenderableType]:
    from rejudge.tables import group_sentences

    for analysis in results.by_group:
        yield _groups(analysis, results, labels)
        yield from _texts(group_sentences(analysis, labels))


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
