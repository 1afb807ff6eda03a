"""Patterns as lines and dots from the corner of a box, for what has no patterns of its own."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from rejudge.report.drawing.marks import Box, Point

STEP = 6.0  # pixels between two lines
_DOT = 1.2  # radius


@dataclass(frozen=True, slots=True)
class Hatch:
    """A pattern: lines that rise (1) or fall (−1) and their width, or dots (0) and their radius."""

    slope: int
    width: float


HATCHES = {1: Hatch(1, 1.2), 2: Hatch(0, _DOT), 3: Hatch(-1, 1.2)}


def hatch_lines(box: Box, slope: int) -> Iterator[tuple[Point, Point]]:
    """Lines at 45 degrees through a box, each from edge to edge; the same in boxes of one size."""
    apart = STEP * math.sqrt(2)  # along an edge
    width, height = box.width, box.height
    # from the corner of the box a line is x + slope·y = c
    sums = (0.0, width, slope * height, width + slope * height)
    for place in range(math.floor(min(sums) / apart), math.ceil(max(sums) / apart)):
        c = (place + 0.5) * apart
        from_x, to_x = sorted((c, c - slope * height))  # at the upper and the lower edge
        start, end = max(0.0, from_x), min(width, to_x)
        if start < end:
            yield (
                (box.x + start, box.y + slope * (c - start)),
                (box.x + end, box.y + slope * (c - end)),
            )


def hatch_dots(box: Box) -> Iterator[Point]:
    """Middles of the dots that lie inside a box or touch its edge."""
    for down in _raster(box.height):
        for along in _raster(box.width):
            yield box.x + along, box.y + down


def _raster(length: float) -> Iterator[float]:
    for place in range(math.ceil((length + _DOT - STEP / 2) / STEP)):
        yield (place + 0.5) * STEP
