"""The results: systems and pairs on each question, and by groups."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from rejudge.analysis.results import Results
from rejudge.english import as_sentence, capital, count
from rejudge.findings.model import Finding
from rejudge.layout.numbers import level_text, number, p_value
from rejudge.layout.table import Column, Table, file_name
from rejudge.report.answer import QuestionOutcome, answer
from rejudge.report.blocks import (
    Block,
    FigureBlock,
    Fold,
    PageTable,
    Paragraph,
    Section,
    figure_block,
    fold_if_long,
    page_table,
)
from rejudge.report.figures.registry import Picture
from rejudge.tables.columns import INFORMATION, PAGE, frame_table, score_grid, win_matrix
from rejudge.tables.findings import finding_table
from rejudge.tables.results import summary_tables, tables_of_groups
from rejudge.tables.wording import (
    TEST_NAMES,
    digits_of,
    disagreement_sentences,
    group_sentences,
    name_of_test,
    shared_method,
    verdict,
)

_MOST_WARNINGS = 2  # about pairs, in sentences of their own
_MOST_SYSTEMS = 12  # of a win matrix that still fits the page
_CHECK_HEADINGS = {"sign-flip": "Sign‑flip p", "cluster-robust": "Check: value; p"}
_EXPLAINED = {
    "sign-flip": "Sign-flip: if two systems were equal, each item could as well favour the other; "
    "all patterns of signs are counted. It holds for new items and these participants.",
    "cluster-robust": "Check: the cluster-robust estimate{what}, which does not assume how "
    "judgments are distributed; for new items and new participants.",
}
_ESTIMATES = {  # what the check estimates, by measure
    "win-percent": " of the percentage of comparisons that the first wins",
    "mean-difference": " (scores are compared within items)",
}


def question_blocks(
    outcome: QuestionOutcome, results: Results, pictures: Sequence[Picture], *, is_first: bool
) -> Iterator[Block]:
    """Tables and figures of one question; on the first, the page has already shown the answer."""
    if not outcome.is_judged:
        yield Paragraph(f"There are no judgments to analyse on {outcome.question.id}.", "warn")
        return
    drawn = {
        each.family: figure_block(each)
        for each in pictures
        if (each.section, each.question) == ("results", outcome.question.id)
    }
    leading = drawn.pop(outcome.leading_figure, None)
    if not is_first:
        yield Paragraph(" ".join(answer(outcome, results.signature.correction)))
        yield from [leading] if leading else []
    if outcome.shares:
        yield from _share_tables(outcome, results)
    else:
        yield fold_if_long(_systems_table(outcome, results))
    yield from _figures(drawn, "systems", "preference", "strengths")
    if outcome.pairs:
        yield from _figures(drawn, "pairs")
        yield fold_if_long(_pairs_table(outcome, results))
        said = list(disagreement_sentences(results, outcome.question.id, outcome.labels))
        yield from _disagreements(said, len(outcome.pairs))
    yield from _other_tests(outcome, results)
    yield from _figures(drawn, *drawn)
    yield from _detail_blocks(outcome, results)


def _disagreements(said: Sequence[str], pairs: int) -> Iterator[Block]:
    """Pairs whose headline test and check disagree: each with its sentence, or many on demand."""
    if len(said) <= _MOST_WARNINGS:
        yield from (Paragraph(each, "warn") for each in said)
        return
    words = f"For {len(said):,} of {pairs:,} pairs, the headline test and its check disagree."
    yield Paragraph(words, "warn")
    yield Fold("Where the headline test and its check disagree", tuple(map(Paragraph, said)))


def _figures(left: dict[str, FigureBlock], *kinds: str) -> Iterator[FigureBlock]:
    """These figures, once each."""
    for kind in kinds:
        if kind in left:
            yield left.pop(kind)


def _other_tests(outcome: QuestionOutcome, results: Results) -> Iterator[Block]:
    """The planned tests that the tables above do not show, and those that have no number."""
    shown_above = {outcome.pairs[0].by} if outcome.pairs else {"cluster-robust"}
    if outcome.pairs:
        shown_above |= {f.by for f in _checks(outcome, results).values()}
    planned = [
        f
        for f in results.select()
        if f.question == outcome.question.id
        and f.is_planned
        and f.by in TEST_NAMES
        and f.by not in shown_above
        and (f.measure == "test" or len(f.systems) == 2)
    ]
    known = [f for f in planned if f.value is not None]
    if known:
        yield fold_if_long(_tests_table(outcome, results, known))
    for f in planned:
        if f.value is None:
            yield Paragraph(
                f"Planned, but without a result: {TEST_NAMES[f.by]}. {as_sentence(f.note)} No "
                "other test replaced it.",
                "warn",
            )


def _tests_table(outcome: QuestionOutcome, results: Results, found: Sequence[Finding]) -> PageTable:
    columns = ("test in words", "pair", "n", "statistic with df", "value", "interval",
               "p, corrected", "outcome")  # fmt: skip
    correction = results.signature.correction
    table = finding_table(
        f"{outcome.question.id}-tests",
        f"{_simulation_note(outcome)}Further planned tests on {outcome.question.id}. "
        + " ".join(dict.fromkeys(f"{capital(f.method)}." for f in found)),
        found,
        columns,
        labels=outcome.labels,
        headings={"pair": "Systems", "value": "Difference", "outcome": "Verdict",
                  "p, corrected": "p" if correction == "none" else f"p ({correction.title()})"},
    )  # fmt: skip
    rows = (
        row if f.systems else (row[0], "all systems", *row[2:4], "", "", *row[6:])
        for row, f in zip(table.rows, found, strict=True)
    )
    return page_table(replace(table, rows=tuple(rows), align_as="llrrrrrl", notes=_notes(found)))


def _systems_table(outcome: QuestionOutcome, results: Results) -> PageTable:
    found = outcome.standings
    interval = {"interval": _interval_heading(found)}
    if outcome.is_comparison:
        scores = {
            f.systems[0]: f.value for f in results.select(outcome.question.id, "best-worst-score")
        }
        tallies = ("system", "n", "wins", "losses", "ties", "value", "interval")
        table = _of_systems(outcome, tallies, 1, {"value": "Won, %", **interval})
        table = replace(
            table,
            columns=(*table.columns, Column("best–worst score", 1)),
            rows=tuple(
                (*row, scores.get(f.systems[0])) for row, f in zip(table.rows, found, strict=True)
            ),
        )
        return page_table(table if any(table.column("ties")) else table.without("ties"))
    columns = ("system", "n", "items", "participants", "value", "interval")
    return page_table(_of_systems(outcome, columns, 2, {"value": "Mean", **interval}))


def _share_tables(outcome: QuestionOutcome, results: Results) -> Iterator[Block]:
    """How often each label was given to each system, and the differences between systems."""
    name, correction = outcome.question.id, results.signature.correction
    parts = (
        ("systems", "Labels of systems", outcome.shares, ("label", "system"), ()),
        ("pairs", "Differences of shares", outcome.share_pairs, ("label", "pair"),
         ("p, corrected", "outcome")),
    )  # fmt: skip
    for kind, what, found, which, decision in parts:
        if found:
            table = finding_table(
                f"{name}-{kind}",
                f"{_simulation_note(outcome)}{what} on {name}. {capital(shared_method(found))}.",
                found,
                (*which, "n", "value", "interval", *decision),
                labels=outcome.labels,
                digits=1,
                headings={
                    "label": "Label",
                    "value": "Share, %" if kind == "systems" else "Difference, points",
                    "interval": _interval_heading(found),
                    "p, corrected": "p" if correction == "none" else f"p ({correction.title()})",
                    "outcome": "Verdict",
                },
            )
            yield fold_if_long(page_table(replace(table, notes=_notes(found))))


def _of_systems(
    outcome: QuestionOutcome, columns: Sequence[str], digits: int, headings: Mapping[str, str]
) -> Table:
    table = finding_table(
        f"{outcome.question.id}-systems",
        f"{_simulation_note(outcome)}Systems on {outcome.question.id}. "
        f"{capital(shared_method(outcome.standings))}.",
        outcome.standings,
        columns,
        labels=outcome.labels,
        digits=digits,
        headings=headings,
    )
    return replace(table, notes=_notes(outcome.standings))


_HEADINGS = {
    "win-percent": "Preferred, %",
    "latent-difference": "Log odds",
    "strength": "Log odds",
}


_LEADING = 25  # systems whose pairs are listed where all pairs are too many for a page
_MOST_PAIRS = 300  # all pairs of 25 systems


def _listed_pairs(outcome: QuestionOutcome) -> tuple[tuple[Finding, ...], tuple[str, ...]]:
    """The pairs that the page lists, and a note on those in the file alone."""
    if len(outcome.pairs) <= _MOST_PAIRS:
        return outcome.pairs, ()
    leading = {each.systems[0] for each in outcome.standings[:_LEADING]}
    listed = tuple(each for each in outcome.pairs if leading.issuperset(each.systems))
    if not listed:
        listed = outcome.pairs[:_MOST_PAIRS]
    file = f"tables/{file_name(outcome.question.id)}-pairs.csv"
    note = f"{len(listed)} of {len(outcome.pairs):,} pairs: those of the {len(leading)} systems"
    return listed, (f"{note} listed first. All are in {file} next to this page.",)


def _pairs_table(outcome: QuestionOutcome, results: Results) -> PageTable:
    first = outcome.pairs[0]
    pairs, cut = _listed_pairs(outcome)
    correction = results.signature.correction
    checks = _checks(outcome, results)
    side = "" if first.alternative == "two-sided" else ", one-sided"
    corrected = "" if correction == "none" else f" ({correction.title()})"
    plan = "" if first.is_planned else " Exploratory: this test was not planned."
    table = finding_table(
        f"{outcome.question.id}-pairs",
        f"{_simulation_note(outcome)}Pairs of systems on {outcome.question.id}. "
        f"{capital(shared_method(outcome.pairs))}.{plan}"
        f"{f' {outcome.limit}' if outcome.limit else ''}",
        pairs,
        ("pair", "n", "value", "interval", "p", *(["p corrected"] if corrected else [])),
        labels=outcome.labels,
        digits=digits_of(first),
        headings={
            "pair": "First against second",
            "value": _HEADINGS.get(first.measure, "Difference"),
            "interval": _interval_heading(outcome.pairs),
            "p": f"p{side}",
            "p corrected": f"p{side}{corrected}",
        },
    )
    check = next(iter(checks.values()), None)
    check_heading = [Column(f"{_CHECK_HEADINGS[check.by]}{corrected}", 0)] if check else []
    rows = (
        (*row, *([_check_text(checks.get(f.systems))] if checks else []), _verdict(outcome, f))
        for row, f in zip(table.rows, pairs, strict=True)
    )
    return page_table(
        replace(
            table,
            columns=(*table.columns, *check_heading, Column("verdict")),
            rows=tuple(rows),
            notes=(
                *cut,
                *_notes(pairs),
                *dict.fromkeys(map(_check_explanation, checks.values())),
            ),
        )
    )


def _check_explanation(check: Finding) -> str:
    return _EXPLAINED[check.by].format(what=_ESTIMATES.get(check.measure, ""))


def _verdict(outcome: QuestionOutcome, pair: Finding) -> str:
    """The verdict on a pair, with the test that gave it where it is not the one of the table."""
    decided = outcome.deciding_test(pair)
    return verdict(decided) if decided is pair else f"{verdict(decided)} ({name_of_test(decided)})"


def _checks(outcome: QuestionOutcome, results: Results) -> dict[tuple[str, ...], Finding]:
    """The check beside the headline, by pair; the sign-flip test beside the check itself."""
    if outcome.pairs[0].by == "cluster-robust":
        return {
            f.systems: f for f in results.select(outcome.question.id, "win-percent", "sign-flip")
        }
    found = (f for f in results.select() if f.question == outcome.question.id)
    return {f.systems: f for f in found if f.role == "check"}


def _check_text(finding: Finding | None) -> str:
    """The p value of the test beside the headline; the value too where it is another one."""
    if finding is None:
        return ""
    p = p_value(finding.p_adjusted)
    if finding.by == "sign-flip" or finding.value is None:
        return p
    return f"{number(finding.value, digits_of(finding))}; {p}"


def _interval_heading(findings: Sequence[Finding]) -> str:
    known = next((f.interval for f in findings if f.interval), None)
    return f"{level_text(known.level)} interval" if known else "Interval"


def _notes(findings: Sequence[Finding]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(finding.note for finding in findings if finding.note))


def _simulation_note(outcome: QuestionOutcome) -> str:
    return "Simulated. " if outcome.is_simulated else ""


# what is behind the findings


def _detail_blocks(outcome: QuestionOutcome, results: Results) -> Iterator[Block]:
    """How often each score was given, or who beat whom."""
    name, said, labels = outcome.question.id, _simulation_note(outcome), outcome.labels
    scores = results.frame("scores", name)
    if len(scores):
        table = score_grid(scores, labels)
        yield page_table(_without_line_breaks(table), caption=f"{said}{table.caption}")
    coverage = results.frame("coverage", name)
    if len(coverage) and not coverage.facts["is_even"]:
        judged = "; ".join(
            f"{labels.get(row['system'], row['system'])} {count(row['judgments'], 'judgment')} of "
            f"{count(row['items'], 'item')}"
            for row in coverage.rows
        )
        yield page_table(
            frame_table(results.frame("coverage-pairs", name), labels, PAGE),
            name=f"{name}-coverage",
            caption=f"{said}Who judged what on {name}: {judged}.",
            notes=(INFORMATION,),
        )
    own = results.frame("own-differences", name)
    if len(own):
        table = frame_table(own, labels, PAGE)
        caption = f"{said}{table.caption}"
        yield page_table(table, name=f"{name}-own-differences", caption=caption)
    wins = win_matrix(results.frame("wins", name), labels)
    if 0 < len(wins.rows) <= _MOST_SYSTEMS:
        yield page_table(wins, caption=f"{said}{wins.caption}")


def _without_line_breaks(table: Table) -> Table:
    """Ranges such as 0–10 stay on one line."""
    columns = (replace(c, heading=c.title.replace("–", "\u2060–\u2060")) for c in table.columns)
    return replace(table, columns=tuple(columns))


# groups


def group_sections(results: Results, labels: Mapping[str, str]) -> Iterator[Section]:
    """One section for each column of groups."""
    summaries = {table.name: table for table in summary_tables(results, labels)}
    for each in results.groups:
        summary = summaries.get(f"summary-{file_name(each.column)}")
        tables = [*([summary] if summary else []), *tables_of_groups(results, each, labels)]
        blocks: list[Block] = [Paragraph(text) for text in group_sentences(results, each, labels)]
        blocks += [fold_if_long(page_table(table)) for table in tables if table.rows]
        yield Section(f"groups-{file_name(each.column)}", f"By {each.column}", tuple(blocks))
