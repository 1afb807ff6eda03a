"""The page of a comparison, and its section in the report of a study.

First a few sentences, a row of verdicts per reproduction and one figure; the numbers on demand.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rejudge.compare.comparison import SHARE, Comparison
from rejudge.compare.confirmation import SIGNIFICANCE
from rejudge.english import as_sentence, count, join_words, verb
from rejudge.layout.table import Table
from rejudge.report.blocks import (
    Block,
    FigureBlock,
    Fold,
    Listing,
    PageTable,
    Paragraph,
    Report,
    Section,
    all_blocks,
    figure_block,
    figures_in,
    page_table,
    with_own_ids,
)
from rejudge.report.figures.comparison import comparison_pictures
from rejudge.report.figures.registry import Picture
from rejudge.tables.comparison import SYMBOLS, comparison_tables, run_name
from rejudge.tables.comparison_summary import (
    has_numbers,
    reproductions,
    share_confirmed,
    shares,
    unsupported_in_words,
)

_PARTS = (
    ("findings", "Findings and claims (type IV)"),
    ("scores", "Scores and their spread (type I)"),
    ("order", "Order and spacing of systems (type II)"),
    ("labels", "Agreement of labels (type III)"),
    ("effects", "Effects and equivalence"),
    ("together", "All runs together"),
    ("printed", "Figures printed in the papers"),
    ("conditions", "Conditions and deviations"),
)
_PAIR = 2


def comparison_page(
    comparison: Comparison, command: str = "", pictures: Sequence[Picture] | None = None
) -> Report:
    """The report of a comparison; `command` makes it again; `pictures` are drawn if left out."""
    tables = comparison_tables(comparison)
    verdicts = next((table for table in tables if table.section == "summary"), None)
    figures = comparison_pictures(comparison) if pictures is None else pictures
    lead = next((each for each in figures if each.name.startswith("scores-")), None)
    rest = tuple(each for each in figures if each is not lead)
    limits = " ".join(comparison_limitations(comparison))
    return Report(
        title=f"{run_name(comparison, comparison.original)}: was it reproduced?",
        language="en",
        is_simulated=any(run.is_simulated for run in comparison.runs),
        answer=tuple(_summary(comparison)),
        figure=figure_block(lead) if lead else None,
        numbers=(),
        sections=(
            *([Section("limitations", "Limitations", (Paragraph(limits),))] if limits else []),
            *(section for section in _sections(tables, rest) if section.blocks),
            Section(
                "methods",
                "Methods",
                (Paragraph(" ".join(comparison_methods(comparison))),),
                is_reference=True,
            ),
            Section(
                "signature", "Signature", tuple(_signature(comparison, command)), is_reference=True
            ),
        ),
        signature=f"rejudge {comparison.version} · {' · '.join(r.id for r in comparison.runs)}",
        kicker="Comparison of human evaluations",
        first="In short",
        summary=page_table(verdicts) if verdicts else None,
    )


def _summary(comparison: Comparison) -> Iterator[str]:
    """A few plain sentences; whether that is enough agreement is for the reader to say."""
    others = reproductions(comparison)
    unsupported = unsupported_in_words(comparison)
    found = [
        share_confirmed(each)
        for each in shares(comparison, None if len(others) > 1 else others[0])
        if each.by != SIGNIFICANCE or not unsupported
    ]
    if found:
        several = "both" if len(others) == _PAIR else f"all {len(others):,}"
        noun = "runs" if len(comparison.runs) > _PAIR else "cases"
        who = f"{several} {noun}" if len(others) > 1 else others[0].name
        yield f"Of the original’s findings, {who} confirmed {join_words(found)}."
    elif not has_numbers(comparison):
        yield f"{join_words([run.name for run in others])}: nothing could be compared."
    if unsupported:
        yield unsupported
    total = len(comparison.deviations)
    if total:
        silent = sum(not each.reason for each in comparison.deviations)
        reasons = f", {silent:,} of them without a reason" if silent else ""
        are = verb(total, "is", "are")
        yield f"{count(total, 'deviation')} from the original {are} recorded{reasons}."


def _sections(tables: Sequence[Table], figures: Sequence[Picture]) -> Iterator[Section]:
    """Every number behind the verdicts, one part after another."""
    for name, title in _PARTS:
        yield Section(name, title, tuple(_blocks(name, tables, figures)), is_reference=True)


def _blocks(section: str, tables: Sequence[Table], figures: Sequence[Picture]) -> Iterator[Block]:
    yield from figures_in(figures, section)
    for table in tables:
        if table.section == section:
            yield page_table(table)


def _signature(comparison: Comparison, command: str) -> Iterator[Block]:
    notes = [*comparison.dropped, *comparison.notes]
    if notes:
        yield Paragraph(" ".join(notes))
    for run in comparison.runs:
        what = {"paper": "printed numbers", "results": "results", "study": "a study’s folder"}
        departures = " ".join(run.departures)
        known = f" (fingerprint {run.fingerprint})" if run.fingerprint else ""
        source = what.get(run.source, f"a {run.source}")
        yield Paragraph(f"{run.name} ({run.id}): from {source}{known}. {departures}".strip())
    names = join_words([run.name for run in comparison.runs])
    yield Paragraph(
        f"Made with rejudge {comparison.version} from {names}. The same runs give the same numbers."
    )
    if command:
        yield Listing((command,))


_ELSEWHERE = ("signature", "methods", "limitations")  # parts that the study's page has itself


def comparison_sections(
    comparisons: Sequence[Comparison], *, of: str | None = None, is_simulated: bool = False
) -> Iterator[Section]:
    """One section for each comparison; `of` is the fingerprint of the judgments reported on.

    The page of a simulated study already says that its judgments are simulated.
    """
    for place, comparison in enumerate(comparisons, start=1):
        page = comparison_page(comparison)
        name = "comparison" if len(comparisons) == 1 else f"comparison-{place}"
        note = () if is_simulated else _simulation_note(comparison)
        blocks = (*note, *_blocks_in_study(page, f"c{place}-"))
        yield Section(name, _title_in_study(comparison, of), blocks)


def _title_in_study(comparison: Comparison, of: str | None) -> str:
    others = [run for run in comparison.runs if run.fingerprint != of]
    if of is None or len(others) == len(comparison.runs):
        return f"Comparison: {run_name(comparison, comparison.original)}"
    if len(others) == 1:
        role = "the original" if others[0].id == comparison.original else "a reproduction"
        return f"Comparison with {role}: {run_name(comparison, others[0].id)}"
    return f"Comparison with {len(others)} other runs"


def _simulation_note(comparison: Comparison) -> Iterator[Block]:
    simulated = [run_name(comparison, run.id) for run in comparison.runs if run.is_simulated]
    if simulated:
        which = "All runs" if len(simulated) == len(comparison.runs) else join_words(simulated)
        are = verb(1 if which == simulated[0] else 2, "is", "are")
        yield Paragraph(f"{which} {are} simulated; no people took part.", "warn")


def _blocks_in_study(page: Report, prefix: str) -> Iterator[Block]:
    """The sentences, the verdicts and the first figure; every part of the page on demand."""
    yield Paragraph(" ".join(page.answer))
    if page.summary:
        yield with_prefixed_ids(page.summary, prefix)
    if page.figure:
        yield with_prefixed_ids(page.figure, prefix)
    parts = tuple(
        _fold(section, prefix) for section in page.sections if section.id not in _ELSEWHERE
    )
    if parts:
        yield Fold("The comparison in full", parts)


def _fold(section: Section, prefix: str) -> Fold:
    inside = (block for block in all_blocks(section.blocks) if not isinstance(block, Fold))
    return Fold(section.title, tuple(with_prefixed_ids(block, prefix) for block in inside))


def with_prefixed_ids(block: Block, prefix: str) -> Block:
    """A block with ids of its own, where another page has the same."""
    if isinstance(block, PageTable):
        return replace(block, id=f"{prefix}{block.id}")
    if isinstance(block, FigureBlock):
        numbers_in = f"{prefix}{block.numbers_in}" if block.numbers_in else ""
        svg = with_own_ids(block.svg, prefix)
        return replace(block, id=f"{prefix}{block.id}", svg=svg, numbers_in=numbers_in)
    if isinstance(block, Fold):
        return replace(
            block, blocks=tuple(with_prefixed_ids(each, prefix) for each in block.blocks)
        )
    return block


_SOURCES = {
    "paper": "the numbers printed in a paper",
    "results": "a table of judgments",
    "study": "a study with its judgments",
    "bundle": "a bundle with its judgments",
}


def comparison_methods(comparison: Comparison) -> tuple[str, ...]:
    """How the runs were compared, sentence by sentence."""
    return tuple(as_sentence(sentence) for sentence in _methods(comparison))


def comparison_limitations(comparison: Comparison) -> tuple[str, ...]:
    """What bounds the comparison; only what is true of it."""
    return tuple(as_sentence(sentence) for sentence in _limits(comparison))


def _methods(comparison: Comparison) -> Iterator[str]:
    others = [run for run in comparison.runs if run.id != comparison.original]
    names = join_words([run_name(comparison, run.id) for run in others])
    original = run_name(comparison, comparison.original)
    yield (
        f"{original} was compared with {count(len(others), 'reproduction')} ({names}) on "
        f"{count(len(comparison.systems), 'system')} and "
        f"{count(len(comparison.criteria), 'criterion')}"
    )
    for run in comparison.runs:
        known = f" (fingerprint {run.fingerprint})" if run.fingerprint else ""
        name = run_name(comparison, run.id)
        yield f"{name} was read from {_SOURCES.get(run.source, run.source)}{known}"
    measured = list(_measures(comparison))
    if measured:
        yield f"Reproducibility was assessed by {join_words(measured)} (Belz 2025)"
    yield (
        f"{count(len(comparison.conditions), 'condition')} of measurement "
        f"{verb(len(comparison.conditions), 'was', 'were')} compared; "
        f"{count(len(comparison.deviations), 'deviation')} "
        f"{verb(len(comparison.deviations), 'was', 'were')} found"
    )
    yield f"All numbers were computed with rejudge {comparison.version}"


def _measures(comparison: Comparison) -> Iterator[str]:
    known = [each for each in comparison.findings if each.value is not None]
    for measures, words in (
        ({"cv-star"}, "the coefficient of variation CV* of single scores (type I)"),
        (set(SYMBOLS), "correlations of scores and ranks (type II)"),
        ({"agreement"}, "agreement of labels (type III)"),
        ({SHARE}, "the share of findings confirmed (type IV)"),
    ):
        if any(
            each.measure in measures and (each.measure != "agreement" or len(each.key.runs) > 1)
            for each in known
        ):
            yield words


def _limits(comparison: Comparison) -> Iterator[str]:
    simulated = [run for run in comparison.runs if run.is_simulated]
    if simulated:
        names = join_words([run_name(comparison, run.id) for run in simulated])
        yield f"The judgments of {names} were simulated by a program; no people took part"
    if len(comparison.runs) == 2:
        yield "Two runs show how far apart they are, not how far apart further runs would be"
    few = len(comparison.systems)
    if few < 5:
        yield (
            f"With {count(few, 'system')}, a correlation of scores or ranks says little about "
            "other systems"
        )
    printed = [run for run in comparison.runs if run.source == "paper"]
    if printed:
        names = join_words([run_name(comparison, run.id) for run in printed])
        yield f"For {names}, only the rounded numbers printed in the paper are known"
    yield from _of_conditions(comparison)
    yield from comparison.dropped


def _of_conditions(comparison: Comparison) -> Iterator[str]:
    unknown = [
        each
        for each in comparison.conditions
        if any(value is None for value in each.values.values())
    ]
    if unknown:
        yield (
            f"{len(unknown):,} of {count(len(comparison.conditions), 'condition')} "
            f"{verb(len(unknown), 'is', 'are')} not known for every run"
        )
    unexplained = [each for each in comparison.deviations if not each.reason]
    if unexplained:
        yield (
            f"No reason is given for {len(unexplained):,} of "
            f"{count(len(comparison.deviations), 'deviation')}"
        )
