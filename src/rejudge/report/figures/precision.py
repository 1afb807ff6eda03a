"""How precision and reliability grow with more participants, and what that costs."""

from __future__ import annotations

from collections.abc import Sequence

from rejudge.analysis.details import Generalizability, Precision, PrecisionPoint, ReliabilityPoint
from rejudge.english import capital, count
from rejudge.layout.numbers import level_text, number
from rejudge.layout.table import file_name
from rejudge.report.drawing.axes import AxisScale, ticks
from rejudge.report.drawing.marks import Drawing, LineMark
from rejudge.report.drawing.picture import Picture
from rejudge.report.drawing.text import text_width, truncate
from rejudge.report.figures.context import (
    LINE,
    FigureContext,
    Label,
    draw_centred,
    format_tick,
    push_apart,
)
from rejudge.report.figures.rows import fitting_ticks

_EDGE = 4.0
_HEIGHT = 220.0
_TOP = 22.0
_MOST_NAMED = 6  # lines with a label each
_LEADER = 20.0
_LABELS = 0.26  # of the width
_SIGNS = {"GBP": "£", "EUR": "€", "USD": "$"}
_RELIABILITY_HEIGHT = 180.0
_RELIABILITY_TICKS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
_CURVES = ("order", "means")


def precision_picture(context: FigureContext, question: str) -> Picture | None:
    """Half the width of each pair's interval against the number of participants."""
    found = [
        each
        for each in context.results.precision
        if each.question == question and len(_known_points(each)) > 1
    ]
    if not found:
        return None
    now = _now(context, found)
    unit = found[0].unit
    what = f"Half the width of the {level_text(found[0].level)} interval of each pair on {question}"
    said = "; ".join(f"{_pair(context, each)}: {_along(each)}" for each in found)
    drawing = Drawing(
        f"{context.prefix}{what}, against the number of participants.", f"{said}.", context.width
    )
    bare = [each for each in context.results.precision if each.question == question]
    undefined = len(bare) - len(found)
    lost = f" {count(undefined, 'pair')} without a value." if undefined else ""
    cost = " Below, what each number of participants would cost." if found[0].currency else ""
    place = f" The heavy upright line is this study with {now:,}." if now else ""
    return Picture(
        f"{file_name(question)}-precision",
        f"{context.prefix}{what}, in {unit}, against the number of participants, if each judges as "
        f"much as now and the items stay the same.{place}{cost} {capital(found[0].method)}. "
        f"{min((each.note for each in found), key=len)}{lost}",
        _draw(drawing, context, found, now),
        f"table-{question}-precision" if len(found) == 1 else "",  # the table has the widest pair
    )


def _known_points(each: Precision) -> list[PrecisionPoint]:
    return [point for point in each.by_participants if point.half_width is not None]


def _now(context: FigureContext, found: Sequence[Precision]) -> int | None:
    """How many took part in this study, where it is the same for every pair."""
    own = {_own(context, each) for each in found}
    now = own.pop()
    is_shown = all(any(p.participants == now for p in _known_points(each)) for each in found)
    return now if not own and is_shown else None


def _own(context: FigureContext, each: Precision) -> int | None:
    return next((f.participants for f in context.results.select() if f.id == each.finding), None)


def _pair(context: FigureContext, each: Precision) -> str:
    return " – ".join(context.systems.name(system) for system in each.systems)


def _label(context: FigureContext, each: Precision, room: float) -> Label:
    """A pair in one line or in two, so that both names can be told."""
    words = _pair(context, each)
    if text_width(words) <= room:
        return Label((words,))
    first, second = (context.systems.name(system) for system in each.systems)
    return Label((f"{truncate(first, room - text_width(' –'))} –", truncate(second, room)))


def _along(each: Precision) -> str:
    return ", ".join(
        f"{number(point.half_width, 2)} with {point.participants:,}{_cost(each, point, ' for ')}"
        for point in _known_points(each)
    )


def _cost(each: Precision, point: PrecisionPoint, joint: str = "") -> str:
    return cost_words(each.currency, point.cost, joint)


def cost_words(currency: str | None, cost: float | None, joint: str = "") -> str:
    """A cost with the sign of its currency; nothing where it is not known."""
    if cost is None or currency is None:
        return ""
    sign = _SIGNS.get(currency)
    return f"{joint}{sign}{cost:,.0f}" if sign else f"{joint}{cost:,.0f} {currency}"


