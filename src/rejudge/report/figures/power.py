"""How power, precision and reliability grow with the size of a study, and what that costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from rejudge.analysis.details import Precision, PrecisionPoint
from rejudge.english import capital, count
from rejudge.layout.numbers import level_text, number
from rejudge.power.results import PlannedPower, SizePower
from rejudge.report.figures.context import FigureContext
from rejudge.report.figures.registry import Picture, figure
from rejudge.report.figures.style import (
    COLOURS,
    EDGE,
    LINE,
    RULE,
    SOFT,
    PanelSheet,
    format_tick,
    marker,
    spread_apart,
    text_width,
    ticks_over,
    truncate,
)
from rejudge.tables.power import effects_in_words, price_in_words, size_in_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_TOP = 25.0
_POWER_HEIGHT = 138.0
_WIDTH_HEIGHT = 95.0
_GAP = 30.0  # between the two parts
_UNIT = "per item"  # behind the number of the last line
_SEEN = 0.02  # Monte-Carlo error of the power that is drawn; a smaller one is hidden by its dot
_SHARES = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
_MOST_NAMED = 6  # lines with a label each
_LEADER = 15.0
_MOST_LABEL = 0.26  # of the width
_SIGNS = {"GBP": "£", "EUR": "€", "USD": "$"}


@dataclass(frozen=True, slots=True)
class _Series:
    """Sizes with the same number of participants per item, from the cheapest on."""

    label: str
    sizes: tuple[SizePower, ...]


@figure("power-cost", section="power", per="power", family="power against cost", table="power")
def power_picture(found: PlannedPower) -> Picture | None:
    """Power and the width of the interval against money, or against hours if nobody is paid."""
    if len(found.sizes) < 2:
        return None
    axis = _axis_title(found)
    what = f"Power to find {effects_in_words(found)}, and width of the interval, against {axis}"
    said = "; ".join(
        f"{size_in_words(size)} for {price_in_words(size)}: power {size.power:.2f}, width "
        f"{number(size.hardest.width, 2)}"
        for size in sorted(found.sizes, key=_x)
    )
    planned = " The large dot is the planned size." if found.planned.is_planned else ""
    best = (
        f" The diamond is the cheapest size with {level_text(found.target)} power."
        if found.best is not None and not found.best.is_planned
        else ""
    )
    widest = max(map(_reach, found.sizes))
    drawn = " (upright lines: 95 % intervals)" if widest > _SEEN else ""
    return Picture(
        f"{what}, of the pair of systems that is hardest to tell apart, with "
        f"{level_text(1 - found.alpha)} intervals. Each line has as many participants per item as "
        f"its number says; items increase along it.{planned}{best} Simulated studies, at least "
        f"{min(size.studies for size in found.sizes):,} for each size; Monte-Carlo error of the "
        f"power at most ±{widest:.3f}{drawn}. How much judgments vary: {found.source}.",
        f"{what}.",
        f"{said}.",
        partial(_draw_cost, found),
    )


def _reach(size: SizePower) -> float:
    return (size.hardest.interval.high - size.hardest.interval.low) / 2


def _x(size: SizePower) -> float:
    return size.hours if size.cost is None else float(size.cost)


def _axis_title(found: PlannedPower) -> str:
    currency = next((size.currency for size in found.sizes if size.currency), None)
    return f"cost in {currency}" if currency else "hours of all participants"


def _series(found: PlannedPower) -> list[_Series]:
    """By participants per item, and by those in all where the same size has several."""
    sizes = sorted(found.sizes, key=lambda size: (_x(size), size.items))
    pairs = {(size.items, size.per_item) for size in sizes}
    has_several = len(pairs) < len(sizes)
    keys = sorted({_key(size, has_several=has_several) for size in sizes})
    return [
        _Series(
            f"{key[0]}" + (f" ({key[1]:,} people)" if has_several else ""),
            tuple(size for size in sizes if _key(size, has_several=has_several) == key),
        )
        for key in keys
    ]


def _key(size: SizePower, *, has_several: bool) -> tuple[int, int]:
    return (size.per_item, size.participants if has_several else 0)


def _draw_cost(found: PlannedPower, width: float) -> Figure:
    """Power above, the width of the interval below."""
    sheet, series = PanelSheet(width), _series(found)
    widest = max((size.hardest.width or 0.0 for size in found.sizes), default=0.0)
    marks = ticks_over(widest, 5) if widest else ()
    left = EDGE + max(text_width(format_tick(tick)) for tick in (*_SHARES, *marks)) + 6
    right = width - EDGE - text_width(_UNIT) / 2
    along = ticks_over(max(map(_x, found.sizes)))
    bottom = _TOP + _POWER_HEIGHT
    axes = sheet.panel(left, _TOP, right, bottom)
    axes.set(xlim=(0, along[-1]), ylim=(0, 1))
    _draw_frame(sheet, axes, "Power", _SHARES)
    axes.axhline(found.target, color=COLOURS["accent"], lw=0.9, ls="--")
    for size in found.sizes:
        if _reach(size) > _SEEN:
            axes.plot(
                [_x(size)] * 2,
                [size.hardest.interval.low, size.hardest.interval.high],
                color=RULE,
                lw=0.75,
            )
    power: dict[int, float | None] = {id(size): size.power for size in found.sizes}
    _draw_series(sheet, axes, (found, series), power, height=_POWER_HEIGHT, above=9.0)
    if marks:
        top, bottom = bottom + _GAP, bottom + _GAP + _WIDTH_HEIGHT
        axes = sheet.panel(left, top, right, bottom)
        axes.set(xlim=(0, along[-1]), ylim=(0, marks[-1]))
        question = found.planned.hardest.question
        unit = next(each.unit for each in found.effects if each.question == question)
        _draw_frame(sheet, axes, f"Width of the interval, in {unit}", marks)
        widths = {id(size): size.hardest.width for size in found.sizes}
        _draw_series(sheet, axes, (found, series), widths, height=_WIDTH_HEIGHT, above=-10.0)
    sheet.ticks_across(axes, along)
    sheet.title(axes, capital(_axis_title(found)))
    return sheet.finish(bottom + 32)


def _draw_frame(sheet: PanelSheet, axes: Axes, title: str, marks: Sequence[float]) -> None:
    axes.set_yticks(marks, list(map(format_tick, marks)))
    axes.grid(axis="y")
    axes.axhline(0, color=RULE, lw=0.75)
    axes.tick_params(bottom=False, labelbottom=False)
    sheet.above(axes, EDGE, [title, ""], ha="left", weight="normal", color=SOFT)


def _draw_series(
    sheet: PanelSheet,
    axes: Axes,
    drawn: tuple[PlannedPower, Sequence[_Series]],
    values: Mapping[int, float | None],
    *,
    height: float,
    above: float,
) -> None:
    """Lines and dots, and the name of each line at its last point where there is room."""
    found, series = drawn
    for each in series:
        points = [(_x(size), v) for size in each.sizes if (v := values[id(size)]) is not None]
        if points:
            axes.plot(*zip(*points, strict=True), color=RULE, lw=0.9)
    for size in found.sizes:
        value = values[id(size)]
        is_best = size is found.best and not size.is_planned
        look = {"marker": "D" if is_best else "o", "ms": 7 if size.is_planned or is_best else 3.5}
        if value is not None:
            axes.plot([_x(size)], [value], **marker(-1) | look)
    taken: list[tuple[float, float, float]] = []
    for place, each in enumerate(reversed(series)):
        value = values[id(each.sizes[-1])]
        if value is None:
            continue
        words = each.label if place else f"{each.label} {_UNIT}"
        half = text_width(words) / 2
        x = min(sheet.place(axes, _x(each.sizes[-1])), sheet.width - half - 1)
        y = height * value / axes.get_ylim()[1] + above
        if all(abs(x - at) > half + other + 3 or abs(y - line) > LINE for at, line, other in taken):
            axes.annotate(words, (x / 72, 0), (0, y), ha="center", va="center_baseline",
                          xycoords=(sheet.figure.dpi_scale_trans, "axes fraction"),
                          textcoords="offset points", annotation_clip=False)  # fmt: skip
            taken.append((x, y, half))


@figure("precision", section="power", per="question")
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
    bare = [each for each in context.results.precision if each.question == question]
    undefined = len(bare) - len(found)
    lost = f" {count(undefined, 'pair')} without a value." if undefined else ""
    cost = " Below, what each number of participants would cost." if found[0].currency else ""
    place = f" The heavy upright line is this study with {now:,}." if now else ""
    return Picture(
        f"{context.prefix}{what}, in {unit}, against the number of participants, if each judges as "
        f"much as now and the items stay the same.{place}{cost} {capital(found[0].method)}. "
        f"{min((each.note for each in found), key=len)}{lost}",
        f"{context.prefix}{what}, against the number of participants.",
        f"{said}.",
        partial(_draw_curves, _precision_curves(context, found), found[0].currency, now),
        numbers_in=f"table-{question}-precision" if len(found) == 1 else "",  # of the widest pair
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


@dataclass(frozen=True, slots=True)
class _Curve:
    """Values by the number of participants; `label` stands behind the last, in one or two lines."""

    label: tuple[str, ...]  # none: it is one of many
    points: tuple[tuple[int, float], ...]
    costs: tuple[float | None, ...]


def _precision_curves(context: FigureContext, found: Sequence[Precision]) -> list[_Curve]:
    """Of many pairs only those with the widest and the narrowest interval have a name."""
    ranked = sorted(found, key=lambda each: _known_points(each)[-1].half_width or 0.0)
    named = found if len(found) <= _MOST_NAMED else (ranked[0], ranked[-1])
    return [
        _Curve(
            tuple(context.systems.name(system) for system in each.systems) if each in named else (),
            tuple((point.participants, point.half_width or 0.0) for point in _known_points(each)),
            tuple(point.cost for point in _known_points(each)),
        )
        for each in found
    ]


def _draw_curves(
    curves: Sequence[_Curve],
    currency: str | None,
    now: int | None,
    width: float,
    *,
    most: float | None = None,
) -> Figure:
    """Curves in ink, as colours belong to systems; the upright line is this study."""
    sheet = PanelSheet(width)
    top, bottom = _TOP - 6, _TOP - 6 + (160.0 if most is None else 130.0)
    marks = _SHARES if most else ticks_over(max(v for c in curves for _, v in c.points) or 1.0)
    labels = {c: _fit_label(c.label, width * _MOST_LABEL) for c in curves if c.label}
    room = max(text_width(line) for lines in labels.values() for line in lines) + 2
    sizes = [size for curve in curves for size, _ in curve.points]
    left = EDGE + max(text_width(format_tick(tick)) for tick in marks) + 6
    axes = sheet.panel(left, top, width - EDGE - room - _LEADER - 4, bottom)
    margin = (max(sizes) - min(sizes)) * 0.02
    axes.set(xlim=(min(sizes) - margin, max(sizes)), ylim=(0, marks[-1]))
    axes.set_yticks(marks, list(map(format_tick, marks)))
    axes.grid(axis="y")
    axes.axhline(0, color=RULE, lw=0.75)
    if now is not None:
        axes.axvline(now, color=RULE, lw=1.1)
        here = sheet.centred(sheet.place(axes, now), "this study")
        sheet.above(axes, here, ["this study"], weight="normal", color=SOFT)
    are_few = len(labels) == len(curves)
    for curve in curves:
        across, values = zip(*curve.points, strict=True)
        axes.plot(across, values, color=SOFT if are_few else RULE, lw=0.9)
        if are_few:
            axes.plot(across, values, **marker(-1) | {"ms": 3.5})
        if now is not None and now in across:
            axes.plot([now], [dict(curve.points)[now]], **marker(-1) | {"ms": 6})
    _draw_labels(sheet, axes, labels, bottom - top)
    longest = max(curves, key=lambda curve: curve.points[-1][0])
    places = [size for size, _ in longest.points]
    sheet.ticks_across(axes, places, [f"{size:,}" for size in places])
    for end in (0, -1) if currency else ():  # costs are as far apart as sizes: two say it all
        words = cost_words(currency, longest.costs[end])
        sheet.below(axes, sheet.place(axes, places[end]), 12 + LINE + 2, words)
    sheet.title(axes, "Participants", 25 + (LINE + 2) * bool(currency))
    return sheet.finish(bottom + 31 + (LINE + 2) * bool(currency))


def _fit_label(names: tuple[str, ...], room: float) -> list[str]:
    """A pair in one line or in two, so that both names can be told."""
    words = " – ".join(names)
    if text_width(words) <= room or len(names) == 1:
        return [truncate(words, room)]
    return [f"{truncate(names[0], room - text_width(' –'))} –", truncate(names[1], room)]


def _draw_labels(
    sheet: PanelSheet, axes: Axes, labels: dict[_Curve, list[str]], height: float
) -> None:
    """Behind the lines, none in the way of another."""
    right, high = sheet.ends(axes)[1], axes.get_ylim()[1]
    ends = [curve.points[-1][1] for curve in labels]
    halves = [LINE * len(lines) / 2 + 1 for lines in labels.values()]
    places = spread_apart([height * end / high for end in ends], halves, (-4, height + 4))
    across = sheet.beside(axes)
    for end, lines, place in zip(ends, labels.values(), places, strict=True):
        y = place * high / height
        axes.plot([(right + 4) / 72, (right + _LEADER) / 72], [end, y], color=RULE, lw=0.75,
                  transform=across)  # fmt: skip
        sheet.lines(axes, right + _LEADER + 3, y, lines, weight="normal")


@figure("reliability", section="power", per="question", table="reliability")
def reliability_picture(context: FigureContext, question: str) -> Picture | None:
    """Reliability of the order and of the means of systems against the number of participants."""
    frame = context.results.frame("reliability", question)
    now = next((row for row in frame.rows if row["grows_by"] == "now"), None)
    points = [row for row in frame.rows if row["grows_by"] == "participants"]
    if now is None or len(points) < 2:
        return None
    what = f"Reliability of the order and of the means of systems on {question}"
    currency = frame.facts["currency"]
    money = str(currency) if currency else None
    said = "; ".join(
        f"{number(row['relative'], 2)} and {number(row['absolute'], 2)} with "
        f"{row['participants']:,}{cost_words(money, row['cost'], ' for ')}"
        for row in points
    )
    cost = " Below, what each number of participants would cost." if money else ""
    costs = tuple(row["cost"] for row in points)
    curves = [
        _Curve((name,), tuple((row["participants"], row[key] or 0.0) for row in points), costs)
        for name, key in (("order", "relative"), ("means", "absolute"))
    ]
    return Picture(
        f"{context.prefix}{what}, from 0 to 1, against the number of participants, if each judges "
        f"as much as now and the items stay the same. The heavy upright line is this study with "
        f"{now['participants']:,}.{cost} {' '.join(frame.notes)}",
        f"{context.prefix}{what}, against the number of participants.",
        f"{said}.",
        partial(_draw_curves, curves, money, now["participants"], most=1.0),
    )
