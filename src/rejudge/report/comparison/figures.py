"""Figures of a comparison: scores beside each other, their order, and how far they spread."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rejudge.compare import Comparison, Variation
from rejudge.report.comparison.drawing import (
    ROW,
    WIDTH,
    Box,
    Drawing,
    Span,
    across,
    apart,
    breadth,
    cut,
    minus,
)
from rejudge.report.comparison.naming import criterion_name, run_name, system_name
from rejudge.report.wording import listed

_BAR = 14.0
_GAP = 12.0
_MOST_LABEL = 200.0
_RIGHT = 70.0  # for the number behind a bar
_CELL = 110.0
_CELL_HEIGHT = 40.0
_STRONGEST = 0.55  # so that letters can be read on it, on white and on dark pages
_COLOURS = 7  # beside the ink
_NUMBER = 36.0  # before a bar that goes to the left
_RULE = 20.0  # for the numbers of an axis


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure that is drawn, with the name of its file and what stands below it."""

    name: str
    caption: str
    svg: str


@dataclass(frozen=True, slots=True)
class _Scored:
    """Scores on one criterion: of the systems that every run has a score of."""

    criterion: str
    name: str
    runs: tuple[str, ...]
    scores: dict[str, dict[str, float]]  # by system, by run
    begin: float  # of the scale


def pictures(comparison: Comparison) -> tuple[Picture, ...]:
    """All figures that a comparison has numbers for."""
    return (
        *_bars(comparison),
        *_slopes(comparison),
        *_forest(comparison),
        *_heat_maps(comparison),
    )


def _bars(comparison: Comparison) -> Iterator[Picture]:
    """Original beside reproductions, one group of bars per system."""
    for scored in _scored(comparison):
        labels = {system: system_name(comparison, system) for system in scored.scores}
        says = "; ".join(
            f"{labels[system]}: "
            + ", ".join(f"{run_name(comparison, run)} {number(by[run])}" for run in scored.runs)
            for system, by in scored.scores.items()
        )
        drawing = Drawing(f"{scored.name}: scores of {len(scored.runs)} runs", says)
        top = _legend(drawing, [run_name(comparison, run) for run in scored.runs])
        height = _draw_bars(drawing, scored, labels, top)
        caption = (
            f"Scores on {scored.name} in {len(scored.runs)} runs, on the scale of the original. "
            "Bars begin at 0, or at the lower end of a scale that begins above it."
        )
        yield Picture(f"scores-{scored.criterion}", caption, drawing.svg(height))


def _draw_bars(drawing: Drawing, scored: _Scored, labels: Mapping[str, str], top: float) -> float:
    low, high = _ends(scored)
    named = min(_MOST_LABEL, max(map(breadth, labels.values()))) + 4
    left = named + 10 + (_NUMBER if low < scored.begin else 0.0)
    span = Span(low, high, left, WIDTH - _RIGHT)
    group = len(scored.runs) * _BAR + _GAP
    bottom = top + group * len(scored.scores)
    across(drawing, span, top, bottom)
    base = span.place(scored.begin)
    for place, (system, by_run) in enumerate(scored.scores.items()):
        y = top + place * group + _GAP / 2
        middle = y + len(scored.runs) * _BAR / 2 + 4
        drawing.text(named, middle, cut(labels[system], named), anchor="end", kind="strong")
        for shade, run in enumerate(scored.runs):
            end = span.place(by_run[run])
            box = Box(min(base, end), y + shade * _BAR + 1, abs(end - base), _BAR - 2)
            drawing.bar(box, shade=shade)
            offset, anchor = (-5, "end") if end < base else (5, "start")
            drawing.text(end + offset, y + shade * _BAR + 11, number(by_run[run]), anchor=anchor)
    drawing.line(base, top, base, bottom, kind="line")
    return bottom + _RULE + 6


def _slopes(comparison: Comparison) -> Iterator[Picture]:
    """Each system’s score from run to run: lines that cross are ranks that changed."""
    for scored in _scored(comparison):
        if len(scored.scores) > 1:
            says = "; ".join(
                f"{run_name(comparison, run)}: {_order(comparison, scored, run)}"
                for run in scored.runs
            )
            title = f"{scored.name}: order of systems in {len(scored.runs)} runs"
            drawing = Drawing(title, says)
            height = _draw_slopes(drawing, comparison, scored)
            caption = (
                f"Scores on {scored.name} from run to run, on the scale of the original. Where "
                "lines cross, two systems changed places."
            )
            yield Picture(f"order-{scored.criterion}", caption, drawing.svg(height))


