"""A comparison with other runs, inside the report of a study."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rejudge.compare import Comparison
from rejudge.english import join_words, verb
from rejudge.report.blocks import (
    Block,
    Drawn,
    Fold,
    Paragraph,
    Report,
    Section,
    Table,
    unfolded,
)
from rejudge.report.comparison import comparison_page
from rejudge.report.page_figures import with_own_ids
from rejudge.tables.run_scores import run_name

_ELSEWHERE = ("signature", "methods", "limitations")  # parts that the study's page has itself


def comparison_sections(
    comparisons: Sequence[Comparison], *, of: str | None = None
) -> Iterator[Section]:
    """One section for each comparison; `of` is the fingerprint of the judgments reported on."""
    for place, comparison in enumerate(comparisons, start=1):
        page = comparison_page(comparison)
        name = "comparison" if len(comparisons) == 1 else f"comparison-{place}"
        blocks = (*_simulated(comparison), *_blocks(page, f"c{place}-"))
        yield Section(name, _title(comparison, of), blocks)


def _title(comparison: Comparison, of: str | None) -> str:
    others = [run for run in comparison.runs if run.fingerprint != of]
    if of is None or len(others) == len(comparison.runs):
        return f"Comparison: {run_name(comparison, comparison.original)}"
    if len(others) == 1:
        role = "the original" if others[0].id == comparison.original else "a reproduction"
        return f"Comparison with {role}: {run_name(comparison, others[0].id)}"
    return f"Comparison with {len(others)} other runs"


def _simulated(comparison: Comparison) -> Iterator[Block]:
    simulated = [run_name(comparison, run.id) for run in comparison.runs if run.is_simulated]
    if simulated:
        which = "All runs" if len(simulated) == len(comparison.runs) else join_words(simulated)
        are = verb(1 if which == simulated[0] else 2, "is", "are")
        yield Paragraph(f"{which} {are} simulated; no person took part.", "warn")


def _blocks(page: Report, prefix: str) -> Iterator[Block]:
    """The verdicts, the sentences and the first figure; every part of the page on demand."""
    if page.summary:
        yield renamed(page.summary, prefix)
    yield Paragraph(" ".join(page.answer))
    if page.figure:
        yield renamed(page.figure, prefix)
    for section in page.sections:
        if section.id not in _ELSEWHERE:
            inside = [block for block in unfolded(section.blocks) if not isinstance(block, Fold)]
            yield Fold(section.title, tuple(renamed(block, prefix) for block in inside))


def renamed(block: Block, prefix: str) -> Block:
    """A block with ids of its own, where another page has the same."""
    if isinstance(block, Table):
        return replace(block, id=f"{prefix}{block.id}")
    if isinstance(block, Drawn):
        numbers_in = f"{prefix}{block.numbers_in}" if block.numbers_in else ""
        svg = with_own_ids(block.svg, prefix)
        return replace(block, id=f"{prefix}{block.id}", svg=svg, numbers_in=numbers_in)
    if isinstance(block, Fold):
        return replace(block, blocks=tuple(renamed(each, prefix) for each in block.blocks))
    return block
