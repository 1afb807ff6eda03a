"""How far people agree, and whether the output shown first is preferred."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rejudge.english import capital
from rejudge.findings.model import Finding
from rejudge.layout.numbers import interval_phrase, level_text
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
from rejudge.report.figures.rows import Axis, EstimateRow, data_range, draw_rows, ticks_around
from rejudge.tables.wording import coefficient, digits_of

_QUARTERS = (0, 25, 50, 75, 100)
_FIFTHS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
_STEP = 0.2
_EVEN = 50.0
_LEAST_REACH = 10.0  # percent to each side of it


def agreement_pictures(context: FigureContext) -> tuple[Picture, ...]:
    """Coefficients corrected for chance, and percentages of agreement."""
    found = [f for f in context.results.select() if f.measure == "agreement" and not f.systems]
    percent = [f for f in found if "percent" in f.by]
    corrected = [f for f in found if "percent" not in f.by]
    what = "How far participants agree beyond chance: 0 is chance, 1 is perfect agreement"
    drawn = (
        _picture(context, corrected, ("agreement", what, "Coefficient")),
        _picture(
            context,
            percent,
            ("agreement-percent", "How often two judgments of the same unit agree", "Agreement, %"),
        ),
    )
    return tuple(picture for picture in drawn if picture is not None)


def sides_picture(context: FigureContext) -> Picture | None:
    """How often the output shown first was chosen, for each question that compares."""
    found = [f for f in context.results.select() if f.measure == "first-shown-percent"]
    rows = [_row(f, f.question) for f in found]
    if not any(row.value is not None for row in rows):
        return None
    marks = ticks_around(rows, middle=_EVEN, least=_LEAST_REACH)
    what = "How often the output shown first was chosen, counting a tie as half"
    axis = Axis(
        marks[0],
        marks[-1],
        "First shown chosen, %",
        marks,
        reference=_EVEN,
        sides=("second", "first"),
    )
    named = [(f.question, f) for f in found]
    per = "per question" if len(found) > 1 else ""
    caption = (
        f"{context.prefix}{what}; without a position effect it would be 50\u202f%, the heavy "
        f"line. {describe_intervals(found)} {describe_sizes(found, per=per)}. "
        f"Exploratory.{describe_undefined(named)}"
    )
    says = "; ".join(f"{name}: {describe_value(f)}" for name, f in named)
    drawing = Drawing(f"{context.prefix}{what}.", f"{says}.", context.width)
    return Picture("sides", caption, draw_rows(drawing, rows, axis))


def _picture(
    context: FigureContext, found: Sequence[Finding], texts: tuple[str, str, str]
) -> Picture | None:
    name, what, title = texts
    if not any(f.value is not None for f in found):
        return None
    one = {f.by for f in found}
    is_several = len({f.question for f in found}) > 1
    rows = [
        _row(f, f.question)
        if is_several and len(one) == 1
        else _row(f, capital(coefficient(f.by)), begins=_head(found, place) if is_several else "")
        for place, f in enumerate(found)
    ]
    if is_several and len(one) == 1 and not title.endswith("%"):
        title = capital(coefficient(found[0].by))
    named = [(f"{coefficient(f.by)} on {f.question}", f) for f in found]
    says = "; ".join(f"{label}: {describe_value(f)}{_for_new(f)}" for label, f in named)
    drawing = Drawing(f"{context.prefix}{what}.", f"{says}.", context.width)
    where = "" if is_several else f", on {found[0].question}"
    caption = (
        f"{context.prefix}{what}{where}. {_lines(found)} A unit is an output, or a pair of "
        f"outputs, judged by two or more people; {describe_sizes(found, per='')}."
        f"{describe_undefined(named)}"
    )
    drawing = draw_rows(drawing, rows, _axis(rows, title))
    return Picture(name, caption, drawing, "table-agreement")


def _row(finding: Finding, label: str, *, begins: str = "") -> EstimateRow:
    return EstimateRow(
        label,
        format_value(finding),
        finding.value,
        finding.interval,
        finding.interval_for_new_people,
        spread=format_interval(finding),
        shade=INK,
        begins=begins,
    )


def _head(found: Sequence[Finding], place: int) -> str:
    question = found[place].question
    return "" if place and found[place - 1].question == question else question


def _axis(rows: Sequence[EstimateRow], title: str) -> Axis:
    if title.endswith("%"):
        return Axis(0, 100, title, _QUARTERS)
    low, high = data_range(rows, 0.0, 1.0)
    steps = math.ceil(-low / _STEP - 1e-9)
    below = tuple(round(-_STEP * place, 1) for place in range(steps, 0, -1))
    return Axis(min(low, *below, 0.0), high, title, (*below, *_FIFTHS), reference=0.0)


def _lines(found: Sequence[Finding]) -> str:
    known = next((f.interval for f in found if f.interval), None)
    wider = next((f.interval_for_new_people for f in found if f.interval_for_new_people), None)
    either = known or wider
    if either is None:
        return "No interval could be computed."
    thin = " Thin lines hold for new participants as well." if wider else ""
    return (
        f"Heavy lines and numbers in brackets are {level_text(either.level)} intervals for "
        f"these participants and new units.{thin}"
    )


def _for_new(finding: Finding) -> str:
    wider = finding.interval_for_new_people
    return f", for new participants {interval_phrase(wider, digits_of(finding))}" if wider else ""
