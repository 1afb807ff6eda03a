"""Each pair of systems beside the line of no difference."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from rejudge.analysis.results import Results
from rejudge.findings.model import Finding
from rejudge.layout.numbers import NARROW
from rejudge.layout.table import file_name
from rejudge.report.drawing.marks import Drawing
from rejudge.report.drawing.picture import Picture
from rejudge.report.figures.context import (
    INK,
    FigureContext,
    describe_intervals,
    describe_sizes,
    describe_undefined,
    describe_value,
    format_interval,
    format_value,
)
from rejudge.report.figures.rows import Axis, EstimateRow, draw_rows, ticks_around
from rejudge.tables.wording import name_of_test, verdict

MOST_PAIRS = 28  # all pairs of eight systems: more do not fit a page


@dataclass(frozen=True, slots=True)
class _Kind:
    """How differences of one measure are told."""

    what: str
    title: str
    middle: float = 0.0
    sides: tuple[str, str] = ("second higher", "first higher")


_KINDS = {
    "win-percent": _Kind(
        "How often the first of two systems was preferred, counting a tie as half",
        "First preferred, %",
        50.0,
        ("second preferred", "first preferred"),
    ),
    "score-difference": _Kind(
        "Difference of best–worst scores (−100 to 100), first system minus second",
        "Difference of best–worst scores",
        sides=("second preferred", "first preferred"),
    ),
    "mean-difference": _Kind(
        "Difference in scores, first system minus second", "Difference in scores"
    ),
    "median-difference": _Kind(
        "Median of all differences, first minus second", "Median difference"
    ),
    "latent-difference": _Kind(
        "Log odds of a higher score, first against second", "Log odds of a higher score"
    ),
    "strength": _Kind(
        "Log odds that the first of two systems is preferred",
        "Log odds of being preferred",
        sides=("second preferred", "first preferred"),
    ),
}


def contrasts_picture(
    context: FigureContext, question: str, pairs: Sequence[Finding] | None = None
) -> Picture | None:
    """A forest of all pairs by the test that decides, or of those given."""
    found = tuple(deciding(context.results, question) if pairs is None else pairs)
    if not any(finding.value is not None for finding in found):
        return None
    chosen = _pairs_to_draw(context, question, found)
    kind = _KINDS[chosen[0].measure]
    rows = [_row(context, finding) for finding in chosen]
    named = [(f"{row.label} against {row.against}", f) for row, f in zip(rows, chosen, strict=True)]
    says = "; ".join(f"{name}: {describe_value(f)}, {_support(f)}" for name, f in named)
    drawing = Drawing(f"{context.prefix}{kind.what}, on {question}.", f"{says}.", context.width)
    return Picture(
        f"{file_name(question)}-pairs",
        _caption(context, kind, found, chosen) + describe_undefined(named),
        draw_rows(drawing, rows, _axis(kind, rows)),
        f"table-{question}-pairs",
    )


def deciding(results: Results, question: str) -> tuple[Finding, ...]:
    """The pairs by the test that is the headline of most of them."""
    pairs = [
        finding
        for finding in results.select()
        if finding.question == question
        and len(finding.systems) == 2  # noqa: PLR2004 - a pair
        and finding.measure in _KINDS
    ]
    headlines = Counter(_test(finding) for finding in pairs if finding.role == "headline")
    usual = next((test for test, _ in headlines.most_common(1)), None)
    return tuple(finding for finding in pairs if _test(finding) == usual)


def _test(finding: Finding) -> tuple[str, ...]:
    return finding.by, finding.measure, finding.population or "", finding.alternative


def _row(context: FigureContext, finding: Finding) -> EstimateRow:
    first, second = finding.systems
    return EstimateRow(
        context.systems.name(first),
        format_value(finding),
        finding.value,
        finding.interval,
        spread=format_interval(finding),
        against=context.systems.name(second),
        shade=INK,
        is_filled=bool(finding.is_supported),
    )


def _axis(kind: _Kind, rows: Sequence[EstimateRow]) -> Axis:
    if kind.middle:
        return Axis(0, 100, kind.title, (0, 25, 50, 75, 100), kind.middle, kind.sides)
    marks = ticks_around(rows)
    return Axis(marks[0], marks[-1], kind.title, marks, 0.0, kind.sides)


def _pairs_to_draw(
    context: FigureContext, question: str, pairs: Sequence[Finding]
) -> Sequence[Finding]:
    """All pairs; of too many, those with the best system and those of neighbours in rank.

    Where these are too many as well, those of the systems that come first, in order of rank.
    """
    if len(pairs) <= MOST_PAIRS:
        return pairs
    order = [finding.systems[0] for finding in context.standings(question)]
    if not order:
        return pairs[:MOST_PAIRS]
    leader = ((order[0], other) for other in order[1:])
    wanted = dict.fromkeys(
        frozenset(pair) for both in zip(leader, pairwise(order), strict=True) for pair in both
    )
    known = {frozenset(finding.systems): finding for finding in pairs}
    matter = [known[pair] for pair in wanted if pair in known]
    if len(matter) > MOST_PAIRS:
        return matter[:MOST_PAIRS]
    return [finding for finding in pairs if finding in matter]


def _caption(
    context: FigureContext, kind: _Kind, found: Sequence[Finding], chosen: Sequence[Finding]
) -> str:
    correction = context.results.signature.correction
    corrected = "" if correction == "none" else f" after {correction.title()} correction"
    others = "the next ones" if len(chosen) == MOST_PAIRS else "every other"
    fewer = (
        f" {len(chosen)} of {len(found):,} pairs: the best system against {others}, and neighbours "
        "in rank."
        if len(chosen) < len(found)
        else ""
    )
    nothing = f"50{NARROW}%" if kind.middle else "zero"
    exploratory = "" if found[0].is_planned else " Exploratory: this test was not planned."
    untested = any(f.is_supported is None and f.value is not None for f in chosen)
    return (
        f"{context.prefix}{kind.what}, on {found[0].question}; the heavy line marks {nothing}. "
        f"{describe_intervals(chosen)} Filled marks: the difference is supported{corrected} "
        f"({name_of_test(found[0])}); open marks: it is not"
        f"{', or could not be tested' if untested else ''}. "
        f"{describe_sizes(chosen, per='per pair')}.{fewer}{exploratory}"
    )


def _support(finding: Finding) -> str:
    return "no verdict" if finding.value is None else verdict(finding)
