"""Scores of all runs: as bars side by side, and as lines from run to run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from rejudge.compare.comparison import Comparison
from rejudge.report.drawing.axes import AxisScale, draw_axis, spread_apart
from rejudge.report.drawing.marks import NARROW, Box, Drawing
from rejudge.report.drawing.picture import Picture
from rejudge.report.drawing.text import distinct_names, text_width, truncate, wrap
from rejudge.tables.runs import RunScores, run_name, run_scores, score_text, system_name

_BAR = 14.0
_GAP = 14.0
_BAR_LINE = 14.0
_AIR = 6.0
_MOST_BAR_LABEL = 190.0
_SWATCH = 22.0
_MISSING = "no score"
_AXIS = 42.0  # for its numbers and its name
_LINE = 15.0
_LEAST = 16.0  # between two labels
_HEIGHT = 200.0
_MOST_LABEL = 170.0
_LEAST_NAME = 30.0  # for the widest letter and dots
_LEAST_STEP = 50.0  # between two runs
_TO_NUMBER = 12.0
_TO_NAME = 8.0
_FORGIVEN = 2.0  # pixels between a mark and its label that need no line


def bar_pictures(comparison: Comparison, width: float) -> Iterator[Picture]:
    """One picture per criterion, one group of bars per system."""
    for each in run_scores(comparison):
        runs = [run_name(comparison, run) for run in each.runs]
        names = [system_name(comparison, system) for system in each.systems]
        says = _describe_scores(each, names=names, runs=runs)
        drawing = Drawing(f"{each.name}: scores of {len(runs)} runs", says, width)
        top = _draw_legend(drawing, runs)
        bottom = _draw_bars(drawing, each, names, top)
        yield Picture(
            f"scores-{each.criterion}",
            _caption(comparison, each),
            drawing.finish(bottom + _AXIS),
            f"table-scores-{each.criterion}",
        )


def _caption(comparison: Comparison, each: RunScores) -> str:
    first = run_name(comparison, each.runs[0])
    start = (
        "Bars begin at 0."
        if not each.begin
        else f"Bars begin at the lower end of the scale, {each.begin:g}."
    )
    levels = sorted({f"{100 * one.level:g}" for one in each.intervals.values()})
    lines = f" Lines are {' and '.join(levels)} % intervals, where known." if levels else ""
    return (
        f"Scores on {each.name} in {len(each.runs)} runs, on the scale of the original: {first} "
        f"filled, the others outlined. {start}{lines}"
    )


def _describe_scores(each: RunScores, *, names: Sequence[str], runs: Sequence[str]) -> str:
    """The figure in words."""
    parts = []
    for system, name in zip(each.systems, names, strict=True):
        scores = [
            f"{run} {_score_with_interval(each, system, key)}"
            for key, run in zip(each.runs, runs, strict=True)
        ]
        parts.append(f"{name}: {', '.join(scores)}")
    return "; ".join(parts)


def _score_with_interval(each: RunScores, system: str, run: str) -> str:
    value = each.values.get((system, run))
    if value is None:
        return _MISSING
    interval = each.intervals.get((system, run))
    ends = (
        f" [{score_text(interval.low, each.digits)}, {score_text(interval.high, each.digits)}]"
        if interval
        else ""
    )
    return each.text(system, run) + ends


def _draw_bars(drawing: Drawing, each: RunScores, names: Sequence[str], top: float) -> float:
    is_narrow = drawing.width < NARROW  # names stand above their bars
    span, named = _bar_scale(each, names, drawing.width)
    bars = len(each.runs) * _BAR
    group = bars + _GAP + (_BAR_LINE + 2 if is_narrow else max(0.0, 2 * _BAR_LINE - bars))
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
            _draw_name(drawing, wrap(name, named, max(2, len(each.runs) - 1)), named, middle)
        for shade, run in enumerate(each.runs):
            y = middle + (shade - len(each.runs) / 2) * _BAR
            _draw_bar(drawing, each, (system, run), span=span, y=y)
    base = span.position(each.begin)
    drawing.line(base, top, base, bottom, kind="line")
    _draw_axis_name(drawing, f"Score on {each.name}", span, bottom + 34)
    return bottom


def _draw_axis_name(drawing: Drawing, name: str, span: AxisScale, y: float) -> None:
    """Below the middle of the axis, moved where a long name would leave the drawing."""
    words = truncate(name, drawing.width)
    half = text_width(words) / 2
    middle = min(max((span.left + span.right) / 2, half), drawing.width - half)
    drawing.text(middle, y, words, anchor="middle", kind="soft")


def _draw_name(drawing: Drawing, lines: Sequence[str], x: float, middle: float) -> None:
    for row, words in enumerate(lines):
        y = middle + 4 + (row - (len(lines) - 1) / 2) * _BAR_LINE
        drawing.text(x, y, words, anchor="end", kind="strong")


def _draw_bar(
    drawing: Drawing, each: RunScores, key: tuple[str, str], *, span: AxisScale, y: float
) -> None:
    base = span.position(each.begin)
    value = each.values.get(key)
    if value is None:
        drawing.text(base + _AIR, y + _BAR - 3.5, _MISSING, kind="soft")
        return
    end = span.position(value)
    box = Box(min(base, end), y + 1.25, abs(end - base), _BAR - 2.5)
    _draw_swatch(drawing, box, each.runs.index(key[1]))
    interval = each.intervals.get(key)
    ends = [end]
    if interval:
        ends += [span.position(interval.low), span.position(interval.high)]
        drawing.whisker_on_bar(ends[1], ends[2], y + _BAR / 2)
    words = each.text(*key)
    if value < each.begin:
        drawing.text(min(ends) - _AIR, y + _BAR - 2.75, words, anchor="end")
    else:
        drawing.text(max(ends) + _AIR, y + _BAR - 2.75, words)


def _draw_swatch(drawing: Drawing, box: Box, shade: int) -> None:
    """A bar of a run: the first is filled, the others are outlined, each with its pattern."""
    if shade:
        drawing.hatch(box, shade=shade)
    else:
        drawing.bar(box, shade=0)


def _bar_scale(each: RunScores, names: Sequence[str], width: float) -> tuple[AxisScale, float]:
    """The span of all bars with room for their numbers, and where the names of systems end."""
    ends = [each.begin, *each.values.values()]
    for interval in each.intervals.values():
        ends += [interval.low, interval.high]
    low, high = min(ends), max(ends)
    named = 0.0 if width < NARROW else min(_MOST_BAR_LABEL, max(map(text_width, names))) + 2
    left = (named + 10 if named else 1.0) + _number_width(each, is_right=False)
    right = width - max(_AIR, _number_width(each, is_right=True))
    return AxisScale(low, high if high > low else low + 1.0, left, right), named


def _number_width(each: RunScores, *, is_right: bool) -> float:
    """For the numbers behind bars that go to one side; what is not there is said on the right."""
    words = [
        each.text(*key) for key, value in each.values.items() if (value >= each.begin) == is_right
    ]
    if is_right and len(each.values) < len(each.systems) * len(each.runs):
        words.append(_MISSING)
    return max(map(text_width, words), default=-2 * _AIR) + 2 * _AIR


def _draw_legend(drawing: Drawing, names: Sequence[str]) -> float:
    """The runs in the order of the bars, in rows; gives where the drawing goes on."""
    x, y = 1.0, 4.0
    for shade, name in enumerate(names):
        words = truncate(name, drawing.width - _SWATCH - 10)
        wide = _SWATCH + 8 + text_width(words)
        if x > 1 and x + wide > drawing.width:
            x, y = 1.0, y + 20
        _draw_swatch(drawing, Box(x, y, _SWATCH, 11.5), shade)
        drawing.text(x + _SWATCH + 7, y + 10, words)
        x += wide + 8
    return y + 28


def slope_pictures(comparison: Comparison, width: float) -> Iterator[Picture]:
    """One picture per criterion that has two systems or more."""
    for each in run_scores(comparison):
        if len(each.systems) > 1 and len(each.runs) > 1:
            says = "; ".join(
                f"{run_name(comparison, run)}: {_describe_order(comparison, each, run)}"
                for run in each.runs
            )
            drawing = Drawing(
                f"{each.name}: order of systems in {len(each.runs)} runs", says, width
            )
            caption = (
                f"Scores on {each.name} from run to run, on the scale of the original. Where "
                "lines cross, two systems changed places."
            )
            yield Picture(
                f"order-{each.criterion}",
                caption,
                drawing.finish(_draw_slopes(drawing, comparison, each)),
                f"table-scores-{each.criterion}",
            )


def _describe_order(comparison: Comparison, each: RunScores, run: str) -> str:
    ranked = sorted(
        (system for system in each.systems if (system, run) in each.values),
        key=lambda system: -each.values[system, run],
    )
    return " > ".join(
        f"{system_name(comparison, system)} {each.text(system, run)}" for system in ranked
    )


def _draw_slopes(drawing: Drawing, comparison: Comparison, each: RunScores) -> float:
    names = [system_name(comparison, system) for system in each.systems]
    numbers = max(text_width(each.text(*key)) for key in each.values)
    named = _name_width(names, numbers, len(each.runs), drawing.width)
    names = distinct_names(names, named)
    right = named + _TO_NAME + numbers + _TO_NUMBER
    left = numbers + _TO_NUMBER if drawing.width < NARROW else right
    step = (drawing.width - left - right) / (len(each.runs) - 1)
    columns = [left + place * step for place in range(len(each.runs))]
    top = _draw_heads(drawing, columns, [run_name(comparison, run) for run in each.runs])
    height = max(_HEIGHT, _LEAST * 1.25 * len(each.systems))
    upright = _vertical_scale(each, top + 10, top + height)
    for x in columns:
        drawing.line(x, top, x, top + height + 10)
    shades = list(comparison.systems)
    for system in reversed(each.systems):  # the best lies above
        points = {
            run: (x, upright.position(each.values[system, run]))
            for run, x in zip(each.runs, columns, strict=True)
            if (system, run) in each.values
        }
        shade = shades.index(system) + 1 if system in shades else len(shades) + 1
        drawing.path(points.values(), shade=shade)
        for point in points.values():
            drawing.marker(*point, shade=shade)
    _draw_labels(drawing, each, names if left == right else None, upright=upright, edge=-columns[0])
    _draw_labels(drawing, each, names, upright=upright, edge=columns[-1])
    return top + height + 18


def _name_width(names: Sequence[str], numbers: float, runs: int, width: float) -> float:
    """As wide as the longest name, while the lines between the runs keep some length."""
    sides = 1 if width < NARROW else 2
    lines = max(0.25 * width, min(0.5 * width, _LEAST_STEP * (runs - 1)))
    most = (width - lines - 2 * (numbers + _TO_NUMBER)) / sides - _TO_NAME
    return max(_LEAST_NAME, min(max(map(text_width, names)), _MOST_LABEL, most))


def _vertical_scale(each: RunScores, top: float, bottom: float) -> AxisScale:
    values = each.values.values()
    return AxisScale(min(values), max(values), bottom, top)


def _draw_heads(drawing: Drawing, columns: Sequence[float], names: Sequence[str]) -> float:
    """Names above columns, each in lines that end halfway to the next column."""
    half = (columns[1] - columns[0]) / 2
    ends = [0.0, *(x + half for x in columns[:-1]), drawing.width]
    places = [(max(low + 4, 0), min(high - 4, drawing.width)) for low, high in pairwise(ends)]
    lines = [wrap(name, high - low, 4) for name, (low, high) in zip(names, places, strict=True)]
    most = max(map(len, lines))
    for x, words, (low, high) in zip(columns, lines, places, strict=True):
        wide = max(map(text_width, words)) / 2
        middle = min(max(x, low + wide), high - wide)
        for row, line in enumerate(words):
            y = 14 + (row + most - len(words)) * _LINE
            drawing.text(middle, y, line, anchor="middle", kind="strong")
    return 14 + (most - 1) * _LINE + 12


def _draw_labels(
    drawing: Drawing,
    each: RunScores,
    names: Sequence[str] | None,
    *,
    upright: AxisScale,
    edge: float,
) -> None:
    """Numbers and names beside the first column (`edge` is negative) or the last, kept apart.

    A thin line leads to what was moved.
    """
    away, x = (1, edge) if edge > 0 else (-1, -edge)
    run = each.runs[-1 if edge > 0 else 0]
    there = [place for place, system in enumerate(each.systems) if (system, run) in each.values]
    dots = [upright.position(each.values[each.systems[place], run]) for place in there]
    heights = spread_apart(dots, _LEAST, between=(upright.right, upright.left))
    shown = [each.text(each.systems[place], run) for place in there]
    beyond = max(map(text_width, shown), default=0.0)
    far = x + away * (_TO_NUMBER + beyond)
    for place, words, dot, y in zip(there, shown, dots, heights, strict=True):
        if abs(dot - y) > _FORGIVEN:
            drawing.line(x + away * 6, dot, x + away * (_TO_NUMBER - 1), y, kind="line")
        drawing.text(max(x + away * _TO_NUMBER, far), y + 4, words, anchor="end")
        if names is not None:
            room = (drawing.width - far if away > 0 else far) - _TO_NAME
            drawing.text(
                far + away * _TO_NAME,
                y + 4,
                truncate(names[place], room),
                anchor="start" if away > 0 else "end",
                kind="strong",
            )
