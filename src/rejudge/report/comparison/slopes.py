"""Scores from run to run: lines that cross are ranks that changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from rejudge.compare import Comparison
from rejudge.report.comparison.naming import run_name, system_name
from rejudge.report.comparison.scored import Scored, scored
from rejudge.report.drawing import (
    NARROW,
    Drawing,
    Picture,
    Scale,
    distinct_names,
    spread_apart,
    text_width,
    truncate,
    wrap,
)

_LINE = 15.0
_LEAST = 16.0  # between two labels
_HEIGHT = 200.0
_MOST_LABEL = 170.0
_LEAST_STEP = 50.0  # between two runs
_TO_NUMBER = 12.0
_TO_NAME = 8.0
_FORGIVEN = 2.0  # pixels between a mark and its label that need no line


def slope_pictures(comparison: Comparison, width: float) -> Iterator[Picture]:
    """One picture per criterion that has two systems or more."""
    for each in scored(comparison):
        if len(each.systems) > 1 and len(each.runs) > 1:
            says = "; ".join(
                f"{run_name(comparison, run)}: {_order(comparison, each, run)}" for run in each.runs
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
                drawing.finish(_draw(drawing, comparison, each)),
                f"table-scores-{each.criterion}",
            )


def _order(comparison: Comparison, each: Scored, run: str) -> str:
    ranked = sorted(
        (system for system in each.systems if (system, run) in each.values),
        key=lambda system: -each.values[system, run],
    )
    return " > ".join(
        f"{system_name(comparison, system)} {each.shown(system, run)}" for system in ranked
    )


def _draw(drawing: Drawing, comparison: Comparison, each: Scored) -> float:
    names = [system_name(comparison, system) for system in each.systems]
    numbers = max(text_width(each.shown(*key)) for key in each.values)
    named = _name_room(names, numbers, len(each.runs), drawing.width)
    names = distinct_names(names, named)
    right = named + _TO_NAME + numbers + _TO_NUMBER
    left = numbers + _TO_NUMBER if drawing.width < NARROW else right
    step = (drawing.width - left - right) / (len(each.runs) - 1)
    columns = [left + place * step for place in range(len(each.runs))]
    top = _heads(drawing, columns, [run_name(comparison, run) for run in each.runs])
    height = max(_HEIGHT, _LEAST * 1.25 * len(each.systems))
    upright = _upright(each, top + 10, top + height)
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
    _labels(drawing, each, names if left == right else None, upright=upright, edge=-columns[0])
    _labels(drawing, each, names, upright=upright, edge=columns[-1])
    return top + height + 18


def _name_room(names: Sequence[str], numbers: float, runs: int, width: float) -> float:
    """As wide as the longest name, while the lines between the runs keep some length."""
    sides = 1 if width < NARROW else 2
    lines = max(0.25 * width, min(0.5 * width, _LEAST_STEP * (runs - 1)))
    most = (width - lines - 2 * (numbers + _TO_NUMBER)) / sides - _TO_NAME
    return max(24.0, min(max(map(text_width, names)), _MOST_LABEL, most))


def _upright(each: Scored, top: float, bottom: float) -> Scale:
    values = each.values.values()
    return Scale(min(values), max(values), bottom, top)


def _heads(drawing: Drawing, columns: Sequence[float], names: Sequence[str]) -> float:
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


def _labels(
    drawing: Drawing, each: Scored, names: Sequence[str] | None, *, upright: Scale, edge: float
) -> None:
    """Numbers and names beside the first column (`edge` is negative) or the last, kept apart.

    A thin line leads to what was moved.
    """
    away, x = (1, edge) if edge > 0 else (-1, -edge)
    run = each.runs[-1 if edge > 0 else 0]
    there = [place for place, system in enumerate(each.systems) if (system, run) in each.values]
    dots = [upright.position(each.values[each.systems[place], run]) for place in there]
    heights = spread_apart(dots, _LEAST, between=(upright.right, upright.left))
    shown = [each.shown(each.systems[place], run) for place in there]
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