def _draw(
    drawing: Drawing, context: FigureContext, found: Sequence[Precision], now: int | None
) -> Drawing:
    points = [point for each in found for point in _known_points(each)]
    high = max(point.half_width or 0.0 for point in points) or 1.0
    marks = ticks(0, high)
    top = marks[-1] if marks[-1] >= high else marks[-1] + marks[1]
    upright = AxisScale(0, top, _TOP + _HEIGHT, _TOP)
    left = _EDGE + max(text_width(format_tick(tick)) for tick in ticks(0, top)) + 8
    named = _pairs_to_label(found)
    room = min(drawing.width * _LABELS, max(text_width(_pair(context, each)) for each in named) + 2)
    sizes = [point.participants for point in points]
    along = AxisScale(min(sizes), max(sizes), left + 8, drawing.width - _EDGE - room - _LEADER - 4)
    _draw_axes(drawing, found, along, upright)
    if now is not None:
        x = along.position(now)
        drawing.line(x, _TOP, x, _TOP + _HEIGHT, kind="line", width=1.5)
        draw_centred(drawing, x, _TOP - 9, "this study")
    for each in found:
        _draw_line(drawing, each, (along, upright), now=now, is_one_of_few=len(found) == len(named))
    for each, name, y in _place_labels(context, named, upright, room):
        last = _known_points(each)[-1]
        start = along.position(last.participants) + 4
        end = upright.position(last.half_width or 0.0)
        drawing.line(start, end, along.right + _LEADER, y, kind="line")
        name.draw(drawing, along.right + _LEADER + 4, y, kind="")
    return drawing.finish(_bottom(found))


def _place_labels(
    context: FigureContext, named: Sequence[Precision], upright: AxisScale, room: float
) -> list[tuple[Precision, Label, float]]:
    """The labels behind the lines, from the top, none in the way of another."""
    ordered = sorted(named, key=lambda each: -(_known_points(each)[-1].half_width or 0.0))
    labels = [_label(context, each, room) for each in ordered]
    ends = [upright.position(_known_points(each)[-1].half_width or 0.0) for each in ordered]
    halves = [LINE * len(label.lines) / 2 for label in labels]
    places = push_apart(ends, halves, (_TOP + 6, _TOP + _HEIGHT), gap=2)
    return list(zip(ordered, labels, places, strict=True))


def _pairs_to_label(found: Sequence[Precision]) -> list[Precision]:
    """All pairs; of many, those with the widest and the narrowest interval."""
    if len(found) <= _MOST_NAMED:
        return list(found)
    ranked = sorted(found, key=lambda each: _known_points(each)[-1].half_width or 0.0)
    return [ranked[-1], ranked[0]]


def _bottom(found: Sequence[Precision]) -> float:
    lines = 3 if found[0].currency else 2
    return _TOP + _HEIGHT + 8 + lines * (LINE + 2)


def _draw_axes(
    drawing: Drawing, found: Sequence[Precision], along: AxisScale, upright: AxisScale
) -> None:
    bottom = _TOP + _HEIGHT
    for tick in ticks(upright.low, upright.high):
        y = upright.position(tick)
        drawing.line(along.left - 8, y, along.right, y, kind="line" if tick == 0 else "hair")
        drawing.text(along.left - 12, y + 4, format_tick(tick), anchor="end", kind="soft")
    longest = max(found, key=lambda each: _known_points(each)[-1].participants)
    by_size = {float(point.participants): point for point in _known_points(longest)}
    is_priced = longest.currency is not None
    for tick in fitting_ticks(tuple(by_size), along, drawing.width):
        x = along.position(tick)
        drawing.line(x, bottom, x, bottom + 4, kind="line")
        draw_centred(drawing, x, bottom + 16, f"{tick:,.0f}")
    if is_priced:
        for tick in _ends(tuple(by_size)):
            draw_centred(drawing, along.position(tick), bottom + 32, _cost(longest, by_size[tick]))
    y = bottom + 16 + (LINE + 2) * (2 if is_priced else 1)
    draw_centred(drawing, (along.left + along.right) / 2, y, "Participants")


def _ends(sizes: Sequence[float]) -> tuple[float, ...]:
    """Where costs are written: they are as far apart as sizes, so two of them say it all."""
    return (sizes[0], sizes[-1])