def _draw_slopes(drawing: Drawing, comparison: Comparison, scored: _Scored) -> float:
    height = max(220.0, 2.2 * ROW * len(scored.scores))
    top = 2.2 * ROW
    values = [value for by_run in scored.scores.values() for value in by_run.values()]
    room = (max(values) - min(values)) * 0.06 or 1.0
    upright = Span(min(values) - room, max(values) + room, top + height, top)
    names = [system_name(comparison, system) for system in scored.scores]
    side = min(_MOST_LABEL, max(map(breadth, names)) + 48) + 12
    step = (WIDTH - 2 * side) / (len(scored.runs) - 1)
    columns = [side + place * step for place in range(len(scored.runs))]
    _heads(drawing, columns, [run_name(comparison, run) for run in scored.runs])
    for x in columns:
        drawing.line(x, top - 8, x, top + height + 8)
    for shade, by_run in enumerate(scored.scores.values()):
        points = [
            (x, upright.place(by_run[run])) for x, run in zip(columns, scored.runs, strict=True)
        ]
        drawing.path(points, shade=shade % _COLOURS + 1)
        for point in points:
            drawing.dot(*point, shade=shade % _COLOURS + 1)
    for place, anchor, offset in ((0, "end", -12), (-1, "start", 12)):
        scores = [by_run[scored.runs[place]] for by_run in scored.scores.values()]
        heights = apart([upright.place(score) for score in scores], 16)
        for name, score, y in zip(names, scores, heights, strict=True):
            words = f"{cut(name, _MOST_LABEL - 48)} {number(score)}"
            drawing.text(columns[place] + offset, y + 4, words, anchor=anchor)
    return top + height + ROW


def _heads(drawing: Drawing, columns: Sequence[float], names: Sequence[str]) -> None:
    """Names above columns, within the drawing; long ones in two rows, so that they do not meet."""
    step = columns[1] - columns[0]
    rows = 2 if any(breadth(name) > step - 8 for name in names) else 1
    for place, (x, name) in enumerate(zip(columns, names, strict=True)):
        words = cut(name, rows * step - 8)
        half = breadth(words) / 2
        middle = min(max(x, half), WIDTH - half)
        y = ROW * (0.7 if rows > 1 and place % 2 else 1.4)
        drawing.text(middle, y, words, anchor="middle", kind="strong")


def _order(comparison: Comparison, scored: _Scored, run: str) -> str:
    ranked = sorted(scored.scores, key=lambda system: -scored.scores[system][run])
    return " > ".join(system_name(comparison, system) for system in ranked)


def _forest(comparison: Comparison) -> Iterator[Picture]:
    """CV* of every system with what rounding leaves open; the mean as a diamond."""
    groups = dict.fromkeys(
        each.runs for each in comparison.variations if len(each.runs) == _most(comparison)
    )
    for runs in groups:
        found = [
            each
            for each in comparison.variations
            if each.runs == runs and each.value is not None and each.criterion is not None
        ]
        if found:
            suffix = "" if len(groups) == 1 else f"-{len(runs)}-{'-'.join(runs)}".replace(":", "-")
            yield _forest_picture(comparison, found, f"cv-star{suffix}")


def _forest_picture(comparison: Comparison, found: Sequence[Variation], name: str) -> Picture:
    reach = max(
        each.from_rounding.high if each.from_rounding else each.value or 0.0 for each in found
    )
    several = len({each.criterion for each in found}) > 1
    labels = [_forest_label(comparison, each, is_long=several) for each in found]
    left = min(_MOST_LABEL * 1.3, max(map(breadth, labels))) + 14
    span = Span(0, reach * 1.04 or 1.0, left, WIDTH - _RIGHT)
    top = 8.0
    bottom = top + ROW * len(found)
    says = "; ".join(
        f"{label} {number(each.value or 0)}" for label, each in zip(labels, found, strict=True)
    )
    who = listed([run_name(comparison, run) for run in found[0].runs])
    drawing = Drawing(f"CV* of {who}, by system", says)
    across(drawing, span, top, bottom)
    for place, (each, label) in enumerate(zip(found, labels, strict=True)):
        y = top + (place + 0.5) * ROW
        is_mean = each.system is None
        kind = "strong" if is_mean else ""
        drawing.text(left - 10, y + 4, cut(label, left - 10), anchor="end", kind=kind)
        if each.from_rounding:
            drawing.whisker(
                span.place(each.from_rounding.low), span.place(each.from_rounding.high), y
            )
        (drawing.diamond if is_mean else drawing.dot)(span.place(each.value or 0), y, shade=1)
        drawing.text(WIDTH - 4, y + 4, number(each.value or 0), anchor="end", kind=kind)
    caption = (
        f"CV* of {who} in percent: 0 means equal scores. Lines show what CV* "
        "may be, given how the scores were rounded; diamonds are means over systems."
    )
    return Picture(name, caption, drawing.svg(bottom + _RULE + 6))


