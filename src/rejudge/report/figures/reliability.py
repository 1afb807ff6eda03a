"""How reliably systems would be told apart with more participants, and what that costs."""

from __future__ import annotations

from rejudge.analysis import Generalizability, ReliabilityPoint
from rejudge.layout.numbers import number
from rejudge.layout.table import file_name
from rejudge.report.drawing import Drawing, Picture, Span, breadth
from rejudge.report.drawing.marks import Stroke
from rejudge.report.figures.labels import LINE, spaced, within
from rejudge.report.figures.precision import cost_words
from rejudge.report.figures.rows import shown_ticks
from rejudge.report.figures.scene import Scene, tick_words

_EDGE = 4.0
_HEIGHT = 180.0
_TOP = 22.0
_TICKS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
_NAMES = ("order", "means")


def reliability_picture(scene: Scene, question: str) -> Picture | None:
    """Reliability of the order and of the means of systems against the number of participants."""
    each = next((e for e in scene.results.reliability if e.question == question), None)
    if each is None or each.now is None or len(each.by_participants) < 2:  # noqa: PLR2004 - a line
        return None
    what = f"Reliability of the order and of the means of systems on {question}"
    said = "; ".join(
        f"{number(point.relative, 2)} and {number(point.absolute, 2)} with "
        f"{point.participants:,}{cost_words(each.currency, point.cost, ' for ')}"
        for point in each.by_participants
    )
    drawing = Drawing(
        f"{scene.said}{what}, against the number of participants.", f"{said}.", scene.width
    )
    cost = " Below, what so many participants cost." if each.currency else ""
    return Picture(
        f"{file_name(question)}-reliability",
        f"{scene.said}{what}, from 0 to 1, against the number of participants, each judging as "
        f"much as now and items as they are. The heavy upright line is this study with "
        f"{each.now.participants:,}.{cost} {each.note}",
        _draw(drawing, each, each.now),
        f"table-{question}-reliability",
    )


def _draw(drawing: Drawing, each: Generalizability, now: ReliabilityPoint) -> Drawing:
    upright = Span(0, 1, _TOP + _HEIGHT, _TOP)
    left = _EDGE + max(breadth(tick_words(tick)) for tick in _TICKS) + 8
    room = max(breadth(name) for name in _NAMES) + 2
    sizes = [point.participants for point in each.by_participants]
    along = Span(min(sizes), max(sizes), left + 8, drawing.width - _EDGE - room - 12)
    _draw_axes(drawing, each, along, upright)
    x = along.place(now.participants)
    drawing.line(x, _TOP, x, _TOP + _HEIGHT, kind="line", width=1.5)
    within(drawing, x, _TOP - 9, "this study")
    ends = []
    for values in (
        [p.relative for p in each.by_participants],
        [p.absolute for p in each.by_participants],
    ):
        points = [
            (along.place(size), upright.place(value or 0.0))
            for size, value in zip(sizes, values, strict=True)
        ]
        drawing.marks.append(Stroke(tuple(points), "ink-2", 1.25))
        for size, (at, y) in zip(sizes, points, strict=True):
            drawing.dot(at, y, shade=0, radius=4 if size == now.participants else 2.5)
        ends.append(points[-1][1])
    places = spaced(ends, [LINE / 2] * len(ends), (_TOP + 6, _TOP + _HEIGHT), gap=2)
    for name, y in zip(_NAMES, places, strict=True):
        drawing.text(along.right + 10, y + 4, name)
    return drawing.ends(_TOP + _HEIGHT + 8 + (3 if each.currency else 2) * (LINE + 2))


def _draw_axes(drawing: Drawing, each: Generalizability, along: Span, upright: Span) -> None:
    bottom = _TOP + _HEIGHT
    for tick in _TICKS:
        y = upright.place(tick)
        drawing.line(along.left - 8, y, along.right, y, kind="line" if tick == 0 else "hair")
        drawing.text(along.left - 12, y + 4, tick_words(tick), anchor="end", kind="soft")
    by_size = {float(point.participants): point for point in each.by_participants}
    for tick in shown_ticks(tuple(by_size), along, drawing.width):
        x = along.place(tick)
        drawing.line(x, bottom, x, bottom + 4, kind="line")
        within(drawing, x, bottom + 16, f"{tick:,.0f}")
    if each.currency:
        for tick in (min(by_size), max(by_size)):
            words = cost_words(each.currency, by_size[tick].cost)
            within(drawing, along.place(tick), bottom + 32, words)
    y = bottom + 16 + (LINE + 2) * (2 if each.currency else 1)
    within(drawing, (along.left + along.right) / 2, y, "Participants")
