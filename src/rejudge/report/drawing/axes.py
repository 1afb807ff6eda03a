"""Positions of numbers on an axis, and labels that do not overlap."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from rejudge.report.drawing.marks import Drawing
from rejudge.report.drawing.text import text_width, with_minus_sign

_TICKS = 6
_AIR = 10.0  # between the numbers of an axis
_LONG = 1e9  # from here on powers of ten are shorter
_CLEAR = (6, 9, 12, 15)  # significant digits, until no two numbers look the same


@dataclass(frozen=True, slots=True)
class AxisScale:
    """From where to where numbers go, and where that is on the paper."""

    low: float
    high: float
    left: float
    right: float

    def position(self, value: float) -> float:
        """Where a number stands, within the span."""
        if self.high <= self.low:
            return (self.left + self.right) / 2
        share = (value - self.low) / (self.high - self.low)
        return self.left + min(1.0, max(0.0, share)) * (self.right - self.left)

    def ticks(self, most: int = _TICKS) -> tuple[float, ...]:
        """Round numbers along the span."""
        return ticks(self.low, self.high, most)


def ticks(low: float, high: float, most: int = _TICKS) -> tuple[float, ...]:
    """Round numbers from low to high, at most so many."""
    raw = (high - low) / (most - 1)
    if raw < sys.float_info.min:  # nothing to divide, or less than a power of ten can say
        return (low,)
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(size * power for size in (1, 2, 2.5, 5, 10) if size * power >= raw * (1 - 1e-9))
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return tuple(float(f"{place * step:.15g}") for place in range(first, last + 1))


def tick_labels(numbers: Sequence[float]) -> tuple[str, ...]:
    """Numbers of an axis, as short as they can be told apart."""
    if all(number == round(number) and abs(number) < _LONG for number in numbers):
        return tuple(with_minus_sign(f"{number:,.0f}") for number in numbers)
    for digits in _CLEAR:
        labels = tuple(with_minus_sign(f"{number:.{digits}g}") for number in numbers)
        if len(set(labels)) == len(labels):
            break
    return labels


def draw_axis(drawing: Drawing, span: AxisScale, top: float, bottom: float) -> None:
    """Rules from top to bottom with their numbers below, as many as have room."""
    numbers, labels = _fitting(span)
    taken = -_AIR
    for number, label in zip(numbers, labels, strict=True):
        x = span.position(number)
        drawing.line(x, top, x, bottom)
        half = text_width(label) / 2
        middle = min(max(x, half), drawing.width - half)
        if middle - half >= taken:
            drawing.text(middle, bottom + 16, label, anchor="middle", kind="soft")
            taken = middle + half


def _fitting(span: AxisScale) -> tuple[tuple[float, ...], tuple[str, ...]]:
    """As many numbers as fit without touching each other, but at least two or three."""
    for most in range(_TICKS, 2, -1):
        numbers = span.ticks(most)
        labels = tick_labels(numbers)
        gaps = [span.position(two) - span.position(one) for one, two in pairwise(numbers)]
        if max(map(text_width, labels), default=0.0) + _AIR <= min(gaps, default=math.inf):
            break
    return numbers, labels


def spread_apart(
    places: Sequence[float], least: float, *, between: tuple[float, float] | None = None
) -> list[float]:
    """The same places, moved as little as needed so that no two are nearer than `least`.

    Where they must stay `between` two ends, those near an end push the others away from it.
    """
    order = sorted(range(len(places)), key=lambda index: places[index])
    groups: list[list[int]] = []
    for index in order:
        groups.append([index])
        while len(groups) > 1 and _overlap(groups[-2], groups[-1], places, least):
            groups[-2:] = [groups[-2] + groups[-1]]
    moved = list(places)
    for group in groups:
        first = _first(group, places, least)
        for step, index in enumerate(group):
            moved[index] = first + step * least
    if between is None:
        return moved
    low, high = between
    for step, index in enumerate(order):
        moved[index] = max(moved[index], low + step * least)
    for step, index in enumerate(reversed(order)):
        moved[index] = min(moved[index], high - step * least)
    return moved


def _first(group: Sequence[int], places: Sequence[float], least: float) -> float:
    middle = sum(places[index] for index in group) / len(group)
    return middle - least * (len(group) - 1) / 2


def _overlap(
    above: Sequence[int], below: Sequence[int], places: Sequence[float], least: float
) -> bool:
    end = _first(above, places, least) + least * (len(above) - 1)
    return _first(below, places, least) - end < least
