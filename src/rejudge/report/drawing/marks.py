"""A drawing as data: what stands where, in pixels from the top left, in colours that have names.

Colours are roles of the page (`ink`, `paper`, `s1` …), so that a dark page has dark drawings and a
sheet of paper has light ones. What differs in colour differs in pattern or shape as well.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

WIDTH = 680.0  # two columns of a paper, 174 mm
COLUMN = 328.0  # one column, 84 mm
PHONE = 358.0  # what a phone leaves for a figure
NARROW = 480.0  # below this width there is no room for names beside marks
ROW = 22.0
SHADES = 8  # colours beside the ink
PAPER_COLOURS = {  # by role; a page around a drawing has its own by the same names
    "paper": "#ffffff",
    "ground": "#f5f6f8",
    "ink": "#1a1f26",
    "ink-2": "#4b5563",
    "line": "#858f9c",
    "hair": "#dde2e8",
    "accent": "#2b57c9",
    "s1": "#0072b2",
    "s2": "#d55e00",
    "s3": "#009e73",
    "s4": "#cc79a7",
    "s5": "#332288",
    "s6": "#999933",
    "s7": "#882255",
    "s8": "#44aa99",
}

Anchor: TypeAlias = Literal["start", "middle", "end"]
Kind: TypeAlias = Literal["", "soft", "strong"]
Point: TypeAlias = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Box:
    """A place and a size."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class ShapeStyle:
    """How a shape is filled and edged."""

    fill: str | None = None  # a role
    strength: float = 1.0  # of the fill, from 0 (none) to 1
    hatch: int = 0  # a pattern above the fill of a rectangle, from 1; 0: none
    hatch_in: str = "paper"
    edge: str | None = None
    edge_width: float = 1.0


@dataclass(frozen=True, slots=True)
class TextMark:
    """Text with its baseline at y; `turn` in degrees, counter-clockwise about its anchor."""

    x: float
    y: float
    words: str
    anchor: Anchor = "start"
    kind: Kind = ""
    turn: float = 0.0
    colour: str = "ink"


@dataclass(frozen=True, slots=True)
class LineMark:
    """A line through points."""

    points: tuple[Point, ...]
    colour: str
    width: float
    is_dashed: bool = False


@dataclass(frozen=True, slots=True)
class RectangleMark:
    """A box that is seen."""

    box: Box
    look: ShapeStyle


@dataclass(frozen=True, slots=True)
class CircleMark:
    """A circle."""

    x: float
    y: float
    radius: float
    look: ShapeStyle


@dataclass(frozen=True, slots=True)
class PolygonMark:
    """A closed shape with corners."""

    points: tuple[Point, ...]
    look: ShapeStyle


Mark: TypeAlias = TextMark | LineMark | RectangleMark | CircleMark | PolygonMark


