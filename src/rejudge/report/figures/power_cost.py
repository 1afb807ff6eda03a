"""What planned studies of several sizes can find, against what they cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rejudge.layout.numbers import level_text, number
from rejudge.power.results import PlannedPower, SizePower
from rejudge.report.drawing.axes import AxisScale, tick_labels, ticks
from rejudge.report.drawing.marks import WIDTH, Drawing, LineMark
from rejudge.report.drawing.picture import Picture
from rejudge.report.drawing.text import text_width
from rejudge.report.figures.context import LINE, draw_centred, format_tick
from rejudge.tables.power import effects_in_words, price_in_words, size_in_words

_EDGE = 4.0
_TOP = 34.0
_POWER_HEIGHT = 190.0
_WIDTH_HEIGHT = 130.0
_GAP = 40.0  # between the two parts
_UNIT = "per item"  # behind the number of the last line
_SEEN = 0.02  # Monte-Carlo error of the power that is drawn; a smaller one is hidden by its dot
_POWER_TICKS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)


@dataclass(frozen=True, slots=True)
class _Series:
    """Sizes with the same number of participants per item, from the cheapest on."""

    label: str
    sizes: tuple[SizePower, ...]


@dataclass(frozen=True, slots=True)
class _Panel:
    """One part of the figure: which number is drawn, and where."""

    title: str
    upright: AxisScale
    marks: tuple[float, ...]
    is_power: bool

    def value(self, size: SizePower) -> float | None:
        return size.power if self.is_power else size.hardest.width


def power_picture(found: PlannedPower, *, width: float = WIDTH) -> Picture | None:
    """Power and the width of the interval against money, or against hours if nobody is paid."""
    if len(found.sizes) < 2:  # noqa: PLR2004 - one size is a sentence
        return None
    series = _series(found)
    axis = _axis_title(found)
    what = f"Power to find {effects_in_words(found)}, and width of the interval, against {axis}"
    said = "; ".join(
        f"{size_in_words(size)} for {price_in_words(size)}: power {size.power:.2f}, width "
        f"{number(size.hardest.width, 2)}"
        for size in sorted(found.sizes, key=_x)
    )
    drawing = Drawing(f"{what}.", f"{said}.", width)
    planned = " The large dot is the planned size." if found.planned.is_planned else ""
    best = (
        f" The diamond is the cheapest size with {level_text(found.target)} power."
        if found.best is not None and not found.best.is_planned
        else ""
    )
    widest = max(map(_reach, found.sizes))
    drawn = " (upright lines: 95 % intervals)" if widest > _SEEN else ""
    return Picture(
        "power-cost",
        f"{what}, of the pair of systems that is hardest to tell apart, with "
        f"{level_text(1 - found.alpha)} intervals. Each line has as many participants per item as "
        f"its number says; items increase along it.{planned}{best} Simulated studies, at least "
        f"{min(size.studies for size in found.sizes):,} for each size; Monte-Carlo error of the "
        f"power at most ±{widest:.3f}{drawn}. How much judgments vary: {found.source}.",
        _draw(drawing, found, series, axis),
        "table-power",
    ).in_section("power", "power against cost")


def _reach(size: SizePower) -> float:
    return (size.hardest.mc.high - size.hardest.mc.low) / 2


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


def _draw(drawing: Drawing, found: PlannedPower, series: Sequence[_Series], axis: str) -> Drawing:
    panels = _panels(found)
    left = _EDGE + max(text_width(format_tick(tick)) for each in panels for tick in each.marks) + 8
    highest = max(_x(size) for size in found.sizes)
    marks = ticks(0, highest)
    end = marks[-1] if marks[-1] >= highest else marks[-1] + marks[1]
    along = AxisScale(0, end, left, drawing.width - _EDGE - text_width(_UNIT) / 2)
    for panel in panels:
        _draw_frame(drawing, panel, along)
        if panel.is_power:
            _draw_target(drawing, panel, along, found.target)
        _draw_series(drawing, panel, along, (found, series))
        _draw_labels(drawing, panel, along, series)
    bottom = max(panels[-1].upright.left, panels[-1].upright.right)
    _draw_costs(drawing, along, bottom, axis)
    return drawing.finish(bottom + 16 + 2 * (LINE + 2))


def _panels(found: PlannedPower) -> list[_Panel]:
    power = _Panel(
        "Power",
        AxisScale(0, 1, _TOP + _POWER_HEIGHT, _TOP),
        _POWER_TICKS,
        is_power=True,
    )
    widest = max((size.hardest.width or 0.0 for size in found.sizes), default=0.0)
    if not widest:
        return [power]
    marks = ticks(0, widest, 5)
    high = marks[-1] if marks[-1] >= widest else marks[-1] + marks[1]
    top = _TOP + _POWER_HEIGHT + _GAP
    unit = next(each.unit for each in found.effects if each.question == _question(found))
    return [
        power,
        _Panel(
            f"Width of the interval, in {unit}",
            AxisScale(0, high, top + _WIDTH_HEIGHT, top),
            ticks(0, high, 5),
            is_power=False,
        ),
    ]


def _question(found: PlannedPower) -> str:
    return found.planned.hardest.question


def _draw_frame(drawing: Drawing, panel: _Panel, along: AxisScale) -> None:
    for tick in panel.marks:
        y = panel.upright.position(tick)
        drawing.line(along.left, y, along.right, y, kind="line" if tick == 0 else "hair")
        drawing.text(along.left - 6, y + 4, format_tick(tick), anchor="end", kind="soft")
    drawing.text(_EDGE, panel.upright.right - 18, panel.title, kind="soft")


def _draw_target(drawing: Drawing, panel: _Panel, along: AxisScale, target: float) -> None:
    y = panel.upright.position(target)
    drawing.line(along.left, y, along.right, y, kind="accent", width=1.25, is_dashed=True)


def _draw_series(
    drawing: Drawing,
    panel: _Panel,
    along: AxisScale,
    drawn: tuple[PlannedPower, Sequence[_Series]],
) -> None:
    found, series = drawn
    for each in series:
        points = [
            (along.position(_x(size)), panel.upright.position(value))
            for size in each.sizes
            if (value := panel.value(size)) is not None
        ]
        if len(points) > 1:
            drawing.marks.append(LineMark(tuple(points), "line", 1.25))
    for size in found.sizes:
        value = panel.value(size)
        if value is None:
            continue
        x, y = along.position(_x(size)), panel.upright.position(value)
        if panel.is_power and _reach(size) > _SEEN:
            mc = size.hardest.mc
            low, high = panel.upright.position(mc.low), panel.upright.position(mc.high)
            drawing.line(x, low, x, high, kind="line")
        if size is found.best and not size.is_planned:
            drawing.diamond(x, y)
        else:
            drawing.dot(x, y, shade=0, radius=5 if size.is_planned else 2.5)


def _draw_labels(
    drawing: Drawing, panel: _Panel, along: AxisScale, series: Sequence[_Series]
) -> None:
    """The name of each line at its last point, unless another one is already there."""
    taken: list[tuple[float, float, float]] = []
    for place, each in enumerate(reversed(series)):
        value = panel.value(each.sizes[-1])
        if value is None:
            continue
        words = each.label if place else f"{each.label} {_UNIT}"
        half = text_width(words) / 2
        x = min(along.position(_x(each.sizes[-1])), drawing.width - half)
        y = panel.upright.position(value) + (-9 if panel.is_power else 18)
        if all(abs(x - at) > half + other + 4 or abs(y - line) > LINE for at, line, other in taken):
            drawing.text(x, y, words, anchor="middle")
            taken.append((x, y, half))


def _draw_costs(drawing: Drawing, along: AxisScale, bottom: float, axis: str) -> None:
    marks = ticks(along.low, along.high)
    taken = -1.0
    for tick, words in zip(marks, tick_labels(marks), strict=True):
        x, half = along.position(tick), text_width(words) / 2
        drawing.line(x, bottom, x, bottom + 4, kind="line")
        if x - half > taken:
            draw_centred(drawing, x, bottom + 16, words)
            taken = x + half + 6
    title = axis[:1].upper() + axis[1:]
    draw_centred(drawing, (along.left + along.right) / 2, bottom + 16 + LINE + 4, title)