def _forest_label(comparison: Comparison, each: Variation, *, is_long: bool) -> str:
    system = "mean" if each.system is None else system_name(comparison, each.system)
    return f"{criterion_name(comparison, each.criterion)}, {system}" if is_long else system


def _heat_maps(comparison: Comparison) -> Iterator[Picture]:
    """How often the system of a row was preferred to that of a column, one map per run."""
    for run, criterion in dict.fromkeys((rate.run, rate.criterion) for rate in comparison.rates):
        rates = {}
        for each in comparison.rates:
            if (each.run, each.criterion) == (run, criterion):
                rates[each.first, each.second] = each.percent
                rates[each.second, each.first] = 100 - each.percent
        met = {system for pair in rates for system in pair}
        systems = sorted(met, key=lambda row: -_mean_rate(rates, row))
        name = criterion_name(comparison, criterion)
        who = run_name(comparison, run)
        says = "; ".join(
            f"{system_name(comparison, row)} against {system_name(comparison, column)} "
            f"{rates[row, column]:.0f} %"
            for row in systems
            for column in systems
            if (row, column) in rates
        )
        drawing = Drawing(f"{name}, {who}: share of wins", says)
        names = {system: system_name(comparison, system) for system in systems}
        height = _draw_heat_map(drawing, names, rates)
        caption = (
            f"{name} in {who}: how often the system of a row was preferred to that of a column, in "
            "percent; ties count half."
        )
        yield Picture(f"wins-{criterion}-{run}".replace(":", "-"), caption, drawing.svg(height))


def _draw_heat_map(
    drawing: Drawing, names: Mapping[str, str], rates: Mapping[tuple[str, str], float]
) -> float:
    left = min(_MOST_LABEL, max(map(breadth, names.values()))) + 14
    side = min(_CELL, (WIDTH - left) / len(names))
    top = 1.2 * ROW
    for down, (row, label) in enumerate(names.items()):
        y = top + down * _CELL_HEIGHT
        drawing.text(
            left - 10, y + _CELL_HEIGHT / 2 + 4, cut(label, left - 10), anchor="end", kind="strong"
        )
        for along, column in enumerate(names):
            x = left + along * side
            if down == 0:
                words = cut(names[column], side - 4)
                drawing.text(x + side / 2, top - 8, words, anchor="middle", kind="strong")
            if (row, column) in rates:
                percent = rates[row, column]
                box = Box(x + 1, y + 1, side - 2, _CELL_HEIGHT - 2)
                drawing.cell(box, shade=1, strength=_STRONGEST * percent / 100)
                drawing.text(
                    x + side / 2, y + _CELL_HEIGHT / 2 + 4, f"{percent:.0f}", anchor="middle"
                )
    return top + len(names) * _CELL_HEIGHT + 8


def _mean_rate(rates: Mapping[tuple[str, str], float], row: str) -> float:
    mine = [percent for (first, _), percent in rates.items() if first == row]
    return sum(mine) / len(mine)


def _legend(drawing: Drawing, names: Sequence[str]) -> float:
    """One line per run, in the order of the bars; gives where the drawing goes on."""
    for shade, name in enumerate(names):
        y = 6 + shade * 18
        drawing.bar(Box(0, y, 22, 11), shade=shade)
        drawing.text(30, y + 10, cut(name, WIDTH - 40))
    return 6 + len(names) * 18 + 8.0


def _most(comparison: Comparison) -> int:
    return max((len(each.runs) for each in comparison.variations), default=0)


def _scored(comparison: Comparison) -> Iterator[_Scored]:
    """The criteria that two runs or more have scores on."""
    for criterion in comparison.criteria:
        found = [each for each in comparison.variations if each.criterion == criterion]
        scores: dict[str, dict[str, float]] = {}
        for each in found:
            if each.system is not None:
                scores.setdefault(each.system, {}).update(each.scores)
        runs = tuple(
            run.id for run in comparison.runs if any(run.id in by_run for by_run in scores.values())
        )
        whole = {system: by_run for system, by_run in scores.items() if set(runs) <= set(by_run)}
        shift = next((each.shift for each in found if each.shift is not None), None)
        begin = 0.0 if shift is None or shift >= 0 else -shift
        if whole:
            yield _Scored(criterion, criterion_name(comparison, criterion), runs, whole, begin)


def _ends(scored: _Scored) -> tuple[float, float]:
    """What the axis must hold: where bars begin, and a little beyond the longest."""
    values = [value for by_run in scored.scores.values() for value in by_run.values()]
    low, high = min(*values, scored.begin), max(*values, scored.begin)
    room = (high - low) * 0.08 or 1.0
    return (low - room if low < scored.begin else low), (
        high + room if high > scored.begin else high
    )


def number(value: float) -> str:
    """Two digits behind the point, as tables print them, with a true minus."""
    return minus(f"{value:.2f}")
