"""All figures of a comparison: scores, CV* of every system, and a map of wins for each run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from rejudge.compare.comparison import CaseOfRun, Comparison
from rejudge.compare.precision import BY_ROUNDING
from rejudge.english import join_words
from rejudge.findings.model import Finding
from rejudge.report.figures.grid import GridCell, draw_grid
from rejudge.report.figures.registry import Picture, figure, pictures_per
from rejudge.report.figures.style import (
    COLOURS,
    EDGE,
    HATCHES,
    INK,
    LINE,
    PAPER,
    RULE,
    SOFT,
    PanelSheet,
    colour,
    distinct_names,
    draw_whisker,
    marker,
    spread_apart,
    text_width,
    ticks,
    truncate,
    wrap,
)
from rejudge.stats import Interval
from rejudge.tables.comparison import (
    ScoresOfRuns,
    criterion_name,
    digits_for,
    groups_of_runs,
    score_text,
    scores_of_runs,
    spread,
    system_name,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_BAR = 10.0
_GAP = 10.0
_AIR = 4.5
_MOST_BAR_LABEL = 138.0
_MISSING = "no score"
_FOOT = 32.0  # for the numbers of an axis and its name
_LEAST = 11.6  # between two labels
_HEIGHT = 145.0
_MOST_LABEL = 140.0
_TO_NUMBER = 8.5
_TO_NAME = 6.0
_FORGIVEN = 1.5  # points between a mark and its label that need no line
_ROW = 16.0
_INDENT = 10.0
_EVEN = 50.0
_PAIR = 2


def comparison_pictures(comparison: Comparison) -> tuple[Picture, ...]:
    """All figures that a comparison has numbers for."""
    return tuple(pictures_per("comparison", comparison))


@figure("scores", section="scores", per="comparison")
def score_pictures(comparison: Comparison) -> Iterator[Picture]:
    """One picture per criterion, one group of bars per system."""
    for each in scores_of_runs(comparison):
        runs = [run.name for run in each.runs]
        names = [_one_line(system_name(comparison, system)) for system in each.systems]
        yield Picture(
            _caption(each),
            f"{each.criterion.name}: scores of {len(runs)} runs",
            _describe_scores(each, names=names, runs=runs),
            partial(_draw_bars, each, names, runs),
            name=each.criterion.id,
            numbers_in=f"table-scores-{each.criterion.id}",
        )


def _one_line(name: str) -> str:
    return " ".join(name.split())


def _caption(each: ScoresOfRuns) -> str:
    first = each.runs[0].name
    start = (
        "Bars begin at 0."
        if not each.begin
        else f"Bars begin at the lower end of the scale, {each.begin:g}."
    )
    levels = sorted({f"{100 * one.level:g}" for one in _intervals(each)})
    lines = f" Lines are {' and '.join(levels)} % intervals, where known." if levels else ""
    return (
        f"Scores on {each.criterion.name} in {len(each.runs)} runs, on the scale of the original: "
        f"{first} filled, the others outlined. {start}{lines}"
    )


def _describe_scores(each: ScoresOfRuns, *, names: Sequence[str], runs: Sequence[str]) -> str:
    """The figure in words."""
    parts = []
    for system, name in zip(each.systems, names, strict=True):
        scores = [
            f"{heading} {_score_with_interval(each, system, run)}"
            for run, heading in zip(each.runs, runs, strict=True)
        ]
        parts.append(f"{name}: {', '.join(scores)}")
    return "; ".join(parts)


def _intervals(each: ScoresOfRuns) -> list[Interval]:
    return [score.interval for score in each.scores.values() if score.interval]


def _score_with_interval(each: ScoresOfRuns, system: str, run: CaseOfRun) -> str:
    score = each.scores.get((system, run.id))
    if score is None:
        return _MISSING
    interval = score.interval
    ends = (
        f" [{score_text(interval.low, each.digits)}, {score_text(interval.high, each.digits)}]"
        if interval
        else ""
    )
    return each.text(system, run) + ends


def _draw_bars(
    each: ScoresOfRuns, names: Sequence[str], runs: Sequence[str], width: float
) -> Figure:
    """The first run filled, the others outlined, each with its pattern and its number."""
    sheet = PanelSheet(width)
    top = sheet.legend([(_one_line(run), _swatch(place)) for place, run in enumerate(runs)])
    named = max(text_width(name, is_bold=True) for name in names) + 2
    named = 0.0 if sheet.is_narrow else min(_MOST_BAR_LABEL, named)
    known = distinct_names(names, named or width - 2 * EDGE)
    bars = len(runs) * _BAR
    group = bars + _GAP + (LINE + 2 if sheet.is_narrow else max(0.0, 2 * LINE - bars))
    ends = [each.begin, *each.values]
    for interval in _intervals(each):
        ends += [interval.low, interval.high]
    low, high = min(ends), max(ends)
    left = EDGE + (named + 7 if named else 0.0) + _number_width(each, is_right=False)
    right = width - EDGE - _number_width(each, is_right=True)
    bottom = top + group * len(names)
    axes = sheet.rows(left, top, right, bottom)
    axes.set_xlim(low, high if high > low else low + 1.0)
    axes.grid(axis="x")
    sheet.ticks_across(axes, ticks(*axes.get_xlim()))
    sheet.title(axes, _one_line(f"Score on {each.criterion.name}"))
    axes.axvline(each.begin, color=RULE, lw=0.75)
    for place, (system, name) in enumerate(zip(each.systems, names, strict=True)):
        middle = (place + 0.5) * group + (LINE / 2 if sheet.is_narrow else 0.0)
        if sheet.is_narrow:
            words = truncate(known[name], width - 2 * EDGE, is_bold=True)
            sheet.write(axes, EDGE, middle - bars / 2 - LINE / 2, words, weight="bold")
        else:
            lines = wrap(known[name], named, max(2, len(runs) - 1), is_bold=True)
            sheet.lines(axes, EDGE + named, middle, lines, ha="right")
        for shade, run in enumerate(each.runs):
            y = middle + (shade + 0.5 - len(runs) / 2) * _BAR
            _draw_bar(sheet, axes, each, (system, run, shade), y=y)
    return sheet.finish(bottom + _FOOT)


def _bar_look(place: int) -> dict[str, Any]:
    tone = INK if place == 0 else colour(place)
    if place == 0:
        return {"fc": INK, "ec": INK, "lw": 0}
    return {"fc": PAPER, "ec": tone, "lw": 0.9, "hatch": HATCHES[(place - 1) % 3 + 1]}


def _swatch(place: int) -> Callable[[Axes, float, float], object]:
    return lambda axes, x, y: axes.barh([y], [16], 8, [x - 8], **_bar_look(place))


def _number_width(each: ScoresOfRuns, *, is_right: bool) -> float:
    """For the numbers behind bars that go to one side; what is not there is said on the right."""
    words = [
        each.text(system, run)
        for system in each.systems
        for run in each.runs
        if (value := each.value(system, run)) is not None and (value >= each.begin) == is_right
    ]
    if is_right and len(each.scores) < len(each.systems) * len(each.runs):
        words.append(_MISSING)
    return max(map(text_width, words), default=-2 * _AIR) + 2 * _AIR


def _draw_bar(
    sheet: PanelSheet,
    axes: Axes,
    each: ScoresOfRuns,
    which: tuple[str, CaseOfRun, int],
    *,
    y: float,
) -> None:
    system, run, shade = which
    score = each.scores.get((system, run.id))
    value = None if score is None else score.value
    if score is None or value is None:
        sheet.write(axes, sheet.place(axes, each.begin) + _AIR, y, _MISSING, color=SOFT)
        return
    length, thickness = value - each.begin, _BAR - 1.8
    axes.barh([y], [length], thickness, [each.begin], **_bar_look(shade))
    ends = [value]
    if interval := score.interval:
        ends += [interval.low, interval.high]
        for tone, thick in ((PAPER, 2.2), (INK, 0.9)):  # seen on dark bars, too
            draw_whisker(axes, (interval.low, interval.high), y, tone=tone, lw=thick)
    if value < each.begin:
        sheet.write(
            axes, sheet.place(axes, min(ends)) - _AIR, y, each.text(system, run), ha="right"
        )
    else:
        sheet.write(axes, sheet.place(axes, max(ends)) + _AIR, y, each.text(system, run))


@figure("order", section="order", per="comparison")
def order_pictures(comparison: Comparison) -> Iterator[Picture]:
    """One picture per criterion that has two systems or more."""
    for each in scores_of_runs(comparison):
        if len(each.systems) < 2 or len(each.runs) < 2:
            continue
        said = "; ".join(
            f"{run.name}: {_describe_order(comparison, each, run)}" for run in each.runs
        )
        yield Picture(
            f"Scores on {each.criterion.name} from run to run, on the scale of the original. Where "
            "lines cross, two systems changed places.",
            f"{each.criterion.name}: order of systems in {len(each.runs)} runs",
            said,
            partial(_draw_slopes, comparison, each),
            name=each.criterion.id,
            numbers_in=f"table-scores-{each.criterion.id}",
        )


def _describe_order(comparison: Comparison, each: ScoresOfRuns, run: CaseOfRun) -> str:
    ranked = sorted(
        (system for system in each.systems if (system, run.id) in each.scores),
        key=lambda system: -(each.value(system, run) or 0.0),
    )
    return " > ".join(
        f"{system_name(comparison, system)} {each.text(system, run)}" for system in ranked
    )


def _draw_slopes(comparison: Comparison, each: ScoresOfRuns, width: float) -> Figure:
    """A line for each system; names and numbers beside the first and the last run."""
    sheet, runs = PanelSheet(width), len(each.runs)
    names = [_one_line(system_name(comparison, system)) for system in each.systems]
    texts = [each.text(s, r) for s in each.systems for r in each.runs if (s, r.id) in each.scores]
    numbers = max(map(text_width, texts)) + _TO_NUMBER
    sides = 1 if sheet.is_narrow else 2
    lines = max(0.25 * width, min(0.5 * width, 36.0 * (runs - 1)))
    most = (width - lines - 2 * numbers) / sides - _TO_NAME - EDGE
    longest = max(text_width(name, is_bold=True) for name in names)
    named = max(20.0, min(longest, _MOST_LABEL, most))
    known = distinct_names(names, named)
    shown = [truncate(known[name], named, is_bold=True) for name in names]
    right = EDGE + named + _TO_NAME + numbers
    left = EDGE + numbers if sheet.is_narrow else right
    step = (width - left - right) / (runs - 1)
    heads = _heads([run.name for run in each.runs], left, step, width)
    top = max(len(lines) for _, lines in heads) * LINE + 6
    height = max(_HEIGHT, _LEAST * 1.25 * len(each.systems))
    axes = sheet.panel(left, top, width - right, top + height)
    low, high = min(each.values), max(each.values)
    room = ((high - low) or 1.0) * 8 / height
    axes.set(xlim=(0, runs - 1), ylim=(low - room, high + room))
    axes.set_axis_off()
    for place, (x, words) in enumerate(heads):
        axes.axvline(place, color=COLOURS["hair"], lw=0.75, zorder=0)
        sheet.above(axes, x, words)
    shades = {system: place for place, system in enumerate(comparison.systems, start=1)}
    for system in reversed(each.systems):  # the best lies above
        points = {
            place: value
            for place, run in enumerate(each.runs)
            if (value := each.value(system, run)) is not None
        }
        shade = shades.get(system, len(shades) + 1)
        axes.plot(*zip(*points.items(), strict=True), color=colour(shade), lw=1.5)
        axes.plot(*zip(*points.items(), strict=True), **marker(shade))
    _draw_labels(
        sheet, axes, each, None if sheet.is_narrow else shown, height=height, is_first=True
    )
    _draw_labels(sheet, axes, each, shown, height=height, is_first=False)
    return sheet.finish(top + height + 8)


def _heads(
    names: Sequence[str], left: float, step: float, width: float
) -> list[tuple[float, list[str]]]:
    """Names above columns, each in lines that end halfway to the next column."""
    found = []
    for place, name in enumerate(names):
        x = left + place * step
        low = EDGE if place == 0 else x - step / 2 + 3
        high = width - EDGE if place == len(names) - 1 else x + step / 2 - 3
        lines = wrap(name, high - low, 4, is_bold=True)
        half = max(text_width(line, is_bold=True) for line in lines) / 2
        found.append((min(max(x, low + half), high - half), lines))
    return found


def _draw_labels(
    sheet: PanelSheet,
    axes: Axes,
    each: ScoresOfRuns,
    names: Sequence[str] | None,
    *,
    height: float,
    is_first: bool,
) -> None:
    """Numbers and names beside the first or the last run, kept apart.

    A thin line leads to what was moved.
    """
    side, run = (-1, each.runs[0]) if is_first else (1, each.runs[-1])
    x = sheet.ends(axes)[0 if is_first else 1]
    there = [at for at, system in enumerate(each.systems) if (system, run.id) in each.scores]
    low, high = axes.get_ylim()
    unit = height / (high - low)
    values = [each.value(each.systems[place], run) or 0.0 for place in there]
    dots = [(value - low) * unit for value in values]
    halves = [_LEAST / 2] * len(dots)
    places = [low + at / unit for at in spread_apart(dots, halves, (0, height))]
    texts = [each.text(each.systems[place], run) for place in there]
    far = x + side * (_TO_NUMBER + max(map(text_width, texts), default=0.0))
    for place, words, value, y in zip(there, texts, values, places, strict=True):
        if abs(value - y) * unit > _FORGIVEN:
            ends = [(x + side * 4.5) / 72, (x + side * (_TO_NUMBER - 1)) / 72]
            axes.plot(ends, [value, y], color=RULE, lw=0.75, transform=sheet.beside(axes))
        sheet.write(axes, max(x + side * _TO_NUMBER, far), y, words, ha="right")
        if names is not None:
            anchor = "right" if is_first else "left"
            sheet.write(axes, far + side * _TO_NAME, y, names[place], ha=anchor, weight="bold")


@figure("cv-star", section="scores", per="comparison", table="type-1-variation")
def variation_pictures(comparison: Comparison) -> Iterator[Picture]:
    """One picture for all runs together, or one for each pair where no more are together."""
    groups = groups_of_runs(comparison, None)
    if groups and len(groups[0]) > _PAIR:
        groups = groups[:1]
    for runs in groups:
        found = _in_order(comparison, runs)
        if found:
            named = "-".join(run.id for run in runs).replace(":", "-")
            suffix = "" if len(groups) == 1 else f"{len(runs)}-{named}"
            yield _variation_picture(comparison, runs, found, suffix)


def _in_order(comparison: Comparison, runs: Sequence[CaseOfRun]) -> list[Finding]:
    """By criterion, systems in the order of the other figures, then their mean."""
    systems = {each.criterion.id: each.systems for each in scores_of_runs(comparison)}
    return [
        each
        for criterion in comparison.criteria
        for system in (*systems.get(criterion.id, ()), None)
        if (each := spread(comparison, criterion, system, runs)) and each.value is not None
    ]


def _variation_picture(
    comparison: Comparison, runs: Sequence[CaseOfRun], found: Sequence[Finding], suffix: str
) -> Picture:
    who = join_words([run.name for run in runs])
    said = "; ".join(
        f"{criterion_name(comparison, each)}, {_label(comparison, each)} "
        f"{score_text(each.value or 0)}"
        for each in found
    )
    caption = (
        f"CV* of {who} in percent: 0 means equal scores. Lines show the range "
        "of CV* that rounding of the scores allows; diamonds are means over systems."
    )
    if any(len(each.key.runs) < len(runs) for each in found):
        caption += " For systems that not all runs scored, CV* uses the runs that did."
    draw = partial(_draw_variation, comparison, found)
    return Picture(caption, f"CV* of {who}, by system", said, draw, name=suffix)


def _draw_variation(comparison: Comparison, found: Sequence[Finding], width: float) -> Figure:
    sheet = PanelSheet(width)
    criteria = tuple(dict.fromkeys(criterion_name(comparison, each) for each in found))
    indent = _INDENT if len(criteria) > 1 else 0.0
    names = [indent + text_width(_label(comparison, each)) for each in found]
    heads = [text_width(name, is_bold=True) for name in criteria if indent]
    left = EDGE + min(0.36 * width, max((*names, *heads))) + 12
    reach = max(r.high if (r := _by_rounding(e)) else e.value or 0 for e in found)
    digits = digits_for(reach)
    numbers = max(text_width(score_text(each.value or 0, digits)) for each in found)
    rows = list(_rows(comparison, found, has_heads=bool(indent)))
    bottom = 4 + _ROW * len(rows)
    axes = sheet.rows(left, 4, width - EDGE - numbers - 10, bottom)
    axes.set_xlim(0, reach * 1.02 or 1.0)
    axes.grid(axis="x")
    axes.axvline(0, color=RULE, lw=0.75)
    sheet.ticks_across(axes, ticks(*axes.get_xlim()))
    sheet.title(axes, "CV* in percent")
    for place, each in enumerate(rows):
        y, room = (place + 0.5) * _ROW, left - EDGE - 12
        if isinstance(each, str):
            words = truncate(each, room, is_bold=True)
            sheet.write(axes, EDGE, y, words, weight="bold")
            continue
        sheet.write(axes, EDGE + indent, y, truncate(_label(comparison, each), room - indent))
        if between := _by_rounding(each):
            ends = (between.low, between.high)
            draw_whisker(axes, ends, y, tone=INK, lw=1.1)
        look = marker(1) if each.systems else marker(-1) | {"marker": "D"}
        axes.plot([each.value or 0], [y], **look)
        shown = score_text(each.value or 0, digits)
        sheet.write(axes, width - EDGE, y, shown, ha="right")
    return sheet.finish(bottom + _FOOT)


def _by_rounding(each: Finding) -> Interval | None:
    between = each.extra.get(BY_ROUNDING)
    return between if isinstance(between, Interval) else None


def _rows(
    comparison: Comparison, found: Sequence[Finding], *, has_heads: bool
) -> Iterator[Finding | str]:
    """The name of a criterion above its systems, where there are several."""
    before: object = None
    for each in found:
        if has_heads and each.key.cell != before:
            yield criterion_name(comparison, each)
        before = each.key.cell
        yield each


def _label(comparison: Comparison, each: Finding) -> str:
    return _one_line(system_name(comparison, each.systems[0])) if each.systems else "mean"


@figure("wins", section="order", per="comparison", table="wins")
def win_pictures(comparison: Comparison) -> Iterator[Picture]:
    """One picture per run and criterion with paired comparisons."""
    names_of_runs = {comparison.address([run]): run for run in comparison.in_cases}
    groups: dict[object, list[Finding]] = {}
    for each in comparison.select("win-percent"):
        groups.setdefault((each.key.runs, each.key.case, each.key.cell), []).append(each)
    for rates in groups.values():
        key, what = rates[0].key, criterion_name(comparison, rates[0])
        run = names_of_runs[key.runs, key.case]
        percent = {each.systems: each.value or 0.0 for each in rates}
        percent |= {each.systems[::-1]: 100 - (each.value or 0.0) for each in rates}
        mean = {
            system: _mean([value for (first, _), value in percent.items() if first == system])
            for system in dict.fromkeys(system for pair in percent for system in pair)
        }
        systems = sorted(mean, key=lambda system: -mean[system])  # the most preferred first
        names = [_one_line(system_name(comparison, system)) for system in systems]
        cells = {
            (systems.index(row), systems.index(column)): GridCell(
                f"{value:.0f}", (value - _EVEN) / _EVEN, is_strong=round(value) > _EVEN
            )
            for (row, column), value in percent.items()
        }
        size = range(len(systems))
        absent = {(a, b): GridCell("–", None, is_soft=True) for a in size for b in size if a != b}
        said = "; ".join(
            f"{names[row]} against {names[column]} {percent[systems[row], systems[column]]:.0f} %"
            for row, column in sorted(cells)
        )
        yield Picture(
            f"{what} in {run.name}: how often the system of a row was preferred to that of a "
            "column, in percent; ties count half. Blue and bold: the row won more often; orange: "
            f"the column. {_comparisons_per_pair([each.n or 0 for each in rates])}",
            f"{what}, {run.name}: share of wins",
            said,
            partial(draw_grid, names, absent | cells, ("0", "50", "100")),
            name=f"{_id(comparison, rates[0])}-{run.id}".replace(":", "-"),
        )


def _id(comparison: Comparison, each: Finding) -> str:
    criterion = comparison.criterion_of(each)
    return criterion.id if criterion else each.question


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _comparisons_per_pair(numbers: Sequence[int]) -> str:
    least, most = min(numbers), max(numbers)
    return (
        f"{least:,} comparisons per pair."
        if least == most
        else (f"{least:,} to {most:,} comparisons per pair.")
    )
