"""Scores as bars: the original filled, reproductions outlined beside it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rejudge.compare import Comparison
from rejudge.report.comparison.naming import run_name, system_name
from rejudge.report.comparison.scored import Scored, number, scored
from rejudge.report.drawing import (
    NARROW,
    Box,
    Drawing,
    Picture,
    Scale,
    distinct_names,
    draw_axis,
    text_width,
    truncate,
    wrap,
)

_BAR = 14.0
_GAP = 14.0
_LINE = 14.0
_AIR = 6.0
_MOST_LABEL = 190.0
_SWATCH = 22.0
_MISSING = "no score"
_AXIS = 24.0  # for the numbers below


def bar_pictures(comparison: Comparison, width: float) -> Iterator[Picture]:
    """One picture per criterion, one group of bars per system."""
    for each in scored(comparison):
        runs = [run_name(comparison, run) for run in each.runs]
        names = [system_name(comparison, system) for system in each.systems]
        says = _told(each, names=names, runs=runs)
        drawing = Drawing(f"{each.name}: scores of {len(runs)} runs", says, width)
        top = _legend(drawing, runs)
        bottom = _draw(drawing, each, names, top)
        yield Picture(
            f"scores-{each.criterion}",
            _caption(comparison, each),
            drawing.finish(bottom + _AXIS),
            f"table-scores-{each.criterion}",
        )


def _caption(comparison: Comparison, each: Scored) -> str:
    first = run_name(comparison, each.runs[0])
    start = (
        "Bars begin at 0."
        if not each.begin
        else f"Bars begin at the lower end of the scale, {each.begin:g}."
    )
    levels = sorted({f"{100 * one.level:g}" for one in each.intervals.values()})
    lines = f" Lines across are {' and '.join(levels)} % intervals, where known." if levels else ""
    return (
        f"Scores on {each.name} in {len(each.runs)} runs, on the scale of the original: {first} "
        f"filled, the others outlined. {start}{lines}"
    )


def _told(each: Scored, *, names: Sequence[str], runs: Sequence[str]) -> str:
    """The figure in words."""
    parts = []
    for system, name in zip(each.systems, names, strict=True):
        scores = [
            f"{run} {_shown(each, system, key)}" for key, run in zip(each.runs, runs, strict=True)
        ]
        parts.append(f"{name}: {', '.join(scores)}")
    return "; ".join(parts)


def _shown(each: Scored, system: str, run: str) -> str:
    value = each.values.get((system, run))
    if value is None:
        return _MISSING
    interval = each.intervals.get((system, run))
    ends = (
        f" [{number(interval.low, each.digits)}, {number(interval.high, each.digits)}]"
        if interval
        else ""
    )
    return each.shown(system, run) + ends


def _draw(drawing: Drawing, each: Scored, names: Sequence[str], top: float) -> float:
    is_narrow = drawing.width < NARROW  # names stand above their bars
    span, named = _axis(each, names, drawing.width)
    bars = len(each.runs) * _BAR
    group = bars + _GAP + (_LINE + 2 if is_narrow else max(0.0, 2 * _LINE - bars))
    bottom = top + group * len(each.systems)
    draw_axis(drawing, span, top, bottom)
    for place, (system, name) in enumerate(
        zip(each.systems, distinct_names(names, named or drawing.width), strict=True)
    ):
        if is_narrow:
            middle = top + (place + 1) * group - (bars + _GAP) / 2
            y = middle - bars / 2 - 5
            drawing.text(0, y, truncate(name, drawing.width), kind="strong")
        else:
            middle = top + (place + 0.5) * group
            _name(drawing, wrap(name, named, max(2, len(each.runs) - 1)), named, middle)
        for shade, run in enumerate(each.runs):
            y = middle + (shade - len(each.runs) / 2) * _BAR
            _bar(drawing, each, (system, run), span=span, y=y)
    base = span.position(each.begin)
    drawing.line(base, top, base, bottom, kind="line")
    return bottom


def _name(drawing: Drawing, lines: Sequence[str], x: float, middle: float) -> None:
    for row, words in enumerate(lines):
        y = middle + 4 + (row - (len(lines) - 1) / 2) * _LINE
        drawing.text(x, y, words, anchor="end", kind="strong")


def _bar(drawing: Drawing, each: Scored, key: tuple[str, str], *, span: Scale, y: float) -> None:
    base = span.position(each.begin)
    value = each.values.get(key)
    if value is None:
        drawing.text(base + _AIR, y + _BAR - 3.5, _MISSING, kind="soft")
        return
    end = span.position(value)
    box = Box(min(base, end), y + 1.25, abs(end - base), _BAR - 2.5)
    swatch(drawing, box, each.runs.index(key[1]))
    interval = each.intervals.get(key)
    ends = [end]
    if interval:
        ends += [span.position(interval.low), span.position(interval.high)]
        drawing.whisker_on_bar(ends[1], ends[2], y + _BAR / 2)
    words = each.shown(*key)
    if value < each.begin:
        drawing.text(min(ends) - _AIR, y + _BAR - 2.75, words, anchor="end")
    else:
        drawing.text(max(ends) + _AIR, y + _BAR - 2.75, words)


def swatch(drawing: Drawing, box: Box, shade: int) -> None:
    """A bar of a run: the first is filled, the others are outlined, each with its pattern."""
    if shade:
        drawing.hatch(box, shade=shade)
    else:
        drawing.bar(box, shade=0)


def _axis(each: Scored, names: Sequence[str], width: float) -> tuple[Scale, float]:
    """The span of all bars with room for their numbers, and where the names of systems end."""
    ends = [each.begin, *each.values.values()]
    for interval in each.intervals.values():
        ends += [interval.low, interval.high]
    low, high = min(ends), max(ends)
    named = 0.0 if width < NARROW else min(_MOST_LABEL, max(map(text_width, names))) + 2
    left = (named + 10 if named else 1.0) + _room(each, is_right=False)
    right = width - max(_AIR, _room(each, is_right=True))
    return Scale(low, high if high > low else low + 1.0, left, right), named


def _room(each: Scored, *, is_right: bool) -> float:
    """For the numbers behind bars that go to one side; what is not there is said on the right."""
    words = [
        each.shown(*key) for key, value in each.values.items() if (value >= each.begin) == is_right
    ]
    if is_right and len(each.values) < len(each.systems) * len(each.runs):
        words.append(_MISSING)
    return max(map(text_width, words), default=-2 * _AIR) + 2 * _AIR


def _legend(drawing: Drawing, names: Sequence[str]) -> float:
    """The runs in the order of the bars, in rows; gives where the drawing goes on."""
    x, y = 1.0, 4.0
    for shade, name in enumerate(names):
        words = truncate(name, drawing.width - _SWATCH - 10)
        wide = _SWATCH + 8 + text_width(words)
        if x > 1 and x + wide > drawing.width:
            x, y = 1.0, y + 20
        swatch(drawing, Box(x, y, _SWATCH, 11.5), shade)
        drawing.text(x + _SWATCH + 7, y + 10, words)
        x += wide + 8
    return y + 28
