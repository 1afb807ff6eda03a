"""What no sentence of a report or on the screen may look like."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from rejudge.report.blocks import Facts, PageTable, Paragraph, Report, all_blocks

ONE_OF_SEVERAL = re.compile(
    r"(?<![\d.,])1 (participants|judgments|items|inputs|comparisons|pairs|systems|batches|tasks|"
    r"questions|checks|units|outputs|people|rows|answers|changes|analyses)\b"
)
ONE_IN_THE_PLURAL = re.compile(
    r"(?<![\d.,])(?<!of )(?<!by )(?<!with )(?<!from )(?<!and )1 (?!of\b)([a-z-]+) "
    r"(are|were|have|take|count|depend|lie|come|stand|make|vary)\b"
)
WRONG = {
    "one of several": ONE_OF_SEVERAL,
    "a plural verb for one": ONE_IN_THE_PLURAL,
    "a contradiction waiting to happen": re.compile("Nothing was left out"),
    "a share of wins as a subtraction": re.compile("% won.* – "),
    "empty brackets": re.compile(r"\(\s*\)"),
    "a number that is none": re.compile(r"\b(nan|inf)\b", re.IGNORECASE),
    "a bare None": re.compile(r"\bNone\b"),
    "two spaces": re.compile(r"  "),
    "a claim of no difference": re.compile(r"\bno (significant )?difference"),
    "a space before a stop": re.compile(r" [.,;]"),
    "two stops": re.compile(r"(?<!\.)\.\.(?!\.)|\.,|;\."),
    "a percentage without a space": re.compile(r"\d%"),
}


def wrong_in(texts: Iterable[str]) -> list[tuple[str, str]]:
    """What is wrong, and the text where it is."""
    return [(what, text) for text in texts for what, p in WRONG.items() if p.search(text)]


def texts_of(report: Report) -> Iterator[str]:
    """Everything that a report says, figures aside."""
    blocks = [b for section in report.sections for b in all_blocks(section.blocks)]
    yield from report.answer
    yield from report.also
    for number in report.numbers:
        yield from (number.value, number.label, number.detail)
    for block in blocks:
        if isinstance(block, Paragraph):
            yield block.text
        elif isinstance(block, Facts):
            yield from (text for _, text in block.rows)
        elif isinstance(block, PageTable):
            yield from (block.caption, *block.head, *block.notes)
            yield from (cell for row in block.rows for cell in row)
