"""How long pages and tasks took: distributions, and times by the position of a task."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rejudge.analysis.results import Results
from rejudge.analysis.times import PageTimes, TimeBin, TimeShare
from rejudge.english import count
from rejudge.layout.numbers import number
from rejudge.report.drawing.axes import AxisScale, ticks
from rejudge.report.drawing.marks import NARROW, Anchor, Box, Drawing, PolygonMark, ShapeStyle
from rejudge.report.drawing.picture import Picture
from rejudge.report.drawing.text import text_width, truncate
from rejudge.report.figures.context import LINE, FigureContext, draw_centred, format_tick
from rejudge.report.figures.rows import fitting_ticks

_EDGE = 4.0
_PANEL = 132.0  # height of the plot of one page
_HEAD = 2 * LINE + 10
_FOOT = 2 * LINE + 14
_LEFT = 50.0  # for the numbers of the upright axis
_GUTTER = 24.0
_PERCENTS = (0.0, 25.0, 50.0, 75.0, 100.0)
_NAMES = {
    "consent": "Information and consent",
    "instructions": "Instructions",
    "practice": "Practice",
    "task": "Tasks",
    "batch": "Whole batch",
    "exit": "Last questions",
}
_COLUMN = 0.75  # strength of the bars, so that the median is seen on them
_TOP_OF_POSITIONS = 10.0
_HEIGHT_OF_POSITIONS = 170.0
_LEAST_POSITIONS = 3  # places; of two there is nothing to see
_SPOKEN = 12


@dataclass(frozen=True, slots=True)
class _Timed:
    """The times of one kind of page."""

    name: str
    n: int
    median: float | None
    shares: tuple[TimeShare, ...]
    bins: tuple[TimeBin, ...]

    def percent(self, within: TimeBin) -> float:
        """The percentage of times in a bin."""
        return 100 * within.n / self.n

    def quantile(self, share: float) -> float:
        """The first known time up to which so many lie."""
        return next((p.seconds for p in self.shares if p.share >= share), self.shares[-1].seconds)


def times_pictures(context: FigureContext) -> tuple[Picture, ...]:
    """A histogram and a cumulative curve of each kind of page."""
    timed = _timed_pages(context.results)
    return (_histograms(context, timed), _curves(context, timed)) if timed else ()


def _timed_pages(results: Results) -> list[_Timed]:
    """Each kind of page that was timed; where there is none, all pages with a time."""
    navigation = results.navigation.pages if results.navigation else ()
    found = [
        _Timed(_page_name(page), page.n, page.median, page.shares, page.bins)
        for page in navigation
        if page.shares
    ]
    times = results.times
    has_work = any(page.page in {"task", "batch"} for page in navigation)
    if not has_work and times and times.shares:
        middle = next((q.seconds for q in times.quantiles if q.share == 0.5), None)  # noqa: PLR2004
        found.append(_Timed("All pages with a time", times.pages, middle, times.shares, times.bins))
    return found


def _page_name(page: PageTimes) -> str:
    name = _NAMES.get(page.page, page.page)
    return name if page.place is None else f"{name} {page.place}"


def _measurement_note(results: Results) -> str:
    measured = (
        results.navigation.measured if results.navigation and results.navigation.pages else ""
    )
    return measured or (results.times.measured if results.times else "")


def _table(results: Results) -> str:
    return "table-navigation" if results.navigation and results.navigation.pages else "table-times"


def _histograms(context: FigureContext, timed: Sequence[_Timed]) -> Picture:
    what = "How long pages took, in percent of times within each bin"
    says = "; ".join(
        f"{page.name}, {count(page.n, 'time')}: median {number(page.median)} seconds, "
        f"{number(page.percent(page.bins[-1]), 0)}\u202f% over {_seconds(page.bins[-1].low)}"
        for page in timed
    )
    drawing = Drawing(f"{context.prefix}{what}.", f"{says}.", context.width)
    return Picture(
        "times",
        f"{context.prefix}{what}. The last bin, set apart, holds all longer times. The heavy "
        f"line is the median. {_measurement_note(context.results)}",
        _panels(drawing, timed, _draw_histogram),
        _table(context.results),
    )


def _curves(context: FigureContext, timed: Sequence[_Timed]) -> Picture:
    what = "Share of times up to a number of seconds, with a band that holds for all of it at once"
    says = "; ".join(
        f"{page.name}, {count(page.n, 'time')}: "
        + ", ".join(
            f"{share:.0%} within {_seconds(page.quantile(share))}" for share in (0.25, 0.5, 0.75)
        )
        for page in timed
    )
    level = 100 * context.results.signature.level
    drawing = Drawing(f"{context.prefix}{what}.", f"{says}.", context.width)
    return Picture(
        "times-shares",
        f"{context.prefix}{what} ({level:g}\u202f%, pages treated as independent). Seconds on a "
        f"logarithmic scale. {_measurement_note(context.results)}",
        _panels(drawing, timed, _draw_curve),
        _table(context.results),
    )


def _panels(
    drawing: Drawing, timed: Sequence[_Timed], draw: Callable[[Drawing, _Timed, Box], None]
) -> Drawing:
    columns = 1 if drawing.width < NARROW or len(timed) == 1 else 2
    width = (drawing.width - 2 * _EDGE - (columns - 1) * _GUTTER) / columns
    height = _HEAD + _PANEL + _FOOT
    for place, page in enumerate(timed):
        x = _EDGE + place % columns * (width + _GUTTER)
        y = place // columns * height
        size = f"n = {page.n:,}"
        name = truncate(page.name, width - text_width(size) - 12)
        drawing.text(x, y + LINE, name, kind="strong")
        drawing.text(x + width, y + LINE, size, anchor="end", kind="soft")
        draw(drawing, page, Box(x + _LEFT, y + _HEAD, width - _LEFT - 8, _PANEL))
    rows = math.ceil(len(timed) / columns)
    return drawing.finish(rows * height)


def _draw_histogram(drawing: Drawing, page: _Timed, plot: Box) -> None:
    *bins, last = page.bins
    edges = [each.low for each in page.bins]
    cap, step = last.low, edges[1]
    shares = [page.percent(each) for each in bins]
    over = page.percent(last)
    along = AxisScale(0, cap + 1.6 * step, plot.x, plot.x + plot.width)
    high = max(*shares, over, 1.0)
    upright = AxisScale(0, high * 1.02, plot.y + plot.height, plot.y)
    _draw_upright(drawing, plot, upright, [tick for tick in upright.ticks() if tick <= high])
    for place, share in enumerate(shares):
        _draw_column(drawing, (edges[place], edges[place + 1]), share, (along, upright))
    _draw_column(drawing, (cap + 0.6 * step, cap + 1.6 * step), over, (along, upright))
    longer = f"over {format_tick(cap)}"
    middle = min(along.position(cap + 1.1 * step), plot.x + plot.width + 8 - text_width(longer) / 2)
    room = middle - text_width(longer) / 2 - 4
    known = [
        edge for edge in edges if along.position(edge) + text_width(format_tick(edge)) / 2 < room
    ]
    _draw_along(drawing, plot, along, known)
    drawing.text(middle, plot.y + plot.height + 16, longer, anchor="middle", kind="soft")
    if page.median is not None and page.median <= cap:
        x = along.position(page.median)
        drawing.line(x, plot.y - 4, x, plot.y + plot.height, kind="ink", width=1.5)
        words = f"median {_seconds(page.median)}"
        half = text_width(words) / 2
        x = min(max(x, plot.x + half), plot.x + plot.width - half)
        drawing.text(x, plot.y - 7, words, anchor="middle")


def _draw_column(
    drawing: Drawing, ends: tuple[float, float], share: float, spans: tuple[AxisScale, AxisScale]
) -> None:
    along, upright = spans
    if share <= 0:
        return
    left, right = (along.position(end) for end in ends)
    y = upright.position(share)
    box = Box(left + 0.5, y, right - left - 1, upright.left - y)
    drawing.cell(box, shade=1, strength=_COLUMN)


def _draw_curve(drawing: Drawing, page: _Timed, plot: Box) -> None:
    points = [point for point in page.shares if point.seconds > 0]
    if not points:
        draw_centred(drawing, plot.x + plot.width / 2, plot.y + plot.height / 2, "all 0 seconds")
        return
    low, high = math.log10(points[0].seconds), math.log10(points[-1].seconds)
    room = (high - low) * 0.03 or 0.3
    along = AxisScale(low - room, high + room, plot.x, plot.x + plot.width)
    upright = AxisScale(0, 100, plot.y + plot.height, plot.y)
    _draw_upright(drawing, plot, upright, _PERCENTS)
    _draw_along(drawing, plot, along, _decades(along), is_log=True)
    across = [along.position(math.log10(point.seconds)) for point in points]
    low_, middle, high_ = (
        _stairs(
            [(x, upright.position(100 * share)) for x, share in zip(across, shares, strict=True)]
        )
        for shares in zip(*((p.low, p.share, p.high) for p in points), strict=True)
    )
    band = (*low_, *reversed(high_))
    drawing.marks.append(PolygonMark(band, ShapeStyle(fill="s1", strength=0.2)))
    drawing.path([(across[0], upright.position(0)), *middle], shade=1)
    if page.median:
        x = along.position(math.log10(page.median))
        drawing.dot(x, upright.position(50), shade=0, radius=4)
        words = f"median {_seconds(page.median)}"
        is_before = x + 9 + text_width(words) > plot.x + plot.width
        anchor: Anchor = "end" if is_before else "start"
        y = upright.position(50) + (-6 if is_before else 12)
        drawing.text(x - 9 if is_before else x + 9, y, words, anchor=anchor)


def _stairs(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """From point to point, first across and then up."""
    found = [points[0]]
    for x, y in points[1:]:
        found += [(x, found[-1][1]), (x, y)]
    return found


def _draw_upright(drawing: Drawing, plot: Box, upright: AxisScale, ticks: Sequence[float]) -> None:
    for tick in ticks:
        y = upright.position(tick)
        drawing.line(plot.x, y, plot.x + plot.width, y, kind="line" if tick == 0 else "hair")
        unit = "\u202f%" if tick == ticks[-1] else ""
        drawing.text(plot.x - 6, y + 4, f"{format_tick(tick)}{unit}", anchor="end", kind="soft")


def _draw_along(
    drawing: Drawing, plot: Box, along: AxisScale, ticks: Sequence[float], *, is_log: bool = False
) -> None:
    bottom = plot.y + plot.height
    place = (lambda tick: along.position(math.log10(tick))) if is_log else along.position
    spots = _apart(ticks, place) if is_log else fitting_ticks(ticks, along, drawing.width)
    for tick in spots:
        drawing.line(place(tick), bottom, place(tick), bottom + 4, kind="line")
        draw_centred(drawing, place(tick), bottom + 16, format_tick(tick))
    draw_centred(drawing, plot.x + plot.width / 2, bottom + 18 + LINE, "Seconds")


def _decades(along: AxisScale) -> list[float]:
    return [
        size * 10.0**power
        for power in range(math.floor(along.low), math.ceil(along.high) + 1)
        for size in (1, 2, 5)
        if along.low <= math.log10(size * 10.0**power) <= along.high
    ]


def _apart(ticks: Sequence[float], place: Callable[[float], float]) -> list[float]:
    """Ticks whose numbers do not meet, from the first on."""
    chosen: list[float] = []
    end = -math.inf
    for tick in ticks:
        half = text_width(format_tick(tick)) / 2
        if place(tick) - half > end + 6:
            chosen.append(tick)
            end = place(tick) + half
    return chosen


def _seconds(value: float) -> str:
    return f"{number(value, 0 if value >= 100 else 1)}\u202fs"  # noqa: PLR2004 - enough digits


def positions_picture(context: FigureContext) -> Picture | None:
    """The median and the quarters beside it, for each place."""
    navigation = context.results.navigation
    tasks = (
        [p for p in navigation.pages if p.page == "task" and p.place is not None]
        if navigation
        else []
    )
    if navigation is None or len(tasks) < _LEAST_POSITIONS:
        return None
    what = "Seconds on a task by its place in the order in which participants saw them"
    says = "; ".join(
        f"task {page.place}: median {number(page.median)}, half of them from {number(page.lower)} "
        f"to {number(page.upper)}"
        for page in tasks[:_SPOKEN]
    )
    more = "" if len(tasks) <= _SPOKEN else f"; and so on up to task {tasks[-1].place}"
    sizes = sorted(page.n for page in tasks)
    many = f"{sizes[0]:,}" if sizes[0] == sizes[-1] else f"{sizes[0]:,} to {sizes[-1]:,}"
    drawing = Drawing(f"{context.prefix}{what}.", f"{says}{more}.", context.width)
    return Picture(
        "times-places",
        f"{context.prefix}{what}: the median and the interquartile range of {many} times each. "
        f"These lines are not confidence intervals. {navigation.measured}",
        _draw_positions(drawing, tasks),
        "table-navigation",
    )


def _draw_positions(drawing: Drawing, tasks: Sequence[PageTimes]) -> Drawing:
    high = max(page.upper for page in tasks) or 1.0
    marks = ticks(0, high)
    top = marks[-1] if marks[-1] >= high else marks[-1] + marks[1]
    upright = AxisScale(0, top, _TOP_OF_POSITIONS + _HEIGHT_OF_POSITIONS, _TOP_OF_POSITIONS)
    left = _EDGE + max(text_width(format_tick(tick)) for tick in ticks(0, top)) + 8
    first, last = tasks[0].place or 0, tasks[-1].place or 0
    along = AxisScale(first - 0.5, last + 0.5, left, drawing.width - _EDGE)
    for tick in ticks(0, top):
        y = upright.position(tick)
        drawing.line(left, y, along.right, y, kind="line" if tick == 0 else "hair")
        drawing.text(left - 6, y + 4, format_tick(tick), anchor="end", kind="soft")
    is_crowded = (along.right - left) / len(tasks) < 12  # noqa: PLR2004 - pixels for ends
    for page in tasks:
        x = along.position(page.place or 0)
        if is_crowded:
            ends = upright.position(page.lower), upright.position(page.upper)
            drawing.line(x, ends[0], x, ends[1], kind="s1")
        else:
            drawing.upright_whisker(
                x, upright.position(page.lower), upright.position(page.upper), shade=1
            )
        drawing.dot(x, upright.position(page.median), shade=1, radius=2.5 if is_crowded else 4)
    bottom = _TOP_OF_POSITIONS + _HEIGHT_OF_POSITIONS
    for tick in fitting_ticks([float(page.place or 0) for page in tasks], along, drawing.width):
        draw_centred(drawing, along.position(tick), bottom + 16, format_tick(tick))
    draw_centred(drawing, (left + along.right) / 2, bottom + 18 + LINE, "Place of the task")
    return drawing.finish(bottom + 18 + LINE + 8)