def _draw_line(
    drawing: Drawing,
    each: Precision,
    spans: tuple[AxisScale, AxisScale],
    *,
    now: int | None,
    is_one_of_few: bool,
) -> None:
    """In ink: colours belong to systems, and this is a pair of them."""
    along, upright = spans
    points = [
        (along.position(point.participants), upright.position(point.half_width or 0.0))
        for point in _known_points(each)
    ]
    colour = "ink-2" if is_one_of_few else "line"
    drawing.marks.append(LineMark(tuple(points), colour, 1.25))
    for point, (x, y) in zip(_known_points(each), points, strict=True):
        is_now = point.participants == now
        if is_now or is_one_of_few:
            drawing.dot(x, y, shade=0, radius=4 if is_now else 2.5)


def reliability_picture(context: FigureContext, question: str) -> Picture | None:
    """Reliability of the order and of the means of systems against the number of participants."""
    each = next((e for e in context.results.reliability if e.question == question), None)
    if each is None or each.now is None or len(each.by_participants) < 2:  # noqa: PLR2004 - a line
        return None
    what = f"Reliability of the order and of the means of systems on {question}"
    said = "; ".join(
        f"{number(point.relative, 2)} and {number(point.absolute, 2)} with "
        f"{point.participants:,}{cost_words(each.currency, point.cost, ' for ')}"
        for point in each.by_participants
    )
    drawing = Drawing(
        f"{context.prefix}{what}, against the number of participants.", f"{said}.", context.width
    )
    cost = " Below, what each number of participants would cost." if each.currency else ""
    return Picture(
        f"{file_name(question)}-reliability",
        f"{context.prefix}{what}, from 0 to 1, against the number of participants, if each judges "
        f"as much as now and the items stay the same. The heavy upright line is this study with "
        f"{each.now.participants:,}.{cost} {each.note}",
        _draw_reliability(drawing, each, each.now),
        f"table-{question}-reliability",
    )


def _draw_reliability(drawing: Drawing, each: Generalizability, now: ReliabilityPoint) -> Drawing:
    upright = AxisScale(0, 1, _TOP + _RELIABILITY_HEIGHT, _TOP)
    left = _EDGE + max(text_width(format_tick(tick)) for tick in _RELIABILITY_TICKS) + 8
    room = max(text_width(name) for name in _CURVES) + 2
    sizes = [point.participants for point in each.by_participants]
    along = AxisScale(min(sizes), max(sizes), left + 8, drawing.width - _EDGE - room - 12)
    _draw_reliability_axes(drawing, each, along, upright)
    x = along.position(now.participants)
    drawing.line(x, _TOP, x, _TOP + _RELIABILITY_HEIGHT, kind="line", width=1.5)
    draw_centred(drawing, x, _TOP - 9, "this study")
    ends = []
    for values in (
        [p.relative for p in each.by_participants],
        [p.absolute for p in each.by_participants],
    ):
        points = [
            (along.position(size), upright.position(value or 0.0))
            for size, value in zip(sizes, values, strict=True)
        ]
        drawing.marks.append(LineMark(tuple(points), "ink-2", 1.25))
        for size, (at, y) in zip(sizes, points, strict=True):
            drawing.dot(at, y, shade=0, radius=4 if size == now.participants else 2.5)
        ends.append(points[-1][1])
    places = push_apart(ends, [LINE / 2] * len(ends), (_TOP + 6, _TOP + _RELIABILITY_HEIGHT), gap=2)
    for name, y in zip(_CURVES, places, strict=True):
        drawing.text(along.right + 10, y + 4, name)
    return drawing.finish(_TOP + _RELIABILITY_HEIGHT + 8 + (3 if each.currency else 2) * (LINE + 2))


def _draw_reliability_axes(
    drawing: Drawing, each: Generalizability, along: AxisScale, upright: AxisScale
) -> None:
    bottom = _TOP + _RELIABILITY_HEIGHT
    for tick in _RELIABILITY_TICKS:
        y = upright.position(tick)
        drawing.line(along.left - 8, y, along.right, y, kind="line" if tick == 0 else "hair")
        drawing.text(along.left - 12, y + 4, format_tick(tick), anchor="end", kind="soft")
    by_size = {float(point.participants): point for point in each.by_participants}
    for tick in fitting_ticks(tuple(by_size), along, drawing.width):
        x = along.position(tick)
        drawing.line(x, bottom, x, bottom + 4, kind="line")
        draw_centred(drawing, x, bottom + 16, f"{tick:,.0f}")
    if each.currency:
        for tick in (min(by_size), max(by_size)):
            words = cost_words(each.currency, by_size[tick].cost)
            draw_centred(drawing, along.position(tick), bottom + 32, words)
    y = bottom + 16 + (LINE + 2) * (2 if each.currency else 1)
    draw_centred(drawing, (along.left + along.right) / 2, y, "Participants")
