"""The results: systems and pairs on each question, and by groups and cases."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from rejudge.analysis.results import Results
from rejudge.english import as_sentence, count, verb
from rejudge.layout.table import Table, file_name
from rejudge.report.answer import QuestionOutcome, answer
from rejudge.report.blocks import (
    Block,
    FigureBlock,
    Fold,
    Paragraph,
    Section,
    figure_block,
    fold_if_long,
    page_table,
)
from rejudge.report.figures.registry import Picture
from rejudge.tables.columns import INFORMATION, frame_table, score_grid, win_matrix
from rejudge.tables.findings import Scope, finding_table
from rejudge.tables.summary import summary_tables
from rejudge.tables.wording import (
    TEST_NAMES,
    dependence_sentences,
    disagreement_sentences,
    group_sentences,
)

_MOST_WARNINGS = 2  # about pairs, in sentences of their own
_MOST_SYSTEMS = 12  # of a win matrix that still fits the page


def question_blocks(
    outcome: QuestionOutcome,
    results: Results,
    pictures: Sequence[Picture],
    *,
    is_first: bool,
    is_told: bool,
) -> Iterator[Block]:
    """Tables and figures of one question, and its answer, unless the page begins with it."""
    question = outcome.question.id
    if not outcome.is_judged:
        yield Paragraph(f"There are no judgments to analyse on {question}.", "warn")
        return
    drawn = {
        each.family: figure_block(each)
        for each in pictures
        if (each.section, each.question) == ("results", question)
    }
    leading = drawn.pop(outcome.leading_figure, None)
    if not is_told:
        yield Paragraph(" ".join(answer(outcome, results.signature.correction)))
    if leading and not is_first:
        yield leading
    yield from question_table(results, "systems", outcome.labels, question)
    yield from _figures(drawn, "systems", "preference", "strengths", "pairs")
    yield from question_table(results, "pairs", outcome.labels, question)
    said = list(disagreement_sentences(results, question, outcome.labels))
    yield from _disagreements(said, len(outcome.pairs))
    yield from question_table(results, "further", outcome.labels, question)
    yield from question_table(results, "tests", outcome.labels, question)
    yield from _without_result(outcome, results)
    yield from _figures(drawn, *drawn)
    yield from _detail_blocks(outcome, results)


def question_table(
    results: Results, name: str, labels: Mapping[str, str], question: str
) -> Iterator[Block]:
    """The table of a question, closed where it is long; nothing where it has no rows."""
    table = finding_table(results, name, "page", labels, Scope(question))
    if table.rows:
        yield fold_if_long(page_table(table, name=f"{question}-{name}"))


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


def _without_result(outcome: QuestionOutcome, results: Results) -> Iterator[Block]:
    """The planned tests that have no number."""
    for f in results.select(outcome.question.id):
        if f.is_planned and f.by in TEST_NAMES and f.value is None:
            yield Paragraph(
                f"Planned, but without a result: {TEST_NAMES[f.by]}. {as_sentence(f.note)} No "
                "other test replaced it.",
                "warn",
            )


# what is behind the findings


def _detail_blocks(outcome: QuestionOutcome, results: Results) -> Iterator[Block]:
    """How often each score was given, or who beat whom."""
    name, labels = outcome.question.id, outcome.labels
    said = "Simulated. " if outcome.is_simulated else ""
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
            frame_table(results.frame("coverage-pairs", name), labels, "page"),
            name=f"{name}-coverage",
            caption=f"{said}Who judged what on {name}: {judged}.",
            notes=(INFORMATION,),
        )
    own = results.frame("own-differences", name)
    if len(own):
        table = frame_table(own, labels, "page")
        caption = f"{said}{table.caption}"
        yield page_table(table, name=f"{name}-own-differences", caption=caption)
    wins = win_matrix(results.frame("wins", name), labels)
    if 0 < len(wins.rows) <= _MOST_SYSTEMS:
        yield page_table(wins, caption=f"{said}{wins.caption}")


def _without_line_breaks(table: Table) -> Table:
    """Ranges such as 0–10 stay on one line."""
    columns = (replace(c, heading=c.title.replace("–", "\u2060–\u2060")) for c in table.columns)
    return replace(table, columns=tuple(columns))


# groups and cases


def group_sections(results: Results, labels: Mapping[str, str]) -> Iterator[Section]:
    """One section for each column of groups; what was not planned is reference material."""
    summaries = {table.name: table for table in summary_tables(results, labels)}
    for each in results.groups:
        name = file_name(each.column)
        summary = summaries.get(f"summary-by-{name}")
        tables = [
            *([summary] if summary else []),
            *(
                replace(
                    finding_table(results, kind, "page", labels, Scope(column=each.column)),
                    name=f"{kind}-by-{name}",
                )
                for kind in ("systems", "pairs", "interactions")
            ),
        ]
        blocks: list[Block] = [Paragraph(text) for text in group_sentences(results, each, labels)]
        blocks += [fold_if_long(page_table(table)) for table in tables if table.rows]
        is_reference = not each.is_planned
        yield Section(f"groups-{name}", f"By {each.column}", tuple(blocks), is_reference)


def case_sections(results: Results, labels: Mapping[str, str]) -> Iterator[Section]:
    """The same comparisons with each way to treat what several people judged."""
    table = finding_table(results, "pairs", "page", labels, Scope(by_case=True))
    if not results.cases or not table.rows:
        return
    depends = list(dependence_sentences(results, labels, "cases"))
    said = (
        f"{count(len(depends), 'comparison')} of two systems "
        f"{verb(len(depends), 'depends', 'depend')} on how outputs that several people judged are "
        "counted."
        if depends
        else "No comparison of two systems depends on how outputs that several people judged are "
        "counted."
    )
    blocks = [Paragraph(said), *map(Paragraph, depends)]
    yield Section(
        "cases",
        "Multiple judgments",
        (*blocks, fold_if_long(page_table(replace(table, name="pairs-by-case")))),
    )
