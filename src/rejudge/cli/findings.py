"""Findings printed for people: one table per question, grouped by what was computed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from rejudge.cli.behind import behind, like_guessing, pace, reliability
from rejudge.cli.groups import shown_groups
from rejudge.english import count, verb, versus

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table
    from rich.text import Text

    from rejudge.analysis import Finding, Flow, Results

_PAIR = 2
_SMALLEST_P = 0.001
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


def shown(results: Results, labels: Mapping[str, str]) -> tuple[RenderableType, ...]:
    """What is printed: how many count, a table per question, what to bear in mind."""
    from rich.text import Text

    flow = results.flow
    who = (
        "It is not known who judged; "
        if flow.participants is None
        else f"{flow.participants_kept:,} of {count(flow.participants, 'participant')} and "
    )
    counts = f"{who}{flow.judged_kept:,} of {count(flow.judged, 'judgment')} count."
    return (
        Text(counts + _simulated(flow), "bold"),
        *_unfinished(flow),
        *(Text(note) for note in results.notes),
        *_options(results),
        *_limits(results, labels),
        *(
            part
            for question in results.questions
            for part in (
                _table(results, question, labels),
                *_remarks(results, question, labels),
                *_ties(results, question),
                *_behind(results, question, labels),
            )
        ),
        *_pooled(results),
        *shown_groups(results, labels),
        *_cases(results, labels),
        *pace(results.times),
        *reliability(results.reliability),
        *like_guessing(results.competence),
        *_undefined(results.findings),
        *_claims(results),
        *_choices(results, labels),
    )


def _simulated(flow: Flow) -> str:
    if not flow.is_simulated:
        return ""
    if flow.simulated_rows == flow.rows:
        return " All were simulated."
    rows = f"{flow.simulated_rows:,} of {count(flow.rows, 'row')}"
    return f" {rows} {verb(flow.simulated_rows, 'was', 'were')} simulated."


def _unfinished(flow: Flow) -> Iterator[Text]:
    from rich.text import Text

    from rejudge.report import unfinished

    for sentence in unfinished(flow):
        yield Text(sentence, "yellow")


def _claims(results: Results) -> Iterator[Text]:
    """Each claim of the study with the verdict on it."""
    from rich.text import Text

    for claim in results.claims:
        yield Text(
            f"Claim {claim.says}: {claim.verdict.replace('-', ' ')} ({claim.because.rstrip('.')})."
        )


def _options(results: Results) -> Iterator[Text]:
    from rich.text import Text

    if results.signature.options:
        yield Text(f"Options: {results.signature.listed_options}.")


def _limits(results: Results, labels: Mapping[str, str]) -> Iterator[Text]:
    from rich.text import Text

    from rejudge.report import pair_limits

    for sentence in pair_limits(results, labels):
        yield Text(f"{sentence}.")


def _remarks(results: Results, question: str, labels: Mapping[str, str]) -> Iterator[Text]:
    """What to know before reading the table: unequal coverage, tests that disagree."""
    from rich.text import Text

    from rejudge.report import disagreement_sentences

    alone = [f for f in results.of(question, "mean") if not f.is_comparable]
    for note in dict.fromkeys(f.note for f in alone):
        yield Text(note, "yellow")
    for f in results.findings:
        if f.question == question and f.role == "headline" and f.value is None:
            yield Text(f"{_what(f, labels)}: {f.note}", "yellow")
    yield from _few_shared(results, question, labels)
    for sentence in disagreement_sentences(results, question, labels):
        yield Text(sentence, "yellow")


def _few_shared(results: Results, question: str, labels: Mapping[str, str]) -> Iterator[Text]:
    """Which comparisons few items carry."""
    from rich.text import Text

    from rejudge.stats import few_shared

    notes = {
        frozenset(f.systems): (f, f.note)
        for f in results.findings
        if f.question == question and f.role == "headline"
    }
    covered = [d.coverage for d in results.details if d.question == question and d.coverage]
    for pair in (each for coverage in covered for each in coverage.pairs):
        warning = few_shared(pair.shared_items, pair.information_share)
        finding, note = notes.get(frozenset((pair.first, pair.second)), (None, ""))
        if finding is not None and warning and warning in note:
            yield Text(f"{_what(finding, labels)}: {warning}", "yellow")


def _ties(results: Results, question: str) -> Iterator[Text]:
    """How many choices were ties; each stands in the tallies of two systems."""
    from rich.text import Text

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
        yield Text(f"Ties: {ties:,} of {of} ({100 * ties / total:.1f} %).")


def _behind(results: Results, question: str, labels: Mapping[str, str]) -> Iterator[RenderableType]:
    for details in results.details:
        if details.question == question:
            yield from behind(details, labels)


def where(written: Sequence[str]) -> Text:
    """All files, tables counted: there are many."""
    from rich.text import Text

    if not written:
        return Text("Nothing written; --out DIR writes it.")
    tables = [name for name in written if "/tables/" in name.replace("\\", "/")]
    others = [name for name in written if name not in tables]
    named = [*others, *([count(len(tables), "table")] if tables else [])]
    return Text(f"Written: {', '.join(named)}")


def _table(results: Results, question: str, labels: Mapping[str, str]) -> Table:
    from rich.table import Table
    from rich.text import Text

    percent = f"{100 * results.signature.level:g} %"
    table = Table(
        box=None, padding=(0, 2, 0, 0), title=Text(f"\n{question}", "bold"), title_justify="left"
    )
    table.add_column("")
    for head in ("value", f"{percent} interval", "n", "p, corrected"):
        table.add_column(head, justify="right")
    found = sorted(
        (f for f in results.findings if f.question == question and _is_printed(f)), key=_place
    )
    for place, (head, group) in enumerate(groupby(found, key=_group)):
        if place:
            table.add_row()
        if head:
            table.add_row(Text(head, "italic"))
        for finding in group:
            table.add_row(*map(Text, _row(finding, labels)))
            new = finding.interval_for_new_people
            if new is not None:
                table.add_row(
                    Text("  for new people too"), "", Text(f"{new.low:.2f} to {new.high:.2f}")
                )
    return table


def _pooled(results: Results) -> Iterator[Text]:
    """Agreement over several criteria at once."""
    from rich.text import Text

    for each in results.pooled_agreement:
        for f in each.findings:
            value = "undefined" if f.value is None else f"{f.value:.2f}"
            ends = f" ({f.interval.low:.2f} to {f.interval.high:.2f})" if f.interval else ""
            over = f"{f.by} over {', '.join(each.questions)} together"
            yield Text(f"{over}: {value}{ends}, {count(f.n, 'unit')}. {f.note}".strip())


def _cases(results: Results, labels: Mapping[str, str]) -> Iterator[Table]:
    """Each system and each pair, with one row for every way to treat multiple judgments."""
    from rich.table import Table
    from rich.text import Text

    if not results.cases:
        return
    table = Table(
        box=None, padding=(0, 2, 0, 0), title=Text("\nCases", "bold"), title_justify="left"
    )
    table.add_column("")
    for head in ("value", f"{100 * results.signature.level:g} % interval", "n", "p, corrected"):
        table.add_column(head, justify="right")
    by_case = {case.id: {f.id: f for f in case.findings} for case in results.cases}
    first = next(iter(by_case.values()))
    for finding in (f for f in first.values() if f.by in {"mean", "wins", "cluster-robust"}):
        unit = _UNITS.get(finding.measure, "")
        head = f"{finding.question}, {_what(finding, labels)}, {unit}"
        table.add_row(Text(head, "italic"))
        for case, found in by_case.items():
            if finding.id in found:
                _, *cells = _row(found[finding.id], labels)
                table.add_row(Text(f"  {case}"), *map(Text, cells))
    yield table


def _is_printed(finding: Finding) -> bool:
    """The rest is in the files: scores that repeat a percentage, agreement pair by pair."""
    if finding.measure == "best-worst-score":
        return False
    if finding.measure == "agreement":
        return not finding.systems
    return finding.value is not None or bool(finding.systems)


_ORDER = {"headline": 1, "check": 2, "further": 3}


def _place(finding: Finding) -> int:
    """Scores of systems first, then headline, check and further tests, then everything else."""
    if finding.by in {"mean", "wins"}:
        return 0
    return _ORDER.get(finding.role or "", 4)


def _group(finding: Finding) -> str:
    if finding.measure == "agreement":
        return "agreement"
    if finding.measure in {"first-shown-percent", "order-effect"}:
        return "conditions of judging"
    unit = _UNITS.get(finding.measure, "")
    if len(finding.systems) == 1 and finding.by in {"mean", "wins"}:
        return unit
    side = "" if finding.alternative == "two-sided" else ", one-sided"
    role = f"{finding.role}: " if finding.role in {"headline", "check"} else ""
    what = ", ".join(part for part in (f"{role}{finding.by}{side}", unit, _whom(finding)) if part)
    return what if finding.is_planned else f"{what} (exploratory)"


def _whom(finding: Finding) -> str:
    from rejudge.analysis import POPULATIONS

    return POPULATIONS[finding.population] if finding.population else ""


def _row(finding: Finding, labels: Mapping[str, str]) -> tuple[str, ...]:
    interval = finding.interval
    p = finding.p if finding.p_adjusted is None else finding.p_adjusted
    digits = 3 if finding.measure == "order-effect" else 2
    return (
        _what(finding, labels),
        "undefined" if finding.value is None else f"{finding.value:.{digits}f}",
        "" if interval is None else f"{interval.low:.{digits}f} to {interval.high:.{digits}f}",
        f"{finding.n:,}",
        "" if p is None else ("< 0.001" if p < _SMALLEST_P else f"{p:.3f}"),
    )


def _what(finding: Finding, labels: Mapping[str, str]) -> str:
    who = versus([labels.get(system, system) for system in finding.systems], finding.measure)
    if finding.measure == "agreement":
        return finding.by
    if finding.measure == "first-shown-percent":
        return "output shown first, % chosen"
    if finding.measure == "order-effect":
        return _TRENDS.get(finding.by, finding.by)
    if finding.measure == "test" and finding.statistic is not None:
        df = ", ".join(f"{each:.4g}" for each in finding.statistic.df)
        return f"{finding.statistic.name} ({df})" if df else finding.statistic.name
    return who or finding.by


def _undefined(findings: Sequence[Finding]) -> Iterator[Text]:
    """Why a number that was wanted is not there."""
    from rich.text import Text

    for finding in findings:
        if finding.value is None and finding.measure == "test":
            yield Text(f"{finding.question}, {finding.by}: {finding.note}", "yellow")


def _choices(results: Results, labels: Mapping[str, str]) -> Iterator[RenderableType]:
    """Comparisons that come out differently by exclusions or by case."""
    from rich.text import Text

    from rejudge.analysis import method_of

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
        yield Text(f"Depends on {dependence.choice}: {what} ({states}).", "yellow")
    if results.cases:
        yield Text(method_of([case.multiple for case in results.cases]))
        if not any(each.choice == "cases" for each in results.depends):
            yield Text("No comparison depends on how multiple judgments are treated.")