@dataclass(slots=True)
class Drawing:
    """What is drawn so far; `title` and `description` are for those who cannot see."""

    title: str
    description: str
    width: float = WIDTH
    height: float = 0.0
    marks: list[Mark] = field(default_factory=list)

    def finish(self, height: float) -> Drawing:
        """The drawing, finished at this height."""
        self.height = height
        return self

    def text(
        self,
        x: float,
        y: float,
        words: str,
        *,
        anchor: Anchor = "start",
        kind: Kind = "",
        turn: float = 0.0,
        shade: int | None = None,
    ) -> None:
        """Words, with their baseline at y; in the colour of a shade, where one is given."""
        colour = ("ink-2" if kind == "soft" else "ink") if shade is None else role(shade)
        self.marks.append(TextMark(x, y, " ".join(words.split()), anchor, kind, turn, colour))

    def line(
        self,
        x1: float,
        y1: float,
        x2: float,
        y2: float,
        *,
        kind: str = "hair",
        width: float = 1,
        is_dashed: bool = False,
    ) -> None:
        """A straight line; `kind` is a role: hair, line, ink, s1 …"""
        self.marks.append(LineMark(((x1, y1), (x2, y2)), kind, width, is_dashed))

    def path(
        self, points: Iterable[Point], *, shade: int, width: float = 2, is_dashed: bool = False
    ) -> None:
        """A line through points."""
        self.marks.append(LineMark(tuple(points), role(shade), width, is_dashed))

    def arrow(self, start: Point, end: Point, *, kind: str = "line") -> None:
        """A line with a head, straight down or to the side as most are, or slanting."""
        (x1, y1), (x2, y2) = start, end
        length = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5 or 1.0
        along, beside = (
            ((x2 - x1) / length, (y2 - y1) / length),
            ((y1 - y2) / length, (x2 - x1) / length),
        )
        back = (x2 - 7 * along[0], y2 - 7 * along[1])
        self.line(x1, y1, *back, kind=kind)
        wings = [(back[0] + side * beside[0], back[1] + side * beside[1]) for side in (3.5, -3.5)]
        self.marks.append(PolygonMark((end, *wings), ShapeStyle(fill=kind)))

    def bar(self, box: Box, *, shade: int) -> None:
        """A filled rectangle in the colour and pattern of a shade."""
        hatch = (shade - 1) % PATTERNS + 1 if shade else 0
        self.marks.append(RectangleMark(box, ShapeStyle(fill=role(shade), hatch=hatch)))

    def hatch(self, box: Box, *, shade: int) -> None:
        """An outlined rectangle with a pattern in its colour: what stands beside a filled one."""
        pattern = (shade - 1) % PATTERNS + 1
        colour = role(shade)
        look = ShapeStyle(
            fill="paper", hatch=pattern, hatch_in=colour, edge=colour, edge_width=1.25
        )
        self.marks.append(RectangleMark(box, look))

    def outline(self, box: Box, *, shade: int) -> None:
        """An empty rectangle."""
        self.marks.append(
            RectangleMark(box, ShapeStyle(fill="paper", edge=role(shade), edge_width=1.5))
        )

    def box(self, box: Box, *, kind: str = "ground", edge: str | None = "line") -> None:
        """A rectangle in the roles of the page, for words to stand in."""
        self.marks.append(RectangleMark(box, ShapeStyle(fill=kind, edge=edge)))

    def cell(self, box: Box, *, shade: int, strength: float) -> None:
        """A rectangle whose colour is the stronger the more there is."""
        self.marks.append(RectangleMark(box, ShapeStyle(fill=role(shade), strength=strength)))

    def dot(
        self, x: float, y: float, *, shade: int, radius: float = 5, is_filled: bool = True
    ) -> None:
        """A circle, filled or open."""
        self.marks.append(CircleMark(x, y, radius, _mark_look(shade, is_filled=is_filled)))

    def diamond(self, x: float, y: float, *, shade: int = 0, is_filled: bool = True) -> None:
        """A mark for means over several."""
        points = ((x, y - 6), (x + 6, y), (x, y + 6), (x - 6, y))
        self.marks.append(PolygonMark(points, _mark_look(shade, is_filled=is_filled)))

    def marker(self, x: float, y: float, *, shade: int, is_filled: bool = True) -> None:
        """The mark of a shade: each of the first shades has a shape of its own."""
        shape = _SHAPES[(shade - 1) % len(_SHAPES)] if shade else ()
        if not shape:
            self.dot(x, y, shade=shade, is_filled=is_filled)
            return
        points = tuple((x + right, y + down) for right, down in shape)
        self.marks.append(PolygonMark(points, _mark_look(shade, is_filled=is_filled)))

    def whisker(self, low: float, high: float, y: float, *, shade: int = 0) -> None:
        """An interval with its ends, across."""
        self.line(low, y, high, y, kind=role(shade), width=1.5)
        for end in (low, high):
            self.line(end, y - 4, end, y + 4, kind=role(shade), width=1.5)

    def whisker_on_bar(self, low: float, high: float, y: float) -> None:
        """An interval across the end of a bar, with a seam that shows on dark bars, too."""
        for kind, width, reach in (("paper", 3, 4), ("ink", 1.25, 3)):
            self.line(
                low - (width - 1.25) / 2, y, high + (width - 1.25) / 2, y, kind=kind, width=width
            )
            for end in (low, high):
                self.line(end, y - reach, end, y + reach, kind=kind, width=width)

    def upright_whisker(self, x: float, low: float, high: float, *, shade: int = 0) -> None:
        """An interval with its ends, upright."""
        self.line(x, low, x, high, kind=role(shade), width=1.5)
        for end in (low, high):
            self.line(x - 4, end, x + 4, end, kind=role(shade), width=1.5)


PATTERNS = 3
_SHAPES: tuple[tuple[Point, ...], ...] = (
    (),  # a circle
    ((-4.5, -4.5), (4.5, -4.5), (4.5, 4.5), (-4.5, 4.5)),
    ((0, -6), (5.5, 4), (-5.5, 4)),
    ((0, -6), (6, 0), (0, 6), (-6, 0)),
    ((0, 6), (5.5, -4), (-5.5, -4)),
)


def role(shade: int) -> str:
    """The colour of a shade: 0 is the ink, and those beyond the last colour are grey."""
    if not shade:
        return "ink"
    return f"s{shade}" if shade <= SHADES else "ink-2"


def _mark_look(shade: int, *, is_filled: bool) -> ShapeStyle:
    if is_filled:
        return ShapeStyle(fill=role(shade), edge="paper")
    return ShapeStyle(fill="paper", edge=role(shade), edge_width=2)


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
